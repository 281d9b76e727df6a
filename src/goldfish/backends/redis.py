"""The back-end of processes on many machines: a Redis or Valkey server that they share.

Knows how records lie on the server and the scripts that change them. Knows no client library.

A record is a hash that the server lets expire. Who owns how many is a sorted set of keys by expiry for each owner, and
one for all. The keys of one call are not in one slot, so a cluster needs a prefix in braces.

With `appendonly yes` and `appendfsync always` a server that is killed loses nothing that was answered; with `everysec`
it may lose the last two seconds. Whatever it lost, it comes back under another name (`incarnation`), as long as a
process is left that knows of more. A server without persistence always does.
"""

from __future__ import annotations

import contextlib
import math
from typing import Final

from goldfish.backends.caps import check_caps
from goldfish.backends.clock import SteadyClock, boot_time
from goldfish.backends.redis_bus import RedisBus
from goldfish.backends.redis_link import PATIENCE, Link, Memory, Script, address
from goldfish.ports import Caps, Clock, Record, Unavailable

#: Calls to the server at one time; more wait for one of these to end.
CONNECTIONS: Final = 16

# KEYS: record, writes [, the owner's keys, all owned keys]. ARGV: body, expiry in ms or '', key, caps or '' and ''.
# The set of an owner lives as long as the last record in it.
_ADD: Final = Script("""
if redis.call('EXISTS', KEYS[1]) == 1 then return {0} end
if KEYS[3] then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  for i = 3, 4 do redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now) end
  if ARGV[4] ~= '' then
    local owned, total = redis.call('ZCARD', KEYS[3]), redis.call('ZCARD', KEYS[4])
    if owned >= tonumber(ARGV[4]) or total >= tonumber(ARGV[5]) then return {-1, owned, total} end
  end
  for i = 3, 4 do
    redis.call('ZADD', KEYS[i], ARGV[2] == '' and '+inf' or ARGV[2], ARGV[3])
    local latest = redis.call('ZREVRANGE', KEYS[i], 0, 0, 'WITHSCORES')[2]
    if latest == 'inf' then redis.call('PERSIST', KEYS[i])
    else redis.call('PEXPIREAT', KEYS[i], string.format('%.0f', tonumber(latest))) end
  end
end
redis.call('HSET', KEYS[1], 'body', ARGV[1], 'version', 1)
if ARGV[2] ~= '' then redis.call('PEXPIREAT', KEYS[1], ARGV[2]) end
return {1, redis.call('INCR', KEYS[2])}
""")

# KEYS: record, writes. ARGV: version, body.
_SWAP: Final = Script("""
if redis.call('HGET', KEYS[1], 'version') ~= ARGV[1] then return {0} end
redis.call('HSET', KEYS[1], 'body', ARGV[2], 'version', ARGV[1] + 1)
return {1, redis.call('INCR', KEYS[2])}
""")


class RedisStore:
    def __init__(self, link: Link, memory: Memory) -> None:
        self._link = link
        self._memory = memory

    async def add(
        self, key: str, body: bytes, expires: float | None, owner: str | None = None, caps: Caps | None = None
    ) -> bool:
        keys = [self._record(key), self._link.key("writes")]
        if owner is not None:
            keys += [self._link.key(f"owner:{owner}"), self._link.key("owned")]
        expiry = "" if expires is None else str(math.ceil(expires * 1000))
        limits = ("", "") if caps is None else (caps.per_owner, caps.total)
        outcome, *more = await self._link.script(_ADD, keys, body, expiry, key, *limits)
        if outcome == -1:
            assert caps is not None
            check_caps(caps, *more)
        return self._wrote(outcome, more)

    async def get(self, key: str) -> Record | None:
        body, version = await self._link.command("HMGET", self._record(key), "body", "version", again=True)
        return None if body is None else Record(body, int(version))

    async def swap(self, key: str, version: int, body: bytes) -> bool:
        outcome, *more = await self._link.script(_SWAP, [self._record(key), self._link.key("writes")], version, body)
        return self._wrote(outcome, more)

    async def incarnation(self) -> str:
        return (await self._link.greet()).incarnation

    async def check(self) -> None:
        # A server that is full, or a replica, still answers questions.
        await self._link.command("SET", self._link.key("check"), "", "PX", 1000, again=True)

    def now(self) -> float:
        return self._memory.clock()

    async def start(self) -> None:
        """Takes over the server's clock, where it can be reached right now."""
        with contextlib.suppress(Unavailable):
            await self._link.greet()

    async def stop(self) -> None:
        await self._link.close()

    def _record(self, key: str) -> str:
        return self._link.key(f"record:{key}")

    def _wrote(self, outcome: int, more: list[int]) -> bool:
        if outcome == 1:
            self._memory.wrote(more[0])
        return outcome == 1


class RedisBackend:
    """`url` as `goldfish.backends.redis_link.address` reads it; raises ValueError, and ImportError without redis.

    A call that gets no answer fails after `patience` seconds.
    """

    def __init__(self, url: str, patience: float = PATIENCE, elapsed: Clock = boot_time) -> None:
        place = address(url)
        memory = Memory(SteadyClock(elapsed))
        self.url = place.name
        self.tasks = RedisStore(Link(place, memory, CONNECTIONS, patience), memory)
        self.bus = RedisBus(place, memory, patience)
