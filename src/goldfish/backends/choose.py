"""From one URL to a back-end.

Knows the schemes. Imports a back-end with the first URL that names it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from goldfish.ports import Backend


def open_backend(url: str) -> Backend:
    """The back-end of `url`: nothing is opened or connected yet.

    memory:                                         one process; gone with it
    sqlite:PATH                                     every process of one machine; PATH on a local disk
    redis://[[USER]:PASSWORD@]HOST[:PORT][/DB]      any number of machines; rediss:// with TLS. `?prefix=` names the
                                                    beginning of every key, `goldfish:` by default

    Raises ValueError for any other URL, and ImportError when the package that the scheme needs is not installed.
    """
    scheme, colon, rest = url.partition(":")
    opener = _OPENERS.get(scheme) if colon else None
    if opener is None:
        # Not the URL itself: it may have a password in it.
        raise ValueError(
            f"a back-end's URL must be memory:, sqlite:PATH or redis://HOST:PORT/DB, not {scheme[:20]!r}..."
        )
    return opener(url, rest)


def _memory(url: str, rest: str) -> Backend:
    if rest:
        raise ValueError(f"a back-end's URL must be memory: with nothing behind it, not {rest[:40]!r}")
    from goldfish.backends.memory import MemoryBackend

    return MemoryBackend()


def _sqlite(url: str, rest: str) -> Backend:
    path = "/" + rest.lstrip("/") if rest.startswith("//") else rest
    if path in ("", "/") or path.startswith(":"):
        raise ValueError(f"a back-end's URL must be sqlite:PATH with the path of a file, not {url[:40]!r}")
    from goldfish.backends.sqlite import SqliteBackend

    return SqliteBackend(path)


def _redis(url: str, rest: str) -> Backend:
    if not rest.startswith("//"):
        raise ValueError("a back-end's URL must be redis://HOST:PORT/DB, with two slashes")
    from goldfish.backends.redis import RedisBackend

    return RedisBackend(url)


_OPENERS: Final[dict[str, Callable[[str, str], Backend]]] = {
    "memory": _memory,
    "sqlite": _sqlite,
    "redis": _redis,
    "rediss": _redis,
    "valkey": _redis,
    "valkeys": _redis,
}
