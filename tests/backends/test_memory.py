"""The bus of a single process."""

import asyncio

from goldfish.backends.memory import MemoryBus
from goldfish.ports import Event


def test_events_arrive_in_the_order_of_their_publishing() -> None:
    """SUBS-02: each when it is published, at the latest when publish returns."""

    async def scene() -> None:
        bus = MemoryBus()
        heard: list[Event] = []
        bus.attach(heard.append)
        published = [Event("tools", "notifications/tools/list_changed"), Event("x", "y", b'{"uri":"x://"}')] * 3
        for count, event in enumerate(published, 1):
            await bus.publish(event)
            assert published[:count] == heard

    asyncio.run(scene())


def test_publishing_where_nobody_listens_is_no_error() -> None:
    """SUBS-13: nothing is kept for later."""

    async def scene() -> None:
        bus = MemoryBus()
        await bus.publish(Event("tools", "x"))
        heard: list[Event] = []
        bus.attach(heard.append)
        assert [] == heard

    asyncio.run(scene())


def test_publishing_lets_readers_run() -> None:
    """SUBS-18: a burst must not fill every buffer before the first frame leaves."""

    async def scene() -> None:
        bus = MemoryBus()
        arrived = asyncio.Queue[Event]()
        bus.attach(arrived.put_nowait)
        most = 0

        async def read() -> None:
            while True:
                await arrived.get()

        reader = asyncio.create_task(read())
        for _ in range(100):
            await bus.publish(Event("tools", "x"))
            most = max(most, arrived.qsize())
        reader.cancel()
        assert most <= 1

    asyncio.run(scene())
