"""The life of one call: what is answered when all goes well, and what when a handler does not."""

import asyncio
import json
import logging
from dataclasses import replace
from typing import Any

import pytest
from msgspec import Raw

from goldfish.kernel.call import Abandoned, Call, Channel, Reply, Unserved
from goldfish.kernel.context import Request
from goldfish.kernel.method import Method
from goldfish.kernel.profile import RELAXED, STRICT, Profile
from goldfish.kernel.serve import SHUTTING_DOWN, Kernel
from goldfish.wire.content import TextContent
from goldfish.wire.errors import Refusal
from goldfish.wire.methods import CallToolParams, CallToolResult, Params, Result

from .rig import CC, PV, SI, Draft, Frames, answer, ask, done, kernel, reply_to, run, tool

IDENTITY = {SI: {"name": "s", "version": "1"}}
CRASH = {"code": -32603, "message": "Internal error"}


def posted(body: bytes, served: Kernel | None = None) -> Reply:
    async def emit(frame: bytes) -> None:
        raise AssertionError("nothing is emitted")

    return run((served or kernel()).serve(Call(body), emit))


# ---------------------------------------------------------------- all goes well


def test_a_result_carries_the_id_its_type_and_the_server() -> None:
    """RPC-03, ENV-08, ENV-09: and the reply says what it answered."""
    reply = reply_to(kernel(), Draft(id="a"))
    assert (200, "json", "tools/call", "echo", None) == (
        reply.status,
        reply.media,
        reply.method,
        reply.name,
        reply.code,
    )
    assert {"jsonrpc": "2.0", "id": "a", "result": {"resultType": "complete", "_meta": IDENTITY}} == answer(reply)


def test_what_a_handler_puts_into_meta_stays_beside_the_identity() -> None:
    """ENV-09: and the identity is the server's to say."""

    async def handle(request: Request[Any]) -> Result:
        return CallToolResult(content=[TextContent(text="hi")], meta={"a.b/c": 1, SI: {"name": "forged"}})

    result = answer(reply_to(kernel(tool(handle))))["result"]
    assert {"a.b/c": 1, **IDENTITY} == result["_meta"]


def test_the_handler_sees_the_admitted_request() -> None:
    """ENV-05: all it knows came with this request."""
    seen: list[Request[CallToolParams]] = []

    async def handle(request: Request[CallToolParams]) -> Result:
        seen.append(request)
        return Result()

    draft = Draft(id=0)
    draft.repeated.append(b"x-twice")
    reply_to(kernel(tool(handle)), draft)
    [request] = seen
    assert ("tools/call", 0, "echo", "echo") == (request.method, request.id, request.name, request.params.name)
    assert draft.headers == request.headers
    assert [b"x-twice"] == list(request.repeated)
    assert request.principal is None


def test_the_check_of_the_row_runs_before_the_handler() -> None:
    """HTTP-23: what it refuses still has its own HTTP status."""
    order: list[str] = []

    def check(request: Request[Any]) -> None:
        order.append("check")

    async def handle(request: Request[Any]) -> Result:
        order.append("handle")
        return Result()

    reply_to(kernel(tool(handle, check=check)))
    assert ["check", "handle"] == order


def test_a_stream_is_not_begun_for_who_takes_none() -> None:
    """SUBS-14: a method that must stream is refused with 406, and with a line of text."""
    draft = Draft(streamable=False)
    draft.renamed("subscriptions/listen")
    reply = reply_to(kernel(), draft)
    assert (406, "text", "subscriptions/listen") == (reply.status, reply.media, reply.method)
    assert b"subscriptions/listen answers with a stream: Accept must allow text/event-stream\n" == reply.body
    draft.streamable = True
    assert 200 == reply_to(kernel(), draft).status


def test_the_profile_decides_what_is_admitted() -> None:
    """HDR-01: the same table on two profiles."""
    draft = Draft()
    del draft.fields[b"mcp-protocol-version"]
    assert (400, 200) == (reply_to(kernel(), draft).status, reply_to(kernel(profile=RELAXED), draft).status)


