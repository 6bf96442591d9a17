"""The frontier of retention: its numbers against their definitions, and its drawing."""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from splu_ref.guarantees import best_estimator, error_probability

EXTENSIONS = Path(__file__).parents[2] / "docs" / "_extensions"


@pytest.fixture(scope="module")
def picture() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXTENSIONS))
        return import_module("frontier_picture")


@pytest.fixture(scope="module")
def shown(picture: Any) -> Any:
    return picture.frontier()


def test_the_choice_of_the_paper_is_the_highest_point_of_every_curve(picture: Any, shown: Any) -> None:
    assert [each.law.gamma for each in shown.plain] == list(picture.GAMMAS)
    for gamma, plain in zip(picture.GAMMAS, shown.plain, strict=True):
        assert plain.law.retention == Fraction(1, gamma)
        assert plain.t_p == max(each.t_p for each in shown.curve(gamma))


def test_beyond_it_privacy_and_error_fall_with_retention(picture: Any, shown: Any) -> None:
    for gamma in picture.GAMMAS:
        curve = shown.curve(gamma)
        errors = [each.relative_error for each in curve]
        assert errors == sorted(errors, reverse=True)
        levels = [each.t_p for each in curve if each.law.retention * gamma >= 1]
        assert levels == sorted(levels, reverse=True)


def test_what_no_estimate_escapes_stands_above_what_the_published_count_is_promised(
    picture: Any, shown: Any
) -> None:
    """T_P is the least error of one estimate over the counts, T_P* the least largest error of all."""
    for gamma in picture.GAMMAS:
        curve = shown.curve(gamma)
        assert all(each.t_p < each.t_p_star for each in curve)
        levels = [each.t_p_star for each in curve if each.law.retention * gamma >= 1]
        assert levels == sorted(levels, reverse=True)


def test_a_larger_group_is_in_front(picture: Any, shown: Any) -> None:
    """At the same p the error is nearly the same and T_P is higher, from the larger 1/gamma on."""
    for small, large in pairwise(picture.GAMMAS):
        pairs = {each.law.retention: each for each in shown.curve(small)}
        for each in shown.curve(large):
            if each.law.retention in pairs and each.law.retention * small >= 1:
                assert each.t_p > pairs[each.law.retention].t_p
                assert abs(each.relative_error / pairs[each.law.retention].relative_error - 1) < 0.01


def test_one_setting_by_hand(picture: Any, shown: Any) -> None:
    half = next(each for each in shown.curve(5) if each.law.retention == Fraction(1, 2))
    least = min(error_probability(5, "3/10", f, retention="1/2").exact() for f in range(1, 11))
    assert half.t_p == float(least)
    assert half.t_p_star == float(best_estimator(5, "3/10", 10, retention="1/2").worst_error)
    assert 0.157 < half.relative_error < 0.159


def test_the_drawing_is_an_svg_that_follows_the_page(picture: Any, shown: Any) -> None:
    pytest.importorskip("matplotlib")
    svg = picture.draw_frontier(shown)
    root = ElementTree.fromstring(svg)
    assert root.get("aria-labelledby") == "frontier-alternative"
    assert "currentColor" in svg
    for gamma in picture.GAMMAS:
        assert f"p = 1/{gamma}" in svg
        assert f"γ = {gamma}" in svg
    assert svg.count("stroke-dasharray") >= len(picture.GAMMAS)
    assert svg == picture.draw_frontier(shown)
