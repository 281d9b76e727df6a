"""The life of one call: what is answered when all goes well, and what when a handler does not."""

from typing import Any

import pytest
from msgspec import Raw

from goldfish.kernel.call import Call, Reply, Unserved
from goldfish.kernel.context import Request
from goldfish.kernel.method import Method
from goldfish.kernel.profile import RELAXED, STRICT, Profile
from goldfish.kernel.serve import Kernel
from goldfish.wire.content import TextContent
from goldfish.wire.errors import Refusal
from goldfish.wire.methods import CallToolParams, CallToolResult, Result

from .rig import CC, SI, Circle, Draft, answer, crashing, done, kernel, reply_to, run, tool

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


def test_where_there_is_no_status_who_is_turned_away_gets_an_error() -> None:
    """STD-02, STD-04, RPC-03: standard output carries messages alone, and every request is answered by its id."""
    turned = tool(done, check=lambda request: turn_away(Unserved(503, "Too many streams", 5)))
    reply = posted(Draft(id="a").call().body, kernel(turned))
    error = {"code": -32603, "message": "Too many streams"}
    assert ({"jsonrpc": "2.0", "id": "a", "error": error}, "json") == (answer(reply), reply.media)


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
