r"""fail: Fail on purpose.

Both ways of failing look alike to a client: a result with isError, which a model can read, and no JSON-RPC error.

Feature: a tool that fails answers isError, whether it returns its failure or raises an exception
Spec: server/tools#error-handling
Try:
    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tools/call' \
      -H 'Mcp-Name: fail' \
      -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fail","arguments":{"mode":"result"},
      "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}'

    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tools/call' \
      -H 'Mcp-Name: fail' \
      -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fail","arguments":{"mode":"throw"},
      "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}'
Expect: the text `deliberate failure, returned` with `"isError":true`, then the text `deliberate failure, raised` with
    `"isError":true`
"""

from typing import Annotated, Literal

from goldfish import Param, Server, TextContent, ToolAnnotations, ToolResult


def register(server: Server) -> None:
    """Adds the tool to a server."""

    @server.tool(
        name="fail",
        title="Fail on purpose",
        description="Fails: by a result that says so, or by an exception in the handler.",
        annotations=ToolAnnotations(read_only_hint=True),
    )
    async def fail(
        mode: Annotated[Literal["result", "throw"], Param(description="Return the failure, or raise it.")],
    ) -> ToolResult:
        if mode == "throw":
            raise RuntimeError("deliberate failure, raised")
        return ToolResult([TextContent(text="deliberate failure, returned")], is_error=True)
