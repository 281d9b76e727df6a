"""Notices that the client went away, and cancels what works for it (streamable-http "Cancellation").

Knows the ASGI receive channel and the task to cancel. Watching costs a task, so it only begins when a call outlives a
moment; a fast call pays for one timer (HTTP-20, HTTP-21).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

Receive = Callable[[], Awaitable[dict[str, Any]]]

MOMENT: Final = 0.05  # seconds


class Watch:
    """Made once the body is read, inside the task that answers. `gone` says that the client left."""

    __slots__ = ("_caller", "_loop", "_receive", "_timer", "_watcher", "gone")

    def __init__(self, receive: Receive) -> None:
        self.gone = False
        self._receive = receive
        self._caller = asyncio.current_task()
        self._watcher: asyncio.Task[None] | None = None
        self._loop = asyncio.get_running_loop()
        self._timer = self._loop.call_later(MOMENT, self._begin)

    def _begin(self) -> None:
        self._watcher = self._loop.create_task(self._wait())

    async def _wait(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self.gone = True
        assert self._caller is not None
        self._caller.cancel()

    def stop(self) -> None:
        self._timer.cancel()
        if self._watcher is not None:
            self._watcher.cancel()

    def absorb(self) -> bool:
        """Whether a cancellation of the caller was this watch's doing; if so, it is over with."""
        if not self.gone or self._caller is None:
            return False
        return self._caller.uncancel() == 0
