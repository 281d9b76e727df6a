r"""personalized-greeting: Greet in a tone.

Prompts can ask as tools can. Whoever declines or cancels gets the prompt without a tone.

Feature: prompts/get that first asks, by a form with one choice out of three
Spec: basic/patterns/mrtr#supported-requests; client/elicitation#requested-schema
Try:
    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: prompts/get' \
      -H 'Mcp-Name: personalized-greeting' \
      -d '{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"personalized-greeting","_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}}'

    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: prompts/get' \
      -H 'Mcp-Name: personalized-greeting' \
      -d '{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"personalized-greeting",
      "inputResponses":{"tone":{"action":"accept","content":{"tone":"pirate"}}},"_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}}'
Expect: `input_required` asking `"tone"`, then a message that begins `Greet me in a pirate tone`
"""

from typing import Any

from goldfish import Context, NotAccepted, Server

TONES = ("formal", "friendly", "pirate")

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"tone": {"type": "string", "title": "Tone", "enum": list(TONES)}},
    "required": ["tone"],
}


def register(server: Server) -> None:
    """Adds the prompt to a server."""

    @server.prompt(
        name="personalized-greeting",
        title="Greet in a tone",
        description="Asks for a tone before it renders a greeting.",
    )
    async def personalized_greeting(ctx: Context) -> str:
        try:
            answer = await ctx.elicit("tone", "In which tone would you like to be greeted?", SCHEMA)
        except NotAccepted:
            return "Greet me."
        return f"Greet me in a {answer['tone']} tone."
