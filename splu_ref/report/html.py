"""The report as one HTML file that needs nothing else: no network, no fonts, no other file."""

from __future__ import annotations

from fractions import Fraction

from markupsafe import Markup

from splu_ref.guarantees.decimals import decimal_up
from splu_ref.report.drawing import MISSING_MATPLOTLIB
from splu_ref.report.exhibits import PublicationAudit
from splu_ref.report.mathml import mathml, spoken
from splu_ref.report.model import LEFT_OUT, Row, VerificationReport
from splu_ref.report.page import page
from splu_ref.report.scatter import scatter

STATUS_ORDER = ("proved", "corrected", "refuted", "definition", "literature", "empirical")
STAGE_TITLES = {
    "ledger": "Ledger",
    "certificates": "Certificates",
    "enumeration": "Enumeration of small worlds",
    "publication": "The embedded table, published",
    "properties": "Property and statistical suites",
    "mutants": "Mutants",
    "figures": "Figures",
}


def html(report: VerificationReport) -> bytes:
    """Return the report as a self-contained HTML document in UTF-8; every text in it is escaped."""
    return page(
        "index.html.j2",
        {
            "duration": _duration,
            "chance": _chance,
            "number": _number,
            "share": _share,
            "mathml": mathml,
            "spoken": spoken,
            "scatter": _scatter,
        },
        report=report,
        left_out=LEFT_OUT,
        by_status=_by_status(report.claims),
        refuted=[row for row in report.claims if row.status == "refuted"],
        titles={row.id: row for row in report.claims},
        stages=_by_stage(report.checks),
        missing_matplotlib=MISSING_MATPLOTLIB,
    )


def _scatter(publication: PublicationAudit) -> Markup:
    return Markup(scatter(publication.counts, publication.gamma))  # noqa: S704  # it escapes every value


def _by_status(claims: tuple[Row, ...]) -> dict[str, int]:
    """Return how many claims have each status, those that occur, in a fixed order."""
    found = [row.status for row in claims]
    order = [*STATUS_ORDER, *sorted(set(found) - set(STATUS_ORDER))]
    return {status: found.count(status) for status in order if status in found}


def _by_stage(checks: tuple[Row, ...]) -> list[tuple[str, str, list[Row]]]:
    """Return (stage, title, rows) in the order of the run."""
    stages = dict.fromkeys(row.stage for row in checks)
    return [
        (stage, STAGE_TITLES.get(stage, stage.capitalize()), [row for row in checks if row.stage == stage])
        for stage in stages
    ]


def _duration(seconds: float) -> str:
    if seconds < 0.0005:
        return "0 s"
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def _chance(value: Fraction) -> str:
    """Return an error probability to three digits, rounded up."""
    return decimal_up(value, 3) if value else "0"


def _number(value: float) -> str:
    """Return a plotted value to four significant digits."""
    return f"{value:.4g}"


def _share(value: float) -> str:
    """Return a relative error as a percentage."""
    return f"{100 * value:.1f} %"
