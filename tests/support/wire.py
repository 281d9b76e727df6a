"""A client over raw sockets: it sends exactly the bytes a test means, and reads what comes as it comes.

Knows the head of an HTTP request and the envelope of a JSON-RPC one; knows no feature. Unlike a client in the process
of the server, it goes through everything that is shipped: the command, the HTTP parser and the socket.
"""

import base64
import contextlib
import json
import socket
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from tests.support.channel import PATIENCE, Answer, Channel, Stream
from tests.support.inprocess import BOTH, PREFIX, VERSION, Json, mirrored

Value = str | bytes
Headers = Mapping[str, Value | None]

PROTOCOL_VERSION: Final = PREFIX + "protocolVersion"
CLIENT_INFO: Final = PREFIX + "clientInfo"
CAPABILITIES: Final = PREFIX + "clientCapabilities"
LOG_LEVEL: Final = PREFIX + "logLevel"
SERVER_INFO: Final = PREFIX + "serverInfo"
#: As a value of `meta`: leave this member of the envelope out.
DROP: Final = object()
#: Which member of the params Mcp-Name mirrors.
_NAMED: Final = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    "tasks/get": "taskId",
    "tasks/update": "taskId",
    "tasks/cancel": "taskId",
}


class Client:
    """Sends requests to one endpoint, each on a connection of its own unless a channel is given."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname and parts.port
        self.address = (parts.hostname, parts.port)
        self.path = parts.path

    def channel(self) -> Channel:
        return Channel(socket.create_connection(self.address, timeout=PATIENCE))

    def request(self, method: str, params: Json | None = None, **how: Any) -> Answer:
        """A request from its beginning to its end; `how` as for `open`."""
        return self.open(method, params, **how).rest()

    def open(
        self,
        method: str,
        params: Json | None = None,
        *,
        id: Any = 1,
        meta: Mapping[str, Any] | None = None,
        capabilities: Any = None,
        headers: Headers | None = None,
        extra: Sequence[tuple[str, Value]] = (),
        channel: Channel | None = None,
    ) -> Stream:
        """Begins a request in due form. `meta` adds to its envelope, `headers` and `extra` as for `begin`."""
        message = {"jsonrpc": "2.0", "id": id, "method": method}
        message["params"] = {**(params or {}), "_meta": envelope(capabilities, meta)}
        return self.begin(message, headers=headers, extra=extra, channel=channel)

    def post(self, body: bytes | Json, *, headers: Headers | None = None) -> Answer:
        """Sends any body; one given as a message gets the headers that mirror it."""
        return self.begin(body, headers=headers).rest()

    def verb(self, verb: str, *, headers: Headers | None = None) -> Answer:
        """A request without a body."""
        return self.begin(b"", verb=verb, headers=headers).rest()

    def begin(
        self,
        body: bytes | Json,
        *,
        verb: str = "POST",
        headers: Headers | None = None,
        extra: Sequence[tuple[str, Value]] = (),
        channel: Channel | None = None,
    ) -> Stream:
        """Sends a request. `headers` replace the usual ones whatever their case, or take them away with None; `extra`
        are further lines, sent as they are."""
        data = self.compose(body, verb=verb, headers=headers, extra=extra, close=channel is None)
        return self.raw(data, channel=channel)

    def raw(self, data: bytes, *, channel: Channel | None = None) -> Stream:
        """Sends these bytes and nothing else."""
        used = channel or self.channel()
        # A refusal may come before a large body has been sent; it can still be read.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            used.send(data)
        return Stream(used, keep=channel is not None)

    def compose(
        self,
        body: bytes | Json,
        *,
        verb: str = "POST",
        headers: Headers | None = None,
        extra: Sequence[tuple[str, Value]] = (),
        close: bool = False,
    ) -> bytes:
        """The bytes of a request."""
        payload = body if isinstance(body, bytes) else json.dumps(body).encode()
        usual: dict[str, Value] = {"Host": "{}:{}".format(*self.address)}
        if close:
            usual["Connection"] = "close"
        if verb == "POST":
            usual |= {
                "Content-Type": "application/json",
                "Accept": BOTH,
                "Content-Length": str(len(payload)),
                "MCP-Protocol-Version": VERSION,
            }
        if isinstance(body, dict):
            usual |= _mirrors(body)
        lines = [f"{verb} {self.path} HTTP/1.1".encode()]
        for name, value in [*_merge(usual, headers or {}), *extra]:
            lines.append(name.encode() + b": " + (value if isinstance(value, bytes) else value.encode()))
        return b"\r\n".join(lines) + b"\r\n\r\n" + payload

    def tool(self, name: str, arguments: Any = None, **how: Any) -> Answer:
        """A call of a tool, or the retry of one: `answers` are its inputResponses, `state` its requestState."""
        return self._retryable("tools/call", {"name": name, "arguments": arguments or {}}, **how)

    def read(self, uri: str, **how: Any) -> Answer:
        return self._retryable("resources/read", {"uri": uri}, **how)

    def prompt(self, name: str, arguments: Json | None = None, **how: Any) -> Answer:
        return self._retryable("prompts/get", {"name": name, "arguments": arguments or {}}, **how)

    def _retryable(self, method: str, params: Json, *, answers: Any = None, state: Any = None, **how: Any) -> Answer:
        retry = {"inputResponses": answers, "requestState": state}
        return self.request(method, params | {key: value for key, value in retry.items() if value is not None}, **how)


def envelope(capabilities: Any = None, members: Mapping[str, Any] | None = None) -> Json:
    """The `_meta` of a request; `members` add to it, or take away with DROP."""
    meta: Json = {
        PROTOCOL_VERSION: VERSION,
        CLIENT_INFO: {"name": "wire", "version": "1"},
        CAPABILITIES: {} if capabilities is None else capabilities,
        **(members or {}),
    }
    return {key: value for key, value in meta.items() if value is not DROP}


def sealed(text: str) -> str:
    """The base64 form of a header value, also of text that could be sent plain (HDR-10)."""
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


def _mirrors(message: Json) -> dict[str, Value]:
    method, params = message.get("method"), message.get("params")
    if not isinstance(method, str):
        return {}
    mirrors: dict[str, Value] = {"Mcp-Method": method}
    name = params.get(_NAMED.get(method, "")) if isinstance(params, dict) else None
    if isinstance(name, str):
        mirrors["Mcp-Name"] = mirrored(name)
    return mirrors


def _merge(usual: Mapping[str, Value], changes: Headers) -> list[tuple[str, Value]]:
    changed = {name.lower() for name in changes}
    kept = [(name, value) for name, value in usual.items() if name.lower() not in changed]
    return kept + [(name, value) for name, value in changes.items() if value is not None]
