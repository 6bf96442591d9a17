"""Tables add up to what is public, whatever their columns and conditions are."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

import splu_ref as sr
from splu_ref.channels.parameters import InputError
from splu_ref.estimators import AnyOf, Cell, QueryEstimate, Table, count_table, estimator_of
from splu_ref.estimators.tables.counts import _CellEstimates
from splu_ref.mechanisms import PublishedTable, RetentionReplacement
from tests.rounding import near

ROWS = 600


def _frame() -> pd.DataFrame:
    number = np.arange(ROWS)
    sex = np.where(number % 3, "M", "F")
    job = np.array(list("abcdef"))[(number * 7 + (number % 3 == 0) * (number % 5)) % 6]
    town = np.array(["x", "y", "z", ""])[number * 11 % 4]
    return pd.DataFrame({"sex": sex, "age": 20 + number % 9, "job": job, "town": town})


@pytest.fixture(scope="module")
def release() -> sr.Release:
    return sr.SpluGen(3).publish(_frame(), "job", sr.SeededSource(2))


@pytest.fixture(scope="module")
def twofold() -> sr.Release:
    return sr.SpluGen(2).publish(_frame(), ["job", "town"], sr.SeededSource(2), missing="none")


def _table(release: PublishedTable, *by: str, **where: str) -> Table:
    conditions = tuple((column, AnyOf(tuple(value.split("|")))) for column, value in where.items())
    return count_table(release, estimator_of(release), by, conditions)


def _sums(table: Table, column: str) -> dict[str | None, float]:
    found: Counter[str | None] = Counter()
    for cell in table.cells:
        found[cell.values[table.by.index(column)]] += cell.estimate  # type: ignore[assignment]  # no whole
    return dict(found)


def _totals(table: Table, column: str) -> dict[str | None, float]:
    place = table.by.index(column)
    return {
        cell.values[place]: cell.estimate
        for cell in table.totals
        if cell.values.count(None) == len(table.by) - 1 and cell.values[place] is not None
    }


def test_lines_add_up_to_public_counts_and_to_the_estimates_of_values(release: sr.Release) -> None:
    table = _table(release, "sex", "job")
    public = Counter(release.table.cells("sex"))
    published = Counter(release.table.cells("job"))
    assert _sums(table, "sex") == pytest.approx(dict(public), abs=1e-4)
    assert _sums(table, "job") == pytest.approx(dict(published), abs=1e-4)
    assert _totals(table, "sex") == dict(public)
    assert _totals(table, "job") == dict(published)
    assert table.totals[-1] == Cell((None, None), 600, 0.0, (600, 600), "public", 600, 600, exact=True)
    for cell in table.cells:
        sex, job = cell.values
        assert 0 <= cell.estimate <= min(public[str(sex)], published[str(job)])
        assert cell.interval is not None
        assert 0 <= cell.interval[0] <= cell.estimate <= cell.interval[1] <= public[str(sex)]
        assert cell.approximation == "approximate"
    assert {cell.approximation for cell in table.totals} == {"exact"}
    memberships = [release.estimate(sex=sex, job="a").estimate for sex in "FM"]
    moved = [cell.estimate for cell in table.cells if cell.values[1] == "a"]
    assert moved != near(memberships)


def test_conditions_are_met_and_what_is_left_is_public(release: sr.Release) -> None:
    table = _table(release, "job", sex="F", age="20|21")
    rows = sum(
        one == "F" and age in {"20", "21"}
        for one, age in zip(release.table.cells("sex"), release.table.cells("age"), strict=True)
    )
    assert table.rows == rows
    assert sum(cell.estimate for cell in table.cells) == near(rows)
    of_some = _table(release, "sex", job="a|b")
    both = sum(cell == "a" or cell == "b" for cell in release.table.cells("job"))
    assert sum(cell.estimate for cell in of_some.cells) == near(both)
    assert of_some.totals[-1].estimate == both
    fewer = _table(release, "sex", "job", job="a|b")
    assert len(fewer.cells) == 4
    assert _sums(fewer, "job") == near(_totals(fewer, "job"))
    assert not _totals(fewer, "sex"), "women with any job are not what the lines shown add up to"


def test_several_sensitive_columns_add_up_all_ways(twofold: sr.Release) -> None:
    table = _table(twofold, "sex", "town", "job")
    for column in table.by:
        assert _sums(table, column) == pytest.approx(Counter(twofold.table.cells(column)), abs=1e-4)
    assert any(cell.values[1] == "none" for cell in table.cells), "what was missing is a value"
    some = _table(twofold, "town", job="a|b")
    assert sum(cell.estimate for cell in some.cells) == near(
        sum(cell in {"a", "b"} for cell in twofold.table.cells("job"))
    )


def test_values_alone_have_their_exact_intervals(release: sr.Release) -> None:
    table = _table(release, "job")
    for cell in table.cells:
        answer: QueryEstimate = release.estimate(job=cell.values[0])
        assert (cell.estimate, cell.interval) == (answer.estimate, answer.interval)
        assert cell.approximation == "exact"


def test_other_mechanisms_have_tables_too() -> None:
    given = RetentionReplacement("1/2", {"job": list("abcdef")}).publish(_frame(), "job", sr.SeededSource(2))
    table = _table(given, "sex", "job")
    assert _sums(table, "sex") == pytest.approx(Counter(given.table.cells("sex")), abs=1e-4)
    assert min(cell.estimate for cell in table.cells) >= 0
    assert {cell.method for cell in table.cells} == {"inversion"}


def test_an_estimate_at_the_end_of_its_interval_leaves_it_there() -> None:
    value, ends = np.array([[5.0, 7.0]]), (np.array([[5.0, 3.0]]), np.array([[9.0, 7.0]]))
    found = _CellEstimates(value, np.ones((1, 2)), *ends, (), np.zeros((1, 2), dtype=np.bool_))
    moved = found.reconciled([np.array([12.0]), None], np.array([[9.0, 9.0]]))
    assert (moved.low == ends[0]).all()
    assert (moved.high == ends[1]).all()
    moved = found.reconciled([np.array([13.0]), None], np.array([[9.0, 8.0]]))
    assert moved.high.tolist() == [[9.0, 8.0]]  # 7.5 and 1.96 standard errors, and never above the most
    assert moved.low.tolist() == ends[0].tolist()


@pytest.mark.parametrize(
    ("by", "where", "message"),
    [
        ((), {}, "each of them once"),
        (("sex", "sex"), {}, "each of them once"),
        (("sexx",), {}, "did you mean 'sex'"),
        (("job",), {"sex": "F", "age": "99"}, "'99' is not a value"),
    ],
)
def test_what_is_no_table_is_refused(
    release: sr.Release, by: tuple[str, ...], where: dict[str, str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        _table(release, *by, **where)
