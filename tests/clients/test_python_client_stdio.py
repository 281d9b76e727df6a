"""The official Python client with `goldfish --stdio` as its child: the same features, two pipes."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import mcp_types as types
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.subscriptions import ResourceUpdated, ServerEvent, ToolsListChanged

from tests.clients.person import Person, accept, client, play, text
from tests.clients.polling import Polling
from tests.support import shipped

T = TypeVar("T")
Scenario = Callable[[Client], Awaitable[T]]
COMMAND = StdioServerParameters(command=shipped.PYTHON, args=["-m", "goldfish", "--stdio"])


class Child:
    """A server for one scenario; what it says on standard error stays readable."""

    def __init__(self, log: Path) -> None:
        self._log = log

    def play(self, scenario: Callable[[Client], Awaitable[T]], person: Person | None = None, **options: object) -> T:
        with self._log.open("w", encoding="utf-8") as errors:
            return play(client(stdio_client(COMMAND, errors), person, **options), scenario)  # type: ignore[arg-type]

    @property
    def errors(self) -> str:
        return self._log.read_text(encoding="utf-8")


@pytest.fixture
def child(tmp_path: Path) -> Child:
    return Child(tmp_path / "stderr")


def test_the_features_are_the_same_over_stdio(child: Child) -> None:
    """STD-01, STD-04, STD-05, DIS-01: discover, lists, calls, reads, prompts, completion, and no headers."""

    async def scenario(connected: Client) -> None:
        assert connected.server_info is not None
        assert "goldfish" == connected.server_info.name
        assert 13 <= len((await connected.list_tools()).tools)
        assert "echo: a\nb" == text(await connected.call_tool("echo", {"message": "a\nb"}))
        sql = await connected.call_tool("execute-sql", {"region": "eu", "query": "select 1"})
        assert {"region": "eu", "rowCount": 0} == sql.structured_content
        assert (await connected.call_tool("fail", {"mode": "throw"})).is_error
        assert "demo://counter" in [str(resource.uri) for resource in (await connected.list_resources()).resources]
        (contents,) = (await connected.read_resource("demo://files/spec.md")).contents
        assert "text/markdown" == contents.mime_type
        prompt = await connected.get_prompt("code-review", {"language": "go", "code": "x"})
        assert 1 == len(prompt.messages)
        reference = types.PromptReference(type="ref/prompt", name="code-review")
        completed = await connected.complete(reference, {"name": "language", "value": "r"})
        assert ["rust"] == completed.completion.values
        with pytest.raises(MCPError) as refused:
            await connected.call_tool("no-such-tool")
        assert -32602 == refused.value.code

    child.play(scenario, mode="auto")
    assert "deliberate failure, raised" in child.errors


def test_questions_are_answered_over_stdio(child: Child) -> None:
    """MRTR-07, MRTR-16: forms in two rounds, a URL, a model, roots, and the question of a resource."""
    person = Person(
        {
            "confirm": accept(confirm=True),
            "code": accept(code="0000"),
            "visit": accept(),
            "passphrase": accept(passphrase="mcp"),
        }
    )

    async def scenario(connected: Client) -> list[object]:
        launch = await connected.call_tool("confirm-launch")
        dashboard = await connected.call_tool("open-dashboard")
        summary = await connected.call_tool("summarize", {"text": "A long text."})
        roots = await connected.call_tool("list-client-roots")
        vault = await connected.read_resource("demo://vault")
        return [
            launch.structured_content["launched"],
            dashboard.structured_content["action"],
            summary.structured_content["summary"],
            roots.structured_content["roots"],
            len(vault.contents),
        ]

    assert [True, "accept", "Short.", ["file:///a", "file:///b"], 1] == child.play(scenario, person)
    assert ["confirm", "code", "visit", "passphrase"] == person.questions
    assert "" == child.errors


def test_a_task_is_run_over_stdio(child: Child) -> None:
    """TASK-10, TASK-23."""
    person, polling = Person({"name": accept(name="Ada")}), Polling()
    arguments = {"scenario": "needs-input", "delayMs": 0}
    result = child.play(lambda connected: connected.call_tool("run-task", arguments), person, extensions=[polling])
    assert "Hello, Ada!" == text(result)
    assert ["input_required", "completed"] == polling.seen


def test_progress_and_log_are_told_over_stdio(child: Child) -> None:
    """PRG-02, LOG-01: the lines of the log come as messages, and none of them on standard error."""
    person = Person()

    async def scenario(connected: Client) -> str:
        arguments = {"steps": 2, "delayMs": 0}
        return text(await connected.call_tool("long-task", arguments, progress_callback=person.progress))

    assert "completed 2 steps" == child.play(scenario, person, log_level="info")
    assert [(1.0, 2.0, "Step 1 of 2"), (2.0, 2.0, "Step 2 of 2")] == person.steps
    assert [f"finished step {step} of 2" for step in (1, 2)] == [line.data for line in person.logged]
    assert "" == child.errors


def test_changes_are_told_over_stdio(child: Child) -> None:
    """SUBS-05, SUBS-10, STD-13: two subscriptions share the pipe, and each gets its own."""

    async def scenario(connected: Client) -> tuple[ServerEvent, ServerEvent]:
        lists = connected.listen(tools_list_changed=True)
        updates = connected.listen(resource_subscriptions=["demo://counter"])
        async with lists as first, updates as second:
            await connected.call_tool("trigger-notifications", {"event": "resource-updated"})
            await connected.call_tool("trigger-notifications", {"event": "tools"})
            return await anext(first), await anext(second)

    assert (ToolsListChanged(), ResourceUpdated("demo://counter")) == child.play(scenario)


def test_a_subscription_that_is_left_is_over_and_the_pipe_is_not(child: Child) -> None:
    """CAN-02, SUBS-12: leaving it cancels the listen request, and a new one may follow."""

    async def scenario(connected: Client) -> ServerEvent:
        async with connected.listen(prompts_list_changed=True):
            pass
        async with connected.listen(tools_list_changed=True) as subscription:
            for event in ("prompts", "tools"):
                await connected.call_tool("trigger-notifications", {"event": event})
            return await anext(subscription)

    assert ToolsListChanged() == child.play(scenario)


def test_a_call_that_is_cancelled_stops_over_stdio(child: Child) -> None:
    """CAN-02, STD-06: a task of the same pace, begun later, finishes; of the cancelled one nothing more is heard."""
    person = Person()

    async def scenario(connected: Client) -> str:
        begun = asyncio.Event()

        async def progress(progress: float, total: float | None, message: str | None) -> None:
            begun.set()

        arguments = {"steps": 10, "delayMs": 20}
        call = asyncio.create_task(connected.call_tool("long-task", arguments, progress_callback=progress))
        await begun.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        # Answered after what was written before: from here on the cancellation is known.
        await connected.call_tool("fail", {"mode": "result"})
        person.logged.clear()
        return text(await connected.call_tool("long-task", {"steps": 5, "delayMs": 20}))

    assert "completed 5 steps" == child.play(scenario, person, log_level="info")
    assert [f"finished step {step} of 5" for step in range(1, 6)] == [line.data for line in person.logged]
