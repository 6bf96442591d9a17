"""Subtle faults in an implementation are noticed: some of the list here, all of it by ``faults.py``."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests.foreign.faults import SOURCE, fate, noticed
from tests.foreign.mutants import MUTANTS, Mutant

SAMPLE = [mutant for mutant in MUTANTS if not mutant.equivalent][::40]
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="install Node.js to run the mutants")


def test_every_fault_is_one_change_of_one_place() -> None:
    assert max(Counter(mutant.name for mutant in MUTANTS).values()) == 1
    for mutant in MUTANTS:
        assert SOURCE.count(mutant.old) == 1, mutant.name
        assert mutant.new != mutant.old, mutant.name


@needs_node
@pytest.mark.slow
@pytest.mark.parametrize("mutant", SAMPLE, ids=[mutant.name for mutant in SAMPLE])
def test_a_fault_is_noticed(mutant: Mutant, tmp_path: Path) -> None:
    assert fate(mutant, tmp_path)


@needs_node
def test_the_implementation_itself_is_not_noticed(tmp_path: Path) -> None:
    program = tmp_path / "whole.mjs"
    program.write_text(SOURCE)
    assert noticed(program, ("keyed", "key_file", "identities")) == ""


@needs_node
def test_a_program_that_does_not_start_is_no_mutant(tmp_path: Path) -> None:
    program = tmp_path / "broken.mjs"
    program.write_text(SOURCE + "\n}")
    with pytest.raises(ValueError, match="does not start"):
        noticed(program, ("keyed",))
