"""subscriptions/listen: long-lived streams of change notifications (patterns/subscriptions).

Knows the filter, its topics, and the life of a stream. Knows no feature whose changes it tells: a feature, or an
extension, contributes topics. Nothing outlives the stream (SUBS-13).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

import msgspec
from msgspec import Raw

from goldfish.features.hub import Hub, Stream
from goldfish.kernel.call import Abandoned, Unserved
from goldfish.kernel.context import Request
from goldfish.kernel.method import Method
from goldfish.ports import Event
from goldfish.wire import jsonrpc
from goldfish.wire.errors import invalid_params
from goldfish.wire.meta import SUBSCRIPTION_ID
from goldfish.wire.methods import ListenParams, Result

logger = logging.getLogger("goldfish")

#: Open streams of one process; the next one is turned away (SUBS-18).
MAX_STREAMS: Final = 10_000
RETRY_AFTER: Final = 10
#: Entries of one list in a filter. Each is a channel of its own, and a body holds hundreds of thousands: seconds of
#: work in which nobody else would be answered.
MAX_ENTRIES: Final = 4_096

ACKNOWLEDGED: Final = "notifications/subscriptions/acknowledged"


@dataclass(frozen=True, slots=True)
class Agreed:
    """What a topic honours of what was asked.

    value    the member of the acknowledgement
    events   what it will tell: their channels are heard, and they are told once more when events may have been lost
    follow   runs beside the stream and pushes into it, for what no event announces
    """

    value: Any
    events: Sequence[Event] = ()
    follow: Callable[[Stream], Coroutine[Any, Any, None]] | None = None


@dataclass(frozen=True, slots=True)
class Topic:
    """One member of the filter.

    member      its name
    available   whether this server has anything to tell about it (SUBS-03)
    check       judges the asked value, as raw JSON, before anything is sent: raises Refusal, or ValueError where the
                value has the wrong shape
    agree       what is honoured of it; None for nothing
    """

    member: str
    available: Callable[[], bool]
    check: Callable[[Request[Any], Raw], None]
    agree: Callable[[Request[Any], Raw], Coroutine[Any, Any, Agreed | None]]


def flag_topic(member: str, available: Callable[[], bool], event: Event) -> Topic:
    """A topic that is wanted or not; false is the same as left out (SUBS-06)."""

    async def agree(request: Request[Any], raw: Raw) -> Agreed | None:
        return Agreed(True, (event,)) if _flag(raw) else None

    return Topic(member, available, lambda request, raw: _drop(_flag(raw)), agree)


def list_topic(member: str, available: Callable[[], bool], event: Callable[[str], Event]) -> Topic:
    """A topic that lists what it wants to hear of; `event` makes an entry's event."""

    async def agree(request: Request[Any], raw: Raw) -> Agreed | None:
        entries = texts(raw)
        return Agreed(entries, [event(entry) for entry in entries]) if entries else None

    return Topic(member, available, lambda request, raw: _drop(texts(raw)), agree)


def _flag(raw: Raw) -> bool:
    return msgspec.json.decode(raw, type=bool)


def texts(raw: Raw) -> list[str]:
    """A list of texts, each once; raises ValueError."""
    return list(dict.fromkeys(_entries.decode(raw)))


_entries: Final = msgspec.json.Decoder(Annotated[list[str], msgspec.Meta(max_length=MAX_ENTRIES)])


def _drop(value: object) -> None:
    """For what is read for its refusals alone."""


class Listen:
    def __init__(self, hub: Hub, topics: Sequence[Topic], max_streams: int = MAX_STREAMS) -> None:
        self._hub = hub
        self._max_streams = max_streams
        self._topics = {topic.member: topic for topic in topics}

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

    def _asked(self, request: Request[ListenParams]) -> list[tuple[Topic, Raw]]:
        """The members of the filter that this server knows; the others are left out (SUBS-03, SUBS-09)."""
        asked = request.params.notifications
        topics = ((self._topics.get(member), raw) for member, raw in asked.items())
        return [(topic, raw) for topic, raw in topics if topic is not None and topic.available()]

    def _check(self, request: Request[ListenParams]) -> None:
        if self._hub.streams >= self._max_streams:
            raise Unserved(503, f"this process has {self._max_streams} open streams, try again later", RETRY_AFTER)
        for topic, raw in self._asked(request):
            try:
                topic.check(request, raw)
            except (ValueError, RecursionError) as error:
                raise invalid_params(f"Invalid params: notifications.{topic.member}: {error}") from None

    async def _listen(self, request: Request[ListenParams]) -> Result:
        honoured: dict[str, Agreed] = {}
        for topic, raw in self._asked(request):
            agreed = await topic.agree(request, raw)
            if agreed is not None:
                honoured[topic.member] = agreed
        events = [event for agreed in honoured.values() for event in agreed.events]
        channels = [event.channel for event in events]
        stream = Stream(jsonrpc.encode(request.id), events)
        followers: list[asyncio.Task[None]] = []
        self._hub.open(stream, channels)  # before the acknowledgement, so that nothing published after it is missed
        try:
            await request.emit(_acknowledgement(request.id, honoured))
            followers = [asyncio.create_task(each.follow(stream)) for each in honoured.values() if each.follow]
            if channels or followers:  # else nothing could ever be sent, so the stream ends at once (SUBS-08)
                while (frame := await stream.next()) is not None:
                    await request.emit(frame)
        except asyncio.CancelledError:
            if not stream.stalled:
                raise
            task = asyncio.current_task()
            assert task is not None
            task.uncancel()
            logger.warning("subscriptions/listen: a reader stalled, its stream ends")
            raise Abandoned from None
        finally:
            for follower in followers:
                follower.cancel()
            self._hub.drop(stream, channels)
            stream.end()
        return Result(meta={SUBSCRIPTION_ID: request.id})


def _acknowledgement(subscription: int | str, honoured: dict[str, Agreed]) -> bytes:
    """SUBS-02: the first message, with the subset that is honoured."""
    notifications = {member: agreed.value for member, agreed in honoured.items()}
    return jsonrpc.encode_notification(
        ACKNOWLEDGED, {"_meta": {SUBSCRIPTION_ID: subscription}, "notifications": notifications}
    )
