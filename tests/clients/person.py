"""The person and the model behind the official Python client, and the clients they sit at.

Knows how `mcp.Client` is opened and asks; knows no tool of the server.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import mcp_types as types
from mcp import Client
from mcp.client import ClientExtension, ClientRequestContext, Transport

VERSION: Final = "2026-07-28"
#: Seconds for a whole scenario. It takes milliseconds.
PATIENCE: Final = 15.0

T = TypeVar("T")


def accept(**content: Any) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content=content or None)


DECLINE: Final = types.ElicitResult(action="decline")
CANCEL: Final = types.ElicitResult(action="cancel")


@dataclass
class Person:
    """Answers by the key of the question, and remembers what was asked, logged and counted.

    `answers` may be a function of the key and of how many questions came before.
    """

    answers: Mapping[str, types.ElicitResult] | Callable[[str, int], types.ElicitResult] = field(default_factory=dict)
    asked: list[tuple[str, types.ElicitRequestParams]] = field(default_factory=list)
    sampled: list[types.CreateMessageRequestParams] = field(default_factory=list)
    logged: list[types.LoggingMessageNotificationParams] = field(default_factory=list)
    steps: list[tuple[float, float | None, str | None]] = field(default_factory=list)

    @property
    def questions(self) -> list[str]:
        """The keys, in the order in which they were asked."""
        return [key for key, _ in self.asked]

    async def elicit(self, context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        key = str(context.request_id)
        before = len(self.asked)
        self.asked.append((key, params))
        return self.answers(key, before) if callable(self.answers) else self.answers[key]

    async def sample(
        self, _: ClientRequestContext, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult:
        self.sampled.append(params)
        text = types.TextContent(type="text", text="Short.")
        return types.CreateMessageResult(role="assistant", content=text, model="a model")

    async def roots(self, _: ClientRequestContext) -> types.ListRootsResult:
        return types.ListRootsResult.model_validate({"roots": [{"uri": "file:///a"}, {"uri": "file:///b"}]})

    async def log(self, params: types.LoggingMessageNotificationParams) -> None:
        self.logged.append(params)

    async def progress(self, progress: float, total: float | None, message: str | None) -> None:
        self.steps.append((progress, total, message))


def client(
    target: str | Transport,
    person: Person | None = None,
    *,
    mode: str = VERSION,
    log_level: types.LoggingLevel | None = None,
    extensions: Sequence[ClientExtension] = (),
    rounds: int = 10,
) -> Client:
    """A client that declares what a person can answer; without a person it declares nothing."""
    answering = {} if person is None else _callbacks(person)
    return Client(
        target,
        mode=mode,
        log_level=log_level,
        extensions=extensions,
        input_required_max_rounds=rounds,
        read_timeout_seconds=PATIENCE,
        **answering,
    )


def _callbacks(person: Person) -> dict[str, Any]:
    return {
        "elicitation_callback": person.elicit,
        "sampling_callback": person.sample,
        "list_roots_callback": person.roots,
        "logging_callback": person.log,
    }


def play(opened: Client, scenario: Callable[[Client], Awaitable[T]]) -> T:
    """Opens a client, runs a scenario with it and returns, or raises, what that does."""

    async def run() -> T:
        async with asyncio.timeout(PATIENCE), opened as connected:
            return await scenario(connected)

    try:
        return asyncio.run(run())
    except ExceptionGroup as group:
        raise _alone(group) from None


def _alone(problem: Exception) -> Exception:
    """What the task groups of the client have wrapped."""
    while isinstance(problem, ExceptionGroup) and len(problem.exceptions) == 1:
        (problem,) = problem.exceptions
    return problem


def text(result: types.CallToolResult) -> str:
    """The text of the one content block."""
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    return block.text
