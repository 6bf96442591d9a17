"""JUnit XML reports for build servers, used by all commands."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, SubElement, indent, tostring

_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot carry, escaped or not."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """A test case."""

    group: str  #: class of the case, and its name
    name: str  #: class of the case, and its name
    outcome: str = ""  #: ``failure``, ``error`` or ``skipped``; empty if it passed
    type: str = ""  #: details of the outcome; an empty type is omitted
    message: str = ""  #: see ``type``
    text: str | None = None  #: see ``type``
    seconds: float | None = None  #: duration, or None
    properties: Mapping[str, str] = field(default_factory=dict)  #: properties by name; empty ones are omitted
    place: Mapping[str, str] = field(default_factory=dict)  #: source location: ``file`` and ``line``


def junit(
    name: str,
    suites: Mapping[str, Sequence[Case]],
    seconds: float | None = None,
    *,
    properties: Mapping[str, Mapping[str, str]] | None = None,
    **attributes: str,
) -> bytes:
    """Return a ``testsuites`` document in UTF-8; a character that XML cannot carry becomes U+FFFD.

    Parameters
    ----------
    name
        Name of the run.
    suites
        The cases by suite.
    seconds
        Total duration, or None.
    properties
        Properties of suites, by suite name.
    attributes
        Further attributes of every suite.
    """
    root = Element("testsuites", _counts(name, [case for cases in suites.values() for case in cases]))
    for title, cases in suites.items():
        suite = SubElement(root, "testsuite", _counts(title, cases))
        if seconds is not None:
            suite.set("time", f"{sum(case.seconds or 0 for case in cases):.3f}")
        suite.attrib |= attributes
        _add_properties(suite, (properties or {}).get(title, {}))
        for case in cases:
            _add_case(suite, case)
    if seconds is not None:
        root.set("time", f"{seconds:.3f}")
    for each in root.iter():
        each.attrib = {key: _clean(value) for key, value in each.attrib.items()}
        each.text = each.text and _clean(each.text)
    indent(root)
    text: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _add_case(suite: Element, case: Case) -> None:
    added = SubElement(suite, "testcase", classname=f"splu-ref.{case.group}", name=case.name)
    added.attrib |= case.place
    if case.seconds is not None:
        added.set("time", f"{case.seconds:.3f}")
    _add_properties(added, case.properties)
    if case.outcome:
        outcome = SubElement(
            added, case.outcome, {"type": case.type} if case.type else {}, message=case.message
        )
        outcome.text = case.text


def _add_properties(to: Element, properties: Mapping[str, str]) -> None:
    if any(properties.values()):
        listed = SubElement(to, "properties")
        for key, value in properties.items():
            if value:
                SubElement(listed, "property", name=key, value=value)


def _counts(name: str, cases: Sequence[Case]) -> dict[str, str]:
    outcomes = [case.outcome for case in cases]
    counted = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    counts = {key: str(outcomes.count(outcome)) for key, outcome in counted.items()}
    return {"name": name, "tests": str(len(cases)), **counts}


def _clean(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
