"""The MCP endpoint as a plain ASGI application: HTTP requests to Calls, Replies to HTTP answers.

Knows ASGI, headers and bodies. Knows no method and no feature; needs no framework, and no lifespan.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from goldfish.kernel.call import Abandoned, Call, Emit, Reply
from goldfish.transports.disconnect import Receive, Watch
from goldfish.transports.guard import Guard, Turned, accepts, too_large, turn_away
from goldfish.transports.sse import EventStream, Send

logger = logging.getLogger("goldfish")

_MEDIA: Final = {"json": b"application/json", "text": b"text/plain; charset=utf-8"}


class Served(Protocol):
    async def serve(self, call: Call, emit: Emit) -> Reply: ...


@dataclass(frozen=True, slots=True)
class Report:
    """One HTTP request when it has ended, for logs and metrics.

    `method` is that of the message, or the HTTP verb where no message was read; `name` what it was about; `status` the
    HTTP status (499 when the client left first); `code` the JSON-RPC error code; `ms` how long it took.
    """

    method: str
    name: str | None
    status: int
    code: int | None
    ms: float
    client: str | None


class Endpoint:
    """`observe` is called once for every request, when it has ended."""

    def __init__(
        self,
        kernel: Served,
        guard: Guard,
        observe: Callable[[Report], None] | None,
        start: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._kernel = kernel
        self._guard = guard
        self._observe = observe
        self._start = start
        self._started = start is None

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if (
            self._start is not None and not self._started
        ):  # with a lifespan or without: a mounted endpoint is not told of one
            await self._start()
            self._started = True
        if scope["type"] == "http":
            begun = time.perf_counter()
            reply = await self._answer(scope, receive, send)
            if self._observe is not None:
                ms = (time.perf_counter() - begun) * 1000
                client = scope.get("client")
                where = client[0] if client else None
                self._observe(Report(reply.method, reply.name, reply.status, reply.code, ms, where))
        elif scope["type"] == "lifespan":
            await _lifespan(receive, send)
        else:  # a websocket: closing it before it is accepted is the refusal
            await send({"type": "websocket.close", "code": 1000})

    async def _answer(self, scope: Any, receive: Receive, send: Send) -> Reply:
        headers: dict[bytes, bytes] = {}
        repeated: list[bytes] = []
        for name, value in scope["headers"]:
            if name in headers:
                repeated.append(name)
                if name == b"accept":  # the one list among those that are looked at
                    value = headers[name] + b"," + value
                else:
                    continue
            headers[name] = value
        turned = turn_away(self._guard, scope["method"], headers, repeated)
        if turned is not None:
            return await _turn(scope, send, turned)
        try:
            body = await _body(receive, self._guard.max_body)
        except _TooLarge:
            return await _turn(scope, send, too_large(self._guard))
        if body is None:
            return Reply(499, b"", method=scope["method"])
        accepted = accepts(headers.get(b"accept", b"*/*"))
        client = scope.get("client")
        call = Call(body, headers, repeated, accepted.stream, peer=client[0] if client else None)
        return await self._serve(call, accepted.json, receive, send)

    async def _serve(self, call: Call, json: bool, receive: Receive, send: Send) -> Reply:
        stream = EventStream(send, self._guard.keep_alive)
        watch = Watch(receive)
        try:
            reply = await self._kernel.serve(call, stream.emit)
            if watch.absorb():  # the handler did not let itself be cancelled: nothing more is sent (HTTP-20)
                return _left(call)
            if stream.started or (not json and reply.status == 200):
                await stream.finish(reply.body)
            else:
                stream.stop()
                later = () if reply.retry_after is None else ((b"retry-after", b"%d" % reply.retry_after),)
                await _send(send, reply.status, reply.body, _MEDIA[reply.media], later)
            return reply
        except Abandoned:
            return _left(call)
        except asyncio.CancelledError:
            if not watch.absorb():
                raise
            return _left(call)
        finally:
            watch.stop()
            stream.stop()


def _left(call: Call) -> Reply:
    """The client left first. The method is the mirrored one, which the kernel has compared with the message."""
    return Reply(499, b"", method=(call.headers or {}).get(b"mcp-method", b"-").decode("latin-1"))


class _TooLarge(Exception):
    """The body goes over the limit."""


async def _body(receive: Receive, limit: int) -> bytes | None:
    """The whole body; None when the client left before it was sent."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > limit:
            raise _TooLarge
        if not message.get("more_body"):
            return b"".join(parts)


async def _turn(scope: Any, send: Send, turned: Turned) -> Reply:
    await _send(send, turned.status, turned.text.encode(), _MEDIA["text"], turned.headers)
    return Reply(turned.status, b"", "text", scope["method"])


async def _send(
    send: Send, status: int, body: bytes, media: bytes, extra: tuple[tuple[bytes, bytes], ...] = ()
) -> None:
    headers = [(b"content-length", b"%d" % len(body)), *extra]
    if body:
        headers.append((b"content-type", media))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
