"""Things a client's author breaks on purpose, as data.

Knows curl lines and the answers they get; knows no server. A row is one thing to break; it has a line for each way to
break it, and all of them are answered alike.
"""

from dataclasses import dataclass
from typing import Any

from goldfish.everything import curl
from goldfish.everything.catalog import cell, fold

FLAGS = r"-sw '\nHTTP %{http_code}\n'"
FORM: dict[str, Any] = {"elicitation": {"form": {}}}
TASKS: dict[str, Any] = {"extensions": {"io.modelcontextprotocol/tasks": {}}}


@dataclass(frozen=True, slots=True)
class Row:
    """What to break, shell lines that do, and the answer: HTTP status, JSON-RPC code or None, part of the body."""

    what: str
    lines: tuple[str, ...]
    status: int
    code: int | None
    snippet: str

    @property
    def answer(self) -> str:
        """The answer in words."""
        return f"{self.status}" if self.code is None else f"{self.status} {self.code}"


def _ask(name: str, capabilities: dict[str, Any], number: int = 1, **answers: Any) -> str:
    """A call without arguments; a retry has a number of its own and carries the state that the shell kept."""
    retry = {"inputResponses": answers, "requestState": "$STATE"} if number > 1 else {}
    params = {"name": name, "arguments": {}, **retry}
    return curl.request("tools/call", params, meta=curl.envelope(capabilities), flags=FLAGS, number=number)


def _echo(change: dict[str, str | None], **meta: Any) -> str:
    params = {"name": "echo", "arguments": {"message": "hi"}}
    return curl.request("tools/call", params, meta=curl.envelope(**meta), change=change, flags=FLAGS)


def _sql(region: str | None) -> str:
    params = {"name": "execute-sql", "arguments": {"region": "us-west1", "query": "select 1"}}
    return curl.request("tools/call", params, change={"Mcp-Param-Region": region}, flags=FLAGS)


def _list(meta: dict[str, Any]) -> str:
    return curl.request("tools/list", meta=meta, flags=FLAGS)


def _run_task(capabilities: dict[str, Any] = TASKS, **arguments: Any) -> str:
    params = {"name": "run-task", "arguments": arguments}
    return curl.request("tools/call", params, meta=curl.envelope(capabilities), flags=FLAGS)


def _task(
    method: str,
    task_id: str,
    capabilities: dict[str, Any] = TASKS,
    change: dict[str, str | None] | None = None,
    number: int = 1,
) -> str:
    meta = curl.envelope(capabilities)
    return curl.request(method, {"taskId": task_id}, meta=meta, change=change, flags=FLAGS, number=number)


_CONFIRM = {"action": "accept", "content": {"confirm": True}}
_MORE = {"action": "accept", "content": {}}
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "curl", "version": "1"}},
}

