r"""demo://server-card: Server card.

The same text for everybody, which changes only with a release: a client may keep it longer than this server's other
resources, and share it.

Feature: a static text resource with icons and a cache hint of its own
Spec: server/resources#reading-resources; server/utilities/caching#choosing-a-cache-scope
Try:
    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' \
      -H 'Mcp-Method: resources/read' -H 'Mcp-Name: demo://server-card' \
      -d '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"demo://server-card","_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}'
Expect: `"ttlMs":300000,"cacheScope":"public"`, and a text that begins `# Goldfish`, as `"mimeType":"text/markdown"`
"""

from goldfish import Annotations, Hints, Icon, Server
from goldfish.everything.resources.logo import LOGO_URI

CARD = """\
# Goldfish

A server for the Model Context Protocol, revision 2026-07-28, that remembers nothing between two requests.

It is a reference: each of its tools, resources and prompts shows one feature of the protocol, so that a client can be
tried against all of them. Begin with the tool `echo`; the page at `/` has a line to paste for each.
"""


def register(server: Server) -> None:
    """Adds the resource to a server."""

    @server.resource(
        "demo://server-card",
        name="server-card",
        title="Server card",
        description="What this server is, in a few lines of Markdown.",
        mime_type="text/markdown",
        size=len(CARD.encode()),
        icons=[Icon(src=LOGO_URI, mime_type="image/png", sizes=["64x64"])],
        annotations=Annotations(audience=["user", "assistant"], priority=0.5),
        hints=Hints(300_000, "public"),
    )
    async def server_card() -> str:
        return CARD
