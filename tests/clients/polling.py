"""The tasks extension for the official Python client, which has none of its own: polls, answers, returns the result.

Written against the client's interface for extensions alone, as an author of a client would write it.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import mcp_types as types
from mcp import MCPError
from mcp.client import ClaimContext, ClientExtension, ClientRequestContext, ResultClaim
from pydantic import ConfigDict, TypeAdapter
from pydantic.alias_generators import to_camel

EXTENSION: Final = "io.modelcontextprotocol/tasks"

_QUESTION: Final[TypeAdapter[types.InputRequest]] = TypeAdapter(types.InputRequest)


class Task(types.Result):
    """A task as it is created and as it is asked for; `result_type` tells one from the other."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="allow")

    result_type: Literal["task"]
    task_id: str
    status: str
    poll_interval_ms: int | None = None


class Status(Task):
    result_type: Literal["complete"]  # type: ignore[assignment]  # the answer of tasks/get is an ordinary result
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None


class TaskRequest(types.Request[dict[str, Any], str]):
    """`tasks/get`, `tasks/update` or `tasks/cancel`; the client mirrors the id in Mcp-Name."""

    name_param = "taskId"


class Polling(ClientExtension):
    """Finishes a task that a tool answered with. `seen` has the statuses, each once, in their order."""

    identifier = EXTENSION

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.created: list[Task] = []

    def claims(self) -> Sequence[ResultClaim[Any]]:
        return [ResultClaim(result_type="task", model=Task, resolve=self._finish)]

    async def _finish(self, task: Task, context: ClaimContext) -> types.CallToolResult:
        self.created.append(task)
        while True:
            status = await ask(context, "tasks/get", task.task_id)
            if self.seen[-1:] != [status.status]:
                self.seen.append(status.status)
            if status.status == "input_required":
                await self._answer(status, context)
            elif status.status == "completed":
                return types.CallToolResult.model_validate(status.result)
            elif status.status == "failed":
                raise MCPError.from_error_data(types.ErrorData.model_validate(status.error))
            elif status.status == "cancelled":
                raise asyncio.CancelledError
            else:
                assert status.poll_interval_ms is not None
                await asyncio.sleep(status.poll_interval_ms / 1000)

    async def _answer(self, status: Task, context: ClaimContext) -> None:
        answers: dict[str, Any] = {}
        questions: Mapping[str, Any] = (status.model_extra or {})["inputRequests"]
        for key, question in questions.items():
            asking = ClientRequestContext(session=context.session, request_id=key)
            answer = await context.session.dispatch_input_request(asking, _QUESTION.validate_python(question))
            answers[key] = answer.model_dump(by_alias=True, mode="json", exclude_none=True)
        await ask(context, "tasks/update", status.task_id, inputResponses=answers)


async def ask(context: ClaimContext, method: str, task: str, **params: Any) -> Any:
    request = TaskRequest(method=method, params={"taskId": task, **params})
    kind: Any = Status if method == "tasks/get" else types.EmptyResult
    return await context.session.send_request(request, kind)
