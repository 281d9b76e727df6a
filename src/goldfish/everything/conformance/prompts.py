"""The suite's prompts: plain, with arguments, with a resource, with an image."""

from typing import Annotated

from goldfish import EmbeddedResource, ImageContent, Param, PromptMessage, Server, TextContent, TextResourceContents
from goldfish.everything.conformance.media import PNG


def register(server: Server) -> None:
    """Adds the prompts to a server."""

    @server.prompt
    async def test_simple_prompt() -> str:
        """One message, no arguments."""
        return "This is a simple prompt for testing."

    @server.prompt(complete={"arg1": ["test1", "test2"], "arg2": []})
    async def test_prompt_with_arguments(
        arg1: Annotated[str, Param(description="First test argument")],
        arg2: Annotated[str, Param(description="Second test argument")],
    ) -> str:
        """Its arguments stand in its message."""
        return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"

    @server.prompt
    async def test_prompt_with_embedded_resource(
        resourceUri: Annotated[str, Param(description="URI of the resource to embed")],
    ) -> list[PromptMessage]:
        """A resource, and what to do with it."""
        text = "Embedded resource content for testing."
        resource = TextResourceContents(uri=resourceUri, text=text, mime_type="text/plain")
        return [
            PromptMessage(role="user", content=EmbeddedResource(resource=resource)),
            PromptMessage(role="user", content=TextContent(text="Please process the embedded resource above.")),
        ]

    @server.prompt
    async def test_prompt_with_image() -> list[PromptMessage]:
        """An image, and what to do with it."""
        return [
            PromptMessage(role="user", content=ImageContent(data=PNG, mime_type="image/png")),
            PromptMessage(role="user", content=TextContent(text="Please analyze the image above.")),
        ]
