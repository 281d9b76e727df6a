"""What only the back-end of one machine does: a file that others lock, delete, damage, or may not read."""

# ruff: noqa: ASYNC240 - the loops of these tests have nothing else to do while a small file is touched

import asyncio
import os
import sqlite3
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, closing
from pathlib import Path

import pytest

from goldfish.backends import sqlite_file
from goldfish.backends.sqlite import SqliteBackend
from goldfish.ports import Event, Record, Unavailable

from .places import MANY, sqlite_at
from .support import event, in_loop, listening, peers, until


def locked(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute("BEGIN IMMEDIATE")
    return connection


# The file


@in_loop
async def test_the_files_are_for_their_owner_alone(path: Path) -> None:
    before = os.umask(0)
    try:
        async with AsyncExitStack() as stack:
            await (await sqlite_at(path, stack)).tasks.add("a", b"", None)
            modes = {each.name: stat.filemode(each.stat().st_mode) for each in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert {name: "-rw-------" for name in ("store.db", "store.db-wal", "store.db-shm")} == modes


@in_loop
async def test_the_permissions_of_a_file_that_exists_are_left_alone(path: Path) -> None:
    path.touch(0o640)
    path.chmod(0o640)
    async with AsyncExitStack() as stack:
        await (await sqlite_at(path, stack)).tasks.add("a", b"", None)
    assert "-rw-r-----" == stat.filemode(path.stat().st_mode)


@in_loop
async def test_many_processes_can_make_the_file_at_once(path: Path) -> None:
    async with peers(f"sqlite:{path}", 4) as others:
        names = await asyncio.gather(*(peer.do("incarnation") for peer in others))
    assert 1 == len(set(names))


@in_loop
async def test_a_killed_process_loses_nothing_that_it_was_told_is_kept(path: Path) -> None:
    async with AsyncExitStack() as stack:
        async with peers(f"sqlite:{path}", 1) as [peer]:
            for index in range(50):
                assert "True" == await peer.do("add", f"{index}", None, "me", 50)
            peer.kill()
        store = (await sqlite_at(path, stack)).tasks
        assert [Record(b"", 1)] * 50 == [await store.get(f"{index}") for index in range(50)]


@in_loop
async def test_nothing_stays_open_after_the_stop(path: Path) -> None:
    backend = SqliteBackend(str(path))
    async with listening(backend) as receiver:
        await backend.bus.publish(event(1))
        await receiver.until(1)
        await backend.tasks.get("a")
    await backend.tasks.stop()
    await until(lambda: not any("goldfish" in thread.name for thread in threading.enumerate()))
    if Path("/proc/self/fd").exists():
        assert not any(str(path) in os.path.realpath(each) for each in Path("/proc/self/fd").iterdir())
    assert ["store.db"] == [each.name for each in path.parent.iterdir()]


@in_loop
async def test_the_event_loop_never_touches_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect, threads = sqlite3.connect, []

    class Watched(sqlite3.Connection):
        def execute(self, *arguments: object) -> sqlite3.Cursor:
            threads.append(threading.get_ident())
            return super().execute(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(sqlite3, "connect", lambda *given, **named: connect(*given, **named, factory=Watched))
    backend = SqliteBackend(str(path))
    async with listening(backend) as receiver:
        await backend.tasks.start()
        await backend.tasks.add("a", b"", None)
        await backend.tasks.swap("a", 1, b"")
        await backend.tasks.get("a")
        await backend.tasks.check()
        await backend.bus.publish(event(1))
        await receiver.until(1)
    await backend.tasks.stop()
    assert len(threads) > 10
    assert threading.get_ident() not in threads


# A file that others hold


@in_loop
async def test_a_locked_file_delays_only_those_who_write(path: Path) -> None:
    async with AsyncExitStack() as stack:
        backend = await sqlite_at(path, stack)
        receiver = await stack.enter_async_context(listening(backend))
        await backend.tasks.add("a", b"1", None)
        with closing(locked(path)) as other:
            swap = asyncio.create_task(backend.tasks.swap("a", 1, b"2"))
            publish = asyncio.create_task(backend.bus.publish(event(1)))
            began, turns, slowest = time.monotonic(), 0, 0.0
            while time.monotonic() < began + 1.0:
                turn = time.monotonic()
                assert Record(b"1", 1) == await backend.tasks.get("a")
                slowest = max(slowest, time.monotonic() - turn)
                turns += 1
            assert (False, False) == (swap.done(), publish.done())
            other.execute("ROLLBACK")
        assert turns > 100
        assert slowest < 0.5
        assert await swap
        await publish
        await receiver.until(1)
        assert Record(b"2", 2) == await backend.tasks.get("a")


@in_loop
async def test_calls_behind_a_lock_that_stays_fail_together_and_soon(path: Path) -> None:
    async with AsyncExitStack() as stack:
        backend = await sqlite_at(path, stack, busy=0.2)
        with closing(locked(path)):
            began = time.monotonic()
            adds = (backend.tasks.add(f"{index}", b"", None) for index in range(20))
            results = await asyncio.gather(*adds, return_exceptions=True)
            took = time.monotonic() - began
            with pytest.raises(Unavailable, match=r"is locked for longer than 0\.2 s"):
                await backend.tasks.check()
        assert {f"sqlite:{path} is locked for longer than 0.2 s"} == set(map(str, results))
        assert took < 1.5, "one after the other they would have taken 4 s"
        assert await backend.tasks.add("0", b"", None)


# A file that is of no use


def no_database(path: Path) -> None:
    path.write_bytes(b"This is a letter, and not a database.\n" * 100)


def of_another_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (value)")


def of_a_later_version(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA application_id = {0x476C6466}")
        connection.execute("PRAGMA user_version = 2")


def directory(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (no_database, "is not a database"),
        (of_another_program, "is the database of another program"),
        (of_a_later_version, "has layout 2, and this version knows layout 1"),
        (directory, "cannot be opened"),
    ],
)
@in_loop
async def test_a_file_that_is_of_no_use_is_named_with_the_reason_and_left_alone(
    path: Path, make: Callable[[Path], None], why: str
) -> None:
    make(path)
    before = None if path.is_dir() else path.read_bytes()
    async with AsyncExitStack() as stack:
        backend = await sqlite_at(path, stack)
        store = backend.tasks
        for call in (store.check(), store.get("a"), store.incarnation(), backend.bus.publish(event(1))):
            with pytest.raises(Unavailable) as caught:
                await call
            assert f"sqlite:{path} {why}" == str(caught.value)
            assert str(path) not in caught.value.message
    assert before == (None if path.is_dir() else path.read_bytes())


@in_loop
async def test_a_missing_directory_is_named_and_not_made(tmp_path: Path) -> None:
    path = tmp_path / "none" / "store.db"
    async with AsyncExitStack() as stack:
        backend = await sqlite_at(path, stack)
        with pytest.raises(Unavailable, match="cannot be made: its directory does not exist"):
            await backend.tasks.check()
    assert [] == list(tmp_path.iterdir())


@pytest.fixture
def powerless() -> Iterator[Path]:
    """A directory of an ordinary user, who the test is while it runs: root may write everything."""
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        if os.geteuid() == 0:
            os.chown(place, 65534, 65534)
            os.seteuid(65534)
            try:
                yield place
            finally:
                os.seteuid(0)
        else:
            yield place


@in_loop
async def test_a_file_that_is_read_only_can_be_read_and_fails_its_check(powerless: Path) -> None:
    path = powerless / "store.db"
    async with AsyncExitStack() as stack:
        await (await sqlite_at(path, stack)).tasks.add("a", b"1", None)
    path.chmod(0o400)
    async with AsyncExitStack() as stack:
        store = (await sqlite_at(path, stack)).tasks
        assert Record(b"1", 1) == await store.get("a")
        for call in (store.check(), store.swap("a", 1, b"2")):
            with pytest.raises(Unavailable, match="is read-only"):
                await call


# A file that goes away


@in_loop
async def test_processes_that_share_a_file_meet_again_in_a_new_one(path: Path) -> None:
    """Only the database is deleted, and the log beside it stays, while two processes have both open."""
    async with AsyncExitStack() as stack:
        one, two = [await sqlite_at(path, stack) for _ in range(2)]
        await one.tasks.add("a", b"1", None)
        await two.tasks.add("b", b"2", None)
        name = await one.tasks.incarnation()
        path.unlink()
        assert await one.tasks.add("c", b"3", None)
        assert await two.tasks.add("d", b"4", None)
        assert name != await one.tasks.incarnation() == await two.tasks.incarnation()
        for each in (one.tasks, two.tasks):
            assert [None, None, Record(b"3", 1), Record(b"4", 1)] == [await each.get(key) for key in "abcd"]
    with closing(sqlite3.connect(path)) as connection:
        assert [("ok",)] == connection.execute("PRAGMA integrity_check").fetchall()


@in_loop
async def test_the_log_of_a_deleted_file_does_not_become_that_of_the_new_one(path: Path) -> None:
    """Another process still has the deleted file open, and says so in the memory that both would share."""
    async with AsyncExitStack() as stack:
        [peer] = await stack.enter_async_context(peers(f"sqlite:{path}", 1))
        for index in range(200):
            await peer.do("add", f"old {index}", None, "me", MANY)
        path.unlink()
        store = (await sqlite_at(path, stack)).tasks
        for index in range(20):
            assert await store.add(f"new {index}", b"", None)
        assert "True" == await peer.do("add", "new of another", None, "me", 1)
        assert [None, Record(b"", 1), Record(b"", 1)] == [
            await store.get(key) for key in ("old 0", "new 0", "new of another")
        ]
    with closing(sqlite3.connect(path)) as connection:
        assert [("ok",)] == connection.execute("PRAGMA integrity_check").fetchall()


# The clock


@in_loop
async def test_after_a_new_start_of_the_machine_the_clock_is_not_behind_what_the_file_has_seen(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with AsyncExitStack() as stack:
        backend = await sqlite_at(path, stack)
        await backend.bus.publish(Event("test", "notifications/test"))
        before = backend.tasks.now()
    monkeypatch.setattr(sqlite_file, "boot_id", lambda: "the next one")
    monkeypatch.setattr(time, "time", lambda: before - 3600)
    async with AsyncExitStack() as stack:
        store = (await sqlite_at(path, stack)).tasks
        assert before - 1 <= store.now() <= before + 5


@in_loop
async def test_without_a_name_for_the_start_of_the_machine_the_wall_time_counts(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "boot_id", lambda: None)
    async with AsyncExitStack() as stack:
        store = (await sqlite_at(path, stack)).tasks
        assert store.now() == pytest.approx(time.time(), abs=1.0)
