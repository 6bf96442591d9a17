"""The conformance of several programs as one page: operations by programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from splu_ref import SPECIFICATION, __version__
from splu_ref.conformance import Conformance, describe_shares, total_share
from splu_ref.report.html import page

SHOWN = 20
"""Number of failures of a program that the page lists; the JSON has all of them."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What became of one operation of one program."""

    look: str  #: of the badge: good, bad or none
    words: str  #: the verdict, with numbers of vectors and checks
    shares: str = ""  #: what passed of how many, by kind of request


def conformance_html(outcomes: Sequence[Conformance]) -> bytes:
    """Return a self-contained HTML document in UTF-8; every text in it is escaped.

    Parameters
    ----------
    outcomes
        At least one, each of the same vectors: a column of the matrix.
    """
    operations = list(dict.fromkeys(name for outcome in outcomes for name in outcome.operations()))
    columns = [_column(outcome, operations) for outcome in outcomes]
    return page(
        "conformance.html.j2",
        outcomes=outcomes,
        rows=list(zip(operations, zip(*columns, strict=True), strict=True)),
        shown=SHOWN,
        version=__version__,
        specification=SPECIFICATION,
    )


def _column(outcome: Conformance, operations: Sequence[str]) -> Iterator[Cell]:
    """Yield what is shown of a program, by operation."""
    coverage, answered, counts = outcome.coverage, outcome.answered(), outcome.by_operation()
    failures = Counter(failure.operation for failure in outcome.failures())
    for operation in operations:
        shares = coverage.get(operation)
        if not shares:
            yield Cell("", "– not tested")
            continue
        shares_text, all_kinds = describe_shares(shares), total_share(shares)
        if failures[operation]:
            yield Cell("bad", f"✗ {failures[operation]} failed", shares_text)
        elif operation not in outcome.offered:
            yield Cell("", "– not offered")
        elif operation not in answered:
            yield Cell("", "? not tested", shares_text)
        elif all_kinds.passed == all_kinds.of:
            yield Cell("good", f"✓ all {all_kinds.of}" + (" tested" if outcome.smoke else ""), shares_text)
        else:
            expected = counts[operation]["xfailed"]
            more = f", {expected} expected to fail" if expected else ""
            yield Cell("refuted", f"in part: {all_kinds}{more}", shares_text)
