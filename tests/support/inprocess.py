"""A client in the process of the server: it speaks ASGI to an application, without a socket, and really streams.

Knows ASGI, server-sent events and the envelope of a request. Knows no feature. A call can be watched while it runs:
each frame as it comes, a reader that takes nothing for a while, a client that leaves.
"""

import asyncio
import base64
import functools
import json
import selectors
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ParamSpec

from tests.support.answer import Json as Json
from tests.support.answer import Readings

Application = Callable[[Any, Any, Any], Awaitable[None]]
P = ParamSpec("P")

VERSION = "2026-07-28"
PREFIX = "io.modelcontextprotocol/"
BOTH = "application/json, text/event-stream"
SUBSCRIPTION = PREFIX + "subscriptionId"
#: Seconds. Nothing here takes long; whoever waits in vain shall be told soon.
PATIENCE = 4.0


def in_loop(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    """Runs an async test on an event loop of its own."""
    return _run(test, asyncio.new_event_loop, PATIENCE)


def in_no_time(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    """Runs an async test on a loop whose clock jumps to the next timer, so that a minute passes at once.

    For tests that run no threads: the clock would jump while they work.
    """
    return _run(test, _JumpingLoop, 3600.0)


def _run(
    test: Callable[P, Awaitable[None]], loop: Callable[[], asyncio.AbstractEventLoop], patience: float
) -> Callable[P, None]:
    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        async def bounded() -> None:
            async with asyncio.timeout(patience):
                await test(*args, **kwargs)

        with asyncio.Runner(loop_factory=loop) as runner:
            runner.run(bounded())

    return run


class _JumpingLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._now = 0.0
        super().__init__(_JumpingSelector(self.jump))

    def time(self) -> float:
        return self._now

    def jump(self, seconds: float) -> None:
        self._now += seconds


class _JumpingSelector(selectors.DefaultSelector):
    def __init__(self, jump: Callable[[float], None]) -> None:
        super().__init__()
        self._jump = jump

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if timeout and not ready:
            self._jump(timeout)
        return ready


class Ended(Exception):
    """The response ended while another frame was awaited."""


@dataclass(frozen=True, slots=True)
class Answer(Readings):
    """A response that has ended. `headers` has lower-case names."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def media(self) -> str | None:
        return self.headers.get("content-type")

    @property
    def messages(self) -> list[Json]:
        """Every JSON-RPC message, the response last."""
        if self.media == "text/event-stream":
            return [json.loads(line[6:]) for line in self.body.split(b"\n") if line.startswith(b"data: ")]
        return [json.loads(self.body)]


class Exchange:
    """One HTTP request that is under way. `late` holds what the application sent after the client had left."""

    def __init__(self, app: Application, scope: Json, body: Iterable[bytes], whole: bool = True) -> None:
        parts = list(body) or [b""]
        self.late: list[Json] = []
        self._unsent = deque(
            {"type": "http.request", "body": part, "more_body": not whole or index < len(parts) - 1}
            for index, part in enumerate(parts)
        )
        self._sent: list[Json] = []
        self._unread = b""
        self._arrived: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._started = asyncio.Event()
        self._left = asyncio.Event()
        self._taking = asyncio.Event()
        self._taking.set()
        self.task = asyncio.ensure_future(app(scope, self._receive, self._send))
        self.task.add_done_callback(lambda _: self._over())

    async def _receive(self) -> Json:
        if self._unsent:
            return self._unsent.popleft()
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Json) -> None:
        await self._taking.wait()
        if self._left.is_set():
            self.late.append(message)
            return
        expected = "http.response.body" if self._sent else "http.response.start"
        if message["type"] != expected or self.complete:
            raise RuntimeError(f"{message['type']} is out of order")
        self._sent.append(message)
        self._started.set()
        self._unread += message.get("body", b"")
        if self.streams:
            *events, self._unread = self._unread.split(b"\n\n")
            for event in events:
                self._arrived.put_nowait(event)

    def _over(self) -> None:
        self._arrived.put_nowait(None)
        self._started.set()

    @property
    def complete(self) -> bool:
        """Whether the response was ended in due form."""
        return len(self._sent) > 1 and not self._sent[-1].get("more_body", False)

    @property
    def streams(self) -> bool:
        return self._headers().get("content-type") == "text/event-stream"

    def _headers(self) -> dict[str, str]:
        return {name.decode(): value.decode() for name, value in self._sent[0]["headers"]} if self._sent else {}

    async def event(self) -> bytes:
        """The next server-sent event, comments included; raises Ended at the end of the stream."""
        event = await self._arrived.get()
        if event is None:
            self._arrived.put_nowait(None)
            raise Ended
        return event

    async def frame(self) -> Json:
        """The next message of the stream; comments are skipped, as clients must."""
        while not (event := await self.event()).startswith(b"data: "):
            assert event.startswith(b":")
        frame: Json = json.loads(event[6:])
        return frame

    async def status(self) -> int:
        """The status, as soon as it is there."""
        await self._started.wait()
        status: int = self._sent[0]["status"]
        return status

    def stall(self) -> None:
        """From now on the reader takes nothing: whatever the application sends waits."""
        self._taking.clear()

    def resume(self) -> None:
        self._taking.set()

    def leave(self) -> None:
        """The client closes its connection."""
        self._left.set()

    async def gone(self) -> None:
        """Leaves, and returns when the application is done with this request."""
        self.leave()
        await self.task

    async def answer(self) -> Answer:
        """The whole response, frames that were read before included."""
        await self.task
        body = b"".join(message.get("body", b"") for message in self._sent[1:])
        return Answer(self._sent[0]["status"], self._headers(), body)


def mirrored(text: str) -> bytes:
    """A value of Mcp-Name or Mcp-Param-*: plain where it can be, else in the base64 form."""
    if text.isascii() and text.isprintable() and text == text.strip() and not text.startswith("=?base64?"):
        return text.encode()
    return b"=?base64?" + base64.b64encode(text.encode()) + b"?="


def scope(headers: Sequence[tuple[bytes, bytes]], verb: str = "POST") -> Json:
    return {"type": "http", "method": verb, "path": "/", "headers": headers, "client": ("192.0.2.1", 4711)}


class Client:
    """Makes the requests of one client. `capabilities` are what it declares unless a request says otherwise."""

    def __init__(self, app: Application, capabilities: Json | None = None, accept: str = BOTH) -> None:
        self._app = app
        self._capabilities = capabilities or {}
        self._accept = accept

    def post(self, body: bytes, headers: Mapping[str, str | bytes | None] | None = None) -> Exchange:
        """Sends any body, with the headers that every POST has; `headers` add to them, or take away with None."""
        merged: dict[str, str | bytes | None] = {
            "host": "127.0.0.1:8787",
            "content-type": "application/json",
            "accept": self._accept,
            **(headers or {}),
        }
        return Exchange(self._app, scope(_lines(merged)), [body])

    def open(
        self,
        method: str,
        params: Json | None = None,
        *,
        id: int | str = 1,
        meta: Json | None = None,
        headers: Mapping[str, str | bytes | None] | None = None,
        capabilities: Json | None = None,
    ) -> Exchange:
        """Begins a request in due form; `meta` adds to its envelope."""
        params = params or {}
        declared = self._capabilities if capabilities is None else capabilities
        envelope = {
            PREFIX + "protocolVersion": VERSION,
            PREFIX + "clientInfo": {"name": "test", "version": "1"},
            PREFIX + "clientCapabilities": declared,
            **(meta or {}),
        }
        body = {"jsonrpc": "2.0", "id": id, "method": method, "params": {**params, "_meta": envelope}}
        lines: dict[str, str | bytes | None] = {"mcp-protocol-version": VERSION, "mcp-method": method}
        if isinstance(name := params.get("name", params.get("uri", params.get("taskId"))), str):
            lines["mcp-name"] = mirrored(name)
        return self.post(json.dumps(body).encode(), {**lines, **(headers or {})})

    async def call(self, method: str, params: Json | None = None, **how: Any) -> Answer:
        """A request from its beginning to its end; `how` as for `open`."""
        return await self.open(method, params, **how).answer()

    async def tool(self, name: str, arguments: Json | None = None, **how: Any) -> Answer:
        return await self._retryable("tools/call", {"name": name, "arguments": arguments or {}}, **how)

    async def read(self, uri: str, **how: Any) -> Answer:
        return await self._retryable("resources/read", {"uri": uri}, **how)

    async def prompt(self, name: str, arguments: Json | None = None, **how: Any) -> Answer:
        return await self._retryable("prompts/get", {"name": name, "arguments": arguments or {}}, **how)

    async def _retryable(
        self, method: str, params: Json, after: Answer | None = None, answers: Json | None = None, **how: Any
    ) -> Answer:
        """A call, or the retry that brings `answers` to the questions of `after`."""
        if answers is not None:
            params["inputResponses"] = answers
        if after is not None and "requestState" in after.result:
            params["requestState"] = after.result["requestState"]
        return await self.call(method, params, **how)


def _lines(headers: Mapping[str, str | bytes | None]) -> list[tuple[bytes, bytes]]:
    given = ((name, value) for name, value in headers.items() if value is not None)
    return [(name.lower().encode(), value if isinstance(value, bytes) else value.encode()) for name, value in given]


def accept(**content: Any) -> Json:
    """The answer of a user who filled in a form."""
    return {"action": "accept", "content": content}


CONSENT: Json = {"action": "accept"}
DECLINE: Json = {"action": "decline"}
CANCEL: Json = {"action": "cancel"}
FORM: Json = {"elicitation": {"form": {}}}
URL: Json = {"elicitation": {"url": {}}}
