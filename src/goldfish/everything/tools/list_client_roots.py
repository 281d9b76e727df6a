r"""list-client-roots: List the client's roots.

Roots tell where a client wants work done; they are no access control (ROO-02). They are deprecated in this revision
and served for those who have them.

Feature: roots/list through a multi round-trip request
Spec: client/roots#listing-roots; basic/patterns/mrtr#inputrequests
Try:
    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tools/call' \
      -H 'Mcp-Name: list-client-roots' \
      -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list-client-roots","arguments":{},
      "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"roots":{}}}}}'

    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tools/call' \
      -H 'Mcp-Name: list-client-roots' \
      -d '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list-client-roots","arguments":{},
      "inputResponses":{"roots":{"roots":[{"uri":"file:///a"}]}},"_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"roots":{}}}}}'
Expect: `input_required` with `roots/list`, then `"structuredContent":{"roots":["file:///a"]}`
"""

from goldfish import Context, Server, ToolAnnotations


def register(server: Server) -> None:
    """Adds the tool to a server."""

    @server.tool(
        name="list-client-roots",
        title="List the client's roots",
        description="Asks the client which directories it works in, and lists their URIs.",
        annotations=ToolAnnotations(read_only_hint=True),
    )
    async def list_client_roots(ctx: Context) -> dict[str, list[str]]:
        return {"roots": [root.uri for root in await ctx.roots("roots")]}
