"""Writes docs/requirements.md: every rule of the specification, and the tests that show it.

Knows the rules, which docs/requirements.toml holds, and how a test names one: by its id in the docstring. Knows nothing
of what a rule says. `python -m tests.support.requirements` writes the document anew.
"""

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
DATA: Final = ROOT / "docs" / "requirements.toml"
DOCUMENT: Final = ROOT / "docs" / "requirements.md"
TESTS: Final = ROOT / "tests"

LEVELS: Final = {"M": "must", "S": "should", "Y": "may", "I": "inferred"}
FAMILIES: Final = {
    "ENV": "Envelope and `_meta`",
    "RPC": "JSON-RPC",
    "VER": "Versions",
    "HDR": "Mirrored headers",
    "HTTP": "Streamable HTTP",
    "DIS": "server/discover",
    "TOOL": "Tools",
    "RES": "Resources",
    "PRM": "Prompts",
    "CMP": "Completion",
    "PAG": "Pages",
    "CAC": "Caching",
    "LOG": "Logging",
    "PRG": "Progress",
    "CAN": "Cancellation",
    "MRTR": "Multi round-trip requests",
    "SUBS": "Subscriptions",
    "ELI": "Elicitation",
    "SAM": "Sampling",
    "ROO": "Roots",
    "STD": "stdio",
    "TASK": "The tasks extension",
}
_ID: Final = re.compile(rf"\b(?:{'|'.join(FAMILIES)})-[0-9]+\b")

_HEAD: Final = """# Requirements

What the specification of 2026-07-28 asks of a server, in our own words, and which tests show it. The levels are
{levels}; inferred means that no sentence says so, but JSON-RPC, HTTP or the only consistent
reading does.

`make docs` writes this document from `docs/requirements.toml` and the docstrings of the tests.

"""


@dataclass(frozen=True, slots=True)
class Rule:
    """One requirement. `reason` says why no test shows it."""

    id: str
    level: str
    text: str
    reason: str | None

    @property
    def family(self) -> str:
        return self.id.split("-")[0]


@dataclass(frozen=True, slots=True)
class Witness:
    """A test function, and the ids that its docstring names."""

    file: str
    name: str
    ids: tuple[str, ...]

    @property
    def sentence(self) -> str:
        return self.name.removeprefix("test_").replace("_", " ")


def read_rules(path: Path = DATA) -> list[Rule]:
    """The rules in their order. Raises ValueError for a row of a wrong shape, and for a reason without a rule."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    reasons = dict(data["without-a-test"])
    rules = []
    for id, row in data["rules"].items():
        if not _ID.fullmatch(id) or len(row) != 2 or row[0] not in LEVELS:
            raise ValueError(f"{id}: a row is a known family's id, a level and a rule")
        level, text = row
        rules.append(Rule(id, level, text, reasons.pop(id, None)))
    if reasons:
        raise ValueError(f"reasons for rules that do not exist: {', '.join(reasons)}")
    return rules


def read_tests(folder: Path = TESTS) -> list[Witness]:
    """Every test function below the folder, in the order of files and lines."""
    return [test for path in sorted(folder.rglob("test_*.py")) for test in _tests_of(folder, path)]


def _tests_of(folder: Path, path: Path) -> Iterator[Witness]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            ids = dict.fromkeys(_ID.findall(ast.get_docstring(node) or ""))
            yield Witness(path.relative_to(folder).as_posix(), node.name, tuple(ids))


def showing(tests: Sequence[Witness]) -> dict[str, list[Witness]]:
    """Id to the tests that name it."""
    shown: dict[str, list[Witness]] = {}
    for test in tests:
        for id in test.ids:
            shown.setdefault(id, []).append(test)
    return shown


def problems(rules: Sequence[Rule], tests: Sequence[Witness]) -> list[str]:
    """What keeps the table from being whole and honest, one line each."""
    shown = showing(tests)
    known = {rule.id for rule in rules}
    lines = [
        f"{test.file}: {test.name} names {id}, which is no rule" for test in tests for id in test.ids if id not in known
    ]
    for rule in rules:
        if rule.id in shown and rule.reason is not None:
            lines.append(f"{rule.id} has a test and a reason why it has none: {shown[rule.id][0].name}")
        elif rule.level == "M" and rule.id not in shown and rule.reason is None:
            lines.append(f"{rule.id} is a must, and has neither a test nor a reason why it has none")
    return lines


def render(rules: Sequence[Rule], tests: Sequence[Witness]) -> str:
    """The document."""
    shown = showing(tests)
    levels = ", ".join(f"{sign}: {word}" for sign, word in LEVELS.items())
    parts = [_HEAD.format(levels=levels), _summary(rules, shown)]
    for family, group in groupby(rules, key=lambda rule: rule.family):
        parts.append(f"\n## {FAMILIES[family]}\n\n| id | level | rule | shown by |\n|---|---|---|---|\n")
        parts += [f"| {rule.id} | {rule.level} | {_cell(rule.text)} | {_shown(rule, shown)} |\n" for rule in group]
    return "".join(parts)


def _summary(rules: Sequence[Rule], shown: Mapping[str, Sequence[Witness]]) -> str:
    lines = ["| level | rules | shown by tests | not, with the reason | not yet |\n|---|---|---|---|---|\n"]
    for level, word in LEVELS.items():
        of_level = [rule for rule in rules if rule.level == level]
        tested = sum(rule.id in shown for rule in of_level)
        reasoned = sum(rule.id not in shown and rule.reason is not None for rule in of_level)
        rest = len(of_level) - tested - reasoned
        lines.append(f"| {word} | {len(of_level)} | {tested} | {reasoned} | {rest} |\n")
    return "".join(lines)


def _shown(rule: Rule, shown: Mapping[str, Sequence[Witness]]) -> str:
    tests = shown.get(rule.id, ())
    if not tests:
        return f"*{_cell(rule.reason)}*" if rule.reason else "-"
    return "; ".join(f"[{test.sentence}](../tests/{test.file})" for test in tests)


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


if __name__ == "__main__":
    DOCUMENT.write_text(render(read_rules(), read_tests()), encoding="utf-8")
