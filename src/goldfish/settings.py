"""What a deployment sets, in one table: a flag, a variable, the values it takes, a default and a line of help each.

Knows names and rules for values; `--help`, the README's table and the checks are all written from the table. Knows no
server, and imports none, so that `goldfish --help` answers at once.
"""

from __future__ import annotations

import argparse
import ipaddress
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

LOG_LEVELS: Final = ("debug", "info", "warning", "error")

_NAME: Final = r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])"
_ALLOWED_HOST: Final = re.compile(rf"\*|{_NAME}(?::[0-9]{{1,5}})?")
_ALLOWED_ORIGIN: Final = re.compile(rf"\*|https?://{_NAME}(?::(?:[0-9]{{1,5}}|\*))?/?", re.IGNORECASE)
_HOST: Final = re.compile(r"[A-Za-z0-9._-]+|[0-9A-Fa-f:.]+(?:%[A-Za-z0-9._-]+)?")
_STORE: Final = re.compile(r"memory:|sqlite:.+|rediss?://.+", re.DOTALL)
_KEY: Final = re.compile(r".{16,}", re.DOTALL)
_SWITCH: Final = {"1": True, "true": True, "0": False, "false": False}


class Usage(Exception):
    """A command line or a variable that says nothing we can do. Its text is one sentence for the reader."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the table sets, typed. Lists keep their order; `port` 0 lets the system choose."""

    host: str
    port: int
    allowed_hosts: tuple[str, ...]
    allowed_origins: tuple[str, ...]
    log_level: str
    quiet: bool
    workers: int
    store: str
    production: bool
    state_keys: tuple[str, ...]
    stdio: bool

    @property
    def public(self) -> bool:
        """Whether other machines can reach the address, as far as its spelling tells."""
        return not _is_loopback(self.host)


@dataclass(frozen=True, slots=True)
class Row:
    """One setting.

    parse      the text of a flag or a variable -> the value, or ValueError
    flag       empty for a secret, which a command line would show to everybody on the machine
    allowed    what the text must be, to go behind "must be"
    many       the flag may come again, and the variable holds a list with commas
    switch     the flag takes no value
    """

    field: str
    flag: str
    variable: str
    metavar: str
    default: Any
    parse: Callable[[str], Any]
    allowed: str
    help: str
    many: bool = False
    switch: bool = False

    def read(self, texts: Sequence[str], source: str) -> Any:
        values = []
        for text in texts:
            try:
                values.append(self.parse(text))
            except ValueError:
                shown = f", not {shorten(text)!r}" if self.flag else ""  # a secret is not for a terminal or a log
                raise Usage(f"{source} must be {self.allowed}{shown}") from None
        return tuple(values) if self.many else values[-1]

    @property
    def default_text(self) -> str:
        if self.default in ((), ""):
            return "none"
        return ("on" if self.default else "off") if self.switch else str(self.default)


def _host(text: str) -> str:
    bare = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    return _matching(_HOST)(bare)


def _port(text: str) -> int:
    if not re.fullmatch("[0-9]{1,5}", text) or int(text) > 65535:
        raise ValueError(text)
    return int(text)


def _workers(text: str) -> int:
    if not re.fullmatch("[0-9]{1,2}", text) or not 1 <= int(text) <= 64:
        raise ValueError(text)
    return int(text)


def _matching(pattern: re.Pattern[str]) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if not pattern.fullmatch(text):
            raise ValueError(text)
        return text

    return parse


def _one_of(values: Mapping[str, Any]) -> Callable[[str], Any]:
    def parse(text: str) -> Any:
        try:
            return values[text.lower()]
        except KeyError:
            raise ValueError(text) from None

    return parse


