"""One URL chooses the back-end."""

import sys
from pathlib import Path

import pytest

from goldfish.backends.choose import open_backend
from goldfish.backends.memory import MemoryBackend
from goldfish.backends.redis import RedisBackend
from goldfish.backends.redis_link import address
from goldfish.backends.sqlite import SqliteBackend


@pytest.mark.parametrize(
    ("url", "kind", "name"),
    [
        ("memory:", MemoryBackend, "memory:"),
        ("sqlite:some.db", SqliteBackend, "sqlite:some.db"),
        ("sqlite:/var/some.db", SqliteBackend, "sqlite:/var/some.db"),
        ("sqlite:///var/some.db", SqliteBackend, "sqlite:/var/some.db"),
        ("redis://localhost", RedisBackend, "redis://localhost:6379/0"),
        ("redis://:secret@10.0.0.1:7000/3?prefix=x:", RedisBackend, "redis://10.0.0.1:7000/3"),
        ("redis://[::1]:7000", RedisBackend, "redis://[::1]:7000/0"),
        ("rediss://user:secret@cache.example/1", RedisBackend, "rediss://cache.example:6379/1"),
        ("valkey://localhost:7000", RedisBackend, "valkey://localhost:7000/0"),
        ("valkeys://localhost:7000", RedisBackend, "valkeys://localhost:7000/0"),
    ],
)
def test_a_url_opens_its_back_end_and_no_password_is_shown(url: str, kind: type, name: str) -> None:
    backend = open_backend(url)
    assert (kind, name) == (type(backend), backend.url)


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("", "must be memory:, sqlite:PATH or redis://HOST:PORT/DB"),
        ("memory", "must be memory:, sqlite:PATH or redis://HOST:PORT/DB"),
        ("postgres://:secret@db/x", "must be memory:, sqlite:PATH or redis://HOST:PORT/DB"),
        ("/var/some.db", "must be memory:, sqlite:PATH or redis://HOST:PORT/DB"),
        ("memory:x", "must be memory: with nothing behind it"),
        ("sqlite:", "must be sqlite:PATH"),
        ("sqlite::memory:", "must be sqlite:PATH"),
        ("sqlite://", "must be sqlite:PATH"),
        ("redis:localhost", "with two slashes"),
        ("redis://", "the host is missing"),
        ("redis://:secret@/0", "the host is missing"),
        ("redis://localhost:secret", "the port must be a number"),
        ("redis://localhost:70000", "the port must be a number"),
        ("redis://localhost/first", "the database must be a number, not 'first'"),
        ("redis://localhost?db=1", "'db' is none of prefix, ssl_ca_certs"),
    ],
)
def test_another_url_is_refused_with_what_is_allowed_and_no_password(url: str, rule: str) -> None:
    with pytest.raises(ValueError) as caught:
        open_backend(url)
    assert rule in str(caught.value)
    assert "secret" not in str(caught.value)


def test_nothing_is_opened_before_it_is_used(tmp_path: Path) -> None:
    open_backend(f"sqlite:{tmp_path / 'none' / 'some.db'}")
    open_backend("redis://127.0.0.1:1")
    assert [] == list(tmp_path.iterdir())


def test_a_redis_address_keeps_what_the_client_library_reads() -> None:
    place = address("valkeys://me:p%40ss@[::1]:7000/2?prefix=a%3Ab&ssl_ca_certs=/some/ca.pem")
    assert ("rediss://me:p%40ss@[::1]:7000/2?ssl_ca_certs=%2Fsome%2Fca.pem", "a:b") == (place.url, place.prefix)
    assert "p%40ss" not in repr(place)
    assert "goldfish:" == address("redis://localhost").prefix


def test_without_the_package_redis_one_sentence_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(ImportError) as caught:
        open_backend("redis://:secret@localhost")
    assert "redis://localhost:6379/0 needs the package redis: pip install 'goldfish-mcp[redis]'" == str(caught.value)


def test_the_other_back_ends_do_not_need_the_package_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    open_backend("memory:")
    open_backend("sqlite:some.db")
