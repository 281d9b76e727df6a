"""Tools: registration, tools/list and tools/call (server/tools).

Knows tools and nothing of other features. A tool's own failures are results with isError (TOOL-16); only what is wrong
with the request itself is a JSON-RPC error.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec
from msgspec import Raw, field

from goldfish.features.authoring import name_of, raw_binding, registering, summary
from goldfish.features.caching import Hints
from goldfish.features.calling import Handler, as_async
from goldfish.features.context import Context
from goldfish.features.inputs import Asking
from goldfish.features.listing import Pager
from goldfish.features.questions import NotAccepted
from goldfish.features.schema import Validator, check_schema
from goldfish.features.signature import from_signature
from goldfish.features.tool_results import answer, failed
from goldfish.kernel.admit import mirrored
from goldfish.kernel.context import Request
from goldfish.kernel.method import Method
from goldfish.wire import jsonrpc
from goldfish.wire.content import Icon, Shape, ToolAnnotations
from goldfish.wire.errors import Refusal, header_mismatch, invalid_params
from goldfish.wire.headers import HeaderError, ParamHeader, match_param, param_headers
from goldfish.wire.methods import CallToolParams, ListParams, ListToolsResult, Result

logger = logging.getLogger("goldfish")

_GOOD_NAME: Final = re.compile(r"[A-Za-z0-9_.\-]{1,128}\Z")


@dataclass(frozen=True, slots=True)
class Header:
    """Mirrors a parameter into the HTTP header `Mcp-Param-<name>`: `Annotated[str, Header("Region")]` (HDR-17)."""

    name: str


class ToolError(Exception):
    """A tool's failure, told to the model: a result with isError and this text (TOOL-16)."""


class _Listing(Shape, frozen=True, kw_only=True):
    """A tool as tools/list shows it; the schemas are delivered unchanged (TOOL-07)."""

    name: str
    title: str | None = None
    description: str | None = None
    input_schema: Raw
    output_schema: Raw | None = None
    icons: Sequence[Icon] | None = None
    annotations: ToolAnnotations | None = None
    meta: Mapping[str, Any] | None = field(name="_meta", default=None)


#: Whether a tool may or must answer with a task (tasks extension).
TaskUse = Literal["optional", "required"]


@dataclass(frozen=True, slots=True)
class AsTask:
    """How a tool becomes a task. `asks_first`: it runs within the request until it calls `Context.detach`."""

    use: TaskUse
    asks_first: bool = False
    ttl_ms: int | None = 600_000
    poll_interval_ms: int = 1_000


ToolHandler = Callable[[Context], Awaitable[Result]]


@dataclass(frozen=True, slots=True)
class Tool:
    """A registered tool, everything about it made ready once."""

    name: str
    listing: Raw
    arguments: Validator
    output: Validator | None
    headers: tuple[ParamHeader, ...]
    drop_nulls: frozenset[str]
    bind: Callable[[dict[str, Any]], dict[str, Any]]
    call: Handler
    context_parameter: str | None
    task: AsTask | None


