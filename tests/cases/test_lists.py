"""What the four lists have in common: cursors, cache hints, and no questions."""

from typing import Any

import pytest

from tests.support.wire import Client

LISTS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}


@pytest.mark.parametrize(("method", "member"), LISTS.items())
def test_a_list_that_ends_has_no_cursor(client: Client, method: str, member: str) -> None:
    """PAG-01, PAG-07: neither null nor empty."""
    result = client.request(method).result
    assert result[member]
    assert "nextCursor" not in result


@pytest.mark.parametrize("method", LISTS)
@pytest.mark.parametrize("cursor", ["", "zzz", "0", 1, None, ["a"]])
def test_a_cursor_that_was_never_given_out_is_refused(client: Client, method: str, cursor: Any) -> None:
    """PAG-02, PAG-03, PAG-04: rather than page one served."""
    assert (400, -32602) == client.request(method, {"cursor": cursor}).refusal


@pytest.mark.parametrize("method", ["server/discover", *LISTS])
def test_everything_that_can_be_kept_says_for_how_long_and_by_whom(client: Client, method: str) -> None:
    """CAC-01, CAC-02, CAC-06, PAG-06: integers that JavaScript can hold."""
    result = client.request(method).result
    assert (int, 300_000) == (type(result["ttlMs"]), result["ttlMs"])
    assert "public" == result["cacheScope"]


@pytest.mark.parametrize("method", ["server/discover", *LISTS])
def test_a_list_never_asks_anything(client: Client, method: str) -> None:
    """MRTR-01, MRTR-19: and answers that nobody asked for make no difference to it."""
    retry = {"inputResponses": {"name": {"action": "accept", "content": {}}}, "requestState": "x"}
    answer = client.request(method, retry, capabilities={"elicitation": {"form": {}, "url": {}}, "roots": {}})
    assert (200, "complete") == answer.served
