"""The outcome of one stage of a run."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from splu_ref.report.exhibits import Figure, KillMatrix, PublicationAudit
from splu_ref.report.model import Row, StatisticalRow


@dataclass(frozen=True, slots=True)
class Outcome:
    """The rows of a stage, and the exhibits that it adds to the report.

    ``budget`` bounds the chance that bad luck alone fails the stage.
    """

    rows: tuple[Row, ...] = ()
    statistics: tuple[StatisticalRow, ...] = ()
    publications: tuple[PublicationAudit, ...] = ()
    kill_matrix: KillMatrix | None = None
    figures: tuple[Figure, ...] = ()
    budget: Fraction = Fraction(0)


def check_row(
    stage: str,
    name: str,
    title: str,
    passed: bool,
    *,
    grade: str = "",
    evidence: str = "",
    detail: str = "",
    seconds: float = 0.0,
) -> Row:
    """Return the row of a check that is not a claim of the ledger."""
    status = "holds" if passed else "fails"
    return Row(
        stage=stage,
        id=f"{stage}.{name}",
        title=title,
        status=status,
        passed=passed,
        grade=grade,
        evidence=evidence,
        seconds=seconds,
        detail=detail,
    )
