"""The server under test, one for all tests here, so that what one leaves behind is there for the next."""

from collections.abc import Iterator

import pytest

from goldfish.transports import disconnect

from .rules import Site, site


@pytest.fixture(scope="package")
def where() -> Iterator[Site]:
    patch = pytest.MonkeyPatch()
    patch.setattr(disconnect, "MOMENT", 0.001)  # streams are left often here; a client that leaves is noticed sooner
    found = site()
    yield found
    found.close()
    patch.undo()
