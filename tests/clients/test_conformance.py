"""The official conformance suite against the started command, whose endpoint /conformance/mcp has its fixtures."""

from pathlib import Path

import pytest

from goldfish.everything.endpoints import CONFORMANCE_PATH
from tests.clients import conformance
from tests.clients.conformance import Check, Outcome
from tests.clients.node import Node

#: Seconds; the suite is run within the first test.
pytestmark = pytest.mark.timeout(150)


@pytest.fixture(scope="module")
def outcome(node: Node, reference: str, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    folder: Path = tmp_path_factory.mktemp("conformance")
    return conformance.run(node, reference + CONFORMANCE_PATH, folder)


def test_no_check_of_the_official_suite_fails_warns_or_is_skipped(outcome: Outcome) -> None:
    """Not even what the specification only recommends."""
    assert [] == [str(check) for check in outcome.wrong]


def test_every_check_of_the_core_is_made(outcome: Outcome) -> None:
    """A scenario that finds nothing to check, or a suite that ends early, says nothing of failures."""
    assert (40, 152) == (len({check.scenario for check in outcome.core}), conformance.successes(outcome.core))


def test_every_check_of_the_tasks_extension_is_made(outcome: Outcome) -> None:
    """TASK-01: nine scenarios; the tenth, of status notifications, has no checks yet."""
    assert set(conformance.TASKS) == {check.scenario for check in outcome.tasks}
    assert 44 == conformance.successes(outcome.tasks)


def test_whatever_goes_wrong_is_shown_and_counted() -> None:
    """The report, and the tests above with it, can fail: warnings and skipped checks are no successes."""
    checks = [Check("a-scenario", f"check-{status}", status, "why") for status in ("FAILURE", "WARNING", "SKIPPED")]
    outcome = Outcome((Check("a-scenario", "fine", "SUCCESS"), Check("a-scenario", "told", "INFO")), tuple(checks))
    assert checks == outcome.wrong
    lines = list(conformance.report(outcome))
    assert "! a-scenario: check-WARNING: WARNING why" in lines
    assert ["1 checks succeeded, 1 of the core and 0 of the tasks extension", "3 checks did not"] == lines[-2:]
