"""The shapes of a task, and the table of its transitions."""

import itertools
import re

import pytest
from msgspec import json

from goldfish.tasks import model
from goldfish.tasks.model import Status, View, created, detailed
from goldfish.wire.inputs import InputRequest
from goldfish.wire.jsonrpc import encode

ALL: tuple[Status, ...] = ("working", "input_required", "completed", "failed", "cancelled")
ENDS: tuple[Status, ...] = ("completed", "failed", "cancelled")
QUESTION = InputRequest("elicitation/create", {"mode": "form", "message": "?"}, ())


def view(status: Status, **more: object) -> View:
    return View("id", status, created=1.5, updated=2.25, ttl_ms=600_000, poll_ms=500, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(("status", "to"), list(itertools.product(ALL, ALL)))
def test_a_task_goes_where_the_table_lets_it(status: Status, to: Status) -> None:
    """TASK-12, TASK-13: an ended task never changes; the two live states may become each other and any end."""
    allowed = status in ("working", "input_required") and to != status
    assert allowed == model.may_become(status, to)


def test_what_creates_a_task_is_flat_and_says_nothing_more() -> None:
    """TASK-08, TASK-09: no wrapper, no answer, no state, even when it has ended already."""
    expected = {
        "resultType": "task",
        "taskId": "id",
        "status": "completed",
        "createdAt": "1970-01-01T00:00:01.500Z",
        "lastUpdatedAt": "1970-01-01T00:00:02.250Z",
        "ttlMs": 600_000,
        "pollIntervalMs": 500,
    }
    assert expected == json.decode(encode(created(view("completed", result={"content": []}))))


@pytest.mark.parametrize("status", ALL)
def test_each_status_brings_what_belongs_to_it_and_nothing_else(status: Status) -> None:
    """TASK-14: result, error and inputRequests stand with their own status alone."""
    shown = json.decode(
        encode(detailed(view(status, asks={"q": QUESTION}, result={"content": []}, error={"code": 1, "message": "m"})))
    )
    brings = {"input_required": "inputRequests", "completed": "result", "failed": "error"}.get(status)
    assert {brings} - {None} == {"inputRequests", "result", "error"} & set(shown)
    assert "complete" == shown["resultType"]


def test_a_failure_says_why_in_words_as_well() -> None:
    """TASK-16: a status message, that of the error where there is no other."""
    failed = detailed(view("failed", error={"code": -32603, "message": "It broke."}))
    assert "It broke." == failed.status_message


def test_a_task_without_end_has_a_null_time_to_live() -> None:
    """TASK-18: null is unlimited, and the member stays."""
    endless = View("id", "working", created=0, updated=0, ttl_ms=None, poll_ms=1)
    shown = json.decode(encode(created(endless)))
    assert shown["ttlMs"] is None
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", shown["createdAt"])
