"""What a verification run found, as plain frozen records with a JSON form."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import log10
from typing import Literal, TypeAlias

from splu_ref.channels import Json
from splu_ref.guarantees import exact_json
from splu_ref.output import Case, junit
from splu_ref.report.exhibits import Figure, KillMatrix, PublicationAudit

Level: TypeAlias = Literal["quick", "full"]
LEFT_OUT = "Coq, frequencies in other orders, the property and statistical suites, mutants"
"""What level quick does not run."""
Result: TypeAlias = Literal["passed", "failed", "definition", "recorded"]


@dataclass(frozen=True, slots=True)
class Row:
    """One claim or one check, and whether it came out as stated.

    Attributes
    ----------
    stage
        The part of the suite that produced the row: ``ledger``, ``certificates``, ``enumeration``, …
    id, title
        A stable name, and the same in words.
    status
        For a claim of the ledger: definition, proved, verified, refuted, corrected, literature, empirical.
        For any other check: holds or fails.
    passed
        Whether nothing contradicts the status. A refuted claim passes when its witness refutes it again.
    unchecked
        Why nothing was checked in this run that could have failed the status: a definition, or a record of
        what was accepted elsewhere. Empty for what was checked.
    grade
        What kind of evidence stands behind it: kernel, symbolic, exact, enumerated, statistical.
    evidence
        What was done, in a sentence.
    seconds
        Time taken.
    detail
        What went wrong, or numbers worth knowing.
    scope
        For a claim: general, or instances if it is verified on a range only; empty if it is not proved here.
    source, statement, words, witness, corrected_by
        For a claim: where it is printed, what it says (LaTeX) and in plain words, the counterexample, the
        id of its repair.
    """

    stage: str
    id: str
    title: str
    status: str
    passed: bool
    grade: str = ""
    evidence: str = ""
    seconds: float = 0.0
    detail: str = ""
    scope: str = ""
    source: str = ""
    statement: str = ""
    words: str = ""
    witness: str = ""
    corrected_by: str = ""
    unchecked: str = ""

    def to_case(self) -> Case:
        """Return the row as a case of JUnit; one that was not checked is skipped."""
        return Case(
            group=self.stage,
            name=self.id,
            outcome="skipped" if self.passed and self.unchecked else "" if self.passed else "failure",
            message=self.unchecked if self.passed else self.detail or self.title,
            text=None if self.passed else "\n".join(filter(None, (self.title, self.evidence, self.detail))),
            seconds=self.seconds,
            properties={"status": self.status, "grade": self.grade, "title": self.title},
        )

    @property
    def result(self) -> Result:
        """What the run says of the row; only what was checked has passed."""
        if not self.passed:
            return "failed"
        if not self.unchecked:
            return "passed"
        return "definition" if self.status == "definition" else "recorded"

    def to_json(self) -> dict[str, Json]:
        """Return the row as a JSON object; what only claims have is left out of other checks.

        ``passed`` is null where nothing was checked in this run.
        """
        passed = None if self.passed and self.unchecked else self.passed
        row: dict[str, Json] = {
            **asdict(self), "seconds": round(self.seconds, 3), "passed": passed, "result": self.result
        }  # fmt: skip
        if self.stage != "ledger":
            for name in ("scope", "source", "statement", "words", "witness", "corrected_by", "unchecked"):
                del row[name]
        else:
            row["scope"] = self.scope or None
            row["witness"] = self.witness or None
            row["corrected_by"] = self.corrected_by or None
            row["unchecked"] = self.unchecked or None
        return row


_SOURCE = re.compile(r"[A-Z][^0-9§(]*? (?:19|20)[0-9]{2}|[A-Z][^0-9§(,]*")


@dataclass(frozen=True, slots=True)
class Paper:
    """The claims of a source paper; ``id`` is what the ids of its claims begin with."""

    id: str
    rows: tuple[Row, ...]

    @property
    def name(self) -> str:
        """Authors and year, as most of the claims name their source."""
        named = Counter(found[0] for row in self.rows if (found := _SOURCE.match(row.source)))
        return named.most_common(1)[0][0] if named else self.id

    @property
    def failed(self) -> int:
        """Number of claims that failed."""
        return sum(not row.passed for row in self.rows)

    def number(self, status: str) -> int:
        """Return how many claims have a status."""
        return sum(row.status == status for row in self.rows)

    def scoped(self, scope: str) -> int:
        """Return how many claims are decided with a scope."""
        return sum(row.scope == scope for row in self.rows)


@dataclass(frozen=True, slots=True)
class StatisticalRow:
    """One check on sampled data."""

    check: str  #: its name
    #: base-10 logarithm of the e-value where sampling stopped; None when the check never got that far
    log10_e: float | None
    budget: Fraction  #: the chance of a false alarm that is charged to the check: it fails when e >= 1/budget
    power: str  #: the smallest deviation detected with probability 0.999 or more, in words
    passed: bool  #: whether the check passed

    @property
    def threshold(self) -> float:
        """Base-10 logarithm of the e-value at which the check fails: 1 / budget."""
        return -log10(self.budget)

    def to_json(self) -> dict[str, Json]:
        """Return the row as a JSON object."""
        return {**asdict(self), "budget": _error_probability(self.budget)}


@dataclass(frozen=True, slots=True)
class Environment:
    """Where and with what the run took place.

    ``commit`` names the commit of the checkout that the code ran from, with ``, changed`` where files differ
    from it; it is empty for an installed package. ``code`` is the SHA-256 of the program's files. ``started``
    is a UTC time in ISO 8601, ``command`` the command that repeats the run with its seed.
    """

    version: str
    specification: str
    commit: str
    code: str
    python: str
    platform: str
    processors: int
    workers: int
    seed: str
    fresh_seed: bool
    started: str
    packages: tuple[tuple[str, str], ...]
    command: str

    def to_json(self) -> dict[str, Json]:
        """Return the environment as a JSON object."""
        return {**asdict(self), "packages": dict(self.packages)}


@dataclass(frozen=True, slots=True)
class VerificationReport:
    """The whole run.

    ``false_alarm_budget`` bounds the chance that a sound implementation fails such a run by bad luck.
    """

    level: Level
    rows: tuple[Row, ...]
    environment: Environment
    seconds: float
    statistics: tuple[StatisticalRow, ...] = ()
    publications: tuple[PublicationAudit, ...] = ()
    kill_matrix: KillMatrix | None = None
    figures: tuple[Figure, ...] = ()
    false_alarm_budget: Fraction = Fraction(0)

    @property
    def claims(self) -> tuple[Row, ...]:
        """The rows of the ledger."""
        return tuple(row for row in self.rows if row.stage == "ledger")

    @property
    def papers(self) -> tuple[Paper, ...]:
        """The claims by paper, in the order of the ledger."""
        ids = dict.fromkeys(row.id.partition(".")[0] for row in self.claims)
        return tuple(
            Paper(paper, tuple(row for row in self.claims if row.id.partition(".")[0] == paper))
            for paper in ids
        )

    @property
    def checks(self) -> tuple[Row, ...]:
        """All other rows."""
        return tuple(row for row in self.rows if row.stage != "ledger")

    @property
    def failures(self) -> tuple[Row, ...]:
        """Every row that did not come out as stated."""
        return tuple(row for row in self.rows if not row.passed)

    @property
    def failed(self) -> int:
        """Number of rows that did not come out as stated."""
        return len(self.failures)

    @property
    def passed(self) -> int:
        """Number of rows that were checked in this run and came out as stated."""
        return self.number("passed")

    def number(self, result: Result) -> int:
        """Return how many rows have a result."""
        return sum(row.result == result for row in self.rows)

    @property
    def holds(self) -> bool:
        """Whether the run as a whole passed; a run in which nothing was checked did not."""
        return bool(self.passed) and not self.failures

    def to_junit(self) -> bytes:
        """Return the report as JUnit XML: a suite for each stage, a case for each row."""
        suites: dict[str, list[Case]] = {}
        for row in self.rows:
            suites.setdefault(row.stage, []).append(row.to_case())
        return junit("splu-ref verify", suites, self.seconds, timestamp=self.environment.started)

    def to_json(self) -> dict[str, Json]:
        """Return the report as one JSON object.

        ``passed``, ``failed``, ``definitions`` and ``recorded`` are numbers of rows;
        ``false_alarm_budget`` is an exact probability.
        """
        return {
            "schema": "splu-ref/report/1",
            "level": self.level,
            "holds": self.holds,
            "claims": [row.to_json() for row in self.claims],
            "checks": [row.to_json() for row in self.checks],
            "passed": self.passed,
            "failed": self.failed,
            "definitions": self.number("definition"),
            "recorded": self.number("recorded"),
            "false_alarm_budget": _error_probability(self.false_alarm_budget),
            "seconds": round(self.seconds, 3),
            "statistics": [row.to_json() for row in self.statistics],
            "publications": [publication.to_json() for publication in self.publications],
            "kill_matrix": None if self.kill_matrix is None else self.kill_matrix.to_json(),
            "figures": [figure.to_json() for figure in self.figures],
            "environment": self.environment.to_json(),
        }


def _error_probability(value: Fraction) -> Json:
    form = exact_json(value, "up")
    return {"fraction": form["fraction"], "decimal": form["decimal"], "digits": form["digits"]}
