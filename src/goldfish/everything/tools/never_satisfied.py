r"""never-satisfied: Ask for ever.

A client needs a limit of its own on the rounds it plays: this tool has none. Any answer, a declined one too, leads to
the next round; a retry without an answer gets the same round again. The count is all there is to remember, so the
question is asked in the explicit form, which ends a round with whatever state the handler chose.

Feature: more rounds than a client will play; the explicit form of asking, with its own requestState
Spec: basic/patterns/mrtr#server-requirements-basic-workflow
Try:
    STATE=$(curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tools/call' \
      -H 'Mcp-Name: never-satisfied' \
      -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"never-satisfied","arguments":{},
      "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}}' \
      | tee /dev/stderr | sed -nE 's/.*"requestState": *"([^"]*)".*/\1/p')

    STATE=$(curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tools/call' \
      -H 'Mcp-Name: never-satisfied' \
      -d '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"never-satisfied","arguments":{},
      "inputResponses":{"more":{"action":"accept","content":{}}},"requestState":"'"$STATE"'","_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}}' \
      | tee /dev/stderr | sed -nE 's/.*"requestState": *"([^"]*)".*/\1/p')

    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: tools/call' \
      -H 'Mcp-Name: never-satisfied' \
      -d '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"never-satisfied","arguments":{},
      "inputResponses":{"more":{"action":"decline"}},"requestState":"'"$STATE"'","_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}}'
Expect: `Round 1:`, `Round 2:`, `Round 3:`, and so on for as long as the client answers
"""

from typing import Any, NoReturn

from goldfish import Context, InputRequired, Server, ToolAnnotations, form

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"anything": {"type": "string", "title": "Anything"}}}


def register(server: Server) -> None:
    """Adds the tool to a server."""

    @server.tool(
        name="never-satisfied",
        title="Ask for ever",
        description="Asks again after every answer and never completes: for testing a client's limit on rounds.",
        annotations=ToolAnnotations(read_only_hint=True),
    )
    async def never_satisfied(ctx: Context) -> NoReturn:
        asked: int = ctx.state["round"] if ctx.state else 1
        count = asked + 1 if "more" in ctx.responses else asked
        question = form(f"Round {count}: tell me anything, I shall ask again.", SCHEMA)
        raise InputRequired({"more": question}, state={"round": count})
