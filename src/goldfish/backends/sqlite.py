"""The back-end of all processes of one machine: a SQLite file that they share.

Knows the tables of records and what is asked of a store. Nothing here waits for the file on the event loop: a process
has one thread that writes and one that reads, so that a locked file delays writers alone. The file must lie on a local
disk: the log is shared by memory, which network file systems do not do.
"""

from __future__ import annotations

import contextlib
import sqlite3

from goldfish.backends.caps import check_caps
from goldfish.backends.clock import boot_time
from goldfish.backends.sqlite_bus import SqliteBus
from goldfish.backends.sqlite_file import BUSY, Place
from goldfish.backends.sqlite_lane import Lane
from goldfish.ports import Caps, Clock, Record, Unavailable


class SqliteStore:
    def __init__(self, place: Place, writing: Lane) -> None:
        self._place = place
        self._writing = writing
        self._reading = Lane(place, "read")

    async def add(
        self, key: str, body: bytes, expires: float | None, owner: str | None = None, caps: Caps | None = None
    ) -> bool:
        now = self.now()

        def work(connection: sqlite3.Connection) -> bool:
            connection.execute("DELETE FROM records WHERE expires <= ?", (now,))
            if connection.execute("SELECT 1 FROM records WHERE key = ?", (key,)).fetchone():
                return False
            if caps is not None and owner is not None:
                owned, total = connection.execute(
                    "SELECT (SELECT COUNT(*) FROM records WHERE owner = ?),"
                    " (SELECT COUNT(*) FROM records WHERE owner IS NOT NULL)",
                    (owner,),
                ).fetchone()
                check_caps(caps, owned, total)
            connection.execute("INSERT INTO records VALUES (?, ?, 1, ?, ?, ?)", (key, body, expires, owner, now))
            return True

        return await self._writing.write(work)

    async def get(self, key: str) -> Record | None:
        now = self.now()

        def work(connection: sqlite3.Connection) -> Record | None:
            row = connection.execute(
                "SELECT body, version FROM records WHERE key = ? AND (expires IS NULL OR expires > ?)", (key, now)
            ).fetchone()
            return None if row is None else Record(*row)

        return await self._reading.read(work)

    async def swap(self, key: str, version: int, body: bytes) -> bool:
        now = self.now()

        def work(connection: sqlite3.Connection) -> bool:
            changed = connection.execute(
                "UPDATE records SET body = ?, version = version + 1, changed = ?"
                " WHERE key = ? AND version = ? AND (expires IS NULL OR expires > ?)",
                (body, now, key, version, now),
            )
            return changed.rowcount == 1

        return await self._writing.write(work)

    async def incarnation(self) -> str:
        def work(connection: sqlite3.Connection) -> str:
            name: str = connection.execute("SELECT value FROM meta WHERE name = 'incarnation'").fetchone()[0]
            return name

        return await self._reading.read(work)

    async def check(self) -> None:
        def work(connection: sqlite3.Connection) -> None:
            # A file that can only be read is of no use; this asks for the right to write, and changes nothing.
            connection.execute("UPDATE meta SET value = value WHERE 0")

        await self._writing.write(work)

    def now(self) -> float:
        return self._place.clock()

    async def start(self) -> None:
        """Opens the file, and takes over its clock, where that is possible right now."""
        with contextlib.suppress(Unavailable):
            await self.incarnation()

    async def stop(self) -> None:
        await self._reading.close()
        await self._writing.close()


class SqliteBackend:
    """`path` may be relative. `busy`: seconds a call waits while other processes write."""

    def __init__(self, path: str, busy: float = BUSY, elapsed: Clock = boot_time) -> None:
        place = Place(path, busy, elapsed)
        writing = Lane(place, "write")
        self.url = f"sqlite:{path}"
        self.bus = SqliteBus(place, writing)
        self.tasks = SqliteStore(place, writing)
