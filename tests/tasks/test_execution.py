"""The record of an executed task: pure changes, each of which keeps to the table of transitions."""

import pytest
from msgspec import Raw, json

from goldfish.features.questions import form
from goldfish.tasks import execution as change
from goldfish.tasks.execution import Execution
from goldfish.wire.errors import Refusal

NAME = form("Name?", {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]})
ADA = Raw(b'{"action":"accept","content":{"name":"Ada"}}')
WRONG = Raw(b'{"action":"accept","content":{"name":5}}')


def working(**more: object) -> Execution:
    return Execution("tool", {}, None, Raw(b"{}"), 1.0, worker="me", lease=20.0, **more)  # type: ignore[arg-type]


def asked(*names: str) -> Execution:
    return change.asking(working(), {name: NAME for name in names}, None, 2.0)


def test_a_record_survives_its_way_through_a_store() -> None:
    record = change.completed(change.answered(asked("a"), {"a": ADA}, "me", 3.0, 9.0), b'{"content":[]}', 4.0)
    again = change.read(json.encode(record))
    assert "completed" == again.status
    assert {"content": []} == again.result
    assert json.encode(again) == json.encode(change.read(json.encode(again)))


def test_a_question_frees_the_worker() -> None:
    """A waiting task holds no worker and no lease."""
    assert ("input_required", "", None) == (asked("a").status, asked("a").worker, asked("a").lease)


def test_the_last_answer_puts_the_task_back_to_work() -> None:
    """TASK-25: with one of two answers it still waits, and shows only the other question."""
    half = change.answered(asked("a", "b"), {"a": ADA}, "you", 3.0, 9.0)
    assert ("input_required", {"b"}) == (half.status, set(change.outstanding(half)))
    whole = change.answered(half, {"b": ADA}, "you", 4.0, 9.0)
    assert ("working", "you", 9.0, {}) == (whole.status, whole.worker, whole.lease, change.outstanding(whole))


@pytest.mark.parametrize("responses", [{}, {"z": ADA}, {"a": WRONG}, {"a": Raw(b"5")}])
def test_what_answers_no_open_question_changes_nothing(responses: dict[str, Raw]) -> None:
    """TASK-24: unknown keys are ignored, and so is what does not fit the question."""
    waiting = asked("a")
    assert change.answered(waiting, responses, "you", 3.0, 9.0) is waiting


def test_the_first_answer_stays() -> None:
    """TASK-24: of two clients that answer, the first is heard."""
    half = change.answered(asked("a", "b"), {"a": ADA}, "you", 3.0, 9.0)
    bob = Raw(b'{"action":"accept","content":{"name":"Bob"}}')
    assert change.answered(half, {"a": bob}, "you", 4.0, 9.0) is half


def test_a_key_is_never_used_for_two_questions() -> None:
    """TASK-26: a handler that asks again under the same name gets another key."""
    once = change.answered(asked("name"), {"name": ADA}, "me", 3.0, 9.0)
    twice = change.asking(once, {"name": NAME}, None, 4.0)
    assert {"name-2"} == set(change.outstanding(twice))


@pytest.mark.parametrize(
    "end",
    [
        lambda record: change.completed(record, b"{}", 5.0),
        lambda record: change.failed(record, Refusal(-32603, "no"), 5.0),
        lambda record: change.cancelled(record, 5.0),
    ],
)
def test_an_ended_task_never_changes(end: change.Execution) -> None:
    """TASK-12: whatever happens to it afterwards."""
    ended = end(working())  # type: ignore[operator]
    later = [
        change.completed(ended, b'{"other":1}', 6.0),
        change.failed(ended, Refusal(1, "late"), 6.0),
        change.cancelled(ended, 6.0),
        change.asking(ended, {"a": NAME}, None, 6.0),
        change.answered(ended, {"a": ADA}, "me", 6.0, 9.0),
        change.told(ended, "late"),
        change.leased(ended, 99.0),
        change.checked(ended, 99.0),
    ]
    assert all(record is ended for record in later)


def test_a_task_whose_lease_has_ended_has_lost_its_worker() -> None:
    assert change.checked(working(), 19.9).status == "working"
    lost = change.checked(working(), 20.0)
    assert "failed" == lost.status
    assert "worker lost" in (lost.message or "")


def test_a_waiting_task_has_no_lease_to_lose() -> None:
    waiting = asked("a")
    assert change.checked(waiting, 1e9) is waiting
