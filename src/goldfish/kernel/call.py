"""What a transport hands to the kernel and what it gets back.

Knows bytes, header values and a status number. Knows no method, no tool and no way in which bytes arrive or leave.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

#: Sends one encoded notification ahead of the reply. The first one turns the answer into a stream.
Emit = Callable[[bytes], Awaitable[None]]


class Channel:
    """What several requests share on a transport where a message, not the transport, says that one is cancelled."""

    def __init__(self) -> None:
        self._running: dict[tuple[type, int | str], asyncio.Task[Any]] = {}

    def enter(self, request_id: int | str, task: asyncio.Task[Any]) -> None:
        self._running[type(request_id), request_id] = task

    def leave(self, request_id: int | str, task: asyncio.Task[Any]) -> None:
        if self._running.get((type(request_id), request_id)) is task:
            del self._running[type(request_id), request_id]

    def cancel(self, request_id: int | str) -> None:
        """Stops the request, if it runs; an id that does not is ignored (STD-07, CAN-04)."""
        task = self._running.pop((type(request_id), request_id), None)
        if task is not None:
            task.cancel()


@dataclass(frozen=True, slots=True)
class Call:
    """One message and what the transport knows about it.

    `headers` maps lower-case field names to raw values, None on a transport without headers; `repeated` holds the names
    that came more than once. `streamable` says whether the client can take notifications ahead of the reply.
    `principal` names the authenticated caller, `peer` the address at the other end. `channel` is there where requests
    share one, and can be cancelled by a message.
    """

    body: bytes
    headers: Mapping[bytes, bytes] | None = None
    repeated: Collection[bytes] = ()
    streamable: bool = True
    principal: str | None = None
    peer: str | None = None
    channel: Channel | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """The one answer to a Call: `body` is JSON, plain text, or empty where there is nothing to say (RPC-06).

    `status` is the HTTP status of an answer that did not stream, `retry_after` the seconds after which to try again.
    `method`, `name` and `code` tell what it answered, for logs.
    """

    status: int
    body: bytes
    media: Literal["json", "text"] = "json"
    method: str = "-"
    name: str | None = None
    code: int | None = None
    retry_after: int | None = None


class Abandoned(Exception):
    """The reader takes nothing any more: there is no reply to this Call, and whatever streamed ends where it is."""


class Unserved(Exception):
    """A request that is turned away below JSON-RPC: a status, a line of text, and when to try again in seconds."""

    def __init__(self, status: int, text: str, retry_after: int | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.text = text
        self.retry_after = retry_after
