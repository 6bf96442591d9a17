"""The outcome of a conformance run as JUnit XML: one suite per operation, one case per vector or check."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from splu_ref.conformance.outcome import Conformance, Result, Verdict
from splu_ref.junit import junit as document


def junit(outcome: Conformance) -> bytes:
    """Return the document in UTF-8."""
    suites: dict[str, list[Element]] = {}
    for result in outcome.results:
        suites.setdefault(result.operation, []).append(_case(result))
    return document("splu-ref conform", suites)


def _case(result: Result) -> Element:
    case = Element("testcase", classname=f"splu-ref.{result.operation}", name=result.id)
    if not result.verdict.good:
        SubElement(case, "failure", message=result.reason)
    elif result.verdict is not Verdict.PASSED:
        SubElement(case, "skipped", message=result.reason)
    return case
