"""An HTTP client that calls an ASGI application in the same process, and reads its answers without mercy.

Knows ASGI, HTTP and JSON. Knows no method and no feature. One event loop serves all requests of a client, so that what
one request leaves behind is there for the next.
"""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from hypothesis import HealthCheck, settings

Headers = Sequence[tuple[bytes, bytes]]
App = Callable[[Any, Any, Any], Awaitable[None]]

_EXAMPLES = os.environ.get("GOLDFISH_EXAMPLES")
#: The same examples in every run; with GOLDFISH_EXAMPLES=N as many new ones.
RULES = settings(
    max_examples=int(_EXAMPLES or 50),
    derandomize=_EXAMPLES is None,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
PATIENCE = 10.0  # seconds until an answer that does not come is a failure


@dataclass(frozen=True)
class Answer:
    """`messages` are the JSON values of the body; `streamed` says that they came as events."""

    status: int
    headers: dict[bytes, bytes]
    body: bytes
    messages: list[Any]
    streamed: bool

    @property
    def last(self) -> Any:
        return self.messages[-1]


@dataclass
class Exchange:
    """One request, and the events the application has sent for it."""

    pieces: list[bytes]
    leave_on: bytes | None
    events: list[dict[str, Any]] = field(default_factory=list)
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    async def receive(self) -> dict[str, Any]:
        if self.pieces:
            body = self.pieces.pop(0)
            return {"type": "http.request", "body": body, "more_body": bool(self.pieces)}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, event: dict[str, Any]) -> None:
        expected = "http.response.body" if self.events else "http.response.start"
        assert expected == event["type"]
        assert not self.complete, "the response had ended"
        self.events.append(event)
        if self.leave_on is not None and self.leave_on in event.get("body", b""):
            self.gone.set()

    @property
    def complete(self) -> bool:
        return len(self.events) > 1 and not self.events[-1].get("more_body", False)


class Client:
    """`call` sends one request and returns its answer; whatever escapes the application escapes here."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._runner = asyncio.Runner()
        self._strays: list[dict[str, Any]] = []
        self._runner.get_loop().set_exception_handler(lambda _, context: self._strays.append(context))

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        """Runs what a test does beside its requests, on their event loop."""
        self._runner.run(coroutine)

    def close(self) -> None:
        self._runner.close()
        assert [] == self._strays

    def call(
        self,
        body: bytes,
        headers: Headers,
        verb: str = "POST",
        cuts: Iterable[int] = (),
        leave_on: bytes | None = None,
    ) -> Answer | None:
        """The answer, or None where the client left before there was one.

        `cuts` are the places at which the body is cut into pieces; with `leave_on` the client leaves as soon as these
        bytes have arrived.
        """
        answer = self._runner.run(self._call(body, headers, verb, cuts, leave_on))
        assert [] == self._strays
        return answer

    async def _call(
        self, body: bytes, headers: Headers, verb: str, cuts: Iterable[int], leave_on: bytes | None
    ) -> Answer | None:
        edges = [0, *sorted(cut for cut in cuts if 0 <= cut <= len(body)), len(body)]
        exchange = Exchange([body[a:b] for a, b in pairwise(edges)], leave_on)
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": verb,
            "path": "/mcp",
            "query_string": b"",
            "client": ("127.0.0.1", 50_000),
            # What every ASGI server does with names (ASGI, "HTTP connection scope").
            "headers": [(name.lower(), value) for name, value in headers],
        }
        async with asyncio.timeout(PATIENCE):
            await self._app(scope, exchange.receive, exchange.send)
        if exchange.gone.is_set() and not exchange.complete:
            return None
        assert exchange.complete, "the response has no end"
        return read(exchange.events)


def read(events: list[dict[str, Any]]) -> Answer:
    start, *rest = events
    headers = {bytes(name): bytes(value) for name, value in start["headers"]}
    assert len(headers) == len(start["headers"]), "a response header was sent twice"
    assert all(name == name.lower() for name in headers)
    body = b"".join(event.get("body", b"") for event in rest)
    if b"content-length" in headers:
        assert len(body) == int(headers[b"content-length"])
    media = headers.get(b"content-type", b"").split(b";")[0]
    if media == b"text/event-stream":
        messages = [strict_json(frame) for frame in _frames(body)]
    elif media == b"application/json":
        messages = [strict_json(body)]
    else:
        assert (not body) or media == b"text/plain"
        messages = []
    return Answer(start["status"], headers, body, messages, media == b"text/event-stream")


def _frames(body: bytes) -> list[bytes]:
    """The data of each event. Only data and comments are expected, one line each (HTTP-18)."""
    assert body.endswith(b"\n\n")
    frames = []
    for event in body.decode()[:-2].split("\n\n"):
        [line] = event.splitlines()  # also by the line breaks that only Unicode knows
        if not line.startswith(":"):
            assert line.startswith("data: ")
            frames.append(line.removeprefix("data: ").encode())
    return frames


def strict_json(text: bytes) -> Any:
    """JSON by the letter: UTF-8, no NaN, no member twice, no half of a surrogate pair."""
    value = json.loads(text.decode(), object_pairs_hook=_once, parse_constant=_no_constant)
    json.dumps(value, ensure_ascii=False).encode()
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    assert len(members) == len(pairs), "a member was sent twice"
    return members


def _no_constant(literal: str) -> Any:
    raise ValueError(f"{literal} is no JSON")
