"""Kernel.serve: what a handler emits, how a call is cancelled, and how the kernel ends."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from goldfish.kernel.call import Call, Channel
from goldfish.kernel.context import Request
from goldfish.kernel.serve import SHUTTING_DOWN, Kernel
from goldfish.wire.errors import Refusal
from goldfish.wire.methods import Result

from .rig import PV, Draft, Frames, answer, ask, kernel, reply_to, run, tool

CRASH = {"code": -32603, "message": "Internal error"}


# ---------------------------------------------------------------- what a handler emits


def test_frames_leave_in_order_and_before_the_reply() -> None:
    """HTTP-15, HTTP-16: the reply is what serve returns."""

    async def handle(request: Request[Any]) -> Result:
        await request.emit(b'{"n":1}')
        await request.emit(b'{"n":2}')
        return Result()

    frames = Frames()
    reply = reply_to(kernel(tool(handle)), frames=frames)
    assert ([{"n": 1}, {"n": 2}], 200) == (list(frames), reply.status)


def test_an_error_after_frames_still_has_its_code() -> None:
    """HTTP-23: the transport has sent its 200 already; the code rides the stream."""

    async def handle(request: Request[Any]) -> Result:
        await request.emit(b"{}")
        raise Refusal(-32021, "Missing required client capability: roots")

    frames = Frames()
    reply = reply_to(kernel(tool(handle)), frames=frames)
    assert (1, -32021) == (len(frames), reply.code)


# ---------------------------------------------------------------- cancelled by a message


def cancelling(request_id: Any, channel: Channel | None) -> Call:
    params = {"requestId": request_id, "reason": "bored"}
    message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
    return Call(json.dumps(message).encode(), channel=channel)


def test_a_message_cancels_the_request_it_names_on_its_own_channel() -> None:
    """STD-06, CAN-02: and no other."""

    async def scene() -> None:
        held = Held()
        served, channel, frames = kernel(tool(held.handle)), Channel(), Frames()
        calls = [
            asyncio.create_task(served.serve(replace(Draft(id=request_id).call(), channel=channel), frames.emit))
            for request_id in (1, "1", 2)
        ]
        await held.begun.wait()
        for no_request in ("2", 3, 1.0, None, True, [1], "x" * 100_000):
            assert 202 == (await served.serve(cancelling(no_request, channel), frames.emit)).status
        await served.serve(cancelling(2, Channel()), frames.emit)
        await served.serve(cancelling(2, None), frames.emit)
        await served.serve(cancelling(1, channel), frames.emit)
        await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        assert [True, False, False] == [call.done() for call in calls]
        held.let_go.set()
        await asyncio.wait(calls)
        assert [True, False, False] == [call.cancelled() for call in calls]

    run(scene())


def test_a_request_that_was_answered_is_not_cancelled_any_more() -> None:
    """CAN-04, STD-07: whoever served it may be serving another one."""

    async def scene() -> None:
        served, channel, frames = kernel(), Channel(), Frames()
        await served.serve(replace(Draft().call(), channel=channel), frames.emit)
        await served.serve(cancelling(1, channel), frames.emit)
        task = asyncio.current_task()
        assert task is not None
        assert 0 == task.cancelling()

    run(scene())


@pytest.mark.parametrize("params", [b"null", b"[]", b"{}", b'{"requestId":{}}', b"[" * 900 + b"]" * 900])
def test_a_cancellation_of_any_other_shape_is_ignored(params: bytes) -> None:
    """STD-07: it names nothing."""

    async def scene() -> None:
        body = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":%b}' % params
        assert 202 == (await kernel().serve(Call(body, channel=Channel()), Frames().emit)).status

    run(scene())


# ---------------------------------------------------------------- the end


class Held:
    """A handler that waits until it is let go, and what happened to it."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.let_go = asyncio.Event()
        self.cancelled = False

    async def handle(self, request: Request[Any]) -> Result:
        self.begun.set()
        try:
            await self.let_go.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        return Result()


def test_close_answers_calls_that_outlive_the_grace_with_an_error() -> None:
    """SUBS-11, RPC-03: an answer with the id, so that the client can send the request again."""

    async def scene() -> None:
        held = Held()
        served = kernel(tool(held.handle))
        calls = [asyncio.create_task(ask(served, Draft(id=n))) for n in range(3)]
        await held.begun.wait()
        await served.close(0.01)
        assert all(call.done() for call in calls)
        assert held.cancelled
        for n, call in enumerate(calls):
            reply = call.result()
            assert (200, -32603, n) == (reply.status, reply.code, answer(reply)["id"])
            assert SHUTTING_DOWN == answer(reply)["error"]["message"]
            assert 0 == call.cancelling()

    run(scene())


def test_close_lets_a_call_end_by_itself_within_the_grace() -> None:
    """Nothing is cancelled that ends in time."""

    async def scene() -> None:
        held = Held()
        served = kernel(tool(held.handle))
        call = asyncio.create_task(ask(served))
        await held.begun.wait()
        closing = asyncio.create_task(served.close(30))
        await asyncio.sleep(0)
        held.let_go.set()
        await asyncio.wait_for(closing, 5)
        assert "result" in answer(await call)
        assert not held.cancelled

    run(scene())


def test_close_of_an_idle_kernel_returns_at_once() -> None:
    """Whatever the grace, and as often as it is called."""

    async def scene() -> None:
        served = kernel()
        await ask(served)
        for _ in range(2):
            await asyncio.wait_for(served.close(30), 1)

    run(scene())


