"""One JSON-RPC message in a body: what counts as one, what its id may be, and what is answered to anything else."""

import json
from typing import Any

import pytest

from tests.support.inprocess import PREFIX, VERSION, Json
from tests.support.wire import Client, envelope

LIST = {"Mcp-Method": "tools/list"}
META = json.dumps({f"{PREFIX}protocolVersion": VERSION, f"{PREFIX}clientCapabilities": {}})


def request_text(**members: str) -> bytes:
    """A request for tools/list, member by member as JSON text."""
    usual = {"jsonrpc": '"2.0"', "id": "1", "method": '"tools/list"', "params": f'{{"_meta": {META}}}'}
    return ("{" + ", ".join(f'"{name}": {value}' for name, value in (usual | members).items()) + "}").encode()


@pytest.mark.parametrize("id", ["", "1", 0, 1, -7, 1152921504606846977, "ü\u2028"])
def test_an_id_comes_back_as_it_was_sent(client: Client, id: int | str) -> None:
    """RPC-02, RPC-03: strings and integers, falsy, negative and beyond 2^53, none rounded and none turned around."""
    answer = client.request("tools/list", id=id)
    assert (200, "complete") == answer.served
    assert (type(id), id) == (type(answer.message["id"]), answer.message["id"])


@pytest.mark.parametrize("id", [1.5, True, {}, [], None])
def test_an_id_of_another_kind_is_no_request(client: Client, id: Any) -> None:
    """RPC-01, RPC-02, RPC-07: null too, which does not make a notification of it."""
    answer = client.request("tools/list", id=id)
    assert (400, -32600) == answer.refusal
    assert "id" not in answer.message


def test_an_error_carries_the_id_of_its_request(client: Client) -> None:
    """RPC-03, RPC-05: beside an integer code and one short sentence."""
    answer = client.request("no/such", id="seven")
    assert "seven" == answer.message["id"]
    assert {"code", "message"} == answer.error.keys()
    assert type(answer.error["code"]) is int
    assert "\n" not in answer.error["message"]


@pytest.mark.parametrize("body", [b"[]", b"[" + request_text() + b"]"])
def test_a_batch_is_refused(client: Client, body: bytes) -> None:
    """RPC-13: an empty one and one of a single good request."""
    answer = client.post(body, headers=LIST)
    assert (400, -32600) == answer.refusal
    assert "id" not in answer.message


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b" \n", id="blank"),
        pytest.param(b"{", id="cut off"),
        pytest.param(request_text() + b" {}", id="followed by more"),
        pytest.param(request_text(method="tools"), id="a bare word"),
        pytest.param(request_text(foo="NaN"), id="NaN"),
        pytest.param(request_text(params=f'{{"x": -Infinity, "_meta": {META}}}'), id="infinity in params"),
        pytest.param(request_text().replace(b"tools/list", b"tools/list\xff"), id="a byte that is no UTF-8"),
    ],
)
def test_what_is_not_json_is_a_parse_error_without_an_id(client: Client, body: bytes) -> None:
    """RPC-04, RPC-08, RPC-09, RPC-10, RPC-11."""
    answer = client.post(body, headers=LIST)
    assert (400, -32700) == answer.refusal
    assert "id" not in answer.message


@pytest.mark.parametrize(
    "body",
    [
        b"1",
        b"null",
        b'"x"',
        b'{"hello": "world"}',
        request_text(jsonrpc='"1.0"'),
        request_text(jsonrpc="2.0"),
        request_text(method="5"),
        request_text(method="null"),
    ],
)
def test_json_that_is_no_request_is_refused(client: Client, body: bytes) -> None:
    """RPC-12."""
    assert (400, -32600) == client.post(body, headers=LIST).refusal


@pytest.mark.parametrize("member", ["result", "error"])
def test_a_response_is_nothing_to_send_to_a_server(client: Client, member: str) -> None:
    """RPC-14."""
    assert (400, -32600) == client.post({"jsonrpc": "2.0", "id": 1, member: {}}).refusal


def test_members_that_nobody_knows_are_ignored(client: Client) -> None:
    """RPC-15, TOOL-33: in the request itself and in its params."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "foo": 1}
    answer = client.post({**message, "params": {"bar": [None], "_meta": envelope()}})
    assert (200, "complete") == answer.served


@pytest.mark.parametrize("params", ["[]", "null", '"x"', "1"])
def test_params_are_an_object(client: Client, params: str) -> None:
    """RPC-16: whatever else they are is refused."""
    answer = client.post(request_text(params=params), headers=LIST)
    assert 400 == answer.status
    assert answer.error["code"] in (-32600, -32602)


def test_members_that_come_twice_are_judged_by_the_value_that_is_executed(client: Client) -> None:
    """RPC-24: the header is compared with the method that runs, so that a gateway cannot be led astray."""
    body = request_text().replace(b'"method"', b'"method": "server/discover", "method"')
    answer = client.post(body, headers=LIST)
    if 200 == answer.status:
        assert "tools" in answer.result
    else:
        assert (400, -32600) == answer.refusal


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_deep_nesting_is_refused_and_harms_nobody(client: Client, opening: str) -> None:
    """RPC-08: 200,000 levels are no message, and the next request is served."""
    answer = client.post(opening.encode() * 200_000, headers=LIST)
    assert 400 == answer.status
    assert answer.error["code"] in (-32700, -32600)
    assert (200, "complete") == client.request("tools/list").served


@pytest.mark.parametrize("place", ["arguments", "_meta", "id"])
def test_deep_nesting_inside_a_good_request_is_refused_too(client: Client, place: str) -> None:
    """TOOL-11: within any member; an argument may as well be a tool error."""
    deep = "[" * 100_000 + "]" * 100_000
    members = {
        "arguments": f'{{"name": "echo", "arguments": {{"message": {deep}}}, "_meta": {META}}}',
        "_meta": f'{{"name": "echo", "_meta": {{"x": {deep}}}}}',
        "id": f'{{"name": "echo", "_meta": {META}}}',
    }
    body = request_text(method='"tools/call"', params=members[place], **({"id": deep} if place == "id" else {}))
    answer = client.post(body, headers={"Mcp-Method": "tools/call", "Mcp-Name": "echo"})
    if 200 == answer.status:
        assert answer.result["isError"] is True
    else:
        assert 400 == answer.status
        assert answer.error["code"] in (-32700, -32600, -32602)


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/foo"},
        {"jsonrpc": "2.0", "method": "tools/list", "params": {}},
    ],
    ids=lambda message: message["method"],
)
def test_a_notification_is_accepted_and_never_answered(client: Client, message: Json) -> None:
    """RPC-06, HTTP-10, VER-10: 202 without a body, whatever it says."""
    answer = client.post(message)
    assert (202, b"") == (answer.status, answer.body)


def test_a_notification_needs_no_mirrored_header(client: Client) -> None:
    """HDR-31: the rules on headers are for requests."""
    message = {"jsonrpc": "2.0", "method": "notifications/foo"}
    answer = client.post(message, headers={"Mcp-Method": None, "MCP-Protocol-Version": None})
    assert (202, b"") == (answer.status, answer.body)
