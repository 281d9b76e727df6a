"""HTTP below JSON-RPC: verbs, media types, hosts and origins, sizes, and connections."""

import json

import pytest

from tests.support.inprocess import VERSION
from tests.support.wire import Client, envelope


@pytest.mark.parametrize("verb", ["GET", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD"])
def test_only_post_is_served(client: Client, verb: str) -> None:
    """HTTP-01, HTTP-02, HTTP-27, RPC-20: no body, and so no error code of our own making."""
    answer = client.verb(verb)
    assert (405, b"") == (answer.status, answer.body)
    assert "POST" == answer.headers["allow"]


@pytest.mark.parametrize(
    "media",
    ["application/json, text/event-stream", "*/*", "application/*, text/*", "text/event-stream;q=0.5, */*", None],
)
def test_every_accept_that_allows_json_is_served(client: Client, media: str | None) -> None:
    """HTTP-07, HTTP-08: wildcards, parameters, and none at all."""
    answer = client.request("tools/list", headers={"Accept": media})
    assert (200, "complete") == answer.served
    assert "application/json" == answer.media


def test_json_alone_is_enough_for_a_call_that_might_stream(client: Client) -> None:
    """HTTP-08, LOG-08: its log lines are dropped, and that is no error."""
    meta = {"io.modelcontextprotocol/logLevel": "debug"}
    answer = client.tool("echo", {"message": "x"}, meta=meta, headers={"Accept": "application/json"})
    assert ("application/json", "echo: x") == (answer.media, answer.text)


@pytest.mark.parametrize("media", ["text/html", "application/json;q=0, text/event-stream;q=0"])
def test_an_accept_that_allows_neither_is_refused(client: Client, media: str) -> None:
    """HTTP-08: 406, which is no JSON-RPC error (RPC-20)."""
    answer = client.request("tools/list", headers={"Accept": media})
    assert 406 == answer.status
    assert "application/json" != answer.media


@pytest.mark.parametrize("media", ["Application/JSON; charset=utf-8", "application/json;x=y"])
def test_json_is_json_in_any_case_and_with_parameters(client: Client, media: str) -> None:
    """HTTP-09."""
    assert (200, "complete") == client.request("tools/list", headers={"Content-Type": media}).served


@pytest.mark.parametrize("media", ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", None])
def test_any_other_type_of_body_is_refused(client: Client, media: str | None) -> None:
    """HTTP-09: 415, so that no page can post a form."""
    answer = client.request("tools/list", headers={"Content-Type": media})
    assert 415 == answer.status
    assert "application/json" != answer.media


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://localhost.evil.com", "http://127.0.0.1.evil.com", "localhost", ""]
)
def test_a_foreign_origin_is_refused(client: Client, origin: str) -> None:
    """HTTP-03, HTTP-04: look-alikes and `null` too."""
    assert 403 == client.request("tools/list", headers={"Origin": origin}).status


@pytest.mark.parametrize(
    "origin", ["http://localhost:5173", "http://127.0.0.1:9", "https://localhost", "http://[::1]:1"]
)
def test_an_origin_of_this_machine_is_served(client: Client, origin: str) -> None:
    """HTTP-03: on any port."""
    assert (200, "complete") == client.request("tools/list", headers={"Origin": origin}).served


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.com:80", "127.0.0.1.nip.io", "a@localhost"])
def test_a_foreign_host_is_refused(client: Client, host: str) -> None:
    """HTTP-05: also when the name resolves to this machine; that is what rebinding is."""
    assert 421 == client.request("tools/list", headers={"Host": host}).status


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "localhost:1", "[::1]:8787", "LOCALHOST"])
def test_a_host_of_this_machine_is_served_with_or_without_a_port(client: Client, host: str) -> None:
    """HTTP-05."""
    assert (200, "complete") == client.request("tools/list", headers={"Host": host}).served


def test_refusals_below_json_rpc_take_no_notice_of_the_body(client: Client) -> None:
    """HTTP-03: a foreign page learns nothing, whatever it sends."""
    assert 403 == client.post(b"{", headers={"Origin": "http://evil.example"}).status


