"""The tasks extension as a server plugs it in: three methods, a topic for listen, and what turns a call into a task.

Knows the two kinds of task and the methods' rules. Everything else is in the room's other modules; nothing here is more
than a stranger's extension could use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET, Raw

from goldfish.features.context import Context, Detached
from goldfish.features.hub import Hub, Stream
from goldfish.features.listen import Agreed, Topic, texts
from goldfish.features.tools import AsTask, ToolHandler
from goldfish.kernel.context import Request, declares
from goldfish.kernel.method import Method
from goldfish.ports import Bus, Caps, Event, Seal, TaskStore
from goldfish.tasks.derived import Derive, Derived
from goldfish.tasks.execution import Execution
from goldfish.tasks.execution import view as view_of
from goldfish.tasks.model import (
    EXTENSION,
    LOST,
    NOTIFICATION,
    TaskParams,
    UpdateParams,
    View,
    created,
    detailed,
    expired,
    not_found,
)
from goldfish.tasks.runner import Invoke, Runner
from goldfish.tasks.ticket import Ticket, Tickets
from goldfish.tasks.watch import follow
from goldfish.wire.errors import INTERNAL_ERROR, invalid_params, missing_capability
from goldfish.wire.inputs import InputRequest
from goldfish.wire.meta import required_capabilities, supports
from goldfish.wire.methods import CallToolParams, Result

#: The incarnation of a derived task whose server shares no store: every instance knows as much of it.
ANYWHERE: Final = ""
#: Bytes of the answers in one update: a store keeps them until the task expires.
MAX_ANSWERS: Final = 64 * 1024


class DerivedTask:
    """A kind of task that a tool can make: `await kind.create(ctx, plan)` in its handler."""

    def __init__(self, tasks: Tasks, kind: str) -> None:
        self._tasks = tasks
        self._kind = kind

    def require(self, context: Context, *needs: str) -> None:
        """Ends the request unless its client declared the extension, and the capabilities the task will ask for.

        `needs` are names as `Context.supports` takes them. A relaxed profile lets the second pass (TASK-28).
        """
        context.require(EXTENSION)
        missing = [name for name in needs if not supports(context.meta.client_capabilities, name)]
        if missing and not context.scene.profile.ask_undeclared:
            raise missing_capability(required_capabilities(missing))

    async def create(
        self, context: Context, plan: Any, *, ttl_ms: int | None = 600_000, poll_interval_ms: int = 1_000
    ) -> Result:
        """Makes a task of this kind and returns what the tool must return. `plan` is any JSON value."""
        self.require(context)
        task_id, ticket = await self._tasks.issue(context.principal, self._kind, plan, ttl_ms, poll_interval_ms)
        return created(await self._tasks.view(task_id, ticket, context.principal))


class Tasks:
    """`invoke` runs a tool's handler; `caps` how many executed tasks there may be.

    `private` says that the store is this process's own: then a derived task is what its id says, on any instance.
    """

    def __init__(
        self, store: TaskStore, bus: Bus, hub: Hub, seal: Seal, invoke: Invoke, caps: Caps, private: bool
    ) -> None:
        self._store = store
        self._private = private
        self._bus = bus
        self._hub = hub
        self._tickets = Tickets(seal)
        self._runner = Runner(store, bus, hub, invoke, caps)
        self._kinds: dict[str, Derived] = {}
        self.executes = False

    def __bool__(self) -> bool:
        """Whether any tool makes tasks, and the extension is advertised (TASK-01, TASK-36)."""
        return self.executes or bool(self._kinds)

    def add_kind(self, name: str, derive: Derive, questions: Mapping[str, InputRequest]) -> DerivedTask:
        if not name or name in self._kinds:
            raise ValueError(f"derived task {name!r} needs a name that no other has")
        self._kinds[name] = Derived(derive, questions, self._store)
        return DerivedTask(self, name)

    # ---------------------------------------------------------------- what is plugged in

    def methods(self) -> list[Method]:
        rows: list[tuple[str, type[TaskParams] | type[UpdateParams], Any]] = [
            ("tasks/get", TaskParams, self._get),
            ("tasks/update", UpdateParams, self._update),
            ("tasks/cancel", TaskParams, self._cancel),
        ]
        return [
            Method(name, params, handle, name_field="taskId", available=self.__bool__, extension=EXTENSION)
            for name, params, handle in rows
        ]

    def topics(self) -> Sequence[Topic]:
        return (Topic("taskIds", self.__bool__, self._check_topic, self._agree),)

    def as_task(self, request: Request[CallToolParams], use: AsTask, handler: ToolHandler) -> ToolHandler:
        """A tool's handler, so that its call answers with a task where the client can take one (TASK-02, TASK-03)."""
        if use.use == "required":
            request.require(EXTENSION)
        elif not declares(request.meta, EXTENSION):
            return handler

        async def detached(context: Context) -> Result:
            if use.asks_first:
                context.attached = True
                try:
                    return await handler(context)
                except Detached:
                    pass
            return await self._execute(context, request, use)

        return detached

    async def _execute(self, context: Context, request: Request[CallToolParams], use: AsTask) -> Result:
        task_id, ticket = await self.issue(request.principal, "", None, use.ttl_ms, use.poll_interval_ms)
        round = context.round
        execution = Execution(
            tool=request.params.name,
            arguments=request.params.arguments,
            principal=request.principal,
            meta=Raw(msgspec.json.encode(request.meta)),
            updated=ticket.created,
            early={**round.carried, **round.settled},
            own=None if round.own is UNSET else round.own,
        )
        await self._runner.create(ticket, execution, request.caller)
        return created(view_of(task_id, ticket, execution))

    # ---------------------------------------------------------------- tasks by their id

    async def issue(
        self, principal: str | None, kind: str, plan: Any, ttl_ms: int | None, poll_ms: int
    ) -> tuple[str, Ticket]:
        return self._tickets.issue(
            principal,
            kind=kind,
            plan=plan,
            created=self._store.now(),
            ttl_ms=ttl_ms,
            poll_ms=poll_ms,
            incarnation=ANYWHERE if kind and self._private else await self._store.incarnation(),
        )

    def _ticket(self, task_id: str, principal: str | None) -> Ticket:
        ticket = self._tickets.read(task_id, principal)
        if ticket is None or (ticket.kind and ticket.kind not in self._kinds):
            raise not_found()
        if ticket.has_expired(self._store.now()):
            raise expired()
        return ticket

    async def view(self, task_id: str, ticket: Ticket, principal: str | None) -> View:
        """The task as it is now. One whose store has forgotten is lost, and nothing else (see Ticket.incarnation)."""
        if not await self._remembers(ticket):
            return self._lost(task_id, ticket)
        if ticket.kind:
            return await self._kinds[ticket.kind].view(task_id, ticket)
        execution = await self._runner.read(ticket)
        return self._lost(task_id, ticket) if execution is None else view_of(task_id, ticket, execution)

    async def _remembers(self, ticket: Ticket) -> bool:
        """Whether the store is still the one that may know something of the task."""
        return ticket.incarnation in (ANYWHERE, await self._store.incarnation())

    def _lost(self, task_id: str, ticket: Ticket) -> View:
        return View(
            task_id=task_id,
            status="failed",
            created=ticket.created,
            updated=ticket.created,
            ttl_ms=ticket.ttl_ms,
            poll_ms=ticket.poll_ms,
            message=LOST,
            error={"code": INTERNAL_ERROR, "message": LOST},
        )

    async def _get(self, request: Request[TaskParams]) -> Result:
        task_id = request.params.task_id
        return detailed(await self.view(task_id, self._ticket(task_id, request.principal), request.principal))

    async def _update(self, request: Request[UpdateParams]) -> Result:
        ticket = self._ticket(request.params.task_id, request.principal)
        responses = request.params.input_responses
        if sum(len(bytes(raw)) for raw in responses.values()) > MAX_ANSWERS:
            raise invalid_params(f"inputResponses must not be larger than {MAX_ANSWERS} bytes together")
        if await self._remembers(ticket):
            if not ticket.kind:
                await self._runner.answer(ticket, responses)
            elif await self._kinds[ticket.kind].answer(ticket, responses):
                await self._bus.publish(Event(ticket.key, NOTIFICATION))
        return Result()  # TASK-23

    async def _cancel(self, request: Request[TaskParams]) -> Result:
        ticket = self._ticket(request.params.task_id, request.principal)
        if await self._remembers(ticket):
            if not ticket.kind:
                await self._runner.cancel(ticket)
            elif await self._kinds[ticket.kind].cancel(ticket):
                await self._bus.publish(Event(ticket.key, NOTIFICATION))
        return Result()  # TASK-29

    # ---------------------------------------------------------------- listen

    def _check_topic(self, request: Request[Any], raw: Raw) -> None:
        texts(raw)
        request.require(EXTENSION)  # TASK-05

    async def _agree(self, request: Request[Any], raw: Raw) -> Agreed | None:
        """The ids that are this caller's; the others are left out, whatever the reason (TASK-30)."""
        known: dict[str, Ticket] = {}
        for task_id in texts(raw):
            ticket = self._tickets.read(task_id, request.principal)
            if ticket is not None and not ticket.has_expired(self._store.now()):
                known[task_id] = ticket
        if not known:
            return None

        async def read(task_id: str) -> View:
            return await self.view(task_id, self._ticket(task_id, request.principal), request.principal)

        async def following(stream: Stream) -> None:
            channels = {task_id: ticket.key for task_id, ticket in known.items()}
            await follow(stream, self._hub, self._store.now, read, channels)

        return Agreed(list(known), follow=following)

    async def close(self, grace: float) -> None:
        await self._runner.close(grace)
