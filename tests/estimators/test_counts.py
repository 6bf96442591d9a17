from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb, isqrt
from typing import Any

import numpy as np
import polars as pl
import pytest

from splu_ref.channels import Bounds, PublishedCount
from splu_ref.channels.binomial import upper_tail
from splu_ref.channels.parameters import ParameterError
from splu_ref.channels.two_binomials import Trials, TwoKinds
from splu_ref.estimators import Query, QueryEstimator, counts, estimate_count
from splu_ref.estimators.answers import Estimates
from splu_ref.estimators.counts import confidence_limits, upper_tail_in_floats
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import SeededSource
from tests.rounding import near


def _law(gamma: int, frequency: int) -> list[Fraction]:
    """The law of f' from its definition, term by term."""
    n = gamma * frequency
    return [
        comb(n, k) * Fraction(1, gamma) ** k * Fraction(gamma - 1, gamma) ** (n - k) for k in range(n + 1)
    ]


def test_the_estimate_is_the_published_count_with_its_exact_variance() -> None:
    estimate = estimate_count(400, 5)
    assert estimate.estimate == 400
    assert estimate.variance == 320
    assert estimate.standard_error == near(17.8885438)


@pytest.mark.parametrize("gamma", [2, 5])
@pytest.mark.parametrize("count", [0, 1, 2, 7])
@pytest.mark.parametrize("confidence", ["0.95", "1/2"])
def test_the_interval_holds_exactly_the_counts_not_contradicted(
    gamma: int, count: int, confidence: str
) -> None:
    tail = (1 - Fraction(confidence)) / 2
    admitted = [
        f for f in range(60) if sum(_law(gamma, f)[count:]) > tail and sum(_law(gamma, f)[: count + 1]) > tail
    ]
    least, greatest = estimate_count(count, gamma, confidence=confidence).interval
    assert admitted == list(range(least, greatest + 1))


@pytest.mark.parametrize("gamma", [2, 3, 7])
def test_the_interval_covers_every_true_count_as_often_as_it_says(gamma: int) -> None:
    for frequency in range(1, 25):
        covered = Fraction(0)
        for count, mass in enumerate(_law(gamma, frequency)):
            if mass < Fraction(1, 10**9):
                continue
            least, greatest = estimate_count(count, gamma).interval
            covered += mass if least <= frequency <= greatest else 0
        assert covered >= Fraction(95, 100) - Fraction(1, 10**6)


@pytest.mark.parametrize("gamma", [2, 3, 7])
def test_score_intervals_cover_every_true_count_of_a_set(gamma: int) -> None:
    """The published count of a set spreads most if its values share no group: then its law is a value's."""
    rate = 1 - 1 / gamma
    for frequency in range(1, 25):
        law, most = _law(gamma, frequency), np.full(gamma * frequency + 1, float(gamma * frequency))
        published = np.arange(gamma * frequency + 1.0)
        found = Estimates.score(published, np.sqrt(rate * published), most, rate)
        covered = (found.lower <= frequency) & (frequency <= found.upper)
        assert sum(mass for mass, inside in zip(law, covered, strict=True) if inside) >= Fraction(95, 100)


def test_a_rare_set_that_was_not_published_has_an_interval() -> None:
    cells = ["a / 1", "a / 2", *(f"{value} / {number}" for value in "bcd" for number in range(1, 7))]
    times = [1, 2, *(10 for _ in cells[2:])]
    frame = pl.DataFrame({"pair": [cell for cell, n in zip(cells, times, strict=True) for _ in range(n)]})
    wanted = Query.of({"pair": ["a / 1", "a / 2"]})
    release = SpluGen(3).publish(frame, "pair", SeededSource(7))
    estimator = QueryEstimator(release.table, ["pair"], SpluGen(3), domains=release.domains)
    [answer] = estimator.estimate([wanted], method="mle")
    assert answer.estimate == 0
    assert answer.interval is not None
    assert answer.interval[1] > 3


def test_a_large_count_has_an_interval_of_about_two_standard_errors() -> None:
    estimate = estimate_count(4000, 5)
    least, greatest = estimate.interval
    assert 4000 - least == near(1.96 * estimate.standard_error, rel=0.05)
    assert greatest - 4000 == near(1.96 * estimate.standard_error, rel=0.05)


@pytest.mark.parametrize(
    "kinds",
    [
        [(1, "1/2")], [(12, "1/3")], [(40, "9/10")], [(500, "1/100")], [(3_000, "2/7")], [(9_000, "1/1000")],
        [(3, "1/2"), (9, "1/6")], [(700, "3/4"), (1_400, "1/8")], [(300, "1/50"), (600, "49/100")],
    ],
)  # fmt: skip
def test_tails_in_floats_enclose_the_exact_ones_closely(kinds: list[tuple[int, str]]) -> None:
    each = [(n, Fraction(p)) for n, p in kinds]
    middle = int(sum(n * p for n, p in each))
    spread = isqrt(int(sum(n * p * (1 - p) for n, p in each))) + 1
    for k in range(max(middle - 12 * spread, 0), middle + 12 * spread, spread):
        bounds = upper_tail_in_floats([(n, float(p / (1 - p))) for n, p in each], k)
        exact = upper_tail(each[0][0], k, each[0][1])
        if len(each) > 1:
            exact = TwoKinds(*(Trials(n, p) for n, p in each)).upper_tail(k)
        assert bounds is not None
        assert bounds.lower <= exact <= bounds.upper
        assert bounds.upper - bounds.lower <= Fraction(1, 10**11)


