r"""code-review: Review code.

Feature: a prompt with two required arguments, one of them completable; icons
Spec: server/prompts#getting-a-prompt; server/utilities/completion#requesting-completions
Try:
    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' -H 'Mcp-Method: prompts/get' \
      -H 'Mcp-Name: code-review' \
      -d '{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"code-review","arguments":{
      "language":"python","code":"x=1"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
      "io.modelcontextprotocol/clientInfo":{"name":"curl","version":"1"},
      "io.modelcontextprotocol/clientCapabilities":{}}}}'

    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' \
      -H 'Mcp-Method: completion/complete' \
      -d '{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt",
      "name":"code-review"},"argument":{"name":"language","value":"py"},"_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}'
Expect: a `"role":"user"` message that begins `Review this python code`, then the completion `"values":["python"]`
"""

from typing import Annotated

from goldfish import Icon, Param, Server
from goldfish.everything.resources.logo import LOGO_URI

LANGUAGES = ("typescript", "python", "rust", "go", "swift", "kotlin")


def register(server: Server) -> None:
    """Adds the prompt to a server."""

    @server.prompt(
        name="code-review",
        title="Review code",
        description="Asks a model to review a piece of code.",
        icons=[Icon(src=LOGO_URI, mime_type="image/png", sizes=["64x64"])],
        complete={"language": LANGUAGES},
    )
    async def code_review(
        language: Annotated[str, Param(description="The language the code is written in.")],
        code: Annotated[str, Param(description="The code to review.")],
    ) -> str:
        return f"Review this {language} code. Name what is wrong first, then what could be clearer.\n\n{code}"
