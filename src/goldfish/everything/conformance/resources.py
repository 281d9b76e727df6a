"""The suite's resources: a text, a picture, a template."""

from goldfish import Server
from goldfish.everything.conformance.media import PNG


def register(server: Server) -> None:
    """Adds the resources to a server."""

    @server.resource("test://static-text", name="static-text", mime_type="text/plain")
    async def static_text() -> str:
        """A text that stays as it is."""
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", name="static-binary", mime_type="image/png")
    async def static_binary() -> bytes:
        """A picture that stays as it is."""
        return PNG

    @server.resource("test://template/{id}/data", name="template-data", mime_type="application/json")
    async def template_data(id: str) -> dict[str, object]:
        """What an id stands for."""
        return {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}
