from __future__ import annotations

from xml.etree import ElementTree

from splu_ref.report.junit import junit
from splu_ref.report.model import VerificationReport


def test_suites_count_their_cases(report: VerificationReport) -> None:
    root = ElementTree.fromstring(junit(report))
    assert (root.tag, root.get("tests"), root.get("failures")) == ("testsuites", "3", "1")
    found = {suite.get("name"): (suite.get("tests"), suite.get("failures")) for suite in root}
    assert found == {"ledger": ("2", "0"), "enumeration": ("1", "1")}
    assert [case.get("name") for case in root.iter("testcase")] == ["splu.B", "splu.T3", "enumeration.x"]


def test_only_what_failed_carries_a_failure(report: VerificationReport) -> None:
    root = ElementTree.fromstring(junit(report))
    failed = [case.get("name") for case in root.iter("testcase") if case.find("failure") is not None]
    assert failed == ["enumeration.x"]


def test_characters_that_xml_cannot_carry_are_replaced(report: VerificationReport) -> None:
    failure = ElementTree.fromstring(junit(report)).find(".//failure")
    assert failure is not None
    assert failure.get("message") == "<script>alert('x')</script>&\"\ufffd\ufffd[31m"
