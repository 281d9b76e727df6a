"""A client that leaves ends its request, whatever the handler is doing; one that stays pays for one timer."""

import asyncio
import threading

from goldfish import Context, Report, Server
from goldfish.kernel.call import Call, Emit, Reply
from goldfish.transports.asgi import Endpoint
from goldfish.transports.disconnect import MOMENT
from goldfish.transports.guard import Guard
from tests.support.inprocess import Client, Exchange, Json, in_loop, in_no_time, scope

WATCHED: Json = {"progressToken": 1}


def server_that_waits(ended: list[str]) -> Server:
    """Two tools that would take for ever; each notes how it ended."""
    server = Server("test", "1")

    @server.tool
    async def silent() -> str:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("silent")
        return "never"

    @server.tool
    async def streaming(ctx: Context) -> str:
        try:
            for step in range(1_000_000):
                await ctx.progress(step)
                await asyncio.sleep(1)
        finally:
            ended.append("streaming")
        return "never"

    return server


@in_no_time
async def test_a_silent_handler_is_cancelled_when_its_client_leaves() -> None:
    """HTTP-20, HTTP-21, CAN-01: also before any byte of the answer, which would have been JSON."""
    ended: list[str] = []
    exchange = Client(server_that_waits(ended).app).open("tools/call", {"name": "silent"})
    await asyncio.sleep(1)
    await exchange.gone()
    assert ["silent"] == ended
    assert [] == exchange.late


@in_no_time
async def test_a_streaming_handler_is_cancelled_when_its_client_leaves() -> None:
    """HTTP-20, CAN-01: closing the stream is the signal, and nothing more is sent."""
    ended: list[str] = []
    exchange = Client(server_that_waits(ended).app).open("tools/call", {"name": "streaming"}, meta=WATCHED)
    for step in range(3):
        assert step == (await exchange.frame())["params"]["progress"]
    await exchange.gone()
    assert ["streaming"] == ended
    assert [] == exchange.late


@in_no_time
async def test_a_handler_is_cancelled_while_its_frame_waits_for_the_reader() -> None:
    """HTTP-20: a reader that stalls and then leaves holds nothing up."""
    ended: list[str] = []
    exchange = Client(server_that_waits(ended).app).open("tools/call", {"name": "streaming"}, meta=WATCHED)
    await exchange.frame()
    exchange.stall()
    await asyncio.sleep(5)
    await exchange.gone()
    assert ["streaming"] == ended


@in_no_time
async def test_a_listen_stream_ends_when_its_client_leaves() -> None:
    """SUBS-12: the close is the end of the subscription, and there is no response to it."""
    server = server_that_waits([])
    exchange = Client(server.app).open("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    await exchange.frame()
    await exchange.gone()
    await server.tools_changed()
    assert [] == exchange.late


@in_no_time
async def test_nothing_is_sent_when_a_handler_does_not_let_itself_be_cancelled() -> None:
    """HTTP-20: a result that comes all the same goes nowhere."""
    server = Server("test", "1")

    @server.tool
    async def stubborn(ctx: Context) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "still here"
        return "never"

    exchange = Client(server.app).open("tools/call", {"name": "stubborn"})
    await asyncio.sleep(1)
    await exchange.gone()
    assert [] == exchange.late


@in_no_time
async def test_leaving_ends_no_other_request() -> None:
    """HTTP-20, HTTP-25: a disconnect is about its own request."""
    ended: list[str] = []
    client = Client(server_that_waits(ended).app)
    leaving = client.open("tools/call", {"name": "silent"})
    staying = client.open("tools/call", {"name": "streaming"}, meta=WATCHED)
    await staying.frame()
    await leaving.gone()
    await staying.frame()
    assert ["silent"] == ended
    await staying.gone()


@in_no_time
async def test_a_cancel_notification_cancels_nothing_here() -> None:
    """HTTP-11, CAN-03: over HTTP it is a notification like any other, since the id may be another client's."""
    server = Server("test", "1")
    release = asyncio.Event()

    @server.tool
    async def waits() -> str:
        await release.wait()
        return "done"

    client = Client(server.app)
    running = client.open("tools/call", {"name": "waits"}, id=7)
    await asyncio.sleep(1)
    notice = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}'
    assert 202 == (await client.post(notice).answer()).status
    release.set()
    assert "done" == (await running.answer()).text


