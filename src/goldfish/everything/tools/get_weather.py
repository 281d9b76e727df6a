r"""get-weather: Get the weather of a city.

A weather report that is made up, but the same for the same city in every process: it is drawn from a digest of the
city's name, since Python's own hash() differs from run to run.

Feature: an outputSchema that structuredContent conforms to; an icon as a `data:` URI
Spec: server/tools#output-schema; basic/index#icons
Try:
    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tools/call' \
      -H 'Mcp-Name: get-weather' \
      -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get-weather","arguments":{
      "city":"Paris"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
      "io.modelcontextprotocol/clientInfo":{"name":"curl","version":"1"},
      "io.modelcontextprotocol/clientCapabilities":{}}}}'
Expect: `"structuredContent":{"city":"Paris","temperatureC":26.4,"conditions":"rainy"}`, every time
"""

import hashlib
from typing import Annotated, Any
from urllib.parse import quote

from goldfish import Icon, Param, Server, ToolAnnotations

CONDITIONS = ("sunny", "cloudy", "rainy")

OUTPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "The city as it was asked for."},
        "temperatureC": {"type": "number", "description": "Degrees Celsius."},
        "conditions": {"type": "string", "enum": list(CONDITIONS)},
    },
    "required": ["city", "temperatureC", "conditions"],
}

_SUN = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">'
    '<g stroke="#f5a623" stroke-width="2" stroke-linecap="round">'
    '<path d="M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2"/>'
    '<circle cx="12" cy="12" r="4" fill="#f5a623"/></g></svg>'
)
ICON = Icon(src="data:image/svg+xml," + quote(_SUN), mime_type="image/svg+xml", sizes=["any"])


def report(city: str) -> dict[str, Any]:
    """The weather of a city, -10.0 to 34.9 degrees Celsius; upper and lower case do not matter."""
    digest = hashlib.sha256(city.casefold().encode()).digest()
    tenths = int.from_bytes(digest[:4], "big") % 450 - 100
    return {"city": city, "temperatureC": tenths / 10, "conditions": CONDITIONS[digest[4] % len(CONDITIONS)]}


def register(server: Server) -> None:
    """Adds the tool to a server."""

    @server.tool(
        name="get-weather",
        title="Get the weather of a city",
        description="Reports a made-up temperature and sky, always the same for the same city.",
        icons=[ICON],
        annotations=ToolAnnotations(read_only_hint=True, idempotent_hint=True),
        output_schema=OUTPUT_SCHEMA,
    )
    async def get_weather(city: Annotated[str, Param(description="The name of a city.")]) -> dict[str, Any]:
        return report(city)
