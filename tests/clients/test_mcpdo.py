"""mcpdo, the MCP Inspector's client that keeps a connection: questions over several commands, and a subscription."""

import json
import os
import re
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.clients.node import Finished, Node

PROGRAM = "@modelcontextprotocol/inspector/clients/mcpdo/build/mcp-bin.js"
PATIENCE = 15.0
#: A command takes a second, and these tests are of several.
pytestmark = pytest.mark.timeout(60)


@dataclass(frozen=True)
class Connection:
    """A connection to one server, held by a daemon of its own."""

    node: Node
    daemon: dict[str, str]

    def run(self, *arguments: str) -> Finished:
        return self.node.run(PROGRAM, "--format", "json", *arguments, variables=self.daemon)

    def ask(self, *arguments: str) -> Any:
        """The answer of a command that goes well."""
        done = self.run("--connection", "server", *arguments)
        assert 0 == done.status, done
        return json.loads(done.out)

    def respond(self, pending: Any, *answers: str) -> Any:
        return self.ask("elicitation/respond", pending["elicitationPending"]["elicitationId"], *answers)

    def watch(self, *arguments: str) -> "Watch":
        command = self.node.command(PROGRAM, "--format", "json", "--connection", "server", *arguments)
        return Watch(command, self.node.environment(self.daemon))


class Watch:
    """A command that prints until it is stopped."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.said = ""

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def until(self, part: str) -> None:
        """Returns when `part` was printed."""
        assert self._process.stdout is not None
        deadline = time.monotonic() + PATIENCE
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while part not in self.said:
                assert selector.select(deadline - time.monotonic()), self.said
                piece = os.read(self._process.stdout.fileno(), 65536)
                assert piece, self.said
                self.said += piece.decode()


@pytest.fixture(scope="module")
def connection(node: Node, reference: str) -> Iterator[Connection]:
    private = node.run(PROGRAM, "private")
    variables = dict(re.findall(r"^export (\w+)='([^']*)'$", private.out, re.MULTILINE))
    assert {"MCP_INSPECTOR_DAEMON_DIR", "MCP_INSPECTOR_DAEMON_TOKEN"} == variables.keys()
    made = Connection(node, {**variables, "MCP_INSPECTOR_SECRET_STORE": "memory"})
    where = ("--transport", "http", "--server-url", reference + "/strict/mcp")
    done = made.run("connect", *where, "--era", "modern", "--elicit", "both", "--connection", "server")
    daemon: int = json.loads(made.run("daemon", "status").out)["pid"]
    try:
        assert (0, "modern") == (done.status, json.loads(done.out)["protocolEra"]), done
        yield made
    finally:
        made.run("daemon", "stop")
        _end(daemon)
        shutil.rmtree(variables["MCP_INSPECTOR_DAEMON_DIR"], ignore_errors=True)


def _end(pid: int) -> None:
    """The daemon ends by itself, or else is killed."""
    deadline = time.monotonic() + PATIENCE
    try:
        while time.monotonic() < deadline:
            os.kill(pid, 0)
            time.sleep(0.05)
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def test_a_connection_knows_its_server(connection: Connection) -> None:
    """DIS-02, DIS-04."""
    shown = connection.ask("connections/show")
    assert ("goldfish", "2026-07-28") == (shown["serverInfo"]["name"], shown["protocolVersion"])
    assert {"subscribe": True, "listChanged": True} == shown["capabilities"]["resources"]


def test_two_rounds_of_questions_are_answered_one_command_after_another(connection: Connection) -> None:
    """MRTR-07, MRTR-16: whatever the person takes their time for, the state carries what was said before."""
    first = connection.ask("tools/call", "confirm-launch")
    assert "input-required" == first["elicitationPending"]["origin"]
    second = connection.respond(first, "confirm:=true")
    assert "Enter the launch code." == second["elicitationPending"]["message"]
    outcome = connection.respond(second, "code:=0000")
    assert {"launched": True, "roundTwoResponseLeakedIntoRoundThree": False} == outcome["structuredContent"]


def test_a_question_is_declined_by_command(connection: Connection) -> None:
    """MRTR-20."""
    pending = connection.ask("tools/call", "ask-name")
    assert "decline" == connection.respond(pending, "--decline")["content"][0]["text"]


def test_a_url_is_visited_by_command(connection: Connection) -> None:
    """ELI-08, ELI-09."""
    pending = connection.ask("tools/call", "open-dashboard")
    assert "https://dashboard.example.com/goldfish" == pending["elicitationPending"]["url"]
    assert "accept" == connection.respond(pending, "--done")["structuredContent"]["action"]


def test_a_task_asks_and_is_answered(connection: Connection) -> None:
    """TASK-14, TASK-23: the client polls, shows the question, and updates the task with the answer."""
    pending = connection.ask("tools/call", "run-task", "scenario:=needs-input", "delayMs:=0")
    assert "task-input-required" == pending["elicitationPending"]["origin"]
    assert "Hello, Ada!" == connection.respond(pending, "name:=Ada")["content"][0]["text"]


def test_a_failure_of_the_tool_has_its_exit_status(connection: Connection) -> None:
    """TOOL-16."""
    done = connection.run("--connection", "server", "tools/call", "fail", "mode:=result")
    assert (5, True) == (done.status, json.loads(done.out)["isError"])


def test_a_subscription_prints_what_it_is_told(connection: Connection) -> None:
    """SUBS-02, SUBS-04, RES-15: also while other commands use the same connection."""
    with connection.watch("resources/subscribe", "demo://counter") as watch:
        watch.until('"subscribed"')
        connection.ask("tools/call", "trigger-notifications", "event:=resource-updated")
        watch.until('"resources/updated"')
    assert 2 == watch.said.count("demo://counter")