ROWS = (
    Row(
        "The header MCP-Protocol-Version names another version than the body",
        (_echo({"MCP-Protocol-Version": "2025-11-25"}),),
        400,
        -32020,
        "MCP-Protocol-Version",
    ),
    Row(
        "The header Mcp-Method is wrong, or missing",
        (_echo({"Mcp-Method": "tools/list"}), _echo({"Mcp-Method": None})),
        400,
        -32020,
        "Mcp-Method",
    ),
    Row(
        "The header Mcp-Name is wrong, or missing",
        (_echo({"Mcp-Name": "other"}), _echo({"Mcp-Name": None})),
        400,
        -32020,
        "Mcp-Name",
    ),
    Row(
        "The header Mcp-Param-Region differs from the argument, or is missing",
        (_sql("eu-north1"), _sql(None)),
        400,
        -32020,
        "Mcp-Param-Region",
    ),
    Row(
        "A version that is not served: a draft's, or a 2025-era initialize",
        (_echo({}, protocolVersion="DRAFT-2026-v1"), curl.post(_INITIALIZE, {}, flags=FLAGS)),
        400,
        -32022,
        '"supported":["2026-07-28"]',
    ),
    Row(
        "An unknown method",
        (curl.request("no/such", flags=FLAGS),),
        404,
        -32601,
        "no/such",
    ),
    Row(
        "GET or DELETE",
        tuple(f"curl {FLAGS} -X {verb} {curl.BASE}/mcp" for verb in ("GET", "DELETE")),
        405,
        None,
        "",
    ),
    Row(
        "ask-name from a client that declares no elicitation",
        (_ask("ask-name", {}),),
        400,
        -32021,
        '"requiredCapabilities":{"elicitation":{"form":{}}}',
    ),
    Row(
        "A tampered requestState",
        (
            "\n\n".join(
                (
                    curl.take_state(_ask("confirm-launch", FORM)),
                    'STATE="A$STATE"',
                    _ask("confirm-launch", FORM, 2, confirm=_CONFIRM),
                )
            ),
        ),
        400,
        -32602,
        "Invalid or expired requestState",
    ),
    Row(
        "A file that is not there",
        (curl.request("resources/read", {"uri": "demo://files/does-not-exist.md"}, flags=FLAGS),),
        400,
        -32602,
        '"data":{"uri":"demo://files/does-not-exist.md"}',
    ),
    Row(
        "A task id that is made up, or tampered with",
        (
            _task("tasks/get", "made-up"),
            "\n\n".join((curl.take_task(_run_task()), 'TASK="A$TASK"', _task("tasks/get", "$TASK", number=2))),
        ),
        400,
        -32602,
        "Task not found",
    ),
    Row(
        "A task's method without the header Mcp-Name, or with another id in it",
        (
            _task("tasks/get", "made-up", change={"Mcp-Name": None}),
            _task("tasks/cancel", "made-up", change={"Mcp-Name": "other"}),
        ),
        400,
        -32020,
        "Mcp-Name",
    ),
    Row(
        "never-satisfied, answered again and again: the limit on rounds has to be the client's own",
        (
            "\n\n".join(
                (
                    curl.take_state(_ask("never-satisfied", FORM)),
                    curl.take_state(_ask("never-satisfied", FORM, 2, more=_MORE)),
                    _ask("never-satisfied", FORM, 3, more=_MORE),
                )
            ),
        ),
        200,
        None,
        "Round 3:",
    ),
    Row(
        "run-task, a task's method or a listen with taskIds from a client that did not declare the extension",
        (
            _run_task(capabilities={}),
            _task("tasks/get", "made-up", capabilities={}),
            curl.request("subscriptions/listen", {"notifications": {"taskIds": ["made-up"]}}, flags=FLAGS),
        ),
        400,
        -32003,
        '"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}',
    ),
    Row(
        "tasks/cancel on the scenario stubborn: acknowledged, and the task completes anyway",
        (
            "\n\n".join(
                (
                    curl.take_task(_run_task(scenario="stubborn", delayMs=1000)),
                    _task("tasks/cancel", "$TASK", number=2),
                    _task("tasks/get", "$TASK", number=3) + "; sleep 1.2",
                    _task("tasks/get", "$TASK", number=4),
                )
            ),
        ),
        200,
        None,
        '"status":"completed"',
    ),
    Row(
        "The envelope is missing, or mangled",
        (_list({}), _list(curl.envelope() | {curl.PREFIX + "clientCapabilities": []})),
        400,
        -32602,
        "_meta",
    ),
)


def markdown() -> str:
    """The rows as a table, then the lines to paste, folded."""
    head = "| break this | HTTP and JSON-RPC answer | in the answer |\n|---|---|---|"
    rows = [f"| {cell(row.what)} | {row.answer} | {f'`{row.snippet}`' if row.snippet else ''} |" for row in ROWS]
    details = [fold(row.what, "\n\n".join(f"```sh\n{line}\n```" for line in row.lines)) for row in ROWS]
    return "\n".join([head, *rows, "", *details])
