"""What every store keeps to, whichever place it is: goldfish.ports is the contract."""

import asyncio
import time
from contextlib import AsyncExitStack

import pytest

from goldfish.ports import Caps, Full, Record, TaskStore

from .conftest import Lab
from .support import Peer, in_loop, peers

MANY = 1_000_000


async def opened(lab: Lab, stack: AsyncExitStack) -> TaskStore:
    store = lab.open().tasks
    await store.start()
    stack.push_async_callback(store.stop)
    return store


# Records


@in_loop
async def test_a_new_record_has_version_one(lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        store = await opened(lab, stack)
        assert None is await store.get("a")
        assert await store.add("a", b"body", None)
        assert Record(b"body", 1) == await store.get("a")


@pytest.mark.parametrize("body", [b"", b"\x00\xff\r\n'\"", bytes(range(256)) * 4096], ids=["empty", "odd", "1 MiB"])
@in_loop
async def test_a_body_comes_back_byte_for_byte(lab: Lab, body: bytes) -> None:
    async with AsyncExitStack() as stack:
        store = await opened(lab, stack)
        await store.add("a", body, None)
        await store.add("b", b"-", None)
        assert await store.swap("b", 1, body)
        assert [Record(body, 1), Record(body, 2)] == [await store.get("a"), await store.get("b")]


@in_loop
async def test_a_key_that_is_taken_is_refused_and_its_record_stays(lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        store = await opened(lab, stack)
        await store.add("a", b"first", None)
        assert not await store.add("a", b"second", None)
        assert Record(b"first", 1) == await store.get("a")


@in_loop
async def test_keys_are_told_apart_whatever_is_in_them(lab: Lab) -> None:
    keys = ["a", "A", "a:b", "a*", "a b", "ä", "", "'", "a\n", "a\x00"]
    async with AsyncExitStack() as stack:
        store = await opened(lab, stack)
        for key in keys:
            assert await store.add(key, key.encode(), None, owner=key)
        assert [Record(key.encode(), 1) for key in keys] == [await store.get(key) for key in keys]


@in_loop
async def test_a_swap_replaces_the_body_and_raises_the_version(lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        store = await opened(lab, stack)
        await store.add("a", b"1", None)
        assert await store.swap("a", 1, b"2")
        assert await store.swap("a", 2, b"3")
        assert Record(b"3", 3) == await store.get("a")


@pytest.mark.parametrize("version", [0, 1, 3, -2])
@in_loop
async def test_a_swap_of_another_version_changes_nothing(lab: Lab, version: int) -> None:
    async with AsyncExitStack() as stack:
        store = await opened(lab, stack)
        await store.add("a", b"1", None)
        await store.swap("a", 1, b"2")
        assert not await store.swap("a", version, b"other")
        assert Record(b"2", 2) == await store.get("a")


@in_loop
async def test_a_swap_of_a_record_that_is_not_there_makes_none(lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        store = await opened(lab, stack)
        assert not await store.swap("a", 1, b"body")
        assert None is await store.get("a")


@in_loop
async def test_of_many_swaps_at_once_one_wins(lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        stores = [await opened(lab, stack) for _ in range(4)]
        await stores[0].add("a", b"first", None)
        swaps = [stores[index % 4].swap("a", 1, str(index).encode()) for index in range(100)]
        won = [index for index, result in enumerate(await asyncio.gather(*swaps)) if result]
        assert 1 == len(won)
        assert Record(str(won[0]).encode(), 2) == await stores[0].get("a")


@in_loop
async def test_of_two_swaps_from_two_processes_one_wins(shared_lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        store = await opened(shared_lab, stack)
        one, two = await stack.enter_async_context(peers(shared_lab.url, 2))
        for round in range(30):
            await store.add(f"{round}", b"first", None)
            results = await asyncio.gather(one.do("swap", f"{round}", 1, "one"), two.do("swap", f"{round}", 1, "two"))
            assert [False, True] == sorted(results)
            assert Record(b"one" if results[0] else b"two", 2) == await store.get(f"{round}")


@in_loop
async def test_no_change_is_lost_between_processes_that_compare_and_set(shared_lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        store = await opened(shared_lab, stack)
        others = await stack.enter_async_context(peers(shared_lab.url, 2))
        await store.add("sum", b"0", None)
        await asyncio.gather(*(peer.do("count_up", "sum", 150) for peer in others))
        assert Record(b"300", 301) == await store.get("sum")


# Expiry


@in_loop
async def test_a_record_is_gone_when_it_expires(lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        store = await opened(lab, stack)
        await store.add("a", b"body", store.now() + 100)
        lab.advance(90)
        assert Record(b"body", 1) == await store.get("a")
        lab.advance(11)
        assert None is await store.get("a")
        assert not await store.swap("a", 1, b"other")
        assert None is await store.get("a")


@in_loop
async def test_a_key_is_free_again_when_its_record_has_expired(lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        store = await opened(lab, stack)
        await store.add("a", b"old", store.now() + 100)
        await store.swap("a", 1, b"older")
        lab.advance(101)
        assert await store.add("a", b"new", None)
        assert Record(b"new", 1) == await store.get("a")


@in_loop
async def test_a_swap_does_not_put_off_the_expiry(lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        store = await opened(lab, stack)
        await store.add("a", b"1", store.now() + 100)
        lab.advance(90)
        assert await store.swap("a", 1, b"2")
        lab.advance(11)
        assert None is await store.get("a")


@in_loop
async def test_a_record_without_expiry_stays(lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        store = await opened(lab, stack)
        await store.add("a", b"body", None, "me", Caps(1, 1))
        lab.advance(3e8)
        assert Record(b"body", 1) == await store.get("a")
        with pytest.raises(Full):
            await store.add("b", b"body", None, "me", Caps(1, 1))


@in_loop
async def test_a_record_that_has_expired_before_it_is_added_is_never_seen(lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        store = await opened(lab, stack)
        assert await store.add("a", b"body", store.now() - 1, "me", Caps(1, 1))
        assert None is await store.get("a")
        assert await store.add("b", b"body", store.now() + 100, "me", Caps(1, 1))


# Caps


@in_loop
async def test_an_owner_has_no_more_records_than_the_cap(lab: Lab) -> None:
    caps = Caps(2, MANY)
    async with AsyncExitStack() as stack:
        store = await opened(lab, stack)
        await store.add("a", b"", None, "me", caps)
        await store.add("b", b"", None, "me", caps)
        with pytest.raises(Full, match=r"^the cap of 2 live records per owner is reached$"):
            await store.add("c", b"", None, "me", caps)
        assert None is await store.get("c")
        assert await store.add("d", b"", None, "you", caps)


@in_loop
async def test_all_owners_together_have_no_more_records_than_the_total_cap(lab: Lab) -> None:
    caps = Caps(MANY, 2)
    async with AsyncExitStack() as stack:
        store = await opened(lab, stack)
        await store.add("mine", b"", None, "me", caps)
        await store.add("nobody's", b"", None)
        await store.add("yours", b"", None, "you", caps)
        with pytest.raises(Full, match=r"^the cap of 2 live records in total is reached$"):
            await store.add("theirs", b"", None, "they", caps)
        assert await store.add("another of nobody", b"", None, None, caps)


@in_loop
async def test_an_expired_record_makes_room(lab: Lab) -> None:
    caps = Caps(2, 3)
    async with AsyncExitStack() as stack:
        store = await opened(lab, stack)
        await store.add("short", b"", store.now() + 100, "me", caps)
        await store.add("long", b"", store.now() + 1000, "me", caps)
        await store.add("yours", b"", store.now() + 100, "you", caps)
        for owner in ("me", "they"):
            with pytest.raises(Full):
                await store.add("new", b"", None, owner, caps)
        lab.advance(101)
        assert await store.add("new", b"", None, "me", caps)
        with pytest.raises(Full, match="per owner"):
            await store.add("newer", b"", None, "me", caps)
        assert await store.add("theirs", b"", None, "they", caps)
        with pytest.raises(Full, match="in total"):
            await store.add("newest", b"", None, "you", caps)


@in_loop
async def test_a_key_that_is_taken_is_refused_as_such_where_the_cap_is_reached_too(lab: Lab) -> None:
    caps = Caps(1, 1)
    async with AsyncExitStack() as stack:
        store = await opened(lab, stack)
        await store.add("a", b"", None, "me", caps)
        assert not await store.add("a", b"", None, "me", caps)


@in_loop
async def test_what_was_added_without_caps_counts_when_caps_are_asked_for(lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        store = await opened(lab, stack)
        await store.add("a", b"", None, "me")
        with pytest.raises(Full):
            await store.add("b", b"", None, "me", Caps(1, MANY))


@in_loop
async def test_a_cap_holds_against_many_at_once(lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        stores = [await opened(lab, stack) for _ in range(4)]
        adds = [stores[index % 4].add(f"{index}", b"", None, "me", Caps(10, MANY)) for index in range(60)]
        results = await asyncio.gather(*adds, return_exceptions=True)
        assert (10, 50) == (results.count(True), sum(isinstance(result, Full) for result in results))


@in_loop
async def test_a_cap_holds_across_processes(shared_lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        one, two = await stack.enter_async_context(peers(shared_lab.url, 2))

        async def fill(peer: Peer, name: str) -> list[str]:
            return [await peer.do("add", f"{name} {index}", None, "me", 9) for index in range(9)]

        first, second = await asyncio.gather(fill(one, "one"), fill(two, "two"))
        results = first + second
        assert (9, 9) == (results.count("True"), results.count("Full"))


# The store as a whole


@in_loop
async def test_the_incarnation_stays_when_a_store_is_opened_again(lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        store = await opened(lab, stack)
        name = await store.incarnation()
        await store.add("a", b"body", None)
        await store.stop()
        again = await opened(lab, stack)
        assert name == await again.incarnation()
        assert Record(b"body", 1) == await again.get("a")
        assert "" != name


@in_loop
async def test_all_processes_see_one_incarnation(shared_lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        others = await stack.enter_async_context(peers(shared_lab.url, 2))
        names = await asyncio.gather(*(peer.do("incarnation") for peer in others))
        assert {await (await opened(shared_lab, stack)).incarnation()} == set(names)


@in_loop
async def test_a_store_that_forgot_everything_has_another_incarnation(lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        store = await opened(lab, stack)
        name = await store.incarnation()
        await store.add("a", b"body", None)
        lab.forget()
        again = await opened(lab, stack)
        assert name != await again.incarnation()
        assert None is await again.get("a")


@in_loop
async def test_a_store_that_is_open_notices_that_it_forgot_everything(shared_lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        store = await opened(shared_lab, stack)
        name = await store.incarnation()
        await store.add("a", b"body", None)
        shared_lab.forget()
        assert None is await store.get("a")
        assert name != await store.incarnation()
        assert await store.add("a", b"new", None)


@in_loop
async def test_the_clock_of_a_store_starts_at_the_wall_time_and_only_grows(lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        store = await opened(lab, stack)
        assert store.now() == pytest.approx(time.time(), abs=1.0)
        readings = []
        for _ in range(20):
            readings += [store.now(), store.now()]
            await store.incarnation()
        assert sorted(readings) == readings


@in_loop
async def test_setting_the_wall_clock_changes_nothing(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    async with AsyncExitStack() as stack:
        store = await opened(lab, stack)
        before = store.now()
        monkeypatch.setattr(time, "time", lambda: 0.0)
        late = await opened(lab, stack)
        assert store.now() == pytest.approx(before, abs=1.0)
        assert late.now() == pytest.approx(before, abs=1.0)


@in_loop
async def test_the_clocks_of_all_processes_agree(shared_lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        store = await opened(shared_lab, stack)
        [peer] = await stack.enter_async_context(peers(shared_lab.url, 1))
        before = store.now()
        there = await peer.do("now")
        assert before - 0.05 <= there <= store.now() + 0.05


@in_loop
async def test_a_store_that_can_be_reached_passes_its_check(lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        store = await opened(lab, stack)
        await store.check()


@in_loop
async def test_a_store_works_without_a_start_and_after_a_stop(lab: Lab) -> None:
    store = lab.open().tasks
    assert await store.add("a", b"body", None)
    await store.stop()
    await store.stop()
    assert Record(b"body", 1) == await store.get("a")
    await store.stop()
