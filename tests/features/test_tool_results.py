"""What a tool returns, and what becomes of it on the wire."""

import json
import math
from dataclasses import dataclass
from typing import Any

import pytest

from goldfish import (
    Annotations,
    AudioContent,
    BlobResourceContents,
    ContentBlock,
    EmbeddedResource,
    Icon,
    ImageContent,
    ResourceLink,
    Server,
    TextContent,
    TextResourceContents,
    ToolError,
    ToolResult,
)
from tests.support.inprocess import Answer, Client, Json, in_loop


async def returned(value: Any, output_schema: Json | None = None) -> Answer:
    """The answer to a call of a tool that returns `value`, or raises it."""
    server = Server("test", "1")

    @server.tool(output_schema=output_schema)
    async def tool() -> Any:
        if isinstance(value, Exception):
            raise value
        return value

    return await Client(server.app).tool("tool")


@dataclass
class Point:
    x: int
    y: int


@in_loop
async def test_a_text_is_one_block_and_nothing_more() -> None:
    """TOOL-18: no isError, no structure."""
    result = (await returned("hi")).result
    assert {"resultType", "_meta", "content"} == set(result)
    assert [{"type": "text", "text": "hi"}] == result["content"]


BLOCKS: list[tuple[ContentBlock, Json]] = [
    (TextContent(text=""), {"type": "text", "text": ""}),
    (
        ImageContent(data=b"\xff\x00\x01", mime_type="image/png"),
        {"type": "image", "data": "/wAB", "mimeType": "image/png"},
    ),
    (AudioContent(data=b"", mime_type="audio/wav"), {"type": "audio", "data": "", "mimeType": "audio/wav"}),
    (
        ResourceLink(
            uri="a://b",
            name="n",
            title="t",
            description="d",
            mime_type="x/y",
            size=0,
            icons=[Icon(src="https://example.com/i")],
        ),
        {
            "type": "resource_link",
            "uri": "a://b",
            "name": "n",
            "title": "t",
            "description": "d",
            "mimeType": "x/y",
            "size": 0,
            "icons": [{"src": "https://example.com/i"}],
        },
    ),
    (
        EmbeddedResource(resource=TextResourceContents(uri="a://b", text="t", mime_type="text/plain")),
        {"type": "resource", "resource": {"uri": "a://b", "text": "t", "mimeType": "text/plain"}},
    ),
    (
        EmbeddedResource(resource=BlobResourceContents(uri="a://b", blob=b"\xfb", mime_type="x/y")),
        {"type": "resource", "resource": {"uri": "a://b", "blob": "+w==", "mimeType": "x/y"}},
    ),
    (
        TextContent(
            text="t",
            annotations=Annotations(audience=["user", "assistant"], priority=0.0, last_modified="2026-01-01T00:00:00Z"),
            meta={"example.com/k": 1},
        ),
        {
            "type": "text",
            "text": "t",
            "annotations": {"audience": ["user", "assistant"], "priority": 0.0, "lastModified": "2026-01-01T00:00:00Z"},
            "_meta": {"example.com/k": 1},
        },
    ),
]


@pytest.mark.parametrize(("block", "expected"), BLOCKS)
@in_loop
async def test_a_block_of_each_kind_has_the_shape_of_the_schema(block: ContentBlock, expected: Json) -> None:
    """TOOL-18, TOOL-24, TOOL-25, TOOL-26, TOOL-27: alone, in a list, and in an explicit result."""
    assert [expected] == (await returned(block)).result["content"]
    assert [expected, expected] == (await returned([block, block])).result["content"]
    assert [expected] == (await returned(ToolResult((block,)))).result["content"]


VALUES: list[tuple[Any, Any, str]] = [
    ({"a": [1, None]}, {"a": [1, None]}, '{"a":[1,null]}'),
    ([1, 2], [1, 2], "[1,2]"),
    ([], [], "[]"),
    ({}, {}, "{}"),
    (0, 0, "0"),
    (1.5, 1.5, "1.5"),
    (False, False, "false"),
    (None, None, "null"),
    (Point(1, 2), {"x": 1, "y": 2}, '{"x":1,"y":2}'),
    (["a", TextContent(text="b")], ["a", {"type": "text", "text": "b"}], '["a",{"type":"text","text":"b"}]'),
]


@pytest.mark.parametrize(("value", "expected", "text"), VALUES)
@in_loop
async def test_any_other_value_is_structure_and_its_json(value: Any, expected: Any, text: str) -> None:
    """TOOL-19, TOOL-20: null, 0, false and [] are values as well; the same as text for clients that know no other."""
    answer = await returned(value)
    assert expected == answer.result["structuredContent"]
    assert text == answer.text
    assert "isError" not in answer.result


@pytest.mark.parametrize("value", [None, 0, False, "", [], {}])
@in_loop
async def test_an_explicit_result_may_have_any_structure(value: Any) -> None:
    """TOOL-19: the member is there with exactly this value."""
    result = (await returned(ToolResult(structured=value))).result
    assert "structuredContent" in result
    assert (value, type(value)) == (result["structuredContent"], type(result["structuredContent"]))


