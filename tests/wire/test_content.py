"""The shapes that results are made of, as they leave (schema.ts)."""

import json
from typing import Any

import pytest

from goldfish.wire import jsonrpc
from goldfish.wire.content import (
    Annotations,
    AudioContent,
    BlobResourceContents,
    EmbeddedResource,
    Icon,
    ImageContent,
    PromptMessage,
    ResourceEntry,
    ResourceLink,
    SamplingMessage,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
    ToolResultContent,
    ToolUseContent,
)


def sent(shape: Any) -> Any:
    return json.loads(jsonrpc.encode(shape))


@pytest.mark.parametrize(
    ("json_form", "shape"),
    [
        ({"type": "text", "text": ""}, TextContent(text="")),
        (
            {"type": "image", "data": "AP8=", "mimeType": "image/png"},
            ImageContent(data=b"\0\xff", mime_type="image/png"),
        ),
        ({"type": "audio", "data": "", "mimeType": "audio/wav"}, AudioContent(data=b"", mime_type="audio/wav")),
        ({"type": "resource_link", "uri": "x://", "name": "x"}, ResourceLink(uri="x://", name="x")),
        (
            {"type": "resource", "resource": {"uri": "x://", "text": "t"}},
            EmbeddedResource(resource=TextResourceContents(uri="x://", text="t")),
        ),
        (
            {"type": "resource", "resource": {"uri": "x://", "blob": "YQ==", "mimeType": "a/b"}},
            EmbeddedResource(resource=BlobResourceContents(uri="x://", blob=b"a", mime_type="a/b")),
        ),
        ({"type": "tool_use", "id": "1", "name": "t", "input": {}}, ToolUseContent(id="1", name="t", input={})),
        (
            {"type": "tool_result", "toolUseId": "1", "content": [{"type": "text", "text": "t"}], "isError": False},
            ToolResultContent(tool_use_id="1", content=[TextContent(text="t")], is_error=False),
        ),
        ({"uri": "x://", "name": "x", "size": 0}, ResourceEntry(uri="x://", name="x", size=0)),
        ({"src": "data:,", "sizes": ["any"], "theme": "dark"}, Icon(src="data:,", sizes=["any"], theme="dark")),
        (
            {"audience": ["user"], "priority": 0.0, "lastModified": "2026-07-28T00:00:00Z"},
            Annotations(audience=["user"], priority=0.0, last_modified="2026-07-28T00:00:00Z"),
        ),
        (
            {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True, "openWorldHint": False},
            ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False),
        ),
    ],
)
def test_a_shape_leaves_under_the_names_of_the_schema_and_without_what_is_none(
    json_form: dict[str, Any], shape: Any
) -> None:
    """TOOL-18, TOOL-24 to TOOL-28, RES-06, RES-16, ENV-20: falsy values are values."""
    assert json_form == sent(shape)


@pytest.mark.parametrize("value", [None, 0, False, "", []])
def test_a_structured_value_that_is_falsy_is_sent(value: Any) -> None:
    """TOOL-19: also null; only what was never set is left out."""
    assert value == sent(ToolResultContent(tool_use_id="1", content=[], structured_content=value))["structuredContent"]
    assert "structuredContent" not in sent(ToolResultContent(tool_use_id="1", content=[]))


@pytest.mark.parametrize(
    "shape",
    [
        TextContent(text="t", meta={"a": 1}),
        ImageContent(data=b"", mime_type="a/b", meta={"a": 1}),
        ResourceLink(uri="x://", name="x", meta={"a": 1}),
        TextResourceContents(uri="x://", text="t", meta={"a": 1}),
        ToolUseContent(id="1", name="t", input={}, meta={"a": 1}),
    ],
)
def test_meta_leaves_as_underscore_meta(shape: Any) -> None:
    """ENV-12: the one name that is not camelCase."""
    assert {"a": 1} == sent(shape)["_meta"]
    assert "meta" not in sent(shape)


def test_a_prompt_message_holds_one_block() -> None:
    """PRM-06: never a list."""
    message = PromptMessage(role="user", content=TextContent(text="t"))
    assert {"role": "user", "content": {"type": "text", "text": "t"}} == sent(message)


def test_a_sampling_message_holds_one_block_or_several() -> None:
    """SAM-02: both are legal."""
    block = TextContent(text="t")
    assert {"type": "text", "text": "t"} == sent(SamplingMessage(role="assistant", content=block))["content"]
    assert [{"type": "text", "text": "t"}] == sent(SamplingMessage(role="user", content=[block]))["content"]


def test_shapes_cannot_be_changed() -> None:
    """A block that several results share says the same in each."""
    with pytest.raises(AttributeError):
        TextContent(text="a").text = "b"  # type: ignore[misc]
