r"""trigger-notifications: Publish a change.

Nothing really changes: the tool says that it did, to every open subscriptions/listen stream that asked to be told.

Feature: list_changed and resources/updated notifications on subscriptions/listen streams
Spec: basic/patterns/subscriptions#receiving-notifications
Try:
    curl -sN --max-time 2 http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' \
      -H 'Mcp-Method: subscriptions/listen' \
      -d '{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{
      "resourceSubscriptions":["demo://counter"]},"_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}' & sleep 0.5

    ANSWER=$(curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tools/call' \
      -H 'Mcp-Name: trigger-notifications' \
      -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"trigger-notifications","arguments":{
      "event":"resource-updated"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
      "io.modelcontextprotocol/clientInfo":{"name":"curl","version":"1"},
      "io.modelcontextprotocol/clientCapabilities":{}}}}'); wait; echo "$ANSWER"
Expect: the first line's stream, `notifications/subscriptions/acknowledged` and `notifications/resources/updated` with
    `demo://counter`; at last the second line's answer, `published`
"""

from typing import Annotated, Literal

from goldfish import Param, Server


def register(server: Server) -> None:
    """Adds the tool to a server, whose streams it publishes to."""

    @server.tool(
        name="trigger-notifications",
        title="Publish a change",
        description="Tells open listen streams that a list or a resource changed.",
    )
    async def trigger_notifications(
        event: Annotated[
            Literal["tools", "prompts", "resources", "resource-updated"],
            Param(description="Which list changed, or that a resource was updated."),
        ],
        uri: Annotated[str, Param(description="The resource that was updated.")] = "demo://counter",
    ) -> str:
        if event == "resource-updated":
            await server.resource_updated(uri)
            return f"published: {uri} was updated"
        changed = {
            "tools": server.tools_changed,
            "prompts": server.prompts_changed,
            "resources": server.resources_changed,
        }
        await changed[event]()
        return f"published: the list of {event} changed"
