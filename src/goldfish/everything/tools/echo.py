r"""echo: Echo a message.

The smallest tool: one argument in; text, structured content and, for those who ask, one log line out.

Feature: tools/call answered with text and structuredContent; with logLevel in `_meta`, one notifications/message first
Spec: server/tools#calling-tools; server/utilities/logging#per-request-log-level
Try:
    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tools/call' \
      -H 'Mcp-Name: echo' \
      -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"},
      "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}'

    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tools/call' \
      -H 'Mcp-Name: echo' \
      -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"},
      "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{},
      "io.modelcontextprotocol/logLevel":"info"}}}'
Expect: plain JSON with the text `echo: hi` and `"structuredContent":{"echoed":"hi"}`; the second line is answered by a
    stream: `notifications/message` at `"level":"info"`, then `echo: hi` again
"""

from typing import Annotated

from goldfish import Context, Param, Server, TextContent, ToolAnnotations, ToolResult


def register(server: Server) -> None:
    """Adds the tool to a server."""

    @server.tool(
        name="echo",
        title="Echo a message",
        description="Answers with the message it was given, as text and as structured content.",
        annotations=ToolAnnotations(read_only_hint=True),
    )
    async def echo(message: Annotated[str, Param(description="What to send back.")], ctx: Context) -> ToolResult:
        await ctx.log("info", f"echoing {len(message)} characters", logger="echo")
        return ToolResult([TextContent(text=f"echo: {message}")], structured={"echoed": message})
