"""The back-end of a single process: a bus that delivers at once, and a store that is gone with the process.

Knows ports and the shapes that pass through them. Holds nothing that outlives the process.
"""

from __future__ import annotations

import asyncio
import heapq
import logging
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from goldfish.backends.caps import check_caps
from goldfish.backends.clock import SteadyClock, boot_time
from goldfish.ports import Caps, Clock, Deliver, Event, Record

logger = logging.getLogger("goldfish")


class MemoryBus:
    """Delivers from `attach` on, without `start` too: a server mounted without its lifespan still tells its streams."""

    def __init__(self) -> None:
        self._deliver: Deliver | None = None
        self._stopped = False
        self._order = asyncio.Lock()  # hands over in the order of arrival, one event at a time

    def attach(self, deliver: Deliver, lost: Callable[[], Awaitable[None]]) -> None:
        self._deliver = deliver

    async def publish(self, event: Event) -> None:
        if self._deliver is None:
            return
        async with self._order:
            if self._stopped:
                return
            try:
                await self._deliver((event,))
            except Exception:  # the receiver's fault is none of the publisher's
                logger.exception("an event could not be delivered: %s", event.method)

    async def start(self) -> None:
        self._stopped = False

    async def stop(self) -> None:
        self._stopped = True


@dataclass(frozen=True, slots=True)
class _Entry:
    record: Record
    expires: float | None
    owner: str | None


class MemoryStore:
    """Every method runs to its end without giving way to another, which is what makes it atomic."""

    def __init__(self, elapsed: Clock = boot_time) -> None:
        self._clock = SteadyClock(elapsed)
        self._entries: dict[str, _Entry] = {}
        self._expiring: list[tuple[float, str]] = []
        self._owned: Counter[str] = Counter()
        self._total = 0
        self._incarnation = secrets.token_hex(8)

    async def add(
        self, key: str, body: bytes, expires: float | None, owner: str | None = None, caps: Caps | None = None
    ) -> bool:
        self._purge()
        if key in self._entries:
            return False
        if caps is not None and owner is not None:
            check_caps(caps, self._owned[owner], self._total)
        self._entries[key] = _Entry(Record(body, 1), expires, owner)
        if expires is not None:
            heapq.heappush(self._expiring, (expires, key))
        if owner is not None:
            self._owned[owner] += 1
            self._total += 1
        return True

    async def get(self, key: str) -> Record | None:
        self._purge()
        entry = self._entries.get(key)
        return None if entry is None else entry.record

    async def swap(self, key: str, version: int, body: bytes) -> bool:
        self._purge()
        entry = self._entries.get(key)
        if entry is None or entry.record.version != version:
            return False
        self._entries[key] = replace(entry, record=Record(body, version + 1))
        return True

    async def incarnation(self) -> str:
        return self._incarnation

    async def check(self) -> None:
        return None

    def now(self) -> float:
        return self._clock()

    async def start(self) -> None:
        return None

    async def stop(self) -> None:
        return None

    def _purge(self) -> None:
        """Forgets what has expired. A key stands in the heap once at most: it is taken until it has expired."""
        now = self._clock()
        while self._expiring and self._expiring[0][0] <= now:
            entry = self._entries.pop(heapq.heappop(self._expiring)[1])
            if entry.owner is not None:
                self._total -= 1
                self._owned[entry.owner] -= 1
                if not self._owned[entry.owner]:
                    del self._owned[entry.owner]


class MemoryBackend:
    def __init__(self, elapsed: Clock = boot_time) -> None:
        self.url = "memory:"
        self.bus = MemoryBus()
        self.tasks = MemoryStore(elapsed)
