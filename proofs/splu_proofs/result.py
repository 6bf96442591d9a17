"""What came out when a claim was checked."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .claim import Status
from .evidence import Evidence, Grade


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """One row of a run of the ledger.

    Attributes
    ----------
    id, status
        Of the claim.
    grade
        The grade reached in this run; lower than the claim's own where something could not be checked here.
    passed
        Whether all evidence holds and the proof is bound to the present code. For a refuted claim: whether
        the refutation stands.
    evidence
        Every piece, as it came out.
    seconds
        Wall time.
    message
        One line: what failed, what is outdated, what could not be checked here; empty if nothing.
    recorded
        When and by what the evidence that gives the grade was accepted, if that was not checked in this run;
        empty if it was.
    """

    id: str
    status: Status
    grade: Grade | None
    passed: bool
    evidence: tuple[Evidence, ...]
    seconds: float
    message: str
    recorded: str = ""

    @property
    def summary(self) -> str:
        """All evidence in one line."""
        return "; ".join(f"{each.name}: {each.summary}" for each in self.evidence)

    def failed(self, reason: str) -> ClaimResult:
        """Return the result as failed for a further reason."""
        return replace(self, passed=False, message="; ".join(filter(None, [self.message, reason])))

    def as_json(self) -> dict[str, object]:
        """Return the row as plain values."""
        return {
            "id": self.id,
            "status": str(self.status),
            "grade": None if self.grade is None else str(self.grade),
            "passed": self.passed,
            "evidence": self.summary,
            "seconds": round(self.seconds, 3),
            "message": self.message,
            "recorded": self.recorded,
        }
