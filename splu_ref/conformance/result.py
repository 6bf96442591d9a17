"""What came of one vector or check."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from splu_ref.channels import Json
from splu_ref.output import Case

PROTOCOL = "protocol"
"""Stands in the place of an operation for what concerns all of them."""


class Kind(StrEnum):
    """What a request asks for."""

    ANSWER = "answers"
    REFUSAL = "refusals"
    """Whoever refuses everything passes these, without the operation."""
    GENERATED = "generated"
    """Very many requests that are made of a seed, with one hash over their answers."""
    AT_RANDOM = "at random"
    """A check of their law."""


class Verdict(StrEnum):
    """How one vector, or one check of the protocol or of chance, came out."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    """There is nothing to be held to: a check for which the method has no law, or the answers too little."""
    UNSUPPORTED = "unsupported"
    """The program does not say that it has the operation, or the feature."""
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
        What was wrong, why it was not asked, or why its failure is expected.
    kind
        What was asked for; None for a check of the runner itself.
    """

    id: str
    operation: str
    verdict: Verdict
    reason: str = ""
    kind: Kind | None = None

    def to_case(self) -> Case:
        """Return the result as a case of JUnit, which has one outcome for all that was not tested."""
        case = Case(group=self.operation, name=self.id)
        if not self.verdict.good:
            return replace(case, outcome="failure", message=self.reason)
        if self.verdict is Verdict.PASSED:
            return case
        kind = self.verdict.value
        return replace(case, outcome="skipped", type=kind, message=f"{kind}: {self.reason}")


@dataclass(frozen=True, slots=True)
class Replay:
    """One request that was asked alone.

    Attributes
    ----------
    id
        The id of a vector, of a generated request, or of a check.
    page
        The page of the specification that decides it.
    about
        What it exercises.
    request
        The line that was sent; empty where many are.
    expected
        The answer that is right, as JSON; empty where many are.
    given
        The line that came, its beginning if it is long; empty if none came.
    """

    id: str
    page: str
    about: str
    request: str = ""
    expected: str = ""
    given: str = ""

    def to_json(self) -> dict[str, Json]:
        """Return the request and its answers for programs."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


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
