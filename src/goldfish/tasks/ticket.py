"""The task id: a sealed token that says when the task was made, for how long, and what it is to do.

Knows the seal and the caller it is bound to. Knows no store: whoever holds the keys can read an id, on any machine.
"""

from __future__ import annotations

import secrets
from typing import Any

import msgspec

from goldfish.ports import Seal


class Ticket(msgspec.Struct, frozen=True, array_like=True):
    """`kind` names a derived kind, "" an executed task; `plan` is any JSON value; `created` counts seconds.

    `incarnation` is that of the store at creation: a store that forgot has another one. `nonce` is 128 random bits
    (TASK-22) and the key of whatever a store keeps about the task.
    """

    kind: str
    plan: Any
    created: float
    ttl_ms: int | None
    poll_ms: int
    incarnation: str
    nonce: str

    @property
    def key(self) -> str:
        return f"task:{self.nonce}"

    @property
    def expires(self) -> float | None:
        """Seconds since the epoch; None for a task that stays."""
        return None if self.ttl_ms is None else self.created + self.ttl_ms / 1000

    def has_expired(self, now: float) -> bool:
        return self.expires is not None and now >= self.expires


class Tickets:
    def __init__(self, seal: Seal) -> None:
        self._seal = seal

    def issue(
        self,
        principal: str | None,
        *,
        kind: str,
        plan: Any,
        created: float,
        ttl_ms: int | None,
        poll_ms: int,
        incarnation: str,
    ) -> tuple[str, Ticket]:
        """The task id, and what is in it."""
        ticket = Ticket(kind, plan, created, ttl_ms, poll_ms, incarnation, secrets.token_urlsafe(16))
        return self._seal.seal(msgspec.json.encode(ticket), _bound(principal)), ticket

    def read(self, task_id: str, principal: str | None) -> Ticket | None:
        """The ticket; None for an id that this server did not issue to this caller (TASK-21)."""
        payload = self._seal.open(task_id, _bound(principal))
        try:
            return None if payload is None else msgspec.json.decode(payload, type=Ticket)
        except msgspec.DecodeError:  # sealed by another version that shares the keys
            return None


def _bound(principal: str | None) -> bytes:
    return msgspec.json.encode(["task", principal])
