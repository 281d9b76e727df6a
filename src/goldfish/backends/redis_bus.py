"""The bus of processes on many machines: a capped stream that each of them reads from where it has got to.

Knows the stream of events and how to come back to it. Knows no record.

Every event carries its number, and numbers have no gaps. Whoever misses one was away for more than the stream keeps,
or the server has lost its memory, and is told so by `lost`.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from typing import Final

from goldfish.backends.redis_link import PATIENCE, Address, Greeting, Link, Memory, Script
from goldfish.ports import Deliver, Event, Unavailable

logger = logging.getLogger("goldfish")

#: How many events the stream keeps, at least.
KEPT_EVENTS: Final = 50_000
#: Seconds a read waits for an event; then the server is asked whether its memory is still the same.
BLOCK: Final = 5.0
_BATCH: Final = 100
#: Seconds between attempts to come back: the first and the longest.
_FIRST, _SLOWEST = 0.05, 2.0

# KEYS: events, published. ARGV: how many to keep, channel, method, params.
_PUBLISH: Final = Script("""
local number = redis.call('INCR', KEYS[2])
redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', 'number', number, 'channel', ARGV[2], 'method', ARGV[3],
  'params', ARGV[4])
""")

Lost = Callable[[], Awaitable[None]]


class RedisBus:
    def __init__(
        self,
        place: Address,
        memory: Memory,
        patience: float = PATIENCE,
        block: float = BLOCK,
        kept_events: int = KEPT_EVENTS,
    ) -> None:
        # One connection to publish on, since two would not keep the order, and one that waits for events.
        self._publishing = Link(place, memory, 1, patience)
        self._reading = Link(place, memory, 1, patience)
        self._block = block
        self._kept_events = kept_events
        self._receiver: tuple[Deliver, Lost] | None = None
        self._reader: asyncio.Task[None] | None = None

    def attach(self, deliver: Deliver, lost: Lost) -> None:
        self._receiver = deliver, lost

    async def publish(self, event: Event) -> None:
        keys = [self._publishing.key("events"), self._publishing.key("published")]
        await self._publishing.script(_PUBLISH, keys, self._kept_events, event.channel, event.method, event.params)

    async def start(self) -> None:
        if self._reader is None and self._receiver is not None:
            reader = _Reader(self._reading, self._block, *self._receiver)
            await reader.begin()
            self._reader = asyncio.create_task(reader.run())

    async def stop(self) -> None:
        if self._reader is not None:
            reader, self._reader = self._reader, None
            reader.cancel()
            await asyncio.wait([reader])
        await self._reading.close()
        await self._publishing.close()


class _Reader:
    """Reads on from its place for as long as it runs. `place` is None until the server could be reached."""

    def __init__(self, link: Link, block: float, deliver: Deliver, lost: Lost) -> None:
        self._link = link
        self._block = block
        self._deliver = deliver
        self._lost = lost
        self._place: Greeting | None = None

    async def begin(self) -> None:
        try:
            self._place = await self._link.greet()
        except Unavailable as error:
            logger.warning("the bus begins later: %s", error)

    async def run(self) -> None:
        pause = _FIRST
        while True:
            try:
                place = self._place = await self._resumed(await self._link.greet())
                pause = _FIRST
                while (place := await self._take(place)) is not self._place:
                    self._place = place
            except Unavailable as error:
                if pause == _FIRST:
                    logger.warning("the bus hears nothing: %s", error)
                await asyncio.sleep(pause * random.uniform(0.5, 1.0))
                pause = min(pause * 2, _SLOWEST)

    async def _resumed(self, now: Greeting) -> Greeting:
        """Where to read on: our place, unless the server's memory is another one or older than that."""
        place = self._place
        if place is not None and place.incarnation == now.incarnation and place.count <= now.count:
            return place
        await self._tell_lost()
        return now

    async def _take(self, place: Greeting) -> Greeting:
        """Hands over the next events; the place behind them, or `place` when there were none for a while."""
        reply = await self._link.command(
            *("XREAD", "COUNT", _BATCH, "BLOCK", round(self._block * 1000), "STREAMS", self._link.key("events")),
            place.last,
            blocks=self._block,
        )
        if not reply:
            return place
        entries = reply[0][1]
        if int(entries[0][1][b"number"]) != place.count + 1:
            await self._tell_lost()
        try:
            await self._deliver([_event(fields) for _, fields in entries])
        except Exception:
            logger.exception("events could not be delivered")
        return Greeting(place.incarnation, entries[-1][0], int(entries[-1][1][b"number"]))

    async def _tell_lost(self) -> None:
        logger.warning("events were lost: this process was cut off from its bus, or fell too far behind")
        try:
            await self._lost()
        except Exception:
            logger.exception("the loss of events could not be told")


def _event(fields: dict[bytes, bytes]) -> Event:
    return Event(fields[b"channel"].decode(), fields[b"method"].decode(), fields[b"params"])
