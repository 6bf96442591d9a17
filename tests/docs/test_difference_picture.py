"""The picture of the statistical difference: its numbers against exact ones, and its drawing."""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from splu_proofs.rastogi.difference import difference as exactly
from splu_ref.guarantees import TupleLevels
from tests.rounding import near

EXTENSIONS = Path(__file__).parents[2] / "docs" / "_extensions"


@pytest.fixture(scope="module")
def picture() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXTENSIONS))
        return import_module("difference_picture")


@pytest.fixture(scope="module")
def shown(picture: Any) -> Any:
    return picture.curves()


def test_the_numbers_are_the_exact_ones(picture: Any, shown: Any) -> None:
    assert [(curve.gamma, curve.size) for curve in shown] == [
        (g, m) for g in picture.LEVELS for m in picture.SIZES
    ]
    for curve in shown:
        if curve.size == picture.SIZES[0]:  # n = 10 of 100, and a query of 50
            k, found = curve.points[9]
            assert k == float(curve.gamma * 5)
            best = TupleLevels.of(curve.gamma / 2, curve.gamma).best()
            assert found == near(float(exactly(best.alpha, best.beta, 50, 10)), rel=1e-9)
    assert picture.difference(0.75, 0.25, 1, 1) == near(1.0)
    assert picture.difference(1.0, 0.0, 5, 3) == near(2.0)


def test_more_knowledge_leaves_a_smaller_difference(picture: Any, shown: Any) -> None:
    for curve in shown:
        assert all(before > after for (_, before), (_, after) in pairwise(curve.points))
        assert curve.points[0][1] > 1.5
        assert curve.crossing is not None
    half = [curve.crossing for curve in shown if curve.gamma == Fraction(1, 2)]
    # it passes 1/2 where k has grown like the root of m
    for size, k in zip(picture.SIZES, half, strict=True):
        assert k is not None
        assert 0.2 < k / size**0.5 < 0.5


def test_the_drawing_is_an_svg_that_follows_the_page(picture: Any, shown: Any) -> None:
    pytest.importorskip("matplotlib")
    svg = picture.draw_difference(shown)
    assert ElementTree.fromstring(svg).get("aria-labelledby") == "difference-alternative"
    assert "currentColor" in svg
    assert svg == picture.draw_difference(shown)
    assert picture.alternative(shown).count("from k = ") == len(shown)
