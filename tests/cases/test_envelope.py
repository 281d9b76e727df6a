"""The `_meta` of a request: what must be there, what may be, and what makes no difference."""

from typing import Any

import pytest

from tests.support.inprocess import VERSION
from tests.support.wire import CAPABILITIES, CLIENT_INFO, DROP, LOG_LEVEL, PROTOCOL_VERSION, SERVER_INFO, Client


def test_a_request_without_meta_is_refused(client: Client) -> None:
    """ENV-01, ENV-02."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    answer = client.post(message)
    assert (400, -32602) == answer.refusal
    assert "_meta" in answer.error["message"]


@pytest.mark.parametrize("member", [PROTOCOL_VERSION, CAPABILITIES])
def test_a_required_member_cannot_be_left_out(client: Client, member: str) -> None:
    """ENV-01, ENV-02: the error names what is missing."""
    answer = client.request("tools/list", meta={member: DROP})
    assert (400, -32602) == answer.refusal
    assert member in answer.error["message"]


@pytest.mark.parametrize(
    ("member", "value"),
    [
        (PROTOCOL_VERSION, None),
        (PROTOCOL_VERSION, 20260728),
        (CAPABILITIES, None),
        (CAPABILITIES, []),
        (CAPABILITIES, {"elicitation": True}),
        (CLIENT_INFO, None),
        (CLIENT_INFO, {"name": "x"}),
        (CLIENT_INFO, {"name": "x", "version": 1}),
        (LOG_LEVEL, "loud"),
        (LOG_LEVEL, "ERROR"),
        (LOG_LEVEL, None),
        ("progressToken", {}),
        ("progressToken", 1.5),
        ("progressToken", True),
        ("progressToken", None),
    ],
)
def test_a_member_of_the_wrong_kind_is_refused(client: Client, member: str, value: Any) -> None:
    """ENV-04, LOG-05, LOG-07, PRG-04: levels are lower-case names, tokens are strings or integers."""
    answer = client.request("tools/list", meta={member: value})
    assert (400, -32602) == answer.refusal
    assert "_meta" in answer.error["message"]


def test_a_client_need_not_say_who_it_is(client: Client) -> None:
    """ENV-03."""
    assert (200, "complete") == client.request("tools/list", meta={CLIENT_INFO: DROP}).served


def test_who_the_client_is_changes_nothing(client: Client) -> None:
    """ENV-10."""
    names = ("one", "Goldfish", "wire")
    answers = [client.request("tools/list", meta={CLIENT_INFO: {"name": name, "version": "0"}}) for name in names]
    assert 1 == len({answer.body for answer in answers})


@pytest.mark.parametrize(
    "members",
    [
        {"com.example/x": [1], "foo": None, "a/b/c": {"deep": []}},
        {"traceparent": "zz", "tracestate": 5, "baggage": None},
        {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
        {"io.modelcontextprotocol/future": True},
    ],
    ids=["foreign", "malformed trace", "trace", "of a later revision"],
)
def test_members_that_mean_nothing_to_the_server_make_no_difference(client: Client, members: dict[str, Any]) -> None:
    """ENV-14, ENV-15, ENV-16."""
    assert client.request("tools/list").body == client.request("tools/list", meta=members).body


def test_capabilities_that_nobody_knows_are_ignored(client: Client) -> None:
    """ENV-17."""
    declared = {"future": {"x": 1}, "experimental": {}, "roots": {"listChanged": True}, "extensions": {"a/b": {}}}
    assert (200, "complete") == client.request("tools/list", capabilities=declared).served


def test_nothing_is_remembered_from_an_earlier_request_on_the_connection(client: Client) -> None:
    """ENV-05: what one request declares, the next one on the same connection has not."""
    call = {"name": "ask-name", "arguments": {}}
    with client.channel() as channel:
        first = client.open("tools/call", call, capabilities={"elicitation": {"form": {}}}, channel=channel).rest()
        second = client.open("tools/call", call, id=2, channel=channel).rest()
        third = client.open("tools/call", call, id=3, meta={PROTOCOL_VERSION: DROP}, channel=channel).rest()
    assert "name" in first.asked
    assert (400, -32021) == second.refusal
    assert (400, -32602) == third.refusal


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("server/discover", {}),
        ("tools/list", {}),
        ("tools/call", {"name": "echo", "arguments": {"message": "x"}}),
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("resources/read", {"uri": "demo://logo"}),
        ("prompts/list", {}),
        ("prompts/get", {"name": "code-review", "arguments": {"language": "go", "code": "x"}}),
        (
            "completion/complete",
            {"ref": {"type": "ref/prompt", "name": "code-review"}, "argument": {"name": "language", "value": "g"}},
        ),
    ],
)
def test_every_result_says_what_it_is_and_who_answered(client: Client, method: str, params: dict[str, Any]) -> None:
    """ENV-08, ENV-09, ENV-12, ENV-13: the only key of `_meta` is the specification's own."""
    answer = client.request(method, params)
    assert (200, "complete") == answer.served
    assert {SERVER_INFO} == answer.result["_meta"].keys()
    assert "goldfish" == answer.result["_meta"][SERVER_INFO]["name"]
    assert isinstance(answer.result["_meta"][SERVER_INFO]["version"], str)


def test_a_first_request_needs_no_handshake(client: Client) -> None:
    """VER-05: the first message on a fresh connection is a call, and is served."""
    with client.channel() as channel:
        params = {"name": "echo", "arguments": {"message": VERSION}}
        assert f"echo: {VERSION}" == client.open("tools/call", params, channel=channel).rest().text
