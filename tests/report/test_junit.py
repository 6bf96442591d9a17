from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from splu_ref.report.model import Row, VerificationReport


def test_suites_count_their_cases(report: VerificationReport) -> None:
    root = ElementTree.fromstring(report.to_junit())
    assert (root.tag, root.get("tests"), root.get("failures")) == ("testsuites", "3", "1")
    found = {suite.get("name"): (suite.get("tests"), suite.get("failures")) for suite in root}
    assert found == {"ledger": ("2", "0"), "enumeration": ("1", "1")}
    assert [case.get("name") for case in root.iter("testcase")] == ["splu.B", "splu.T3", "enumeration.x"]


def test_only_what_failed_carries_a_failure(report: VerificationReport) -> None:
    root = ElementTree.fromstring(report.to_junit())
    failed = [case.get("name") for case in root.iter("testcase") if case.find("failure") is not None]
    assert failed == ["enumeration.x"]


def test_characters_that_xml_cannot_carry_are_replaced(report: VerificationReport) -> None:
    failure = ElementTree.fromstring(report.to_junit()).find(".//failure")
    assert failure is not None
    assert failure.get("message") == "<script>alert('x')</script>&\"\ufffd\ufffd[31m"


WHOLE = """\
<?xml version='1.0' encoding='utf-8'?>
<testsuites name="splu-ref verify" tests="6" failures="3" errors="0" skipped="2" time="2.500">
  <testsuite name="ledger" tests="4" failures="1" errors="0" skipped="2" time="0.650" timestamp="2026-01-02T03:04:05+00:00">
    <testcase classname="splu-ref.ledger" name="splu.B" time="0.100">
      <properties>
        <property name="status" value="proved" />
        <property name="grade" value="symbolic" />
        <property name="title" value="law" />
      </properties>
    </testcase>
    <testcase classname="splu-ref.ledger" name="splu.D" time="0.050">
      <properties>
        <property name="status" value="definition" />
        <property name="title" value="group" />
      </properties>
      <skipped message="a definition" />
    </testcase>
    <testcase classname="splu-ref.ledger" name="splu.K" time="0.200">
      <properties>
        <property name="status" value="proved" />
        <property name="grade" value="kernel" />
        <property name="title" value="tail" />
      </properties>
      <skipped message="recorded" />
    </testcase>
    <testcase classname="splu-ref.ledger" name="splu.L" time="0.300">
      <properties>
        <property name="status" value="refuted" />
        <property name="grade" value="exact" />
        <property name="title" value="bound" />
      </properties>
      <failure message="outdated">bound
summed
outdated</failure>
    </testcase>
  </testsuite>
  <testsuite name="certificates" tests="2" failures="2" errors="0" skipped="0" time="1.250" timestamp="2026-01-02T03:04:05+00:00">
    <testcase classname="splu-ref.certificates" name="certificates.x" time="1.250">
      <properties>
        <property name="status" value="fails" />
        <property name="title" value="x holds" />
      </properties>
      <failure message="it &lt;is&gt; not\ufffd">x holds
two
it &lt;is&gt; not\ufffd</failure>
    </testcase>
    <testcase classname="splu-ref.certificates" name="certificates.y" time="0.000">
      <properties>
        <property name="status" value="fails" />
        <property name="title" value="y holds" />
      </properties>
      <failure message="y holds">y holds</failure>
    </testcase>
  </testsuite>
</testsuites>
"""  # noqa: E501 - a line of the document


def test_the_whole_document(report: VerificationReport) -> None:
    """What was checked, a definition, a record, a record that failed, and checks with and without detail."""
    rows = (
        Row("ledger", "splu.B", "law", "proved", True, "symbolic", "steps", 0.1),
        Row("ledger", "splu.D", "group", "definition", True, seconds=0.05, unchecked="a definition"),
        Row("certificates", "certificates.x", "x holds", "fails", False, "", "two", 1.25, "it <is> not\x00"),
        Row("ledger", "splu.K", "tail", "proved", True, "kernel", "steps", 0.2, unchecked="recorded"),
        Row(
            "ledger",
            "splu.L",
            "bound",
            "refuted",
            False,
            "exact",
            "summed",
            0.3,
            "outdated",
            unchecked="recorded",
        ),
        Row("certificates", "certificates.y", "y holds", "fails", False, seconds=0.0004),
    )
    assert replace(report, rows=rows, seconds=2.5).to_junit().decode() == WHOLE
