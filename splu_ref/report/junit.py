"""The report as JUnit XML, for continuous integration."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from splu_ref.report.model import Row, VerificationReport

_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot carry, escaped or not."""


def junit(report: VerificationReport) -> bytes:
    """Return a ``testsuites`` document: one suite per stage, one case per row, UTF-8.

    The parsers in use read ``failure`` elements, so a row that failed carries one with its detail.
    """
    root = ElementTree.Element("testsuites", _attributes("splu-ref verify", report.rows, report.seconds))
    for stage in dict.fromkeys(row.stage for row in report.rows):
        rows = tuple(row for row in report.rows if row.stage == stage)
        suite = ElementTree.SubElement(
            root, "testsuite", _attributes(stage, rows, sum(row.seconds for row in rows))
        )
        suite.set("timestamp", report.environment.started)
        for row in rows:
            suite.append(_case(row))
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _attributes(name: str, rows: tuple[Row, ...], seconds: float) -> dict[str, str]:
    failures = sum(not row.passed for row in rows)
    return {
        "name": name,
        "tests": str(len(rows)),
        "failures": str(failures),
        "errors": "0",
        "skipped": "0",
        "time": f"{seconds:.3f}",
    }


def _case(row: Row) -> ElementTree.Element:
    case = ElementTree.Element(
        "testcase", classname=f"splu-ref.{row.stage}", name=_clean(row.id), time=f"{row.seconds:.3f}"
    )
    properties = ElementTree.SubElement(case, "properties")
    for name in ("status", "grade", "title"):
        value = getattr(row, name)
        if value:
            ElementTree.SubElement(properties, "property", name=name, value=_clean(value))
    if not row.passed:
        failure = ElementTree.SubElement(case, "failure", message=_clean(row.detail or row.title))
        failure.text = _clean("\n".join(filter(None, (row.title, row.evidence, row.detail))))
    return case


def _clean(text: str) -> str:
    """Return ``text`` with every character that XML cannot carry replaced by U+FFFD."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
