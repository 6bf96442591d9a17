"""An audit of claims as one HTML file that needs nothing else: no network, no fonts, no other file."""

from __future__ import annotations

from splu_ref import SPECIFICATION, __version__
from splu_ref.audit.claims import Verdict
from splu_ref.report.claims_model import ClaimsAudit
from splu_ref.report.page import page

_LOOKS = {
    Verdict.CONFIRMED: ("good", "✓"),
    Verdict.NARROWED: ("refuted", "◐"),
    Verdict.REFUTED: ("bad", "✗"),
    Verdict.NOT_DECIDED: ("corrected", "?"),
}
"""The class of the badge, and a mark for those who do not see colors."""


def claims_html(audit: ClaimsAudit) -> bytes:
    """Return the audit as a self-contained HTML document in UTF-8; every text in it is escaped."""
    return page(
        "claims.html.j2",
        audit=audit,
        looks=_LOOKS,
        verdicts=[verdict for verdict, count in audit.counts.items() if count],
        version=__version__,
        specification=SPECIFICATION,
    )
