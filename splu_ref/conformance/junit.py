"""The outcome of a conformance run as JUnit XML."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from splu_ref.conformance.outcome import Conformance, Result, Verdict

_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(outcome: Conformance) -> bytes:
    """Return a ``testsuites`` document: one suite per operation, one case per vector or check, UTF-8."""
    root = ElementTree.Element("testsuites", _attributes("splu-ref conform", outcome.results))
    for operation in dict.fromkeys(result.operation for result in outcome.results):
        results = [result for result in outcome.results if result.operation == operation]
        suite = ElementTree.SubElement(root, "testsuite", _attributes(operation, results))
        for result in results:
            case = ElementTree.SubElement(
                suite, "testcase", classname=f"splu-ref.{operation}", name=_clean(result.id)
            )
            if not result.verdict.good:
                ElementTree.SubElement(case, "failure", message=_clean(result.reason))
            elif result.verdict is not Verdict.PASSED:
                ElementTree.SubElement(case, "skipped", message=_clean(result.reason))
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _attributes(name: str, results: list[Result]) -> dict[str, str]:
    passed = sum(result.verdict is Verdict.PASSED for result in results)
    failed = sum(not result.verdict.good for result in results)
    return {
        "name": name,
        "tests": str(len(results)),
        "failures": str(failed),
        "errors": "0",
        "skipped": str(len(results) - passed - failed),
    }


def _clean(text: str) -> str:
    """Return ``text`` with every character that XML cannot carry replaced by U+FFFD."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
