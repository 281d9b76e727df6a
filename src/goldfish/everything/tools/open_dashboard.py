r"""open-dashboard: Open a dashboard.

The URL is a fixed text and carries no secret: nothing about the person, and nothing that would let its holder in
(ELI-08). What ties the rounds together is a nonce, and that travels in requestState. There is no page behind the URL:
accepting means that the person agreed to visit it and no more (ELI-09), and that is what the tool reports.

Feature: URL elicitation, its nonce in the requestState
Spec: client/elicitation#url-mode-elicitation-requests; client/elicitation#safe-url-handling
Try:
    STATE=$(curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tools/call' \
      -H 'Mcp-Name: open-dashboard' \
      -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"open-dashboard","arguments":{},"_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"url":{}}}}}}' \
      | tee /dev/stderr | sed -nE 's/.*"requestState": *"([^"]*)".*/\1/p')

    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tools/call' \
      -H 'Mcp-Name: open-dashboard' \
      -d '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"open-dashboard","arguments":{},
      "inputResponses":{"visit":{"action":"accept"}},"requestState":"'"$STATE"'","_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"url":{}}}}}}'
Expect: `input_required` with `"mode":"url"` and a URL, then `"structuredContent":{"action":"accept","nonce":"`
"""

import secrets

from goldfish import Context, NotAccepted, Server, ToolAnnotations

URL = "https://dashboard.example.com/goldfish"


def register(server: Server) -> None:
    """Adds the tool to a server."""

    @server.tool(
        name="open-dashboard",
        title="Open a dashboard",
        description="Asks the person at the client to open a page in their browser.",
        annotations=ToolAnnotations(read_only_hint=True),
    )
    async def open_dashboard(ctx: Context) -> dict[str, str]:
        if ctx.state is None:
            ctx.state = {"nonce": secrets.token_urlsafe(16)}
        action = "accept"
        try:
            await ctx.elicit_url("visit", "The dashboard is a page in your browser. Open it?", URL)
        except NotAccepted as refused:
            action = refused.action
        return {"action": action, "nonce": ctx.state["nonce"]}
