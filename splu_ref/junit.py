"""JUnit XML, as build servers read it: the one writer of every command's results."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot carry, escaped or not."""


def junit(
    name: str,
    suites: Mapping[str, Sequence[Element]],
    seconds: float | None = None,
    *,
    properties: Mapping[str, Mapping[str, str]] | None = None,
    **attributes: str,
) -> bytes:
    """Return a ``testsuites`` document in UTF-8; a character that XML cannot carry becomes U+FFFD.

    Parameters
    ----------
    name
        What was run.
    suites
        The ``testcase`` elements by suite. Those that failed, were skipped or could not be
        decided hold an element that says so.
    seconds
        Time taken by all, if it was measured: then the cases have theirs.
    properties
        What else is told of a suite, by its name.
    attributes
        Further attributes of every suite.
    """
    root = Element("testsuites", _counts(name, [case for cases in suites.values() for case in cases]))
    for title, cases in suites.items():
        suite = Element("testsuite", _counts(title, cases))
        if seconds is not None:
            suite.set("time", f"{sum(float(case.attrib['time']) for case in cases):.3f}")
        suite.attrib |= attributes
        if told := (properties or {}).get(title):
            listed = SubElement(suite, "properties")
            for key, value in told.items():
                SubElement(listed, "property", name=key, value=value)
        suite.extend(cases)
        root.append(suite)
    if seconds is not None:
        root.set("time", f"{seconds:.3f}")
    for each in root.iter():
        each.attrib = {key: _clean(value) for key, value in each.attrib.items()}
        each.text = each.text and _clean(each.text)
    indent(root)
    text: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _counts(name: str, cases: Sequence[Element]) -> dict[str, str]:
    return {
        "name": name,
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for case in cases)),
        "errors": str(sum(case.find("error") is not None for case in cases)),
        "skipped": str(sum(case.find("skipped") is not None for case in cases)),
    }


def _clean(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
