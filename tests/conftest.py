"""What tests of the whole server share: one started command for all of them."""

from collections.abc import Iterator

import pytest

from tests.support.server import running


@pytest.fixture(scope="session")
def reference() -> Iterator[str]:
    """The base URL of the reference server, started as it is shipped."""
    with running() as base:
        yield base


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write the answers in tests/transcripts anew")
