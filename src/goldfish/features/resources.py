"""Resources and templates: registration, the two lists, and resources/read (server/resources).

Knows resources and nothing of other features. A URI is compared as the text it is (RES-17); a template's variables
reach its function percent-decoded, and never as a path that climbs (RES-11).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from msgspec import Raw, field

from goldfish.features.authoring import check_variables, name_of, registering, summary, with_context
from goldfish.features.caching import NO_CACHE, Hints
from goldfish.features.calling import Handler, as_async
from goldfish.features.context import Context
from goldfish.features.inputs import Asking
from goldfish.features.listing import Pager
from goldfish.features.uri_template import Template
from goldfish.kernel.context import Request
from goldfish.kernel.method import Method
from goldfish.wire import jsonrpc
from goldfish.wire.content import (
    Annotations,
    BlobResourceContents,
    Icon,
    ResourceContents,
    ResourceEntry,
    Shape,
    TextResourceContents,
)
from goldfish.wire.errors import Refusal, invalid_params
from goldfish.wire.methods import (
    ListParams,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceParams,
    ReadResourceResult,
    Result,
)

_URI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:[^\s]+\Z")  # RFC 3986, 3.1 (RES-13)

Entries = Callable[[], Iterable[ResourceEntry]]


class NotFound(Exception):
    """There is no such resource: -32602 with the asked URI in `data.uri` (RES-03)."""


class TemplateEntry(Shape, frozen=True):
    """One line of resources/templates/list."""

    uri_template: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    icons: Sequence[Icon] | None = None
    annotations: Annotations | None = None
    meta: Mapping[str, Any] | None = field(name="_meta", default=None)


@dataclass(frozen=True, slots=True)
class Resource:
    """A registered resource, or a template where `template` is there."""

    listing: Raw
    template: Template | None
    entries: Entries | None
    mime_type: str | None
    hints: Hints
    call: Handler
    context_parameter: str | None


class Resources:
    """The resources of one server. `read_hints` serve those that have none of their own."""

    def __init__(self, asking: Asking, pager: Pager, list_hints: Hints, read_hints: Hints) -> None:
        self._asking = asking
        self._pager = pager
        self._list_hints = list_hints
        self._read_hints = read_hints
        self._fixed: dict[str, Resource] = {}
        self._templates: dict[str, Resource] = {}
        self._all: dict[str, Resource] = {}  # both, in the order of registration

    def __bool__(self) -> bool:
        return bool(self._all)

    def variables(self, uri: str) -> tuple[str, ...] | None:
        """The variables of a template, none for a fixed resource; None where there is neither."""
        if uri in self._fixed:
            return ()
        resource = self._templates.get(uri)
        return None if resource is None or resource.template is None else resource.template.variables

    def add(
        self,
        uri: str,
        function: Callable[..., Any],
        *,
        name: str | None,
        title: str | None,
        description: str | None,
        mime_type: str | None,
        icons: Sequence[Icon],
        size: int | None,
        annotations: Annotations | None,
        hints: Hints | None,
        entries: Entries | None,
        meta: Mapping[str, Any] | None,
    ) -> None:
        """Registers `function` as the reader of `uri`; raises ValueError that names the URI and the rule."""
        with registering(f"resource {uri!r}"):
            if not _URI.match(uri):
                raise ValueError("a URI needs a scheme and no blanks (RFC 3986)")
            if uri in self._all:
                raise ValueError("it is registered twice")
            template = Template(uri) if "{" in uri or "}" in uri else None
            if entries is not None and template is None:
                raise ValueError("entries= is for templates")
            context_parameter = check_variables(function, template.variables if template else ())
        shown: dict[str, Any] = {
            "name": name or name_of(function),
            "title": title,
            "description": description if description is not None else summary(function),
            "mime_type": mime_type,
            "icons": tuple(icons) or None,
            "annotations": annotations,
            "meta": meta,
        }
        listing: Any
        if template is None:
            listing = ResourceEntry(uri=uri, size=size, **shown)
        else:
            listing = TemplateEntry(uri_template=uri, **shown)
        resource = Resource(
            listing=Raw(jsonrpc.encode(listing)),
            template=template,
            entries=entries,
            mime_type=mime_type,
            hints=hints or self._read_hints,
            call=as_async(function),
            context_parameter=context_parameter,
        )
        self._all[uri] = (self._fixed if template is None else self._templates)[uri] = resource

    def methods(self) -> list[Method]:
        there = self.__bool__
        return [
            Method("resources/list", ListParams, self._list, available=there),
            Method("resources/templates/list", ListParams, self._list_templates, available=there),
            Method("resources/read", ReadResourceParams, self._read, "uri", available=there, streams="may"),
        ]

    async def _list(self, request: Request[ListParams]) -> Result:
        entries, cursor = self._pager.page(request, self._listed())
        return self._list_hints.on(ListResourcesResult(resources=entries, next_cursor=cursor))

    def _listed(self) -> Iterator[tuple[str, Any]]:
        """The fixed resources and the members of enumerable templates, in the order of registration."""
        for uri, resource in self._all.items():
            if resource.template is None:
                yield uri, resource.listing
            elif resource.entries is not None:
                for entry in resource.entries():
                    yield entry.uri, entry

    async def _list_templates(self, request: Request[ListParams]) -> Result:
        entries = ((uri, resource.listing) for uri, resource in self._templates.items())
        templates, cursor = self._pager.page(request, entries)
        return self._list_hints.on(ListResourceTemplatesResult(resource_templates=templates, next_cursor=cursor))

    def _find(self, uri: str) -> tuple[Resource, dict[str, str]]:
        resource = self._fixed.get(uri)
        if resource is not None:
            return resource, {}
        for candidate in self._templates.values():
            variables = candidate.template.match(uri) if candidate.template else None
            if variables is not None:
                return candidate, variables
        raise _not_found(uri)

    async def _read(self, request: Request[ReadResourceParams]) -> Result:
        uri = request.params.uri
        resource, variables = self._find(uri)

        async def handler(context: Context) -> Result:
            arguments = with_context(variables, resource.context_parameter, context)
            try:
                value = await resource.call(**arguments)
            except NotFound:
                raise _not_found(uri) from None
            result = ReadResourceResult(contents=_contents(value, uri, resource.mime_type))
            return (NO_CACHE if request.params.is_retry else resource.hints).on(result)

        return await self._asking.run(request, {}, handler)


def _not_found(uri: str) -> Refusal:
    return invalid_params("Resource not found", {"uri": uri})


def _contents(value: Any, uri: str, mime_type: str | None) -> Sequence[ResourceContents]:
    """What a resource returned, as contents: see `Server.resource` for the shapes."""
    if isinstance(value, str):
        return [TextResourceContents(uri=uri, text=value, mime_type=mime_type or "text/plain")]
    if isinstance(value, bytes):
        return [BlobResourceContents(uri=uri, blob=value, mime_type=mime_type or "application/octet-stream")]
    if isinstance(value, TextResourceContents | BlobResourceContents):
        return [value]
    if isinstance(value, list | tuple) and all(
        isinstance(item, TextResourceContents | BlobResourceContents) for item in value
    ):
        return list(value)  # RES-05, RES-07: any number, none included
    text = jsonrpc.encode(value).decode()
    return [TextResourceContents(uri=uri, text=text, mime_type=mime_type or "application/json")]
