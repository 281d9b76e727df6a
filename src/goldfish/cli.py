"""The command `goldfish`: the reference server, from settings to exit status.

Knows what to print and log, and where; knows no feature and no HTTP. Everything that serves is imported only to serve,
so that `--help` and `--version` answer at once.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TextIO

from goldfish import settings
from goldfish.version import __version__

if TYPE_CHECKING:
    import socket

    from goldfish.everything.app import Application
    from goldfish.settings import Settings
    from goldfish.transports.asgi import Report

OK: Final = 0
FAILED: Final = 1
USAGE: Final = 2
INTERRUPTED: Final = 130

NAME_LENGTH: Final = 80
PUBLIC_KEY: Final = (
    "the reference server seals its state with a public demo key, which everybody can forge: "
    "it must not guard anything real"
)
_ANYWHERE: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}
_UVICORN_LEVEL: Final = {"debug": "debug", "info": "warning", "warning": "warning", "error": "error"}


def main(argv: list[str] | None = None) -> int:
    """Runs the command and returns its exit status: 0 served or shown, 1 could not serve, 2 a setting is wrong.

    `argv` are the arguments behind the command's name; left out, those of the process.
    """
    try:
        command = settings.read(sys.argv[1:] if argv is None else argv, os.environ)
    except settings.Usage as usage:
        _tell(f"goldfish: {usage}")
        return USAGE
    if command.settings is None:
        _say(settings.help_text() if command.show == "help" else f"goldfish {__version__}\n")
        return OK
    try:
        return _serve(command.settings)
    except KeyboardInterrupt:  # before the signals were taken over
        return INTERRUPTED
    finally:  # what was left behind for a reader that has gone would turn the exit status into 120
        _write(sys.stdout, "")
        _write(sys.stderr, "")


def _serve(chosen: Settings) -> int:
    if chosen.stdio:
        return _serve_stdio(chosen)
    from goldfish import serving

    try:
        sockets = serving.listen(chosen.host, chosen.port)
    except serving.CannotListen as refusal:
        _tell(f"goldfish: {refusal}")
        return FAILED
    _configure_logging(chosen.log_level)
    if chosen.public and not chosen.state_keys:
        logging.getLogger("goldfish").warning(PUBLIC_KEY)
    try:
        _check_store(chosen)
    except (ValueError, ImportError) as refusal:
        _tell(f"goldfish: {refusal}")
        return USAGE
    base = serving.base_url(chosen.host, sockets[0].getsockname()[1])
    if chosen.workers == 1:
        return _serve_here(chosen, chosen.store or "memory:", sockets, lambda: _say(banner(base)))
    return _serve_in_workers(chosen, sockets, lambda: _say(banner(base)))


def _check_store(chosen: Settings) -> None:
    """Raises for a store that can never work: a package that is missing, a folder that does not exist."""
    scheme, _, path = chosen.store.partition(":")
    folder = os.path.dirname(os.path.abspath(os.path.expanduser(path)))
    if scheme == "sqlite" and not os.path.isdir(folder):
        raise ValueError(f"--store {chosen.store}: the folder {folder} does not exist: make it, or choose another path")
    if chosen.store:
        _application(chosen, chosen.store)


def _serve_stdio(chosen: Settings) -> int:
    from goldfish.everything.app import create_server

    _configure_logging(chosen.log_level)
    create_server(_keys(chosen), chosen.store or "memory:").run_stdio()
    return OK


def _serve_here(chosen: Settings, store: str, sockets: list[socket.socket], ready: Callable[[], None]) -> int:
    from goldfish import serving

    try:
        application = _application(chosen, store)
    except ValueError as refusal:
        _tell(f"goldfish: {refusal}")
        return FAILED
    return serving.run(
        application,
        host=chosen.host,
        sockets=sockets,
        close=application.close,
        on_ready=lambda base: ready(),
        log_level=_UVICORN_LEVEL[chosen.log_level],
    )


def _serve_in_workers(chosen: Settings, sockets: list[socket.socket], ready: Callable[[], None]) -> int:
    import goldfish.everything.app
    import goldfish.serving
    from goldfish import workers

    # Imported before the workers are made, so that they share the memory.
    assert goldfish.everything.app and goldfish.serving
    with contextlib.ExitStack() as stack:
        store = chosen.store
        if not store:  # private: what it holds ends with this command
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="goldfish-", ignore_cleanup_errors=True))
            store = f"sqlite:{folder}/store.db"
        return workers.supervise(chosen.workers, lambda tell: _serve_here(chosen, store, sockets, tell), ready)


def _application(chosen: Settings, store: str) -> Application:
    from goldfish import Guard
    from goldfish.everything.app import build

    bound = f"[{chosen.host}]" if ":" in chosen.host else chosen.host
    guard = Guard(allowed_hosts=(bound, *chosen.allowed_hosts), allowed_origins=chosen.allowed_origins)
    logs = not chosen.quiet and chosen.log_level in ("debug", "info")
    observe = RequestLog(sys.stderr) if logs else None
    return build(guard=guard, observe=observe, state_keys=_keys(chosen), store=store)


def _keys(chosen: Settings) -> tuple[bytes, ...]:
    from goldfish.everything.app import DEMO_STATE_KEY

    return tuple(key.encode() for key in chosen.state_keys) or (DEMO_STATE_KEY,)


def banner(base: str) -> str:
    """What the command prints when it answers. The first line carries the base URL, for scripts to read."""
    from goldfish.everything import curl, endpoints

    reach = base
    for anywhere, here in _ANYWHERE.items():
        reach = reach.replace(f"//{anywhere}:", f"//{here}:").replace(f"//[{anywhere}]:", f"//[{here}]:")
    places = {
        endpoints.RELAXED_PATH: "takes the curl lines of the page as they stand",
        endpoints.STRICT_PATH: "the specification to the letter",
        "/": "the page: every feature, with a line to paste",
    }
    width = max(map(len, places))
    lines = curl.request(
        "tools/call",
        {"name": "echo", "arguments": {"message": "hi"}},
        change={"MCP-Protocol-Version": curl.VERSION},
    ).replace(curl.BASE, reach)
    return "\n".join(
        [
            f"goldfish {__version__}: the MCP {curl.VERSION} reference server at {base}",
            *(f"  {reach}{path:{width}}  {purpose}" for path, purpose in places.items()),
            "try:",
            "  " + lines.replace(" \\\n  ", " ").replace("\n  ", ""),
            "",
        ]
    )


class RequestLog:
    """Writes a line per request: time, method, name, status, JSON-RPC error code, milliseconds.

    Methods and names come from clients: what does not print is escaped, so that nobody forges a line or a column.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self._colour = stream is not None and stream.isatty() and "NO_COLOR" not in os.environ

    def __call__(self, report: Report) -> None:
        if self._stream is None:
            return
        try:
            self._stream.write(self._line(report))
            self._stream.flush()
        except (OSError, ValueError):  # nobody reads any more, which is no reason to stop serving
            self._stream = None

    def _line(self, report: Report) -> str:
        name = "-" if report.name is None else visible(report.name)
        code = "-" if report.code is None else str(report.code)
        status = f"{report.status:3}"
        if self._colour:
            status = f"\x1b[{32 if report.status < 400 else 33 if report.status < 500 else 31}m{status}\x1b[0m"
        return f"{_clock()}  {visible(report.method):24}  {name:24}  {status}  {code:>6}  {report.ms:9.1f} ms\n"


