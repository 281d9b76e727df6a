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
    """A response that becomes a stream with its first frame. `keep_alive` is in seconds (HTTP-19).

    Nothing is emitted once it has stopped: what a handler left running may still call, and is heard no more (PRG-03).
    """

    __slots__ = (
        "_comments",
        "_headed",
        "_keep_alive",
        "_last",
        "_lock",
        "_loop",
        "_send",
        "_stopped",
        "_timer",
        "started",
    )

    def __init__(self, send: Send, keep_alive: float) -> None:
        self.started = False
        self._send = send
        self._keep_alive = keep_alive
        self._stopped = False
        self._headed = False
        self._lock = asyncio.Lock()  # a handler may emit from several tasks at once
        self._last = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._comments: asyncio.Task[None] | None = None

    async def emit(self, frame: bytes) -> None:
        if not self._stopped:
            await self._write(b"data: " + frame + b"\n\n", more=True)

    async def finish(self, frame: bytes) -> None:
        """The final response, and the end of the stream (HTTP-16)."""
        self.stop()
        await self._write(b"data: " + frame + b"\n\n", more=False)

    async def _write(self, data: bytes, more: bool) -> None:
        self.started = True
        async with self._lock:
            if not self._headed:
                await self._send({"type": "http.response.start", "status": 200, "headers": HEADERS})
                self._headed = True
                self._loop = asyncio.get_running_loop()
                self._timer = self._loop.call_later(self._keep_alive, self._tick)
            await self._send({"type": "http.response.body", "body": data, "more_body": more})
            self._last = self._loop.time()

    def _tick(self) -> None:
        """Comments on a silent stream. Never while a frame waits for a slow reader: that stream is not idle."""
        silent = self._loop.time() - self._last
        if silent >= self._keep_alive:
            if not self._lock.locked():
                self._comments = self._loop.create_task(self._write(COMMENT, more=True))
            silent = 0.0
        self._timer = self._loop.call_later(self._keep_alive - silent, self._tick)

    def stop(self) -> None:
        """No more frames and comments; must be called when the response ends in whatever way."""
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._comments is not None:
            self._comments.cancel()
            self._comments = None
