"""The protocols that back-ends implement, and the shapes that pass through them.

Knows what the features need of the world outside a request: a clock, a seal, a bus, a place for tasks. Knows no
implementation, no task and no notification.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from goldfish.wire.errors import INTERNAL_ERROR, Refusal

#: Seconds since the epoch.
Clock = Callable[[], float]


class Seal(Protocol):
    """Makes text that travels through the client and comes back unchanged or not at all.

    `bound` is what the text belongs to; it is not inside the text, and opening with another one fails (MRTR-09,
    MRTR-10).
    """

    def seal(self, payload: bytes, bound: bytes, ttl: float | None = None) -> str:
        """Text of URL-safe ASCII; `ttl` counts seconds, None never expires."""

    def open(self, token: str, bound: bytes) -> bytes | None:
        """The payload, or None for anything this server did not seal for `bound`, or that has expired."""


class Unavailable(Refusal):
    """The store or the bus cannot be reached right now.

    `detail` says which and why, for the log alone; the client learns no more than that it may try again (RPC-21).
    """

    def __init__(self, detail: str) -> None:
        super().__init__(INTERNAL_ERROR, "The server cannot reach its store right now; send the request again later")
        self.detail = detail

    def __str__(self) -> str:
        return self.detail


@dataclass(frozen=True, slots=True)
class Event:
    """A change that listen streams may want: who is told (`channel`), and what they are told.

    `method` is the notification's; `params` its params as a JSON object, without `_meta`.
    """

    channel: str
    method: str
    params: bytes = b"{}"


#: Awaited for one batch of events at a time: its return is the leave to read on, so that a burst presses back on the
#: reader instead of filling every stream's buffer.
Deliver = Callable[[Sequence[Event]], Awaitable[None]]


class Bus(Protocol):
    """Carries events from whoever publishes to every process that listens, this one included.

    Every event arrives once, and those of one publisher in the order in which they were published. Events published
    while this process was cut off arrive when it is back; where that cannot be known, `lost` is called instead.
    """

    def attach(self, deliver: Deliver, lost: Callable[[], Awaitable[None]]) -> None:
        """One receiver per bus. Takes effect for every event published after `start` has returned."""

    async def publish(self, event: Event) -> None:
        """Returns when the event is on its way to every receiver; raises Unavailable when it is not."""

    async def start(self) -> None:
        """Begins to receive, on the running loop. Does not fail when the store is away: it keeps trying."""

    async def stop(self) -> None:
        """Receives no more, and frees what it holds."""


@dataclass(frozen=True, slots=True)
class Record:
    """What a store keeps under one key. `version` is 1 at first and rises by one with every change."""

    body: bytes
    version: int


class Full(Exception):
    """A cap on the number of records is reached: the message says which."""


@dataclass(frozen=True, slots=True)
class Caps:
    """How many live records one owner, and all owners together, may have."""

    per_owner: int
    total: int


class TaskStore(Protocol):
    """Small records that expire, changed by compare-and-set only. Every method may raise Unavailable.

    After Unavailable a change may have happened or not: whoever made it reads again before deciding.
    """

    async def add(
        self, key: str, body: bytes, expires: float | None, owner: str | None = None, caps: Caps | None = None
    ) -> bool:
        """Keeps a new record until `expires` (None: for ever); False when the key is taken, caps or not.

        With `caps`, raises Full when the live records of `owner`, or all those with an owner, have reached them.
        """

    async def get(self, key: str) -> Record | None:
        """The record, or None when there is none or it has expired."""

    async def swap(self, key: str, version: int, body: bytes) -> bool:
        """Replaces the body of the record that still has `version`; False when it has another one or is gone."""

    async def incarnation(self) -> str:
        """Names this store's memory: a store that forgot everything, and began anew, has another name."""

    async def check(self) -> None:
        """Raises Unavailable when the store cannot be reached."""

    def now(self) -> float:
        """Seconds since the epoch by the store's clock: it never goes back, whatever happens to the wall clock, and
        is the same for all processes that share the store, as nearly as it can be."""

    async def start(self) -> None:
        """Does not fail when the store is away; `check` tells."""

    async def stop(self) -> None:
        """Frees what it holds."""


class Backend(Protocol):
    """One bus and one store of the same place, made by `goldfish.backends.choose.open_backend`."""

    @property
    def url(self) -> str:
        """For people: without a password."""

    @property
    def bus(self) -> Bus: ...

    @property
    def tasks(self) -> TaskStore: ...
