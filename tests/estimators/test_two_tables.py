"""Counts from Anatomy's two tables: every placement of small worlds, and what the tables must hold."""

from __future__ import annotations

import tracemalloc
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import polars as pl
import pytest

from splu_ref.channels.parameters import DataError, InputError, ParameterError
from splu_ref.data import Microdata
from splu_ref.estimators import Query, TwoTablesEstimator
from splu_ref.mechanisms import Anatomy, PublishedTwoTables, TwoTables
from splu_ref.randomness import Draws, SeededSource, outcomes
from tests.rounding import near

TRIANGLE = np.array([0, 0, 1, 1, 2, 2], dtype=np.int64)
"""Groups of two are 01, 02 and 12: the smallest world in which they distinguish all values."""
PREDICATES = ("100000", "110000", "101000", "100010", "111000", "101010", "110011", "011111")
"""By name which of the records are meant."""


def _release(
    groups: Sequence[int], values: Sequence[Sequence[int]], predicates: Sequence[str], domain: str
) -> PublishedTwoTables:
    """Return the release in which each record is in the group of its place."""
    reported = {"group": list(groups)} | {name: [*name] for name in predicates}
    pairs = [(group, domain[value]) for group, covered in enumerate(values) for value in covered]
    second = {"group": [group for group, _ in pairs], "v": [v for _, v in pairs], "count": [1] * len(pairs)}
    return PublishedTwoTables(
        table=Microdata.from_frame(pl.DataFrame(reported)),
        sensitive_table=Microdata.from_frame(pl.DataFrame(second)),
        mechanism=Anatomy(len(values[0])),
        domains={"v": tuple(domain)},
    )


def _placements(codes: np.ndarray, gamma: int) -> dict[tuple[tuple[int, ...], ...], Fraction]:
    """Return the law of the groups' values and of each record's group, over every draw of the code."""

    def codes_in_domain(tables: TwoTables) -> tuple[tuple[int, ...], ...]:
        groups = tables.groups[np.argsort(tables.rows)]
        return (tuple(groups.tolist()), *map(tuple, tables.values.tolist()))

    law: dict[tuple[tuple[int, ...], ...], Fraction] = defaultdict(Fraction)

    def run(source: Draws) -> TwoTables:
        return Anatomy(gamma).publish_codes(codes, 1 + int(codes.max()), source)

    for tables, chance in outcomes(run):
        law[codes_in_domain(tables)] += chance
    return law


def test_the_mean_over_every_release_is_the_count_and_the_intervals_hold() -> None:
    means: dict[tuple[str, str], float] = defaultdict(float)
    covered: dict[tuple[str, str], Fraction] = defaultdict(Fraction)
    squares: dict[tuple[str, str], float] = defaultdict(float)
    reported: dict[tuple[str, str], float] = {}
    pairs_of_query = list(product(PREDICATES, "abc"))
    truth = {
        (name, value): sum(
            bit == "1" and "abc"[code] == value for bit, code in zip(name, TRIANGLE, strict=True)
        )
        for name, value in pairs_of_query
    }
    law = _placements(TRIANGLE, 2)
    assert len(law) == 8  # two ways to place the records of each of three values
    for (groups, *values), chance in law.items():
        estimator = TwoTablesEstimator(_release(groups, values, PREDICATES, "abc"))
        queries = [Query.of({name: "1", "v": value}) for name, value in pairs_of_query]
        for method in (None, "shares"):
            for pair, answer in zip(pairs_of_query, estimator(queries, method), strict=True):
                assert answer.interval is not None
                inside = answer.interval[0] <= truth[pair] <= answer.interval[1]
                if method == "shares":
                    assert inside
                    continue
                covered[pair] += chance * inside
                means[pair] += float(chance) * answer.estimate
                squares[pair] += float(chance) * answer.estimate**2
                assert answer.standard_error is not None
                reported[pair] = answer.standard_error
    for pair, count in truth.items():
        assert means[pair] == pytest.approx(count, abs=1e-5)
        assert squares[pair] - means[pair] ** 2 <= reported[pair] ** 2 + 1e-5
        assert covered[pair] >= Fraction(19, 20)
    # Of one record each way it can be placed is as far off: the largest variance is that of a record.
    assert reported["100000", "b"] ** 2 == near(squares["100000", "b"] - means["100000", "b"] ** 2)


VALUES = ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3), (0, 1, 2), (1, 2, 3))
"""Groups of three in which four values have 4, 5, 5 and 4 records."""


