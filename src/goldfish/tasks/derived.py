"""Derived tasks: their state is a pure function of a plan, of what the client has said, and of the time.

Knows plans, answers and cancellations. The id carries the plan, so creating one stores nothing; a store holds only what
the client said since, and the first to say it wins. Knows no method of the protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import Raw

from goldfish.features.questions import settle
from goldfish.features.tool_results import ToolResult, explicit
from goldfish.ports import TaskStore
from goldfish.tasks.model import Status, View, is_terminal
from goldfish.tasks.ticket import Ticket
from goldfish.wire import jsonrpc
from goldfish.wire.errors import Refusal
from goldfish.wire.inputs import Answer, InputRequest


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer that fits its question, and when it came, in seconds since the epoch."""

    answer: Answer
    at: float


@dataclass(frozen=True, slots=True)
class Moment:
    """All that a derived task may depend on. Times are seconds since the epoch."""

    plan: Any
    created: float
    now: float
    answers: Mapping[str, Answered]
    cancelled: float | None


@dataclass(frozen=True, slots=True)
class Phase:
    """What a derived task is at a Moment: its status, since when, and until when if time alone will change it.

    `asks` are the questions of "input_required", `result` what "completed" gives, `error` what "failed" says.
    """

    status: Status
    since: float
    until: float | None = None
    message: str | None = None
    asks: Mapping[str, InputRequest] = field(default_factory=dict)
    result: ToolResult | None = None
    error: Refusal | None = None


Derive = Callable[[Moment], Phase]


class _Overlay(msgspec.Struct, frozen=True, array_like=True):
    """What the client has said: answers with their times, and when it cancelled."""

    answers: dict[str, tuple[Raw, float]]
    cancelled: float | None


_NOTHING = _Overlay({}, None)


class Derived:
    """One kind of derived task: `derive` over a store."""

    def __init__(self, derive: Derive, questions: Mapping[str, InputRequest], store: TaskStore) -> None:
        self._derive = derive
        self._questions = questions
        self._store = store

    async def view(self, task_id: str, ticket: Ticket) -> View:
        overlay, _ = await self._overlay(ticket)
        return self._view(task_id, ticket, overlay)

    def _view(self, task_id: str, ticket: Ticket, overlay: _Overlay) -> View:
        phase = self._phase(ticket, overlay)
        return View(
            task_id=task_id,
            status=phase.status,
            created=ticket.created,
            updated=phase.since,
            ttl_ms=ticket.ttl_ms,
            poll_ms=ticket.poll_ms,
            message=phase.message,
            asks=phase.asks,
            result=None if phase.result is None else Raw(jsonrpc.encode(explicit(phase.result))),
            error=None if phase.error is None else {"code": phase.error.code, "message": phase.error.message},
            due=phase.until,
        )

    def _phase(self, ticket: Ticket, overlay: _Overlay) -> Phase:
        answers: dict[str, Answered] = {}
        for key, (raw, at) in overlay.answers.items():
            answer = settle(self._questions[key], raw) if key in self._questions else None
            if answer is not None:
                answers[key] = Answered(answer, at)
        # Between machines whose clocks differ a task can be read before it was made: then no time has passed.
        now = max(self._store.now(), ticket.created)
        return self._derive(Moment(ticket.plan, ticket.created, now, answers, overlay.cancelled))

    async def answer(self, ticket: Ticket, responses: Mapping[str, Raw]) -> bool:
        """Keeps the answers that fit an outstanding question; whether any did (TASK-24, TASK-25)."""

        def change(overlay: _Overlay) -> _Overlay:
            asks = self._phase(ticket, overlay).asks
            fitting = {key: raw for key, raw in responses.items() if key in asks and settle(asks[key], raw) is not None}
            at = self._store.now()
            return _Overlay({**overlay.answers, **{key: (raw, at) for key, raw in fitting.items()}}, overlay.cancelled)

        return await self._change(ticket, change)

    async def cancel(self, ticket: Ticket) -> bool:
        """Notes the wish to cancel, unless the task has ended (TASK-29)."""

        def change(overlay: _Overlay) -> _Overlay:
            if overlay.cancelled is not None or is_terminal(self._phase(ticket, overlay).status):
                return overlay
            return _Overlay(overlay.answers, max(self._store.now(), ticket.created))

        return await self._change(ticket, change)

    async def _overlay(self, ticket: Ticket) -> tuple[_Overlay, int]:
        record = await self._store.get(ticket.key)
        if record is None:
            return _NOTHING, 0
        return msgspec.json.decode(record.body, type=_Overlay), record.version

    async def _change(self, ticket: Ticket, change: Callable[[_Overlay], _Overlay]) -> bool:
        """Compare-and-set until it holds: of two who say different things at once, the first is heard."""
        while True:
            overlay, version = await self._overlay(ticket)
            changed = change(overlay)
            if changed == overlay:
                return False
            body = msgspec.json.encode(changed)
            if version == 0:
                done = await self._store.add(ticket.key, body, ticket.expires)
            else:
                done = await self._store.swap(ticket.key, version, body)
            if done:
                return True
