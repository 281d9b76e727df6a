"""The two endpoints and where they differ, as data.

Knows paths and curl lines; knows no server. Both endpoints serve the same features from the same server object: they
are two profiles of it, and there is no second code path.
"""

from dataclasses import dataclass

from goldfish.everything import curl
from goldfish.everything.catalog import cell

RELAXED_PATH = "/mcp"
STRICT_PATH = "/strict/mcp"
CONFORMANCE_PATH = "/conformance/mcp"

_ECHO = {"name": "echo", "arguments": {"message": "hi"}}
_RUN_TASK = {"name": "run-task", "arguments": {}}
_ASKING = {"name": "run-task", "arguments": {"scenario": "needs-input"}}
_TASKS = curl.envelope({"extensions": {"io.modelcontextprotocol/tasks": {}}})
_VERSION = {"MCP-Protocol-Version": curl.VERSION}
_SHOW_STATUS = r"-sw '\nHTTP %{http_code}\n'"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A path and what it is for."""

    path: str
    purpose: str


@dataclass(frozen=True, slots=True)
class Difference:
    """One request that the two endpoints answer differently: (HTTP status, a snippet of the body) at each."""

    topic: str
    relaxed: tuple[int, str]
    strict: tuple[int, str]
    why: str
    relaxed_line: str
    strict_line: str


ENDPOINTS = (
    Endpoint(RELAXED_PATH, "lenient, for lines to paste: they work here as they stand"),
    Endpoint(STRICT_PATH, "point your client here: the published specification to the letter"),
    Endpoint(CONFORMANCE_PATH, "the fixtures of the official conformance suite, as strict"),
)

DIFFERENCES = (
    Difference(
        topic="The header MCP-Protocol-Version is missing",
        relaxed=(200, "echo: hi"),
        strict=(400, "-32020"),
        why="the envelope in the body names the version too; a line to paste is easier to read without the header",
        relaxed_line=curl.request("tools/call", _ECHO, flags=_SHOW_STATUS, path=RELAXED_PATH),
        strict_line=curl.request("tools/call", _ECHO, flags=_SHOW_STATUS, path=STRICT_PATH),
    ),
    Difference(
        topic="A task is made, asked about or listened to, and the client did not declare the extension",
        relaxed=(400, "-32003"),
        strict=(400, "-32021"),
        why="clients of the extension's drafts look for its first code; the released text has another",
        relaxed_line=curl.request("tools/call", _RUN_TASK, flags=_SHOW_STATUS, change=_VERSION, path=RELAXED_PATH),
        strict_line=curl.request("tools/call", _RUN_TASK, flags=_SHOW_STATUS, change=_VERSION, path=STRICT_PATH),
    ),
    Difference(
        topic="run-task needs-input from a client that declared no elicitation",
        relaxed=(200, '"resultType":"task"'),
        strict=(400, "-32021"),
        why="some clients declare the extension alone and answer all the same; by the text nothing is asked undeclared",
        relaxed_line=curl.request(
            "tools/call", _ASKING, meta=_TASKS, flags=_SHOW_STATUS, change=_VERSION, path=RELAXED_PATH
        ),
        strict_line=curl.request(
            "tools/call", _ASKING, meta=_TASKS, flags=_SHOW_STATUS, change=_VERSION, path=STRICT_PATH
        ),
    ),
)


def markdown() -> str:
    """The differences as a table."""
    head = f"| | `{RELAXED_PATH}` | `{STRICT_PATH}` | why |\n|---|---|---|---|"
    rows = [
        f"| {cell(row.topic)} | {answer(row.relaxed)} | {answer(row.strict)} | {cell(row.why)} |" for row in DIFFERENCES
    ]
    return "\n".join([head, *rows]) + "\n"


def answer(expected: tuple[int, str]) -> str:
    """An expected answer in words."""
    status, snippet = expected
    return f"served, `{snippet}`" if status == 200 else f"{status}, `{snippet}`"
