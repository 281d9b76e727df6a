"""The hub: events of the bus, handed to the open streams of this process that asked for their channel.

Knows channels, receivers and bounded buffers. Knows no filter and no notification's meaning. One encoding of an event
serves all its receivers, and a burst presses back on whoever publishes before any reader counts as stalled.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Final, Protocol

from goldfish.ports import Bus, Event
from goldfish.wire import jsonrpc
from goldfish.wire.meta import SUBSCRIPTION_ID

BUFFER: Final = 256
#: Seconds for which a full buffer holds up the delivery to everyone; then its reader has stalled.
PATIENCE: Final = 1.0

_PLACE: Final = "goldfish:subscription"
_PLACE_JSON: Final = jsonrpc.encode(_PLACE)

#: An encoded notification in two halves, between which the subscription id goes (SUBS-05).
Frame = tuple[bytes, bytes]


def encode(event: Event) -> Frame:
    marked = jsonrpc.encode_notification(event.method, {"_meta": {SUBSCRIPTION_ID: _PLACE}})
    head, _, tail = marked.partition(_PLACE_JSON)
    members = b"" if event.params == b"{}" else b"," + event.params[1:-1]
    return head, tail[:1] + members + tail[1:]  # behind the brace that closes _meta


class Receiver(Protocol):
    """Whatever hears a channel."""

    def push(self, frame: Frame) -> bool:
        """Takes a frame; False when there is no room for another one after it."""

    async def room(self) -> None:
        """Returns when there is room again."""

    def stall(self) -> None:
        """Room was waited for in vain."""

    def lost(self) -> None:
        """Events may have been missed."""

    def end(self) -> None:
        """The server ends all streams."""


class Hub:
    def __init__(self, bus: Bus) -> None:
        self._receivers: dict[str, set[Receiver]] = {}
        self._everyone: set[Receiver] = set()
        self._closed = False
        self.streams = 0  # how many are open
        bus.attach(self.deliver, self.lost)

    async def deliver(self, events: Sequence[Event]) -> None:
        for event in events:
            receivers = self._receivers.get(event.channel)
            if receivers:
                frame = encode(event)
                full = [receiver for receiver in tuple(receivers) if not receiver.push(frame)]
                if full:
                    await _make_room(full)
        await asyncio.sleep(0)  # the streams' turn

    async def lost(self) -> None:
        for receiver in tuple(self._everyone):
            receiver.lost()

    def open(self, receiver: Receiver, channels: Sequence[str]) -> None:
        self._everyone.add(receiver)
        self.streams += isinstance(receiver, Stream)
        for channel in channels:
            self._receivers.setdefault(channel, set()).add(receiver)
        if self._closed:
            receiver.end()

    def drop(self, receiver: Receiver, channels: Sequence[str]) -> None:
        self._everyone.discard(receiver)
        self.streams -= isinstance(receiver, Stream)
        for channel in channels:
            receivers = self._receivers.get(channel, set())
            receivers.discard(receiver)
            if not receivers:
                self._receivers.pop(channel, None)

    def close(self) -> None:
        """Ends every stream with its result, and each one that is opened from now on (SUBS-11)."""
        self._closed = True
        for receiver in tuple(self._everyone):
            receiver.end()


async def _make_room(full: list[Receiver]) -> None:
    """Waits for the slow together, and no longer than PATIENCE in all; who has no room then has stalled."""
    waiting = {asyncio.ensure_future(receiver.room()): receiver for receiver in full}
    try:
        _, late = await asyncio.wait(waiting, timeout=PATIENCE)
    finally:
        for future in waiting:
            future.cancel()
    for future in late:
        waiting[future].stall()


class Stream:
    """What one open stream has yet to send. `subscription` is its id as JSON; `again` what `lost` tells it."""

    __slots__ = ("_again", "_ended", "_limit", "_queue", "_room", "_task", "_waiter", "stalled", "subscription")

    def __init__(self, subscription: bytes, again: Sequence[Event] = (), limit: int = BUFFER) -> None:
        self.subscription = subscription
        self.stalled = False
        self._again = again
        self._limit = limit
        self._queue: deque[Frame] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._room: asyncio.Future[None] | None = None
        self._ended = False
        self._task = asyncio.current_task()

    def push(self, frame: Frame) -> bool:
        if self.stalled or self._ended:
            return True
        self._queue.append(frame)
        _wake(self._waiter)
        return len(self._queue) < self._limit

    async def room(self) -> None:
        if len(self._queue) >= self._limit and not self.stalled and not self._ended:
            if self._room is None or self._room.done():
                self._room = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._room)

    def stall(self) -> None:
        """A reader this slow loses its stream, so that it cannot grow the server's memory."""
        self.stalled = True
        self._queue.clear()
        _wake(self._room)
        assert self._task is not None
        self._task.cancel()

    def lost(self) -> None:
        """Tells the client that everything it listens to may have changed: it waits for nothing that was lost."""
        for event in self._again:
            self.push(encode(event))

    def end(self) -> None:
        """Nothing more is taken: what is there is still sent, and nobody waits for room any longer."""
        self._ended = True
        _wake(self._waiter)
        _wake(self._room)

    async def next(self) -> bytes | None:
        """The next notification, or None when the server has ended the stream."""
        while not self._queue:
            if self._ended:
                return None
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        head, tail = self._queue.popleft()
        if self._room is not None and len(self._queue) < self._limit // 2:
            _wake(self._room)
        return head + self.subscription + tail


def _wake(future: asyncio.Future[None] | None) -> None:
    if future is not None and not future.done():
        future.set_result(None)