class Tools:
    """The tools of one server, in the order in which they were registered (TOOL-03)."""

    def __init__(self, asking: Asking, pager: Pager, hints: Hints) -> None:
        self._asking = asking
        self._pager = pager
        self._hints = hints
        self._tools: dict[str, Tool] = {}
        #: Set by the server where an extension can turn a call into a task.
        self.as_task: Callable[[Request[CallToolParams], AsTask, ToolHandler], ToolHandler] | None = None

    def __bool__(self) -> bool:
        return bool(self._tools)

    def add(
        self,
        function: Callable[..., Any],
        *,
        name: str | None,
        title: str | None,
        description: str | None,
        icons: Sequence[Icon],
        annotations: ToolAnnotations | None,
        input_schema: dict[str, Any] | None,
        output_schema: dict[str, Any] | None,
        meta: Mapping[str, Any] | None,
        task: AsTask | None,
    ) -> None:
        """Registers `function`; raises ValueError with the tool's name, the place and the rule that is broken."""
        name = name or name_of(function)
        if not _GOOD_NAME.match(name):
            warnings.warn(f"tool name {name!r} is not 1-128 of A-Z a-z 0-9 _ - . (TOOL-04)", stacklevel=3)
        with registering(f"tool {name!r}"):
            if name in self._tools:
                raise ValueError("it is registered twice")
            drop_nulls: frozenset[str] = frozenset()
            bind: Callable[[dict[str, Any]], dict[str, Any]]
            if input_schema is None:
                signature = from_signature(function, context_type=Context, header_type=Header)
                schema, bind, drop_nulls = signature.schema, signature.bind, signature.drop_nulls
                context_parameter = signature.context_parameter
            else:
                schema = input_schema
                bind, context_parameter = raw_binding(function)
            check_schema(schema, root_object=True, where="inputSchema")
            if output_schema is not None:
                check_schema(output_schema, root_object=False, where="outputSchema")
            with registering("inputSchema"):
                headers = param_headers(schema)
        listing = _Listing(
            name=name,
            title=title,
            description=description if description is not None else summary(function),
            input_schema=Raw(jsonrpc.encode(schema)),
            output_schema=None if output_schema is None else Raw(jsonrpc.encode(output_schema)),
            icons=tuple(icons) or None,
            annotations=annotations,
            meta=meta,
        )
        self._tools[name] = Tool(
            name=name,
            listing=Raw(jsonrpc.encode(listing)),
            arguments=Validator(schema),
            output=None if output_schema is None else Validator(output_schema),
            headers=headers,
            drop_nulls=drop_nulls,
            bind=bind,
            call=as_async(function),
            context_parameter=context_parameter,
            task=task,
        )

    def methods(self) -> list[Method]:
        return [
            Method("tools/list", ListParams, self._list, available=self.__bool__),
            Method(
                "tools/call", CallToolParams, self._call, "name", self._check, available=self.__bool__, streams="may"
            ),
        ]

    async def _list(self, request: Request[ListParams]) -> Result:
        entries = ((name, tool.listing) for name, tool in self._tools.items())
        tools, cursor = self._pager.page(request, entries)
        return self._hints.on(ListToolsResult(tools=tools, next_cursor=cursor))

    def _check(self, request: Request[CallToolParams]) -> None:
        """TOOL-13, and HDR-21 to HDR-24: all of it before a byte could leave."""
        tool = self._tools.get(request.params.name)
        if tool is None:
            raise invalid_params(f"Unknown tool: {request.params.name[:80]!r}")
        if request.headers is None:
            return
        for header in tool.headers:
            raw = mirrored(request, header.header, f"Mcp-Param-{header.name}")
            try:
                match_param(header, raw, request.params.arguments)
            except HeaderError as error:
                raise header_mismatch(str(error)) from None

    async def _call(self, request: Request[CallToolParams]) -> Result:
        params = request.params
        tool = self._tools[params.name]
        handler = self.handler(params.name, params.arguments)
        if isinstance(handler, Result):
            return handler
        if tool.task is not None and self.as_task is not None:
            handler = self.as_task(request, tool.task, handler)
        return await self._asking.run(request, params.arguments, handler)

    def handler(self, name: str, arguments: Mapping[str, Any]) -> ToolHandler | Result:
        """What runs the tool `name` with `arguments` in whatever Context; or the result, where they do not fit.

        A tool that is gone raises Refusal.
        """
        tool = self._tools.get(name)
        if tool is None:
            raise invalid_params(f"Unknown tool: {name[:80]!r}")
        given = {key: value for key, value in arguments.items() if value is not None or key not in tool.drop_nulls}
        problems = tool.arguments.problems(given)
        if problems:  # TOOL-15: for the model to correct itself, so a result and not an error
            return failed(f"Invalid arguments for {tool.name}: {'; '.join(problems)}")
        try:
            bound = tool.bind(given)
        except (msgspec.ValidationError, RecursionError) as error:  # base64, for one, which no schema judges
            return failed(f"Invalid arguments for {tool.name}: {error}")

        async def handler(context: Context) -> Result:
            if tool.context_parameter is not None:
                bound[tool.context_parameter] = context
            try:
                return answer(tool.name, tool.output, await tool.call(**bound))
            except ToolError as error:
                return failed(str(error))
            except NotAccepted as refused:
                return failed(f"The user did not answer: {refused}")
            except Refusal:
                raise
            except (Exception, SystemExit) as error:
                logger.exception("tool %s failed", tool.name)
                return failed(str(error) or type(error).__name__)

        return handler
