"""What a tool returned, as the result that travels (server/tools "Tool Result").

Knows content, structured values and output schemas. Knows no tool but by its name, and no request.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from goldfish.features.schema import Validator
from goldfish.wire import jsonrpc
from goldfish.wire.content import CONTENT_TYPES, ContentBlock, TextContent
from goldfish.wire.methods import CallToolResult, Result


@dataclass(frozen=True, slots=True)
class ToolResult:
    """An explicit result. `structured` is any JSON value; UNSET leaves it out, None sends null (TOOL-19)."""

    content: Sequence[ContentBlock] = ()
    structured: Any = UNSET
    is_error: bool = False
    meta: Mapping[str, Any] | None = None


def failed(text: str) -> CallToolResult:
    return CallToolResult(content=(TextContent(text=text),), is_error=True)


def answer(name: str, output: Validator | None, value: Any) -> Result:
    """What the tool `name` returned, as a result that fits its output schema: see `Server.tool` for the shapes."""
    if isinstance(value, Result):  # already one: a task that the tool made
        return value
    result = explicit(_as_tool_result(value, output is not None))
    if output is not None and result.is_error is not True:  # TOOL-22: a failure owes no structure
        problems = _output_problems(output, result.structured_content)
        if problems:
            raise ValueError(f"the result of {name} does not fit its outputSchema: {'; '.join(problems)}")
    return result


def _as_tool_result(value: Any, structured: bool) -> ToolResult:
    if isinstance(value, ToolResult):
        return value
    if isinstance(value, str) and not structured:
        return ToolResult((TextContent(text=value),))
    if isinstance(value, CONTENT_TYPES):
        return ToolResult((value,))
    if isinstance(value, list | tuple) and value and _are_blocks(value):
        return ToolResult(tuple(value))
    return ToolResult(structured=value)


def _are_blocks(values: Sequence[Any]) -> bool:
    return all(isinstance(value, CONTENT_TYPES) for value in values)


def explicit(value: ToolResult) -> CallToolResult:
    """A ToolResult as it travels."""
    content, structured = value.content, value.structured
    if not _are_blocks(content):  # TOOL-18; a str is a sequence as well
        raise TypeError("the content of a ToolResult must be content blocks")
    if structured is not UNSET:
        text = jsonrpc.encode(structured)
        structured = Raw(text)
        if not content:
            content = (TextContent(text=text.decode()),)  # TOOL-20: for clients that read text alone
    result = CallToolResult(content=content, structured_content=structured)
    if value.is_error:
        result.is_error = True
    if value.meta is not None:
        result.meta = dict(value.meta)
    return result


def _output_problems(output: Validator, structured: Raw | UnsetType) -> list[str]:
    """TOOL-21, judged on what is sent: NaN, for one, leaves as null."""
    if structured is UNSET:
        return ["structuredContent is missing"]
    return output.problems(msgspec.json.decode(structured))
