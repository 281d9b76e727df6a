"""One SQLite file: how it is made, opened, recognised, and used by one thread.

Knows the layout of the file and what can go wrong with it. Knows no event loop, no record and no event.

The journal is a write-ahead log with synchronous=NORMAL: a commit is in the kernel's hands before it is answered, so
that a killed process loses nothing. A power cut may take the last commits, never the file's soundness; FULL would keep
them too, for ten times the price of every write.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from typing import Final, NoReturn, TypeVar
from urllib.parse import quote

from goldfish.backends.clock import SteadyClock, boot_id, boot_time
from goldfish.ports import Clock, Unavailable

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]

#: Seconds a call waits for other processes to finish writing.
BUSY: Final = 5.0
_APPLICATION: Final = 0x476C6466
_LAYOUT: Final = 1
_TABLES: Final = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE clock (boot TEXT PRIMARY KEY, anchor REAL NOT NULL) WITHOUT ROWID",
    "CREATE TABLE records (key TEXT PRIMARY KEY, body BLOB NOT NULL, version INTEGER NOT NULL, expires REAL,"
    " owner TEXT, changed REAL NOT NULL)",
    "CREATE INDEX records_expiring ON records (expires) WHERE expires IS NOT NULL",
    "CREATE INDEX records_owned ON records (owner) WHERE owner IS NOT NULL",
    # AUTOINCREMENT: an id is never given twice, and there is no gap between two of them.
    "CREATE TABLE events (id INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, channel TEXT NOT NULL,"
    " method TEXT NOT NULL, params BLOB NOT NULL)",
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {_LAYOUT}",
)
_WRONG: Final = {
    sqlite3.SQLITE_NOTADB: "is not a database",
    sqlite3.SQLITE_READONLY: "is read-only",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened",
    sqlite3.SQLITE_FULL: "has no room left on its disk",
    sqlite3.SQLITE_CORRUPT: "is damaged",
    sqlite3.SQLITE_PERM: "may not be opened by this user",
}
_LOCKED: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class Place:
    """Which file, and by which clock; shared by the threads of one process that use it."""

    def __init__(self, path: str, busy: float = BUSY, elapsed: Clock = boot_time) -> None:
        self.path = path
        self.busy = busy
        self.elapsed = elapsed
        self.clock = SteadyClock(elapsed)

    def unavailable(self, why: object) -> Unavailable:
        return Unavailable(f"sqlite:{self.path} {why}")


class Handle:
    """A connection for the use of one thread, opened when needed and again when the file is another one.

    `generation` rises with every opening.
    """

    def __init__(self, place: Place) -> None:
        self.generation = 0
        self._place = place
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None

    def read(self, work: Work[T]) -> T:
        """The result of `work`; raises Unavailable."""
        try:
            return work(self._open())
        except (sqlite3.Error, OSError) as error:
            self._fail(error)

    def write(self, work: Work[T]) -> T:
        """The result of `work`, all of whose changes are kept, or none if it raises; raises Unavailable."""
        return self.read(lambda connection: _transaction(connection, work))

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _fail(self, error: sqlite3.Error | OSError) -> NoReturn:
        if isinstance(error, FileNotFoundError):
            raise self._place.unavailable("cannot be made: its directory does not exist") from error
        if isinstance(error, OSError):
            raise self._place.unavailable(f"cannot be opened: {error.strerror}") from error
        code = _code(error)
        if code in _LOCKED:
            raise self._place.unavailable(f"is locked for longer than {self._place.busy:g} s") from error
        self.close()  # so that the next call begins afresh
        raise self._place.unavailable(_WRONG.get(code, error)) from error

    def _open(self) -> sqlite3.Connection:
        # A file that was deleted or replaced is still there for who has it open, and for nobody else.
        if self._connection is not None and _identity(self._place.path) == self._file:
            return self._connection
        self.close()
        for _ in range(3):
            _create(self._place.path)
            file = _identity(self._place.path)
            connection = self._connect()
            if _identity(self._place.path) == file:
                self._connection = connection
                self._file = file
                self.generation += 1
                return connection
            connection.close()
        raise self._place.unavailable("is replaced again and again")

    def _connect(self) -> sqlite3.Connection:
        # mode=rw: a file that went away meanwhile must not come back with anybody's permissions.
        uri = f"file:{quote(self._place.path)}?mode=rw"
        connection = sqlite3.connect(uri, uri=True, timeout=self._place.busy, isolation_level=None)
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA journal_size_limit = 4194304")
        laid_out = self._laid_out(connection)
        _use_log(connection, time.monotonic() + self._place.busy)
        if not laid_out:
            _transaction(connection, self._lay_out)
        self._anchor(connection)

    def _laid_out(self, connection: sqlite3.Connection) -> bool:
        """Whether the file has its tables; raises Unavailable when it has another program's."""
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        layout = connection.execute("PRAGMA user_version").fetchone()[0]
        if (application, layout) == (_APPLICATION, _LAYOUT):
            return True
        if application == _APPLICATION:
            raise self._place.unavailable(f"has layout {layout}, and this version knows layout {_LAYOUT}")
        if application or connection.execute("SELECT EXISTS (SELECT 1 FROM sqlite_schema)").fetchone()[0]:
            raise self._place.unavailable("is the database of another program")
        return False

    def _lay_out(self, connection: sqlite3.Connection) -> None:
        if self._laid_out(connection):  # by another process, while this one waited
            return
        for statement in _TABLES:
            connection.execute(statement)
        connection.execute("INSERT INTO meta VALUES ('incarnation', ?)", (secrets.token_hex(8),))

    def _anchor(self, connection: sqlite3.Connection) -> None:
        """One wall time of one moment, for all processes since the machine started; later settings change nothing."""
        boot = boot_id()
        if boot is None:
            return
        row = connection.execute("SELECT anchor FROM clock WHERE boot = ?", (boot,)).fetchone()
        anchor = _transaction(connection, lambda each: self._first_anchor(each, boot)) if row is None else row[0]
        reading = anchor + self._place.elapsed()
        self._place.clock.anchor(reading, reading + 0.001)

    def _first_anchor(self, connection: sqlite3.Connection, boot: str) -> float:
        # Not before anything the file has seen, should the wall clock have gone back while the machine was off.
        seen = connection.execute(
            "SELECT MAX(IFNULL((SELECT MAX(at) FROM events), 0), IFNULL((SELECT MAX(changed) FROM records), 0))"
        ).fetchone()[0]
        anchor = max(seen, self._place.clock()) - self._place.elapsed()
        connection.execute("INSERT OR IGNORE INTO clock VALUES (?, ?)", (boot, anchor))
        kept: float = connection.execute("SELECT anchor FROM clock WHERE boot = ?", (boot,)).fetchone()[0]
        return kept


