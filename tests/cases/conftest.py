"""Clients of the started reference server. What holds at both endpoints is tested at both."""

import pytest

from tests.support.wire import Client


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
