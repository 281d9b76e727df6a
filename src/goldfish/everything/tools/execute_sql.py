r"""execute-sql: Execute SQL in a region.

Nothing is executed: what matters is the region, which a gateway can read from a header without parsing the body.

Feature: x-mcp-header: the argument `region` is mirrored in the header Mcp-Param-Region, and both must agree
Spec: server/tools#x-mcp-header; basic/transports/streamable-http#custom-headers-from-tool-parameters
Try:
    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tools/call' \
      -H 'Mcp-Name: execute-sql' -H 'Mcp-Param-Region: us-west1' \
      -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute-sql","arguments":{
      "region":"us-west1","query":"select 1"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
      "io.modelcontextprotocol/clientInfo":{"name":"curl","version":"1"},
      "io.modelcontextprotocol/clientCapabilities":{}}}}'
Expect: `"structuredContent":{"region":"us-west1","rowCount":0}`; another region in the header, or none, is refused
"""

from typing import Annotated, Any

from goldfish import Header, Param, Server


def register(server: Server) -> None:
    """Adds the tool to a server."""

    @server.tool(
        name="execute-sql",
        title="Execute SQL in a region",
        description="Pretends to run a query in a region. Clients mirror the region in the header Mcp-Param-Region.",
    )
    async def execute_sql(
        region: Annotated[str, Header("Region"), Param(description="Where to run the query, such as us-west1.")],
        query: Annotated[str, Param(description="The SQL text. It is not executed.")],
    ) -> dict[str, Any]:
        return {"region": region, "rowCount": 0}