def _transaction(connection: sqlite3.Connection, work: Work[T]) -> T:
    # IMMEDIATE: one that reads first and writes later fails at once when another has written in between.
    connection.execute("BEGIN IMMEDIATE")
    try:
        result = work(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return result


def _create(path: str) -> None:
    """Makes an empty file that only its owner may read; an existing one is left as it is.

    It is never opened here when it exists: closing it would drop the locks of every connection of this process. What
    a deleted file has left beside it would pass for the new one's log, and goes first; one process at a time does so,
    or it could be the log that another has just begun.
    """
    if os.path.exists(path):
        return
    with _alone(os.path.dirname(path) or "."):
        if not os.path.exists(path):
            for left in (f"{path}-wal", f"{path}-shm"):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(left)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


@contextlib.contextmanager
def _alone(directory: str) -> Iterator[None]:
    if sys.platform == "win32":  # where a file that is open cannot be deleted in the first place
        yield
        return
    import fcntl

    handle = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def _use_log(connection: sqlite3.Connection, deadline: float) -> None:
    """Sets the journal mode, which does not wait by itself while other processes do the same."""
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if _code(error) not in _LOCKED or time.monotonic() > deadline:
                raise
            time.sleep(0.005)


def _code(error: sqlite3.Error) -> int:
    """The primary result code; 0 for what the module raises itself."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF
