"""server/discover: what the server is, what it serves and what it can do; and that all of it is true."""

import pytest

from tests.support.inprocess import VERSION
from tests.support.wire import SERVER_INFO, Client


def test_it_says_what_it_serves_and_what_it_can_do(client: Client) -> None:
    """DIS-01, DIS-02, DIS-03, DIS-06: versions, capabilities, instructions and hints."""
    answer = client.request("server/discover")
    assert ((200, "complete"), "application/json") == (answer.served, answer.media)
    result = answer.result
    assert [VERSION] == result["supportedVersions"]
    capabilities = result["capabilities"]
    assert {"listChanged": True} == capabilities["tools"]
    assert {"listChanged": True} == capabilities["prompts"]
    assert {"subscribe": True, "listChanged": True} == capabilities["resources"]
    assert ({}, {}) == (capabilities["completions"], capabilities["logging"])
    assert capabilities.keys() <= {"tools", "prompts", "resources", "completions", "logging", "extensions"}
    assert result["instructions"]
    assert ("public", True) == (result["cacheScope"], result["ttlMs"] >= 1)


def test_it_says_who_it_is_where_every_result_does(client: Client) -> None:
    """DIS-04: not at the top."""
    result = client.request("server/discover").result
    assert "serverInfo" not in result
    assert {"name", "version"} <= result["_meta"][SERVER_INFO].keys()


def test_params_that_it_does_not_know_are_ignored(client: Client) -> None:
    """DIS-07."""
    assert client.request("server/discover").body == client.request("server/discover", {"foo": [1]}).body


@pytest.mark.parametrize(
    ("capability", "method"),
    [
        ("tools", "tools/list"),
        ("prompts", "prompts/list"),
        ("resources", "resources/list"),
        ("resources", "resources/templates/list"),
    ],
)
def test_what_is_advertised_is_answered(client: Client, capability: str, method: str) -> None:
    """DIS-05, TOOL-01, RES-01, PRM-01."""
    assert capability in client.request("server/discover").result["capabilities"]
    assert (200, "complete") == client.request(method).served


def test_logging_is_declared_and_done(client: Client) -> None:
    """LOG-04."""
    assert {} == client.request("server/discover").result["capabilities"]["logging"]
    meta = {"io.modelcontextprotocol/logLevel": "info"}
    assert 1 == len(client.tool("echo", {"message": "x"}, meta=meta).notifications)