def test_a_handler_may_close_the_server_it_runs_in() -> None:
    """It does not wait for itself, and is answered."""
    served: list[Kernel] = []

    async def handle(request: Request[Any]) -> Result:
        await served[0].close(30)
        return Result()

    served.append(kernel(tool(handle)))
    assert "result" in answer(reply_to(served[0]))


def test_a_handler_that_swallows_its_cancellation_is_still_answered() -> None:
    """The end is asked for; what it returns in spite of that is its answer."""

    async def scene() -> None:
        begun = asyncio.Event()

        async def handle(request: Request[Any]) -> Result:
            begun.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                return Result()
            raise AssertionError("not reached")

        served = kernel(tool(handle))
        call = asyncio.create_task(ask(served))
        await begun.wait()
        await served.close(0)
        assert "result" in answer(await call)

    run(scene())


def test_close_does_not_wait_for_a_handler_that_holds_out() -> None:
    """A deadline is a deadline."""

    async def scene() -> None:
        held = Held()

        async def handle(request: Request[Any]) -> Result:
            try:
                return await held.handle(request)
            except asyncio.CancelledError:
                await held.let_go.wait()
                return Result()

        served = kernel(tool(handle))
        call = asyncio.create_task(ask(served))
        await held.begun.wait()
        await asyncio.wait_for(served.close(0), 5)
        assert not call.done()
        held.let_go.set()
        assert "result" in answer(await call)

    run(scene())


def test_a_handler_that_crashes_while_it_is_ended_is_answered_as_a_crash(caplog: pytest.LogCaptureFixture) -> None:
    """RPC-21: what it raised is in the log."""

    async def scene() -> None:
        held = Held()

        async def handle(request: Request[Any]) -> Result:
            try:
                return await held.handle(request)
            finally:
                raise ValueError("in the cleanup")

        served = kernel(tool(handle))
        call = asyncio.create_task(ask(served))
        await held.begun.wait()
        await served.close(0)
        assert CRASH == answer(await call)["error"]

    run(scene())
    assert ["'tools/call' 'echo' failed"] == caplog.messages


def test_a_cancellation_from_outside_passes_through(caplog: pytest.LogCaptureFixture) -> None:
    """HTTP-20, CAN-01: nobody waits for an answer, and it is no crash."""

    async def scene() -> None:
        held = Held()
        call = asyncio.create_task(ask(kernel(tool(held.handle))))
        await held.begun.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert held.cancelled

    run(scene())
    assert [] == caplog.messages


def test_whoever_served_a_call_that_was_ended_can_be_cancelled_like_anyone() -> None:
    """HTTP-20: a connection that goes on is not taken for one that the server ends."""

    async def scene() -> None:
        held = Held()
        served = kernel(tool(held.handle))

        async def connection() -> None:
            assert SHUTTING_DOWN == answer(await ask(served))["error"]["message"]
            held.begun.clear()
            await ask(served)

        calls = asyncio.create_task(connection())
        await held.begun.wait()
        await served.close(0)
        await held.begun.wait()
        calls.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calls

    run(scene())


def test_a_call_that_was_cancelled_leaves_nothing_behind() -> None:
    """MRTR-17, HTTP-20: close has nothing left to wait for."""

    async def scene() -> None:
        held = Held()
        served = kernel(tool(held.handle))
        call = asyncio.create_task(ask(served))
        await held.begun.wait()
        call.cancel()
        await asyncio.wait([call])
        await asyncio.wait_for(served.close(30), 1)

    run(scene())


def test_a_timeout_of_the_handler_itself_is_its_crash() -> None:
    """RPC-21: the cancellation inside it is none of the call's."""

    async def handle(request: Request[Any]) -> Result:
        async with asyncio.timeout(0.001):
            await asyncio.Event().wait()
        raise AssertionError("not reached")

    assert CRASH == answer(reply_to(kernel(tool(handle))))["error"]


def test_a_cancelled_child_of_the_handler_is_its_crash() -> None:
    """RPC-21: awaiting a task that somebody cancelled raises CancelledError in a call that nobody cancelled."""

    async def handle(request: Request[Any]) -> Result:
        child = asyncio.create_task(asyncio.Event().wait())
        await asyncio.sleep(0)
        child.cancel()
        await child
        raise AssertionError("not reached")

    assert CRASH == answer(reply_to(kernel(tool(handle))))["error"]


def test_calls_of_one_kernel_run_side_by_side_and_keep_their_ids() -> None:
    """HTTP-25: also where two of them are equal."""

    async def scene() -> None:
        waiting: asyncio.Queue[asyncio.Event] = asyncio.Queue()

        async def handle(request: Request[Any]) -> Result:
            event = asyncio.Event()
            waiting.put_nowait(event)
            await event.wait()
            return Result(meta={"id": request.id})

        served = kernel(tool(handle))
        calls = [asyncio.create_task(ask(served, Draft(id=n))) for n in (1, 1, "1")]
        for event in reversed([await waiting.get() for _ in calls]):
            event.set()
        answers = [answer(await call) for call in calls]
        assert [1, 1, "1"] == [each["id"] for each in answers] == [each["result"]["_meta"]["id"] for each in answers]

    run(scene())


def test_nothing_is_remembered_between_two_calls() -> None:
    """ENV-05, MRTR-08: the same id again, and other capabilities."""
    served = kernel()
    replies = [reply_to(served, Draft(id=1)) for _ in range(2)]
    assert replies[0] == replies[1]
    assert PV not in json.dumps(answer(replies[0]))
