"""Estimates from parts with domains of their own, and from one record of each group, by all outcomes."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, prod

import numpy as np
import polars as pl
import pytest

import splu_ref as sr
from splu_ref.channels.parameters import DataError, ParameterError
from splu_ref.data import Microdata
from splu_ref.estimators import ChannelEstimator, GroupEstimator, PartEstimator, Query
from splu_ref.estimators.queries.group_estimator import ABOVE
from splu_ref.mechanisms import (
    PerturbedGeneralization,
    PublishedTable,
    RetentionReplacement,
    SmallDomainRandomization,
)
from splu_ref.randomness import SeededSource
from tests.rounding import near

PARTS = SmallDomainRandomization("s", ["q"], {("1",): "xyz", ("2",): "yz"}, 4)
CELLS = (("1", "a", "x"), ("1", "b", "y"), ("2", "a", "y"), ("2", "a", "z"))


def _of_parts(shown: tuple[str, ...]) -> PublishedTable:
    rows = [(q, t, s) for (q, t, _), s in zip(CELLS, shown, strict=True)]
    frame = pl.DataFrame(rows, schema=["q", "t", "s"], orient="row")
    return PublishedTable(table=Microdata.from_frame(frame), mechanism=PARTS, domains={"s": PARTS.values})


@pytest.mark.parametrize(
    ("where", "true"),
    [
        ({"s": "y"}, 2),
        ({"s": "x"}, 1),
        ({"s": ["y", "z"]}, 3),
        ({"s": {"not": "z"}, "t": "a"}, 2),
        ({"s": ["y", "z"], "q": "2"}, 2),
    ],
)
def test_sums_of_parts_are_unbiased_with_their_variance(where: dict[str, object], true: int) -> None:
    """Over every published table: the mean is the count, and the variance estimate's is the variance."""
    domains = dict(PARTS.domains)
    mean = square = reported = Fraction(0)
    for shown in product(*(domains[q,] for q, _, _ in CELLS)):
        chance = Fraction(1)
        for (q, _, own), seen in zip(CELLS, shown, strict=True):
            keep, size = PARTS.retention(len(domains[q,])), len(domains[q,])
            chance *= keep * (own == seen) + (1 - keep) / size
        [answer] = PartEstimator(_of_parts(shown))([Query.of(where)])
        estimate = Fraction(answer.estimate).limit_denominator(10**6)
        assert answer.variance_estimate is not None
        assert answer.standard_error == near(float(answer.variance_estimate) ** 0.5, size=len(CELLS))
        mean, square = mean + chance * estimate, square + chance * estimate**2
        reported += chance * answer.variance_estimate
    assert mean == true
    assert reported == square - mean**2


def test_parts_that_are_counted_whole_or_not_at_all_have_no_error() -> None:
    release = _of_parts(("x", "z", "y", "y"))
    both, one, other = PartEstimator(release)(
        [Query.of({"s": ["y", "z"], "q": "2"}), Query.of({"s": "x"}), Query.of({"s": "x", "q": "2"})]
    )
    assert (both.estimate, both.standard_error, both.interval, both.exact) == (2, 0, (2.0, 2.0), True)
    assert (other.estimate, other.interval) == (0, (0.0, 0.0))
    # One part alone has an error: the interval is that of its counts.
    assert (one.interval, one.exact) == ((0.0, 2.0), True)
    assert (one.published_count, one.predicate_count) == (1, 4)


GROUPED = PerturbedGeneralization("s", "xyz", ["q"], 1, "2/5")
MEMBERS = ("xy", "xx", "yz", "z")


def _of_groups(shown: tuple[str, ...], cells: tuple[str, ...] = ("a", "b", "c", "d..f")) -> PublishedTable:
    frame = pl.DataFrame({"q": cells, "s": shown, "group_size": [2, 2, 2, 1]})
    return PublishedTable(table=Microdata.from_frame(frame), mechanism=GROUPED, domains={"s": tuple("xyz")})


@pytest.mark.parametrize(
    ("where", "true"),
    [({"s": "x"}, 3), ({"s": ["x", "y"], "q": ["a", "b"]}, 4), ({"s": "z", "q": {"not": ["a", "c"]}}, 1)],
)
def test_groups_are_unbiased_and_their_variance_is_bounded_from_above(
    where: dict[str, object], true: int
) -> None:
    mean = square = reported = Fraction(0)
    for shown in product("xyz", repeat=len(MEMBERS)):
        chance = prod(
            (
                GROUPED.law.published({v: own.count(v) for v in own}, seen)
                for own, seen in zip(MEMBERS, shown, strict=True)
            ),
            start=Fraction(1),
        )
        [answer] = GroupEstimator(_of_groups(shown))([Query.of(where)])
        estimate = Fraction(answer.estimate).limit_denominator(10**6)
        assert answer.standard_error is not None
        mean, square = mean + chance * estimate, square + chance * estimate**2
        reported += chance * Fraction(answer.standard_error**2).limit_denominator(10**9)
        assert answer.note == ABOVE
    assert mean == true
    assert square - true**2 <= reported < 4 * (square - true**2)


