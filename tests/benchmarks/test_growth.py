"""Work grows no faster than stated: counted, not timed, so that the machine and its users do not matter."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from benchmarks.counting import Work, work
from benchmarks.curves import CURVES
from benchmarks.growth import Curve, Point, exponent, exponent_above_fixed, slope
from tests.rounding import near


def exponents(curve: Curve) -> tuple[float, float]:
    """Return how lines and words grow."""
    at, sizes = curve.counted.at or curve.at, curve.counted.sizes
    for size in sizes:
        at(size).ours()  # what is loaded once, or kept for the same numbers, is not counted
    first, second, third = (work(at(size).ours) for size in sizes)
    return (
        exponent_above_fixed(sizes, (first.lines, second.lines, third.lines)),
        exponent_above_fixed(sizes, (first.words, second.words, third.words)),
    )


@pytest.mark.slow
@pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)
def test_work_grows_no_faster_than_stated(curve: Curve) -> None:
    assert max(exponents(curve)) < curve.counted.most


Waste = Callable[..., int]

_PERMUTED: tuple[str, Waste] = ("randomness.byte_rules:ByteSource.permutation", lambda _, n: n * n // 1000)
_DRAWN: tuple[str, Waste] = ("randomness.byte_rules:ByteSource.below", lambda _, bound, n: n * n // 1000)
_COUNTED = "estimators.queries.one_column:PublishedColumn.count"

WASTE: dict[str, tuple[str, Waste]] = {
    "SPLU-Gen, mixed plan": _PERMUTED,
    "SPLU-Gen, anatomy plan": _PERMUTED,
    "swapping, p = 2/5": _PERMUTED,
    "retention replacement, p = 1/2": _DRAWN,
    "αβ, a tenth of the domain": _DRAWN,
    "histogram of a column of texts": (
        "data.table:encode",
        lambda column, coding, missing: len(coding.codes) ** 2 // 1000,
    ),
    "mixed plan, 50 values": (
        "mechanisms.plans.mixed:require_eligible",
        lambda counts, gamma: int(counts.sum()) ** 2 // 5000,
    ),
    "mixed plan, a million rows": (
        "mechanisms.plans.mixed:require_eligible",
        lambda counts, gamma: len(counts) ** 2,
    ),
    "draws from the system's entropy": _DRAWN,
    "one conjunction, shrunk, with reading": (
        "estimators.queries.counting:Columns.__getitem__",
        lambda columns, name: columns.rows**2,
    ),
    "a batch of conjunctions, shrunk, 100,000 rows": (_COUNTED, lambda _, queries: 400 * len(queries) ** 2),
    "a batch of conjunctions, EM, 100,000 rows": (_COUNTED, lambda _, queries: 100 * len(queries) ** 2),
    "EM after retention replacement, two columns": (
        "estimators.queries.channel_estimator:ChannelEstimator.__call__",
        lambda _, queries, method: 10_000 * len(queries) ** 2,
    ),
    "EM by the number of states": (
        "estimators.linear.em:_step",
        lambda x, y, factors: factors[0].size ** 2 // 1000,
    ),
    "a table that adds up, 100,000 rows": (
        "estimators.tables.counts:reconcile",
        lambda estimates, *_: 100 * estimates.size**2,
    ),
    "T_P, γ = 10, ε = 3/10, certified": (
        "guarantees.privacy:minimum_error_count",
        lambda *given: given[2] ** 2,
    ),
    "T_f, γ = 10, t_e = 1/100": (
        "guarantees.utility:_scan",
        lambda law, epsilon, allowed, tail_from, *_: tail_from**2 // 10,
    ),
    "every outcome of a small release": (
        "randomness.enumeration:EnumerationSource.advance",
        lambda source: 1000 * source.paths,
    ),
}
"""By curve, a function in it that now takes, on top of its own work, so many words by its arguments."""


@pytest.mark.slow
@pytest.mark.measured
@pytest.mark.parametrize("name", CURVES)
def test_work_that_grows_too_fast_is_detected(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place, words = WASTE[name]
    module, _, path = place.partition(":")
    owner: Any = import_module(f"splu_ref.{module}")
    *classes, attribute = path.split(".")
    for each in classes:
        owner = getattr(owner, each)
    honest = getattr(owner, attribute)

    def wasteful(*given: Any, **named: Any) -> Any:
        bytes(8 * words(*given))
        return honest(*given, **named)

    monkeypatch.setattr(owner, attribute, wasteful)
    curve = CURVES[name]
    assert max(exponents(curve)) >= curve.counted.most


def test_lines_and_words_are_counted() -> None:
    def some(lines: int, words: int) -> Work:
        def run() -> None:
            np.zeros(words)
            for _ in range(lines):
                pass

        return work(run, __name__)

    one, more = some(10, 1_000), some(510, 1_000)
    assert more.lines - one.lines == 500 * 2
    # The interpreter and other threads allocate some hundred words besides, at times of their own.
    assert some(10, 10_001_000).words - one.words == near(10_000_000, rel=1e-3)


def test_exponents_are_those_of_powers() -> None:
    sizes = (10, 20, 40)
    assert slope(sizes, [7 * n**1.5 for n in sizes]) == near(1.5)
    assert exponent_above_fixed(sizes, (5_000 + 100, 5_000 + 400, 5_000 + 1_600)) == near(2)
    assert exponent_above_fixed(sizes, (5_000, 5_040, 5_090)) == 0
    points = [Point(n, (n, n**2, n**3), (1, 1, 1)) for n in sizes]
    found = exponent(points)
    assert [found.least, found.value, found.greatest] == near([1, 2, 3])
