"""The official Python client at both endpoints: every tool of the reference server, every way of asking."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, MCPError
from mcp.client import InputRequiredRoundsExceededError

from tests.clients.person import CANCEL, DECLINE, Person, accept, client, play, text
from tests.clients.polling import Polling

pytestmark = pytest.mark.parametrize("path", ["/mcp", "/strict/mcp"])


@dataclass(frozen=True)
class Case:
    """A call, what the person answers, and what must come of it. An expected text may be the start of the text."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    answers: Mapping[str, types.ElicitResult] = field(default_factory=dict)
    text: str = ""
    structured: Mapping[str, Any] | None = None
    is_error: bool = False
    questions: tuple[str, ...] = ()

    def __str__(self) -> str:
        details = [*map(str, self.arguments.values()), *(answer.action for answer in self.answers.values())]
        return " ".join([self.tool, *details])


def launched(yes: bool) -> Mapping[str, Any]:
    return {"launched": yes, "roundTwoResponseLeakedIntoRoundThree": False}


CONFIRMED = accept(confirm=True)
CASES = (
    Case("echo", {"message": "Grüße"}, text="echo: Grüße", structured={"echoed": "Grüße"}),
    Case(
        "execute-sql",
        {"region": "Zürich 1", "query": "select 1"},
        text='{"region":"Zürich 1","rowCount":0}',
        structured={"region": "Zürich 1", "rowCount": 0},
    ),
    Case(
        "get-weather",
        {"city": "Paris"},
        text='{"city":"Paris",',
        structured={"city": "Paris", "temperatureC": 26.4, "conditions": "rainy"},
    ),
    Case("long-task", {"steps": 2, "delayMs": 0}, text="completed 2 steps"),
    Case("fail", {"mode": "result"}, text="deliberate failure, returned", is_error=True),
    Case("fail", {"mode": "throw"}, text="deliberate failure, raised", is_error=True),
    Case(
        "ask-name",
        answers={"name": accept(name="Ada")},
        text="Hello, Ada!",
        structured={"name": "Ada"},
        questions=("name",),
    ),
    Case("ask-name", answers={"name": DECLINE}, text="decline", questions=("name",)),
    Case("ask-name", answers={"name": CANCEL}, text="cancel", questions=("name",)),
    Case(
        "confirm-launch",
        answers={"confirm": CONFIRMED, "code": accept(code="0000")},
        text="Launch ",
        structured=launched(True),
        questions=("confirm", "code"),
    ),
    Case(
        "confirm-launch",
        answers={"confirm": CONFIRMED, "code": accept(code="1234")},
        text="Launch ",
        structured=launched(False),
        questions=("confirm", "code"),
    ),
    Case(
        "confirm-launch",
        answers={"confirm": DECLINE},
        text="Launch ",
        structured=launched(False),
        questions=("confirm",),
    ),
    Case("open-dashboard", answers={"visit": accept()}, text='{"action":"accept","nonce":"', questions=("visit",)),
    Case("open-dashboard", answers={"visit": DECLINE}, text='{"action":"decline","nonce":"', questions=("visit",)),
    Case("summarize", {"text": "A long text."}, text="Short.", structured={"summary": "Short."}),
    Case("list-client-roots", text='{"roots":[', structured={"roots": ["file:///a", "file:///b"]}),
    Case("trigger-notifications", {"event": "tools"}, text="published: the list of tools changed"),
    Case("run-task", {"delayMs": 0}, text="The task is done."),
    Case("run-task", {"scenario": "tool-error", "delayMs": 0}, text="The tool failed on purpose.", is_error=True),
    Case("run-task", {"scenario": "stubborn", "delayMs": 0}, text="The task is done."),
    Case(
        "run-task",
        {"scenario": "needs-input", "delayMs": 0},
        {"name": accept(name="Ada")},
        text="Hello, Ada!",
        questions=("name",),
    ),
    Case(
        "run-task",
        {"scenario": "needs-input", "delayMs": 0, "confirm": True},
        {"go": accept(go=True), "name": DECLINE},
        text="No name was given.",
        is_error=True,
        questions=("go", "name"),
    ),
    Case("run-task", {"confirm": True}, {"go": accept(go=False)}, text="No task was created.", questions=("go",)),
)
#: Tools whose every call here ends otherwise than with a result, each with a test of its own below.
ENDLESS = {"never-satisfied"}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_tool_answers_as_the_feature_map_says(reference: str, path: str, case: Case) -> None:
    """TOOL-18, HDR-21, MRTR-07, MRTR-16, MRTR-20, SAM-02, ROO-01, TASK-11.

    The client mirrors headers, answers questions and polls tasks by itself.
    """
    person = Person(case.answers)

    async def scenario(connected: Client) -> types.CallToolResult:
        await connected.list_tools()
        return await connected.call_tool(case.tool, dict(case.arguments))

    result = play(client(reference + path, person, extensions=[Polling()]), scenario)
    assert case.text == text(result)[: len(case.text)]
    assert case.is_error == bool(result.is_error)
    assert list(case.questions) == person.questions
    if case.structured is not None:
        assert case.structured == result.structured_content


def test_every_tool_that_is_listed_is_called_here(reference: str, path: str) -> None:
    """Whoever adds a tool adds a case."""
    listed = play(client(reference + path), lambda connected: connected.list_tools())
    assert {tool.name for tool in listed.tools} == {case.tool for case in CASES} | ENDLESS


