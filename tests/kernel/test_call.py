"""What several requests share where a message says that one of them is cancelled."""

import asyncio

from goldfish.kernel.call import Channel


async def wait() -> None:
    await asyncio.Event().wait()


def test_an_id_is_its_value_and_its_type() -> None:
    """RPC-02, STD-06: 1 and "1" are two requests."""

    async def scene() -> None:
        channel = Channel()
        number, text = asyncio.create_task(wait()), asyncio.create_task(wait())
        channel.enter(1, number)
        channel.enter("1", text)
        channel.cancel("1")
        assert (0, 1) == (number.cancelling(), text.cancelling())
        number.cancel()
        await asyncio.wait([number, text])

    asyncio.run(scene())


def test_what_has_ended_or_never_began_is_not_cancelled() -> None:
    """STD-07, CAN-04: a late cancellation is no error, and is not repeated."""

    async def scene() -> None:
        channel = Channel()
        task = asyncio.create_task(wait())
        channel.cancel(1)
        channel.enter(1, task)
        channel.leave(1, task)
        channel.cancel(1)
        assert 0 == task.cancelling()
        channel.enter(1, task)
        channel.cancel(1)
        channel.cancel(1)
        assert 1 == task.cancelling()
        channel.leave(1, task)
        await asyncio.wait([task])

    asyncio.run(scene())


def test_of_two_requests_with_one_id_the_later_one_is_meant() -> None:
    """EC-95: the client's mistake; the end of the earlier one does not hide the later one."""

    async def scene() -> None:
        channel = Channel()
        earlier, later = asyncio.create_task(wait()), asyncio.create_task(wait())
        channel.enter(1, earlier)
        channel.enter(1, later)
        channel.leave(1, earlier)
        channel.cancel(1)
        assert (0, 1) == (earlier.cancelling(), later.cancelling())
        earlier.cancel()
        await asyncio.wait([earlier, later])

    asyncio.run(scene())
