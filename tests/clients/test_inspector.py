"""The command line of the MCP Inspector: one command, one answer, one exit status."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from tests.clients.node import Finished, Node

PROGRAM = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"


@dataclass(frozen=True)
class Command:
    """What is asked, the exit status that the Inspector documents, and what must be in the answer."""

    line: str
    part: str
    status: int = 0

    def __str__(self) -> str:
        return self.line


COMMANDS = (
    Command("initialize", '"protocolVersion":"2026-07-28"'),
    Command("tools/list --strict", '"name":"run-task"'),
    Command("resources/list", '"uri":"demo://vault"'),
    Command("resources/templates/list", '"uriTemplate":"demo://files/{name}"'),
    Command("prompts/list", '"name":"personalized-greeting"'),
    Command("tools/call --tool-name echo --tool-arg message=hi", '"echoed":"hi"'),
    Command("tools/call --tool-name execute-sql --tool-arg region=eu query=q", '{"region":"eu","rowCount":0}'),
    Command("tools/call --tool-name long-task --tool-arg steps=2 delayMs=0", "completed 2 steps"),
    Command("tools/call --tool-name run-task --tool-arg delayMs=0", "The task is done."),
    Command("tools/call --tool-name fail --tool-arg mode=throw", "deliberate failure, raised", 5),
    Command("tools/call --tool-name no-such-tool", "tool_not_found", 5),
    Command("tools/call --tool-name ask-name", "Missing required client capability: elicitation.form", 1),
    Command("resources/read --uri demo://files/spec.md", "# Specification"),
    Command("resources/read --uri demo://files/none.md", "Resource not found", 1),
    Command("prompts/get --prompt-name code-review --prompt-args language=go code=x", "Review this go code."),
)


def inspect(node: Node, url: str, line: str, era: str = "modern") -> Finished:
    base = ("--cli", "--server-url", url, "--transport", "http", "--protocol-era", era, "--format", "json")
    return node.run(PROGRAM, *base, "--method", *line.split())


@pytest.mark.parametrize("command", COMMANDS, ids=str)
def test_a_command_of_the_inspector_ends_as_documented(node: Node, reference: str, command: Command) -> None:
    """TOOL-01, TOOL-16, HDR-21, MRTR-06, RES-03, PRM-06, TASK-10: at the endpoint that takes nothing lightly."""
    done = inspect(node, reference + "/strict/mcp", command.line)
    assert (command.status, True) == (done.status, command.part in done.out + done.err), done


def test_the_inspector_finds_the_revision_by_itself(node: Node, reference: str) -> None:
    """DIS-01: it asks for both eras, and settles on the one that is served."""
    done = inspect(node, reference + "/mcp", "tools/list", era="auto")
    tools: list[dict[str, Any]] = json.loads(done.out)["result"]["tools"]
    assert (0, "echo") == (done.status, tools[0]["name"])


def test_the_inspector_is_told_that_the_older_era_is_not_served(node: Node, reference: str) -> None:
    """VER-06: a handshake is refused, with the version that would have been served."""
    done = inspect(node, reference + "/mcp", "tools/list", era="legacy")
    assert 1 == done.status
    assert "2026-07-28" in done.err
