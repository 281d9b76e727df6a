"""Versions and methods: what is served, what was removed, and how a client of another era is told."""

from typing import Any

import pytest

from tests.support.inprocess import VERSION, Json
from tests.support.wire import DROP, PROTOCOL_VERSION, Client

LEGACY: Json = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
}


@pytest.mark.parametrize("version", ["DRAFT-2026-v1", "2025-11-25", "1900-01-01", "v999.0.0", "2026-07-28x"])
@pytest.mark.parametrize("method", ["tools/list", "server/discover", "no/such"])
def test_a_version_that_is_not_served_is_refused(client: Client, method: str, version: str) -> None:
    """VER-01, VER-02, VER-03, VER-04: with what was asked for and what is served, also on server/discover."""
    headers = {"MCP-Protocol-Version": version}
    answer = client.request(method, meta={PROTOCOL_VERSION: version}, headers=headers)
    assert (400, -32022) == answer.refusal
    assert {"supported": [VERSION], "requested": version} == answer.error["data"]
    assert [VERSION] == client.request("server/discover").result["supportedVersions"]


@pytest.mark.parametrize("version", [f"{VERSION} ", f" {VERSION}", ""])
def test_versions_compare_exactly(client: Client, version: str) -> None:
    """VER-09: a header is trimmed, a JSON string is not."""
    answer = client.request("tools/list", meta={PROTOCOL_VERSION: version})
    assert 400 == answer.status
    assert answer.error["code"] in (-32020, -32022)


@pytest.mark.parametrize("headers", [{}, {"Mcp-Method": "initialize"}, {"MCP-Protocol-Version": VERSION}])
def test_the_handshake_of_an_older_client_is_told_what_is_served(client: Client, headers: dict[str, str]) -> None:
    """VER-06: whatever headers come with it."""
    answer = client.post(LEGACY, headers={"MCP-Protocol-Version": None, "Mcp-Method": None, **headers})
    assert (400, -32022) == answer.refusal
    assert {"supported": [VERSION], "requested": "2025-11-25"} == answer.error["data"]
    assert 1 == answer.message["id"]


@pytest.mark.parametrize(
    "method",
    [
        "no/such",
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "tasks/list",
        "tasks/result",
        "roots/list",
        "sampling/createMessage",
        "elicitation/create",
        "notifications/initialized",
        "",
    ],
)
def test_a_method_that_is_unknown_or_removed_is_not_found(client: Client, method: str) -> None:
    """RPC-17, HTTP-12, VER-07: with a full envelope, 404 is for these alone."""
    assert (404, -32601) == client.request(method).refusal


def test_initialize_in_the_new_envelope_is_told_where_to_go(client: Client) -> None:
    """VER-07."""
    assert VERSION in client.request("initialize").error["message"]


@pytest.mark.parametrize("meta", [{}, {PROTOCOL_VERSION: DROP}])
def test_an_envelope_fault_of_an_unknown_method_is_an_envelope_fault(client: Client, meta: dict[str, Any]) -> None:
    """ENV-01, RPC-23: without an envelope nothing further can be judged."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "no/such", "params": {"_meta": {}} if meta else {}}
    assert (400, -32602) == client.post(message).refusal
