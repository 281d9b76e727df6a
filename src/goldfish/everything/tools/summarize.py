r"""summarize: Summarize a text.

The server has no model of its own and asks the client's. Sampling is deprecated in this revision and served for those
who have it.

Feature: sampling through a multi round-trip request
Spec: client/sampling#creating-messages; basic/patterns/mrtr#inputrequests
Try:
    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tools/call' \
      -H 'Mcp-Name: summarize' \
      -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"summarize","arguments":{
      "text":"A long text."},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
      "io.modelcontextprotocol/clientInfo":{"name":"curl","version":"1"},
      "io.modelcontextprotocol/clientCapabilities":{"sampling":{}}}}}'

    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tools/call' \
      -H 'Mcp-Name: summarize' \
      -d '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"summarize","arguments":{
      "text":"A long text."},"inputResponses":{"summary":{"role":"assistant","model":"m","content":{
      "type":"text","text":"Short."}}},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
      "io.modelcontextprotocol/clientInfo":{"name":"curl","version":"1"},
      "io.modelcontextprotocol/clientCapabilities":{"sampling":{}}}}}'
Expect: `input_required` with `sampling/createMessage`, then `"structuredContent":{"summary":"Short."}`
"""

from typing import Annotated

from goldfish import Context, Param, Server, TextContent, ToolAnnotations, ToolResult

MAX_TOKENS = 200


def register(server: Server) -> None:
    """Adds the tool to a server."""

    @server.tool(
        name="summarize",
        title="Summarize a text",
        description="Has the client's model summarize a text in one sentence.",
        annotations=ToolAnnotations(read_only_hint=True),
    )
    async def summarize(
        text: Annotated[str, Param(description="The text to summarize.")],
        ctx: Context,
    ) -> ToolResult:
        reply = await ctx.sample("summary", f"Summarize this text in one sentence:\n\n{text}", max_tokens=MAX_TOKENS)
        return ToolResult([TextContent(text=reply.text)], structured={"summary": reply.text})
