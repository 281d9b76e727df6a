"""The Server: where what an author registers, the protocol and the ports are joined.

Knows every room and what plugs in where; holds no rule of the protocol itself. This is the one module that names all of
them, and the one that an author starts from.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, TypeVar, overload

from msgspec import Raw

from goldfish.backends.choose import open_backend
from goldfish.backends.hmac_seal import HmacSeal
from goldfish.features import changes
from goldfish.features.caching import NO_CACHE, Hints
from goldfish.features.completion import Completer, Completions, Kind
from goldfish.features.discover import Discover
from goldfish.features.hub import Hub
from goldfish.features.inputs import Asking
from goldfish.features.listen import Listen
from goldfish.features.listing import Pager
from goldfish.features.prompts import Prompts
from goldfish.features.resources import Entries, Resources
from goldfish.features.tools import AsTask, TaskUse, Tools
from goldfish.kernel.admit import build_table
from goldfish.kernel.profile import STRICT, Profile
from goldfish.kernel.serve import Kernel
from goldfish.ports import Backend, Caps
from goldfish.tasks.derived import Derive
from goldfish.tasks.extension import DerivedTask, Tasks
from goldfish.tasks.model import EXTENSION
from goldfish.transports import stdio
from goldfish.transports.asgi import Endpoint, Report
from goldfish.transports.guard import Guard
from goldfish.wire import jsonrpc
from goldfish.wire.content import Annotations, Icon, Shape, ToolAnnotations
from goldfish.wire.inputs import InputRequest
from goldfish.wire.meta import SERVER_INFO

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_CAPS: Final = Caps(per_owner=100, total=10_000)


class _Implementation(Shape, frozen=True):
    name: str
    version: str
    title: str | None = None
    description: str | None = None
    website_url: str | None = None
    icons: Sequence[Icon] | None = None


class Server:
    """A stateless MCP server, revision 2026-07-28.

    name, version       what the server says it is, in every result (basic/index "Per-response protocol fields")
    instructions        how to use it, for the model (server/discover)
    logging             whether handlers may send log messages; advertised as the capability `logging`
    list_hints          cache hints of server/discover and of every list
    read_hints          cache hints of resources/read, for resources that have none of their own
    page_size           entries per page of a list; None gives everything at once
    state_keys          secrets of 16 bytes or more that seal requestState and cursors: the first seals, all open.
                        Without any a random one is made, and only this process can open what it sealed
    state_ttl           seconds for which a requestState can be answered
    store               where tasks and change events live: "memory:" for one process, "sqlite:PATH" for the processes
                        of one machine, "redis://HOST:PORT/DB" for many machines
    task_caps           how many executed tasks one caller, and all together, may have
    """

    def __init__(
        self,
        name: str,
        version: str,
        *,
        title: str | None = None,
        description: str | None = None,
        website_url: str | None = None,
        icons: Sequence[Icon] = (),
        instructions: str | None = None,
        logging: bool = True,
        list_hints: Hints = NO_CACHE,
        read_hints: Hints = NO_CACHE,
        page_size: int | None = None,
        state_keys: Sequence[bytes] = (),
        state_ttl: float = 600,
        store: str | Backend = "memory:",
        task_caps: Caps = DEFAULT_CAPS,
    ) -> None:
        self.name = name
        self.version = version
        info = _Implementation(
            name=name,
            version=version,
            title=title,
            description=description,
            website_url=website_url,
            icons=tuple(icons) or None,
        )
        self._result_meta = {SERVER_INFO: Raw(jsonrpc.encode(info))}
        self._logging = logging
        if isinstance(store, str) and store.startswith("redis") and not state_keys:
            # A key made here would open nothing on the other machines, which is what this store is for.
            raise ValueError("a store that other machines share needs state_keys, the same on all of them")
        seal = HmacSeal(state_keys)
        asking = Asking(seal, state_ttl)
        pager = Pager(seal, page_size)
        self._tools = Tools(asking, pager, list_hints)
        self._resources = Resources(asking, pager, list_hints, read_hints)
        self._prompts = Prompts(asking, pager, list_hints)
        self._completions = Completions(self._arguments_of)
        self._backend = open_backend(store) if isinstance(store, str) else store
        self._bus = self._backend.bus
        self._hub = Hub(self._bus)
        private = self._backend.url == "memory:"
        self._tasks = Tasks(self._backend.tasks, self._bus, self._hub, seal, self._tools.handler, task_caps, private)
        self._tools.as_task = self._tasks.as_task
        self._starting: asyncio.Future[None] | None = None
        lists = changes.topics(self._tools.__bool__, self._prompts.__bool__, self._resources.__bool__)
        features = (
            Discover(self.capabilities, instructions, list_hints),
            self._tools,
            self._resources,
            self._prompts,
            self._completions,
            Listen(self._hub, [*lists, *self._tasks.topics()]),
            self._tasks,
        )
        self._table = build_table([method for feature in features for method in feature.methods()])
        self._kernels: dict[Profile, Kernel] = {}
        self._app: Endpoint | None = None

    def capabilities(self) -> dict[str, Any]:
        """ServerCapabilities as server/discover tells them: what is registered now (DIS-05, DIS-06)."""
        return {
            **({"tools": {"listChanged": True}} if self._tools else {}),
            **({"resources": {"subscribe": True, "listChanged": True}} if self._resources else {}),
            **({"prompts": {"listChanged": True}} if self._prompts else {}),
            **({"completions": {}} if self._completions else {}),
            **({"logging": {}} if self._logging else {}),
            **({"extensions": {EXTENSION: {}}} if self._tasks else {}),
        }

    # ---------------------------------------------------------------- registration

    @overload
    def tool(self, function: F) -> F: ...

    @overload
    def tool(
        self,
        function: None = None,
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        icons: Sequence[Icon] = (),
        annotations: ToolAnnotations | None = None,
        input_schema: dict[str, Any] | None = None,
        output_schema: dict[str, Any] | None = None,
        meta: Mapping[str, Any] | None = None,
        task: TaskUse | AsTask | None = None,
    ) -> Callable[[F], F]: ...

    def tool(
        self,
        function: F | None = None,
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        icons: Sequence[Icon] = (),
        annotations: ToolAnnotations | None = None,
        input_schema: dict[str, Any] | None = None,
        output_schema: dict[str, Any] | None = None,
        meta: Mapping[str, Any] | None = None,
        task: TaskUse | AsTask | None = None,
    ) -> F | Callable[[F], F]:
        """Registers a function as a tool (server/tools): `@server.tool` or `@server.tool(title=...)`.

        Parameters give the input schema; one annotated `Context` receives the context. With `input_schema`, which is
        taken as it is, the function takes the arguments as one dict. The name is the function's, the description its
        docstring, unless they are given.

        The function returns a str (one text block), a content block or a list of them, a ToolResult, or any other
        JSON-able value (structuredContent, and its JSON as text). It raises ToolError to fail; any other exception
        fails too, with its message, and is logged. With `output_schema` the structured value must fit it.

        `task` makes the call a task that runs on after its answer (tasks extension): "optional" for clients that can
        take one, "required" for those alone. There `ctx.progress` becomes the status message and a question turns the
        task to input_required; the handler is run again from the top with the answer.

        Raises ValueError for a name taken twice and for a schema that breaks a rule, naming the place and the rule.
        """

        def register(function: F) -> F:
            as_task = AsTask(task) if isinstance(task, str) else task
            self._tools.add(
                function,
                name=name,
                title=title,
                description=description,
                icons=icons,
                annotations=annotations,
                input_schema=input_schema,
                output_schema=output_schema,
                meta=meta,
                task=as_task,
            )
            self._tasks.executes = self._tasks.executes or as_task is not None
            return function

        return register if function is None else register(function)

    def derived_task(
        self, name: str, derive: Derive, questions: Mapping[str, InputRequest] | None = None
    ) -> DerivedTask:
        """Registers a kind of task whose state is a pure function of its plan, the client's words and the time.

        Its id carries the plan, so that any process with the same keys and store can tell its state. `questions` are
        all that `derive` may ever ask. A tool makes one with `await kind.create(ctx, plan)` and returns it.
        """
        return self._tasks.add_kind(name, derive, questions or {})

    def resource(
        self,
        uri: str,
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        icons: Sequence[Icon] = (),
        size: int | None = None,
        annotations: Annotations | None = None,
        hints: Hints | None = None,
        complete: Mapping[str, Completer] | None = None,
        entries: Entries | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> Callable[[F], F]:
        """Registers a function as the reader of `uri` (server/resources): `@server.resource("notes://{name}")`.

        A `{variable}` makes the URI a template (RFC 6570, level 1), whose variables the function takes as text;
        `entries` lists the resources behind it and `complete` offers values for its variables. A parameter annotated
        `Context` receives the context.

        The function returns a str, bytes, resource contents or a list of them, or any other JSON-able value. It raises
        NotFound where there is nothing. `hints` are its own cache hints, `size` counts bytes.
        """

        def register(function: F) -> F:
            self._resources.add(
                uri,
                function,
                name=name,
                title=title,
                description=description,
                mime_type=mime_type,
                icons=icons,
                size=size,
                annotations=annotations,
                hints=hints,
                entries=entries,
                meta=meta,
            )
            self._completions.add("resource", uri, complete or {})
            return function

        return register

    @overload
    def prompt(self, function: F) -> F: ...

    @overload
    def prompt(
        self,
        function: None = None,
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        icons: Sequence[Icon] = (),
        complete: Mapping[str, Completer] | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> Callable[[F], F]: ...

    def prompt(
        self,
        function: F | None = None,
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        icons: Sequence[Icon] = (),
        complete: Mapping[str, Completer] | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> F | Callable[[F], F]:
        """Registers a function as a prompt (server/prompts): `@server.prompt` or `@server.prompt(title=...)`.

        Its parameters are the arguments, all text, required without a default; `Annotated[str, Param(description=...)]`
        describes one and `complete` offers values for it. A parameter annotated `Context` receives the context.

        The function returns text or a content block (one message of the user), a PromptMessage, or a list of these.
        """

        def register(function: F) -> F:
            registered = self._prompts.add(
                function, name=name, title=title, description=description, icons=icons, meta=meta
            )
            self._completions.add("prompt", registered, complete or {})
            return function

        return register if function is None else register(function)

    def _arguments_of(self, kind: Kind, name: str) -> Collection[str] | None:
        return self._prompts.arguments(name) if kind == "prompt" else self._resources.variables(name)

    # ---------------------------------------------------------------- telling of changes

    async def tools_changed(self) -> None:
        """Tells open listen streams that tools/list has changed (TOOL-29)."""
        await self._bus.publish(changes.TOOLS_CHANGED)

    async def prompts_changed(self) -> None:
        """Tells open listen streams that prompts/list has changed (PRM-09)."""
        await self._bus.publish(changes.PROMPTS_CHANGED)

    async def resources_changed(self) -> None:
        """Tells open listen streams that resources/list has changed (RES-15)."""
        await self._bus.publish(changes.RESOURCES_CHANGED)

    async def resource_updated(self, uri: str) -> None:
        """Tells the listen streams that asked for `uri` that it has changed (RES-15, SUBS-07)."""
        await self._bus.publish(changes.resource_updated(uri))

    # ---------------------------------------------------------------- serving

    @property
    def app(self) -> Endpoint:
        """The MCP endpoint as an ASGI application, on the strict profile, reachable from this machine."""
        if self._app is None:
            self._app = self.endpoint()
        return self._app

    def endpoint(
        self,
        profile: Profile = STRICT,
        guard: Guard | None = None,
        observe: Callable[[Report], None] | None = None,
    ) -> Endpoint:
        """An ASGI application that answers POST wherever it is mounted.

        `guard` says who may reach it and how much they may send; `observe` is told of every request when it has ended.
        Endpoints of one server differ in nothing else: they share what is registered and their listen streams.
        """
        return Endpoint(self._kernel(profile), guard or Guard(), observe, self.start)

    def run_stdio(self) -> None:
        """Serves standard input and output until input ends or a signal comes (basic/transports/stdio).

        What a handler or a library prints goes to standard error.
        """
        stdio.run(self._kernel(STRICT), self.start, self.close)

    def _kernel(self, profile: Profile) -> Kernel:
        if profile not in self._kernels:
            self._kernels[profile] = Kernel(self._table, profile, self._result_meta, self._logging)
        return self._kernels[profile]

    async def start(self) -> None:
        """Opens the store and begins to hear of changes; what an endpoint does by itself before its first request."""
        if self._starting is None:
            self._starting = asyncio.ensure_future(self._start())
        await asyncio.shield(self._starting)

    async def _start(self) -> None:
        await self._backend.tasks.start()
        await self._bus.start()

    async def ready(self) -> None:
        """Raises `Unavailable` when the store cannot be reached."""
        await self._backend.tasks.check()

    async def close(self, grace: float = 1.0) -> None:
        """Ends listen streams with their result, and running calls with their answer.

        Calls have `grace` seconds to end by themselves; then they are cancelled and answered with an error.
        """
        self._hub.close()
        caller = asyncio.current_task()
        kernels = (kernel.close(grace, caller) for kernel in self._kernels.values())
        await asyncio.gather(self._tasks.close(grace), *kernels)
        if self._starting is not None:
            await self._bus.stop()
            await self._backend.tasks.stop()
