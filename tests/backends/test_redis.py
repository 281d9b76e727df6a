"""What only the back-end of many machines does: a server that dies, comes back, hangs or is full."""

import asyncio
import time
from contextlib import AsyncExitStack

import pytest

from goldfish.backends.redis import CONNECTIONS, RedisBackend
from goldfish.ports import Caps, Record, Unavailable

from .places import client, redis_at
from .redis_server import RedisServer
from .support import event, in_loop, listening, until

# A server that dies


@in_loop
async def test_a_server_that_writes_down_everything_is_the_same_after_it_was_killed(lasting: RedisServer) -> None:
    async with AsyncExitStack() as stack:
        backend = await redis_at(lasting.url, stack)
        receiver = await stack.enter_async_context(listening(backend))
        store = backend.tasks
        name = await store.incarnation()
        await store.add("a", b"1", None, "me", Caps(1, 1))
        await store.swap("a", 1, b"2")
        await backend.bus.publish(event(1))
        await receiver.until(1)
        lasting.kill()
        for call in (store.get("a"), store.swap("a", 2, b"3"), store.check(), backend.bus.publish(event(2))):
            with pytest.raises(Unavailable, match=r"^redis://127\.0\.0\.1:\d+/0: "):
                await call
        lasting.start()
        assert (Record(b"2", 2), name) == (await store.get("a"), await store.incarnation())
        assert await store.swap("a", 2, b"3")
        await backend.bus.publish(event(3))
        await receiver.until(2)
        assert ([1, 3], 0) == (receiver.numbers(), receiver.losses)


@in_loop
async def test_a_server_that_forgot_everything_is_another_one(forgetful: RedisServer) -> None:
    async with AsyncExitStack() as stack:
        backend = await redis_at(forgetful.url, stack)
        receiver = await stack.enter_async_context(listening(backend))
        name = await backend.tasks.incarnation()
        await backend.tasks.add("a", b"1", None)
        await backend.bus.publish(event(1))
        await receiver.until(1)
        forgetful.kill()
        forgetful.start()
        assert None is await backend.tasks.get("a")
        assert name != await backend.tasks.incarnation()
        await until(lambda: receiver.losses == 1)
        await backend.bus.publish(event(2))
        await receiver.until(2)
        assert ([1, 2], 1) == (receiver.numbers(), receiver.losses)


@in_loop
async def test_a_server_that_went_back_to_a_snapshot_is_another_one(forgetful: RedisServer) -> None:
    """It still has its name, and would deny what it has answered since: a cancelled task would work again."""
    async with AsyncExitStack() as stack:
        backend = await redis_at(forgetful.url, stack)
        receiver = await stack.enter_async_context(listening(backend))
        other = await redis_at(forgetful.url, stack)
        name = await backend.tasks.incarnation()
        await backend.tasks.add("a", b"1", None)
        await backend.bus.publish(event(1))
        client(forgetful).save()
        await backend.tasks.swap("a", 1, b"2")
        await backend.bus.publish(event(2))
        await receiver.until(2)
        forgetful.kill()
        forgetful.start()
        assert Record(b"1", 1) == await backend.tasks.get("a")
        names = [await each.tasks.incarnation() for each in (backend, other, backend)]
        assert name != names[0]
        assert [names[0]] * 3 == names
        await until(lambda: receiver.losses == 1)


@in_loop
async def test_calls_that_change_something_find_new_connections_after_a_restart(forgetful: RedisServer) -> None:
    async with AsyncExitStack() as stack:
        store = (await redis_at(forgetful.url, stack)).tasks
        await asyncio.gather(*(store.get("a") for _ in range(CONNECTIONS)))
        forgetful.kill()
        forgetful.start()
        await store.get("a")
        assert [True] * CONNECTIONS == await asyncio.gather(
            *(store.add(f"{index}", b"", None) for index in range(CONNECTIONS))
        )


@in_loop
async def test_a_server_that_was_stopped_and_lost_nothing_keeps_its_name(forgetful: RedisServer) -> None:
    async with AsyncExitStack() as stack:
        store = (await redis_at(forgetful.url, stack)).tasks
        name = await store.incarnation()
        await store.add("a", b"1", None)
        client(forgetful).save()
        forgetful.kill()
        forgetful.start()
        assert (Record(b"1", 1), name) == (await store.get("a"), await store.incarnation())


# A server that does not answer


@in_loop
async def test_a_server_that_hangs_fails_every_call_in_time_and_mixes_up_no_answers(forgetful: RedisServer) -> None:
    async with AsyncExitStack() as stack:
        backend = await redis_at(forgetful.url, stack, patience=0.2)
        store = backend.tasks
        for key in ("a", "b"):
            await store.add(key, key.encode(), None)
        forgetful.pause()
        began = time.monotonic()
        calls = [*(store.get("a") for _ in range(50)), *(backend.bus.publish(event(1)) for _ in range(50))]
        results = await asyncio.gather(*calls, return_exceptions=True)
        took = time.monotonic() - began
        forgetful.resume()
        assert {f"{backend.url} did not answer within 0.2 s"} == set(map(str, results))
        assert took < 1.5
        for _ in range(50):
            assert [Record(b"b", 1), Record(b"a", 1)] == [await store.get("b"), await store.get("a")]
        await backend.bus.stop()


