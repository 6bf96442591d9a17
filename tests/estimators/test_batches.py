"""Estimates of a release of batches: each batch is estimated by its own plan, and the estimates are added."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import hypot

import numpy as np
import polars as pl
import pytest

from splu_ref.data import Microdata
from splu_ref.estimators import Estimates, Query, QueryEstimate, QueryEstimator, count_table, measure_table
from splu_ref.estimators.answers import AVERAGED, NORMAL_95, QueryCounts, Unclipped
from splu_ref.estimators.queries.batches import added, reasons_in_batches
from splu_ref.estimators.tables.reconciliation import GroupSums, Quadratic, Rates
from splu_ref.mechanisms import ReleaseData, SpluGen, append
from splu_ref.randomness import SeededSource
from tests.rounding import near

MECHANISM = SpluGen(3, "1/2")
SHARES = {"old": [30, 30, 25, 10, 5], "new": [5, 10, 25, 30, 30]}
"""Per cent of the records of each batch, by value."""


def batch(name: str, rows: int = 300) -> pl.DataFrame:
    values = np.repeat(list("abcde"), np.array(SHARES[name]) * rows // 100)
    return pl.DataFrame(
        {"when": [name] * rows, "sex": ["f", "m", "m"] * (rows // 3), "value": values, "other": values[::-1]}
    )


def published(seed: int, *sensitive: str) -> list[pl.DataFrame]:
    return [
        MECHANISM.publish(batch(name), sensitive or ("value", "other"), SeededSource(2 * seed + place)).frame
        for place, name in enumerate(SHARES)
    ]


def estimators(parts: list[pl.DataFrame]) -> dict[str, QueryEstimator]:
    """Return the estimators of all rows, of all rows in batches, and of each batch."""
    table = Microdata.from_frame(pl.concat(parts))
    rows = [range(*ends) for ends in pairwise(np.cumsum([0, *map(len, parts)]).tolist())]
    sensitive, domain = ["value", "other"], tuple("abcde")
    domains = {"value": domain, "other": domain}

    def estimator(table: Microdata, batches: list[range]) -> QueryEstimator:
        return QueryEstimator(table, sensitive, MECHANISM, domains=domains, batches=batches)

    each = zip(SHARES, parts, strict=True)
    return {"pooled": estimator(table, []), "batches": estimator(table, rows)} | {
        name: estimator(Microdata.from_frame(part), []) for name, part in each
    }


QUERIES: list[dict[str, object]] = [
    {"when": "old", "value": "a"},
    {"when": "old", "sex": "f", "value": ["a", "d"]},
    {"when": "old", "value": "a", "other": "e"},
]


@pytest.mark.parametrize("method", ["shrunk", "exact", "em", "inversion"])
def test_records_of_one_batch_are_estimated_as_a_release_of_their_own(method: str) -> None:
    known = estimators(published(1))
    queries = [Query.of(each) for each in QUERIES[: 2 if method == "exact" else 3]]
    found, own = (
        [replace(each, condition_number=None) for each in known[name].estimate(queries, method)]
        for name in ("batches", "old")
    )
    assert found == own
    assert found != known["pooled"].estimate(queries, method)


@pytest.mark.parametrize("method", ["shrunk", "exact", "em", "inversion"])
def test_records_of_several_batches_are_added(method: str) -> None:
    known = estimators(published(1))
    queries = [Query.of({"sex": "m", "value": "a"}), Query.of({"sex": "m", "value": ["a", "b"]})]
    found = known["batches"].estimate(queries, method)
    each = [known[name].estimate(queries, method) for name in SHARES]
    for total, *parts in zip(found, *each, strict=True):
        errors = [part.standard_error or 0 for part in parts]
        assert total.standard_error == pytest.approx(hypot(*errors), abs=1e-5)
        assert total.published_count == sum(part.published_count for part in parts)
        assert total.predicate_count == sum(part.predicate_count for part in parts)
        note = "the sum of the estimates of 2 batches, each by its own plan"
        if method == "shrunk":
            alone = [float(str(part.note).rpartition("standard error is ")[2]) for part in parts]
            stated = float(str(total.note).rpartition("standard error is ")[2])
            assert stated == pytest.approx(hypot(*alone), abs=0.15)
            note += (
                f"; {AVERAGED}; the interval is that of the published count alone, whose standard error is "
            )
            note += f"{stated:.1f}"
        assert total.note == note
        low, high = _interval(total)
        assert low <= total.estimate <= high
        widths = [high - low for low, high in map(_interval, parts)]
        assert max(widths) < high - low < sum(widths)


def _counts(*pairs: tuple[float, float]) -> list[QueryCounts]:
    """Return the counts of one query by batch: the records of its predicate, and the expected count."""
    each = [(np.array([n]), np.array([expected])) for n, expected in pairs]
    return [QueryCounts(n, expected, expected, n) for n, expected in each]


def test_the_note_of_a_sum_has_the_error_of_the_published_counts_and_the_batches_that_say_nothing() -> None:
    five = np.array([5.0])
    parts = [
        Estimates(five, five, 0 * five, 2 * five, notes=[note], unclipped=Unclipped(five, np.array([error])))
        for note, error in ((AVERAGED, 3.0), (None, 4.0), (AVERAGED, np.nan))
    ]
    counts = _counts((10, 5), (10, 5), (10, 5))
    [two] = added(counts[:2], parts[:2])[1].notes
    assert str(two).endswith(f"{AVERAGED}; the interval is that of the published count alone, whose standard "
                             "error is 5.0")  # fmt: skip
    [three] = added(counts, parts)[1].notes
    assert str(three).endswith("is 5.0; it says nothing in 1 of the batches, whose whole range is added")
    [nothing] = added(counts[2:] * 2, parts[2:] * 2)[1].notes
    assert str(nothing).endswith("alone, which says nothing")
    [average] = added(counts[:2], [replace(part, interval_kind="average") for part in parts[:2]])[1].notes
    assert str(average).endswith(AVERAGED)
    [none] = added(counts[:2], [parts[1], parts[1]])[1].notes
    assert none == "the sum of the estimates of 2 batches, each by its own plan"


@pytest.mark.parametrize(
    ("pairs", "reasons", "said"),
    [
        ([(50, 10), (50, 2)], "w-", "in batch 3: w"),
        ([(10, 1), (90, 9)], "w-", "in batch 3: w"),  # a tenth of the records
        ([(9, 0.5), (91, 9)], "w-", None),
        ([(5, 1), (95, 4)], "w-", "in batch 3: w"),  # a fifth of the expected count
        ([(50, 49.8), (950, 949)], "w-", "in batch 3: w"),  # a sixth of its complement
        ([(50, 2), (50, 10)], "ww", "in 2 batches, such as batch 4: w"),
        ([(50, 2), (50, 10)], "--", None),
    ],
)
def test_weak_support_in_one_batch_is_warned_of_if_the_batch_matters(
    pairs: list[tuple[float, float]], reasons: str, said: str | None
) -> None:
    given = [[None if reason == "-" else reason] for reason in reasons]
    assert reasons_in_batches(_counts(*pairs), given, [3, 4]) == [said]


def _weak(rows: int, frequent: int) -> pl.DataFrame:
    values = ["a"] * frequent + list("bcdefghi") * (rows // 8)
    return pl.DataFrame({"value": values[:rows], "sex": ["f", "m"] * (rows // 2), "all": "1"})


def test_a_warning_names_the_batch_and_counts_its_records() -> None:
    table = Microdata.from_frame(pl.concat([_weak(400, 20), _weak(400, 98)]))
    estimator = QueryEstimator(table, ["value"], SpluGen(4), batches=[range(400), range(400, 800)])
    one, rare, everywhere = estimator.estimate(
        [Query.of({"sex": "f", "value": value}) for value in "ab"] + [Query.of({"all": "1", "value": "a"})],
        None,
    )
    assert str(one.warning).startswith("in batch 2: weakly supported")
    assert "because 98 of 400 published records" in str(one.warning)
    assert rare.warning is everywhere.warning is None


def test_conditions_that_all_records_meet_leave_the_published_count_with_its_interval() -> None:
    table = Microdata.from_frame(_weak(400, 98))
    estimator = QueryEstimator(table, ["value"], SpluGen(4))
    for value in ("a", "b", ["a", "b"]):
        alone, under = (Query.of({"value": value, **more}) for more in ({}, {"all": "1"}))
        [mle] = estimator.estimate([alone], "mle")
        assert _interval(mle)[1] <= (100 if value != ["a", "b"] else 200)  # N/gamma for each value
        assert estimator.estimate([under], None) == estimator.estimate([under], "mle") == [mle]
        for method in ("shrunk", "exact", "em"):
            for found in estimator.estimate([alone, under], method):
                assert found.interval == mle.interval, method
                assert (found.estimate, found.standard_error) == (mle.estimate, mle.standard_error)
    [other] = estimator.estimate([Query.of({"value": "a", "sex": "f"})])
    assert _interval(other) == (0, 100)
    [above] = QueryEstimator(Microdata.from_frame(_weak(400, 104)), ["value"], SpluGen(4)).estimate(
        [Query.of({"value": "a"})], "mle"
    )
    assert (above.estimate, _interval(above)[1]) == (104, 100)


def test_a_table_of_all_records_has_the_intervals_of_the_published_counts() -> None:
    table = Microdata.from_frame(_weak(400, 104))
    estimator = QueryEstimator(table, ["value"], SpluGen(4))
    release = ReleaseData(table=table, mechanism=SpluGen(4), domains={"value": tuple("abcdefghi")})
    where = Query.of({"all": "1"}).conditions
    for method in (None, "shrunk"):
        cells = count_table(release, estimator, ["value"], where, method).cells
        [found] = [cell for cell in cells if cell.values == ("a",)]
        [alone] = estimator.estimate([Query.of({"value": "a"})], "mle")
        assert (found.estimate, found.interval) == (104, alone.interval)
        assert _interval(alone)[1] == 100  # N/gamma


def test_a_batch_of_which_all_records_count_is_added_with_the_interval_of_its_published_count() -> None:
    parts = [_weak(400, 98).with_columns(sex=pl.lit("f")), _weak(400, 20)]
    table, rows = Microdata.from_frame(pl.concat(parts)), [range(400), range(400, 800)]
    estimator = QueryEstimator(table, ["value"], SpluGen(4), batches=rows)
    query = Query.of({"sex": "f", "value": "a"})
    [found] = estimator.estimate([query])
    first, second = (
        QueryEstimator(Microdata.from_frame(part), ["value"], SpluGen(4)).estimate([query], None)[0]
        for part in parts
    )
    assert (first.method, second.method) == ("mle", "shrunk")
    assert _interval(found)[1] - _interval(found)[0] < 70
    assert found.standard_error == pytest.approx(
        hypot(first.standard_error or 0, second.standard_error or 0), abs=1e-5
    )


def test_counts_in_the_whole_table_are_those_of_one_release() -> None:
    known = estimators(published(1))
    queries = [Query.of({"value": "a"}), Query.of({"value": ["a", "b"]})]
    for method in (None, "mle", "shrunk", "exact"):
        assert known["batches"].estimate(queries, method) == known["pooled"].estimate(queries, method)


def test_intervals_cover_counts_of_one_batch_and_those_of_one_plan_do_not() -> None:
    """At 95 % more than 6 of 16 misses have a chance of less than 1e-5."""
    missed = {"pooled": 0, "batches": 0}
    queries = [Query.of({"when": "old", "sex": "f", "value": "e"})]
    true = batch("old").filter(pl.col("sex") == "f", pl.col("value") == "e").height
    for seed in range(16):
        known = estimators(published(seed, "value"))
        for name in missed:
            [found] = known[name].estimate(queries, "exact")
            low, high = _interval(found)
            missed[name] += not low <= true <= high
    assert missed["batches"] <= 6 < missed["pooled"]


def test_the_interval_of_a_sum_is_that_of_mover() -> None:
    """By hand: distances 3 and 4 below, 6 and 8 above; a clipped limit is 1.96 standard errors away."""
    n, unclipped = np.array([50.0]), Unclipped(np.array([10.0]), np.array([1.0]))
    counts = QueryCounts(n, n / 2, n / 5, n)
    first, second = (
        Estimates(
            np.array([value]), np.array([error]), np.array([low]), np.array([high]), unclipped=unclipped
        )
        for value, error, low, high in ((11.0, 3.0, 7.0, 16.0), (12.0, 4.0, 6.0, 18.0))
    )
    total, found = added([counts, counts], [first, second])
    assert [*total.predicate, *total.most] == [100, 100]
    assert _ends(found) == [23, 15, 30]
    assert found.error == 5
    below = Estimates(*np.array([[0.0], [3.0], [0.0], [4.0]]), unclipped=Unclipped(np.array([-2.0]), n / 5))
    _, found = added([counts, counts], [first, below])
    assert found.lower == 0
    assert found.upper == near(8 + np.hypot(6, 10 * NORMAL_95))
    # A batch without records of the predicate adds exactly nothing; one that says nothing adds its range.
    nothing = QueryCounts(*np.zeros((4, 1)))
    _, found = added([counts, nothing], [first, below])
    assert _ends(found) == [11, 7, 16]
    blank = Estimates(*np.full((4, 1), np.nan))
    _, found = added([counts, counts], [first, blank])
    assert _ends(found) == [21, 7, 16 + 50]
    _, found = added([counts, counts], [blank, blank])
    assert np.isnan(found.value).all()


def test_sums_over_batches_have_the_range_of_all_their_records() -> None:
    def of(size: float) -> GroupSums:
        one = np.array([size])
        rates = Rates(one, -one)
        return GroupSums(
            one, one, Quadratic(one, -one, one), rates, rates, one,
            least=one, greatest=one + 1, lowest=-one, highest=2 * one,
        )  # fmt: skip

    found = GroupSums.added([of(1), of(3)])
    assert (*found.total, *found.records, *found.published, *found.lowest, *found.highest) == (4, 4, 4, -4, 8)
    assert (*found.least, *found.greatest) == (1, 4)
    assert [each.item() for each in (*found.variance, *found.sum_rates, *found.mean_rates)] == [
        4, -4, 4, 3, -1, 3, -1,
    ]  # fmt: skip


def test_estimates_put_in_the_place_of_others_keep_what_they_were_before_clipping() -> None:
    many, one = (
        Estimates(*np.full((4, size), value), unclipped=Unclipped(*np.full((2, size), -value)))
        for size, value in ((3, 5.0), (1, 7.0))
    )
    found = many.with_others(np.array([1]), one)
    assert [list(found.value), list(found.linear.value)] == [[5, 7, 5], [-5, -7, -5]]


def test_a_release_of_batches_is_estimated_by_batch_as_long_as_its_rows_are_known() -> None:
    first = MECHANISM.publish(batch("old").drop("other"), "value", SeededSource(1))
    joined = append(first, batch("new").drop("other"), SeededSource(2))
    found = joined.estimate(when="old", value="a")
    assert found == first.estimate(when="old", value="a", method="shrunk")
    assert found.warning is None
    turned = QueryEstimator(joined.table, ["value"], MECHANISM, batches=None)
    both, alone = turned.estimate([Query.of({"when": "old", "value": "a"}), Query.of({"value": "a"})], None)
    assert "which rows are of which batch is not known" in (both.warning or "").lower()
    assert alone.warning is None


@pytest.mark.parametrize("column", ["value", "pay"])
def test_sums_and_means_are_estimated_by_batch(column: str) -> None:
    numbers = {
        name: batch(name).select(
            "when", "sex", pl.col("value").replace(dict(zip("abcde", "12345", strict=True))), pay=pl.lit("7")
        )
        for name in SHARES
    }
    first = MECHANISM.publish(numbers["old"], "value", SeededSource(1))
    release = append(first, numbers["new"], SeededSource(2))
    by = ["when", "sex"] if column == "value" else ["when", "sex", "value"]
    apart, both = (measure_table(release, "sum", column, names) for names in (by, by[1:]))
    assert apart.warning is None
    half = len(both.cells)  # 'new' is before 'old'
    assert apart.cells[half:] == measure_table(first, "sum", column, by).cells
    for total, *parts in zip(both.cells, apart.cells[:half], apart.cells[half:], strict=True):
        assert total.estimate == near(sum(part.estimate for part in parts))
        assert total.standard_error == near(hypot(*(part.standard_error or 0 for part in parts)))
    mean = measure_table(release, "mean", column, by).cells[-1]
    assert mean == measure_table(first, "mean", column, by).cells[-1]
    turned = replace(
        release, table=Microdata.from_frame(release.frame[::-1]), attached_manifest=release.manifest
    )
    assert "which rows are of which batch" in (measure_table(turned, "sum", column, by).warning or "").lower()


def _ends(found: Estimates) -> list[float]:
    return [*found.value, *found.lower, *found.upper]


def _interval(found: QueryEstimate) -> tuple[float, float]:
    assert found.interval is not None
    return found.interval
