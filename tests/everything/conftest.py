"""A client of the started reference server."""

import pytest

from .calls import Client


@pytest.fixture(scope="session")
def client(reference: str) -> Client:
    return Client(reference)
