"""What results are made of: content blocks, resource contents, prompt messages, icons, annotations, tool hints.

Knows the shapes of schema.ts, each under its own name. Knows no method. Members that are None are left out on the wire.
Binary data is `bytes` here and base64 there (TOOL-24).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from msgspec import UNSET, field

Role = Literal["user", "assistant"]
Meta = dict[str, Any]


class Shape(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """camelCase on the wire, None left out."""


class Icon(Shape, frozen=True):
    """basic/index "icons". `src` is an http(s) or data: URI; `sizes` are `WxH` or `any` (ENV-20)."""

    src: str
    mime_type: str | None = None
    sizes: Sequence[str] | None = None
    theme: Literal["light", "dark"] | None = None


class Annotations(Shape, frozen=True):
    """server/resources "Annotations". `priority` is 0..1, `last_modified` ISO 8601 (TOOL-27)."""

    audience: Sequence[Role] | None = None
    priority: float | None = None
    last_modified: str | None = None


class ToolAnnotations(Shape, frozen=True):
    """Hints about a tool's behaviour, which a client must not trust (TOOL-28)."""

    title: str | None = None
    read_only_hint: bool | None = None
    destructive_hint: bool | None = None
    idempotent_hint: bool | None = None
    open_world_hint: bool | None = None


class TextContent(Shape, frozen=True, tag_field="type", tag="text"):
    text: str
    annotations: Annotations | None = None
    meta: Meta | None = field(name="_meta", default=None)


class ImageContent(Shape, frozen=True, tag_field="type", tag="image"):
    data: bytes
    mime_type: str
    annotations: Annotations | None = None
    meta: Meta | None = field(name="_meta", default=None)


class AudioContent(Shape, frozen=True, tag_field="type", tag="audio"):
    data: bytes
    mime_type: str
    annotations: Annotations | None = None
    meta: Meta | None = field(name="_meta", default=None)


class TextResourceContents(Shape, frozen=True):
    uri: str
    text: str
    mime_type: str | None = None
    meta: Meta | None = field(name="_meta", default=None)


class BlobResourceContents(Shape, frozen=True):
    uri: str
    blob: bytes
    mime_type: str | None = None
    meta: Meta | None = field(name="_meta", default=None)


ResourceContents = TextResourceContents | BlobResourceContents


class EmbeddedResource(Shape, frozen=True, tag_field="type", tag="resource"):
    resource: Any  # ResourceContents; msgspec cannot tell untagged structs apart when it decodes
    annotations: Annotations | None = None
    meta: Meta | None = field(name="_meta", default=None)


class ResourceEntry(Shape, frozen=True):
    """One line of resources/list. `size` counts bytes before any base64 (RES-16)."""

    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: int | None = None
    icons: Sequence[Icon] | None = None
    annotations: Annotations | None = None
    meta: Meta | None = field(name="_meta", default=None)


class ResourceLink(ResourceEntry, frozen=True, tag_field="type", tag="resource_link"):
    """A pointer to a resource, which need not stand in resources/list (TOOL-26)."""


class ToolUseContent(Shape, frozen=True, tag_field="type", tag="tool_use"):
    """In sampling only: the model wants a tool called."""

    id: str
    name: str
    input: dict[str, Any]
    meta: Meta | None = field(name="_meta", default=None)


class ToolResultContent(Shape, frozen=True, tag_field="type", tag="tool_result"):
    """In sampling only: what that call gave."""

    tool_use_id: str
    content: Sequence[ContentBlock]
    structured_content: Any = UNSET
    is_error: bool | None = None
    meta: Meta | None = field(name="_meta", default=None)


ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource
SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent
CONTENT_TYPES = (TextContent, ImageContent, AudioContent, ResourceLink, EmbeddedResource)


class PromptMessage(Shape, frozen=True):
    """PRM-06: the content is one block, never a list."""

    role: Role
    content: ContentBlock


class SamplingMessage(Shape, frozen=True):
    """SAM-02: the content is one block or a list of blocks."""

    role: Role
    content: SamplingContent | Sequence[SamplingContent]
    meta: Meta | None = field(name="_meta", default=None)