def test_long_tails_are_not_computed_in_floats() -> None:
    assert upper_tail_in_floats([(1 << 40, 1.0)], 1 << 39) is None


@pytest.mark.parametrize("retention", [Fraction(1, 10**400), 1 - Fraction(1, 10**400), Fraction(1, 10**9)])
def test_extreme_retentions_have_exact_limits(retention: Fraction) -> None:
    law = PublishedCount.of(3, retention)
    plain = confidence_limits(law, 2, Fraction(1, 40), (2, 2))
    assert estimate_count(2, 3, retention=retention).interval == plain


@pytest.mark.parametrize("retention", ["1/3", "1/2", "1"])
@pytest.mark.parametrize("wrong", ["1/1000", "-1/1000"])
def test_limits_are_those_of_exact_tails(retention: str, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With tails off by a thousandth some are others."""
    law, some = PublishedCount.of(3, retention), range(0, 200, 7)
    plain = [confidence_limits(law, count, Fraction(1, 40), (count, count)) for count in some]
    assert [estimate_count(count, 3, retention=retention).interval for count in some] == plain

    def shifted(kinds: Sequence[tuple[int, float]], k: int) -> Bounds | None:
        found = upper_tail_in_floats(kinds, k)
        return found and Bounds(found.lower + Fraction(wrong), found.upper + Fraction(wrong))

    monkeypatch.setattr(counts, "upper_tail_in_floats", shifted)
    counts._interval.cache_clear()
    moved = [estimate_count(count, 3, retention=retention).interval for count in some]
    counts._interval.cache_clear()
    assert (moved == plain) == (retention == "1"), "publication without errors needs no tails"


def test_a_public_bound_truncates() -> None:
    estimate = estimate_count(12, 3, bound="21/2")
    assert estimate.bound == 10
    assert estimate.estimate == 12
    assert estimate.estimate_within_bound == 10
    assert estimate.interval[0] < 10 < estimate.interval[1]
    assert estimate.interval_within_bound == (estimate.interval[0], 10)
    unbounded = estimate_count(12, 3)
    assert unbounded.interval_within_bound == unbounded.interval


@pytest.mark.parametrize(
    "arguments",
    [
        {"published_count": -1, "gamma": 5},
        {"published_count": 1, "gamma": 1},
        {"published_count": 1, "gamma": 5, "confidence": 1},
        {"published_count": 1, "gamma": 5, "confidence": 0.95},
        {"published_count": 1, "gamma": 5, "bound": -1},
    ],
)
def test_parameters_out_of_range_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        estimate_count(**arguments)


@pytest.mark.parametrize(("gamma", "keep"), [(3, Fraction(1, 2)), (5, Fraction(2, 5)), (4, Fraction(1, 10))])
def test_with_another_retention_the_interval_still_covers(gamma: int, keep: Fraction) -> None:
    """The law of f' is convolved from its two binomials in fractions, apart from the shipped tails."""
    other = (1 - keep) / (gamma - 1)
    intervals = {}
    for frequency in (1, 4, 9):
        kept = [comb(frequency, k) * keep**k * (1 - keep) ** (frequency - k) for k in range(frequency + 1)]
        beside = (gamma - 1) * frequency
        taken = [comb(beside, k) * other**k * (1 - other) ** (beside - k) for k in range(beside + 1)]
        law = [Fraction(0)] * (frequency + beside + 1)
        for i, a in enumerate(kept):
            for j, b in enumerate(taken):
                law[i + j] += a * b
        mean = sum(k * mass for k, mass in enumerate(law))
        assert mean == frequency
        covered = Fraction(0)
        for published, mass in enumerate(law[:30]):
            if published not in intervals:
                found = estimate_count(published, gamma, retention=keep)
                assert found.variance == published * (keep * (1 - keep) + (gamma - 1) * other * (1 - other))
                intervals[published] = found.interval
            least, greatest = intervals[published]
            covered += mass if least <= frequency <= greatest else 0
        assert covered >= Fraction(95, 100)


@pytest.mark.parametrize(("gamma", "keep"), [(3, Fraction(1, 2)), (5, Fraction(2, 5)), (5, Fraction(1, 5))])
@pytest.mark.parametrize("published", [12, 40])
def test_an_end_at_the_level_itself_is_decided_exactly(gamma: int, keep: Fraction, published: int) -> None:
    """No rounded sum distinguishes a probability equal to the level from one slightly above it."""
    law = PublishedCount.of(gamma, keep)
    low, high = published - 6, published + 9
    for frequency, tail, end in (
        (low, law.trials(low).upper_tail(published), 0),
        (high, law.trials(high).lower_tail(published), 1),
    ):
        level = 1 - 2 * tail
        at = estimate_count(published, gamma, confidence=level, retention=keep).interval
        wider = estimate_count(
            published, gamma, confidence=level + Fraction(1, 10**40), retention=keep
        ).interval
        assert wider[end] == frequency
        assert abs(at[end] - frequency) == 1  # a tail equal to the level contradicts the count


def test_with_retention_1_the_published_count_is_the_true_one() -> None:
    assert estimate_count(7, 5, retention=1).interval == (7, 7)


def test_the_default_retention_may_be_named() -> None:
    assert estimate_count(40, 5, retention="0.2") == estimate_count(40, 5)