def test_groups_of_equal_shares_have_an_unbiased_variance_estimate() -> None:
    members = ("xy", "xy", "xy")
    frame = {"q": ["a", "b", "c"], "group_size": [2] * 3}
    reported = true = Fraction(0)
    for shown in product("xyz", repeat=3):
        chance = prod((GROUPED.law.published({"x": 1, "y": 1}, seen) for seen in shown), start=Fraction(1))
        release = PublishedTable(
            table=Microdata.from_frame(pl.DataFrame({**frame, "s": shown})),
            mechanism=GROUPED,
            domains={"s": tuple("xyz")},
        )
        [answer] = GroupEstimator(release)([Query.of({"s": "x"})])
        assert answer.standard_error is not None
        reported += chance * Fraction(answer.standard_error**2).limit_denominator(10**9)
        true += chance * Fraction(answer.estimate - len(members)).limit_denominator(10**6) ** 2
    assert reported == true


def test_all_values_are_the_records_of_the_groups() -> None:
    [answer] = GroupEstimator(_of_groups(tuple("xyzx")))([Query.of({"s": ["x", "y", "z"], "q": ["a", "b"]})])
    assert (answer.estimate, answer.interval, answer.note) == (4, (4, 4), None)
    assert (answer.published_count, answer.predicate_count) == (2, 4)


@pytest.mark.parametrize(
    ("numbers", "condition", "inside"),
    [
        (["q"], {"min": 20}, ["20", "25..40"]),
        (["q"], {"max": 24}, ["9..17", "20"]),
        (["q"], {"above": 20}, ["25..40"]),
        (["q"], {"min": 18, "max": 24}, ["20"]),
        (["q"], {"min": 8, "max": 100}, ["9..17", "20", "25..40"]),
        (["q"], {"min": 10}, None),
        (["q"], {"min": 26, "max": 39}, None),
        (["q"], ["20"], ["20"]),
        (["q"], ["20", "30"], None),
        (["q"], {"not": "20"}, ["9..17", "25..40"]),
        (["q"], {"not": "12"}, None),
        ([], {"min": 8}, None),
        ([], ["20"], ["20"]),
        ([], ["3"], None),  # between 25 and 40 as texts
    ],
)  # fmt: skip
def test_ranges_lie_inside_outside_or_are_cut(
    numbers: list[str], condition: object, inside: list[str] | None
) -> None:
    mechanism = PerturbedGeneralization("s", "xyz", ["q"], 1, "2/5", numbers=numbers)
    cells = {"9..17": 5, "20": 7, "25..40": 11}
    frame = pl.DataFrame({"q": list(cells), "s": ["x"] * 3, "group_size": list(cells.values())})
    release = PublishedTable(
        table=Microdata.from_frame(frame), mechanism=mechanism, domains={"s": tuple("xyz")}
    )
    query = Query.of({"q": condition, "s": "x"})
    if inside is None:
        with pytest.raises(ParameterError, match="the condition on 'q' cuts groups"):
            GroupEstimator(release)([query])
    else:
        [answer] = GroupEstimator(release)([query])
        assert answer.predicate_count == sum(cells[cell] for cell in inside)


def test_what_no_estimator_answers_is_refused() -> None:
    groups, parts = GroupEstimator(_of_groups(tuple("xyzx"))), PartEstimator(_of_parts(("x", "z", "y", "y")))
    for estimator in (groups, parts):
        with pytest.raises(ParameterError, match="the method 'inversion' only"):
            estimator([Query.of({"s": "x"})], "em")
        with pytest.raises(ParameterError, match="names no value of the sensitive column 's'"):
            estimator.require(Query.of({"q": "a"}))
        with pytest.raises(ParameterError, match="'w' is not a value of 's'"):
            estimator.require(Query.of({"s": "w"}))
        with pytest.raises(DataError, match="no column 'town'"):
            estimator.require(Query.of({"s": "x", "town": "a"}))
    with pytest.raises(ParameterError, match="k is in no group's range of 'q'"):
        groups.require(Query.of({"s": "x", "q": "k"}))
    frame = pl.DataFrame({"q": ["a"], "s": ["x"], "group_size": ["-2"]})
    damaged = PublishedTable(
        table=Microdata.from_frame(frame), mechanism=GROUPED, domains={"s": tuple("xyz")}
    )
    with pytest.raises(DataError, match="does not hold the sizes"):
        GroupEstimator(damaged)
    release = _of_groups(tuple("xyzx"))
    with pytest.raises(DataError, match="no public counts"):
        sr.crosstab(release, "q", "s")


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    chance = np.random.default_rng(5)
    q = chance.integers(0, 60, 400)
    likely = np.where(q < 20, 0.5, 0.1)
    s = np.where(chance.random(400) < likely, "x", np.where(chance.random(400) < 0.05, "z", "y"))
    return pl.DataFrame({"q": q, "p": np.where(q % 2, "1", "2"), "s": s})


