"""What is refused before a body is read: foreign Host or Origin, other verbs, other media types.

Knows HTTP field values and the lists that a deployment sets. Knows no JSON and no method. Judgements about a field's
value are remembered, since clients repeat themselves; the memory is bounded.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

#: Bytes. No host, origin or list of media types comes near it; a longer value is refused, since what is judged is
#: remembered.
MAX_VALUE: Final = 2048
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})


@dataclass(frozen=True, slots=True)
class Guard:
    """Who may reach an endpoint, and how much they may send.

    allowed_hosts     names a Host header may carry beside the loopback ones: `example.com` for any port,
                      `example.com:8443` for one, `*` for everything
    allowed_origins   origins a browser may send beside those of loopback: `https://example.com`,
                      `https://example.com:*` for any port, `*` for everything
    max_body          bytes; a longer body is answered with 413
    keep_alive        seconds of silence after which a stream gets a comment line (HTTP-19)
    """

    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    max_body: int = 4 * 1024 * 1024
    keep_alive: float = 15.0


@dataclass(frozen=True, slots=True)
class Turned:
    """A refusal below JSON-RPC: a status and a line of text, or no body at all (RPC-20)."""

    status: int
    text: str = ""
    headers: tuple[tuple[bytes, bytes], ...] = ()


def turn_away(guard: Guard, verb: str, headers: Mapping[bytes, bytes], repeated: Collection[bytes]) -> Turned | None:
    """Why this request is not for the endpoint, or None."""
    host, origin = headers.get(b"host"), headers.get(b"origin")
    if host is not None and (_is_long(host) or b"host" in repeated or not host_allowed(host, guard.allowed_hosts)):
        return Turned(421, f"Host {_shown(host)} is not served here; allow it in the list of hosts\n")
    if origin is not None and (
        _is_long(origin) or b"origin" in repeated or not origin_allowed(origin, guard.allowed_origins)
    ):
        return Turned(403, f"Origin {_shown(origin)} is not allowed here; allow it in the list of origins\n")  # HTTP-03
    if verb != "POST":
        return Turned(405, headers=((b"allow", b"POST"),))  # HTTP-02
    media = headers.get(b"content-type", b"")
    if _is_long(media) or not is_json(media):
        return Turned(415, "Content-Type must be application/json\n")  # HTTP-09
    if headers.get(b"content-encoding", b"identity").strip().lower() != b"identity":
        return Turned(415, "Content-Encoding is not supported, send the body as it is\n")
    ranges = headers.get(b"accept", b"*/*")
    if _is_long(ranges) or not (accepts(ranges).json or accepts(ranges).stream):
        return Turned(406, "Accept must allow application/json and text/event-stream\n")
    length = headers.get(b"content-length", b"0")
    if length.isdigit() and (len(length) > 18 or int(length) > guard.max_body):
        return too_large(guard)
    return None


def too_large(guard: Guard) -> Turned:
    return Turned(413, f"The body is larger than {guard.max_body} bytes\n", ((b"connection", b"close"),))


def _is_long(value: bytes) -> bool:
    return len(value) > MAX_VALUE


def _shown(raw: bytes) -> str:
    return repr(raw[:100].decode("latin-1"))


@lru_cache(maxsize=1024)
def host_allowed(raw: bytes, allowed: tuple[str, ...]) -> bool:
    """Whether a Host value is one of ours; its port is free unless the list names one."""
    host = raw.strip(b" \t").decode("latin-1").lower()
    name, port = _split_port(host)
    if name is None:
        return False
    if name in LOOPBACK or _is_loopback(name):
        return True
    return any(entry == "*" or entry.lower() in (name, f"{name}:{port}") for entry in allowed)


def _is_loopback(name: str) -> bool:
    """127.0.0.0/8 and ::1 in any spelling: no name to rebind, so no way in for a foreign page."""
    try:
        return ipaddress.ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False


def _split_port(host: str) -> tuple[str | None, str]:
    """The name, and the port or ''; None where the value is no host."""
    name, colon, port = host.rpartition(":")
    if not colon or host.endswith("]"):
        name, port = host, ""
    if not name or (colon and port and not port.isdigit()) or any(sign in name for sign in "/@?# ,"):
        return None, ""
    if ":" in name and not (name.startswith("[") and name.endswith("]")):
        return None, ""
    return name, port


@lru_cache(maxsize=1024)
def origin_allowed(raw: bytes, allowed: tuple[str, ...]) -> bool:
    """Whether an Origin may call: `null` and look-alikes of a loopback name may not (HTTP-04)."""
    origin = raw.strip(b" \t").decode("latin-1").lower()
    if "*" in allowed:
        return True
    try:
        parts = urlsplit(origin)
        port = parts.port
    except ValueError:
        return False
    if parts.scheme not in ("http", "https") or not parts.hostname or origin != f"{parts.scheme}://{parts.netloc}":
        return False
    if "@" in parts.netloc:
        return False
    name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    if name in LOOPBACK or _is_loopback(name):
        return True
    base = f"{parts.scheme}://{name}"
    exact = base if port is None else f"{base}:{port}"
    return any(entry.lower().rstrip("/") in (exact, f"{base}:*") for entry in allowed)


@lru_cache(maxsize=256)
def is_json(raw: bytes) -> bool:
    """application/json in any case, parameters allowed (HTTP-09)."""
    return raw.split(b";", 1)[0].strip(b" \t").lower() == b"application/json"


@dataclass(frozen=True, slots=True)
class Accepted:
    json: bool
    stream: bool


@lru_cache(maxsize=256)
def accepts(raw: bytes) -> Accepted:
    """What an Accept value allows: the most specific range decides, q=0 forbids (HTTP-08, RFC 9110 12.5.1)."""
    ranges: dict[str, float] = {}
    for part in raw.decode("latin-1").lower().split(","):
        media, *parameters = (piece.strip() for piece in part.split(";"))
        if media:
            ranges[media] = max(_quality(parameters), ranges.get(media, 0.0))
    return Accepted(
        json=_allowed(ranges, "application/json", "application/*"),
        stream=_allowed(ranges, "text/event-stream", "text/*"),
    )


def _allowed(ranges: Mapping[str, float], exact: str, kind: str) -> bool:
    return next((ranges[name] for name in (exact, kind, "*/*") if name in ranges), 0.0) > 0


def _quality(parameters: list[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0
