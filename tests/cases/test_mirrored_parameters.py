"""Arguments that a tool mirrors into headers: execute-sql has its region in Mcp-Param-Region."""

from typing import Any

import pytest

from tests.support.channel import Answer
from tests.support.inprocess import mirrored
from tests.support.wire import Client, sealed

LITERAL = "=?base64?x?="


def execute(client: Client, region: Any, header: str | bytes | None) -> Answer:
    return client.tool("execute-sql", {"region": region, "query": "q"}, headers={"Mcp-Param-Region": header})


def test_the_annotation_is_listed_as_it_was_registered(client: Client) -> None:
    """HDR-17."""
    (tool,) = (tool for tool in client.request("tools/list").result["tools"] if tool["name"] == "execute-sql")
    properties = tool["inputSchema"]["properties"]
    assert ("string", "Region") == (properties["region"]["type"], properties["region"]["x-mcp-header"])
    assert "x-mcp-header" not in properties["query"]


def test_header_and_argument_agree(client: Client) -> None:
    """HDR-21: and the tool has the region of both."""
    answer = execute(client, "us-west1", "us-west1")
    assert {"region": "us-west1", "rowCount": 0} == answer.result["structuredContent"]


@pytest.mark.parametrize("header", ["eu", "US-WEST1", "us-west1 x", "", None])
def test_a_header_that_differs_or_is_missing_is_refused(client: Client, header: str | None) -> None:
    """HDR-21, HDR-08: in case too."""
    answer = execute(client, "us-west1", header)
    assert (400, -32020) == answer.refusal
    assert "Mcp-Param-Region" in answer.error["message"]


@pytest.mark.parametrize("region", ["世界", " pad ", "", LITERAL, "us", "a\nb", "\t"])
def test_every_text_can_be_mirrored_in_the_base64_form(client: Client, region: str) -> None:
    """HDR-10, HDR-15, HDR-28: text that looks like that form itself is encoded twice over."""
    assert region == execute(client, region, sealed(region)).result["structuredContent"]["region"]


@pytest.mark.parametrize("region", ["us", "", "a b", "~!@#$%^&*()"])
def test_plain_text_is_mirrored_as_it_is(client: Client, region: str) -> None:
    """HDR-28: an empty value is a value."""
    assert mirrored(region) == region.encode()
    assert region == execute(client, region, region).result["structuredContent"]["region"]


@pytest.mark.parametrize(
    ("region", "header"),
    [
        pytest.param("世界", "世界".encode(), id="raw UTF-8"),
        pytest.param(LITERAL, LITERAL, id="a literal marker sent plain"),
        pytest.param("Hello", "=?base64?SGVsbG8?=", id="no padding"),
        pytest.param("Hello", "=?base64?SGVs!!!bG8=?=", id="not the alphabet"),
        pytest.param("Hello", "=?BASE64?SGVsbG8=?=", id="a marker in capitals"),
        pytest.param("Hello", "=?base64?SGVsbG8=", id="no end"),
    ],
)
def test_a_value_that_is_malformed_or_means_something_else_is_refused(
    client: Client, region: str, header: str | bytes
) -> None:
    """HDR-12, HDR-13, HDR-15, HDR-16."""
    assert (400, -32020) == execute(client, region, header).refusal


@pytest.mark.parametrize("marker", ["=?BASE64?SGVsbG8=?=", "=?base64?SGVsbG8="])
def test_what_is_not_quite_the_marker_is_plain_text(client: Client, marker: str) -> None:
    """HDR-13."""
    assert marker == execute(client, marker, marker).result["structuredContent"]["region"]


def test_two_lines_are_refused_even_if_they_agree(client: Client) -> None:
    """HDR-30."""
    arguments = {"region": "eu", "query": "q"}
    lines = [("Mcp-Param-Region", "eu"), ("mcp-param-region", "eu")]
    assert (400, -32020) == client.tool("execute-sql", arguments, extra=lines).refusal


@pytest.mark.parametrize("arguments", [{"query": "q"}, {"region": None, "query": "q"}])
def test_no_header_is_expected_of_an_absent_argument(client: Client, arguments: dict[str, Any]) -> None:
    """HDR-22: what is missing is then the schema's matter, and so a tool error."""
    answer = client.tool("execute-sql", arguments)
    assert (200, "complete") == answer.served
    assert answer.result["isError"] is True


@pytest.mark.parametrize("arguments", [{"query": "q"}, {"region": None, "query": "q"}])
def test_a_header_without_its_argument_is_refused(client: Client, arguments: dict[str, Any]) -> None:
    """HDR-23: it would route a request that says nothing of the kind."""
    answer = client.tool("execute-sql", arguments, headers={"Mcp-Param-Region": "eu"})
    assert (400, -32020) == answer.refusal


def test_a_header_that_no_parameter_asks_for_is_ignored(client: Client) -> None:
    """HDR-29."""
    assert "echo: x" == client.tool("echo", {"message": "x"}, headers={"Mcp-Param-Zzz": "1"}).text