# ---------------------------------------------------------------- what is no request


@pytest.mark.parametrize(
    "body",
    [
        b'{"jsonrpc":"2.0","method":"notifications/foo"}',
        b'{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
        b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":5}}',
        b'{"jsonrpc":"2.0","method":"x","params":null}',
        b'{"jsonrpc":"2.0","method":"x","params":[1e999]}',
        b'{"jsonrpc":"2.0","method":""}',
    ],
)
def test_a_notification_is_never_answered(body: bytes) -> None:
    """RPC-06, HTTP-10, HTTP-11, HDR-31, VER-10: not even when its params are broken."""
    reply = posted(body)
    assert (202, b"", None) == (reply.status, reply.body, reply.code)


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"{", 400, {"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error: Input data was truncated"}}),
        (
            b"[]",
            400,
            {
                "jsonrpc": "2.0",
                "error": {
                    "code": -32600,
                    "message": "Invalid request: batches do not exist, send one message per body",
                },
            },
        ),
        (
            b'{"jsonrpc":"2.0","id":"x","method":5}',
            400,
            {
                "jsonrpc": "2.0",
                "id": "x",
                "error": {"code": -32600, "message": "Invalid request: method must be a string"},
            },
        ),
    ],
)
def test_what_is_no_message_is_answered_with_the_id_it_showed(body: bytes, status: int, message: Any) -> None:
    """RPC-03, RPC-04, RPC-08, RPC-12: absent where none could be read."""
    reply = posted(body)
    assert (status, message) == (reply.status, answer(reply))
    assert message["error"]["code"] == reply.code


# ---------------------------------------------------------------- refusals


def test_a_refusal_of_the_ladder_is_an_error_with_the_id() -> None:
    """RPC-03, HTTP-13: with its code's status."""
    draft = Draft(id="r")
    draft.dated("1900-01-01")
    reply = reply_to(kernel(), draft)
    error = answer(reply)["error"]
    assert (400, -32022, "r", -32022) == (reply.status, reply.code, answer(reply)["id"], error["code"])
    assert {"supported": ["2026-07-28"], "requested": "1900-01-01"} == error["data"]


@pytest.mark.parametrize(("code", "status"), [(-32602, 400), (-32601, 404), (-32603, 200), (42, 200)])
def test_a_handler_may_refuse_with_any_code(code: int, status: int) -> None:
    """RPC-05, HTTP-14: and with data."""

    async def handle(request: Request[Any]) -> Result:
        raise Refusal(code, "Not today.", {"until": 1})

    reply = reply_to(kernel(tool(handle)))
    assert (status, code, "echo") == (reply.status, reply.code, reply.name)
    assert {"code": code, "message": "Not today.", "data": {"until": 1}} == answer(reply)["error"]


def test_a_check_may_refuse() -> None:
    """TOOL-13: before the handler runs."""

    def check(request: Request[Any]) -> None:
        raise Refusal(-32602, "Unknown tool")

    async def handle(request: Request[Any]) -> Result:
        raise AssertionError("not reached")

    reply = reply_to(kernel(tool(handle, check=check)))
    assert (400, -32602, "Unknown tool") == (reply.status, reply.code, answer(reply)["error"]["message"])


class Circle:
    """A value that refers to itself."""

    def __init__(self) -> None:
        self.value: list[Any] = []
        self.value.append(self.value)


