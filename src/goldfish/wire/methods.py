"""Params and results of the specification's methods, as schema.ts has them.

Knows shapes only. Params are frozen; results are filled by a feature and stamped by the kernel before they are encoded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Raw, UnsetType, field

from goldfish.wire.content import ContentBlock, PromptMessage, ResourceContents
from goldfish.wire.meta import RequestMeta

CacheScope = Literal["public", "private"]


class Params(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What every request carries. Unknown members are ignored (TOOL-33, DIS-07)."""

    meta: RequestMeta = field(name="_meta")


class ListParams(Params, frozen=True, kw_only=True):
    cursor: str | UnsetType = UNSET  # PAG-04: null is no cursor


class RetryableParams(Params, frozen=True, kw_only=True):
    """patterns/mrtr: the members that a retry adds. Only three methods take them (MRTR-01, MRTR-19)."""

    input_responses: dict[str, Raw] | UnsetType = UNSET
    request_state: str | UnsetType = UNSET

    @property
    def is_retry(self) -> bool:
        return self.input_responses is not UNSET or self.request_state is not UNSET


class CallToolParams(RetryableParams, frozen=True, kw_only=True):
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)  # TOOL-17: left out means {}


class ReadResourceParams(RetryableParams, frozen=True, kw_only=True):
    uri: str


class GetPromptParams(RetryableParams, frozen=True, kw_only=True):
    name: str
    arguments: dict[str, str] = field(default_factory=dict)  # PRM-04: strings only


class PromptReference(msgspec.Struct, frozen=True, tag_field="type", tag="ref/prompt"):
    name: str


class ResourceReference(msgspec.Struct, frozen=True, tag_field="type", tag="ref/resource"):
    uri: str


class CompletionArgument(msgspec.Struct, frozen=True):
    name: str
    value: str


class CompletionContext(msgspec.Struct, frozen=True):
    arguments: dict[str, str] = field(default_factory=dict)


class CompleteParams(Params, frozen=True, kw_only=True):
    ref: PromptReference | ResourceReference  # CMP-02
    argument: CompletionArgument
    context: CompletionContext = CompletionContext()


class ListenParams(Params, frozen=True, kw_only=True):
    notifications: dict[str, Raw]  # SUBS-01; each topic reads its own member


class Result(msgspec.Struct, kw_only=True, rename="camel"):
    """ENV-08: every result says of what type it is."""

    result_type: str = "complete"
    meta: dict[str, Any] | UnsetType = field(name="_meta", default=UNSET)


class CacheableResult(Result, kw_only=True):
    """server/utilities/caching: how long and by whom a result may be kept (CAC-01). `ttl_ms` counts milliseconds."""

    ttl_ms: int = 0
    cache_scope: CacheScope = "private"


class DiscoverResult(CacheableResult, kw_only=True):
    supported_versions: Sequence[str]
    capabilities: dict[str, Any]
    instructions: str | UnsetType = UNSET


class ListToolsResult(CacheableResult, kw_only=True):
    tools: Sequence[Any]
    next_cursor: str | UnsetType = UNSET  # PAG-07: never null


class ListResourcesResult(CacheableResult, kw_only=True):
    resources: Sequence[Any]
    next_cursor: str | UnsetType = UNSET


class ListResourceTemplatesResult(CacheableResult, kw_only=True):
    resource_templates: Sequence[Any]
    next_cursor: str | UnsetType = UNSET


class ListPromptsResult(CacheableResult, kw_only=True):
    prompts: Sequence[Any]
    next_cursor: str | UnsetType = UNSET


class CallToolResult(Result, kw_only=True):
    content: Sequence[ContentBlock] = ()
    structured_content: Any = UNSET  # TOOL-19: null, 0, false and "" are values too
    is_error: bool | UnsetType = UNSET


class ReadResourceResult(CacheableResult, kw_only=True):
    contents: Sequence[ResourceContents]


class GetPromptResult(Result, kw_only=True):
    messages: Sequence[PromptMessage]
    description: str | UnsetType = UNSET


class Completion(msgspec.Struct, frozen=True, rename="camel"):
    values: Sequence[str]
    total: int | UnsetType = UNSET
    has_more: bool | UnsetType = UNSET


class CompleteResult(Result, kw_only=True):
    completion: Completion


class InputRequiredResult(Result, kw_only=True):
    """MRTR-22: no content, no isError and no cache hints."""

    input_requests: dict[str, Any] | UnsetType = UNSET
    request_state: str | UnsetType = UNSET
    result_type: str = "input_required"
