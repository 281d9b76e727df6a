r"""demo://files/{name}: Files.

Three files behind one template. They are listed one by one as well, and their names can be completed. There is no disk
behind them, and so no path to climb out of (RES-11).

Feature: a resource template, enumerable and completable; a name that is not there answers -32602 with the URI
Spec: server/resources#resource-templates; server/utilities/completion#requesting-completions
Try:
    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' \
      -H 'Mcp-Method: resources/read' -H 'Mcp-Name: demo://files/readme.md' \
      -d '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"demo://files/readme.md","_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}'

    curl -sw '\n' http://127.0.0.1:8787/mcp -H 'Content-Type: application/json' \
      -H 'Mcp-Method: completion/complete' \
      -d '{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/resource",
      "uri":"demo://files/{name}"},"argument":{"name":"name","value":"s"},"_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{
      "name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}'
Expect: `"uri":"demo://files/readme.md"` as `text/markdown`, then the completion `"values":["spec.md"]`
"""

from collections.abc import Iterable
from dataclasses import dataclass

from goldfish import NotFound, ResourceEntry, Server, TextResourceContents


@dataclass(frozen=True, slots=True)
class File:
    """A file that exists in this module alone."""

    title: str
    mime_type: str
    text: str


FILES = {
    "readme.md": File("Read me", "text/markdown", "# Files\n\nThree files, to list, to read and to complete.\n"),
    "spec.md": File("Specification", "text/markdown", "# Specification\n\nThe Model Context Protocol, 2026-07-28.\n"),
    "notes.txt": File("Notes", "text/plain", "Remember the milk. Nothing else is remembered here.\n"),
}


def uri(name: str) -> str:
    """The URI of a file; the names need no percent-encoding."""
    return f"demo://files/{name}"


def entries() -> Iterable[ResourceEntry]:
    """Each file as resources/list shows it."""
    for name, file in FILES.items():
        yield ResourceEntry(
            uri=uri(name),
            name=name,
            title=file.title,
            description="One of the files of the template demo://files/{name}.",
            mime_type=file.mime_type,
            size=len(file.text.encode()),
        )


def register(server: Server) -> None:
    """Adds the template to a server."""

    @server.resource(
        "demo://files/{name}",
        name="files",
        title="Files",
        description="A file by its name.",
        complete={"name": tuple(FILES)},
        entries=entries,
    )
    async def files(name: str) -> TextResourceContents:
        if name not in FILES:
            raise NotFound
        return TextResourceContents(uri=uri(name), text=FILES[name].text, mime_type=FILES[name].mime_type)
