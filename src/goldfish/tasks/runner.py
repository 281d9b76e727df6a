"""Runs executed tasks in this process, and keeps their records true.

Knows leases, compare-and-set and the handlers it is given. Knows no method of the protocol. A waiting task holds no
worker: its handler has ended, and is run again, by whichever process takes the last answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import msgspec
from msgspec import UNSET, Raw

from goldfish.features.context import Context
from goldfish.features.hub import Hub
from goldfish.features.questions import InputRequired
from goldfish.kernel.profile import STRICT
from goldfish.ports import Bus, Caps, Event, Full, TaskStore, Unavailable
from goldfish.tasks import execution as change
from goldfish.tasks.execution import Execution
from goldfish.tasks.model import NOTIFICATION, WORKER_LOST, is_terminal
from goldfish.tasks.ticket import Ticket
from goldfish.tasks.watch import PAUSE, Wake
from goldfish.wire import jsonrpc
from goldfish.wire.errors import INTERNAL_ERROR, Refusal, missing_capability
from goldfish.wire.meta import LogLevel, RequestMeta, required_capabilities, supports
from goldfish.wire.methods import Result

logger = logging.getLogger("goldfish")

#: Seconds for which a worker answers for a task it runs, and after which it renews that.
LEASE: Final = 10.0
RENEW: Final = 3.0
#: Seconds between two status messages that are kept.
MESSAGE_PACE: Final = 0.25

Handler = Callable[[Context], Awaitable[Result]]
#: The handler of a tool with these arguments; a Result where they no longer fit, Refusal where the tool is gone.
Invoke = Callable[[str, Mapping[str, Any]], Handler | Result]


class Background:
    """Where a handler runs once its request has been answered."""

    def __init__(self, runner: Runner, ticket: Ticket, execution: Execution, meta: RequestMeta) -> None:
        self.meta = meta
        self.profile = STRICT
        self.principal = execution.principal
        self._runner = runner
        self._ticket = ticket
        self._told = 0.0

    def require(self, extension: str) -> None:
        """What a task needs was required by the request that made it."""

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Becomes the status message: a task's progress has no stream (TASK-31)."""
        now = asyncio.get_running_loop().time()
        if now - self._told < MESSAGE_PACE and progress != total:
            return
        self._told = now
        text = message if message is not None else f"{progress:g}" + ("" if total is None else f" of {total:g}")
        with contextlib.suppress(Unavailable):  # a message that is not kept is no reason to fail
            await self._runner.change(self._ticket, lambda execution: change.told(execution, text))

    async def log(self, level: LogLevel, data: Any, logger: str | None = None) -> None:
        """Dropped (TASK-31)."""


