"""A way to one Redis (or Valkey) server: where it is, how long a call may take, what a failure is.

Knows the client library, which is imported with the first URL that needs it, and the server's clock. Knows no record
and no event.

A change is sent once. One whose answer got lost may have been carried out, and sending it again could publish an event
twice, or call its own change somebody else's: the caller is told Unavailable instead. A question is asked again.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import re
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

from goldfish.backends.clock import SteadyClock
from goldfish.ports import Unavailable

if TYPE_CHECKING:
    from redis.asyncio import Redis

T = TypeVar("T")

#: Seconds until a call that got no answer fails.
PATIENCE: Final = 3.0
PREFIX: Final = "goldfish:"
SCHEMES: Final = {"redis": "redis", "rediss": "rediss", "valkey": "redis", "valkeys": "rediss"}
_SETTINGS: Final = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile", "ssl_cert_reqs", "ssl_check_hostname")


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server is. `url` is what the client library reads; `name` is for people and hides the password."""

    url: str = field(repr=False)
    name: str
    prefix: str


def address(url: str) -> Address:
    """Reads SCHEME://[[USER]:PASSWORD@]HOST[:PORT][/DB][?prefix=...&ssl_...]; a ValueError names what is wrong."""
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        raise ValueError("Redis URL: the port must be a number from 0 to 65535") from None
    if not parts.hostname:
        raise ValueError("Redis URL: the host is missing")
    if not re.fullmatch(r"(/\d*)?", parts.path):
        raise ValueError(f"Redis URL: the database must be a number, not {parts.path[1:]!r}")
    settings = dict(parse_qsl(parts.query))
    prefix = settings.pop("prefix", PREFIX)
    for name in settings:
        if name not in _SETTINGS:
            raise ValueError(f"Redis URL: {name!r} is none of prefix, {', '.join(_SETTINGS)}")
    scheme = SCHEMES[parts.scheme]
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    name = f"{parts.scheme}://{host}:{port or 6379}/{parts.path[1:] or 0}"
    return Address(SplitResult(scheme, parts.netloc, parts.path, urlencode(settings), "").geturl(), name, prefix)


