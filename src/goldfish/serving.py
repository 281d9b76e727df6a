"""Runs an ASGI application on uvicorn until a signal, and ends it in time whatever is open.

Knows uvicorn 0.54, sockets and signals; knows nothing of the protocol that the application speaks.

uvicorn by itself waits for ever behind an open response, tells the application that it stops only afterwards, and then
raises the signal again, so that the status is never 0. Here the application is told first, connections that hold out
are cut, and the status is 0.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import re
import signal
import socket
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

App = Callable[[Any, Any, Any], Awaitable[None]]
Close = Callable[[float], Awaitable[None]]

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
GRACE: Final = 1.0  # seconds that running calls have to end by themselves
SETTLE: Final = 0.5  # seconds in which the last frames may leave before connections are cut
LIMIT: Final = 2.5  # seconds from the first signal to the end of the process, whatever hangs
KEEP_ALIVE: Final = 65  # seconds an idle connection stays; longer than the pools of common clients and balancers
MAX_HEAD: Final = 64 * 1024  # bytes of request line and header fields
HALF_CLOSED: Final = 0.2  # seconds a client that has closed its side is still answered
BACKLOG: Final = 2048

logger = logging.getLogger("goldfish")

_UPGRADE: Final = re.compile(rb"\r\nupgrade:", re.IGNORECASE)
_REFUSED: Final = {
    errno.EADDRINUSE: "port {port} on {host} is taken: choose another with --port",
    errno.EACCES: "port {port} on {host} needs privileges that this process lacks: choose one above 1023 with --port",
    errno.EPERM: "port {port} on {host} needs privileges that this process lacks: choose one above 1023 with --port",
    errno.EADDRNOTAVAIL: "host {host} is no address of this machine: choose another with --host",
    errno.EAFNOSUPPORT: "host {host} is of an address family that this machine lacks: choose another with --host",
}
_UNRESOLVED: Final = "host {host} cannot be resolved: choose another with --host"
_ABSENT: Final = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


class CannotListen(Exception):
    """There is no listening on this host and port. Its text is one sentence that says what to change."""


def listen(host: str, port: int) -> list[socket.socket]:
    """Listening sockets on every address of `host`, all on one port; port 0 takes a free one.

    A name may stand for IPv4 and IPv6 addresses at once, of which those that this machine lacks are passed over; `::`
    takes IPv4 connections too. Raises CannotListen.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise CannotListen(_UNRESOLVED.format(host=host)) from None
    places = list(dict.fromkeys((family, address) for family, _, _, _, address in found))
    for attempt in range(8 if port == 0 else 1, 0, -1):
        try:
            return _bind(places)
        except OSError as error:
            # A free port of the first address may be taken on the second: take another.
            if attempt > 1 and error.errno == errno.EADDRINUSE:
                continue
            text = _REFUSED.get(error.errno or 0, "cannot listen on {host}, port {port}: {reason}")
            raise CannotListen(text.format(host=host, port=port, reason=error.strerror)) from None
    raise AssertionError("unreachable")


def _bind(places: Sequence[tuple[socket.AddressFamily, Any]]) -> list[socket.socket]:
    sockets: list[socket.socket] = []
    absent: OSError | None = None
    try:
        for family, (host, port, *rest) in places:
            if sockets and port == 0:
                port = sockets[0].getsockname()[1]
            try:
                sockets.append(_listener(family, (host, port, *rest)))
            except OSError as error:
                if error.errno not in _ABSENT:
                    raise
                absent = error
        if absent is not None and not sockets:
            raise absent
    except OSError:
        for listener in sockets:
            listener.close()
        raise
    return sockets


def _listener(family: socket.AddressFamily, address: Any) -> socket.socket:
    # With the protocol left out, event loops take the connections for no TCP and leave Nagle's algorithm on, which
    # costs 40 ms wherever an answer leaves in two writes.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # elsewhere the option lets two servers share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, int(address[0] != "::"))
        listener.bind(address)
        listener.listen(BACKLOG)
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener


