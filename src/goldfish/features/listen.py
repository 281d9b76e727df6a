"""subscriptions/listen: long-lived streams of change notifications (patterns/subscriptions).

Knows topics, which are the members of a filter, and channels, on which events arrive. Knows no feature whose changes it
tells: a feature, or an extension, contributes topics. Nothing outlives the stream (SUBS-13).
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from msgspec import UNSET, Raw

from goldfish.kernel.call import Abandoned
from goldfish.kernel.context import Request
from goldfish.kernel.method import Method
from goldfish.ports import Bus, Event
from goldfish.wire import jsonrpc
from goldfish.wire.errors import invalid_params
from goldfish.wire.meta import SUBSCRIPTION_ID
from goldfish.wire.methods import ListenParams, Result

logger = logging.getLogger("goldfish")

ACKNOWLEDGED: Final = "notifications/subscriptions/acknowledged"
BUFFER: Final = 256
_PLACE: Final = "goldfish:subscription"
_PLACE_JSON: Final = jsonrpc.encode(_PLACE)


@dataclass(frozen=True, slots=True)
class Topic:
    """One member of the filter.

    member      its name
    read        the asked value, as raw JSON -> what is agreed to (UNSET for nothing) and the channels to hear;
                raises ValueError where the value has the wrong shape
    available   whether this server has anything to tell about it (SUBS-03)
    """

    member: str
    read: Callable[[Raw], tuple[Any, Sequence[str]]]
    available: Callable[[], bool]


def flag(channel: str) -> Callable[[Raw], tuple[Any, Sequence[str]]]:
    """A topic that is wanted or not; false is the same as left out (SUBS-06)."""

    def read(raw: Raw) -> tuple[Any, Sequence[str]]:
        return (True, (channel,)) if msgspec.json.decode(raw, type=bool) else (UNSET, ())

    return read


def listed(prefix: str) -> Callable[[Raw], tuple[Any, Sequence[str]]]:
    """A topic that lists what it wants to hear of; each entry is a channel behind `prefix`."""

    def read(raw: Raw) -> tuple[Any, Sequence[str]]:
        entries = list(dict.fromkeys(msgspec.json.decode(raw, type=list[str])))
        return entries or UNSET, [prefix + entry for entry in entries]

    return read


class Stream:
    """What one open stream has yet to send. `subscription` is its id as JSON."""

    __slots__ = ("_ended", "_limit", "_queue", "_task", "_waiter", "stalled", "subscription")

    def __init__(self, subscription: bytes, limit: int) -> None:
        self.subscription = subscription
        self.stalled = False
        self._limit = limit
        self._queue: deque[tuple[bytes, bytes]] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._ended = False
        self._task = asyncio.current_task()

    def push(self, frame: tuple[bytes, bytes]) -> None:
        """Keeps a frame to send; a reader so slow that the buffer is full loses its stream, not the server's memory."""
        if self.stalled or self._ended:
            return
        if len(self._queue) >= self._limit:
            self.stalled = True
            self._queue.clear()
            assert self._task is not None
            self._task.cancel()
            return
        self._queue.append(frame)
        self._wake()

    def end(self) -> None:
        self._ended = True
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

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
        return head + self.subscription + tail


class Hub:
    """Hands events to the open streams that asked for their channel; one encoding serves them all."""

    def __init__(self, bus: Bus) -> None:
        self._streams: dict[str, set[Stream]] = {}
        self._closed = False
        bus.attach(self.deliver)

    def deliver(self, event: Event) -> None:
        streams = self._streams.get(event.channel)
        if streams:
            frame = _frame(event)
            for stream in tuple(streams):
                stream.push(frame)

    def open(self, stream: Stream, channels: Sequence[str]) -> None:
        for channel in channels:
            self._streams.setdefault(channel, set()).add(stream)
        if self._closed:
            stream.end()

    def drop(self, stream: Stream, channels: Sequence[str]) -> None:
        for channel in channels:
            streams = self._streams.get(channel, set())
            streams.discard(stream)
            if not streams:
                self._streams.pop(channel, None)

    def close(self) -> None:
        """Ends every stream with its result, and each one that is opened from now on (SUBS-11)."""
        self._closed = True
        for stream in {stream for streams in self._streams.values() for stream in streams}:
            stream.end()


def _frame(event: Event) -> tuple[bytes, bytes]:
    """A notification but for the subscription id, which goes between the two parts (SUBS-05)."""
    marked = jsonrpc.encode_notification(event.method, {"_meta": {SUBSCRIPTION_ID: _PLACE}})
    head, _, tail = marked.partition(_PLACE_JSON)
    members = b"" if event.params == b"{}" else b"," + event.params[1:-1]
    return head, tail[:1] + members + tail[1:]  # behind the brace that closes _meta


class Listen:
    def __init__(self, hub: Hub, topics: Sequence[Topic], buffer: int = BUFFER) -> None:
        self._hub = hub
        self._topics = {topic.member: topic for topic in topics}
        self._buffer = buffer

    def methods(self) -> list[Method]:
        return [
            Method(
                "subscriptions/listen",
                ListenParams,
                self._listen,
                available=lambda: any(topic.available() for topic in self._topics.values()),
                check=self._check,
                streams="always",
            )
        ]

    def _check(self, request: Request[ListenParams]) -> None:
        self._agreed(request)

    def _agreed(self, request: Request[ListenParams]) -> tuple[dict[str, Any], list[str]]:
        """The part of the filter that is honoured, and its channels; what this server does not know is left out."""
        agreed: dict[str, Any] = {}
        channels: list[str] = []
        for member, raw in request.params.notifications.items():
            topic = self._topics.get(member)
            if topic is None or not topic.available():
                continue
            try:
                value, heard = topic.read(raw)
            except (ValueError, RecursionError) as error:
                raise invalid_params(f"Invalid params: notifications.{member}: {error}") from None
            if value is not UNSET:
                agreed[member] = value
                channels += heard
        return agreed, channels

    async def _listen(self, request: Request[ListenParams]) -> Result:
        agreed, channels = self._agreed(request)
        stream = Stream(jsonrpc.encode(request.id), self._buffer)
        meta = {SUBSCRIPTION_ID: request.id}
        self._hub.open(stream, channels)  # before the acknowledgement, so that nothing published after it is missed
        try:
            # SUBS-02: first of all, with the subset that is honoured.
            await request.emit(jsonrpc.encode_notification(ACKNOWLEDGED, {"_meta": meta, "notifications": agreed}))
            if channels:  # else nothing could ever be sent, so the stream ends at once (SUBS-08)
                while (frame := await stream.next()) is not None:
                    await request.emit(frame)
        except asyncio.CancelledError:
            if not stream.stalled:
                raise
            task = asyncio.current_task()
            assert task is not None
            task.uncancel()
            logger.warning("subscriptions/listen: a reader fell %d notifications behind, its stream ends", self._buffer)
            raise Abandoned from None
        finally:
            self._hub.drop(stream, channels)
        return Result(meta=dict(meta))
