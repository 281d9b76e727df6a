"""What only the bus of many machines does: it comes back to its place in a stream, where there still is one."""

from contextlib import AsyncExitStack

from .places import bus_at, client, hears, redis_at
from .redis_server import RedisServer
from .support import event, in_loop, listening, peers, until


@in_loop
async def test_a_reader_that_fell_behind_what_is_kept_is_told(forgetful: RedisServer) -> None:
    async with AsyncExitStack() as stack:
        bus = bus_at(forgetful.url, kept_events=200)
        receiver = await hears(bus, stack)
        receiver.gate.clear()
        await bus.publish(event(0))
        await until(lambda: bool(receiver.batches))
        for index in range(1, 1000):
            await bus.publish(event(index))
        assert 0 == receiver.losses
        receiver.gate.set()
        await until(lambda: 999 in receiver.numbers())
        numbers = receiver.numbers()
        assert 1 == receiver.losses
        assert [0, *range(numbers[1], 1000)] == numbers
        assert 200 <= len(numbers) - 1 <= 320


@in_loop
async def test_a_reader_that_keeps_up_misses_nothing_that_is_trimmed(forgetful: RedisServer) -> None:
    async with AsyncExitStack() as stack:
        bus = bus_at(forgetful.url, kept_events=200)
        receiver = await hears(bus, stack)
        for index in range(1500):
            await bus.publish(event(index))
            await until(lambda: len(receiver.events) >= index - 100)  # noqa: B023
        await receiver.until(1500)
        assert (list(range(1500)), 0) == (receiver.numbers(), receiver.losses)


@in_loop
async def test_a_reader_that_waits_notices_that_everything_was_deleted(forgetful: RedisServer) -> None:
    async with AsyncExitStack() as stack:
        bus = bus_at(forgetful.url, block=0.05)
        receiver = await hears(bus, stack)
        with client(forgetful) as other:
            other.flushall()
        await until(lambda: receiver.losses == 1)
        await bus.publish(event(1))
        await receiver.until(1)
        assert ([1], 1) == (receiver.numbers(), receiver.losses)


@in_loop
async def test_a_reader_whose_connection_is_cut_comes_back_and_misses_nothing(forgetful: RedisServer) -> None:
    async with AsyncExitStack() as stack:
        bus = bus_at(forgetful.url)
        receiver = await hears(bus, stack)
        with client(forgetful) as other:
            for index in range(20):
                if index % 5 == 0:
                    for each in other.client_list():
                        if "xread" in each["cmd"]:
                            other.client_kill(each["addr"])
                await bus.publish(event(index))
        await receiver.until(20)
        assert (list(range(20)), 0) == (receiver.numbers(), receiver.losses)


@in_loop
async def test_what_was_published_while_a_reader_was_away_arrives_when_it_is_back(lasting: RedisServer) -> None:
    async with AsyncExitStack() as stack:
        receiver = await hears(bus_at(lasting.url), stack)
        [peer] = await stack.enter_async_context(peers(lasting.url, 1))
        await peer.do("publish", "test", 10)
        await receiver.until(10)
        lasting.kill()
        lasting.start()
        await peer.do("publish", "test", 10)
        await receiver.until(20)
        assert ([*range(10), *range(10)], 0) == (receiver.numbers(), receiver.losses)


@in_loop
async def test_a_server_that_went_back_and_forgot_nothing_but_events_says_so_to_its_readers(
    forgetful: RedisServer,
) -> None:
    async with AsyncExitStack() as stack:
        backend = await redis_at(forgetful.url, stack)
        receiver = await stack.enter_async_context(listening(backend))
        name = await backend.tasks.incarnation()
        client(forgetful).save()
        await backend.bus.publish(event(1))
        await receiver.until(1)
        forgetful.kill()
        forgetful.start()
        assert name == await backend.tasks.incarnation()
        await until(lambda: receiver.losses == 1)


@in_loop
async def test_a_bus_whose_server_is_away_at_the_start_hears_later_and_says_that_it_missed_some(
    forgetful: RedisServer,
) -> None:
    forgetful.kill()
    async with AsyncExitStack() as stack:
        backend = await redis_at(forgetful.url, stack)
        receiver = await stack.enter_async_context(listening(backend))
        assert 0 == receiver.losses
        forgetful.start()
        await until(lambda: receiver.losses == 1)
        await backend.bus.publish(event(1))
        await receiver.until(1)
        assert ([1], 1) == (receiver.numbers(), receiver.losses)
