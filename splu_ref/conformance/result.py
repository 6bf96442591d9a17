"""Results of vectors and checks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from splu_ref.channels import Json
from splu_ref.output import Case

PROTOCOL = "protocol"
"""The operation named for vectors and checks that concern the protocol itself."""
PROTOCOL_PAGE = "docs/specification/conformance.md"
"""The page of the specification that states how requests are answered."""
NOT_RUN = "not run: "
"""The beginning of the reason of a request that was not sent since the run had to end."""


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
    """One vector or check."""

    id: str  #: the id of the vector or check
    operation: str  #: the operation that it belongs to
    verdict: Verdict  #: the verdict
    reason: str = ""  #: the fault, why the request was not sent, or why its failure is expected
    kind: Kind | None = None  #: the kind of request; None for a check of the protocol
    page: str = ""  #: the page of the specification that decides it; empty if none does
    size: int | None = None  #: bytes of the request and the correct answer; None unless one request failed

    @property
    def tested(self) -> bool:
        """Whether the request was sent."""
        unsent = self.verdict in (Verdict.SKIPPED, Verdict.UNSUPPORTED) or self.reason.startswith(NOT_RUN)
        return not unsent

    @property
    def alone(self) -> str:
        """The id by which it is tested alone: of generated requests, that of the first wrong one."""
        named = self.reason.partition(": ")[0]
        return named if named.startswith(f"{self.id}/") else self.id

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
    """One request that was tested alone."""

    id: str  #: the id of a vector, of a generated request, or of a check
    page: str  #: the page of the specification that decides it
    about: str  #: what it tests
    request: str = ""  #: the line that was sent; empty for several requests
    expected: str = ""  #: the correct answer, as JSON; empty for several requests
    given: str = ""  #: the line received, cut after a million bytes, which it says; empty if there was none

    def to_json(self) -> dict[str, Json]:
        """Return the JSON form of the request and its answers."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True)
class StatisticalCheck:
    """One statistical check of random releases."""

    name: str  #: the id of the check
    observations: int  #: number of independent observations
    #: base-10 logarithm of the evidence against the program; it rejects from -log10 ``level`` on
    log10_e_value: float
    level: str  #: upper bound of the probability of rejecting a correct program
    power: str  #: the smallest deviation that is detected with probability 0.999, as text
    passed: bool  #: whether the check did not reject

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