def test_the_largest_error_is_that_of_the_worst_predicate_of_its_size() -> None:
    places = [[group for group, covered in enumerate(VALUES) if value in covered] for value in range(4)]
    records = [group for own in places for group in own]
    for number in (1, 4, 9):
        name = "1" * number + "0" * (len(records) - number)
        estimator = TwoTablesEstimator(_release(records, VALUES, [name], "abcd"))
        [answer] = estimator([Query.of({name: "1", "v": "a"})])
        weights = estimator._weights(frozenset({0}))
        assert weights is not None
        spread = {}
        for value, own in enumerate(places):
            u = weights.of_groups[own]
            assert u.mean() == pytest.approx(float(value == 0), abs=1e-9)
            for n in range(len(own) + 1):
                sums = [u[list(chosen)].sum() for chosen in {p[:n] for p in permutations(range(len(own)))}]
                spread[value, n] = float(np.var(sums))
        worst = max(
            sum(spread[value, n] for value, n in enumerate(split))
            for split in product(*(range(len(own) + 1) for own in places))
            if sum(split) == number
        )
        assert answer.standard_error is not None
        assert answer.standard_error**2 == near(worst)


def test_the_interval_is_bernsteins_for_the_worst_predicate_of_its_size() -> None:
    times = 12
    values = VALUES * times
    places = [
        np.array([group for group, covered in enumerate(values) if value in covered]) for value in range(4)
    ]
    records = [int(group) for own in places for group in own]
    estimator = TwoTablesEstimator(_release(records, values, [], "abcd"))
    weights = estimator._weights(frozenset({1}))
    assert weights is not None
    away = [weights.of_groups[own] - (value == 1) for value, own in enumerate(places)]
    above, below = max(one.max() for one in away), -min(one.min() for one in away)
    assert below > 1.5 * above  # so that the sides can be reported apart
    for number in (1, 30, 48, len(records) - 30):
        few = min(number, len(records) - number)
        chosen = [(few, 0, 0, 0), (0, few, 0, 0), (0, 0, few, 0), (0, 0, 0, few)]
        worst = max(sum(n * one.var() for n, one in zip(split, away, strict=True)) for split in chosen)
        assert few <= min(map(len, places))
        reach = weights.reach(number)
        largest = (above, below) if number == few else (below, above)
        for reached, most in zip(reach, largest, strict=True):
            exponent = reached**2 / (2 * (worst + most * reached / 3))
            assert np.exp(-exponent) == near(1 / 40, rel=1e-4)
        # The law itself: of 30 records of one value, each way to place them is as likely.
        for one in away if number == 30 else ():
            law = _drawn(one, number)
            assert sum(chance for total, chance in law.items() if total > reach[0]) <= 1 / 40
            assert sum(chance for total, chance in law.items() if -total > reach[1]) <= 1 / 40


def _drawn(values: np.ndarray, number: int) -> dict[float, float]:
    """Return the law of the sum of some of the values, drawn without replacement."""
    law: dict[int, dict[float, float]] = {0: {0.0: 1.0}}
    for value in values.tolist():
        after: dict[int, dict[float, float]] = {}
        for taken, sums in law.items():
            for step in (0, 1):
                row = after.setdefault(taken + step, {})
                for total, ways in sums.items():
                    key = round(total + step * value, 9)
                    row[key] = row.get(key, 0.0) + ways
        law = {taken: sums for taken, sums in after.items() if taken <= number}
    every = sum(law[number].values())
    return {total: ways / every for total, ways in law[number].items()}


def test_a_predicate_and_its_complement_err_by_the_same() -> None:
    places = [[group for group, covered in enumerate(VALUES) if value in covered] for value in range(4)]
    records = [group for own in places for group in own]
    name = "110100010010000000"
    estimator = TwoTablesEstimator(_release(records, VALUES, [name], "abcd"))
    one, other = estimator([Query.of({name: bit, "v": "b"}) for bit in "10"])
    assert one.estimate + other.estimate == pytest.approx(5, abs=1e-5)
    assert one.standard_error == near(other.standard_error)
    assert one.interval is not None
    assert other.interval == (5 - one.interval[1], 5 - one.interval[0])


def test_values_alone_are_exact_and_all_values_are_the_predicate() -> None:
    [groups, *values] = next(iter(_placements(TRIANGLE, 2)))
    estimator = TwoTablesEstimator(_release(groups, values, PREDICATES, "abc"))
    [alone, every] = estimator([Query.of({"v": ["a", "b"]}), Query.of({"v": [*"abc"], "101010": "1"})])
    assert (alone.estimate, alone.standard_error, alone.interval) == (4, 0, (4, 4))
    assert (every.estimate, every.interval, every.published_count) == (3, (3, 3), 3)


def test_what_is_certain_stands_where_the_interval_contradicts_it() -> None:
    values = VALUES * 12
    records = [group for group, covered in enumerate(values) for _ in covered]
    name = "".join("1" if 0 in values[group] else "0" for group in records)
    [answer] = TwoTablesEstimator(_release(records, values, [name], "abcd"))(
        [Query.of({name: "1", "v": "a"})]
    )
    # All who stand beside a value: the mean of the weights is 1, which a predicate of people hardly meets.
    assert (answer.predicate_count, answer.estimate) == (144, 144)
    assert answer.interval == (48, 48)


