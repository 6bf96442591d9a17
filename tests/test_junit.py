"""Documents of JUnit, whole: with and without times, properties and further attributes."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from splu_ref.junit import junit

WHOLE = """\
<?xml version='1.0' encoding='utf-8'?>
<testsuites name="all" tests="3" failures="1" errors="1" skipped="1">
  <testsuite name="one" tests="2" failures="1" errors="0" skipped="1" hostname="h\ufffd">
    <properties>
      <property name="seed" value="7" />
      <property name="note" value="&lt;\ufffd&gt;" />
    </properties>
    <testcase name="a">
      <failure>it \ufffd&amp; failed</failure>
    </testcase>
    <testcase name="b">
      <skipped />
    </testcase>
  </testsuite>
  <testsuite name="two" tests="1" failures="0" errors="1" skipped="0" hostname="h\ufffd">
    <testcase name="c">
      <error />
    </testcase>
  </testsuite>
  <testsuite name="none" tests="0" failures="0" errors="0" skipped="0" hostname="h\ufffd" />
</testsuites>
"""
TIMED = """\
<?xml version='1.0' encoding='utf-8'?>
<testsuites name="all" tests="2" failures="0" errors="0" skipped="0" time="9.876">
  <testsuite name="one" tests="2" failures="0" errors="0" skipped="0" time="1.750">
    <testcase time="0.5" />
    <testcase time="1.25" />
  </testsuite>
</testsuites>
"""


def _case(name: str, outcome: str, text: str | None = None) -> Element:
    case = Element("testcase", {"name": name})
    SubElement(case, outcome).text = text
    return case


def test_a_document_of_suites() -> None:
    suites = {
        "one": [_case("a", "failure", "it \x00& failed"), _case("b", "skipped")],
        "two": [_case("c", "error")],
        "none": [],
    }
    told = {"one": {"seed": "7", "note": "<\x1b>"}, "two": {}}
    assert junit("all", suites, properties=told, hostname="h\ufffe").decode() == WHOLE


def test_a_document_with_times() -> None:
    cases = [Element("testcase", {"time": "0.5"}), Element("testcase", {"time": "1.25"})]
    assert junit("all", {"one": cases}, 9.8761).decode() == TIMED
