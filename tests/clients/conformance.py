"""The official conformance suite, run against a server: how it is started, and what its checks said.

Knows the suite's command line and the files it writes; knows no fixture. As a program it prints what every scenario
said, `python -m tests.clients.conformance [URL]`: of the server at that URL, or of the reference server, started for
the purpose. Its exit status is 0 when every check succeeded.
"""

import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from goldfish.everything.endpoints import CONFORMANCE_PATH
from tests.clients import node
from tests.support.server import running

VERSION: Final = "2026-07-28"
#: Scenarios of the tasks extension; the suite runs each on its own and without a version.
TASKS: Final = (
    "tasks-lifecycle",
    "tasks-capability-negotiation",
    "tasks-wire-fields",
    "tasks-request-state-removal",
    "tasks-mrtr-input",
    "tasks-request-headers",
    "tasks-dispatch-and-envelope",
    "tasks-required-task-error",
    "tasks-mrtr-composition",
)
#: What a check may say without anything being wrong: it went well, or it only tells something.
GOOD: Final = frozenset({"SUCCESS", "INFO"})

_PROGRAM: Final = "@modelcontextprotocol/conformance/dist/index.js"
_PATIENCE: Final = 120.0
#: At once; each waits for the server more than it works.
_RUNS: Final = 4
_FOLDER: Final = re.compile(r"server-(?P<scenario>.+)-\d{4}-\d\d-\d\dT[\d-]+Z")


@dataclass(frozen=True)
class Check:
    scenario: str
    name: str
    status: str
    said: str = ""

    def __str__(self) -> str:
        return f"{self.scenario}: {self.name}: {self.status} {self.said}".rstrip()


@dataclass(frozen=True)
class Outcome:
    """Every check of the core scenarios and of the tasks extension's."""

    core: tuple[Check, ...]
    tasks: tuple[Check, ...]

    @property
    def wrong(self) -> list[Check]:
        return [check for check in (*self.core, *self.tasks) if check.status not in GOOD]


def successes(checks: Sequence[Check]) -> int:
    return sum(check.status == "SUCCESS" for check in checks)


def run(programs: node.Node, url: str, folder: Path) -> Outcome:
    """All core scenarios in one run, and each of the extension's in one of its own."""
    tails = [("--suite", "all", "--spec-version", VERSION), *(("--scenario", name) for name in TASKS)]

    def one(index: int) -> tuple[Check, ...]:
        output = folder / str(index)
        arguments = ("server", "--url", url, *tails[index], "-o", str(output))
        programs.run(_PROGRAM, *arguments, timeout=_PATIENCE)
        return tuple(_checks(output))

    with ThreadPoolExecutor(_RUNS) as pool:
        core, *tasks = pool.map(one, range(len(tails)))
    return Outcome(core, tuple(check for checks in tasks for check in checks))


def _checks(output: Path) -> Iterator[Check]:
    for file in sorted(output.glob("*/checks.json")):
        found = _FOLDER.fullmatch(file.parent.name)
        scenario = found["scenario"] if found else file.parent.name
        for check in json.loads(file.read_text(encoding="utf-8")):
            yield Check(scenario, check["id"], check["status"], check.get("errorMessage") or "")


def report(outcome: Outcome) -> Iterator[str]:
    """A line for each scenario, then whatever went wrong, then the counts."""
    scenarios = Counter((check.scenario, check.status) for check in (*outcome.core, *outcome.tasks))
    for scenario in dict.fromkeys(scenario for scenario, _ in scenarios):
        said = ", ".join(f"{count} {status}" for (name, status), count in scenarios.items() if name == scenario)
        yield f"{scenario:52} {said}"
    yield from (f"! {check}" for check in outcome.wrong)
    core, tasks = successes(outcome.core), successes(outcome.tasks)
    yield f"{core + tasks} checks succeeded, {core} of the core and {tasks} of the tasks extension"
    yield f"{len(outcome.wrong)} checks did not"


@contextmanager
def _server(url: str) -> Iterator[str]:
    if url:
        yield url
        return
    with running() as base:
        yield base + CONFORMANCE_PATH


def main(arguments: Sequence[str]) -> int:
    if not node.installed():
        print(node.HOW, file=sys.stderr)
        return 2
    with _server("".join(arguments)) as url, tempfile.TemporaryDirectory() as folder:
        outcome = run(node.Node(Path(folder)), url, Path(folder))
    print("\n".join(report(outcome)))
    return 1 if outcome.wrong or not outcome.core else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
