"""The suite's plain tools: every kind of content, errors, logs, progress, mirrored parameters, schemas."""

import asyncio
from typing import Annotated, Any, Final

from goldfish import (
    AudioContent,
    Context,
    EmbeddedResource,
    Header,
    ImageContent,
    Server,
    TextContent,
    TextResourceContents,
    ToolError,
)
from goldfish.everything.conformance.media import PNG, WAV

JSON_SCHEMA: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def register(server: Server) -> None:
    """Adds the tools to a server."""

    @server.tool
    async def test_simple_text() -> str:
        """Answers with one text."""
        return "This is a simple text response for testing."

    @server.tool
    async def test_image_content() -> ImageContent:
        """Answers with one image."""
        return ImageContent(data=PNG, mime_type="image/png")

    @server.tool
    async def test_audio_content() -> AudioContent:
        """Answers with one sound."""
        return AudioContent(data=WAV, mime_type="audio/wav")

    @server.tool
    async def test_embedded_resource() -> EmbeddedResource:
        """Answers with one resource."""
        text = "This is an embedded resource content."
        return EmbeddedResource(
            resource=TextResourceContents(uri="test://embedded-resource", text=text, mime_type="text/plain")
        )

    @server.tool
    async def test_multiple_content_types() -> list[Any]:
        """Answers with a text, an image and a resource."""
        resource = TextResourceContents(
            uri="test://mixed-content-resource", text='{"test":"data","value":123}', mime_type="application/json"
        )
        return [
            TextContent(text="Multiple content types test:"),
            ImageContent(data=PNG, mime_type="image/png"),
            EmbeddedResource(resource=resource),
        ]

    @server.tool
    async def test_error_handling() -> str:
        """Fails, always."""
        raise ToolError("This tool intentionally returns an error for testing")

    @server.tool
    async def test_tool_with_progress(ctx: Context) -> str:
        """Tells of its progress three times."""
        for done in (0, 50, 100):
            await ctx.progress(done, 100, f"Completed step {done} of 100")
            await asyncio.sleep(0.05)
        return "The work is done."

    @server.tool
    async def test_logging_tool(ctx: Context) -> str:
        """Logs three times, for those who asked for it."""
        for step in range(3):
            await ctx.log("info", f"step {step}")
        return "Logged."

    @server.tool
    async def test_streaming_elicitation() -> str:
        """Asks for nothing: what it needs, it would ask for in its result."""
        return "No request was sent on the stream."

    @server.tool
    async def test_missing_capability(ctx: Context) -> str:
        """Needs a client that can sample."""
        return (await ctx.sample("sample", "Say hello.", max_tokens=10)).text

    @server.tool
    async def test_trigger_tool_change() -> str:
        """Tells listeners that the tools have changed."""
        await server.tools_changed()
        return "tools changed"

    @server.tool
    async def test_trigger_prompt_change() -> str:
        """Tells listeners that the prompts have changed."""
        await server.prompts_changed()
        return "prompts changed"

    @server.tool
    async def test_x_mcp_header(region: Annotated[str, Header("Region")]) -> str:
        """Has a mirrored parameter."""
        return f"region: {region}"

    @server.tool(input_schema=JSON_SCHEMA)
    async def json_schema_2020_12_tool(arguments: dict[str, Any]) -> dict[str, Any]:
        """Has an input schema with most of what 2020-12 offers."""
        return arguments
