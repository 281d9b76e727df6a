"""The headers that mirror the body: version, method and name, compared before anything runs."""

from typing import Any

import pytest

from tests.support.inprocess import VERSION
from tests.support.wire import Client, sealed

ECHO = {"name": "echo", "arguments": {"message": "x"}}
NAMED = [
    ("tools/call", ECHO),
    ("resources/read", {"uri": "demo://logo"}),
    ("prompts/get", {"name": "code-review", "arguments": {"language": "go", "code": "x"}}),
]


def test_the_version_in_header_and_body_must_agree(client: Client) -> None:
    """HDR-02, HTTP-13."""
    answer = client.tool("echo", {"message": "x"}, headers={"MCP-Protocol-Version": "2025-11-25"})
    assert (400, -32020) == answer.refusal
    assert "MCP-Protocol-Version" in answer.error["message"]


def test_the_version_header_is_required_at_the_strict_endpoint(strict: Client) -> None:
    """HDR-01: and the error names the version that is served."""
    answer = strict.tool("echo", {"message": "x"}, headers={"MCP-Protocol-Version": None})
    assert (400, -32020) == answer.refusal
    assert VERSION in answer.error["message"]


def test_the_other_endpoint_reads_the_version_from_the_body_alone(relaxed: Client) -> None:
    """Ours: this endpoint is for lines to paste, and the envelope says the same."""
    answer = relaxed.tool("echo", {"message": "hi"}, headers={"MCP-Protocol-Version": None, "Accept": "*/*"})
    assert "echo: hi" == answer.text


@pytest.mark.parametrize("value", ["tools/list", "TOOLS/CALL", sealed("tools/call"), "", None])
def test_mcp_method_must_be_the_method(client: Client, value: str | None) -> None:
    """HDR-03, HDR-08, HDR-11: neither another, nor in capitals, nor in the base64 form, nor missing."""
    answer = client.tool("echo", {"message": "x"}, headers={"Mcp-Method": value})
    assert (400, -32020) == answer.refusal
    assert "Mcp-Method" in answer.error["message"]


@pytest.mark.parametrize(("method", "params"), NAMED, ids=[method for method, _ in NAMED])
@pytest.mark.parametrize("value", ["other", "", None])
def test_mcp_name_must_be_the_name(client: Client, method: str, params: dict[str, Any], value: str | None) -> None:
    """HDR-04: of the tool, the resource or the prompt."""
    answer = client.request(method, params, headers={"Mcp-Name": value})
    assert (400, -32020) == answer.refusal
    assert "Mcp-Name" in answer.error["message"]


@pytest.mark.parametrize(("method", "params"), NAMED, ids=[method for method, _ in NAMED])
def test_mcp_name_may_come_in_the_base64_form(client: Client, method: str, params: dict[str, Any]) -> None:
    """HDR-10: also where it could be sent plain."""
    name = params.get("name") or params["uri"]
    assert (200, "complete") == client.request(method, params, headers={"Mcp-Name": sealed(name)}).served


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("=?base64?ZWNobw?=", id="no padding"),
        pytest.param("=?base64?ZWNobw===?=", id="too much padding"),
        pytest.param("=?base64?@@@?=", id="not the alphabet"),
        pytest.param("=?base64?ZWNo bw==?=", id="a blank inside"),
        pytest.param("=?base64?ZWNobx==?=", id="spare bits"),
        pytest.param("=?base64?/////w==?=", id="no UTF-8"),
        pytest.param("=?BASE64?ZWNobw==?=", id="a marker in capitals"),
        pytest.param("=?base64?ZWNobw==", id="no end"),
        pytest.param("ech\xf6".encode("latin-1"), id="latin-1"),
        pytest.param(b"ech\xc3\xb6", id="raw UTF-8"),
        pytest.param(b"echo\x01", id="a control character"),
    ],
)
def test_a_malformed_value_is_refused(client: Client, value: str | bytes) -> None:
    """HDR-12, HDR-13, HDR-14, HDR-16."""
    try:
        answer = client.tool("echo", {"message": "x"}, headers={"Mcp-Name": value})
    except ConnectionError:
        pytest.fail("a malformed value must be answered")
    assert 400 == answer.status
    if answer.media == "application/json":  # else the HTTP parser refused it before anybody could see a message
        assert -32020 == answer.error["code"]


@pytest.mark.parametrize(("name", "value"), [("MCP-METHOD", "  tools/list\t "), ("mcp-method", "tools/list")])
def test_names_of_headers_come_in_any_case_and_values_are_trimmed(client: Client, name: str, value: str) -> None:
    """HDR-08, HDR-09."""
    assert (200, "complete") == client.request("tools/list", headers={name: value}).served


@pytest.mark.parametrize(
    ("name", "value"),
    [("Mcp-Name", "other"), ("Mcp-Name", "echo"), ("mcp-method", "tools/call"), ("MCP-Protocol-Version", VERSION)],
)
def test_a_mirrored_header_that_comes_twice_is_refused(client: Client, name: str, value: str) -> None:
    """HDR-30: even where both say the same, since two readers could each take another one."""
    answer = client.tool("echo", {"message": "x"}, extra=[(name, value)])
    assert (400, -32020) == answer.refusal


def test_mcp_name_where_nothing_is_named_is_ignored(client: Client) -> None:
    """HDR-07, CMP-09: completion has a name in its params, and no header mirrors it."""
    assert (200, "complete") == client.request("tools/list", headers={"Mcp-Name": "junk"}).served
    params = {"ref": {"type": "ref/prompt", "name": "code-review"}, "argument": {"name": "language", "value": "go"}}
    assert (200, "complete") == client.request("completion/complete", params).served


def test_a_name_that_no_header_can_carry_plain_is_compared_decoded(client: Client) -> None:
    """HDR-10, HDR-16: an unknown resource is an unknown resource, and its raw bytes are a malformed header."""
    uri = "demo://files/é.md"
    assert (400, -32602) == client.read(uri).refusal
    assert (400, -32020) == client.read(uri, headers={"Mcp-Name": uri.encode()}).refusal


@pytest.mark.parametrize("uri", ["demo://files/%72eadme.md", "demo://files/readme.md?x=1#y"])
def test_a_uri_is_compared_as_the_text_it_is(client: Client, uri: str) -> None:
    """RES-17: nothing is decoded or normalised on the way."""
    assert -32020 != client.read(uri).message.get("error", {}).get("code")
    assert (400, -32020) == client.read(uri, headers={"Mcp-Name": "demo://files/readme.md"}).refusal


@pytest.mark.parametrize("method", ["tools/list", "server/discover", "no/such", "tools/call"])
def test_headers_are_compared_before_the_version_and_the_method(client: Client, method: str) -> None:
    """RPC-23: what a gateway was told wins over every later fault."""
    meta = {"io.modelcontextprotocol/protocolVersion": "1900-01-01"}
    assert (400, -32020) == client.request(method, {"name": "nope"}, meta=meta, headers={"Mcp-Name": "nope"}).refusal
    assert (400, -32020) == client.request(method, {"name": "nope"}, headers={"Mcp-Method": "x/y"}).refusal


def test_headers_of_the_session_era_are_ignored_and_never_sent(client: Client) -> None:
    """HDR-33."""
    answer = client.request("tools/list", headers={"Mcp-Session-Id": "x", "Last-Event-ID": "3"})
    assert (200, "complete") == answer.served
    assert not {"mcp-session-id", "last-event-id"} & answer.headers.keys()
