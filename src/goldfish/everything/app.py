"""The reference server as an ASGI application: both endpoints, the page, and a line for health checks.

Knows the features and which profile belongs at which path; knows no feature's content, no port and no process.
"""

import asyncio
from collections.abc import Callable, Sequence

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Match, Route, Router
from starlette.types import Receive, Scope, Send

from goldfish import RELAXED, STRICT, Guard, Hints, Report, Server, Unavailable, __version__
from goldfish.everything import conformance, page
from goldfish.everything.catalog import MODULES
from goldfish.everything.endpoints import CONFORMANCE_PATH, RELAXED_PATH, STRICT_PATH

TITLE = "Goldfish reference server"

DEMO_STATE_KEY = b"goldfish: a public key, for demonstrations only"
"""Signs the requestState of the reference server. It is public on purpose, so that a retry opens on any instance and
in any demonstration; whoever relies on a signature sets keys of their own."""

INSTRUCTIONS = (
    "Every tool, resource and prompt of this server shows one feature of the Model Context Protocol 2026-07-28, and "
    "nothing here does real work. Begin with the tool echo. Tools that ask (ask-name, confirm-launch, open-dashboard, "
    "summarize, list-client-roots) answer with input requests; never-satisfied never stops asking."
)


def create_server(state_keys: Sequence[bytes] = (DEMO_STATE_KEY,), store: str = "memory:") -> Server:
    """The server with every feature registered, in the order of the feature map."""
    server = Server(
        "goldfish",
        __version__,
        title=TITLE,
        instructions=INSTRUCTIONS,
        list_hints=Hints(300_000, "public"),
        read_hints=Hints(60_000, "private"),
        state_keys=state_keys,
        store=store,
    )
    for _, modules in MODULES:
        for module in modules:
            module.register(server)
    return server


class Application:
    """An ASGI application that serves exactly six paths; any other is not found."""

    def __init__(
        self, server: Server, fixtures: Server, guard: Guard, observe: Callable[[Report], None] | None
    ) -> None:
        self.server = server
        self._fixtures = fixtures
        self._app = Router(
            [
                _ExactRoute(RELAXED_PATH, server.endpoint(RELAXED, guard, observe)),
                _ExactRoute(STRICT_PATH, server.endpoint(STRICT, guard, observe)),
                _ExactRoute(CONFORMANCE_PATH, fixtures.endpoint(STRICT, guard, observe)),
                _ExactRoute("/", _show_page),
                _ExactRoute("/healthz", _answer_health),
                _ExactRoute("/readyz", self._answer_ready),
            ],
            redirect_slashes=False,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)

    async def _answer_ready(self, _: Request) -> PlainTextResponse:
        """Whether this process can do its work: 503 while its store cannot be reached."""
        try:
            await self.server.start()
            await self.server.ready()
        except Unavailable:
            return PlainTextResponse("the store cannot be reached\n", status_code=503)
        return PlainTextResponse("ready\n")

    async def close(self, grace: float = 1.0) -> None:
        """Ends open streams with their result, and running calls within `grace` seconds."""
        await asyncio.gather(self.server.close(grace), self._fixtures.close(grace))


def build(
    *,
    guard: Guard | None = None,
    observe: Callable[[Report], None] | None = None,
    state_keys: Sequence[bytes] = (DEMO_STATE_KEY,),
    store: str = "memory:",
) -> Application:
    """The application. `observe` is told of every MCP request when it has ended."""
    fixtures = conformance.create_server(store, tuple(state_keys))
    return Application(create_server(state_keys, store), fixtures, guard or Guard(), observe)


class _ExactRoute(Route):
    """A route for its path alone: the pattern of a plain one also takes that path with a line break behind it."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        return (Match.NONE, {}) if scope.get("path", "").endswith("\n") else super().matches(scope)


async def _show_page(request: Request) -> HTMLResponse:
    base = page.base_url(request.scope.get("scheme", "http"), request.headers.get("host", ""))
    return HTMLResponse(page.render(base, TITLE, __version__), headers=page.HEADERS)


async def _answer_health(_: Request) -> PlainTextResponse:
    """Whether this process is up."""
    return PlainTextResponse("ok\n")
