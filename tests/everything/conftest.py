"""A client of the started reference server, at its strict endpoint."""

import pytest

from tests.support.wire import Client


@pytest.fixture
def client(reference: str) -> Client:
    return Client(reference + "/strict/mcp")