@in_loop
async def test_calls_at_once_share_a_few_connections(forgetful: RedisServer) -> None:
    async with AsyncExitStack() as stack:
        backend = await redis_at(forgetful.url, stack)
        await asyncio.gather(*(backend.tasks.add(f"{index}", b"", None) for index in range(300)))
        with client(forgetful) as watching:
            assert CONNECTIONS + 1 >= len(watching.client_list())


@in_loop
async def test_nothing_stays_connected_after_the_stop(forgetful: RedisServer) -> None:
    async with AsyncExitStack() as stack:
        backend = await redis_at(forgetful.url, stack)
        receiver = await stack.enter_async_context(listening(backend))
        await backend.bus.publish(event(1))
        await receiver.until(1)
    with client(forgetful) as watching:
        await until(lambda: len(watching.client_list()) == 1)


@in_loop
async def test_a_server_that_takes_no_writes_fails_the_check(forgetful: RedisServer) -> None:
    async with AsyncExitStack() as stack:
        store = (await redis_at(forgetful.url, stack)).tasks
        await store.check()
        with client(forgetful) as other:
            other.config_set("maxmemory", 1)
        for call in (store.check(), store.add("a", b"", None)):
            with pytest.raises(Unavailable, match="maxmemory"):
                await call


@in_loop
async def test_a_password_opens_the_server_and_is_never_shown(forgetful: RedisServer) -> None:
    with client(forgetful) as other:
        other.config_set("requirepass", "secret")
    for password, expected in (("secret", True), ("secretly", False), ("", False)):
        async with AsyncExitStack() as stack:
            backend = await redis_at(forgetful.url.replace("://", f"://:{password}@"), stack)
            try:
                await backend.tasks.check()
                assert expected
            except Unavailable as error:
                assert not expected
                assert "secret" not in str(error)
                assert str(error).startswith(f"redis://127.0.0.1:{forgetful.port}/0: ")


# What lies on the server


@in_loop
async def test_all_keys_begin_with_the_prefix_and_two_prefixes_are_strangers(forgetful: RedisServer) -> None:
    async with AsyncExitStack() as stack:
        one, two = await redis_at(forgetful.url, stack), await redis_at(f"{forgetful.url}?prefix=other.", stack)
        receiver = await stack.enter_async_context(listening(two))
        await stack.enter_async_context(listening(one))
        await one.tasks.add("a", b"", None, "me", Caps(1, 1))
        await one.bus.publish(event(1))
        assert await two.tasks.add("a", b"", None, "me", Caps(1, 1))
        assert await one.tasks.incarnation() != await two.tasks.incarnation()
        await two.bus.publish(event(2))
        await receiver.until(1)
        assert [2] == receiver.numbers()
        with client(forgetful) as other:
            names = {key.decode() for key in other.scan_iter()}
    own = ("record:a", "owner:me", "owned", "events", "published", "writes", "incarnation")
    assert {prefix + name for prefix in ("goldfish:", "other.") for name in own} == names


@in_loop
async def test_the_server_itself_forgets_what_has_expired(forgetful: RedisServer) -> None:
    async with AsyncExitStack() as stack:
        store = (await redis_at(forgetful.url, stack)).tasks
        await store.add("a", b"", store.now() + 0.05, "me", Caps(9, 9))
        await store.add("b", b"", store.now() + 0.1, "me", Caps(9, 9))
        with client(forgetful) as other:
            await until(lambda: {b"goldfish:incarnation", b"goldfish:writes"} == set(other.scan_iter()))


@in_loop
async def test_the_set_of_an_owner_lives_as_long_as_the_longest_of_its_records(forgetful: RedisServer) -> None:
    async with AsyncExitStack() as stack:
        store = (await redis_at(forgetful.url, stack)).tasks
        expires = store.now() + 1000
        for key, until_then in (("a", expires), ("b", expires - 500)):
            await store.add(key, b"", until_then, "me")
        with client(forgetful) as other:
            assert round(expires) == pytest.approx(other.expiretime("goldfish:owner:me"), abs=1)
            await store.add("c", b"", None, "me")
            assert -1 == other.ttl("goldfish:owner:me")
            assert -1 == other.ttl("goldfish:owned")


@in_loop
async def test_time_is_the_server_s(forgetful: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    true = time.time
    monkeypatch.setattr(time, "time", lambda: true() - 3600)
    async with AsyncExitStack() as stack:
        store = (await redis_at(forgetful.url, stack)).tasks
        assert store.now() == pytest.approx(true(), abs=1.0)


@in_loop
async def test_a_clock_that_was_read_before_the_server_answered_does_not_go_back(
    forgetful: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = time.time
    monkeypatch.setattr(time, "time", lambda: true() + 3600)
    async with AsyncExitStack() as stack:
        backend = RedisBackend(forgetful.url)
        stack.push_async_callback(backend.tasks.stop)
        before = backend.tasks.now()
        await backend.tasks.start()
        assert before <= backend.tasks.now() <= before + 1.0
