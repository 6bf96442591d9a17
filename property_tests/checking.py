"""Checks and their outcomes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from property_tests.run import Run
from property_tests.subject import Subject
from splu_ref.audit import EValue

Grade: TypeAlias = Literal["enumerated", "exact", "property", "statistical"]


@dataclass(frozen=True)
class Outcome:
    """The outcome of one execution of a check.

    Attributes
    ----------
    passed
        Whether the implementation was not rejected.
    detail
        The failure, or the range covered.
    log10_e
        For a sampled check: base-10 logarithm of the e-value at the stopping time.
    budget
        For a sampled check: its significance level.
    power
        For a sampled check: the smallest deviation detected with a power of at least 0.999.
    """

    passed: bool
    detail: str = ""
    log10_e: float | None = None
    budget: Fraction | None = None
    power: str = ""


CheckFunction: TypeAlias = Callable[[Subject, Run], Outcome]


@dataclass(frozen=True)
class Check:
    """A named check.

    Attributes
    ----------
    name
        Stable; the key in the error budget if the check samples.
    claim
        The property checked, in a sentence, with the ids of the ledger's claims.
    grade
        ``enumerated``: every outcome; ``exact``: a stated finite range, in fractions; ``property``: examples
        chosen by Hypothesis, each judged exactly; ``statistical``: sampled, under the error budget.
    function
        The check. An exception is a failure of the implementation.
    """

    name: str
    claim: str
    grade: Grade
    function: CheckFunction

    def __call__(self, subject: Subject, run: Run) -> Outcome:
        """Run the check; a sampled check without a budget is refused before it starts."""
        if self.grade == "statistical":
            run.level(self.name)
        return self.function(subject, run)


CHECKS: dict[str, Check] = {}
"""Every check by name, filled when `property_tests.checks` is imported."""


def check(name: str, grade: Grade, claim: str) -> Callable[[CheckFunction], CheckFunction]:
    """Register the decorated function as a check."""

    def register(function: CheckFunction) -> CheckFunction:
        if name in CHECKS:
            raise ValueError(f"two checks have the name {name!r}")
        CHECKS[name] = Check(name, claim, grade, function)
        return function

    return register


def sequential_outcome(
    run: Run,
    name: str,
    evidence: Iterable[EValue],
    power: Callable[[Fraction], str],
    *,
    example: int = 0,
) -> Outcome:
    """Extend a sample until its e-value rejects, or until the sample cap is reached.

    Parameters
    ----------
    run, name, example
        The execution of the check, which determines the level.
    evidence
        The e-value of the whole sample after every batch.
    power
        Description of the power at the sample cap, given the level; computed in full runs only.
    """
    level = run.level(name, example)
    value = EValue(0.0)
    batches = 0
    for value in evidence:
        batches += 1
        if value.rejects(level):
            return Outcome(False, f"e-value too large after batch {batches}", value.log10, level)
    if not batches:
        return Outcome(False, "nothing was drawn", None, level)
    text = power(level) if run.size == "full" else ""
    return Outcome(
        passed=True,
        detail=f"not rejected after {batches} batches",
        log10_e=value.log10,
        budget=level,
        power=text,
    )


def first_failure(failures: Iterable[str], covered: str) -> Outcome:
    """Return the outcome of an exact check that yields a text for every failure."""
    for failure in failures:
        return Outcome(False, failure)
    return Outcome(True, covered)
