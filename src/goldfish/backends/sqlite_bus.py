"""The bus of all processes of one machine: a table of events that each of them reads from where it has got to.

Knows the table of events and a thread that watches it. Knows no record.

A reader keeps its place by itself, so nothing has to know who reads. Events are kept for `KEPT` seconds, and no more
than `KEPT_EVENTS` of them; whoever is further behind has `lost` some and is told so. Other processes' commits are
noticed by a counter in shared memory (PRAGMA data_version), this process's own by a signal.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import sqlite3
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any, Final

from goldfish.backends.sqlite_file import Handle, Place
from goldfish.backends.sqlite_lane import Lane
from goldfish.ports import Deliver, Event, Unavailable

logger = logging.getLogger("goldfish")

#: Seconds between two looks at the counter: while it is quiet, and at first after an event.
INTERVAL: Final = 0.05
QUICK: Final = 0.005
KEPT: Final = 600.0
KEPT_EVENTS: Final = 50_000
#: Old events are deleted once in so many new ones.
PRUNE_EVERY: Final = 256
_BATCH: Final = 100
_SLOWEST: Final = 2.0

Lost = Callable[[], Awaitable[None]]


class SqliteBus:
    def __init__(self, place: Place, writing: Lane, kept: float = KEPT, kept_events: int = KEPT_EVENTS) -> None:
        self._place = place
        self._writing = writing
        self._kept = kept
        self._kept_events = kept_events
        self._deliver: Deliver | None = None
        self._lost: Lost | None = None
        self._watcher: _Watcher | None = None

    def attach(self, deliver: Deliver, lost: Lost) -> None:
        self._deliver = deliver
        self._lost = lost

    async def publish(self, event: Event) -> None:
        now = self._place.clock()

        def work(connection: sqlite3.Connection) -> None:
            last = connection.execute(
                "INSERT INTO events (at, channel, method, params) VALUES (?, ?, ?, ?)",
                (now, event.channel, event.method, event.params),
            ).lastrowid
            assert last is not None
            if last % PRUNE_EVERY == 0:
                self._prune(connection, now, last)

        await self._writing.write(work)
        if self._watcher is not None:
            self._watcher.wake()

    async def start(self) -> None:
        if self._watcher is None and self._deliver is not None and self._lost is not None:
            self._watcher = _Watcher(self._place, self._deliver, self._lost)
            await self._watcher.start()

    async def stop(self) -> None:
        if self._watcher is not None:
            watcher, self._watcher = self._watcher, None
            await watcher.stop()

    def _prune(self, connection: sqlite3.Connection, now: float, last: int) -> None:
        # Ids follow the clock, so this looks at no more rows than are about to go, and finds `last` in the end.
        fresh = connection.execute(
            "SELECT id FROM events WHERE at >= ? ORDER BY id LIMIT 1", (now - self._kept,)
        ).fetchone()[0]
        connection.execute("DELETE FROM events WHERE id < MAX(?, ?)", (fresh, last - self._kept_events + 1))


class _Watcher:
    """One thread that waits for events, and hands them to the loop one batch at a time."""

    def __init__(self, place: Place, deliver: Deliver, lost: Lost) -> None:
        self._handle = Handle(place)
        self._deliver = deliver
        self._lost = lost
        self._loop = asyncio.get_running_loop()
        self._looked: asyncio.Future[None] = self._loop.create_future()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._stopping = False
        self._awake = threading.Event()
        self._handing: asyncio.Task[Any] | None = None
        self._generation = 0  # of the handle, when we took our place
        self._mark = _Mark("", 0)
        self._counter = -1  # at our last look

    async def start(self) -> None:
        """Returns after the first look at the file, whether or not it could be read."""
        threading.Thread(target=self._run, name="goldfish-sqlite-bus", daemon=True).start()
        await self._looked

    def wake(self) -> None:
        self._awake.set()

    async def stop(self) -> None:
        self._stopping = True
        self._awake.set()
        if self._handing is not None:
            self._handing.cancel()
        await self._ended

    async def _hand(self, batch: _Batch) -> None:
        if self._stopping:
            return
        self._handing = asyncio.current_task()
        try:
            if batch.lost:
                logger.warning("events were lost: this process was cut off from its bus, or fell too far behind")
                await self._lost()
            if batch.events:
                await self._deliver(batch.events)
        except Exception:
            logger.exception("events could not be delivered")
        finally:
            self._handing = None

    # The rest runs in the thread.

    def _run(self) -> None:
        try:
            try:
                self._handle.read(self._begin)
            except Unavailable as error:
                logger.warning("the bus begins later: %s", error)
            self._tell(self._looked)
            self._watch()
        except CancelledError:
            logger.debug("the bus ends while it hands over events")
        finally:
            self._handle.close()
            self._tell(self._ended)

    def _watch(self) -> None:
        pause, heard = INTERVAL, True
        while not self._stopping and not self._loop.is_closed():
            try:
                found = 0
                while not self._stopping and (count := self._look()):
                    found += count
                heard, pause = True, QUICK if found else min(pause * 1.2, INTERVAL)
            except Unavailable as error:
                if heard:
                    logger.warning("the bus hears nothing: %s", error)
                heard, pause = False, min(pause * 2 * random.uniform(0.5, 1.0) + QUICK, _SLOWEST)
            self._awake.wait(pause)
            self._awake.clear()

    def _look(self) -> int:
        """Hands over the next events; how many there were."""
        batch = self._handle.read(self._next)
        if batch.events or batch.lost:
            handing = self._hand(batch)
            try:
                future = asyncio.run_coroutine_threadsafe(handing, self._loop)
            except RuntimeError:  # the loop was closed without a stop
                handing.close()
                return 0
            future.result()
        return len(batch.events)

    def _begin(self, connection: sqlite3.Connection) -> None:
        self._mark = _tail(connection)
        self._generation = self._handle.generation

    def _next(self, connection: sqlite3.Connection) -> _Batch:
        if self._generation != self._handle.generation:  # opened anew: maybe another file, or an older copy
            before, tail = self._mark, _tail(connection)
            self._generation = self._handle.generation
            self._counter = -1
            if before.incarnation != tail.incarnation or before.last > tail.last:
                self._mark = tail
                return _Batch((), True)
        counter = connection.execute("PRAGMA data_version").fetchone()[0]
        if counter == self._counter:
            return _NOTHING
        last = self._mark.last
        rows = connection.execute(
            "SELECT id, channel, method, params FROM events WHERE id > ? ORDER BY id LIMIT ?", (last, _BATCH)
        ).fetchall()
        if len(rows) < _BATCH:
            self._counter = counter
        if not rows:
            return _NOTHING
        self._mark = _Mark(self._mark.incarnation, rows[-1][0])
        # Ids have no gaps, and pruning leaves the newest: what lies between two events that we see was pruned.
        return _Batch([Event(*row[1:]) for row in rows], lost=rows[0][0] != last + 1)

    def _tell(self, future: asyncio.Future[None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed, and nobody waits
            self._loop.call_soon_threadsafe(_settle, future)


@dataclass(frozen=True, slots=True)
class _Mark:
    """Where a reader has got to: the id of the last event it read, in which memory."""

    incarnation: str
    last: int


@dataclass(frozen=True, slots=True)
class _Batch:
    events: Sequence[Event]
    lost: bool


_NOTHING: Final = _Batch((), False)


def _tail(connection: sqlite3.Connection) -> _Mark:
    return _Mark(
        *connection.execute(
            "SELECT value, IFNULL((SELECT MAX(id) FROM events), 0) FROM meta WHERE name = 'incarnation'"
        ).fetchone()
    )


def _settle(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