@pytest.mark.parametrize("data", [object(), {"a": "\ud800"}, Circle().value, Raw, {1: {2, object()}}])
def test_a_refusal_whose_data_cannot_be_encoded_is_an_internal_error(
    data: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """RPC-21: logged, and answered without what went wrong."""

    async def handle(request: Request[Any]) -> Result:
        raise Refusal(42, "Not today.", data)

    reply = reply_to(kernel(tool(handle)))
    assert (200, -32603) == (reply.status, reply.code)
    assert {"jsonrpc": "2.0", "id": 1, "error": CRASH} == answer(reply)
    [record] = caplog.records
    assert "'tools/call': the error cannot be encoded" == record.getMessage()
    assert record.exc_info


class Detailed(Refusal):
    """Knows more than the client is told."""

    def __str__(self) -> str:
        return "the store at 10.0.0.1 is away"


def test_what_a_refusal_knows_beyond_its_message_is_for_the_log_alone(caplog: pytest.LogCaptureFixture) -> None:
    """RPC-21: and neither the method nor the name can forge a line of it."""
    draft = Draft()
    draft.params["name"] = "a\nERROR forged " + "x" * 10_000
    draft.headers = None
    reply = reply_to(kernel(tool(crashing(Detailed(-32603, "Send it again.")))), draft)
    assert {"code": -32603, "message": "Send it again."} == answer(reply)["error"]
    [message] = caplog.messages
    assert message.startswith(r"'tools/call' 'a\nERROR forged x")
    assert message.endswith("the store at 10.0.0.1 is away")
    assert len(message) < 300


class MuteRefusal(Refusal):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def test_a_refusal_that_cannot_say_what_it_knows_is_an_internal_error(caplog: pytest.LogCaptureFixture) -> None:
    """RPC-21: nothing escapes."""
    assert CRASH == answer(reply_to(kernel(tool(crashing(MuteRefusal(42, "No."))))))["error"]
    assert 1 == len(caplog.records)


# ---------------------------------------------------------------- turned away below JSON-RPC


@pytest.mark.parametrize(
    "row",
    [
        tool(done, check=lambda request: turn_away(Unserved(503, "Too many streams", 5))),
        tool(lambda request: turn_away(Unserved(503, "Too many streams", 5))),
    ],
    ids=["check", "handler"],
)
def test_a_request_may_be_turned_away_with_a_status_and_a_line_of_text(row: Method) -> None:
    """SUBS-18, RPC-20: no JSON-RPC code is made up for it; it says when to try again."""
    reply = reply_to(kernel(row))
    assert (503, b"Too many streams\n", "text", 5) == (reply.status, reply.body, reply.media, reply.retry_after)
    assert ("tools/call", "echo", None) == (reply.method, reply.name, reply.code)


def turn_away(error: Exception) -> Any:
    raise error


# ---------------------------------------------------------------- extensions

EXTENSION = "com.example/tasks"


@pytest.mark.parametrize(("profile", "code"), [(STRICT, -32021), (RELAXED, -32003)])
@pytest.mark.parametrize(
    "capabilities", [{}, {"extensions": {}}, {"extensions": {"com.example/other": {}}}, {"tasks": {}}]
)
def test_a_method_of_an_extension_is_for_clients_that_declare_it(
    capabilities: dict[str, Any], profile: Profile, code: int
) -> None:
    """TASK-04, TASK-06, ENV-05, ENV-19: refused before its check, and named as an object."""
    draft = Draft()
    draft.meta[CC] = capabilities
    row = tool(done, extension=EXTENSION, check=lambda request: turn_away(AssertionError("not reached")))
    reply = reply_to(kernel(row, profile=profile), draft)
    assert (400, code) == (reply.status, reply.code)
    required: dict[str, Any] = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
    assert required == answer(reply)["error"]["data"]


@pytest.mark.parametrize("settings", [{}, {"x": 1}])
def test_an_extension_is_declared_by_its_settings_empty_or_not(settings: dict[str, Any]) -> None:
    """ENV-18: {} means supported."""
    draft = Draft()
    draft.meta[CC] = {"extensions": {EXTENSION: settings}}
    assert 200 == reply_to(kernel(tool(done, extension=EXTENSION)), draft).status


# ---------------------------------------------------------------- handlers that crash


class Mute(Exception):
    """An exception that cannot say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("no words")

    __repr__ = __str__


class Beyond(BaseException):
    """Not an Exception, and nothing of the interpreter's either."""


def crashing(error: BaseException) -> Any:
    async def handle(request: Request[Any]) -> Result:
        raise error

    return handle


@pytest.mark.parametrize(
    "error",
    [
        ValueError("the secret is 42"),
        SystemExit("the secret is 42"),
        SystemExit(0),
        asyncio.CancelledError("the secret is 42"),
        TimeoutError(),
        StopAsyncIteration("the secret is 42"),
        RecursionError("the secret is 42"),
        MemoryError(),
        Mute(),
        Beyond("the secret is 42"),
        ExceptionGroup("the secret is 42", [ValueError("the secret is 42")]),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_crash_is_logged_with_its_traceback_and_answered_without_internals(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    """RPC-21, HTTP-14: -32603 in a 200, whatever was raised; the server lives on."""
    served = kernel(tool(crashing(error)))
    for _ in range(2):
        caplog.clear()
        reply = reply_to(served, Draft(id=7))
        assert (200, -32603, "echo") == (reply.status, reply.code, reply.name)
        assert {"jsonrpc": "2.0", "id": 7, "error": CRASH} == answer(reply)
        [record] = caplog.records
        assert ("goldfish", logging.ERROR) == (record.name, record.levelno)
        assert "'tools/call' 'echo' failed" == record.getMessage()
        assert record.exc_info is not None
        assert error is record.exc_info[1]


@pytest.mark.parametrize(
    "result",
    [
        None,
        "text",
        {"content": []},
        CallToolResult(structured_content=object()),
        CallToolResult(structured_content="\ud800"),
        CallToolResult(structured_content=Circle().value),
        CallToolResult(content=[TextContent(text="\udc00")]),
        CallToolResult(meta={"a": object()}),
        CallToolResult(meta=5),  # type: ignore[arg-type]
    ],
)
def test_a_result_that_cannot_be_encoded_is_an_internal_error(result: Any, caplog: pytest.LogCaptureFixture) -> None:
    """RPC-21: nothing of it leaves."""

    async def handle(request: Request[Any]) -> Result:
        returned: Result = result
        return returned

    reply = reply_to(kernel(tool(handle)))
    assert (200, {"jsonrpc": "2.0", "id": 1, "error": CRASH}) == (reply.status, answer(reply))
    assert 1 == len(caplog.records)


def test_a_check_that_crashes_is_answered_like_a_handler_that_crashes(caplog: pytest.LogCaptureFixture) -> None:
    """RPC-21: nothing but a Refusal is expected there, and nothing escapes."""

    def check(request: Request[Any]) -> None:
        raise KeyError("the secret is 42")

    reply = reply_to(kernel(tool(crashing(AssertionError("not reached")), check=check)), Draft(id=7))
    assert (200, {"jsonrpc": "2.0", "id": 7, "error": CRASH}) == (reply.status, answer(reply))
    [record] = caplog.records
    assert "'tools/call' 'echo' failed" == record.getMessage()


def test_a_client_cannot_forge_a_line_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """RPC-21, LOG-06: names are the client's text: escaped, and cut."""
    draft = Draft()
    draft.params["name"] = "a\nERROR forged " + "x" * 10_000
    draft.headers = None
    reply_to(kernel(tool(crashing(ValueError()))), draft)
    [message] = caplog.messages
    assert 1 == len(message.splitlines())
    assert message.startswith(r"'tools/call' 'a\nERROR forged x")
    assert len(message) < 300


def test_a_crash_without_a_name_is_logged_too(caplog: pytest.LogCaptureFixture) -> None:
    """RPC-21: a method that mirrors no name."""
    draft = Draft()
    draft.renamed("server/discover")
    reply_to(kernel(Method("server/discover", Params, crashing(ValueError()))), draft)
    assert ["'server/discover' None failed"] == caplog.messages


@pytest.mark.parametrize("error", [KeyboardInterrupt(), GeneratorExit()])
def test_what_ends_the_interpreter_passes_through(error: BaseException) -> None:
    """Neither is a handler's to raise, nor the kernel's to hold up."""
    served = kernel(tool(crashing(error)))
    with pytest.raises(type(error)):
        reply_to(served)


def test_a_stream_that_was_abandoned_has_no_reply() -> None:
    """SUBS-12: the transport is told, and ends it where it is."""
    with pytest.raises(Abandoned):
        reply_to(kernel(tool(crashing(Abandoned()))))


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
