r"""confirm-launch: Confirm a launch in two rounds.

Two questions, one after another. The client sends each answer once; what it said in round two comes back in round
three inside the signed requestState. The launch id is in the state from the first round on, so that both rounds belong
to one launch on whichever instance they arrive.

Feature: two rounds of elicitation correlated by a signed requestState; a tampered one is refused
Spec: basic/patterns/mrtr#inputrequiredresult; basic/patterns/mrtr#security-considerations
Try:
    STATE=$(curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tools/call' \
      -H 'Mcp-Name: confirm-launch' \
      -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"confirm-launch","arguments":{},"_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}}' \
      | tee /dev/stderr | sed -nE 's/.*"requestState": *"([^"]*)".*/\1/p')

    STATE=$(curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tools/call' \
      -H 'Mcp-Name: confirm-launch' \
      -d '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"confirm-launch","arguments":{},
      "inputResponses":{"confirm":{"action":"accept","content":{"confirm":true}}},"requestState":"'"$STATE"'",
      "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}}' \
      | tee /dev/stderr | sed -nE 's/.*"requestState": *"([^"]*)".*/\1/p')

    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tools/call' \
      -H 'Mcp-Name: confirm-launch' \
      -d '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"confirm-launch","arguments":{},
      "inputResponses":{"code":{"action":"accept","content":{"code":"0000"}}},"requestState":"'"$STATE"'",
      "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}}'
Expect: `input_required` asking `"confirm"`, `input_required` asking `"code"`, then
    `"structuredContent":{"launched":true,"roundTwoResponseLeakedIntoRoundThree":false}`
"""

import secrets
from typing import Any

from goldfish import Context, NotAccepted, Server, TextContent, ToolAnnotations, ToolResult

CODE = "0000"

CONFIRM: dict[str, Any] = {
    "type": "object",
    "properties": {"confirm": {"type": "boolean", "title": "Launch?"}},
    "required": ["confirm"],
}
ENTER_CODE: dict[str, Any] = {
    "type": "object",
    "properties": {"code": {"type": "string", "title": "Launch code", "description": "It is 0000."}},
    "required": ["code"],
}


async def decide(ctx: Context) -> bool:
    """Asks twice. Whoever replays this with the same answers decides the same."""
    try:
        confirmed = await ctx.elicit("confirm", "Do you really want to launch?", CONFIRM)
        if not confirmed["confirm"]:
            return False
        entered = await ctx.elicit("code", "Enter the launch code.", ENTER_CODE)
    except NotAccepted:
        return False
    return bool(entered["code"] == CODE)


def register(server: Server) -> None:
    """Adds the tool to a server."""

    @server.tool(
        name="confirm-launch",
        title="Confirm a launch in two rounds",
        description="Asks for a confirmation and then for a code, and launches nothing when both are right.",
        annotations=ToolAnnotations(destructive_hint=True),
    )
    async def confirm_launch(ctx: Context) -> ToolResult:
        if ctx.state is None:
            ctx.state = {"launch": secrets.token_hex(4)}
        launched = await decide(ctx)
        # As sent, not as merged: a client that repeats an answer of an earlier round is found out here (MRTR-16).
        leaked = "confirm" in ctx.responses and "code" in ctx.responses
        text = f"Launch {ctx.state['launch']}: {'launched' if launched else 'not launched'}"
        outcome = {"launched": launched, "roundTwoResponseLeakedIntoRoundThree": leaked}
        return ToolResult([TextContent(text=text)], structured=outcome)