def base_url(host: str, port: int) -> str:
    """`http://HOST:PORT`, an IPv6 address in brackets."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run(
    app: App,
    *,
    host: str = "127.0.0.1",
    port: int = 8787,
    sockets: Sequence[socket.socket] | None = None,
    close: Close | None = None,
    on_ready: Callable[[str], None] | None = None,
    log_level: str = "warning",
) -> int:
    """Serves `app` until SIGINT or SIGTERM and returns the status to exit with: 0, or 1 when it could not serve.

    `sockets` are listening already and stand for `host` and `port`, which then only name them. `on_ready` is told the
    base URL once connections are answered. On a signal `close(grace)` is awaited while no new connection is taken; it
    has `grace` seconds to end what is open. What then still holds out is cut, and LIMIT seconds after the first signal
    the process ends with status 0 even if its event loop or a thread is blocked: run is the last thing a process does.
    A second signal ends it at once, with 128 and the signal's number as its status.
    """
    try:
        listeners = list(sockets) if sockets is not None else listen(host, port)
    except CannotListen as error:
        print(error, file=sys.stderr)
        return 1
    url = base_url(host, listeners[0].getsockname()[1])
    config = uvicorn.Config(
        app,
        loop="auto",  # uvloop wherever it exists
        http=_Connection,
        ws="none",
        lifespan="auto",
        log_config=None,
        log_level=log_level,
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE,
        backlog=BACKLOG,
    )
    server = _Server(config, close, (lambda: on_ready(url)) if on_ready is not None else None)
    with _signals(server.stop):
        try:
            with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
                runner.run(server.serve(listeners))
        except SystemExit:  # the application's lifespan failed to start, which uvicorn has logged
            return 1
    return 0


@contextlib.contextmanager
def _signals(stop: Callable[[], None]) -> Iterator[None]:
    """Calls `stop` on the first signal and ends the process on the second, or LIMIT seconds after the first."""
    # A pipe, since a handler may interrupt whoever holds a lock; a thread, since the event loop may be blocked.
    wait_end, signal_end = os.pipe()
    came: list[int] = []

    def watch() -> None:
        with open(wait_end, "rb", buffering=0) as pipe:
            if pipe.read(1):
                time.sleep(LIMIT)
                os._exit(0)

    def handle(number: int, _: object) -> None:
        if came:
            os._exit(128 + number)
        came.append(number)
        os.write(signal_end, b"!")
        stop()

    threading.Thread(target=watch, name="goldfish-deadline", daemon=True).start()
    before = {number: signal.signal(number, handle) for number in SIGNALS}
    try:
        yield
    finally:
        # After a signal the handler and the thread stay: they also guard the end of the interpreter, which waits for
        # every thread of the application.
        if not came:
            for number, handler in before.items():
                signal.signal(number, handler)
            os.close(signal_end)


class _Server(uvicorn.Server):
    """uvicorn's server with its signals taken away and its end turned round: the application is told first."""

    def __init__(self, config: uvicorn.Config, close: Close | None, on_ready: Callable[[], None] | None) -> None:
        super().__init__(config)
        self._close = close
        self._on_ready = on_ready
        self._stopped_at = 0.0

    def stop(self) -> None:
        """Begins the end. Safe in a signal handler."""
        self._stopped_at = time.monotonic()
        self.should_exit = True

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield  # uvicorn would raise each captured signal again after serving

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._on_ready is not None and not self.should_exit:
            self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        for listener in sockets or ():
            listener.close()
        # The loop may have been blocked since the signal came: what is left of the time is shared out.
        await self._tell_application(max(0.0, min(GRACE, self._left() - 1.2)))
        await self._until(lambda: not self.server_state.connections, SETTLE)
        await self._cut()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.lifespan.shutdown(), max(0.2, self._left() - 0.2))

    def _left(self) -> float:
        """Seconds until the process is ended from outside."""
        return LIMIT - (time.monotonic() - self._stopped_at) if self._stopped_at else LIMIT

    async def _tell_application(self, grace: float) -> None:
        if self._close is None:
            await self._until(lambda: not self.server_state.connections, grace)
            return
        closing = asyncio.ensure_future(self._close(grace))
        # An answer may take a moment longer than the grace: cancelling, then encoding an error.
        await self._until(closing.done, grace + 0.3)
        if not closing.done():
            closing.cancel()
        elif not closing.cancelled() and (error := closing.exception()) is not None:
            logger.error("the application failed to close", exc_info=error)

    async def _cut(self) -> None:
        """Drops the connections that hold out: a request that never ends, a reader that takes nothing."""
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        tasks = self.server_state.tasks
        await self._until(lambda: not tasks, 0.2)
        if tasks:
            logger.warning("cut off %d running request(s)", len(tasks))
            # uvicorn would log a traceback for each
            logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
            for task in list(tasks):
                task.cancel()
            await asyncio.wait(list(tasks), timeout=0.1)

    async def _until(self, done: Callable[[], bool], seconds: float) -> None:
        """Waits for a condition, and lets go of each connection as soon as its answer is out."""
        deadline = time.monotonic() + seconds
        while True:
            # Again each time: a connection may have been accepted just before the listener closed.
            for connection in list(self.server_state.connections):
                connection.shutdown()
            if done() or time.monotonic() > deadline:
                return
            await asyncio.sleep(0.02)


