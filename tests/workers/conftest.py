"""Places where state is shared: the workers of one command, and two commands on one Redis server."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.backends.redis_server import RedisServer
from tests.support.server import running
from tests.support.wire import Client

KEYS = {"GOLDFISH_STATE_KEYS": "a key that both of the servers have"}


@dataclass(frozen=True)
class Place:
    """Base URLs of servers that share everything; `processes` is how many answer."""

    bases: tuple[str, ...]
    processes: int

    def client(self, turn: int, path: str = "/strict/mcp") -> Client:
        """A client of one server after another."""
        return Client(self.bases[turn % len(self.bases)] + path)


@pytest.fixture(scope="session", params=["four workers", "two machines"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    if request.param == "four workers":
        with running("--workers", "4") as base:
            yield Place((base,), 4)
        return
    server = RedisServer(Path(tmp_path_factory.mktemp("redis")))
    server.start()
    with contextlib.ExitStack() as stack:
        stack.callback(server.stop)
        bases = [stack.enter_context(running("--store", server.url, **KEYS)) for _ in range(2)]
        yield Place(tuple(bases), 2)
