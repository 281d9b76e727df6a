"""The three back-ends as the contract's tests see them: places to open, to let time pass in, and to lose."""

import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

from goldfish.backends.choose import open_backend
from goldfish.backends.clock import boot_time
from goldfish.backends.memory import MemoryBackend
from goldfish.backends.sqlite import SqliteBackend
from goldfish.ports import Backend

from .redis_server import RedisServer
from .support import end_peers


class Lab(Protocol):
    """`url` opens the same place in another process; empty where there is no other."""

    url: str

    def open(self) -> Backend:
        """The back-end as yet another process would open it."""

    def advance(self, seconds: float) -> None:
        """Lets time pass for the store."""

    def forget(self) -> None:
        """Makes the store lose everything."""


class _Hand:
    """A clock in the hands of a test."""

    def __init__(self) -> None:
        self.offset = 0.0

    def __call__(self) -> float:
        return boot_time() + self.offset


class MemoryLab:
    url = ""

    def __init__(self) -> None:
        self._hand = _Hand()
        self._backend = MemoryBackend(self._hand)

    def open(self) -> Backend:
        return self._backend

    def advance(self, seconds: float) -> None:
        self._hand.offset += seconds

    def forget(self) -> None:
        self._backend = MemoryBackend(self._hand)


class SqliteLab:
    def __init__(self, path: Path) -> None:
        self.url = f"sqlite:{path}"
        self._path = path
        self._hand = _Hand()

    def open(self) -> Backend:
        return SqliteBackend(str(self._path), elapsed=self._hand)

    def advance(self, seconds: float) -> None:
        self._hand.offset += seconds

    def forget(self) -> None:
        self._path.unlink()


class RedisLab:
    """Every test has keys of its own on one server, whose clock cannot be set: its deadlines are moved instead."""

    def __init__(self, server: RedisServer, prefix: str) -> None:
        from redis import Redis

        self.url = f"{server.url}?prefix={prefix}"
        self._prefix = prefix
        self._client: Any = Redis.from_url(server.url, protocol=2)

    def open(self) -> Backend:
        return open_backend(self.url)

    def advance(self, seconds: float) -> None:
        passed = round(seconds * 1000)
        for key in self._client.scan_iter(f"{self._prefix}*"):
            if (left := self._client.pttl(key)) >= 0:
                self._client.pexpire(key, max(0, left - passed))
            if self._client.type(key) == b"zset":
                for member in self._client.zrange(key, 0, -1):
                    self._client.zincrby(key, -passed, member)

    def forget(self) -> None:
        for key in self._client.scan_iter(f"{self._prefix}*"):
            self._client.delete(key)

    def close(self) -> None:
        self._client.close()


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session", autouse=True)
def _ended_peers() -> Iterator[None]:
    yield
    end_peers()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def forgetful(tmp_path: Path) -> Iterator[RedisServer]:
    """A server of this test alone, which knows nothing after it was killed."""
    server = RedisServer(tmp_path)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def lasting(tmp_path: Path) -> Iterator[RedisServer]:
    """A server of this test alone, which writes down everything before it answers."""
    server = RedisServer(tmp_path, appendonly=True)
    server.start()
    yield server
    server.stop()


_prefixes = itertools.count()


def _lab(kind: str, request: pytest.FixtureRequest) -> Iterator[Lab]:
    if kind == "memory":
        yield MemoryLab()
    elif kind == "sqlite":
        yield SqliteLab(request.getfixturevalue("tmp_path") / "store.db")
    else:
        lab = RedisLab(request.getfixturevalue("redis_server"), f"test-{os.getpid()}-{next(_prefixes)}:")
        yield lab
        lab.close()


@pytest.fixture(params=["memory", "sqlite", "redis"])
def lab(request: pytest.FixtureRequest) -> Iterator[Lab]:
    yield from _lab(request.param, request)


@pytest.fixture(params=["sqlite", "redis"])
def shared_lab(request: pytest.FixtureRequest) -> Iterator[Lab]:
    """Where more than one process can be."""
    yield from _lab(request.param, request)
