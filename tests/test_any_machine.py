"""Tests pass on any processor: floating-point numbers are compared with an absolute tolerance.

A share of the expected number alone allows nothing where 0 is expected, and linear algebra returns 0 on one
processor and 1e-14 on another.
"""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from tests.portable import FILES, MORE, SETTINGS, main
from tests.rounding import near

ROOT = Path(__file__).parents[1]
TOLERANCES = {
    "approx": {"abs"},
    "isclose": {"abs_tol", "atol"},
    "allclose": {"atol"},
    "assert_allclose": {"atol"},
}
"""By comparison, the names of its absolute tolerance."""
REPLACED = {"assert_almost_equal", "assert_approx_equal", "assert_array_almost_equal", "assertAlmostEqual"}
"""Comparisons by decimals, whatever the size of what is compared."""


def without_tolerance(source: str) -> list[int]:
    """Return the lines of floating-point comparisons that have no absolute tolerance."""
    found: list[int] = []
    if not any(name in source for name in (*TOLERANCES, *REPLACED)):
        return found
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            named = {keyword.arg for keyword in node.keywords}
            if name in REPLACED or (name in TOLERANCES and not named & TOLERANCES[name]):
                found.append(node.lineno)
    return found


def test_floating_point_comparisons_have_an_absolute_tolerance() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted(ROOT.glob("[a-z]*/**/*.py"))
        for line in without_tolerance(path.read_text("utf-8"))
    ]
    assert not found, "compare with tests.rounding.near, or give an absolute tolerance"


@pytest.mark.parametrize(
    "comparison",
    [
        "assert x == pytest.approx(y)",
        "assert x == approx(y, rel=1e-9)",
        "np.testing.assert_allclose(x, y, rtol=1e-7)",
        "assert np.isclose(x, y)",
        "assert math.isclose(x, y, rel_tol=1e-9)",
        "np.testing.assert_almost_equal(x, y)",
    ],
)
def test_a_comparison_without_absolute_tolerance_is_refused(comparison: str) -> None:
    assert without_tolerance(f"import math\n{comparison}\n") == [2]


def test_comparisons_with_an_absolute_tolerance_are_accepted() -> None:
    assert not without_tolerance(
        "x == approx(y, abs=1)\nassert_allclose(x, y, atol=1)\nisclose(x, y, abs_tol=1)"
    )


def test_zeros_are_compared_with_the_size_of_the_numbers_beside_them() -> None:
    assert np.array([1e-10, 1000.0]) == near(np.array([0.0, 1000.0]))
    assert np.array([1e-8, 1000.0]) != near(np.array([0.0, 1000.0]))
    assert near({"a": 0.0, "b": 1.0}) == {"a": 1e-13, "b": 1.0}
    assert near(0.0, size=1000.0) == 1e-10
    assert near(0.0, size=1000.0) != 1e-8
    assert near(1.0) != 1.00001
    with pytest.raises(ValueError, match="give the size"):
        near([0.0, 0.0])


def test_settings_name_tests_that_exist_and_another_name_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert [path for path in (*FILES, *MORE) if not (ROOT / path).exists()] == []
    with pytest.raises(SystemExit):
        main(["another"])
    assert f"unknown: another: choose of {', '.join(SETTINGS)}" in " ".join(capsys.readouterr().err.split())
