"""Several programs held to the vectors as one page: operations against programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from splu_ref import SPECIFICATION, __version__
from splu_ref.conformance import Conformance, spoken, whole
from splu_ref.report.page import page

SHOWN = 20
"""Failures of a program that are told with their reasons; the JSON has all of them."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What became of one operation of one program.

    Attributes
    ----------
    look
        Of the badge: good, bad or none.
    words
        The verdict, with numbers of vectors and checks.
    shares
        What passed of how many, by kind of request.
    """

    look: str
    words: str
    shares: str = ""


def conformance_html(outcomes: Sequence[Conformance]) -> bytes:
    """Return a self-contained HTML document in UTF-8; every text in it is escaped.

    Parameters
    ----------
    outcomes
        At least one, each of the same vectors: a column of the matrix.
    """
    operations = list(dict.fromkeys(name for outcome in outcomes for name in outcome.operations()))
    return page(
        "conformance.html.j2",
        outcomes=outcomes,
        rows=[(name, [_cell(outcome, name) for outcome in outcomes]) for name in operations],
        shown=SHOWN,
        version=__version__,
        specification=SPECIFICATION,
    )


def _cell(outcome: Conformance, operation: str) -> Cell:
    shares = outcome.coverage.get(operation, {})
    if not shares:
        return Cell("", "– not asked")
    told, all_kinds = spoken(shares), whole(shares)
    failed = sum(result.operation == operation for result in outcome.failures())
    if failed:
        return Cell("bad", f"✗ {failed} failed", told)
    if operation not in outcome.offered:
        return Cell("", "– not offered")
    if operation not in outcome.answered():
        return Cell("", "? not shown", told)
    if all_kinds.passed == all_kinds.of:
        return Cell("good", f"✓ all {all_kinds.of}" + (" asked" if outcome.smoke else ""), told)
    expected = outcome.by_operation()[operation]["xfailed"]
    more = f", {expected} expected to fail" if expected else ""
    return Cell("refuted", f"in part: {all_kinds}{more}", told)
