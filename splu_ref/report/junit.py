"""The report as JUnit XML, for continuous integration: one suite per stage, one case per row."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from splu_ref.junit import junit as document
from splu_ref.report.model import Row, VerificationReport


def junit(report: VerificationReport) -> bytes:
    """Return the document in UTF-8; a row that failed carries a failure, one not checked is skipped."""
    suites: dict[str, list[Element]] = {}
    for row in report.rows:
        suites.setdefault(row.stage, []).append(_case(row))
    return document("splu-ref verify", suites, report.seconds, timestamp=report.environment.started)


def _case(row: Row) -> Element:
    case = Element("testcase", classname=f"splu-ref.{row.stage}", name=row.id, time=f"{row.seconds:.3f}")
    properties = SubElement(case, "properties")
    for name in ("status", "grade", "title"):
        value = getattr(row, name)
        if value:
            SubElement(properties, "property", name=name, value=value)
    if not row.passed:
        failure = SubElement(case, "failure", message=row.detail or row.title)
        failure.text = "\n".join(filter(None, (row.title, row.evidence, row.detail)))
    elif row.unchecked:
        SubElement(case, "skipped", message=row.unchecked)
    return case
