"""Documents of JUnit, whole: with and without times, properties and further attributes."""

from __future__ import annotations

from splu_ref.output.junit_xml import Case, junit

WHOLE = """\
<?xml version='1.0' encoding='utf-8'?>
<testsuites name="all" tests="3" failures="1" errors="1" skipped="1">
  <testsuite name="one" tests="2" failures="1" errors="0" skipped="1" hostname="h\ufffd">
    <properties>
      <property name="seed" value="7" />
      <property name="note" value="&lt;\ufffd&gt;" />
    </properties>
    <testcase classname="splu-ref.g" name="a">
      <failure type="wrong" message="&lt;\ufffd">it \ufffd&amp; failed</failure>
    </testcase>
    <testcase classname="splu-ref.g" name="b">
      <skipped message="why" />
    </testcase>
  </testsuite>
  <testsuite name="two" tests="1" failures="0" errors="1" skipped="0" hostname="h\ufffd">
    <testcase classname="splu-ref.h" name="c" file="f" line="3">
      <properties>
        <property name="x" value="y" />
      </properties>
      <error message="" />
    </testcase>
  </testsuite>
  <testsuite name="none" tests="0" failures="0" errors="0" skipped="0" hostname="h\ufffd" />
</testsuites>
"""
TIMED = """\
<?xml version='1.0' encoding='utf-8'?>
<testsuites name="all" tests="2" failures="0" errors="0" skipped="0" time="9.876">
  <testsuite name="one" tests="2" failures="0" errors="0" skipped="0" time="1.750">
    <testcase classname="splu-ref.g" name="a" time="0.500" />
    <testcase classname="splu-ref.g" name="b" time="1.250" />
  </testsuite>
</testsuites>
"""


PLACE = {"file": "f", "line": "3"}


def test_a_document_of_suites() -> None:
    suites = {
        "one": [
            Case(
                group="g", name="a", outcome="failure", type="wrong", message="<\x00", text="it \x00& failed"
            ),
            Case(group="g", name="b", outcome="skipped", message="why"),
        ],
        "two": [Case(group="h", name="c", outcome="error", properties={"x": "y", "z": ""}, place=PLACE)],
        "none": [],
    }
    properties = {"one": {"seed": "7", "note": "<\x1b>"}, "two": {}}
    assert junit("all", suites, properties=properties, hostname="h\ufffe").decode() == WHOLE


def test_a_document_with_times() -> None:
    cases = [Case(group="g", name="a", seconds=0.5), Case(group="g", name="b", seconds=1.25)]
    assert junit("all", {"one": cases}, 9.8761).decode() == TIMED
