"""Results of vectors and checks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from splu_ref.channels import Json
from splu_ref.output import Case

PROTOCOL = "protocol"
"""The operation named for vectors and checks that concern the protocol itself."""


class Kind(StrEnum):
    """The kind of outcome that a request requires."""

    ANSWER = "answers"
    REFUSAL = "refusals"
    """A program that refuses every request passes these without having the operation."""
    GENERATED = "generated"
    """Many requests generated from a seed, with one hash over their answers."""
    AT_RANDOM = "at random"
    """A statistical check of random releases against their law."""


class Verdict(StrEnum):
    """The verdict of one vector or check."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    """The check does not apply: the method has no law for it, or the answers lack the data."""
    UNSUPPORTED = "unsupported"
    """The program does not report the operation or the feature as supported."""
    XFAILED = "xfailed"
    """It fails and is in the list of expected failures."""
    XPASSED = "xpassed"
    """It passes although it is in that list: a failure until the entry is removed."""

    @property
    def good(self) -> bool:
        """Whether this verdict is compatible with conformance."""
        return self not in (Verdict.FAILED, Verdict.XPASSED)


@dataclass(frozen=True, slots=True)
class Result:
    """One vector or check.

    Attributes
    ----------
    id
        The id of the vector or check.
    operation
        The operation that it belongs to.
    verdict
        The verdict.
    reason
        The fault, why the request was not sent, or why its failure is expected.
    kind
        The kind of request; None for a check of the protocol.
    """

    id: str
    operation: str
    verdict: Verdict
    reason: str = ""
    kind: Kind | None = None

    def to_case(self) -> Case:
        """Return the result as a JUnit case; every result that was not tested is ``skipped``."""
        case = Case(group=self.operation, name=self.id)
        if not self.verdict.good:
            return replace(case, outcome="failure", message=self.reason)
        if self.verdict is Verdict.PASSED:
            return case
        kind = self.verdict.value
        return replace(case, outcome="skipped", type=kind, message=f"{kind}: {self.reason}")


@dataclass(frozen=True, slots=True)
class Replay:
    """One request that was tested alone.

    Attributes
    ----------
    id
        The id of a vector, of a generated request, or of a check.
    page
        The page of the specification that decides it.
    about
        What it tests.
    request
        The line that was sent; empty for several requests.
    expected
        The correct answer, as JSON; empty for several requests.
    given
        The line received, truncated if it is long; empty if there was none.
    """

    id: str
    page: str
    about: str
    request: str = ""
    expected: str = ""
    given: str = ""

    def to_json(self) -> dict[str, Json]:
        """Return the JSON form of the request and its answers."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True)
class StatisticalCheck:
    """One statistical check of random releases.

    Attributes
    ----------
    name
        The id of the check.
    observations
        Number of independent observations.
    log10_e_value
        Base-10 logarithm of the evidence against the program; it rejects from -log10 ``level`` on.
    level
        Upper bound of the probability of rejecting a correct program.
    power
        The smallest deviation that is detected with probability 0.999, as text.
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
        """Return the JSON form of the check."""
        return {
            "name": self.name,
            "observations": self.observations,
            "log10_e_value": self.log10_e_value,
            "level": self.level,
            "power": self.power,
            "passed": self.passed,
        }
