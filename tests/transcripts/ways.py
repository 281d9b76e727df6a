"""The three ways in: in the process, over HTTP, over stdio. Each takes a request and gives every message that came.

Knows the clients of the tests and the request that a transcript's `send` stands for. Knows no transcript.
"""

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from goldfish import __version__
from goldfish.everything.app import TITLE, create_server
from goldfish.kernel.profile import STRICT
from tests.stdio.test_command import Lines
from tests.support import inprocess, wire
from tests.support.inprocess import VERSION, Json, mirrored
from tests.transcripts.book import Received

Headers = Mapping[str, str | bytes | None]

#: Seconds for a task to become what is waited for.
PATIENCE: Final = 10.0
IDENTITY: Final = {"name": "goldfish", "version": __version__, "title": TITLE}
_CANCEL: Final = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"%s"}}\n'


class Way(Protocol):
    """`frames` counts the messages to read of a stream that stays open."""

    has_headers: bool

    def exchange(self, send: Json) -> Received: ...

    def listen(self, send: Json, frames: int) -> Received: ...

    def close(self) -> None: ...


def ask(way: Way, send: Json, frames: int) -> Received:
    """What comes back, without what every message has; a request with `until` is repeated until that is the status."""
    deadline = time.monotonic() + PATIENCE
    while True:
        received = way.listen(send, frames) if "meanwhile" in send else way.exchange(send)
        met = "until" not in send or received.messages[-1].get("result", {}).get("status") == send["until"]
        if met or time.monotonic() >= deadline:
            return Received(received.head, [shown(message, send) for message in received.messages])
        time.sleep(0.005)


def shown(message: Json, send: Json) -> Json:
    """A message without the version, the id and the server's identity, as long as they are what they must be."""
    common: list[tuple[str, Any]] = [("jsonrpc", "2.0")]
    if "method" not in message:
        common.append(("id", _id(send)))
    kept, lacks = _without(message, common)
    result = kept.get("result")
    if isinstance(result, dict) and send.get("method") != "server/discover":
        meta, anonymous = _without(result.get("_meta", {}), [(wire.SERVER_INFO, IDENTITY)])
        rest = {key: value for key, value in result.items() if key != "_meta"}
        kept, lacks = {**kept, "result": {**rest, "_meta": meta} if meta else rest}, lacks + anonymous
    return {**kept, "lacks": lacks} if lacks else kept


def _without(members: Json, common: list[tuple[str, Any]]) -> tuple[Json, list[str]]:
    dropped = {key for key, value in common if type(members.get(key)) is type(value) and members[key] == value}
    lacks = [key for key, _ in common if key not in members]
    return {key: value for key, value in members.items() if key not in dropped}, lacks


def _id(send: Json) -> Any:
    return send.get("id", 1)


def _opening(send: Json) -> int:
    """How many messages come before anything else is sent: the acknowledgement, and what is told of the present."""
    after: int = send.get("after", 1)
    return after


def _body(send: Json) -> bytes:
    without = send.get("without", [])
    if "verb" in send:
        return b""
    meta = wire.envelope(send.get("capabilities"), {**send.get("meta", {}), **dict.fromkeys(without, wire.DROP)})
    params = {**send.get("params", {}), **({} if "_meta" in without else {"_meta": meta})}
    return json.dumps({"jsonrpc": "2.0", "id": _id(send), "method": send["method"], "params": params}).encode()


def _headers(send: Json) -> dict[str, str | bytes | None]:
    """Those that mirror the body, and those that the transcript gives, whatever their case."""
    if "verb" in send:
        return {}
    usual: dict[str, str | bytes | None] = {"mcp-protocol-version": VERSION, "mcp-method": send["method"]}
    params = send.get("params", {})
    target = params.get("name", params.get("uri", params.get("taskId")))
    if isinstance(target, str):
        usual["mcp-name"] = mirrored(target)
    return usual | {name.lower(): value for name, value in send.get("headers", {}).items()}


def _head(status: int, media: str | None) -> str:
    return f"HTTP {status}, {media}" if media else f"HTTP {status}"


class InProcess:
    has_headers = True

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._server = create_server()
        self._app = self._server.endpoint(STRICT)
        self._client = inprocess.Client(self._app)

    def _open(self, send: Json) -> inprocess.Exchange:
        if "verb" in send:
            return inprocess.Exchange(self._app, inprocess.scope([(b"host", b"127.0.0.1:8787")], send["verb"]), [])
        return self._client.post(_body(send), _headers(send))

    def exchange(self, send: Json) -> Received:
        async def run() -> Received:
            async with asyncio.timeout(PATIENCE):
                answer = await self._open(send).answer()
            return Received(_head(answer.status, answer.media), answer.messages if answer.body else [])

        return self._runner.run(run())

    def listen(self, send: Json, frames: int) -> Received:
        async def run() -> Received:
            async with asyncio.timeout(PATIENCE):
                stream = self._open(send)
                heard = [await stream.frame() for _ in range(_opening(send))]
                for other in send["meanwhile"]:
                    await self._open(other).answer()
                while len(heard) < frames:
                    heard.append(await stream.frame())
                head = _head(await stream.status(), "text/event-stream" if stream.streams else None)
                await stream.gone()
            return Received(head, heard)

        return self._runner.run(run())

    def close(self) -> None:
        self._runner.run(self._server.close(0.1))
        self._runner.close()


class OverHttp:
    has_headers = True

    def __init__(self, base: str) -> None:
        self._client = wire.Client(f"{base}/strict/mcp")

    def _open(self, send: Json) -> Any:
        return self._client.begin(_body(send), verb=send.get("verb", "POST"), headers=_headers(send))

    def exchange(self, send: Json) -> Received:
        answer = self._open(send).rest()
        return Received(_head(answer.status, answer.media), answer.messages if answer.body else [])

    def listen(self, send: Json, frames: int) -> Received:
        with self._open(send) as stream:
            heard = [stream.next_frame() for _ in range(_opening(send))]
            for other in send["meanwhile"]:
                self.exchange(other)
            while len(heard) < frames:
                heard.append(stream.next_frame())
            return Received(_head(stream.status, stream.headers["content-type"]), heard)

    def close(self) -> None:
        """Each request had a connection of its own."""


class OverStdio:
    has_headers = False

    def __init__(self) -> None:
        self._lines = Lines("-m", "goldfish", "--stdio")

    def exchange(self, send: Json) -> Received:
        self._lines.raw(_body(send) + b"\n")
        messages = [self._lines.message()]
        while "method" in messages[-1]:
            messages.append(self._lines.message())
        return Received(None, messages)

    def listen(self, send: Json, frames: int) -> Received:
        self._lines.raw(_body(send) + b"\n")
        heard = [self._lines.message() for _ in range(_opening(send))]
        for other in send["meanwhile"]:
            heard += [message for message in self.exchange(other).messages if "method" in message]
        while len(heard) < frames:
            heard.append(self._lines.message())
        self._lines.raw(_CANCEL % str(_id(send)).encode())
        return Received(None, heard)

    def close(self) -> None:
        try:
            status, rest = self._lines.end()
            assert (0, []) == (status, rest), rest
        finally:
            self._lines.close()


#: By its name, what begins it, given what starts the shipped command and says at which address.
WAYS: Final[Mapping[str, Callable[[Callable[[], str]], Way]]] = {
    "in process": lambda _: InProcess(),
    "over HTTP": lambda start: OverHttp(start()),
    "over stdio": lambda _: OverStdio(),
}