class _Connection(HttpToolsProtocol):
    """uvicorn's HTTP/1.1 connection, with a bound on the header block, and less literal about how clients behave."""

    _head = 0  # bytes of the request line and the header fields so far
    _unread = 0  # bytes since the parser last came to the end of something
    _in_head = True

    def data_received(self, data: bytes) -> None:
        self._unread += len(data)
        if self._in_head and (b"pgrade:" in data or b"PGRADE:" in data):
            data = _without_upgrade(data)
        super().data_received(data)
        if self._unread > MAX_HEAD and not self.transport.is_closing():
            self._head = self._unread
            self.send_400_response("")

    def on_message_begin(self) -> None:
        self._head = self._unread = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self._measure(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._measure(len(name) + len(value) + 4)
        # What comes behind the body is a trailer, which uvicorn would take for a header field (RFC 9110 6.5.1).
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if self.parser.should_upgrade():  # CONNECT, or an offer that came in pieces: the body would be lost in silence
            raise ValueError("no other protocol is served")
        self._in_head = False
        self._unread = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._unread = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unread = 0
        self._in_head = True
        super().on_message_complete()

    def _measure(self, size: int) -> None:
        self._head += size
        if self._head > MAX_HEAD:
            raise ValueError("the header block is too large")  # the parser fails, and send_400_response is called

    def send_400_response(self, msg: str) -> None:
        """Refuses what is no HTTP, or too much of it, but never in the midst of another answer."""
        if self.cycle is not None and not self.cycle.response_complete:
            if self.cycle.response_started:
                self.transport.close()
                return
            if not self.cycle.more_body:  # a whole request came before, and is answered yet
                self.cycle.keep_alive = False
                return
        status, text = 400, b"The request is not valid HTTP/1.1\n"
        if self._head > MAX_HEAD:
            status, text = 431, b"The header block is larger than %d bytes\n" % MAX_HEAD
        fields = (b"content-type: text/plain; charset=utf-8", b"content-length: %d" % len(text), b"connection: close")
        self.transport.write(STATUS_LINE[status] + b"\r\n".join(fields) + b"\r\n\r\n" + text)
        self.transport.close()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Whether to keep the connection, now that the client has closed its side.

        A client that has left looks the same, and must be noticed: what is not answered in a moment is dropped.
        """
        if self.cycle is None or self.cycle.response_complete or self.cycle.more_body:
            return False
        self.cycle.keep_alive = False
        self.loop.call_later(HALF_CLOSED, self.transport.close)
        return True


def _without_upgrade(data: bytes) -> bytes:
    """A request without its offer to change the protocol, which a server may ignore (RFC 9110 7.8).

    httptools drops the body of a request that carries one, and Java's HTTP client offers h2c with every request.
    """
    head, end, rest = data.partition(b"\r\n\r\n")
    return _UPGRADE.sub(b"\r\nIgnored:", head) + end + rest