@pytest.mark.parametrize("value", ["x", "z"])
def test_intervals_hold_about_as_often_as_they_say(people: pl.DataFrame, value: str) -> None:
    """Of 100 releases at 95 %, of a frequent and a rare value; 84 is five standard deviations below."""
    grouped = PerturbedGeneralization("s", "xyz", ["q"], 4, "3/4", numbers=["q"])
    parted = SmallDomainRandomization("s", ["p"], {("1",): "xyz", ("2",): "wxyz"}, 4)
    true = people["s"].to_list().count(value)
    for mechanism in (grouped, parted):
        found = [mechanism.publish(people, "s", SeededSource(seed)).estimate(s=value) for seed in range(100)]
        assert sum(each.interval[0] <= true <= each.interval[1] for each in found) >= 84
        errors = np.array([each.estimate - true for each in found])
        assert abs(errors.mean()) < 5 * errors.std() / 100**0.5


def _chance(seen: int, each: Fraction, records: int) -> float:
    return comb(records, seen) * float(each) ** seen * float(1 - each) ** (records - seen)


def test_intervals_hold_where_few_large_groups_show_nothing() -> None:
    """Forty groups of five with a share of 1/5, and two of five hundred with 3/50, which are seldom seen."""
    mechanism = PerturbedGeneralization("s", [f"v{place:02}" for place in range(14)], ["q"], 5, "20/27")
    law, sizes = mechanism.law, [5] * 40 + [500] * 2
    small, large = (law.published({"v00": a, "v01": b}, "v00") for a, b in ((1, 4), (30, 470)))
    covered = 0.0
    for first, second in product(range(41), range(3)):
        shown = [*("v00" if n < first else "v01" for n in range(40)), *["v00"] * second, *["v01"] * 2][:42]
        frame = pl.DataFrame({"q": list(map(str, range(42))), "s": shown, "group_size": sizes})
        table = Microdata.from_frame(frame)
        release = PublishedTable(table=table, mechanism=mechanism, domains={"s": mechanism.values})
        [answer] = GroupEstimator(release)([Query.of({"s": "v00"})])
        assert answer.interval is not None
        assert not answer.exact
        if answer.interval[0] <= 40 + 60 <= answer.interval[1]:
            covered += _chance(first, small, 40) * _chance(second, large, 2)
    assert covered >= 0.95, covered


def test_intervals_hold_where_a_part_seldom_shows_what_it_has() -> None:
    """Twelve records without the value in a domain of two, and twenty with it in one of five hundred."""
    many = [f"v{place:03}" for place in range(500)]
    mechanism = SmallDomainRandomization("s", ["q"], {("1",): many[:2], ("2",): many}, 9)
    keep = mechanism.retention(500)
    few, most = (1 - mechanism.retention(2)) / 2, keep + (1 - keep) / 500
    covered = 0.0
    for first, second in product(range(13), range(21)):
        shown = ["v000" if n < first else "v001" for n in range(12)]
        shown += ["v000" if n < second else "v001" for n in range(20)]
        table = Microdata.from_frame(pl.DataFrame({"q": ["1"] * 12 + ["2"] * 20, "s": shown}))
        release = PublishedTable(table=table, mechanism=mechanism, domains={"s": mechanism.values})
        [answer] = PartEstimator(release)([Query.of({"s": "v000"})])
        assert answer.interval is not None
        assert not answer.exact
        if answer.interval[0] <= 20 <= answer.interval[1]:
            covered += _chance(first, few, 12) * _chance(second, most, 20)
    assert covered >= 0.95, covered


def test_parts_with_equally_many_values_have_one_exact_interval() -> None:
    """As if the records were of one part, although the values of the two parts are others."""
    shown = ["x"] * 5 + ["y"] * 7
    frame = pl.DataFrame({"q": ["1"] * 3 + ["2"] * 9, "s": shown})
    answers = []
    for second in ("xyw", "xyz"):
        mechanism = SmallDomainRandomization("s", ["q"], {("1",): "xyz", ("2",): second}, 4)
        release = PublishedTable(
            table=Microdata.from_frame(frame), mechanism=mechanism, domains={"s": mechanism.values}
        )
        [answer] = PartEstimator(release)([Query.of({"s": "x"})])
        answers.append(answer)
    whole = RetentionReplacement(mechanism.retention(3), {"s": "xyz"})
    reported = PublishedTable(table=Microdata.from_frame(frame), mechanism=whole, domains={"s": tuple("xyz")})
    [alike] = ChannelEstimator(reported)([Query.of({"s": "x"})])
    for answer in answers:
        assert answer.exact
        assert (answer.estimate, answer.interval) == (alike.estimate, alike.interval)