def test_values_that_share_all_groups_are_not_distinguished() -> None:
    release = _release([0, 1, 0, 1], [[0, 1], [0, 1]], ["1000"], "ab")
    estimator = TwoTablesEstimator(release)
    query = Query.of({"1000": "1", "v": "a"})
    with pytest.raises(DataError, match="do not distinguish v=a from values that occur with it"):
        estimator([query])
    [answer] = estimator([query], "shares")
    assert (answer.estimate, answer.standard_error, answer.interval) == (0.5, None, (0, 1))
    [alone] = estimator([Query.of({"v": "a"})])
    assert (alone.estimate, alone.standard_error, alone.interval) == (2, 0, (2, 2))
    [both] = estimator([Query.of({"1000": "1", "v": [*"ab"]})])
    assert both.interval == (1, 1)


@pytest.mark.parametrize(
    ("where", "method", "message"),
    [
        ({"100000": "1"}, None, "names no value of the sensitive column 'v'"),
        ({"v": "a", "group": 0}, None, "was drawn at random"),
        ({"v": "d"}, None, "'d' is not a value of 'v'"),
        ({"v": "a"}, "em", "'inversion' and 'shares' only"),
        ({"v": "a", "w": "1"}, None, "there is no column 'w'"),
    ],
)
def test_questions_without_an_answer(where: dict[str, object], method: str | None, message: str) -> None:
    [groups, *values] = next(iter(_placements(TRIANGLE, 2)))
    estimator = TwoTablesEstimator(_release(groups, values, PREDICATES, "abc"))
    with pytest.raises(InputError, match=message):
        estimator([Query.of(where)], method)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ({"group": [0, 0, 1, 1], "v": [*"abab"]}, "the columns of the sensitive table are not"),
        ({"group": [0, 0, 1, 1], "v": [*"abab"], "count": [1, 1, 1, 2]}, "count that is not 1"),
        ({"group": [0, 0, 1, 1], "v": [*"abac"], "count": [1] * 4}, "holds 'c', which the domain lacks"),
        ({"group": [0, 0, 2, 2], "v": [*"abab"], "count": [1] * 4}, "is in the group '1', which has no row"),
        ({"group": [0, 0, 1, 1], "v": [*"abaa"], "count": [1] * 4}, "2 records and 1 different"),
        ({"group": [0, 0, 1], "v": [*"aba"], "count": [1] * 3}, "2 records and 1 different"),
        ({"group": [0, 0, 1, 1, 2, 2], "v": [*"ababab"], "count": [1] * 6}, "0 records and 2 different"),
    ],
)
def test_tables_that_are_not_of_one_release(second: dict[str, list[object]], message: str) -> None:
    release = PublishedTwoTables(
        table=Microdata.from_frame(pl.DataFrame({"group": [0, 1, 0, 1], "sex": [*"FFMM"]})),
        sensitive_table=Microdata.from_frame(pl.DataFrame(second)),
        mechanism=Anatomy(2),
        domains={"v": ("a", "b")},
    )
    with pytest.raises(DataError, match=message):
        TwoTablesEstimator(release)


def test_too_many_values_are_refused_before_any_work() -> None:
    release = PublishedTwoTables(
        table=Microdata.from_frame(pl.DataFrame({"group": [0, 0]})),
        sensitive_table=Microdata.from_frame(pl.DataFrame({"group": [0]})),
        mechanism=Anatomy(2),
        domains={"v": tuple(map(str, range(2_001)))},
    )
    with pytest.raises(DataError, match="more than 2000 values"):
        TwoTablesEstimator(release)


def test_the_cache_is_bounded_and_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = np.arange(12_000) % 23
    release = Anatomy(3, "mixed").publish(
        pl.DataFrame({"v": [f"{code:02}" for code in codes], "sex": [*"FMM"] * 4000}), "v", SeededSource(5)
    )
    queries = [Query.of({"sex": "F", "v": [*pair]}) for pair in combinations(release.domains["v"], 2)][:60]
    plain = TwoTablesEstimator(release)(queries)
    monkeypatch.setattr("splu_ref.estimators.queries.two_tables_estimator._PAIRS", 999)
    monkeypatch.setattr("splu_ref.estimators.queries.two_tables_estimator._CACHED", 5 * len(codes))
    estimator = TwoTablesEstimator(release)
    tracemalloc.start()
    try:
        assert estimator(queries) == plain
        covered = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert (
        covered < 8 * len(codes) * 12
    )  # of 60 sets of values, a number for each group and for half of the records


def test_a_release_of_a_table_answers_and_crosses() -> None:
    frame = pl.DataFrame({"sex": [*"FM"] * 30, "v": [*"abcde"] * 12})
    release = Anatomy(2).publish(frame, "v", SeededSource(1))
    assert release.estimate(v="a").estimate == 12
    assert release.crosstab("sex", "v").shape == (2, 6)
    with pytest.raises(ParameterError, match="was drawn at random"):
        release.estimate(v="a", group=1)
