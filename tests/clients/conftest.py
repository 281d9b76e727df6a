"""Node for the clients that need it."""

import pytest

from tests.clients import node as packages


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> packages.Node:
    return packages.node(tmp_path_factory.mktemp("home"))
