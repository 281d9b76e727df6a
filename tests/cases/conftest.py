"""Clients of the reference server, as one process and as four. What holds at both endpoints is tested at both."""

from collections.abc import Iterator

import pytest

from tests.support.server import running
from tests.support.wire import Client


@pytest.fixture(scope="session", params=[(), ("--workers", "4")], ids=["one worker", "four workers"])
def reference(request: pytest.FixtureRequest) -> Iterator[str]:
    """The base URL of a server on whose every answer it makes no difference which process gave it."""
    with running(*request.param) as base:
        yield base


@pytest.fixture(params=["/mcp", "/strict/mcp"])
def client(request: pytest.FixtureRequest, reference: str) -> Client:
    """A client of one endpoint, and then of the other."""
    path: str = request.param
    return Client(reference + path)


@pytest.fixture
def relaxed(reference: str) -> Client:
    return Client(f"{reference}/mcp")


@pytest.fixture
def strict(reference: str) -> Client:
    return Client(f"{reference}/strict/mcp")


@pytest.fixture
def alone() -> Iterator[Client]:
    """A client of a server of one process, for what only an order within one process can show."""
    with running() as base:
        yield Client(f"{base}/strict/mcp")