ROWS: Final = (
    Row(
        "host", "--host", "GOLDFISH_HOST", "HOST", "127.0.0.1", _host, "an address or a host name",
        "where to listen; one that other machines reach needs --allowed-host",
    ),
    Row(
        "port", "--port", "GOLDFISH_PORT", "PORT", 8787, _port, "a whole number from 0 to 65535",
        "the port to listen on; 0 takes a free one",
    ),
    Row(
        "allowed_hosts", "--allowed-host", "GOLDFISH_ALLOWED_HOST", "NAME", (), _matching(_ALLOWED_HOST),
        "a host such as example.com or example.com:8443, or *",
        "a Host header to serve beside loopback names: example.com, example.com:8443 or *",
        many=True,
    ),
    Row(
        "allowed_origins", "--allowed-origin", "GOLDFISH_ALLOWED_ORIGIN", "ORIGIN", (), _matching(_ALLOWED_ORIGIN),
        "an origin such as https://example.com or https://example.com:*, or *",
        "an Origin header to serve beside loopback ones: https://example.com, https://example.com:* or *",
        many=True,
    ),
    Row(
        "log_level", "--log-level", "GOLDFISH_LOG_LEVEL", "LEVEL", "info",
        _one_of({level: level for level in LOG_LEVELS}), "one of " + ", ".join(LOG_LEVELS),
        "the least that is logged to stderr: " + ", ".join(LOG_LEVELS) + "; a line per request is info",
    ),
    Row(
        "quiet", "--quiet", "GOLDFISH_QUIET", "", False, _one_of(_SWITCH), "1, true, 0 or false",
        "no line per request (the variable: 1, true, 0 or false)",
        switch=True,
    ),
    Row(
        "workers", "--workers", "GOLDFISH_WORKERS", "N", 1, _workers, "a whole number from 1 to 64",
        "how many processes serve, all on one listening socket",
    ),
    Row(
        "store", "--store", "GOLDFISH_STORE", "URL", "", _matching(_STORE),
        "memory:, sqlite:PATH or redis://HOST:PORT/DB",
        "where tasks and events live: memory: for one process, sqlite:PATH for the processes of one machine, "
        "redis://HOST:PORT/DB for many machines; left out, memory: for one worker and a private file for more",
    ),
    Row(
        "production", "--production", "GOLDFISH_PRODUCTION", "", False, _one_of(_SWITCH), "1, true, 0 or false",
        "refuse to start with the public demo key: GOLDFISH_STATE_KEYS must be set",
        switch=True,
    ),
    Row(
        "state_keys", "", "GOLDFISH_STATE_KEYS", "KEYS", (), _matching(_KEY),
        "keys of 16 characters or more, with commas between them",
        "secrets that seal requestState and task ids: the first seals, all open",
        many=True,
    ),
    Row(
        "stdio", "--stdio", "GOLDFISH_STDIO", "", False, _one_of(_SWITCH), "1, true, 0 or false",
        "serve standard input and output instead of a port, strictly; logs go to stderr",
        switch=True,
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Command:
    """What a command line asks for: help, the version, or to serve with these settings."""

    show: str | None
    settings: Settings | None


def read(arguments: Sequence[str], environment: Mapping[str, str]) -> Command:
    """The command of these arguments; a flag wins over its variable, which wins over the default.

    An empty variable counts as unset. Raises Usage for whatever cannot be followed.
    """
    given = vars(_parser().parse_args(list(arguments)))
    for show in ("help", "version"):
        if given[show]:
            return Command(show, None)
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for row in ROWS:
        flags: list[str] | None = given.get(row.field)
        variable = environment.get(row.variable, "")
        sources[row.field] = row.flag if flags else row.variable
        if flags:
            values[row.field] = row.read(flags, row.flag)
        elif variable.strip():
            values[row.field] = row.read(_split(variable, row.many), row.variable)
        else:
            values[row.field] = row.default
    settings = Settings(**values)
    if settings.public and not settings.allowed_hosts:
        raise Usage(
            f"{sources['host']} {shorten(settings.host)} can be reached from other machines: name the host that "
            "clients use with --allowed-host (GOLDFISH_ALLOWED_HOST), for example --allowed-host mcp.example.com"
        )
    if settings.workers > 1 and settings.store == "memory:":
        raise Usage("--store memory: serves one process alone: leave it out, or choose sqlite:PATH or redis://...")
    if settings.workers > 1 and settings.stdio:
        raise Usage("--stdio serves from one process: leave --workers out")
    if settings.production and not settings.state_keys:
        raise Usage("--production needs GOLDFISH_STATE_KEYS: one or more secrets of 16 characters, with commas between")
    return Command(None, settings)


def _split(text: str, many: bool) -> list[str]:
    parts = text.split(",") if many else [text]
    return [part.strip() for part in parts if part.strip()] or [text]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise Usage(f"{message[:1].lower()}{message[1:]}; goldfish --help lists what there is")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="goldfish", add_help=False, allow_abbrev=False)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("--version", action="store_true")
    for row in ROWS:
        if not row.flag:
            continue
        if row.switch:
            parser.add_argument(row.flag, dest=row.field, action="append_const", const="1")
        else:
            parser.add_argument(row.flag, dest=row.field, action="append", metavar=row.metavar)
    return parser


def help_text() -> str:
    """What `goldfish --help` prints: every flag, its variable and its default."""
    lines = [
        "usage: goldfish [flags]",
        "",
        "Starts the reference server for the Model Context Protocol 2026-07-28. Says on stdout where it",
        "listens, logs to stderr, and ends open streams with their result on SIGINT or SIGTERM.",
        "",
        "flags (each is a variable too; a flag wins over its variable):",
    ]
    for row in ROWS:
        repeat = "; may be repeated, the variable takes commas" if row.many else ""
        lines += [
            f"  {row.flag or row.variable} {row.metavar}".rstrip(),
            f"      {row.help}",
            f"      {row.variable}, default: {row.default_text}{repeat}",
        ]
    lines += [
        "  --version",
        "      the version, and nothing else",
        "  -h, --help",
        "      this text, and nothing else",
        "",
        "examples:",
        "  goldfish --port 9000 --log-level debug",
        "  goldfish --host 0.0.0.0 --allowed-host mcp.example.com --allowed-origin https://app.example.com",
        "",
    ]
    return "\n".join(lines)


def markdown() -> str:
    """The table for a README."""
    head = "| flag | variable | default | what it sets |\n|---|---|---|---|\n"
    rows = []
    for row in ROWS:
        flag = f"{row.flag} {row.metavar}".strip() if row.flag else ""
        repeat = " (may be repeated; the variable takes commas)" if row.many else ""
        flag = f"`{flag}`" if flag else ""
        rows.append(f"| {flag} | `{row.variable}` | {row.default_text} | {row.help.replace('*', '`*`')}{repeat} |")
    return head + "\n".join(rows) + "\n"


def shorten(text: str, limit: int = 60) -> str:
    """Text for a message: no longer than `limit` characters."""
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _is_loopback(host: str) -> bool:
    # A name other than localhost may resolve to any address, so it counts as public.
    if host.lower() == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback
