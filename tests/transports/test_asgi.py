"""The endpoint as an ASGI application: requests in, one of two kinds of answer out, and a report of each."""

import asyncio
import json

import pytest

from goldfish import Context, Guard, Refusal, Report, Server
from goldfish.kernel.call import Call, Emit, Reply
from goldfish.transports.asgi import Endpoint
from tests.support.inprocess import FORM, PREFIX, Client, Exchange, Json, in_loop, scope

DISCOVER = "server/discover"
LOUD: Json = {PREFIX + "logLevel": "debug", "progressToken": "t"}


@pytest.fixture
def server() -> Server:
    server = Server("test", "1")

    @server.tool
    async def quiet() -> str:
        return "done"

    @server.tool
    async def chatty(ctx: Context) -> str:
        await ctx.log("info", "begun")
        await ctx.progress(1, 2)
        return "done"

    @server.tool
    async def wary(ctx: Context) -> str:
        await ctx.log("info", "begun")
        await ctx.elicit("name", "Who?", {"type": "object", "properties": {"name": {"type": "string"}}})
        return "done"

    @server.tool
    async def breaks() -> str:
        raise RuntimeError("out of order")

    @server.tool
    async def refuses() -> str:
        raise Refusal(1234, "Not today", {"try": "tomorrow"})

    return server


