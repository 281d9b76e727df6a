"""Telling of tasks on listen streams: the topic `taskIds` (TASK-30).

Knows how to wait for a change: for a word of the bus, or for the time at which a task changes by itself. Each change of
status is told once, with the whole task as tasks/get would answer it; the present status is told first.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from goldfish.features.hub import Frame, Hub, Stream, encode
from goldfish.ports import Clock, Event, Unavailable
from goldfish.tasks.model import NOTIFICATION, Status, View, detailed, is_terminal
from goldfish.wire import jsonrpc
from goldfish.wire.errors import Refusal

logger = logging.getLogger("goldfish")

#: Seconds until a store that was away is asked again.
PAUSE: Final = 0.5
#: Seconds after which a watched task is read in any case: no client waits for ever for a word that was lost.
CHECK: Final = 30.0


class Wake:
    """Hears channels and remembers only that something was said."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def push(self, frame: Frame) -> bool:
        self._event.set()
        return True

    async def room(self) -> None:
        """It always has room."""

    def stall(self) -> None:
        """It never stalls."""

    def lost(self) -> None:
        self._event.set()

    def end(self) -> None:
        """The stream it belongs to ends by itself."""

    async def wait(self, seconds: float) -> None:
        """Returns when something was said since the last call, or after `seconds`."""
        try:
            async with asyncio.timeout(seconds):
                await self._event.wait()
        except TimeoutError:
            pass
        self._event.clear()


async def follow(
    stream: Stream,
    hub: Hub,
    now: Clock,
    read: Callable[[str], Awaitable[View]],
    channels: Mapping[str, str],
) -> None:
    """Pushes every change of the tasks, which are the keys of `channels`, until all have ended."""
    wake = Wake()
    told: dict[str, Status] = {}
    live = list(channels)
    hub.open(wake, list(channels.values()))
    try:
        while live:
            due = await _tell(stream, read, live, told)
            live = [task_id for task_id in live if task_id not in told or not is_terminal(told[task_id])]
            moments = [moment - now() for moment in due]
            await wake.wait(max(0.0, min([*moments, CHECK])))
    finally:
        hub.drop(wake, list(channels.values()))


async def _tell(
    stream: Stream, read: Callable[[str], Awaitable[View]], live: Sequence[str], told: dict[str, Status]
) -> list[float]:
    """Tells what has changed; returns when the tasks will change by themselves."""
    due: list[float] = []
    for task_id in live:
        try:
            view = await read(task_id)
        except Unavailable as away:
            logger.warning("notifications/tasks: %s", away)
            await asyncio.sleep(PAUSE)
            due.append(0.0)
            continue
        except Refusal:  # expired meanwhile: there is nothing left to tell
            told[task_id] = "failed"
            continue
        except Exception:  # the fault of one task, which does not silence the others
            logger.exception("notifications/tasks: a task cannot be read")
            told[task_id] = "failed"
            continue
        if told.get(task_id) != view.status:
            told[task_id] = view.status
            if not stream.push(_frame(view)):
                await stream.room()
        if view.due is not None:
            due.append(view.due)
    return due


def _frame(view: View) -> Frame:
    task = jsonrpc.encode(detailed(view)).replace(b'"resultType":"complete",', b"", 1)  # params, not a result
    return encode(Event("", NOTIFICATION, task))
