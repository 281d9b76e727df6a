"""The record of an executed task: what is kept of it in a store, and how it changes.

Knows the record's shape and its pure changes. Knows no store and runs nothing: every function takes a record and gives
the next one, or the same one where the transition table allows no change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET, Raw, structs

from goldfish.features.context import Round
from goldfish.features.questions import settle
from goldfish.tasks.model import WORKER_LOST, Status, View, is_terminal, may_become
from goldfish.tasks.ticket import Ticket
from goldfish.wire.errors import INTERNAL_ERROR, Refusal
from goldfish.wire.inputs import InputRequest


class Question(msgspec.Struct, frozen=True, array_like=True):
    """`key` is what the client sees, unique over the task's life (TASK-26); `name` what the handler calls it."""

    key: str
    name: str
    method: str
    params: dict[str, Any]
    needs: tuple[str, ...]
    answer: Any = None

    @property
    def request(self) -> InputRequest:
        return InputRequest(self.method, self.params, self.needs)


class Execution(msgspec.Struct, frozen=True):
    """One executed task. `updated` and `lease` are seconds since the epoch; a lease is held while it works.

    `early` are answers given before the task existed, by the handler's own keys; `asked` the keys of the last round.
    """

    tool: str
    arguments: dict[str, Any]
    principal: str | None
    meta: Raw
    updated: float
    status: Status = "working"
    message: str | None = None
    early: dict[str, Raw] = {}
    questions: tuple[Question, ...] = ()
    asked: tuple[str, ...] = ()
    own: Any = None
    result: Any = None
    error: dict[str, Any] | None = None
    worker: str = ""
    lease: float | None = None


def read(body: bytes) -> Execution:
    return msgspec.json.decode(body, type=Execution)


def outstanding(execution: Execution) -> dict[str, InputRequest]:
    return {question.key: question.request for question in execution.questions if question.answer is None}


def round_of(execution: Execution) -> Round:
    """What a run of the handler finds answered."""
    answered = {
        question.name: Raw(msgspec.json.encode(question.answer))
        for question in execution.questions
        if question.answer is not None
    }
    last = {question.name for question in execution.questions if question.key in execution.asked}
    sent = {name: raw for name, raw in answered.items() if name in last}
    carried = {**execution.early, **{name: raw for name, raw in answered.items() if name not in last}}
    own = UNSET if execution.own is None else execution.own
    return Round(sent, carried, frozenset(last), own)


def _moved(execution: Execution, to: Status, at: float, **changes: Any) -> Execution:
    if not may_become(execution.status, to):
        return execution
    free: dict[str, Any] = {"worker": "", "lease": None} if to != "working" else {}
    return structs.replace(execution, status=to, updated=at, **{**free, **changes})


def asking(execution: Execution, requests: Mapping[str, InputRequest], own: Any, at: float) -> Execution:
    """The handler wants to know: a key that was used before gets a number (TASK-26)."""
    used = {question.key for question in execution.questions}
    added: list[Question] = []
    for name, request in requests.items():
        key, count = name, 2
        while key in used:
            key, count = f"{name}-{count}", count + 1
        used.add(key)
        added.append(Question(key, name, request.method, dict(request.params), request.needs))
    return _moved(
        execution,
        "input_required",
        at,
        questions=(*execution.questions, *added),
        asked=tuple(question.key for question in added),
        own=own,
    )


def answered(execution: Execution, responses: Mapping[str, Raw], worker: str, at: float, lease: float) -> Execution:
    """Keeps what fits an outstanding question; the last answer puts the task back to work (TASK-24, TASK-25)."""
    if execution.status != "input_required":
        return execution
    questions = tuple(
        structs.replace(question, answer=responses[question.key])
        if question.answer is None
        and question.key in responses
        and settle(question.request, responses[question.key]) is not None
        else question
        for question in execution.questions
    )
    if all(new is old for new, old in zip(questions, execution.questions, strict=True)):
        return execution
    partly = structs.replace(execution, questions=questions, updated=at)
    if outstanding(partly):
        return partly
    return _moved(partly, "working", at, message=None, worker=worker, lease=lease)


def completed(execution: Execution, result: bytes, at: float) -> Execution:
    return _moved(execution, "completed", at, result=Raw(result))


def failed(execution: Execution, refusal: Refusal, at: float) -> Execution:
    error: dict[str, Any] = {"code": refusal.code, "message": refusal.message}
    if refusal.data is not None:
        error["data"] = refusal.data
    return _moved(execution, "failed", at, error=error, message=refusal.message)


def cancelled(execution: Execution, at: float) -> Execution:
    return _moved(execution, "cancelled", at, message="cancelled by the client")


def told(execution: Execution, message: str) -> Execution:
    """Progress, as the status message of a working task."""
    return structs.replace(execution, message=message) if execution.status == "working" else execution


def leased(execution: Execution, until: float) -> Execution:
    return structs.replace(execution, lease=until) if execution.status == "working" else execution


def checked(execution: Execution, now: float) -> Execution:
    """A working task whose lease has ended has lost its worker, and never works for ever."""
    if execution.status == "working" and execution.lease is not None and execution.lease <= now:
        return failed(execution, Refusal(INTERNAL_ERROR, WORKER_LOST), now)
    return execution


def view(task_id: str, ticket: Ticket, execution: Execution) -> View:
    return View(
        task_id=task_id,
        status=execution.status,
        created=ticket.created,
        updated=execution.updated,
        ttl_ms=ticket.ttl_ms,
        poll_ms=ticket.poll_ms,
        message=execution.message,
        asks=outstanding(execution),
        result=execution.result,
        error=execution.error,
        due=None if is_terminal(execution.status) else execution.lease,
    )
