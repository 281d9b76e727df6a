"""The official TypeScript client, over HTTP and stdio. Each script plays one scenario and prints what it saw."""

import pytest

from tests.clients.node import Node
from tests.support import shipped


@pytest.fixture(params=["/mcp", "/strict/mcp", "stdio"])
def server(request: pytest.FixtureRequest) -> list[str]:
    """The URL of an endpoint, or the command that serves standard input."""
    if request.param == "stdio":
        return [shipped.PYTHON, "-m", "goldfish", "--stdio"]
    base: str = request.getfixturevalue("reference")
    return [base + request.param]


def test_the_client_finds_and_calls_everything(node: Node, server: list[str]) -> None:
    """DIS-02, TOOL-01, TOOL-13, TOOL-15, TOOL-16, HDR-21, MRTR-06, RES-03, PRM-06, CMP-02."""
    seen = node.script("surface.mjs", *server)
    assert ("goldfish", "2026-07-28") == (seen["server"], seen["era"])
    assert {} == seen["capabilities"]["extensions"]["io.modelcontextprotocol/tasks"]
    assert seen["instructions"]
    assert [13, 7, 1, 2] == [len(names) for names in seen["listed"]]
    assert {"echoed": "hi"} == seen["echo"]["structuredContent"]
    assert {"region": "Zürich 1", "rowCount": 0} == seen["sql"]
    assert {"city": "Paris", "temperatureC": 26.4, "conditions": "rainy"} == seen["weather"]
    assert (True, "deliberate failure, raised") == (seen["failed"]["isError"], seen["failed"]["content"][0]["text"])
    assert seen["invalid"]
    assert -32602 == seen["unknown"]["code"]
    needed: dict[str, object] = {"requiredCapabilities": {"elicitation": {"form": {}}}}
    assert (-32021, needed) == (seen["unasked"]["code"], seen["unasked"]["data"])
    assert "text/markdown" == seen["spec"]["mimeType"]
    assert (-32602, {"uri": "demo://files/none.md"}) == (seen["missing"]["code"], seen["missing"]["data"])
    assert "user" == seen["review"]["role"]
    assert ["rust"] == seen["completed"]


def test_the_client_answers_every_kind_of_question(node: Node, server: list[str]) -> None:
    """MRTR-07, MRTR-16, MRTR-20, ELI-02, ELI-08, SAM-02, ROO-01, RES-09, PRM-08: and it ends what never ends."""
    seen = node.script("questions.mjs", *server)
    expected = {
        "name": {"name": "Ada"},
        "launch": {"launched": True, "roundTwoResponseLeakedIntoRoundThree": False},
        "dashboard": "accept",
        "summary": {"summary": "Short."},
        "roots": {"roots": ["file:///a"]},
        "vault": "The vault is empty, as you would expect of a goldfish.\n",
        "greeting": "Greet me in a pirate tone.",
        "declined": "decline",
        "questions": [
            "What is your name?",
            "Do you really want to launch?",
            "Enter the launch code.",
            "https://dashboard.example.com/goldfish",
            "The vault asks for the passphrase. It is mcp.",
            "In which tone would you like to be greeted?",
            "What is your name?",
        ],
        "endless": "INPUT_REQUIRED_ROUNDS_EXCEEDED",
        "rounds": 10,
    }
    assert expected == seen


def test_the_client_is_told_how_far_a_call_is(node: Node, server: list[str]) -> None:
    """PRG-02, LOG-03, CAN-01, CAN-02: and may give one up, and go on."""
    seen = node.script("progress.mjs", *server)
    steps = [{"progress": step, "total": 3, "message": f"Step {step} of 3"} for step in (1, 2, 3)]
    told = seen.pop("steps")
    # Where a step and the result come in one piece, as over a pipe, this client forgets whom to tell of the step.
    assert steps[: len(told)] == told
    assert len(told) >= (3 if "--stdio" not in server else 1)
    expected = {
        "done": "completed 3 steps",
        "lines": [f"finished step {step} of 3" for step in (1, 2, 3)],
        "left": "given up",
        "next": "echo: next",
    }
    assert expected == seen


def test_the_client_is_told_what_it_listens_to(node: Node, server: list[str]) -> None:
    """SUBS-02, SUBS-04, SUBS-12: four changes happen, of which two were asked for."""
    seen = node.script("listen.mjs", *server)
    expected = {
        "honored": {"toolsListChanged": True, "resourceSubscriptions": ["demo://counter"]},
        "told": [["resources/updated", "demo://counter"], ["tools/list_changed", None]],
        "ended": "local",
    }
    assert expected == seen


@pytest.mark.parametrize("path", ["/mcp", "/strict/mcp"])
def test_the_official_package_for_tasks_runs_them(node: Node, reference: str, path: str) -> None:
    """TASK-01, TASK-11, TASK-13, TASK-15, TASK-23, TASK-29: every scenario, and a task that is cancelled."""
    seen = node.script("task.mjs", reference + path)

    def ended(status: str, text: str, code: int | None = None, asks: bool = False) -> dict[str, object]:
        statuses = ["input_required", status] if asks else [status]
        told: dict[str, object] = {"kind": "task", "seen": statuses, "status": status, "text": text}
        return told if code is None else {**told, "code": code}

    expected = {
        "declared": {},
        "complete": ended("completed", "The task is done."),
        "toolError": ended("completed", "The tool failed on purpose."),
        "protocolError": ended("failed", "deliberate protocol error", -32603),
        "needsInput": ended("completed", "Hello, Ada!", asks=True),
        "stubborn": ended("completed", "The task is done."),
        "cancelled": "cancelled",
        "asked": [["request-retry", "Create the task?"], ["task-update", "What is your name?"]],
    }
    assert expected == seen
