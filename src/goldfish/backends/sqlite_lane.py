"""A thread of its own for the calls that one event loop makes to a SQLite file.

Knows threads and how long a call may wait for its turn. Knows no table.
"""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from goldfish.backends.sqlite_file import Handle, Place, Work

T = TypeVar("T")


class Lane:
    """Calls run one after the other, in the order in which they are made. Opens with the first call."""

    def __init__(self, place: Place, name: str) -> None:
        self._place = place
        self._name = f"goldfish-sqlite-{name}"
        self._open: tuple[ThreadPoolExecutor, Handle] | None = None

    async def read(self, work: Work[T]) -> T:
        return await self._run(work, writes=False)

    async def write(self, work: Work[T]) -> T:
        return await self._run(work, writes=True)

    async def close(self) -> None:
        """Returns when the calls made so far have ended and the file is closed."""
        if self._open is not None:
            (executor, handle), self._open = self._open, None
            await asyncio.get_running_loop().run_in_executor(executor, handle.close)
            executor.shutdown(wait=False)

    async def _run(self, work: Work[T], writes: bool) -> T:
        if self._open is None:
            self._open = ThreadPoolExecutor(1, self._name), Handle(self._place)
        executor, handle = self._open
        deadline = time.monotonic() + self._place.busy

        def turn() -> T:
            # Or those who queue behind a locked file would wait for as long as all of them together.
            if time.monotonic() > deadline:
                raise self._place.unavailable(f"is locked for longer than {self._place.busy:g} s")
            return handle.write(work) if writes else handle.read(work)

        return await asyncio.get_running_loop().run_in_executor(executor, turn)
