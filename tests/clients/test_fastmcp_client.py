"""FastMCP's client at both endpoints: the official one underneath, and answers as its own shapes."""

import asyncio
from typing import Any

import mcp_types as types
import pytest
from fastmcp import Client
from fastmcp.exceptions import ToolError
from mcp import MCPError

pytestmark = pytest.mark.parametrize("path", ["/mcp", "/strict/mcp"])
PATIENCE = 15.0
ANSWERS: dict[str, dict[str, Any]] = {
    "What is your name?": {"name": "Ada"},
    "Do you really want to launch?": {"confirm": True},
    "Enter the launch code.": {"code": "0000"},
}


async def answer(message: str, response_type: Any, params: Any, context: Any) -> dict[str, Any]:
    return ANSWERS[message]


async def summarize(messages: Any, params: Any, context: Any) -> str:
    return "Short."


def test_fastmcps_client_calls_reads_and_asks(reference: str, path: str) -> None:
    """TOOL-18, HDR-21, MRTR-16, SAM-02, ROO-01, RES-06, PRM-06, PRG-02, LOG-03."""
    told: list[object] = []

    async def log(message: types.LoggingMessageNotificationParams) -> None:
        told.append(message.data)

    async def progress(step: float, total: float | None, message: str | None) -> None:
        told.append((step, total))

    async def run() -> None:
        client = Client(
            reference + path,
            mode="2026-07-28",
            elicitation_handler=answer,
            sampling_handler=summarize,
            roots=["file:///a"],
            log_handler=log,
            progress_handler=progress,
        )
        async with asyncio.timeout(PATIENCE), client:
            assert "echo" in [tool.name for tool in await client.list_tools()]
            sql = await client.call_tool("execute-sql", {"region": "Zürich 1", "query": "q"})
            assert {"region": "Zürich 1", "rowCount": 0} == sql.structured_content
            weather = await client.call_tool("get-weather", {"city": "Paris"})
            assert {"city": "Paris", "temperatureC": 26.4, "conditions": "rainy"} == weather.structured_content
            assert {"name": "Ada"} == (await client.call_tool("ask-name")).data
            assert (await client.call_tool("confirm-launch")).data["launched"]
            assert {"summary": "Short."} == (await client.call_tool("summarize", {"text": "A long text."})).data
            assert {"roots": ["file:///a"]} == (await client.call_tool("list-client-roots")).data
            (contents,) = await client.read_resource("demo://files/spec.md")
            assert "text/markdown" == contents.mime_type
            prompt = await client.get_prompt("code-review", {"language": "go", "code": "x"})
            assert "user" == prompt.messages[0].role
            told.clear()
            await client.call_tool("long-task", {"steps": 2, "delayMs": 0})
            assert ["finished step 1 of 2", (1.0, 2.0), "finished step 2 of 2", (2.0, 2.0)] == told

    asyncio.run(run())


def test_fastmcps_client_raises_what_failed(reference: str, path: str) -> None:
    """TOOL-13, TOOL-16: a tool's failure as its own error, an unknown tool as one of the protocol."""

    async def run() -> None:
        async with asyncio.timeout(PATIENCE), Client(reference + path, mode="2026-07-28") as client:
            with pytest.raises(ToolError, match="deliberate failure, returned"):
                await client.call_tool("fail", {"mode": "result"})
            with pytest.raises(MCPError, match="no-such-tool"):
                await client.call_tool("no-such-tool")

    asyncio.run(run())
