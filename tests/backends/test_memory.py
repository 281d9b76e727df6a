"""What only the back-end of one process does."""

import asyncio

from goldfish.backends.memory import MemoryBus, MemoryStore
from goldfish.ports import Caps

from .support import Receiver, event, in_loop, until


@in_loop
async def test_publish_returns_when_the_receiver_has_taken_the_event() -> None:
    bus, receiver = MemoryBus(), Receiver()
    bus.attach(receiver.deliver, receiver.lost)
    receiver.gate.clear()
    publishing = [asyncio.create_task(bus.publish(event(index))) for index in range(3)]
    await until(lambda: bool(receiver.batches))
    assert [False] * 3 == [task.done() for task in publishing]
    receiver.gate.set()
    await asyncio.gather(*publishing)
    assert ([0, 1, 2], [1, 1, 1]) == (receiver.numbers(), receiver.batches)


@in_loop
async def test_a_bus_delivers_without_a_start() -> None:
    """A server that is mounted in another application may never be started."""
    bus, receiver = MemoryBus(), Receiver()
    bus.attach(receiver.deliver, receiver.lost)
    await bus.publish(event(1))
    assert [1] == receiver.numbers()


@in_loop
async def test_a_publisher_that_is_cancelled_does_not_hold_up_the_others() -> None:
    bus, receiver = MemoryBus(), Receiver()
    bus.attach(receiver.deliver, receiver.lost)
    receiver.gate.clear()
    first = asyncio.create_task(bus.publish(event(1)))
    second = asyncio.create_task(bus.publish(event(2)))
    await until(lambda: bool(receiver.batches))
    first.cancel()
    receiver.gate.set()
    await second
    assert [2] == receiver.numbers()


@in_loop
async def test_nothing_remains_of_what_has_expired() -> None:
    """Field: each refused or forgotten thing leaves something behind."""
    now = 0.0
    store = MemoryStore(lambda: now)
    for round in range(20):
        for index in range(100):
            await store.add(f"{round} {index}", b"x", store.now() + 10, f"owner {round} {index}", Caps(1, 100))
        now += 11
    await store.get("any")
    assert (0, 0, 0, 0) == (len(store._entries), len(store._expiring), len(store._owned), store._total)
