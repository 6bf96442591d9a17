"""The frontier of retention: its numbers against their definitions, and its drawing."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from splu_ref.guarantees import best_estimator, error_probability
from splu_ref.report.frontier import GAMMAS, Frontier, draw_frontier, frontier


@pytest.fixture(scope="module")
def shown() -> Frontier:
    return frontier()


def test_the_choice_of_the_paper_is_the_highest_point_of_every_curve(shown: Frontier) -> None:
    assert [each.law.gamma for each in shown.plain] == list(GAMMAS)
    for gamma, plain in zip(GAMMAS, shown.plain, strict=True):
        assert plain.law.retention == Fraction(1, gamma)
        assert plain.t_p == max(each.t_p for each in shown.curve(gamma))


def test_beyond_it_privacy_and_error_fall_with_retention(shown: Frontier) -> None:
    for gamma in GAMMAS:
        curve = shown.curve(gamma)
        errors = [each.relative_error for each in curve]
        assert errors == sorted(errors, reverse=True)
        levels = [each.t_p for each in curve if each.law.retention * gamma >= 1]
        assert levels == sorted(levels, reverse=True)


def test_what_no_estimate_escapes_stands_above_what_the_published_count_is_promised(shown: Frontier) -> None:
    """T_P is the least error of one estimate over the counts, T_P* the least largest error of all."""
    for gamma in GAMMAS:
        curve = shown.curve(gamma)
        assert all(each.t_p < each.t_p_star for each in curve)
        levels = [each.t_p_star for each in curve if each.law.retention * gamma >= 1]
        assert levels == sorted(levels, reverse=True)


def test_a_larger_group_is_in_front(shown: Frontier) -> None:
    """At the same p the error is nearly the same and T_P is higher, from the larger 1/gamma on."""
    for small, large in pairwise(GAMMAS):
        pairs = {each.law.retention: each for each in shown.curve(small)}
        for each in shown.curve(large):
            if each.law.retention in pairs and each.law.retention * small >= 1:
                assert each.t_p > pairs[each.law.retention].t_p
                assert abs(each.relative_error / pairs[each.law.retention].relative_error - 1) < 0.01


def test_one_setting_by_hand(shown: Frontier) -> None:
    half = next(each for each in shown.curve(5) if each.law.retention == Fraction(1, 2))
    least = min(error_probability(5, "3/10", f, retention="1/2").exact() for f in range(1, 11))
    assert half.t_p == float(least)
    assert half.t_p_star == float(best_estimator(5, "3/10", 10, retention="1/2").worst_error)
    assert 0.157 < half.relative_error < 0.159


def test_the_drawing_is_an_svg_that_follows_the_page(shown: Frontier) -> None:
    pytest.importorskip("matplotlib")
    svg = draw_frontier(shown)
    root = ElementTree.fromstring(svg)
    assert root.get("aria-labelledby") == "frontier-alternative"
    assert "currentColor" in svg
    for gamma in GAMMAS:
        assert f"p = 1/{gamma}" in svg
        assert f"γ = {gamma}" in svg
    assert svg.count("stroke-dasharray") >= len(GAMMAS)
    assert svg == draw_frontier(shown)


def test_the_numbers_as_json(shown: Frontier) -> None:
    told = shown.to_json()
    settings = told["settings"]
    assert isinstance(settings, list)
    assert len(settings) == len(shown.settings)
    assert (told["rows"], told["alpha"], told["epsilon"]) == (30_715, 10, "3/10")
