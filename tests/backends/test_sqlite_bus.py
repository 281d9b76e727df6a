"""What only the bus of one machine does: it watches a file, forgets old events, and loses its file now and then."""

# ruff: noqa: ASYNC240 - the loops of these tests have nothing else to do while a small file is touched

import sqlite3
from contextlib import AsyncExitStack, closing
from pathlib import Path

import pytest

from goldfish.backends import sqlite_bus
from goldfish.backends.clock import boot_time
from goldfish.backends.sqlite_bus import SqliteBus
from goldfish.backends.sqlite_file import Place
from goldfish.backends.sqlite_lane import Lane
from goldfish.ports import Unavailable

from .places import MANY, sqlite_at
from .support import event, in_loop, listening, peers, until


@in_loop
async def test_own_events_do_not_wait_for_the_next_look(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_bus, "INTERVAL", 3600.0)
    monkeypatch.setattr(sqlite_bus, "QUICK", 3600.0)
    async with AsyncExitStack() as stack:
        backend = await sqlite_at(path, stack)
        receiver = await stack.enter_async_context(listening(backend))
        for index in range(3):
            await backend.bus.publish(event(index))
            await receiver.until(index + 1)


class Hand:
    offset = 0.0

    def __call__(self) -> float:
        return boot_time() + self.offset


def pruned_bus(path: Path, hand: Hand, kept: float, kept_events: int) -> tuple[SqliteBus, Lane]:
    place = Place(str(path), elapsed=hand)
    lane = Lane(place, "test")
    return SqliteBus(place, lane, kept, kept_events), lane


def stored(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        count: int = connection.execute("SELECT COUNT(*) FROM events").fetchone()[0]
        return count


@in_loop
async def test_a_reader_that_keeps_up_misses_nothing_that_is_pruned(path: Path) -> None:
    async with AsyncExitStack() as stack:
        receiver = await stack.enter_async_context(listening(await sqlite_at(path, stack)))
        bus, lane = pruned_bus(path, Hand(), 600.0, 300)
        for index in range(2000):
            await bus.publish(event(index))
            await until(lambda: len(receiver.events) >= index - 200)  # noqa: B023
        await receiver.until(2000)
        await lane.close()
        assert (list(range(2000)), 0) == (receiver.numbers(), receiver.losses)
        assert 300 <= stored(path) <= 300 + sqlite_bus.PRUNE_EVERY


@in_loop
async def test_a_reader_that_fell_behind_what_is_kept_is_told(path: Path) -> None:
    async with AsyncExitStack() as stack:
        receiver = await stack.enter_async_context(listening(await sqlite_at(path, stack)))
        receiver.gate.clear()
        bus, lane = pruned_bus(path, Hand(), 600.0, 300)
        await bus.publish(event(0))
        await until(lambda: bool(receiver.batches))
        for index in range(1, 1024):
            await bus.publish(event(index))
        assert 0 == receiver.losses
        receiver.gate.set()
        await until(lambda: 1023 in receiver.numbers())
        await lane.close()
        assert ([0, *range(724, 1024)], 1) == (receiver.numbers(), receiver.losses)


@in_loop
async def test_events_are_forgotten_when_they_are_old(path: Path) -> None:
    async with AsyncExitStack() as stack:
        hand = Hand()
        receiver = await stack.enter_async_context(listening(await sqlite_at(path, stack)))
        bus, lane = pruned_bus(path, hand, 600.0, MANY)
        for index in range(200):
            await bus.publish(event(index))
        await receiver.until(200)
        hand.offset = 601.0
        for index in range(200, 300):
            await bus.publish(event(index))
        await receiver.until(300)
        await lane.close()
        assert (list(range(300)), 0) == (receiver.numbers(), receiver.losses)
        assert 100 == stored(path)


@in_loop
async def test_an_event_that_no_reader_took_yet_is_there_after_a_crash_of_its_publisher(path: Path) -> None:
    async with AsyncExitStack() as stack:
        receiver = await stack.enter_async_context(listening(await sqlite_at(path, stack)))
        receiver.gate.clear()
        async with peers(f"sqlite:{path}", 1) as [peer]:
            await peer.do("publish", "test", 50)
            peer.kill()
        receiver.gate.set()
        await receiver.until(50)
        assert (list(range(50)), 0) == (receiver.numbers(), receiver.losses)


# A file that goes away


@in_loop
async def test_a_bus_that_found_no_file_hears_when_there_is_one_and_says_that_it_missed_some(tmp_path: Path) -> None:
    path = tmp_path / "later" / "store.db"
    async with AsyncExitStack() as stack:
        backend = await sqlite_at(path, stack)
        receiver = await stack.enter_async_context(listening(backend))
        with pytest.raises(Unavailable):
            await backend.bus.publish(event(1))
        path.parent.mkdir()
        await until(lambda: receiver.losses == 1)
        await backend.bus.publish(event(2))
        await receiver.until(1)
        assert [2] == receiver.numbers()


@in_loop
async def test_a_bus_that_could_not_read_for_a_while_goes_on_where_it_was(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with AsyncExitStack() as stack:
        backend = await sqlite_at(path, stack)
        receiver = await stack.enter_async_context(listening(backend))
        await backend.bus.publish(event(1))
        await receiver.until(1)
        path.rename(path.with_name("aside"))
        path.mkdir()
        with pytest.raises(Unavailable):
            await backend.bus.publish(event(2))
        await until(lambda: "the bus hears nothing" in caplog.text)
        path.rmdir()
        path.with_name("aside").rename(path)
        await backend.bus.publish(event(3))
        await receiver.until(2)
        assert ([1, 3], 0) == (receiver.numbers(), receiver.losses)


@in_loop
async def test_a_bus_notices_that_its_file_went_back_to_an_older_copy(path: Path) -> None:
    async with AsyncExitStack() as stack:
        backend = await sqlite_at(path, stack)
        receiver = await stack.enter_async_context(listening(backend))
        await backend.bus.publish(event(1))
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("VACUUM INTO ?", (str(path.with_name("older")),))
        await backend.bus.publish(event(2))
        await receiver.until(2)
        for left in ("store.db-wal", "store.db-shm"):
            path.with_name(left).unlink()
        path.with_name("older").rename(path)
        await until(lambda: receiver.losses == 1)
        await backend.bus.publish(event(3))
        await receiver.until(3)
        assert [1, 2, 3] == receiver.numbers()
