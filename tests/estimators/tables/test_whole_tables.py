"""Whole tables: each line, total and query, counted by hand, and their forms for programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from math import nan

import numpy as np
import pandas as pd
import pytest

from splu_ref.channels.parameters import InputError
from splu_ref.data import Microdata, ordered
from splu_ref.estimators import (
    AnyOf,
    Between,
    Cell,
    Condition,
    Query,
    QueryEstimate,
    Table,
    count_table,
    measure_table,
    table_columns,
    table_object,
)
from splu_ref.estimators.tables import counts
from splu_ref.estimators.tables.cells import PublicGroups, is_exact
from splu_ref.estimators.tables.counts import _CellEstimates
from splu_ref.mechanisms import PublishedTable, ReleaseData, RetentionReplacement, SpluGen
from tests.rounding import near

FRAME = pd.DataFrame(
    {
        "sex": list("MFMFMFMFMFMM"),
        "age": ["9", "10", "9", "10", "11", "9", "9", "10", "9", "9", "9", "x"],
        "job": list("aabbcaabbcaa"),
        "town": list("vuvuvuvuvuuv"),
    }
)
DOMAINS = {"job": tuple("cab"), "town": tuple("uv")}


def _published(*columns: str) -> PublishedTable:
    some = {column: DOMAINS[column] for column in columns}
    return PublishedTable(
        table=Microdata.from_frame(FRAME), mechanism=RetentionReplacement("1/2", some), domains=some
    )


def _counted(query: Query) -> int:
    """Return how many published records satisfy a query, which is what the stub says of the original."""
    kept = np.ones(len(FRAME), dtype=bool)
    for column, condition in query.conditions:
        assert isinstance(condition, AnyOf)
        kept &= FRAME[column].isin(condition.values).to_numpy()
    return int(kept.sum())


class RecordingEstimator:
    """Returns consistent estimates, and records the queries."""

    def __init__(self) -> None:
        self.questions: list[tuple[list[str], str | None]] = []

    def __call__(self, queries: Sequence[Query], method: str | None) -> list[QueryEstimate]:
        self.questions.append(([str(query) for query in queries], method))
        return [_answer(_counted(query), len(query.conditions)) for query in queries]


def _answer(count: int, conditions: int) -> QueryEstimate:
    return QueryEstimate(
        estimate=count, standard_error=count / 8, interval=(count - 0.5, count + 1.0),
        method=f"of {conditions}", published_count=count + 100, predicate_count=conditions, exact=count == 3,
    )  # fmt: skip


def _cell(values: tuple[str | None, ...], count: int, conditions: int, most: int) -> Cell:
    low, high = max(count - 0.5, 0.0), min(count + 1.0, most)
    return Cell(
        values, count, count / 8, (low, high), f"of {conditions}", count + 100, conditions, exact=count == 3
    )


def _public(values: tuple[str | None, ...], count: int) -> Cell:
    return Cell(values, count, 0.0, (count, count), "public", count, count, exact=True)


def test_a_table_of_a_public_and_a_sensitive_column() -> None:
    estimator = RecordingEstimator()
    table = count_table(_published("job"), estimator, ["job", "sex"], [], "shrunk")
    assert estimator.questions == [
        (["job=a", "job=b", "job=c"], None),
        ([f"job={job} and sex={sex}" for sex in "FM" for job in "abc"], "shrunk"),
    ]  # fmt: skip
    assert table == Table(
        quantity="count",
        by=("job", "sex"),
        where=(),
        cells=(
            _cell(("a", "F"), 2, 2, 5), _cell(("b", "F"), 2, 2, 5), _cell(("c", "F"), 1, 2, 5),
            _cell(("a", "M"), 4, 2, 7), _cell(("b", "M"), 2, 2, 7), _cell(("c", "M"), 1, 2, 7),
        ),
        totals=(
            _public((None, "F"), 5), _public((None, "M"), 7),
            _cell(("a", None), 6, 1, 12), _cell(("b", None), 4, 1, 12), _cell(("c", None), 2, 1, 12),
            _public((None, None), 12),
        ),
        rows=12,
    )  # fmt: skip


def test_a_table_of_some_records_and_some_values() -> None:
    """Of ages 9 and 10 there are 10 records: columns of both kinds have lines, or conditions, or both."""
    estimator = RecordingEstimator()
    where: tuple[tuple[str, Condition], ...] = (("age", AnyOf(("9", "10"))), ("job", AnyOf(("b", "a"))))
    table = count_table(_published("job"), estimator, ["age", "job"], where, "shrunk")
    assert estimator.questions == [
        ([f"age={{9, 10}} and job={job}" for job in "abc"], "shrunk"),
        ([f"age={age} and job={job}" for age in ("9", "10") for job in "abc"], "shrunk"),
    ]
    assert table == Table(
        quantity="count",
        by=("age", "job"),
        where=where,
        cells=(
            _cell(("9", "a"), 4, 2, 7), _cell(("9", "b"), 2, 2, 7),
            _cell(("10", "a"), 1, 2, 3), _cell(("10", "b"), 2, 2, 3),
        ),
        totals=(_cell((None, "a"), 5, 2, 10), _cell((None, "b"), 4, 2, 10)),
        rows=10,
    )  # fmt: skip
    table = count_table(_published("job"), estimator, ["age"], where)
    assert estimator.questions[2:] == [
        (["age={9, 10} and job={a, b}", "age={9, 10} and job=c"], None),
        (["age=9 and job={a, b}", "age=9 and job=c", "age=10 and job={a, b}", "age=10 and job=c"], None),
    ]
    assert table.cells == (_cell(("9",), 6, 2, 7), _cell(("10",), 3, 2, 3))
    assert table.totals == (_cell((None,), 9, 2, 10),)


def test_a_table_of_two_sensitive_columns_of_all_records() -> None:
    estimator = RecordingEstimator()
    table = count_table(_published("town", "job"), estimator, ["town", "job"], [("town", AnyOf(("v",)))])
    assert estimator.questions == [
        (["town=v", "town=u"], None),
        (["job=a", "job=b", "job=c"], None),
        ([f"job={job} and town={town}" for town in "vu" for job in "abc"], None),
    ]
    assert table.cells == (
        _cell(("v", "a"), 3, 2, 12), _cell(("v", "b"), 2, 2, 12), _cell(("v", "c"), 1, 2, 12),
    )  # fmt: skip
    assert table.totals == (_cell(("v", None), 6, 1, 12),), "jobs in another town are in no line"


def test_a_sensitive_column_alone_is_one_query() -> None:
    estimator = RecordingEstimator()
    table = count_table(_published("job"), estimator, ["job"], [("sex", AnyOf(("F",)))], "shrunk")
    assert estimator.questions == [([f"job={job} and sex=F" for job in "abc"], "shrunk")]
    assert table.cells == (_cell(("a",), 2, 2, 5), _cell(("b",), 2, 2, 5), _cell(("c",), 1, 2, 5))
    assert table.totals == (_public((None,), 5),)
    assert table.rows == 5


def test_a_table_of_what_is_public_asks_nothing() -> None:
    table = count_table(_published("job"), RecordingEstimator(), ["age", "sex"], [("sex", AnyOf(("M",)))])
    assert table == Table(
        quantity="count",
        by=("age", "sex"),
        where=(("sex", AnyOf(("M",))),),
        cells=(_public(("9", "M"), 5), _public(("11", "M"), 1), _public(("x", "M"), 1)),
        totals=(_public((None, None), 7),),
        rows=7,
    )


def test_unknown_errors_are_not_reported_and_the_first_warning_is() -> None:
    def ask(queries: Sequence[Query], _: str | None) -> list[QueryEstimate]:
        return [
            QueryEstimate(
                estimate=_counted(query), standard_error=None, interval=None, method="x", published_count=1,
                predicate_count=2, warning=f"of {query}" if "job=b" in str(query) else None,
            )
            for query in queries
        ]  # fmt: skip

    table = count_table(_published("job"), ask, ["sex", "job"])
    assert table.warning == "of job=b and sex=F"
    assert table.cells[0] == Cell(("F", "a"), 2.0, None, None, "x", 1, 2)
    assert table.cells[0].approximation == "none"


def test_estimates_are_moved_by_their_variances_and_take_their_ends_along() -> None:
    """10 become 16 by one part and by five; where no error is known, parts are the estimates and one more."""

    def of(error: tuple[float, float]) -> _CellEstimates:
        return _CellEstimates(
            np.array([[4.0, 6.0]]), np.array([error]), np.array([[3.0, 6.5]]), np.array([[4.5, 12.0]]), (),
            np.zeros((1, 2), dtype=np.bool_),
        )  # fmt: skip

    moved = of((1.0, 5**0.5)).reconciled([np.array([16.0]), None], np.array([[16.0, 11.5]]))
    assert moved.value == near(np.array([[5.0, 11.0]]))
    assert moved.high.tolist() == [[7.0, 11.5]], "5 and 1.96 rounded up, and not above the most"
    assert moved.low.tolist() == [[3.0, 6.5]]
    moved = of((nan, nan)).reconciled([np.array([22.0]), None], np.array([[22.0, 22.0]]))
    assert moved.value == near(np.array([[9.0, 13.0]]))
    assert moved.high.tolist() == [[9.0, 13.0]]
    moved = of((1.0, 2.0)).reconciled([np.array([5.0]), None], np.array([[5.0, 5.0]]))
    assert moved.value == near(np.array([[3.0, 2.0]]))
    assert moved.low.tolist() == [[3.0, 0.0]], "no end is below 0"
    moved = of((1.0, 1.0)).reconciled([np.array([9.0]), None], np.array([[9.0, 9.0]]))
    assert moved.low.tolist() == [[3.0, 3.0]], "5.5 less 1.96 rounded down"


def test_estimates_are_rounded_to_a_millionth() -> None:
    answers = [_answer(3, 1), _answer(4, 1)]
    found = _CellEstimates(
        np.array([1.23456789, 2.0]), np.array([0.123456789, nan]), np.array([0.5, nan]), np.array([2.5, nan]),
        answers, np.array([True, False]),
    )  # fmt: skip
    assert list(found.lines([1, 0], [("b",), ("a",)])) == [
        Cell(("b",), 2.0, 0.5, None, "of 1", 104, 1),
        Cell(("a",), 1.234568, 0.375, (0.5, 2.5), "of 1", 103, 1, exact=True),
    ]


def test_as_much_work_is_done_as_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    both = _published("town", "job")
    monkeypatch.setattr(counts, "MOST_CELLS", 6)
    monkeypatch.setattr(counts, "MOST_WORK", 6 * (6 + 100_000))
    assert len(count_table(both, RecordingEstimator(), ["town", "job"]).cells) == 6
    monkeypatch.setattr(counts, "MOST_WORK", 6 * (6 + 100_000) - 1)
    with pytest.raises(InputError) as error:
        count_table(both, RecordingEstimator(), ["town", "job"])
    assert str(error.value) == (
        "the table of town, job has 6 cells, of 6 combinations of sensitive values, which is too much work: "
        "name fewer columns, or fewer values by conditions"
    )
    assert len(count_table(_published("job"), RecordingEstimator(), ["sex", "job"]).cells) == 6
    monkeypatch.setattr(counts, "MOST_CELLS", 5)
    with pytest.raises(InputError, match="has 6 cells, of 3 combinations"):
        count_table(_published("job"), RecordingEstimator(), ["sex", "job"])


def test_a_condition_that_no_value_meets_is_refused() -> None:
    ages = {"age": ("9", "10", "11", "x")}
    release = PublishedTable(
        table=Microdata.from_frame(FRAME), mechanism=RetentionReplacement("1/2", ages), domains=ages
    )
    with pytest.raises(InputError) as error:
        count_table(release, RecordingEstimator(), ["sex"], [("age", Between(Decimal(50), None))])
    assert str(error.value) == "no value of 'age' meets the condition 50..: change it"
    with pytest.raises(InputError, match="'z' is not a value of 'job'"):
        count_table(_published("job"), RecordingEstimator(), ["job"], [("job", AnyOf(("z",)))])
    with pytest.raises(InputError) as error:
        count_table(
            _published("job"), RecordingEstimator(), ["job"], [("age", AnyOf(("x",))), ("sex", AnyOf(("F",)))]
        )
    assert str(error.value) == "no record meets age=x and sex=F: change it"


def test_groups_of_records() -> None:
    found = PublicGroups.of(
        _published("job"), ["age", "job", "sex"], [("sex", AnyOf(("M",))), ("town", AnyOf(("v",)))]
    )
    assert found.columns == ("age", "sex")
    assert found.values == (("9", "M"), ("11", "M"), ("x", "M"))
    assert found.counts.tolist() == [4, 1, 1]
    assert found.of_row.tolist() == [0, -1, 0, -1, 1, -1, 0, -1, 0, -1, -1, 2]
    assert found.times.tolist() == [1] * 12
    assert [str(Query(found.conditions(place))) for place in (0, 2)] == [
        "age=9 and sex=M and town=v", "age=x and sex=M and town=v",
    ]  # fmt: skip


def test_numbers_stand_before_texts_and_by_their_size() -> None:
    assert ordered(["b", "10", "9.5", "", "a", "-1e3", "1_0", "nan", "9.50"]) == [
        "-1e3", "9.5", "9.50", "10", "1_0", "a", "b", "nan", "",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("release", "conditions", "method", "exact"),
    [
        (lambda: SpluGen(2), (("job", AnyOf(("a",))),), "mle", True),
        (lambda: SpluGen(2), (("job", AnyOf(("a", "b"))),), "mle", False),
        (lambda: SpluGen(2), (("sex", AnyOf(("F",))), ("job", AnyOf(("a",)))), "mle", False),
        (lambda: SpluGen(2), (("job", Between(Decimal(1), None)),), "mle", False),
        (lambda: SpluGen(2), (("job", AnyOf(("a",))),), "other", False),
        (lambda: SpluGen(2, retention="2/3"), (("job", AnyOf(("a",))),), "mle", False),
        (lambda: SpluGen(2, draws="capped:3"), (("job", AnyOf(("a",))),), "mle", False),
        (lambda: RetentionReplacement("1/2", {"job": DOMAINS["job"]}), (("job", AnyOf(("a",))),), "mle",
         False),
    ],
)  # fmt: skip
def test_which_intervals_hold_exactly(
    release: Callable[[], SpluGen | RetentionReplacement],
    conditions: tuple[tuple[str, Condition], ...],
    method: str,
    exact: bool,
) -> None:
    table = PublishedTable(
        table=Microdata.from_frame(FRAME),
        mechanism=release(),
        domains={"job": DOMAINS["job"]},
    )
    answer = QueryEstimate(
        estimate=1.0, standard_error=None, interval=None, method=method, published_count=0, predicate_count=1
    )
    assert is_exact(table, Query(conditions), answer) == exact


TABLE = Table(
    quantity="mean of age",
    by=("sex", "job"),
    where=(("town", AnyOf(("u", "v"))),),
    cells=(
        Cell(("F", "a"), 2.0, 0.5, (1.0, 4.5), "mle", 3, 5, exact=True),
        Cell(("M", "a"), 2.5, None, None, "x", 4, 6),
        Cell(("M", "b"), 7.0, 0.25, (6.0, 10.0), "y", 8, 9),
    ),
    totals=(Cell((None, "a"), 4.0, 0.0, (4.0, 4.0), "public", 4, 4, exact=True),),
    rows=12,
)


def test_a_table_as_an_object() -> None:
    expected = {
        "quantity": "mean of age",
        "by": ["sex", "job"],
        "where": "town={u, v}",
        "rows": 12,
        "cells": [
            {"values": {"sex": "F", "job": "a"}, "estimate": 2, "standard_error": 0.5, "interval": [1, 4.5],
             "half_width": 1.75, "approximation": "exact", "method": "mle", "published_count": 3,
             "predicate_count": 5},
            {"values": {"sex": "M", "job": "a"}, "estimate": 2.5, "standard_error": None, "interval": None,
             "half_width": None, "approximation": "none", "method": "x", "published_count": 4,
             "predicate_count": 6},
            {"values": {"sex": "M", "job": "b"}, "estimate": 7, "standard_error": 0.25, "interval": [6, 10],
             "half_width": 2, "approximation": "approximate", "method": "y", "published_count": 8,
             "predicate_count": 9},
        ],
        "totals": [
            {"values": {"job": "a"}, "estimate": 4, "standard_error": 0.0, "interval": [4, 4],
             "half_width": 0, "approximation": "exact", "method": "public", "published_count": 4,
             "predicate_count": 4},
        ],
    }  # fmt: skip
    assert repr(table_object(TABLE)) == repr(expected), "whole numbers are expected without a fraction"
    bare = table_object(Table(quantity="count", by=(), where=(), cells=(), totals=(), rows=0, warning="why"))
    assert bare == {
        "quantity": "count", "by": [], "where": "", "rows": 0, "cells": [], "totals": [], "warning": "why",
    }  # fmt: skip


def test_a_table_as_columns() -> None:
    expected = {
        "sex": ["F", "M", "M"],
        "job": ["a", "a", "b"],
        "estimate": [2.0, 2.5, 7.0],
        "standard_error": [0.5, None, 0.25],
        "low": [1.0, None, 6.0],
        "high": [4.5, None, 10.0],
        "half_width": [1.75, None, 2.0],
        "approximation": ["exact", "none", "approximate"],
        "method": ["mle", "x", "y"],
        "published_count": [3, 4, 8],
        "predicate_count": [5, 6, 9],
    }
    assert repr(table_columns(TABLE)) == repr(expected)


@pytest.mark.parametrize(
    "name", ["estimate", "high", "method", "approximation", "published_count", "predicate_count"]
)
def test_a_column_that_has_the_name_of_a_number_is_refused(name: str) -> None:
    with pytest.raises(InputError) as error:
        table_columns(Table(quantity="count", by=("sex", name), where=(), cells=(), totals=(), rows=0))
    assert str(error.value) == (f"the column {name!r} would stand beside the numbers of that name: rename it")


def test_a_whole_table_of_means_and_of_sums() -> None:
    """Values that stay with probability 1/2: of two, the inverse is 3/2 and -1/2."""
    release: ReleaseData = _published("town")
    where: tuple[tuple[str, Condition], ...] = (("sex", AnyOf(("M",))),)
    table = measure_table(release, "sum", "age", ["sex", "town"], where)
    # The ages of men are 9, 9, 11, 9 and 9 in v, and 9 and x in u.
    assert (table.quantity, table.by, table.where, table.totals, table.rows, table.warning) == (
        "sum of age", ("sex", "town"), where, (), 6, None,  # not the x
    )  # fmt: skip
    expected: list[tuple[object, ...]] = [
        (cell.values, cell.estimate, cell.method, cell.published_count, cell.predicate_count, cell.exact)
        for cell in table.cells
    ]
    assert expected == [
        (("M", "u"), near(9 * 1.5 - 47 * 0.5), "inversion", 1, 7, False),
        (("M", "v"), near(47 * 1.5 - 9 * 0.5), "inversion", 5, 7, False),
    ]
    public = measure_table(release, "mean", "age", ["sex"], [("age", AnyOf(("9", "10", "x")))])
    assert public.cells == (
        Cell(("F",), 9.6, 0.0, (9.6, 9.6), "public", 5, 5, exact=True),
        Cell(("M",), 9.0, 0.0, (9.0, 9.0), "public", 5, 6, exact=True),
    )
    assert measure_table(release, "sum", "age", ["sex"], [("age", AnyOf(("x",)))]).cells == ()
