r"""ask-name: Ask for a name.

The shortest multi round-trip: the first answer is a question, and the client repeats its request with the reply in
inputResponses. One question needs no requestState.

Feature: form elicitation from tools/call in one round; declining and cancelling are answers too
Spec: client/elicitation#form-mode-elicitation-requests; basic/patterns/mrtr#basic-workflow
Try:
    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tools/call' \
      -H 'Mcp-Name: ask-name' \
      -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask-name","arguments":{},"_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}}'

    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tools/call' \
      -H 'Mcp-Name: ask-name' \
      -d '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask-name","arguments":{},
      "inputResponses":{"name":{"action":"accept","content":{"name":"Ada"}}},"_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}}'

    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tools/call' \
      -H 'Mcp-Name: ask-name' \
      -d '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"ask-name","arguments":{},
      "inputResponses":{"name":{"action":"decline"}},"_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}}'
Expect: `input_required` with the form; then `Hello, Ada!`; then the text `decline`
"""

from typing import Any

from goldfish import Context, NotAccepted, Server, TextContent, ToolResult

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string", "title": "Your name"}},
    "required": ["name"],
}


def register(server: Server) -> None:
    """Adds the tool to a server."""

    @server.tool(
        name="ask-name",
        title="Ask for a name",
        description="Asks the person at the client for a name, and greets them by it.",
    )
    async def ask_name(ctx: Context) -> ToolResult:
        try:
            answer = await ctx.elicit("name", "What is your name?", SCHEMA)
        except NotAccepted as refused:
            return ToolResult([TextContent(text=refused.action)])
        return ToolResult([TextContent(text=f"Hello, {answer['name']}!")], structured={"name": answer["name"]})
