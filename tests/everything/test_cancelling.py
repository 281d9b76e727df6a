"""A client that leaves: the one thing long-task has no line of code for."""

import asyncio
import json
from collections.abc import MutableMapping
from typing import Any

from goldfish.everything import curl
from goldfish.everything.app import build


def test_long_task_stops_when_its_client_disconnects() -> None:
    """Closing the response stream cancels the call (basic/transports/streamable-http "Cancellation", CAN-01)."""
    asyncio.run(asyncio.wait_for(_leave_after_the_first_step(), 4))


async def _leave_after_the_first_step() -> None:
    params = {"name": "long-task", "arguments": {"steps": 10, "delayMs": 50}}
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {**params, "_meta": curl.envelope(progressToken=1)},
    }
    headers = {"host": "127.0.0.1", "content-type": "application/json", **curl.headers("tools/call", params)}
    arriving: asyncio.Queue[MutableMapping[str, Any]] = asyncio.Queue()
    arriving.put_nowait({"type": "http.request", "body": json.dumps(body).encode(), "more_body": False})
    steps: list[bytes] = []

    async def send(message: MutableMapping[str, Any]) -> None:
        if b"notifications/progress" in message.get("body", b""):
            steps.append(message["body"])
            if 1 == len(steps):
                arriving.put_nowait({"type": "http.disconnect"})

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/mcp",
        "raw_path": b"/mcp",
        "root_path": "",
        "query_string": b"",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 9000),
    }
    await build()(scope, arriving.get, send)
    assert 1 <= len(steps) < 10
