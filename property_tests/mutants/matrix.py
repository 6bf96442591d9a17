"""The kill matrix: each mutant under the checks written for it, or under every check that can see its fault.

The first is enough to show that every mutant is killed and that every check can fail. If the shipped code has
passed the full form of a check, its small form need not be repeated. That the small form can pass is shown by
a mutant that it does not kill, or else by the shipped code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from types import MappingProxyType
from typing import Literal, TypeAlias, cast

from property_tests.checking import Outcome
from property_tests.checks import CHECKS
from property_tests.mutants import MUTANTS
from property_tests.run import Run
from property_tests.subject import SHIPPED, Subject
from splu_ref.report.workers import WorkerPool

CellState: TypeAlias = Literal["killed", "alive", "not run"]
SHIPPED_NAME = "shipped"


@dataclass(frozen=True)
class Cell:
    """One mutant (or the shipped code) under one check.

    Attributes
    ----------
    mutant, check
        Their names.
    state
        ``killed``: the check failed. ``alive``: it passed. ``not run``: the check calls nothing that the
        mutant replaces.
    log10_e
        For a sampled check: base-10 logarithm of the e-value at the stopping time.
    detail
        The failure, or the range covered.
    seconds
        Time taken.
    """

    mutant: str
    check: str
    state: CellState
    log10_e: float | None = None
    detail: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class ShippedResult:
    """The shipped code under one check.

    Attributes
    ----------
    cell
        The result.
    used
        The fields of the subject that the check accessed.
    """

    cell: Cell
    used: frozenset[str]


@dataclass(frozen=True)
class Matrix:
    """All cells by (mutant, check), those of the shipped code among them."""

    cells: Mapping[tuple[str, str], Cell]

    def killed(self, mutant: str) -> bool:
        """Return whether some check kills the mutant."""
        return any(self.cells[mutant, check].state == "killed" for check in CHECKS)

    def killed_as_meant(self, mutant: str) -> bool:
        """Return whether the check that was written for the mutant kills it."""
        return self.cells[mutant, MUTANTS[mutant].meant_for].state == "killed"

    @property
    def faults(self) -> list[str]:
        """Everything that makes the matrix fail, in words; empty if all is well."""
        shipped = [
            f"the shipped code fails {check}: {self.cells[SHIPPED_NAME, check].detail}"
            for check in CHECKS
            if self.cells[SHIPPED_NAME, check].state == "killed"
        ]
        survivors = [f"{name} survives" for name in MUTANTS if not self.killed(name)]
        missed = [
            f"{name} is not killed by {check}, which was written for it"
            for name in MUTANTS
            for check in MUTANTS[name].meant
            if check in CHECKS and self.killed(name) and self.cells[name, check].state != "killed"
        ]
        idle = [
            f"{check} kills no mutant, so it is not known to fail"
            for check in CHECKS
            if all(self.cells[name, check].state != "killed" for name in MUTANTS)
        ]
        return shipped + survivors + missed + idle

    def to_json(self) -> dict[str, object]:
        """Return the matrix as a JSON object: checks, then one entry per mutant with its cells by check."""
        return {
            "checks": [
                {
                    "name": check.name,
                    "claim": check.claim,
                    "grade": check.grade,
                    **self._entry(SHIPPED_NAME, name),
                }
                for name, check in CHECKS.items()
            ],
            "mutants": [
                {
                    "name": mutant.name,
                    "sentence": mutant.sentence,
                    "meant_for": mutant.meant_for,
                    "killed": self.killed(name),
                    "cells": {check: self.cells[name, check].state for check in CHECKS},
                    "details": {check: self._entry(name, check) for check in CHECKS},
                }
                for name, mutant in MUTANTS.items()
            ],
            "faults": self.faults,
        }

    def _entry(self, mutant: str, check: str) -> dict[str, object]:
        cell = self.cells[mutant, check]
        return {
            "state": cell.state,
            "log10_e": cell.log10_e,
            "detail": cell.detail,
            "seconds": round(cell.seconds, 3),
        }


class RecordingSubject:
    """A subject that records which of its fields are accessed."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self.used: set[str] = set()

    def __getattr__(self, name: str) -> object:
        self.used.add(name)
        return getattr(self._subject, name)


def shipped_result(check: str, run: Run) -> ShippedResult:
    """Run a check on the shipped code, and note what it asks for."""
    watched = RecordingSubject(SHIPPED)
    cell = _judged(SHIPPED_NAME, check, cast("Subject", watched), run)
    return ShippedResult(cell, frozenset(watched.used))


def one_cell(mutant: str, check: str, run: Run) -> Cell:
    """Run one check on one mutant."""
    return _judged(mutant, check, MUTANTS[mutant].subject, run)


def _judged(mutant: str, check: str, subject: Subject, run: Run) -> Cell:
    begin = perf_counter()
    try:
        outcome = CHECKS[check](subject, run)
    except Exception as error:  # an implementation that raises fails the check
        outcome = Outcome(False, f"{type(error).__name__}: {error}")
    state: CellState = "alive" if outcome.passed else "killed"
    return Cell(
        mutant=mutant,
        check=check,
        state=state,
        log10_e=outcome.log10_e,
        detail=outcome.detail,
        seconds=perf_counter() - begin,
    )


def kill_matrix(
    run: Run,
    workers: int = 1,
    progress: Callable[[Cell, int], None] = lambda cell, total: None,
    passed: Mapping[str, ShippedResult] = MappingProxyType({}),
    *,
    every: bool = False,
) -> Matrix:
    """Run the shipped code under every check, then every mutant under the checks written for it.

    Parameters
    ----------
    run
        Seed and size.
    workers
        Number of processes; 1 runs everything in this one. Every cell is run whole by one of them.
    progress
        Called with every finished cell and the number of cells to run.
    passed
        Checks that the shipped code, the same, passed in a full run with the same seed.
    every
        Run every mutant under every check that can see its fault: about ten times as long.
    """
    cells = {
        (mutant, check): Cell(mutant, check, "not run")
        for mutant in (SHIPPED_NAME, *MUTANTS)
        for check in CHECKS
    }
    total = len(CHECKS) * (1 + len(MUTANTS))
    cells |= {(SHIPPED_NAME, check): replace(each.cell, seconds=0.0) for check, each in passed.items()}
    shipped_results = dict(passed)
    with WorkerPool(workers) as pool:

        def ship(checks: Sequence[str]) -> None:
            """Run the shipped code under checks."""
            for check, found in pool.each(partial(shipped_result, run=run), checks, _silent):
                shipped_results[check] = found
                cells[SHIPPED_NAME, check] = found.cell
                progress(found.cell, total)

        ship([check for check in CHECKS if check not in passed])
        wanted = [
            (name, check)
            for name, broken in MUTANTS.items()
            for check in CHECKS
            if (broken.replaced & shipped_results[check].used if every else check in broken.meant)
        ]
        # What takes longest comes first, so that no process works on alone at the end.
        wanted.sort(key=lambda place: -shipped_results[place[1]].cell.seconds)
        total = len(CHECKS) - len(passed) + len(wanted)
        for place, cell in pool.each(partial(_cell_at, run=run), wanted, _silent):
            cells[place] = cell
            progress(cell, total)
        survived = {check for name, check in wanted if cells[name, check].state == "alive"}
        unshown = [check for check in passed if check not in survived]
        total += len(unshown)
        ship(unshown)
    return Matrix(cells)


def _cell_at(place: tuple[str, str], run: Run) -> Cell:
    return one_cell(*place, run)


def _silent(item: object, done: int) -> None:
    """Ignore the start of a cell."""
