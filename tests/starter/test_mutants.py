"""The verifier can fail: it finds every broken starter, names the broken rule, and no rule goes unbroken."""

from __future__ import annotations

from pathlib import Path

import pytest

from .mutants import MUTANTS, Mutant
from .support import STARTER, folder, run, verdict, verify

KEYS = {verify.MODULE.key, *(rule.key for rule in verify.RULES)}


SOURCE = STARTER.read_text(encoding="utf-8")


@pytest.mark.parametrize("mutant", MUTANTS, ids=[f"{mutant.breaks}: {mutant.name}" for mutant in MUTANTS])
def test_a_broken_starter_is_found_and_the_rule_it_breaks_is_named(mutant: Mutant, tmp_path: Path) -> None:
    """Ours: one replacement in the starter's source breaks the rule named with it."""
    found = verdict(folder(tmp_path, mutant.apply(SOURCE)), mutant.breaks)
    assert mutant.breaks == found.key
    assert found.problems


@pytest.mark.parametrize("key", ["id-zero", "never-raises"])
def test_the_command_exits_1_and_prints_the_broken_rule(key: str, tmp_path: Path) -> None:
    """Ours: what is found in this process is found by the documented command too."""
    mutant = next(mutant for mutant in MUTANTS if mutant.breaks == key)
    done = run(str(folder(tmp_path, mutant.apply(SOURCE))))
    assert 1 == done.returncode
    assert f"FAIL  {key}: " in done.stdout
    for word in ("sent: ", "expected: ", "actual: ", " rules hold", "broken: "):
        assert word in done.stdout
    assert "" == done.stderr


def test_every_rule_is_broken_by_a_mutant() -> None:
    """Ours: a check that cannot fail is worse than none."""
    assert set() == KEYS - {mutant.breaks for mutant in MUTANTS}
    assert set() == {mutant.breaks for mutant in MUTANTS} - KEYS


def test_no_mutant_is_there_twice() -> None:
    """Ours: each is a change of its own, under a name of its own."""
    assert len(MUTANTS) == len({mutant.apply(SOURCE) for mutant in MUTANTS})
    assert len(MUTANTS) == len({(mutant.breaks, mutant.name) for mutant in MUTANTS})


def test_every_rule_has_a_key_of_its_own() -> None:
    """Ours: the key names the rule in the output."""
    assert len(KEYS) == 1 + len(verify.RULES)