class Echo:
    """A kernel that remembers its calls and has one answer."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    async def serve(self, call: Call, emit: Emit) -> Reply:
        self.calls.append(call)
        return Reply(200, b"{}")


def endpoint(kernel: Echo, max_body: int = 1000) -> Endpoint:
    return Endpoint(kernel, Guard(max_body=max_body), None)


@in_loop
async def test_a_request_that_streams_nothing_is_answered_with_one_json_object(server: Server) -> None:
    """HTTP-07, HDR-33: JSON with its length, and no header that would begin a session."""
    answer = await Client(server.app).tool("quiet")
    assert 200 == answer.status
    assert {"content-type": "application/json", "content-length": str(len(answer.body))} == answer.headers
    assert "done" == answer.text


@in_loop
async def test_a_request_that_streams_is_answered_with_events(server: Server) -> None:
    """HTTP-07, HTTP-16: notifications first, the response last and once, then the end."""
    exchange = Client(server.app).open("tools/call", {"name": "chatty"}, meta=LOUD)
    answer = await exchange.answer()
    assert (200, "text/event-stream") == (answer.status, answer.media)
    assert ["notifications/message", "notifications/progress"] == [each["method"] for each in answer.notifications]
    assert "done" == answer.text
    assert exchange.complete


@in_loop
async def test_a_client_of_json_alone_gets_the_result_without_its_notifications(server: Server) -> None:
    """HTTP-08, LOG-08: frames are dropped, which is no error."""
    answer = await Client(server.app, accept="application/json").tool("chatty", meta=LOUD)
    assert (200, "application/json") == (answer.status, answer.media)
    assert "done" == answer.text


@in_loop
async def test_a_client_of_streams_alone_gets_its_result_as_the_only_event(server: Server) -> None:
    """HTTP-08: an answer in a form that the client takes."""
    answer = await Client(server.app, accept="text/event-stream").tool("quiet")
    assert (200, "text/event-stream") == (answer.status, answer.media)
    assert 1 == len(answer.messages)


@in_loop
async def test_a_client_of_streams_alone_gets_its_refusals_with_their_status(server: Server) -> None:
    """HTTP-13: a refusal keeps its status, which no stream could carry."""
    answer = await Client(server.app, accept="text/event-stream").tool("nothing")
    assert (400, "application/json") == (answer.status, answer.media)


@in_loop
async def test_any_accept_by_wildcard_is_served(server: Server) -> None:
    """HTTP-08: `*/*` is what many clients send."""
    assert 200 == (await Client(server.app, accept="*/*").tool("chatty", meta=LOUD)).status


@in_loop
async def test_accept_may_come_in_several_lines() -> None:
    """HTTP-08: lines of a list field are one list (RFC 9110, 5.3)."""
    kernel = Echo()
    lines = [(b"content-type", b"application/json"), (b"accept", b"application/json"), (b"accept", b"text/*")]
    await Exchange(endpoint(kernel), scope(lines), [b"{}"]).answer()
    assert kernel.calls[0].streamable


@in_loop
async def test_a_header_that_came_twice_is_told_to_the_kernel() -> None:
    """HDR-30: the first value counts, and that there was another is known."""
    kernel = Echo()
    lines = [(b"content-type", b"application/json"), (b"mcp-name", b"a"), (b"mcp-name", b"b")]
    await Exchange(endpoint(kernel), scope(lines), [b"{}"]).answer()
    (call,) = kernel.calls
    assert call.headers is not None
    assert b"a" == call.headers[b"mcp-name"]
    assert b"mcp-name" in call.repeated


@in_loop
async def test_a_body_may_come_in_many_pieces() -> None:
    """HTTP-26: chunked bodies are joined."""
    kernel = Echo()
    await Exchange(endpoint(kernel), scope([(b"content-type", b"application/json")]), [b"{", b"", b"}"]).answer()
    assert b"{}" == kernel.calls[0].body


@in_loop
async def test_a_body_as_large_as_the_limit_is_served_and_one_byte_more_is_not() -> None:
    """HTTP-26: what comes without a length is counted, and no more is read than the limit."""
    kernel = Echo()
    app = endpoint(kernel, max_body=8)
    lines = scope([(b"content-type", b"application/json")])
    assert 200 == (await Exchange(app, lines, [b"12345", b"678"]).answer()).status
    answer = await Exchange(app, lines, [b"12345", b"6789", b"never read"]).answer()
    assert (413, "close") == (answer.status, answer.headers["connection"])
    assert 1 == len(kernel.calls)


@in_loop
async def test_a_body_announced_too_large_is_refused_unread() -> None:
    """HTTP-26: 413 by Content-Length."""
    app = endpoint(Echo(), max_body=8)
    exchange = Exchange(
        app, scope([(b"content-type", b"application/json"), (b"content-length", b"9")]), [], whole=False
    )
    assert 413 == (await exchange.answer()).status


@in_loop
async def test_an_encoded_body_is_refused(server: Server) -> None:
    """HTTP-09: 415, with a line that says what is wrong."""
    answer = await Client(server.app).call(DISCOVER, headers={"content-encoding": "gzip"})
    assert (415, "text/plain; charset=utf-8") == (answer.status, answer.media)
    assert b"Content-Encoding" in answer.body


@pytest.mark.parametrize("verb", ["GET", "DELETE"])
@in_loop
async def test_another_verb_is_answered_without_a_body(server: Server, verb: str) -> None:
    """HTTP-02, RPC-20: 405 with Allow; no JSON-RPC error outside JSON-RPC."""
    answer = await Exchange(server.app, scope([], verb), []).answer()
    assert (405, "POST", b"") == (answer.status, answer.headers["allow"], answer.body)


@in_loop
async def test_a_guard_adds_hosts_and_origins(server: Server) -> None:
    """HTTP-03, HTTP-05: what is foreign to one endpoint may be welcome at another."""
    foreign: dict[str, str | bytes | None] = {"host": "mcp.example.com", "origin": "https://app.example.com"}
    open_to = Guard(allowed_hosts=("mcp.example.com",), allowed_origins=("https://app.example.com",))
    assert 421 == (await Client(server.app).call(DISCOVER, headers=foreign)).status
    assert 403 == (await Client(server.app).call(DISCOVER, headers={"origin": "null"})).status
    assert 200 == (await Client(server.endpoint(guard=open_to)).call(DISCOVER, headers=foreign)).status


@in_loop
async def test_a_notification_is_accepted_and_never_answered(server: Server) -> None:
    """HTTP-10, RPC-06: 202 and no body, whatever it says."""
    for method in ("notifications/initialized", "notifications/nothing", "tools/call"):
        answer = await Client(server.app).post(json.dumps({"jsonrpc": "2.0", "method": method}).encode()).answer()
        assert (202, b"", "0") == (answer.status, answer.body, answer.headers["content-length"])


@in_loop
async def test_what_is_not_served_is_not_found(server: Server) -> None:
    """HTTP-12: 404 together with -32601, which tells it from an endpoint that is not there."""
    assert (404, -32601) == (await Client(server.app).call("prompts/list")).refusal


@in_loop
async def test_the_refusals_that_the_transport_defines_have_its_status(server: Server) -> None:
    """HTTP-13: 400 for a header that differs, for a version that is not served, for an envelope with a gap."""
    client = Client(server.app)
    assert (400, -32020) == (await client.call(DISCOVER, headers={"mcp-method": "tools/list"})).refusal
    version = {PREFIX + "protocolVersion": "2099-01-01"}
    other: dict[str, str | bytes | None] = {"mcp-protocol-version": "2099-01-01"}
    assert (400, -32022) == (await client.call(DISCOVER, meta=version, headers=other)).refusal
    assert (400, -32602) == (await client.call(DISCOVER, meta={PREFIX + "clientCapabilities": None})).refusal
    assert (400, -32021) == (await client.tool("wary")).refusal


@in_loop
async def test_a_tool_s_own_failure_is_no_failure_of_the_transport(server: Server) -> None:
    """HTTP-14: 200 for isError, and for an error with a code of the application's own."""
    failed = await Client(server.app).tool("breaks")
    assert (200, True) == (failed.status, failed.result["isError"])
    refused = await Client(server.app).tool("refuses")
    assert {"code": 1234, "message": "Not today", "data": {"try": "tomorrow"}} == refused.error
    assert 200 == refused.status


