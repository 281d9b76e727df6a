"""Server-sent events: one response stream, its frames, its keep-alive comments (streamable-http "Receiving Messages").

Knows the ASGI send channel. Knows no message: a frame is bytes without a line break. No event carries an id, since
streams cannot be resumed (HTTP-18).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

Send = Callable[[dict[str, Any]], Awaitable[None]]

HEADERS: Final = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),  # HTTP-17: no proxy may hold the acknowledgement back
]
COMMENT: Final = b":\n\n"


class EventStream:
    """A response that becomes a stream with its first frame. `keep_alive` is in seconds (HTTP-19)."""

    __slots__ = ("_busy", "_comments", "_keep_alive", "_last", "_loop", "_send", "_timer", "started")

    def __init__(self, send: Send, keep_alive: float) -> None:
        self.started = False
        self._send = send
        self._keep_alive = keep_alive
        self._busy = False
        self._last = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._comments: asyncio.Task[None] | None = None

    async def emit(self, frame: bytes) -> None:
        await self._write(b"data: " + frame + b"\n\n", more=True)

    async def finish(self, frame: bytes) -> None:
        """The final response, and the end of the stream (HTTP-16)."""
        self.stop()
        await self._write(b"data: " + frame + b"\n\n", more=False)

    async def _write(self, data: bytes, more: bool) -> None:
        self._busy = True
        try:
            if not self.started:
                await self._start()
            await self._send({"type": "http.response.body", "body": data, "more_body": more})
        finally:
            self._busy = False
        self._last = self._loop.time()

    async def _start(self) -> None:
        self.started = True
        self._loop = asyncio.get_running_loop()
        self._timer = self._loop.call_later(self._keep_alive, self._tick)
        await self._send({"type": "http.response.start", "status": 200, "headers": HEADERS})

    def _tick(self) -> None:
        """Comments on a silent stream. Never while a frame waits for a slow reader: that stream is not idle."""
        silent = self._loop.time() - self._last
        if silent >= self._keep_alive and not self._busy:
            self._comments = self._loop.create_task(self._comment())
            silent = 0.0
        self._timer = self._loop.call_later(max(self._keep_alive - silent, 0.001), self._tick)

    async def _comment(self) -> None:
        await self._write(COMMENT, more=True)

    def stop(self) -> None:
        """No more comments; must be called when the response ends in whatever way."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._comments is not None:
            self._comments.cancel()
            self._comments = None
