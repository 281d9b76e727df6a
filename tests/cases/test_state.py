"""requestState: what it carries from round to round, and that nothing but what this server gave out is taken back."""

from typing import Any

import pytest

from tests.support.inprocess import FORM, accept
from tests.support.wire import Client

YES = {"confirm": accept(confirm=True)}
INVALID = "Invalid or expired requestState"


def first_state(client: Client) -> str:
    answer = client.tool("confirm-launch", capabilities=FORM)
    assert "confirm" in answer.asked
    state: str = answer.result["requestState"]
    return state


def tampered(state: str, place: float) -> str:
    index = int(len(state) * place)
    return state[:index] + ("A" if state[index] != "A" else "B") + state[index + 1 :]


@pytest.mark.parametrize(("code", "launched"), [("0000", True), ("1234", False)])
def test_two_rounds_are_held_together_by_the_state(client: Client, code: str, launched: bool) -> None:
    """MRTR-07, MRTR-16: a round has its own answers alone, and round two's travel in the state."""
    second = client.tool("confirm-launch", answers=YES, state=first_state(client), capabilities=FORM)
    assert ["code"] == list(second.asked)
    state = second.result["requestState"]
    third = client.tool("confirm-launch", answers={"code": accept(code=code)}, state=state, capabilities=FORM)
    outcome = {"launched": launched, "roundTwoResponseLeakedIntoRoundThree": False}
    assert outcome == third.result["structuredContent"]


@pytest.mark.parametrize("place", [0, 0.25, 0.5, 0.75, 0.99])
def test_a_state_that_was_changed_is_refused(client: Client, place: float) -> None:
    """MRTR-09: wherever it was changed."""
    state = tampered(first_state(client), place)
    answer = client.tool("confirm-launch", answers=YES, state=state, capabilities=FORM)
    assert (400, -32602) == answer.refusal
    assert INVALID == answer.error["message"]


@pytest.mark.parametrize("state", ["", "x", "a.b.c", "=", "é", "A" * 10_000])
@pytest.mark.parametrize("tool", ["confirm-launch", "ask-name", "never-satisfied"])
def test_a_state_that_was_never_given_out_is_refused(client: Client, tool: str, state: str) -> None:
    """MRTR-09, MRTR-18: with the same message as any other, so that it teaches nothing."""
    answer = client.tool(tool, state=state, capabilities=FORM)
    assert (400, -32602) == answer.refusal
    assert INVALID == answer.error["message"]


@pytest.mark.parametrize("state", [5, None, {"round": 9}, ["x"]])
def test_a_state_is_text(client: Client, state: Any) -> None:
    """MRTR-21."""
    params = {"name": "confirm-launch", "arguments": {}, "requestState": state}
    assert (400, -32602) == client.request("tools/call", params, capabilities=FORM).refusal


def test_the_state_of_one_tool_does_not_open_at_another(client: Client) -> None:
    """MRTR-10."""
    state = first_state(client)
    assert (400, -32602) == client.tool("never-satisfied", state=state, capabilities=FORM).refusal
    assert (400, -32602) == client.prompt("personalized-greeting", state=state, capabilities=FORM).refusal
    assert (400, -32602) == client.read("demo://vault", state=state, capabilities=FORM).refusal


def test_a_state_opens_as_often_as_it_is_sent(client: Client) -> None:
    """MRTR-17: the server waits for nobody, and a client may try again."""
    state = first_state(client)
    questions = [client.tool("confirm-launch", state=state, answers=YES, capabilities=FORM).asked for _ in range(2)]
    assert questions[0] == questions[1]


def test_a_needed_answer_that_is_missing_is_asked_for_again(client: Client) -> None:
    """MRTR-14, MRTR-15: with the state alone."""
    assert ["confirm"] == list(client.tool("confirm-launch", state=first_state(client), capabilities=FORM).asked)


def test_rounds_go_on_for_as_long_as_the_client_plays(client: Client) -> None:
    """MRTR-16: the count is in the state, and the question says it."""
    answer = client.tool("never-satisfied", capabilities=FORM)
    for round in range(1, 6):
        assert str(round) in answer.asked["more"]["params"]["message"]
        state = answer.result["requestState"]
        answer = client.tool("never-satisfied", answers={"more": accept()}, state=state, capabilities=FORM)


def test_the_key_of_a_question_is_the_tool_s_own(client: Client) -> None:
    """MRTR-04: one key a question, and the same one for the same question."""
    keys = [list(client.tool("confirm-launch", capabilities=FORM).asked) for _ in range(2)]
    assert [["confirm"], ["confirm"]] == keys
