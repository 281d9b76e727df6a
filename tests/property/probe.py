"""A server whose every handler notes that it ran and with what, and valid requests to it."""

import asyncio
import base64
import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from goldfish import Context, Header, Server, TextContent, ToolResult, form, sampling

VERSION = "2026-07-28"
PREFIX = "io.modelcontextprotocol/"
META: Mapping[str, Any] = {
    PREFIX + "protocolVersion": VERSION,
    PREFIX + "clientCapabilities": {"elicitation": {}, "sampling": {}, "roots": {}},
    PREFIX + "clientInfo": {"name": "probe", "version": "1"},
}
AWKWARD = ("größe", "=?base64?aGk=?=", " blank ", "a\nb")


@dataclass(frozen=True)
class Ran:
    """What a handler was given: the method and the name it stands for, and its arguments."""

    method: str
    name: str
    arguments: Mapping[str, Any]


class Probe:
    """`ran` is what ran since it was last emptied."""

    def __init__(self) -> None:
        self.ran: list[Ran] = []
        self.replied = asyncio.Event()
        self.lingering: asyncio.Task[None] | None = None
        self.server = server = Server("probe", "1", state_keys=[b"k" * 32], page_size=3, instructions="Try me.")

        def note(name: str, arguments: Mapping[str, Any], method: str = "tools/call") -> None:
            self.ran.append(Ran(method, name, arguments))

        @server.tool(input_schema={"type": "object"})
        async def probe(arguments: dict[str, Any]) -> ToolResult:
            note("probe", arguments)
            return ToolResult([TextContent(text="ran")], structured=arguments)

        @server.tool
        async def typed(message: str, count: int = 1, ratio: float = 0.5, flags: list[str] | None = None) -> str:
            note("typed", {"message": message, "count": count, "ratio": ratio, "flags": flags})
            return message

        @server.tool
        async def routed(
            region: Annotated[str, Header("Region")],
            size: Annotated[int, Header("Size")] = 0,
            dry: Annotated[bool, Header("Dry")] = False,
        ) -> str:
            note("routed", {"region": region, "size": size, "dry": dry})
            return region

        @server.tool
        async def chatty(ctx: Context) -> str:
            note("chatty", {})
            await ctx.log("info", "working\u2028hard")
            await ctx.progress(1, 2, "half")
            await ctx.log("error", {"at": [None]}, "probe")
            return "done"

        @server.tool
        async def asks(ctx: Context) -> dict[str, Any]:
            note("asks", {})
            name = await ctx.elicit("name", "Name?", {"type": "object", "properties": {"name": {"type": "string"}}})
            both = await ctx.ask(
                more=form("More?", {"type": "object", "properties": {"n": {"type": "integer", "minimum": 0}}}),
                text=sampling("Say hi", max_tokens=10),
            )
            ctx.state = {"seen": True}
            roots = await ctx.roots("roots")
            return {"name": name, "both": sorted(both), "roots": len(roots)}

        @server.tool
        async def reads(ctx: Context) -> str:
            note("reads", {})
            return ", ".join(sorted(ctx.responses))

        @server.tool
        async def lingers(ctx: Context) -> str:
            """Leaves something running that speaks after the reply."""
            note("lingers", {})
            self.lingering = asyncio.create_task(self._linger(ctx))
            return "done"

        @server.tool
        async def crash() -> str:
            note("crash", {})
            raise RuntimeError("deliberate")

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such names are legal and warned of (TOOL-05)
            for awkward in AWKWARD:
                server.tool(self._noting(awkward), name=awkward)

        @server.resource("probe://fixed")
        async def fixed() -> str:
            note("probe://fixed", {}, "resources/read")
            return "fixed"

        @server.resource("probe://item/{id}")
        async def item(id: str, ctx: Context) -> bytes:
            note(f"probe://item/{id}", {"id": id}, "resources/read")
            return id.encode()

        @server.prompt(complete={"tone": ["warm", "wry"]})
        async def greet(who: str, tone: str = "warm") -> str:
            note("greet", {"who": who, "tone": tone}, "prompts/get")
            return f"Greet {who}, {tone}."

    async def _linger(self, ctx: Context) -> None:
        await self.replied.wait()
        await ctx.progress(1)
        await ctx.log("info", "too late")

    def _noting(self, name: str) -> Any:
        async def awkward() -> str:
            self.ran.append(Ran("tools/call", name, {}))
            return "ran"

        return awkward


def encoded(text: str) -> bytes:
    """A header value: as it is where that is safe, else in the base64 form."""
    safe = text.isascii() and text.isprintable() and text == text.strip() and not text.startswith("=?")
    return text.encode() if safe else b"=?base64?%b?=" % base64.b64encode(text.encode())


def request(method: str, meta: Mapping[str, Any] = META, id: Any = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": {**params, "_meta": dict(meta)}}


def call(name: str, meta: Mapping[str, Any] = META, id: Any = 1, **arguments: Any) -> dict[str, Any]:
    return request("tools/call", meta, id, name=name, arguments=arguments)


def headers(message: Any, *more: tuple[bytes, bytes]) -> list[tuple[bytes, bytes]]:
    """The headers that go with a message."""
    params = message["params"]
    fields = [
        (b"Host", b"127.0.0.1:8787"),
        (b"Content-Type", b"application/json"),
        (b"Accept", b"application/json, text/event-stream"),
        (b"MCP-Protocol-Version", encoded(params["_meta"][PREFIX + "protocolVersion"])),
        (b"Mcp-Method", message["method"].encode()),
    ]
    member = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}.get(message["method"])
    if member is not None:
        fields.append((b"Mcp-Name", encoded(params[member])))
    return [*fields, *more]


LOUD = {**META, "progressToken": "p", PREFIX + "logLevel": "debug"}
#: One valid request of each kind, with its headers beyond the usual ones.
VALID: list[tuple[dict[str, Any], list[tuple[bytes, bytes]]]] = [
    (request("server/discover"), []),
    (request("tools/list"), []),
    (call("probe", a=1, b=[None, {"c": "d"}]), []),
    (call("typed", message="hi", count=2, ratio=1.5, flags=["x"]), []),
    (
        call("routed", region="eu west", size=42, dry=True),
        [(b"Mcp-Param-Region", b"eu west"), (b"Mcp-Param-Size", b"42"), (b"Mcp-Param-Dry", b"true")],
    ),
    (call("chatty", LOUD), []),
    (call("asks"), []),
    (
        request(
            "tools/call",
            name="asks",
            arguments={},
            inputResponses={"name": {"action": "accept", "content": {"name": "n"}}},
        ),
        [],
    ),
    (call("crash"), []),
    (call(AWKWARD[0]), []),
    (call(AWKWARD[1]), []),
    (request("resources/list"), []),
    (request("resources/templates/list"), []),
    (request("resources/read", uri="probe://fixed"), []),
    (request("resources/read", uri="probe://item/7"), []),
    (request("prompts/list"), []),
    (request("prompts/get", name="greet", arguments={"who": "you"}), []),
    (
        request(
            "completion/complete",
            ref={"type": "ref/prompt", "name": "greet"},
            argument={"name": "tone", "value": "w"},
        ),
        [],
    ),
    (request("subscriptions/listen", notifications={"toolsListChanged": True}), []),
    (request("subscriptions/listen", notifications={}), []),
]


def body(message: Any) -> bytes:
    return json.dumps(message).encode()
