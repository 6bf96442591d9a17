"""Each requirement fails when its number crosses the line, and only then."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from experiments.study import Results, criteria, study_table
from experiments.study.criteria import COVERAGE, LEVEL, Criterion, detectable
from tests.rounding import near

ERRORS = {
    "published count": 0.3,
    "n f'/N": 0.3,
    "exact": 0.1,
    "shrunk": 0.1,
    "inversion": 0.1,
    "printed": 0.4,
}
TABLE = study_table("adult_demo")


def _piece(covered: float = 0.95, ratio: float = 1.0, small: float = 2.0, **errors: float) -> dict[str, Any]:
    return {
        "classes": [
            {
                "class": number,
                "queries": 10,
                "errors": {**ERRORS, **errors} if number else {**ERRORS, "exact": small},
                "squared_error": 4.0 * ratio**2,
                "predicted_variance": 4.0,
            }
            for number in range(7)
        ],
        "covered": {"exact": covered, "shrunk": covered},
    }


def _judged(changes: dict[str, float] | None = None, name: str = "census_kdd_workers") -> list[Criterion]:
    table = replace(TABLE, name=name)
    releases = {"mixed": [_piece(**(changes or {}))] * 10, "anatomy": [_piece()] * 3}
    return criteria([Results(table, releases=releases)])


def _verdict(found: list[Criterion], part: str) -> bool | None:
    [one] = [each for each in found if part in each.name]
    return one.holds


def test_all_requirements_are_met_by_good_numbers() -> None:
    assert [one.holds for one in _judged()] == [True] * 6


@pytest.mark.parametrize(
    ("part", "good", "bad"),
    [
        ("anatomy + printed", {"exact": 0.139}, {"exact": 0.141}),
        ("r.m.s. error", {"ratio": 1.14}, {"ratio": 1.16}),
        ("r.m.s. error", {"ratio": 0.86}, {"ratio": 0.84}),
        ("best of", {"shrunk": 0.109}, {"shrunk": 0.111}),
        ("above 1", {"small": 1.01}, {"small": 0.99}),
        ("mixed + exact cover", {"covered": 0.76}, {"covered": 0.7}),
        ("large queries", {"covered": 1.0}, {"covered": 0.7}),
    ],
)
def test_crossing_a_line_fails(part: str, good: dict[str, float], bad: dict[str, float]) -> None:
    for changes, expected in ((good, True), (bad, False)):
        verdicts = [one.holds for one in _judged(changes) if part in one.name]
        assert verdicts
        assert set(verdicts) == {expected}


def test_the_best_rival_is_looked_for_class_by_class() -> None:
    found = [one for one in _judged({"shrunk": 0.2, "exact": 0.3, "printed": 0.19}) if "best of" in one.name]
    assert found[0].holds is True
    assert "0.200 / 0.190 (printed) = 1.05" in found[0].detail


def test_what_a_study_cannot_say_is_no_failure() -> None:
    found = _judged(name="adult_demo")
    assert _verdict(found, "anatomy + printed") is None
    assert _verdict(found, "r.m.s. error") is None
    piece = _piece()
    for row in piece["classes"]:
        row["errors"] = {name: error for name, error in row["errors"].items() if name != "printed"}
    releases = {"mixed": [piece] * 3, "anatomy": [piece]}
    census = Results(replace(TABLE, name="census_kdd_workers"), releases=releases)
    assert _verdict(criteria([census]), "anatomy + printed") is None


@pytest.mark.parametrize("releases", [10, 20])
def test_the_stated_power_is_the_tests_power(releases: int) -> None:
    level = LEVEL / 3
    blind = detectable(releases, level)
    assert 0.5 < blind < COVERAGE
    stakes = (1, 2, 5, 10, 20)

    def e_value(coverage: float) -> float:
        return sum((1 + stake * (0.95 - coverage)) ** releases for stake in stakes) / 5

    assert e_value(blind) >= 1 / level > e_value(blind + 0.006)
    assert e_value(0.95) == near(1)


def test_too_few_releases_are_said_to_see_nothing() -> None:
    assert detectable(2, LEVEL) == 0.0
