"""The outcome of a conformance run, and the sentence that states it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from splu_ref.channels import Json
from splu_ref.conformance.coverage import Coverage, coverage, total_share
from splu_ref.conformance.description import Unknown
from splu_ref.conformance.result import PROTOCOL, Kind, Replay, Result, StatisticalCheck, Verdict
from splu_ref.output import Case, junit


@dataclass
class Conformance:
    """The outcome of a run."""

    name: str  #: the name and version that the program reports
    version: str  #: see ``name``
    specification: str  #: the version of the specification that it was tested against
    offered: frozenset[str] = frozenset()  #: the operations that the program reports as supported
    #: operations and features that it reports and the specification does not know: the first hundred
    unknown: Sequence[Unknown] = ()
    smoke: bool = False  #: whether the run was restricted to a few vectors of each file
    results: list[Result] = field(default_factory=list)  #: every vector and check, in the order of the run
    #: the statistical checks, with their evidence and power
    statistics: list[StatisticalCheck] = field(default_factory=list)
    #: the end of what the program wrote to standard error before it was stopped for the first failure
    errors: str = ""
    replay: Replay | None = None  #: the request that was tested alone; None for a full run

    @property
    def verdict(self) -> str:
        """``conforms``, ``conforms in part``, ``does not conform``, or ``inconclusive``.

        In part: nothing failed, but no operation passed all its vectors and checks. Inconclusive: no
        operation was tested. A run of one request is ``passed``, ``failed`` or ``inconclusive``.
        """
        if self.failures():
            return "does not conform" if self.replay is None else "failed"
        if self.replay is not None:
            verdicts = (result.verdict for result in self.results if result.id == self.replay.id)
            return "passed" if Verdict.PASSED in verdicts else "inconclusive"
        if self.conforming():
            return "conforms"
        return "conforms in part" if self.in_part() else "inconclusive"

    @property
    def holds(self) -> bool:
        """Whether nothing failed, and something was tested and passed."""
        return self.verdict in ("conforms", "conforms in part", "passed")

    @property
    def statement(self) -> str:
        """The verdict and the operations it applies to, in a sentence."""
        return statement(self)

    def count(self, *verdicts: Verdict) -> int:
        """Return how many results have one of the verdicts."""
        return sum(result.verdict in verdicts for result in self.results)

    def by_operation(self) -> dict[str, dict[str, int]]:
        """Return the number of results by operation and verdict, in the order of the run."""
        table: dict[str, dict[str, int]] = {}
        for result in self.results:
            if result.operation not in table:
                table[result.operation] = {verdict.value: 0 for verdict in Verdict}
            table[result.operation][result.verdict.value] += 1
        return table

    def operations(self) -> list[str]:
        """Return the operations that have vectors or checks, in the order of the run."""
        return [operation for operation in self.by_operation() if operation != PROTOCOL]

    def answered(self) -> set[str]:
        """Return the operations with at least one correct answer; correct refusals do not count."""
        return {
            result.operation
            for result in self.results
            if result.verdict is Verdict.PASSED and result.kind not in (None, Kind.REFUSAL)
        }

    def conforming(self) -> list[str]:
        """Return the operations that passed all their vectors and checks."""
        return [name for name, shares in self._without_failure() if total_share(shares).part == 1]

    def in_part(self) -> list[str]:
        """Return the operations without a failure in which some vectors or checks did not pass."""
        return [name for name, shares in self._without_failure() if total_share(shares).part < 1]

    def _without_failure(self) -> list[tuple[str, Coverage]]:
        """Return the operations with a correct answer and no failure, with their shares."""
        names = self.answered() - {failure.operation for failure in self.failures()}
        return [(name, shares) for name, shares in self.coverage.items() if name in names]

    @property
    def coverage(self) -> dict[str, Coverage]:
        """The number of passed and of all requests, by operation and kind of request."""
        shares = coverage(self.results)
        return {name: shares[name] for name in self.operations() if name in shares}

    def failures(self) -> Sequence[Result]:
        """Return the results that count against conformance."""
        return [result for result in self.results if not result.verdict.good]

    def to_json(self) -> dict[str, Json]:
        """Return the JSON form of the outcome; its keys are an interface."""
        document: dict[str, Json] = {
            "program": {"name": self.name, "version": self.version},
            "specification": self.specification,
            "holds": self.holds,
            "verdict": self.verdict,
            "statement": self.statement,
            "passed": self.count(Verdict.PASSED),
            "failed": self.count(Verdict.FAILED, Verdict.XPASSED),
            "skipped": self.count(Verdict.SKIPPED),
            "unsupported": self.count(Verdict.UNSUPPORTED),
            "expected_failures": self.count(Verdict.XFAILED),
            "by_operation": self.by_operation(),
            "coverage": {
                name: {kind.value: share.to_json() for kind, share in shares.items()}
                for name, shares in self.coverage.items()
            },
            "conforming": self.conforming(),
            "in_part": self.in_part(),
            "not_offered": [name for name in self.operations() if name not in self.offered],
            "unknown": [word.to_json() for word in self.unknown],
            "failures": [{"id": failure.id, "reason": failure.reason} for failure in self.failures()],
            "statistics": [check.to_json() for check in self.statistics],
        }
        return document if self.replay is None else document | {"replay": self.replay.to_json()}

    def to_junit(self) -> bytes:
        """Return the outcome as JUnit XML: a suite for each operation, with its shares as properties.

        A run in which no operation was tested is reported as an error.
        """
        suites: dict[str, list[Case]] = {}
        for result in self.results:
            suites.setdefault(result.operation, []).append(result.to_case())
        if self.verdict == "inconclusive":
            untested = Case(group=PROTOCOL, name="protocol/tested", outcome="error", message=self.statement)
            suites.setdefault(PROTOCOL, []).append(untested)
        properties = {
            name: {kind.value: f"{share} passed" for kind, share in shares.items()}
            for name, shares in self.coverage.items()
        }
        return junit("splu-ref conform", suites, properties=properties)


_NAMES = 6
"""Operations that a statement lists under one heading."""


def statement(outcome: Conformance) -> str:
    """Return the verdict of a run and the operations it applies to, in a sentence."""
    if outcome.replay is not None:
        return f"{outcome.verdict}: {outcome.replay.id}, tested alone; no other request was tested"
    table, conforming, in_part = outcome.by_operation(), outcome.conforming(), outcome.in_part()
    operations, coverage, answered = outcome.operations(), outcome.coverage, outcome.answered()
    offered = [name for name in operations if name in outcome.offered]
    failures = outcome.failures()
    if outcome.verdict == "conforms":
        text = f"conforms in {len(conforming)} of {len(operations)} operations"
    elif outcome.verdict == "conforms in part":
        text = f"conforms in part, and as a whole in none of {len(operations)} operations"
    elif failures:
        tested = sum(result.tested for result in outcome.results)
        left = [failure.reason for failure in failures if not failure.tested]
        text = (
            f"does not conform: {_counted(len(failures) - len(left))} in {tested} "
            f"test{'' if tested == 1 else 's'}{f', {len(left)} {left[0]}' if left else ''}"
        )
    else:
        text = "inconclusive: no operation was tested"
    parts = [text + (", tested with a few vectors of each file" if outcome.smoke else "")]
    if outcome.holds and outcome.count(Verdict.XFAILED):
        expected = outcome.count(Verdict.XFAILED)
        parts.append(f"{_counted(expected)} {'was' if expected == 1 else 'were'} expected")
    listed = {
        "not offered": [name for name in operations if name not in outcome.offered],
        "in part": [f"{name} ({total_share(coverage[name])}{_lacking(outcome, name)})" for name in in_part],
        "offered and not tested": [
            name for name in offered if name not in answered and not table[name]["failed"]
        ],
    }
    for label, names in listed.items():
        if names:
            more = ", …" if len(names) > _NAMES else ""
            parts.append(f"{len(names)} {label}: {', '.join(names[:_NAMES])}{more}")
    if outcome.statistics:
        wrong = f"a correct program fails with probability at most {len(outcome.statistics)}e-9"
        parts.append(f"{wrong}, and smaller faults of random releases than --explain lists may pass")
    return "; ".join(parts)


def _lacking(outcome: Conformance, operation: str) -> str:
    """Return which features of an operation the program does not support, after its share."""
    reasons = (
        each.reason
        for each in outcome.results
        if each.operation == operation and each.verdict is Verdict.UNSUPPORTED
    )
    return "".join(f"; {reason}" for reason in dict.fromkeys(reasons))


def _counted(failures: int) -> str:
    return f"{failures} failure{'' if failures == 1 else 's'}"
