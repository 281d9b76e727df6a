r"""demo://logo: Logo.

A goldfish, 64 by 64 pixels in 16 colours, drawn for this server and kept as base64 in this module. It carries no cache
hint of its own, and so shows what the server gives to every read.

Feature: a binary resource, sent as base64 in `blob`; the server's own cache hint for reads
Spec: server/resources#binary-content; server/utilities/caching#cacheable-results
Try:
    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' \
      -H 'Mcp-Method: resources/read' -H 'Mcp-Name: demo://logo' \
      -d '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"demo://logo","_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}'
Expect: `"ttlMs":60000,"cacheScope":"private"`, and a blob that begins `iVBORw0KGgo`, as `"mimeType":"image/png"`
"""

import base64

from goldfish import Server

LOGO_BASE64 = (
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABABAMAAABYR2ztAAAAMFBMVEUAAAD1hB//s0fgYBD///8eHijgYBDgYBD1hB/1hB94vut4"
    "vut4vuv/s0f6mzOMjJbfLoynAAAAEHRSTlMA//////9VqlWqRpbmgP//19RIzwAAAZ1JREFUeNrtlLFPwkAUxp8hgQJq8mDQqUkv"
    "LC5G0oRuJpq6ysQsSRNcNfwD6m4C/gXsMjAbB2fs4Oha3JnY9QpH7z2utoOJcfCbrr1fv/e9a18BfkGVcJQNbIcv+UB1klMiDLNN"
    "qtPx5GdAbonskPD4lPN0GGYHGE/H00zgeVR5Xa97vV4WUHRjdb8tsdrXxKVaJiH7CvAguWzRNkvuWlfxZbBc0lJBArR0PQpcY6y6"
    "qhFsAtYQlZa3iyyOVBm16m5i4KXtI+4BqDRHa3/kuinRfqRu0WbAfsFlGS2s+aeM6Ot+Y21h49N3kOVkhz7EdmdxwiyYgYX2WWdx"
    "bgJd3WP7wucOdWIgI2DD9x17Po8ooE9RArILsVSUAC2gAM6E0mE6UFvtSuNmZJYoo73a/4ijH0dGSIsYSAvHaBOGggLCOCjYFbRE"
    "3MnGUVtCWzSFcIyXBXeCyjFet7ZQgPHBwA4DBsYnx4kBmB+tJB7U9sEbmVOPDs59jMzf+ZyxMS/RWCmjBwUWK8gDyPinliA/EKDP"
    "eJm/s2Lf68K//q6+AGKWoR+L7pVNAAAAAElFTkSuQmCC"
)
LOGO = base64.b64decode(LOGO_BASE64)
LOGO_URI = f"data:image/png;base64,{LOGO_BASE64}"


def register(server: Server) -> None:
    """Adds the resource to a server."""

    @server.resource(
        "demo://logo",
        name="logo",
        title="Logo",
        description="A goldfish, as a PNG of 64 by 64 pixels.",
        mime_type="image/png",
        size=len(LOGO),
    )
    async def logo() -> bytes:
        return LOGO
