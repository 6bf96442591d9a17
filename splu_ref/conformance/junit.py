"""The outcome of a conformance run as JUnit XML: one suite per operation, one case per vector or check.

A suite's properties are its shares by kind of request. A run in which no operation was tested has an error
beside them: it is no success.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from splu_ref.conformance.outcome import Conformance
from splu_ref.conformance.result import PROTOCOL, Result, Verdict
from splu_ref.junit import junit as document


def junit(outcome: Conformance) -> bytes:
    """Return the document in UTF-8."""
    suites: dict[str, list[Element]] = {}
    for result in outcome.results:
        suites.setdefault(result.operation, []).append(_case(result))
    if outcome.verdict == "inconclusive":
        case = Element("testcase", classname=f"splu-ref.{PROTOCOL}", name="protocol/tested")
        SubElement(case, "error", message=outcome.statement)
        suites.setdefault(PROTOCOL, []).append(case)
    properties = {
        name: {kind.value: f"{share} passed" for kind, share in shares.items()}
        for name, shares in outcome.coverage.items()
    }
    return document("splu-ref conform", suites, properties=properties)


def _case(result: Result) -> Element:
    case = Element("testcase", classname=f"splu-ref.{result.operation}", name=result.id)
    if not result.verdict.good:
        SubElement(case, "failure", message=result.reason)
    elif result.verdict is not Verdict.PASSED:
        # The form knows no further outcome: the type tells what is unsupported from what is skipped.
        SubElement(case, "skipped", type=result.verdict.value, message=f"{result.verdict}: {result.reason}")
    return case