def visible(text: str, limit: int = NAME_LENGTH) -> str:
    """A client's text on one line and in one column: printable characters alone, at most `limit` of them.

    Whatever has a blank, a quote, a backslash or an unprintable character is quoted and escaped.
    """
    start = text[:limit]
    if start and start.isprintable() and not any(sign in start for sign in ' "\\'):
        return start if start == text else start[:-3] + "..."
    pieces = ['"', *map(_escaped, start), '"']
    if len(text) > limit or sum(map(len, pieces)) > limit:
        pieces[-1] = '..."'
        while sum(map(len, pieces)) > limit:
            del pieces[-2]
    return "".join(pieces)


def _escaped(sign: str) -> str:
    if sign in '"\\':
        return "\\" + sign
    # unicode_escape writes \n, \x1b and \u202e
    return sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii")


class _Lines(logging.Formatter):
    """A record as one line that holds nothing unprintable; the lines of a traceback are marked, each at its start."""

    def format(self, record: logging.LogRecord) -> str:
        message = "".join(map(_escape_alone, record.getMessage()))
        lines = [f"{_clock()}  {record.levelname.lower()}: {message}"]
        if record.exc_info:
            lines += self.formatException(record.exc_info).splitlines()
        return "\n  | ".join(lines)


def _escape_alone(sign: str) -> str:
    return sign if sign.isprintable() else _escaped(sign)


def _configure_logging(level: str) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Lines())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    logging.raiseExceptions = False  # a reader of stderr that has gone is nobody's error


def _clock() -> str:
    return time.strftime("%H:%M:%S")


def _say(text: str) -> None:
    _write(sys.stdout, text)


def _tell(text: str) -> None:
    _write(sys.stderr, text + "\n")


def _write(stream: TextIO | None, text: str) -> None:
    """Writes and flushes, whether or not somebody reads; a stream that was closed at start is None."""
    if stream is None:
        return
    try:
        stream.write(text)
        stream.flush()
    except OSError:
        # What stays in the buffer would fail again, noisily, when the interpreter ends.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
