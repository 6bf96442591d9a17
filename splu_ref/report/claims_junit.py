"""An audit of claims as JUnit XML, for continuous integration."""

from __future__ import annotations

from xml.etree import ElementTree

from splu_ref.audit.claims import Verdict
from splu_ref.report.claims_model import AuditedClaim, ClaimsAudit


def claims_junit(audit: ClaimsAudit) -> bytes:
    """Return a ``testsuites`` document with one case per claim, UTF-8; refuted and narrowed claims fail.

    Every text in it consists of printable characters, all of which XML can carry.
    """
    failures = sum(each.finding.verdict is not Verdict.CONFIRMED for each in audit.claims)
    numbers = {
        "tests": str(len(audit.claims)),
        "failures": str(failures),
        "errors": "0",
        "skipped": "0",
        "time": f"{audit.seconds:.3f}",
    }
    root = ElementTree.Element("testsuites", {"name": "splu-ref audit", **numbers})
    suite = ElementTree.SubElement(root, "testsuite", {"name": audit.title or audit.shown_file, **numbers})
    for each in audit.claims:
        suite.append(_case(each, audit.shown_file))
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _case(each: AuditedClaim, file: str) -> ElementTree.Element:
    claim, finding = each.claim, each.finding
    case = ElementTree.Element(
        "testcase",
        classname="splu-ref.audit",
        name=claim.id,
        file=file,
        line=str(claim.line),
        time=f"{each.seconds:.3f}",
    )
    properties = ElementTree.SubElement(case, "properties")
    for name, value in (
        ("kind", claim.kind),
        ("verdict", str(finding.verdict)),
        ("certificate", each.path("decides")),
        ("quotes", " ".join(quote.id for quote in finding.quotes)),
    ):
        if value:
            ElementTree.SubElement(properties, "property", name=name, value=value)
    if finding.verdict is not Verdict.CONFIRMED:
        failure = ElementTree.SubElement(
            case, "failure", type=str(finding.verdict), message=f"{finding.verdict}: {each.sentence}"
        )
        failure.text = "\n".join((finding.stated, finding.recompute))
    return case
