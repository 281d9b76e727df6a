"""The back-ends of a single process: a bus that delivers at once.

Knows ports and the shapes that pass through them. Holds nothing that outlives the process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from goldfish.ports import Event


class MemoryBus:
    def __init__(self) -> None:
        self._deliver: Callable[[Event], None] | None = None

    def attach(self, deliver: Callable[[Event], None]) -> None:
        self._deliver = deliver

    async def publish(self, event: Event) -> None:
        if self._deliver is not None:
            self._deliver(event)
            await asyncio.sleep(0)  # a burst lets every stream send before its buffer is full
