"""A kernel with rows of its own, and the calls to it. Knows no feature and no transport."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from goldfish.kernel.admit import Table, build_table
from goldfish.kernel.call import Call, Reply
from goldfish.kernel.context import Request
from goldfish.kernel.method import Method
from goldfish.kernel.profile import STRICT, Profile
from goldfish.kernel.serve import Kernel
from goldfish.wire.methods import CallToolParams, Params, ReadResourceParams, Result

VERSION = "2026-07-28"
PV = "io.modelcontextprotocol/protocolVersion"
CC = "io.modelcontextprotocol/clientCapabilities"
CI = "io.modelcontextprotocol/clientInfo"
LL = "io.modelcontextprotocol/logLevel"
SI = "io.modelcontextprotocol/serverInfo"

CLIENT = {"name": "c", "version": "1"}

T = TypeVar("T")
Handler = Callable[[Request[Any]], Awaitable[Result]]


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(coroutine)


@dataclass
class Draft:
    """A request that nothing is wrong with, until a test changes it."""

    method: str = "tools/call"
    params: Any = field(
        default_factory=lambda: {"name": "echo", "arguments": {}, "_meta": {PV: VERSION, CC: {}, CI: CLIENT}}
    )
    headers: dict[bytes, bytes] | None = field(
        default_factory=lambda: {
            b"mcp-protocol-version": VERSION.encode(),
            b"mcp-method": b"tools/call",
            b"mcp-name": b"echo",
        }
    )
    repeated: list[bytes] = field(default_factory=list)
    id: Any = 1
    streamable: bool = True

    @property
    def meta(self) -> Any:
        return self.params["_meta"]

    @property
    def fields(self) -> dict[bytes, bytes]:
        assert self.headers is not None
        return self.headers

    def renamed(self, method: str) -> None:
        """Another method, said by body and header alike."""
        self.method = method
        self.fields[b"mcp-method"] = method.encode()

    def dated(self, version: str) -> None:
        """Another version, said by body and header alike."""
        self.meta[PV] = version
        self.fields[b"mcp-protocol-version"] = version.encode()

    def call(self) -> Call:
        body = {"jsonrpc": "2.0", "id": self.id, "method": self.method, "params": self.params}
        return Call(json.dumps(body).encode(), self.headers, self.repeated, self.streamable)


async def done(request: Request[Any]) -> Result:
    return Result()


def table(*rows: Method) -> Table:
    """The given rows, and beside them one of each kind."""
    given = {row.name for row in rows}
    usual = (
        Method("server/discover", Params, done),
        Method("tools/call", CallToolParams, done, "name", streams="may"),
        Method("resources/read", ReadResourceParams, done, "uri"),
        Method("subscriptions/listen", Params, done, streams="always"),
        Method("prompts/get", CallToolParams, done, "name", available=lambda: False),
    )
    return build_table([*rows, *(row for row in usual if row.name not in given)])


def kernel(*rows: Method, profile: Profile = STRICT, logging: bool = True) -> Kernel:
    return Kernel(table(*rows), profile, {SI: {"name": "s", "version": "1"}}, logging)


def tool(handle: Handler, **columns: Any) -> Method:
    return Method("tools/call", CallToolParams, handle, "name", streams="may", **columns)


class Frames(list[Any]):
    """Collects what a handler emits."""

    async def emit(self, frame: bytes) -> None:
        self.append(json.loads(frame))


async def ask(served: Kernel, draft: Draft | None = None, frames: Frames | None = None) -> Reply:
    return await served.serve((draft or Draft()).call(), (Frames() if frames is None else frames).emit)


def reply_to(served: Kernel, draft: Draft | None = None, frames: Frames | None = None) -> Reply:
    return run(ask(served, draft, frames))


def answer(reply: Reply) -> Mapping[str, Any]:
    message: Mapping[str, Any] = json.loads(reply.body)
    return message


class Circle:
    """A value that refers to itself."""

    def __init__(self) -> None:
        self.value: list[Any] = []
        self.value.append(self.value)


def crashing(error: BaseException) -> Any:
    async def handle(request: Request[Any]) -> Result:
        raise error

    return handle
