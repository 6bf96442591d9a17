"""What a run of the conformance vectors found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from splu_ref.channels import Json
from splu_ref.conformance.coverage import Coverage, coverage, whole
from splu_ref.conformance.description import Unknown
from splu_ref.conformance.result import PROTOCOL, Kind, Replay, Result, StatisticalCheck, Verdict
from splu_ref.output import Case, junit


@dataclass
class Conformance:
    """The outcome of a run.

    Attributes
    ----------
    name, version
        What the program says of itself.
    specification
        The version of the specification that it was held to.
    offered
        The operations that it says it has.
    unknown
        What it says beside them and the specification does not know: the first hundred.
    smoke
        Whether a few vectors of each file were asked, and not all.
    results
        Every vector and check, in the order of the run.
    statistics
        The checks of chance, with their evidence and power.
    replay
        What was asked alone, if one request was.
    """

    name: str
    version: str
    specification: str
    offered: frozenset[str] = frozenset()
    unknown: Sequence[Unknown] = ()
    smoke: bool = False
    results: list[Result] = field(default_factory=list)
    statistics: list[StatisticalCheck] = field(default_factory=list)
    replay: Replay | None = None

    @property
    def verdict(self) -> str:
        """``conforms``, ``conforms in part``, ``does not conform``, or ``inconclusive``.

        In part: nothing failed, and of no operation was all tested and right. Inconclusive: none was tested.
        Of one request asked alone: ``passed``, ``failed`` or ``inconclusive``.
        """
        if self.failures():
            return "does not conform" if self.replay is None else "failed"
        if self.replay is not None:
            asked = (result.verdict for result in self.results if result.id == self.replay.id)
            return "passed" if Verdict.PASSED in asked else "inconclusive"
        if self.conforming():
            return "conforms"
        return "conforms in part" if self.in_part() else "inconclusive"

    @property
    def holds(self) -> bool:
        """Whether nothing failed, and something was tested and passed."""
        return self.verdict in ("conforms", "conforms in part", "passed")

    @property
    def statement(self) -> str:
        """What was shown, of what, in a sentence."""
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
        """Return the operations of which there are vectors or checks, in the order of the run."""
        return [operation for operation in self.by_operation() if operation != PROTOCOL]

    def answered(self) -> set[str]:
        """Return the operations of which a request was answered rightly; to refuse one is not enough."""
        return {
            result.operation
            for result in self.results
            if result.verdict is Verdict.PASSED and result.kind not in (None, Kind.REFUSAL)
        }

    def conforming(self) -> list[str]:
        """Return the operations of which all that there is was asked and right."""
        return [name for name, shares in self._right() if whole(shares).part == 1]

    def in_part(self) -> list[str]:
        """Return the operations of which nothing failed, and a part was not asked, told or expected right."""
        return [name for name, shares in self._right() if whole(shares).part < 1]

    def _right(self) -> list[tuple[str, Coverage]]:
        """Return the operations of which something was answered rightly and nothing failed, with shares."""
        right = self.answered() - {failure.operation for failure in self.failures()}
        return [(name, shares) for name, shares in self.coverage.items() if name in right]

    @property
    def coverage(self) -> dict[str, Coverage]:
        """What passed of how many, by operation and kind of request."""
        found = coverage(self.results)
        return {name: found[name] for name in self.operations() if name in found}

    def failures(self) -> Sequence[Result]:
        """Return what stands between the program and conformance."""
        return [result for result in self.results if not result.verdict.good]

    def to_json(self) -> dict[str, Json]:
        """Return the outcome for programs; the keys are an interface."""
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

        A run in which no operation was tested has an error: it is no success.
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


def statement(outcome: Conformance) -> str:
    """Return what a run has shown, of what, in a sentence."""
    if outcome.replay is not None:
        return f"{outcome.verdict}: {outcome.replay.id}, asked alone; this says nothing of the others"
    table, conforming, in_part = outcome.by_operation(), outcome.conforming(), outcome.in_part()
    operations, coverage, answered = outcome.operations(), outcome.coverage, outcome.answered()
    offered = [name for name in operations if name in outcome.offered]
    failures = outcome.failures()
    if outcome.verdict == "conforms":
        said = f"conforms in {len(conforming)} of {len(operations)} operations"
    elif outcome.verdict == "conforms in part":
        said = f"conforms in part, and as a whole in none of {len(operations)} operations"
    elif failures:
        asked = outcome.count(Verdict.PASSED, Verdict.XFAILED) + len(failures)
        said = f"does not conform: {_counted(len(failures))} in {asked} vectors and checks"
    else:
        said = "inconclusive: no operation was tested"
    parts = [said + (", asked a few vectors of each file" if outcome.smoke else "")]
    if outcome.holds and outcome.count(Verdict.XFAILED):
        expected = outcome.count(Verdict.XFAILED)
        parts.append(f"{_counted(expected)} {'was' if expected == 1 else 'were'} expected")
    listed = {
        "not offered": [name for name in operations if name not in outcome.offered],
        "in part": [f"{name} ({whole(coverage[name])})" for name in in_part],
        "offered and not shown": [
            name for name in offered if name not in answered and not table[name]["failed"]
        ],
    }
    parts += [f"{len(names)} {what}: {', '.join(names)}" for what, names in listed.items() if names]
    if outcome.statistics:
        parts.append(f"a program that is right fails by chance with at most {len(outcome.statistics)}e-9")
    return "; ".join(parts)


def _counted(failures: int) -> str:
    return f"{failures} failure{'' if failures == 1 else 's'}"
