"""The suite's tasks: slow, failing, asking, and one that asks before it exists."""

import asyncio
from typing import Any

from goldfish import AsTask, Context, Refusal, Server, ToolError, form

NAME: dict[str, Any] = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
CONFIRM: dict[str, Any] = {"type": "object", "properties": {"confirm": {"type": "boolean"}}, "required": ["confirm"]}


def register(server: Server) -> None:
    """Adds the tools to a server."""

    @server.tool
    async def greet(name: str) -> str:
        """Never a task."""
        return f"Hello, {name}!"

    @server.tool(task="optional")
    async def slow_compute(seconds: float, label: str = "") -> str:
        """Takes its time."""
        await asyncio.sleep(seconds)
        return f"Computed {label} in {seconds:g} s"

    @server.tool(task="required")
    async def failing_job() -> str:
        """Fails as a tool does, after a second."""
        await asyncio.sleep(1)
        raise ToolError("The job failed on purpose.")

    @server.tool(task="required")
    async def protocol_error_job() -> str:
        """Fails as the protocol does."""
        await asyncio.sleep(0.1)
        raise Refusal(-32603, "Simulated internal error")

    @server.tool(task="required")
    async def confirm_delete(filename: str, ctx: Context) -> str:
        """Asks while it runs."""
        answer = await ctx.elicit("confirm", f"Delete {filename}?", CONFIRM)
        return f"{filename} was {'deleted' if answer['confirm'] else 'kept'}"

    @server.tool(task="required")
    async def multi_input(ctx: Context) -> str:
        """Asks two things at once while it runs."""
        await ctx.ask(first=form("First name?", NAME), second=form("Second name?", NAME))
        return "Both names were received."

    @server.tool(task=AsTask("required", asks_first=True))
    async def test_tool_with_task(ctx: Context) -> str:
        """Asks before the task exists."""
        name = (await ctx.elicit("user_name", "What is your name?", NAME))["name"]
        await ctx.detach()
        await asyncio.sleep(0.1)
        return f"Hello, {name}, from the task!"