@in_loop
async def test_an_explicit_result_is_sent_as_it_is() -> None:
    """TOOL-18, TOOL-20: its content is not added to, its metadata beside the server's."""
    value = ToolResult([TextContent(text="seen")], {"a": 1}, is_error=True, meta={"example.com/k": 1})
    result = (await returned(value)).result
    assert [{"type": "text", "text": "seen"}] == result["content"]
    assert ({"a": 1}, True, 1) == (result["structuredContent"], result["isError"], result["_meta"]["example.com/k"])
    assert "io.modelcontextprotocol/serverInfo" in result["_meta"]


@in_loop
async def test_a_result_may_have_no_content() -> None:
    """TOOL-18: content is there all the same, and empty."""
    result = (await returned(ToolResult())).result
    assert [] == result["content"]
    assert "structuredContent" not in result


@pytest.mark.parametrize("content", ["text", ["text"], [{"type": "text", "text": "t"}], [TextContent(text="t"), None]])
@in_loop
async def test_content_that_is_none_never_leaves(content: Any) -> None:
    """TOOL-18: an array of blocks or a failure."""
    answer = await returned(ToolResult(content))
    assert answer.result["isError"]
    assert "must be content blocks" in answer.text


NUMBER: Json = {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ({"n": 1}, NUMBER),
        (ToolResult([TextContent(text="one")], {"n": 1}), NUMBER),
        ([1, 2], {"type": "array", "items": {"type": "integer"}}),
        ("text", {"type": "string"}),
        ("", {"enum": [""]}),
        (None, {"type": "null"}),
        (0, {}),
        (Point(1, 2), {"required": ["x", "y"]}),
    ],
)
@in_loop
async def test_a_structure_that_fits_its_schema_is_sent(value: Any, schema: Json) -> None:
    """TOOL-21, TOOL-23: a text with an output schema is a structure too; the schema's root is of any type."""
    result = (await returned(value, schema)).result
    assert "isError" not in result
    assert "structuredContent" in result


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ({"n": "1"}, NUMBER),
        ({}, NUMBER),
        ("text", NUMBER),
        (None, NUMBER),
        ({"n": math.nan}, NUMBER),
        ({"n": math.inf}, NUMBER),
        (ToolResult([TextContent(text="1")]), NUMBER),
        (ToolResult([TextContent(text="1")], {"n": "1"}), NUMBER),
        (TextContent(text="1"), NUMBER),
        ([TextContent(text="1")], NUMBER),
        ([1, "2"], {"type": "array", "items": {"type": "integer"}}),
        (TextContent(text="1"), {}),
    ],
)
@in_loop
async def test_a_structure_that_does_not_fit_is_never_a_success(value: Any, schema: Json) -> None:
    """TOOL-21: also where there is none, and where a number leaves as null because JSON has no NaN."""
    answer = await returned(value, schema)
    assert answer.result["isError"]
    assert "structuredContent" not in answer.result
    assert answer.text.startswith("the result of tool does not fit its outputSchema: ")


@pytest.mark.parametrize(
    "value", [ToolError("no"), RuntimeError("no"), ToolResult([TextContent(text="no")], is_error=True)]
)
@in_loop
async def test_a_failure_owes_no_structure(value: Any) -> None:
    """TOOL-22: with an output schema as well."""
    answer = await returned(value, NUMBER)
    assert ("no", True) == (answer.text, answer.result["isError"])


@pytest.mark.parametrize("value", [object(), {"a": object()}, {1, 2, object()}])
@in_loop
async def test_a_value_that_json_does_not_know_is_a_failure(value: Any) -> None:
    """TOOL-16: told as one, and not as an internal error."""
    answer = await returned(value)
    assert (200, True) == (answer.status, answer.result["isError"])


@in_loop
async def test_not_a_number_leaves_as_null() -> None:
    """TOOL-19: JSON has no NaN and no Infinity, and what is no JSON never leaves."""
    answer = await returned({"a": math.nan, "b": -math.inf})
    assert {"a": None, "b": None} == answer.result["structuredContent"]
    assert '{"a":null,"b":null}' == answer.text


@in_loop
async def test_text_that_is_no_unicode_never_leaves() -> None:
    """RPC-21: half a surrogate pair cannot be sent, so that the answer is an internal error, or a failure."""
    assert (200, -32603) == (await returned("\ud800")).refusal
    assert (await returned({"a": "\ud800"})).result["isError"]


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85"])
@in_loop
async def test_no_line_break_of_another_alphabet_stands_in_the_answer(sign: str) -> None:
    """TOOL-18, ours: they are legal JSON, but readers of lines cut there; escaped they are the same value."""
    for value in (f"a{sign}b", ToolResult(structured={sign: [sign]}), TextContent(text=sign)):
        answer = await returned(value)
        assert sign.encode() not in answer.body
        assert sign in json.dumps(answer.result, ensure_ascii=False)
