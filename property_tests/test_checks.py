"""The shipped package under every check.

A JUnit report carries claim, grade, e-value, budget and power, and what the kill matrix wants to know.
"""

from __future__ import annotations

from typing import cast

import pytest

from property_tests.checks import CHECKS
from property_tests.mutants.junit_results import code_tried
from property_tests.mutants.matrix import RecordingSubject
from property_tests.run import Run
from property_tests.subject import SHIPPED, Subject


@pytest.mark.parametrize("name", CHECKS)
def test_shipped(name: str, run: Run, request: pytest.FixtureRequest) -> None:
    check, watched = CHECKS[name], RecordingSubject(SHIPPED)
    outcome = check(cast("Subject", watched), run)
    # The properties of the test case in a JUnit file (record_property would refuse its default dialect).
    properties = request.node.user_properties
    properties += [("claim", check.claim), ("grade", check.grade), ("run_seed", run.seed)]
    properties += [("code", code_tried()), ("used", " ".join(sorted(watched.used)))]
    if check.grade == "statistical":
        properties += [
            ("log10_e", outcome.log10_e),
            ("budget", str(outcome.budget)),
            ("power", outcome.power),
        ]
        assert outcome.power or not outcome.passed, "a sampled check must state its power"
    assert outcome.passed, outcome.detail
