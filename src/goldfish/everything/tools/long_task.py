r"""long-task: Work for a while.

It only sleeps. A client that closes the connection cancels the call, which ends the sleep at once; there is nothing
else to clean up, and so no line of code for it.

Feature: notifications/progress and notifications/message on the request's own stream; cancellation by disconnecting
Spec: basic/patterns/progress#progress-flow; basic/transports/streamable-http#cancellation
Try:
    curl -sN http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tools/call' \
      -H 'Mcp-Name: long-task' \
      -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"long-task","arguments":{"steps":2,
      "delayMs":100},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
      "io.modelcontextprotocol/clientInfo":{"name":"curl","version":"1"},
      "io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"info",
      "progressToken":"p1"}}}'
Expect: a stream: for each step `notifications/message` and then `"progress":1`, again `notifications/message` and
    `"progress":2`, at last the text `completed 2 steps`
"""

import asyncio
from typing import Annotated

from goldfish import Context, Param, Server, ToolAnnotations


def register(server: Server) -> None:
    """Adds the tool to a server."""

    @server.tool(
        name="long-task",
        title="Work for a while",
        description="Takes some steps, one after another, and reports each by a log line and by progress.",
        annotations=ToolAnnotations(read_only_hint=True),
    )
    async def long_task(
        ctx: Context,
        steps: Annotated[int, Param(ge=1, le=10, description="How many steps to take.")] = 5,
        delayMs: Annotated[int, Param(ge=0, le=2000, description="How long a step takes, in milliseconds.")] = 300,
    ) -> str:
        for step in range(1, steps + 1):
            await asyncio.sleep(delayMs / 1000)
            await ctx.log("info", f"finished step {step} of {steps}", logger="long-task")
            await ctx.progress(step, steps, f"Step {step} of {steps}")
        return f"completed {steps} steps"
