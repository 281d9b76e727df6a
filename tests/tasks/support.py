"""A server with tasks of every kind, and a client that follows them."""

import asyncio
from collections.abc import Callable
from typing import Any

from goldfish import AsTask, Context, DerivedTask, Moment, Phase, Refusal, Server, ToolError, ToolResult, form
from tests.support.inprocess import Answer, Client, Json

EXTENSION = "io.modelcontextprotocol/tasks"
DECLARED: Json = {"extensions": {EXTENSION: {}}, "elicitation": {}}
NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


class Gate:
    """What a handler waits for, so that a test decides when it goes on."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.reached = asyncio.Event()

    async def wait(self) -> None:
        self.reached.set()
        await self.open.wait()


def built(gate: Gate | None = None, **how: Any) -> Server:
    server = Server("tasks", "1", **how)

    @server.tool(task="optional")
    async def slow(ctx: Context) -> str:
        await ctx.progress(1, 2, "half way")
        if gate is not None:
            await gate.wait()
        return "done"

    @server.tool(task="required")
    async def fails() -> str:
        raise ToolError("the tool failed")

    @server.tool(task="required")
    async def breaks() -> str:
        raise Refusal(-32603, "the protocol failed", {"why": "on purpose"})

    @server.tool(task="required")
    async def asks_twice(ctx: Context) -> str:
        first = await ctx.elicit("name", "First?", NAME)
        second = await ctx.elicit("other", "Second?", NAME)
        return f"{first['name']} and {second['name']}"

    @server.tool(task="required")
    async def asks_both(ctx: Context) -> str:
        await ctx.ask(a=form("A?", NAME), b=form("B?", NAME))
        return "both"

    @server.tool(task=AsTask("required", asks_first=True))
    async def asks_before(ctx: Context) -> str:
        name = (await ctx.elicit("name", "Who?", NAME))["name"]
        await ctx.detach()
        return f"{name}, from the task"

    kind: DerivedTask

    def derive(moment: Moment) -> Phase:
        if moment.cancelled is not None:
            return Phase("cancelled", since=moment.cancelled)
        if "go" in moment.answers:
            return Phase("completed", since=moment.answers["go"].at, result=ToolResult(structured={"went": True}))
        return Phase("input_required", since=moment.created, asks={"go": form("Go?", NAME)})

    kind = server.derived_task("derived", derive, {"go": form("Go?", NAME)})

    @server.tool
    async def derived(ctx: Context, ttl: int = 600_000) -> Any:
        return await kind.create(ctx, None, ttl_ms=ttl)

    return server


def client(server: Server, capabilities: Json = DECLARED) -> Client:
    return Client(server.app, capabilities)


async def begun(user: Client, name: str, arguments: Json | None = None) -> str:
    made = (await user.tool(name, arguments)).result
    assert "task" == made["resultType"]
    task_id: str = made["taskId"]
    return task_id


async def state(user: Client, task_id: str) -> Json:
    return (await user.call("tasks/get", {"taskId": task_id})).result


async def until(user: Client, task_id: str, holds: Callable[[Json], bool]) -> Json:
    """The task as soon as this holds of it; the test's own limit ends a wait in vain."""
    while True:
        now = await state(user, task_id)
        if holds(now):
            return now


async def reached(user: Client, task_id: str, status: str) -> Json:
    return await until(user, task_id, lambda now: bool(now["status"] == status))


async def asking(user: Client, task_id: str, key: str) -> Json:
    return await until(user, task_id, lambda now: key in now.get("inputRequests", {}))


async def update(user: Client, task_id: str, **answers: Json) -> Answer:
    return await user.call("tasks/update", {"taskId": task_id, "inputResponses": answers})
