"""What a task is: its states, the one table of their transitions, and the shapes that clients see.

Knows the released text of the extension (specification/2026-07-28/tasks). Knows no store, no clock and no handler.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Final, Literal

from msgspec import UNSET, Raw, UnsetType

from goldfish.wire.errors import INTERNAL_ERROR, invalid_params
from goldfish.wire.inputs import InputRequest
from goldfish.wire.methods import Params, Result

EXTENSION: Final = "io.modelcontextprotocol/tasks"
NOTIFICATION: Final = "notifications/tasks"

Status = Literal["working", "input_required", "completed", "failed", "cancelled"]

_ENDS: Final = frozenset({"completed", "failed", "cancelled"})
#: TASK-12, TASK-13: from where to where a task may go. Every store obeys it, by compare-and-set.
TRANSITIONS: Final[Mapping[Status, frozenset[str]]] = MappingProxyType(
    {
        "working": frozenset({"input_required"}) | _ENDS,
        "input_required": frozenset({"working"}) | _ENDS,
        "completed": frozenset(),
        "failed": frozenset(),
        "cancelled": frozenset(),
    }
)


def is_terminal(status: Status) -> bool:
    return not TRANSITIONS[status]


def may_become(status: Status, to: Status) -> bool:
    return to in TRANSITIONS[status]


NOT_FOUND: Final = "Task not found"
EXPIRED: Final = "Task has expired"
LOST: Final = "Task lost: the server's store no longer has what was known of it"
WORKER_LOST: Final = "worker lost: the process that ran the task is gone"


@dataclass(frozen=True, slots=True)
class View:
    """A task at one moment. Times are seconds since the epoch.

    `due` is when it may change by itself; `asks` the outstanding questions; `result` an encoded CallToolResult.
    """

    task_id: str
    status: Status
    created: float
    updated: float
    ttl_ms: int | None
    poll_ms: int
    message: str | None = None
    asks: Mapping[str, InputRequest] = field(default_factory=dict)
    result: Any = None
    error: Mapping[str, Any] | None = None
    due: float | None = None


class TaskParams(Params, frozen=True, kw_only=True):
    task_id: str


class UpdateParams(Params, frozen=True, kw_only=True):
    task_id: str
    input_responses: dict[str, Raw]  # TASK-37


class TaskResult(Result, kw_only=True):
    """A task's fields, flat (TASK-08). What its status has nothing to say about is left out (TASK-14)."""

    task_id: str
    status: Status
    status_message: str | UnsetType = UNSET
    created_at: str
    last_updated_at: str
    ttl_ms: int | None
    poll_interval_ms: int
    input_requests: dict[str, Any] | UnsetType = UNSET
    result: Any = UNSET
    error: Mapping[str, Any] | UnsetType = UNSET


def _moment(seconds: float) -> str:
    """ISO 8601 in UTC with milliseconds (TASK-18)."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def created(view: View) -> TaskResult:
    """CreateTaskResult: the only result of type "task", and without what tasks/get adds (TASK-08, TASK-09)."""
    result = TaskResult(
        result_type="task",
        task_id=view.task_id,
        status=view.status,
        created_at=_moment(view.created),
        last_updated_at=_moment(view.updated),
        ttl_ms=view.ttl_ms,
        poll_interval_ms=view.poll_ms,
    )
    message = view.message
    if message is None and view.status == "failed" and view.error is not None:
        message = str(view.error["message"])  # TASK-16
    if message is not None:
        result.status_message = message
    return result


def detailed(view: View) -> TaskResult:
    """DetailedTask, as tasks/get answers it and notifications/tasks carries it."""
    result = created(view)
    result.result_type = "complete"
    if view.status == "input_required":
        result.input_requests = {key: request.as_json() for key, request in view.asks.items()}
    elif view.status == "completed" and view.result is not None:
        result.result = view.result
    elif view.status == "failed":
        result.error = view.error or {"code": INTERNAL_ERROR, "message": "Internal error"}
    return result


def not_found() -> Exception:
    """TASK-20, TASK-21: one answer for every id that is not this caller's."""
    return invalid_params(NOT_FOUND)


def expired() -> Exception:
    return invalid_params(EXPIRED)
