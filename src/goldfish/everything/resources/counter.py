r"""demo://counter: Counter.

It counts the milliseconds since 1970, so that every instance counts alike and no instance has to remember. The tool
trigger-notifications announces it as updated.

Feature: a resource that changes with time, to subscribe to; a cache hint that says never to keep it
Spec: server/resources#subscriptions; server/utilities/caching#time-to-live-ttl-field
Try:
    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' \
      -H 'Mcp-Method: resources/read' -H 'Mcp-Name: demo://counter' \
      -d '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"demo://counter","_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}'
Expect: `"ttlMs":0,"cacheScope":"private"`, and a `count` that grows, as `"mimeType":"application/json"`
"""

import time

from goldfish import Hints, Server


def register(server: Server) -> None:
    """Adds the resource to a server."""

    @server.resource(
        "demo://counter",
        name="counter",
        title="Counter",
        description="A number that grows every millisecond, as JSON.",
        mime_type="application/json",
        hints=Hints(0, "private"),
    )
    async def counter() -> dict[str, int]:
        return {"count": time.time_ns() // 1_000_000}
