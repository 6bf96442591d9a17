"""The shipped package under every check; a JUnit report carries claim, grade, e-value, budget and power."""

from __future__ import annotations

import pytest

from property_tests.checks import CHECKS
from property_tests.run import Run
from property_tests.subject import SHIPPED


@pytest.mark.parametrize("name", CHECKS)
def test_shipped(name: str, run: Run, request: pytest.FixtureRequest) -> None:
    check = CHECKS[name]
    outcome = check(SHIPPED, run)
    # The properties of the test case in a JUnit file (record_property would refuse its default dialect).
    properties = request.node.user_properties
    properties += [("claim", check.claim), ("grade", check.grade), ("run_seed", run.seed)]
    if check.grade == "statistical":
        properties += [
            ("log10_e", outcome.log10_e),
            ("budget", str(outcome.budget)),
            ("power", outcome.power),
        ]
        assert outcome.power or not outcome.passed, "a sampled check must state its power"
    assert outcome.passed, outcome.detail
