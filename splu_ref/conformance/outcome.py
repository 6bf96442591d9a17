"""What a run of the conformance vectors found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from splu_ref.model import Json


class Verdict(StrEnum):
    """How one vector, or one check of the protocol or of chance, came out."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    """It fails, as the list of expected failures says."""
    XPASSED = "xpassed"
    """It passes although it stands in that list: a failure to remove the entry."""

    @property
    def good(self) -> bool:
        """Whether the run may still hold."""
        return self not in (Verdict.FAILED, Verdict.XPASSED)


@dataclass(frozen=True, slots=True)
class Result:
    """One vector or check.

    Attributes
    ----------
    id
        The vector's id, or the check's.
    operation
        The operation that it belongs to.
    verdict
        How it came out.
    reason
        What was wrong, why it was skipped, or why its failure is expected.
    """

    id: str
    operation: str
    verdict: Verdict
    reason: str = ""


@dataclass(frozen=True, slots=True)
class StatisticalCheck:
    """One check of releases at random.

    Attributes
    ----------
    name
        What is checked.
    observations
        How many independent observations went into it.
    log10_e_value
        Base-10 logarithm of the evidence against the program; it rejects from -log10 ``level`` on.
    level
        Probability at most of rejecting a program that is right.
    power
        The smallest deviation that would be found with probability 0.999, in words.
    passed
        Whether the check did not reject.
    """

    name: str
    observations: int
    log10_e_value: float
    level: str
    power: str
    passed: bool

    def to_json(self) -> dict[str, Json]:
        """Return the check for programs."""
        return {
            "name": self.name,
            "observations": self.observations,
            "log10_e_value": self.log10_e_value,
            "level": self.level,
            "power": self.power,
            "passed": self.passed,
        }


@dataclass
class Conformance:
    """The outcome of a run.

    Attributes
    ----------
    name, version
        What the program says of itself.
    specification
        The version of the specification that it was held to.
    results
        Every vector and check, in the order of the run.
    statistics
        The checks of chance, with their evidence and power.
    """

    name: str
    version: str
    specification: str
    results: list[Result] = field(default_factory=list)
    statistics: list[StatisticalCheck] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Whether nothing failed, and something passed."""
        return all(result.verdict.good for result in self.results) and self.count(Verdict.PASSED) > 0

    def count(self, *verdicts: Verdict) -> int:
        """Return how many results have one of the verdicts."""
        return sum(result.verdict in verdicts for result in self.results)

    def by_operation(self) -> dict[str, dict[str, int]]:
        """Return the number of results by operation and verdict, in the order of the run."""
        table: dict[str, dict[str, int]] = {}
        for result in self.results:
            row = table.setdefault(result.operation, {verdict.value: 0 for verdict in Verdict})
            row[result.verdict.value] += 1
        return table

    def failures(self) -> Sequence[Result]:
        """Return what stands between the program and conformance."""
        return [result for result in self.results if not result.verdict.good]

    def to_json(self) -> dict[str, Json]:
        """Return the outcome for programs; the keys are an interface."""
        return {
            "program": {"name": self.name, "version": self.version},
            "specification": self.specification,
            "holds": self.holds,
            "passed": self.count(Verdict.PASSED),
            "failed": self.count(Verdict.FAILED, Verdict.XPASSED),
            "skipped": self.count(Verdict.SKIPPED),
            "expected_failures": self.count(Verdict.XFAILED),
            "by_operation": self.by_operation(),
            "failures": [{"id": failure.id, "reason": failure.reason} for failure in self.failures()],
            "statistics": [check.to_json() for check in self.statistics],
        }