class Script:
    """Lua that the server runs as one step."""

    __slots__ = ("digest", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.digest = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


# KEYS: incarnation, writes, events, published. ARGV: a fresh name, the name we know, the writes we saw under that name.
# A memory that has seen fewer writes than we have went back to an older snapshot: what it forgot it would deny, so it
# is another memory from then on, and gets another name.
GREET: Final = Script("""
local name = redis.call('GET', KEYS[1])
local writes = tonumber(redis.call('GET', KEYS[2]) or '0')
if not name or (name == ARGV[2] and writes < tonumber(ARGV[3])) then
  name = ARGV[1]
  redis.call('SET', KEYS[1], name)
end
local time = redis.call('TIME')
local last = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1)
return {name, time[1], time[2], last[1] and last[1][1] or '0-0', redis.call('GET', KEYS[4]) or '0'}
""")


@dataclass(frozen=True, slots=True)
class Greeting:
    """The server's memory by name, the id of its last event and how many there have been."""

    incarnation: str
    last: bytes
    count: int


class Memory:
    """What this process knows of the server's memory and clock, over all its links."""

    def __init__(self, clock: SteadyClock) -> None:
        self.clock = clock
        self.incarnation = ""
        #: The most writes seen under this name.
        self.writes = 0

    def wrote(self, writes: int) -> None:
        self.writes = max(self.writes, writes)

    def named(self, incarnation: str) -> None:
        if incarnation != self.incarnation:
            self.incarnation = incarnation
            self.writes = 0


class Link:
    """At most `connections` calls at a time, in the order in which they are made, each of which ends within `patience`
    seconds. Connects when needed."""

    def __init__(self, address: Address, memory: Memory, connections: int, patience: float = PATIENCE) -> None:
        self.address = address
        self._memory = memory
        self._patience = patience
        self._connect, self._failures = _library(address, connections)
        self._turns = asyncio.Semaphore(connections)
        self._client: Redis | None = None
        self._adrift = True

    def key(self, name: str) -> str:
        return self.address.prefix + name

    async def script(self, script: Script, keys: list[str], *arguments: str | bytes | int) -> Any:
        """The script's reply; raises Unavailable."""
        return await self._call(lambda client: self._evaluate(client, script, keys, *arguments))

    async def command(self, *words: str | bytes | int, again: bool = False, blocks: float = 0.0) -> Any:
        """The reply to a command, which the server may hold back for `blocks` seconds; raises Unavailable.

        `again`: running it twice does no harm.
        """
        return await self._call(lambda client: _execute(client, *words), again, blocks)

    async def greet(self) -> Greeting:
        """Asks whose memory this is, and what time it is there; raises Unavailable."""
        self._adrift = False
        return await self._call(self._greet, again=True)

    async def close(self) -> None:
        if self._client is not None:
            client, self._client = self._client, None
            self._adrift = True
            with contextlib.suppress(*self._failures.any):
                await client.aclose()

    async def _call(self, operation: Callable[[Redis], Awaitable[T]], again: bool = False, blocks: float = 0.0) -> T:
        try:
            async with asyncio.timeout(self._patience + blocks), self._turns:
                try:
                    return await self._try(operation)
                except self._failures.cut:
                    if not again:
                        raise
                return await self._try(operation)
        except TimeoutError:
            self._adrift = True
            raise Unavailable(f"{self.address.name} did not answer within {self._patience:g} s") from None
        except self._failures.any as error:
            self._adrift = True
            raise Unavailable(f"{self.address.name}: {error}") from error

    async def _try(self, operation: Callable[[Redis], Awaitable[T]]) -> T:
        if self._client is None:
            self._client = self._connect()
        client = self._client
        if self._adrift:
            self._adrift = False
            await self._greet(client)
        return await operation(client)

    async def _evaluate(self, client: Redis, script: Script, keys: list[str], *arguments: str | bytes | int) -> Any:
        words = (len(keys), *keys, *arguments)
        try:
            return await _execute(client, "EVALSHA", script.digest, *words)
        except self._failures.unknown_script:  # so it has not run
            return await _execute(client, "EVAL", script.text, *words)

    async def _greet(self, client: Redis) -> Greeting:
        keys = [self.key(name) for name in ("incarnation", "writes", "events", "published")]
        known = (self._memory.incarnation, self._memory.writes)
        asked = time.monotonic()
        name, seconds, micros, last, count = await self._evaluate(client, GREET, keys, secrets.token_hex(8), *known)
        now = int(seconds) + int(micros) / 1_000_000
        self._memory.clock.anchor(now, now + time.monotonic() - asked)
        self._memory.named(name.decode())
        return Greeting(name.decode(), last, int(count))


async def _execute(client: Redis, *words: str | bytes | int) -> Any:
    return await client.execute_command(*words)  # type: ignore[no-untyped-call]


@dataclass(frozen=True, slots=True)
class _Failures:
    """What the client library raises: at all, when a connection was refused or cut, when a script was not known."""

    any: tuple[type[Exception], ...]
    cut: tuple[type[Exception], ...]
    unknown_script: type[Exception]


def _library(address: Address, connections: int) -> tuple[Callable[[], Redis], _Failures]:
    # Imported here, and not with the first call: a package that is missing shall be told at the start.
    try:
        from redis import asyncio as library
        from redis import exceptions
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff
    except ImportError:
        sentence = f"{address.name} needs the package redis: pip install 'goldfish-mcp[redis]'"
        raise ImportError(sentence, name="redis") from None

    def connect() -> Redis:
        pool = library.BlockingConnectionPool.from_url(
            address.url,
            max_connections=connections,
            # Every call has one time limit for all of this together.
            timeout=None,
            socket_connect_timeout=None,
            socket_timeout=None,
            # The newer protocol brings messages that no call has asked for.
            protocol=2,
            retry=Retry(NoBackoff(), 0),
        )
        return library.Redis.from_pool(pool)

    return connect, _Failures(
        (exceptions.RedisError, OSError), (exceptions.ConnectionError, OSError), exceptions.NoScriptError
    )