class Runner:
    def __init__(self, store: TaskStore, bus: Bus, hub: Hub, invoke: Invoke, caps: Caps) -> None:
        self._store = store
        self._bus = bus
        self._hub = hub
        self._invoke = invoke
        self._caps = caps
        self._worker = secrets.token_hex(8)
        self._runs: dict[str, asyncio.Task[None]] = {}
        self._again: dict[str, Ticket] = {}
        self._closing = False

    # ---------------------------------------------------------------- the record

    async def create(self, ticket: Ticket, execution: Execution, owner: str) -> None:
        """Durable before it returns (TASK-10); raises Refusal when a cap is reached."""
        begun = msgspec.structs.replace(execution, worker=self._worker, lease=self._store.now() + LEASE)
        try:
            await self._store.add(ticket.key, msgspec.json.encode(begun), ticket.expires, owner, self._caps)
        except Full as full:
            raise Refusal(INTERNAL_ERROR, f"Too many tasks: {full}; try again when some have ended") from None
        self._begin(ticket)

    async def read(self, ticket: Ticket) -> Execution | None:
        """The record as it is now; None when the store has none."""
        record = await self._store.get(ticket.key)
        if record is None:
            return None
        execution = change.read(record.body)
        if change.checked(execution, self._store.now()) is execution:
            return execution
        return await self.change(ticket, lambda found: change.checked(found, self._store.now()))

    async def change(self, ticket: Ticket, step: Callable[[Execution], Execution]) -> Execution | None:
        """Compare-and-set until it holds; tells the bus when the status changed."""
        while True:
            record = await self._store.get(ticket.key)
            if record is None:
                return None
            found = change.read(record.body)
            changed = step(found)
            if changed is found:
                return found
            if await self._store.swap(ticket.key, record.version, msgspec.json.encode(changed)):
                if changed.status != found.status:
                    await self._bus.publish(Event(ticket.key, NOTIFICATION))
                return changed

    async def answer(self, ticket: Ticket, responses: Mapping[str, Raw]) -> None:
        now = self._store.now()
        execution = await self.change(
            ticket, lambda found: change.answered(found, responses, self._worker, now, now + LEASE)
        )
        if execution is not None and execution.status == "working" and execution.worker == self._worker:
            self._begin(ticket)

    async def cancel(self, ticket: Ticket) -> None:
        await self.change(ticket, lambda found: change.cancelled(found, self._store.now()))

    # ---------------------------------------------------------------- the run

    def _begin(self, ticket: Ticket) -> None:
        if ticket.key in self._runs:
            self._again[ticket.key] = ticket  # answered before the run that asked had come to its end
        elif not self._closing:
            task = asyncio.get_running_loop().create_task(self._run(ticket))
            self._runs[ticket.key] = task
            task.add_done_callback(lambda done: self._ended(ticket, done))

    def _ended(self, ticket: Ticket, done: asyncio.Task[None]) -> None:
        self._runs.pop(ticket.key, None)
        if (again := self._again.pop(ticket.key, None)) is not None:
            self._begin(again)
        if not done.cancelled() and done.exception() is not None:
            logger.error("the run of a task failed", exc_info=done.exception())

    async def _run(self, ticket: Ticket) -> None:
        """Runs the handler once, from the top, while the lease is kept; then writes what came of it."""
        execution = await _insist(lambda: self.read(ticket))
        if execution is None or execution.status != "working" or execution.worker != self._worker:
            return
        work = asyncio.ensure_future(self._outcome(ticket, execution))
        keep = asyncio.ensure_future(self._keep(ticket, work))
        try:
            step = await work
        except asyncio.CancelledError:
            if not work.cancelled():
                work.cancel()
                raise
            return  # cancelled by the client, or taken over: the record says so already
        finally:
            keep.cancel()
        changed = await _insist(lambda: self.change(ticket, step))
        if changed is not None and changed.status == "working" and changed.worker == self._worker:
            logger.error("tool %s: its task ended in no state", changed.tool)

    async def _outcome(self, ticket: Ticket, execution: Execution) -> Callable[[Execution], Execution]:
        """Runs the handler; what is to become of the record."""
        meta = msgspec.json.decode(execution.meta, type=RequestMeta)
        round = change.round_of(execution)
        context = Context(Background(self, ticket, execution, meta), round)
        try:
            handler = self._invoke(execution.tool, execution.arguments)
            result = handler if isinstance(handler, Result) else await handler(context)
            body = jsonrpc.encode(result)
        except InputRequired as question:
            asked = question.requests
            own = round.own if question.state is UNSET else question.state
            missing = [
                name for each in asked.values() for name in each.needs if not supports(meta.client_capabilities, name)
            ]
            if missing:  # TASK-28
                refusal = missing_capability(required_capabilities(missing))
                return lambda found: change.failed(found, refusal, self._store.now())
            return lambda found: change.asking(found, asked, None if own is UNSET else own, self._store.now())
        except Refusal as caught:
            refusal = caught
            return lambda found: change.failed(found, refusal, self._store.now())
        except Exception:
            logger.exception("tool %s failed in its task", execution.tool)
            internal = Refusal(INTERNAL_ERROR, "Internal error")
            return lambda found: change.failed(found, internal, self._store.now())
        return lambda found: change.completed(found, body, self._store.now())

    async def _keep(self, ticket: Ticket, work: asyncio.Future[Any]) -> None:
        """Renews the lease, and stops the work when the task is no longer this worker's to do."""
        wake = Wake()
        self._hub.open(wake, [ticket.key])
        try:
            while True:
                await wake.wait(RENEW)
                with contextlib.suppress(Unavailable):
                    found = await self.change(
                        ticket, lambda execution: change.leased(execution, self._store.now() + LEASE)
                    )
                    if found is None or is_terminal(found.status) or found.worker != self._worker:
                        work.cancel()
                        return
        finally:
            self._hub.drop(wake, [ticket.key])

    async def close(self, grace: float) -> None:
        """Lets runs end within `grace` seconds; the rest is found failed, since their worker is about to go."""
        self._closing = True
        runs = dict(self._runs)
        if runs:
            await asyncio.wait(runs.values(), timeout=grace)
        for key, run in runs.items():
            if not run.done():
                run.cancel()
                with contextlib.suppress(Unavailable):
                    await self._give_up(key)

    async def _give_up(self, key: str) -> None:
        record = await self._store.get(key)
        if record is None:
            return
        execution = change.read(record.body)
        refusal = Refusal(INTERNAL_ERROR, WORKER_LOST)
        changed = change.failed(execution, refusal, self._store.now())
        if execution.worker == self._worker and changed is not execution:
            await self._store.swap(key, record.version, msgspec.json.encode(changed))
            await self._bus.publish(Event(key, NOTIFICATION))


async def _insist(ask: Callable[[], Awaitable[Execution | None]]) -> Execution | None:
    """Asks again until the store answers: a result is not lost because the store was away."""
    while True:
        try:
            return await ask()
        except Unavailable as away:
            logger.warning("tasks: %s", away)
            await asyncio.sleep(PAUSE)
