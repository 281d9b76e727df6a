"""Broken starters, read from mutants.txt: each is the starter's source with one thing replaced.

A mutant is a heading, `# RULE: NAME`, with the key of a rule that it breaks, and hunks: the lines behind `-` stand in
the starter exactly once, and are replaced by the lines behind `+` that follow them.
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import NamedTuple

LINES = (Path(__file__).parent / "mutants.txt").read_text(encoding="utf-8").splitlines()


class Mutant(NamedTuple):
    """A named change that breaks the rule with the key `breaks`; `hunks` are pairs of an old and a new text."""

    breaks: str
    name: str
    hunks: tuple[tuple[str, str], ...]

    def apply(self, source: str) -> str:
        """The broken source. AssertionError when a hunk no longer fits, or changes nothing."""
        for old, new in self.hunks:
            assert 1 == f"\n{source}".count(f"\n{old}"), f"not there exactly once:\n{old}"
            assert old != new
            source = f"\n{source}".replace(f"\n{old}", f"\n{new}")[1:]
        return source


def _mutant(heading: str, body: list[str]) -> Mutant:
    breaks, name = heading.removeprefix("# ").split(": ")
    parts = [
        (sign, "".join(f"{line[1:]}\n" for line in lines))
        for sign, lines in groupby(body, lambda line: line[:1])
        if sign
    ]
    hunks = []
    for place, (sign, text) in enumerate(parts):
        follows = parts[place + 1] if place + 1 < len(parts) else ("", "")
        assert sign in "-+", f"neither removed nor added: {text!r}"
        if sign == "-":
            hunks.append((text, follows[1] if follows[0] == "+" else ""))
    assert hunks, f"no hunk in {heading!r}"
    return Mutant(breaks, name, tuple(hunks))


def _read() -> tuple[Mutant, ...]:
    starts = [number for number, line in enumerate(LINES) if line.startswith("# ")]
    return tuple(_mutant(LINES[a], LINES[a + 1 : b]) for a, b in zip(starts, [*starts[1:], len(LINES)], strict=True))


MUTANTS = _read()