@in_no_time
async def test_leaving_after_the_answer_is_no_event() -> None:
    """CAN-04: a cancel that comes too late meets nothing that could be cancelled."""
    server = server_that_waits([])
    exchange = Client(server.app).open("tools/list")
    answer = await exchange.answer()
    exchange.leave()
    await asyncio.sleep(1)
    assert 200 == answer.status


@in_loop
async def test_a_handler_in_a_thread_does_not_hold_its_request() -> None:
    """HTTP-20: the thread may finish, but nobody waits for it."""
    server = Server("test", "1")
    started, release = threading.Event(), threading.Event()

    @server.tool
    def blocking() -> str:
        started.set()
        release.wait(4)
        return "too late"

    exchange = Client(server.app).open("tools/call", {"name": "blocking"})
    await asyncio.to_thread(started.wait, 4)
    await exchange.gone()
    assert not release.is_set()
    assert [] == exchange.late
    release.set()


@in_no_time
async def test_a_client_that_leaves_within_its_body_is_not_answered() -> None:
    """HTTP-20: there is nothing to answer, and nobody to answer to."""
    reports: list[Report] = []
    app = Server("test", "1").endpoint(observe=reports.append)
    exchange = Exchange(app, scope([(b"content-type", b"application/json")]), [b'{"jsonrpc"'], whole=False)
    await exchange.gone()
    assert [] == exchange.late
    assert [("POST", 499)] == [(report.method, report.status) for report in reports]


@in_no_time
async def test_a_request_whose_client_left_is_reported_as_such() -> None:
    """Ours: 499, with the method, so that a log shows what is given up."""
    reports: list[Report] = []
    exchange = Client(server_that_waits([]).endpoint(observe=reports.append)).open("tools/call", {"name": "silent"})
    await asyncio.sleep(1)
    await exchange.gone()
    assert [("tools/call", 499)] == [(report.method, report.status) for report in reports]


class Waiting:
    """A kernel that takes a fixed time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    async def serve(self, call: Call, emit: Emit) -> Reply:
        await asyncio.sleep(self._seconds)
        return Reply(200, b"{}")


async def _looks(seconds: float) -> int:
    """How often a call that takes so long asks for news of its client."""
    looks = 0

    async def receive() -> Json:
        nonlocal looks
        looks += 1
        if looks == 1:
            return {"type": "http.request", "body": b"{}"}
        await asyncio.Event().wait()
        raise AssertionError("never set")

    async def send(message: Json) -> None:
        pass

    await Endpoint(Waiting(seconds), Guard(), None)(scope([(b"content-type", b"application/json")]), receive, send)
    return looks


@in_no_time
async def test_only_a_call_that_outlives_a_moment_is_watched() -> None:
    """HTTP-21, ours: a fast call reads its body and never looks again."""
    assert 1 == await _looks(MOMENT * 0.9)
    assert 2 == await _looks(MOMENT * 1.1)


@in_no_time
async def test_a_cancellation_from_outside_is_not_taken_for_a_disconnect() -> None:
    """CAN-04, ours: whoever runs the application may cancel it, and is told that it was."""
    ended: list[str] = []
    exchange = Client(server_that_waits(ended).app).open("tools/call", {"name": "silent"})
    await asyncio.sleep(1)
    exchange.task.cancel()
    assert await asyncio.wait([exchange.task])
    assert exchange.task.cancelled()
    assert ["silent"] == ended
