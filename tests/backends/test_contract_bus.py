"""What every bus keeps to, whichever place it is: goldfish.ports is the contract."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack

import pytest

from goldfish.ports import Backend, Event

from .conftest import Lab
from .support import Receiver, event, in_loop, listening, number, peers, until


async def listener(lab: Lab, stack: AsyncExitStack) -> tuple[Backend, Receiver]:
    backend = lab.open()
    receiver = await stack.enter_async_context(listening(backend))
    return backend, receiver


@in_loop
async def test_an_event_reaches_every_receiver_once_and_unchanged(lab: Lab) -> None:
    sent = Event("resource:файл ?*", "notifications/resources/updated", b'{"uri":"a\\u0000b \xc3\xa9"}')
    async with AsyncExitStack() as stack:
        backend, receiver = await listener(lab, stack)
        receivers = [receiver]
        if lab.url:
            receivers.append((await listener(lab, stack))[1])
        await backend.bus.publish(sent)
        await backend.bus.publish(event(1, "last"))
        for each in receivers:
            await each.until(2)
            assert ([sent, event(1, "last")], 0) == (each.events, each.losses)


@in_loop
async def test_events_of_each_publisher_arrive_in_order(lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        backend, receiver = await listener(lab, stack)

        async def publisher(channel: str) -> None:
            for index in range(100):
                await backend.bus.publish(event(index, channel))

        await asyncio.gather(*map(publisher, "abcde"))
        await receiver.until(500)
        assert [list(range(100))] * 5 == [receiver.numbers(channel) for channel in "abcde"]
        assert (500, 0) == (len(receiver.events), receiver.losses)


@in_loop
async def test_publishers_at_once_keep_the_order_in_which_they_began(lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        backend, receiver = await listener(lab, stack)
        await asyncio.gather(*(backend.bus.publish(event(index)) for index in range(200)))
        await receiver.until(200)
        assert list(range(200)) == receiver.numbers()


@in_loop
async def test_events_of_several_processes_arrive_once_and_in_the_order_of_each(shared_lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        backend, receiver = await listener(shared_lab, stack)
        _, second = await listener(shared_lab, stack)
        others = await stack.enter_async_context(peers(shared_lab.url, 2))

        async def own() -> None:
            for index in range(300):
                await backend.bus.publish(event(index, "own"))

        published = [peer.do("publish", f"peer {index}", 300) for index, peer in enumerate(others)]
        await asyncio.gather(own(), *published)
        for each in (receiver, second):
            await each.until(900)
            assert [list(range(300))] * 3 == [each.numbers(channel) for channel in ("own", "peer 0", "peer 1")]
            assert (900, 0) == (len(each.events), each.losses)


@in_loop
async def test_a_burst_waits_for_a_slow_receiver_and_loses_nothing(lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        backend, receiver = await listener(lab, stack)
        receiver.gate.clear()

        async def burst() -> None:
            for index in range(1000):
                await backend.bus.publish(event(index))

        publishing = asyncio.create_task(burst())
        await until(lambda: bool(receiver.batches))
        if lab.url:
            await publishing
        assert ([], 1) == (receiver.events, len(receiver.batches))
        receiver.gate.set()
        await receiver.until(1000)
        await publishing
        assert list(range(1000)) == receiver.numbers()
        assert (1000, 0) == (sum(receiver.batches), receiver.losses)
        assert 128 >= max(receiver.batches)


@in_loop
async def test_nothing_arrives_that_was_published_before_the_start(lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        early = lab.open()
        await early.bus.publish(event(1))
        _, receiver = await listener(lab, stack)
        await early.bus.publish(event(2))
        await receiver.until(1)
        await early.bus.stop()
        assert ([2], 0) == (receiver.numbers(), receiver.losses)
        await early.tasks.stop()


@in_loop
async def test_nothing_arrives_after_the_stop_until_the_next_start(lab: Lab) -> None:
    backend = lab.open()
    async with listening(backend) as receiver:
        await backend.bus.publish(event(1))
        await receiver.until(1)
    await backend.bus.publish(event(2))
    await backend.bus.start()
    await backend.bus.publish(event(3))
    await receiver.until(2)
    await backend.bus.stop()
    await backend.tasks.stop()
    assert ([1, 3], 0) == (receiver.numbers(), receiver.losses)


@in_loop
async def test_a_receiver_that_fails_gets_the_next_event(lab: Lab, caplog: pytest.LogCaptureFixture) -> None:
    taken: list[int] = []

    async def deliver(events: Sequence[Event]) -> None:
        taken.extend(map(number, events))
        if 1 in taken and len(taken) == 1:
            raise RuntimeError("out of order")

    async def lost() -> None:
        raise AssertionError

    backend = lab.open()
    backend.bus.attach(deliver, lost)
    await backend.bus.start()
    await backend.bus.publish(event(1))
    await until(lambda: len(taken) == 1)
    await backend.bus.publish(event(2))
    await until(lambda: len(taken) == 2)
    await backend.bus.stop()
    await backend.tasks.stop()
    assert [1, 2] == taken
    assert "could not be delivered" in caplog.text


@in_loop
async def test_a_bus_can_be_stopped_while_its_receiver_holds_it_up(shared_lab: Lab) -> None:
    backend = shared_lab.open()
    async with listening(backend) as receiver:
        receiver.gate.clear()
        await backend.bus.publish(event(1))
        await until(lambda: bool(receiver.batches))
    assert [] == receiver.events
    await backend.tasks.stop()


@in_loop
async def test_a_bus_that_nobody_listens_to_can_be_published_on(lab: Lab) -> None:
    backend = lab.open()
    await backend.bus.publish(event(1))
    await backend.bus.stop()
    await backend.tasks.stop()


@in_loop
async def test_a_receiver_is_told_when_the_memory_of_its_bus_is_lost(shared_lab: Lab) -> None:
    async with AsyncExitStack() as stack:
        backend, receiver = await listener(shared_lab, stack)
        for index in range(3):
            await backend.bus.publish(event(index))
        await receiver.until(3)
        shared_lab.forget()
        while not receiver.losses:
            await backend.bus.publish(event(3, "after"))
            await asyncio.sleep(0.01)
        await backend.bus.publish(event(4))
        await until(lambda: 4 in receiver.numbers())
        assert [0, 1, 2, 4] == receiver.numbers()
