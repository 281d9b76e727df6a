"""Writes curl lines that work as pasted.

Knows shell quoting and the protocol's envelope (basic/index#meta); knows no tool, no server and no page.
The JSON is wrapped between its members, so that a line fits a page and still pastes as it stands.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

BASE = "http://127.0.0.1:8787"
"""Where the reference server listens by default; whoever shows a line puts the address that is right there."""

VERSION = "2026-07-28"
WIDTH = 108
PREFIX = "io.modelcontextprotocol/"

_NAMED = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    "tasks/get": "taskId",
    "tasks/update": "taskId",
    "tasks/cancel": "taskId",
}
_KEPT = ("$STATE", "$TASK")
_TAKE_STATE = r"""sed -nE 's/.*"requestState": *"([^"]*)".*/\1/p'"""
_TAKE_TASK = r"""sed -nE 's/.*"taskId": *"([^"]*)".*/\1/p'"""


def envelope(capabilities: Mapping[str, Any] | None = None, **extra: Any) -> dict[str, Any]:
    """The `_meta` of a request: version, client and capabilities, and what `extra` adds or, with None, leaves out."""
    members: dict[str, Any] = {
        PREFIX + "protocolVersion": VERSION,
        PREFIX + "clientInfo": {"name": "curl", "version": "1"},
        PREFIX + "clientCapabilities": dict(capabilities or {}),
    }
    for key, value in extra.items():
        members[key if key == "progressToken" else PREFIX + key] = value
    return {key: value for key, value in members.items() if value is not None}


def headers(method: str, params: Mapping[str, Any]) -> dict[str, str]:
    """The headers that mirror a body (basic/transports/streamable-http#standard-request-headers)."""
    mirrored = {"Mcp-Method": method}
    if method in _NAMED and isinstance(params.get(_NAMED[method]), str):
        mirrored["Mcp-Name"] = params[_NAMED[method]]
    return mirrored


def request(
    method: str,
    params: Mapping[str, Any] | None = None,
    *,
    meta: Mapping[str, Any] | None = None,
    change: Mapping[str, str | None] | None = None,
    flags: str = r"-sw '\n'",
    path: str = "/mcp",
    number: int = 1,
) -> str:
    """One request as a curl line, with this number as its id.

    `meta` is the envelope (None: the plain one; an empty one is left out); `change` replaces headers, or with None
    drops them. A parameter whose value is "$STATE" or "$TASK" is filled from the shell variable of that name.
    """
    given = dict(params or {})
    sent = headers(method, given) | dict(change or {})
    members = given | {"_meta": envelope() if meta is None else dict(meta)}
    if not members["_meta"]:
        del members["_meta"]
    body = {"jsonrpc": "2.0", "id": number, "method": method, "params": members}
    return post(body, sent, flags=flags, path=path)


def post(
    body: Mapping[str, Any], mirrored: Mapping[str, str | None], *, flags: str = r"-sw '\n'", path: str = "/mcp"
) -> str:
    """Any body as a curl line, with these headers beside its content type."""
    parts = [f"curl {flags} {BASE}{path}", "-H 'Content-Type: application/json'"]
    parts += [_header(name, value) for name, value in mirrored.items() if value is not None]
    lines = _fill(parts)
    return " \\\n  ".join([*lines, f"-d '{_wrap(body)}'"])


def _header(name: str, value: str) -> str:
    """One flag; only double quotes let the shell fill in what it kept."""
    quote = '"' if value in _KEPT else "'"
    return f"-H {quote}{name}: {value}{quote}"


def take_task(line: str) -> str:
    """The same line, its answer shown and its taskId kept in $TASK for the next line."""
    return f"TASK=$({line} \\\n  | tee /dev/stderr | {_TAKE_TASK})"


def take_state(line: str) -> str:
    """The same line, its answer shown and its requestState kept in $STATE for the next line."""
    return f"STATE=$({line} \\\n  | tee /dev/stderr | {_TAKE_STATE})"


def _fill(parts: Sequence[str]) -> list[str]:
    """The words of a command on as few lines as their width allows."""
    lines = [parts[0]]
    for part in parts[1:]:
        if len(lines[-1]) + 1 + len(part) <= WIDTH - 4:
            lines[-1] += " " + part
        else:
            lines.append(part)
    return lines


def _wrap(body: Mapping[str, Any]) -> str:
    """Compact JSON, safe in single quotes; broken after a comma or a brace where a line would grow too long."""
    text = json.dumps(body, separators=(",", ":"), ensure_ascii=False).replace("'", r"\u0027")
    lines = [""]
    for piece in _pieces(text):
        if len(lines[-1]) + len(piece) > WIDTH - 4 and lines[-1]:
            lines.append("")
        lines[-1] += piece
    text = "\n  ".join(lines)
    for kept in _KEPT:
        text = text.replace(f'"{kept}"', f'"\'"{kept}"\'"')
    return text


def _pieces(text: str) -> list[str]:
    """JSON text cut where white space may stand: after a comma, or after a brace, outside strings."""
    pieces, start, quoted, escaped = [], 0, False, False
    for index, char in enumerate(text):
        if escaped:
            escaped = False
        elif quoted and char == "\\":
            escaped = True
        elif char == '"':
            quoted = not quoted
        elif not quoted and char in ",{":
            pieces.append(text[start : index + 1])
            start = index + 1
    return [*pieces, text[start:]]
