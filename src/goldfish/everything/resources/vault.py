r"""demo://vault: Vault.

The passphrase is printed in its own question and guards nothing. Secrets must not go this way: a form passes through
the client and may end in its logs, and so a password, key or token is asked for by URL elicitation instead (ELI-07).

Feature: resources/read that first asks; a wrong answer is asked again, a declined one is refused with -32602
Spec: basic/patterns/mrtr#supported-requests; client/elicitation#form-mode-security
Try:
    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' \
      -H 'Mcp-Method: resources/read' -H 'Mcp-Name: demo://vault' \
      -d '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"demo://vault","_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}}'

    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' \
      -H 'Mcp-Method: resources/read' -H 'Mcp-Name: demo://vault' \
      -d '{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"demo://vault","inputResponses":{
      "passphrase":{"action":"accept","content":{"passphrase":"mcp"}}},"_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}}'

    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' \
      -H 'Mcp-Method: resources/read' -H 'Mcp-Name: demo://vault' \
      -d '{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"demo://vault","inputResponses":{
      "passphrase":{"action":"decline"}},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
      "io.modelcontextprotocol/clientInfo":{"name":"curl","version":"1"},
      "io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}}'
Expect: `input_required` asking `"passphrase"`; then `"contents"` with the text `The vault is empty`; then the error
    `-32602`
"""

from typing import Any

from goldfish import Context, InputRequired, NotAccepted, Refusal, Server, form

URI = "demo://vault"
PASSPHRASE = "mcp"
INVALID_PARAMS = -32602

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"passphrase": {"type": "string", "title": "Passphrase", "description": "It is mcp."}},
    "required": ["passphrase"],
}


def register(server: Server) -> None:
    """Adds the resource to a server."""

    @server.resource(
        URI,
        name="vault",
        title="Vault",
        description="Opens for the passphrase, which is mcp.",
        mime_type="text/plain",
    )
    async def vault(ctx: Context) -> str:
        try:
            answer = await ctx.elicit("passphrase", "The vault asks for the passphrase. It is mcp.", SCHEMA)
        except NotAccepted as refused:
            raise Refusal(INVALID_PARAMS, f"{URI}: the passphrase was not given ({refused.action})") from None
        if answer["passphrase"] != PASSPHRASE:
            raise InputRequired({"passphrase": form("That is not the passphrase. It is mcp.", SCHEMA)})
        return "The vault is empty, as you would expect of a goldfish.\n"