@in_loop
async def test_a_refusal_after_the_first_event_rides_the_stream(server: Server) -> None:
    """HTTP-23: the status is out already, so that the error is the last event."""
    answer = await Client(server.app).tool("wary", meta=LOUD)
    assert (200, -32021) == answer.refusal
    assert ["notifications/message"] == [each["method"] for each in answer.notifications]


@in_loop
async def test_a_question_may_be_the_last_event_or_plain_json(server: Server) -> None:
    """HTTP-24: the client takes both."""
    streamed = await Client(server.app, FORM).tool("wary", meta=LOUD)
    plain = await Client(server.app, FORM).tool("wary")
    assert ("text/event-stream", "application/json") == (streamed.media, plain.media)
    assert plain.asked == streamed.asked


@in_loop
async def test_clients_that_use_the_same_id_do_not_meet(server: Server) -> None:
    """HTTP-25: an id is its sender's own."""
    answers = await asyncio.gather(*(Client(server.app).tool("chatty", id=1, meta=LOUD) for _ in range(20)))
    assert [3] * 20 == [len(answer.messages) for answer in answers]


@in_loop
async def test_a_websocket_is_refused(server: Server) -> None:
    """HTTP-01: there is no such transport here."""
    sent: list[Json] = []

    async def send(message: Json) -> None:
        sent.append(message)

    async def receive() -> Json:
        return {"type": "websocket.connect"}

    await server.app({"type": "websocket", "path": "/", "headers": []}, receive, send)
    assert [{"type": "websocket.close", "code": 1000}] == sent


@in_loop
async def test_the_endpoint_takes_part_in_a_lifespan_and_needs_none(server: Server) -> None:
    """HTTP-01: mounted in another application it may get one or not; the other tests never start one."""
    events = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]
    sent: list[str] = []

    async def send(message: Json) -> None:
        sent.append(message["type"])

    async def receive() -> Json:
        return events.pop(0)

    await server.app({"type": "lifespan"}, receive, send)
    assert ["lifespan.startup.complete", "lifespan.shutdown.complete"] == sent


@in_loop
async def test_each_request_is_reported_when_it_has_ended(server: Server) -> None:
    """Ours: what logs and metrics need, without a look into the message."""
    reports: list[Report] = []
    client = Client(server.endpoint(observe=reports.append))
    await client.tool("quiet")
    await client.tool("nothing")
    await client.call(DISCOVER, headers={"accept": "text/html"})
    await client.post(b"{").answer()
    seen = [(report.method, report.name, report.status, report.code) for report in reports]
    expected = [
        ("tools/call", "quiet", 200, None),
        ("tools/call", "nothing", 400, -32602),
        ("POST", None, 406, None),
        ("-", None, 400, -32700),
    ]
    assert expected == seen
    assert {"192.0.2.1"} == {report.client for report in reports}
    assert all(0 <= report.ms < 4000 for report in reports)