def test_a_client_that_listed_nothing_finds_out_which_headers_a_call_needs(reference: str, path: str) -> None:
    """HDR-21: the refusal of a call without its mirrored parameter makes the client list the tools and call again."""
    arguments = {"region": "eu", "query": "select 1"}
    result = play(client(reference + path), lambda connected: connected.call_tool("execute-sql", arguments))
    assert {"region": "eu", "rowCount": 0} == result.structured_content


def test_endless_questions_end_at_the_limit_of_the_client(reference: str, path: str) -> None:
    """MRTR-16: each answer is followed by the next question, whose message counts the rounds."""
    person = Person(lambda key, before: accept(anything=f"answer {before}"))
    with pytest.raises(InputRequiredRoundsExceededError):
        play(client(reference + path, person, rounds=4), lambda connected: connected.call_tool("never-satisfied"))
    assert ["more"] * 4 == person.questions
    assert [f"Round {number}:" for number in range(1, 5)] == [params.message[:8] for _, params in person.asked]


def test_a_question_carries_what_a_person_needs_to_see(reference: str, path: str) -> None:
    """ELI-02, ELI-08, SAM-02: a form's message and schema, a visit's URL, messages and limit for a model."""
    person = Person({"name": DECLINE, "visit": CANCEL})

    async def scenario(connected: Client) -> None:
        await connected.call_tool("ask-name")
        await connected.call_tool("open-dashboard")
        await connected.call_tool("summarize", {"text": "A long text."})

    play(client(reference + path, person), scenario)
    (_, name), (_, visit) = person.asked
    assert isinstance(name, types.ElicitRequestFormParams)
    assert ("What is your name?", ["name"]) == (name.message, name.requested_schema["required"])
    assert isinstance(visit, types.ElicitRequestURLParams)
    assert "https://dashboard.example.com/goldfish" == visit.url
    (sampled,) = person.sampled
    assert 200 == sampled.max_tokens
    (message,) = sampled.messages
    assert isinstance(message.content, types.TextContent)
    assert message.content.text.endswith("A long text.")


@pytest.mark.parametrize(
    ("tool", "arguments", "missing"),
    [
        ("ask-name", {}, {"elicitation": {"form": {}}}),
        ("open-dashboard", {}, {"elicitation": {"url": {}}}),
        ("summarize", {"text": "A long text."}, {"sampling": {}}),
        ("list-client-roots", {}, {"roots": {}}),
    ],
)
def test_a_client_that_cannot_be_asked_is_told_what_it_lacks(
    reference: str, path: str, tool: str, arguments: dict[str, Any], missing: dict[str, Any]
) -> None:
    """MRTR-05, MRTR-06: a client without callbacks declares nothing, and so is asked nothing."""
    with pytest.raises(MCPError) as refused:
        play(client(reference + path), lambda connected: connected.call_tool(tool, arguments))
    assert (-32021, {"requiredCapabilities": missing}) == (refused.value.code, refused.value.data)


def test_a_task_is_refused_to_a_client_without_the_extension(reference: str, path: str) -> None:
    """TASK-02, TASK-03: by the released text's code where the specification is followed to the letter."""
    with pytest.raises(MCPError) as refused:
        play(client(reference + path), lambda connected: connected.call_tool("run-task"))
    needed: dict[str, Any] = {"extensions": {"io.modelcontextprotocol/tasks": {}}}
    assert {"/mcp": -32003, "/strict/mcp": -32021}[path] == refused.value.code
    assert {"requiredCapabilities": needed} == refused.value.data


def test_a_task_that_fails_ends_in_its_error(reference: str, path: str) -> None:
    """TASK-15: a JSON-RPC error inside the task, which the client raises as if the call had met it."""
    polling = Polling()
    arguments = {"scenario": "protocol-error", "delayMs": 0}
    with pytest.raises(MCPError) as failed:
        play(
            client(reference + path, extensions=[polling]),
            lambda connected: connected.call_tool("run-task", arguments),
        )
    assert (-32603, "deliberate protocol error") == (failed.value.code, failed.value.message)
    assert ["failed"] == polling.seen


def test_a_task_is_watched_through_its_statuses(reference: str, path: str) -> None:
    """TASK-10, TASK-14: working as long as it works, then it asks, then it has a result."""
    polling = Polling()
    person = Person({"name": accept(name="Ada")})
    arguments = {"scenario": "needs-input", "delayMs": 200}
    result = play(
        client(reference + path, person, extensions=[polling]),
        lambda connected: connected.call_tool("run-task", arguments),
    )
    assert "Hello, Ada!" == text(result)
    assert ["working", "input_required", "working", "completed"] == polling.seen
    assert "working" == polling.created[0].status


def test_an_unknown_tool_is_an_error_and_no_result(reference: str, path: str) -> None:
    """TOOL-13."""
    with pytest.raises(MCPError) as refused:
        play(client(reference + path), lambda connected: connected.call_tool("no-such-tool"))
    assert -32602 == refused.value.code
    assert "no-such-tool" in refused.value.message


def test_arguments_that_break_the_schema_are_a_failure_of_the_tool(reference: str, path: str) -> None:
    """TOOL-15: a model reads what is wrong, and can mend it."""
    result = play(client(reference + path), lambda connected: connected.call_tool("long-task", {"steps": 11}))
    assert result.is_error
    assert "steps" in text(result)
