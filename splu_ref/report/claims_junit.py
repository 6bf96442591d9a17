"""An audit of claims as JUnit XML, for continuous integration: one case per claim."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from splu_ref.audit.claims import Verdict
from splu_ref.junit import junit
from splu_ref.report.claims_model import AuditedClaim, ClaimsAudit


def claims_junit(audit: ClaimsAudit) -> bytes:
    """Return the document in UTF-8; a claim that is contradicted fails, one that is not decided errs."""
    cases = [_case(each, audit.shown_file) for each in audit.claims]
    return junit("splu-ref audit", {audit.title or audit.shown_file: cases}, audit.seconds)


def _case(each: AuditedClaim, file: str) -> Element:
    claim, finding = each.claim, each.finding
    case = Element(
        "testcase",
        classname="splu-ref.audit",
        name=claim.id,
        file=file,
        line=str(claim.line),
        time=f"{each.seconds:.3f}",
    )
    properties = SubElement(case, "properties")
    for name, value in (
        ("kind", claim.kind),
        ("verdict", str(finding.verdict)),
        ("certificate", each.path("decides")),
        ("quotes", " ".join(quote.id for quote in finding.quotes)),
    ):
        if value:
            SubElement(properties, "property", name=name, value=value)
    if finding.verdict is not Verdict.CONFIRMED:
        trouble = SubElement(
            case,
            "failure" if finding.verdict.contradicted else "error",
            type=str(finding.verdict),
            message=f"{finding.verdict}: {each.sentence}",
        )
        trouble.text = "\n".join((finding.stated, finding.recompute))
    return case
