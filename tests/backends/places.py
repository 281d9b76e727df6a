"""Back-ends as the tests of one kind open them: started, and stopped when the test has ended."""

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from redis import Redis

from goldfish.backends.clock import SteadyClock
from goldfish.backends.redis import RedisBackend
from goldfish.backends.redis_bus import RedisBus
from goldfish.backends.redis_link import Memory, address
from goldfish.backends.sqlite import SqliteBackend

from .redis_server import RedisServer
from .support import Receiver

MANY = 1_000_000


async def sqlite_at(path: Path, stack: AsyncExitStack, busy: float = 5.0) -> SqliteBackend:
    backend = SqliteBackend(str(path), busy)
    stack.push_async_callback(backend.tasks.stop)
    await backend.tasks.start()
    return backend


def client(server: RedisServer) -> Any:
    return Redis.from_url(server.url, protocol=2)


async def redis_at(url: str, stack: AsyncExitStack, patience: float = 3.0) -> RedisBackend:
    backend = RedisBackend(url, patience)
    stack.push_async_callback(backend.tasks.stop)
    await backend.tasks.start()
    return backend


async def hears(bus: RedisBus, stack: AsyncExitStack) -> Receiver:
    receiver = Receiver()
    bus.attach(receiver.deliver, receiver.lost)
    await bus.start()
    stack.push_async_callback(bus.stop)
    return receiver


def bus_at(url: str, **settings: Any) -> RedisBus:
    return RedisBus(address(url), Memory(SteadyClock()), **settings)
