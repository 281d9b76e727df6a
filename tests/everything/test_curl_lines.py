"""How curl lines are written: what a shell hands to curl must be the request that was meant."""

import json
import re
import shlex
from typing import Any

from goldfish.everything import curl


def words(line: str) -> list[str]:
    """The words a shell hands to curl."""
    return shlex.split(line.replace("\\\n", " "))


def sent(line: str) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(words(line)[-1])
    return body


def test_a_line_carries_the_whole_request() -> None:
    """Mirrored headers and the full envelope, and the body as one word."""
    line = curl.request("tools/call", {"name": "echo", "arguments": {"message": "hi"}})
    assert "Mcp-Method: tools/call" in words(line)
    assert "Mcp-Name: echo" in words(line)
    assert {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": "echo",
            "arguments": {"message": "hi"},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "curl", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    } == sent(line)


def test_the_mirrored_name_of_a_read_is_its_uri() -> None:
    """resources/read mirrors params.uri."""
    assert "Mcp-Name: demo://logo" in words(curl.request("resources/read", {"uri": "demo://logo"}))


def test_quotes_and_separators_inside_texts_survive_the_shell() -> None:
    """Wrapping never cuts a text, and an apostrophe does not end the shell's quotes."""
    text = 'it\'s {1, 2} \\ "3", ' * 12
    assert text == sent(curl.request("tools/call", {"name": "echo", "text": text}))["params"]["text"]


def test_no_line_is_too_wide_for_a_page() -> None:
    """Members of ordinary length are wrapped."""
    line = curl.request("tools/call", {"name": "echo", "arguments": {f"argument{i}": "x" * 40 for i in range(9)}})
    assert curl.WIDTH >= max(map(len, line.splitlines()))


def test_a_header_can_be_replaced_and_dropped() -> None:
    """That is how things are broken on purpose."""
    line = curl.request("tools/call", {"name": "echo"}, change={"Mcp-Method": None, "Mcp-Name": "other"})
    assert [] == re.findall("Mcp-Method", line)
    assert "Mcp-Name: other" in words(line)


def test_an_empty_envelope_is_left_out() -> None:
    """The request then has no `_meta` at all."""
    assert {} == sent(curl.request("tools/list", meta={}))["params"]


def test_a_state_comes_from_the_shell() -> None:
    """The placeholder leaves the single quotes, so that the shell fills it in."""
    line = curl.request("tools/call", {"name": "ask", "requestState": "$STATE"})
    assert """"requestState":"'"$STATE"'\"""" in line