def test_a_body_over_the_limit_is_refused_and_the_next_one_served(client: Client) -> None:
    """HTTP-26: 413."""
    assert 413 == client.tool("echo", {"message": "x" * 6_000_000}).status
    assert (200, "complete") == client.request("tools/list").served


def test_a_large_body_within_the_limit_is_served(client: Client) -> None:
    """HTTP-26."""
    message = "x" * 3_000_000
    assert f"echo: {message}" == client.tool("echo", {"message": message}).text


def body() -> bytes:
    params = {"name": "echo", "arguments": {"message": "x"}, "_meta": envelope()}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


MIRRORS = {"Mcp-Method": "tools/call", "Mcp-Name": "echo"}


def test_a_chunked_body_is_read(client: Client) -> None:
    """HTTP-26."""
    payload = body()
    parts = [payload[:10], payload[10:200], payload[200:]]
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
    headers = {**MIRRORS, "Content-Length": None, "Transfer-Encoding": "chunked"}
    with client.channel() as channel:
        assert "echo: x" == client.begin(chunks, headers=headers, channel=channel).rest().text


def test_a_chunked_body_over_the_limit_is_refused(client: Client) -> None:
    """HTTP-26: though no header tells its length."""
    chunks = (b"100000\r\n" + b"x" * 0x100000 + b"\r\n") * 6 + b"0\r\n\r\n"
    headers = {**MIRRORS, "Content-Length": None, "Transfer-Encoding": "chunked"}
    assert 413 == client.begin(chunks, headers=headers).rest().status


def test_a_client_that_waits_for_100_continue_is_told_to_go_on(client: Client) -> None:
    """HTTP-26."""
    request = client.compose(body(), headers={**MIRRORS, "Expect": "100-continue"}, close=True)
    head, _, payload = request.partition(b"\r\n\r\n")
    with client.channel() as channel:
        channel.send(head + b"\r\n\r\n")
        channel.wait_for(b"HTTP/1.1 100")
        assert "echo: x" == client.raw(payload, channel=channel).rest().text


def test_http_1_0_is_served(client: Client) -> None:
    """HTTP-26: its body ends with the connection."""
    request = client.compose(body(), headers=MIRRORS, close=True).replace(b" HTTP/1.1\r\n", b" HTTP/1.0\r\n", 1)
    assert "echo: x" == client.raw(request).rest().text


def test_a_request_in_many_pieces_is_one_request(client: Client) -> None:
    """HTTP-26: in heads and bodies."""
    request = client.compose(body(), headers=MIRRORS)
    with client.channel() as channel:
        for start in range(0, len(request), 7):
            channel.send(request[start : start + 7])
        assert "echo: x" == client.raw(b"", channel=channel).rest().text


def test_pipelined_requests_are_answered_in_turn(client: Client) -> None:
    """HTTP-26, ENV-05: each by itself, on one connection."""
    good = client.compose(body(), headers=MIRRORS)
    bad = client.compose(b"{", headers=MIRRORS)
    with client.channel() as channel:
        first = client.raw(good + bad + good, channel=channel).rest()
        second = client.raw(b"", channel=channel).rest()
        third = client.raw(b"", channel=channel).rest()
    assert ["echo: x", "echo: x"] == [first.text, third.text]
    assert (400, -32700) == second.refusal


def test_the_same_id_from_two_clients_is_no_clash(client: Client) -> None:
    """HTTP-25: both are in flight, and each gets its own."""
    arguments = {"steps": 1, "delayMs": 30}
    with (
        client.open("tools/call", {"name": "long-task", "arguments": arguments}) as one,
        client.open("tools/call", {"name": "echo", "arguments": {"message": "two"}}) as other,
    ):
        assert "echo: two" == other.rest().text
        assert "completed 1 steps" == one.rest().text


def test_what_is_at_no_endpoint_is_not_found(reference: str) -> None:
    """HTTP-01: any other path, and without an error that a client could take for an answer."""
    for path in ("/mcp/", "/sse", "/messages", "/nope"):
        answer = Client(reference + path).post(body(), headers={**MIRRORS, "MCP-Protocol-Version": VERSION})
        assert 404 == answer.status
        assert "application/json" != answer.media
