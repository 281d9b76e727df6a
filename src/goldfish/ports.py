"""The protocols that back-ends implement, and the shapes that pass through them.

Knows what the features need of the world outside a request: a clock, a seal, a bus. Knows no implementation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

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


@dataclass(frozen=True, slots=True)
class Event:
    """A change that listen streams may want: who is told (`channel`), and what they are told.

    `method` is the notification's; `params` its params as a JSON object, without `_meta`.
    """

    channel: str
    method: str
    params: bytes = b"{}"


class Bus(Protocol):
    """Carries events from whoever publishes to every process that listens, this one included.

    Events of one publisher arrive in the order in which they were published.
    """

    def attach(self, deliver: Callable[[Event], None]) -> None:
        """Calls `deliver` on the event loop for each event from now on. One receiver per bus."""

    async def publish(self, event: Event) -> None:
        """Returns when the event is on its way to every receiver."""
