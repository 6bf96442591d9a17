"""Questions in Python's true values, and answers in frames of the kind that came in."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import splu_ref as sr
from splu_ref.api import estimating
from splu_ref.channels.parameters import InputError
from splu_ref.data import code_column
from splu_ref.estimators import Query, QueryEstimator, estimator_of
from tests.rounding import near

ROWS = 240


def _frame() -> pd.DataFrame:
    number = np.arange(ROWS)
    frame = pd.DataFrame(
        {
            "age": np.where(number == 7, np.nan, 20 + number % 12),
            "children": number % 3,
            "sex": pd.Categorical(np.where(number % 2, "F", "M")),
            "member": number % 5 == 0,
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(number % 4, unit="D"),
            "job": np.array(list("abcdef"))[number * 7 % 6],
        }
    )
    frame["born"] = frame["day"].dt.date
    frame["band"] = pd.cut(frame["children"], [-1, 0, 1, 2])
    frame["span"] = pd.arrays.IntervalArray(frame["band"])
    return frame


@pytest.fixture(scope="module")
def release() -> sr.Release:
    return sr.SpluGen(3).publish(_frame(), "job", sr.SeededSource(1))


def test_later_queries_read_nothing_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second query finds the columns coded and the estimator made, also when the file is gone."""
    sr.SpluGen(3).publish(_frame(), "job", sr.SeededSource(1)).write(tmp_path / "p.csv", tmp_path / "m.json")
    done: list[str] = []

    def counting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: Any, **named: Any) -> Any:
            done.append(name)
            return function(*given, **named)

        return counted

    monkeypatch.setattr("splu_ref.data.table.code_column", counting("column", code_column))
    monkeypatch.setattr(estimating, "estimator_of", counting("estimator", estimator_of))
    release = sr.read_release(tmp_path / "p.csv", tmp_path / "m.json")
    (tmp_path / "p.csv").unlink()
    first = release.estimate(sex="F", job="a")
    assert set(done) == {"column", "estimator"}
    done.clear()
    assert release.estimate(sex="F", job="a") == first
    assert release.estimate(sex="M", job="b") != first
    assert done == []


@pytest.mark.parametrize(
    ("where", "cells"),
    [
        ({"age": 27}, lambda frame: frame.age == 27),
        ({"age": np.float64(27)}, lambda frame: frame.age == 27),
        ({"age": [27, 28.0]}, lambda frame: frame.age.isin([27, 28])),
        ({"age": pd.Series([27, 28])}, lambda frame: frame.age.isin([27, 28])),
        ({"age": {"min": np.int64(25), "max": 27.5}}, lambda frame: frame.age.between(25, 27.5)),
        ({"age": None}, lambda frame: frame.age.isna()),
        ({"age": float("nan")}, lambda frame: frame.age.isna()),
        ({"children": 1.0}, lambda frame: frame.children == 1),
        ({"member": True}, lambda frame: frame.member),
        ({"sex": "F"}, lambda frame: frame.sex == "F"),
        ({"day": "2024-01-02"}, lambda frame: frame.day == "2024-01-02"),
        ({"day": pd.Timestamp("2024-01-02")}, lambda frame: frame.day == "2024-01-02"),
        ({"day": datetime(2024, 1, 2, tzinfo=UTC)}, lambda frame: frame.day == "2024-01-02"),
        ({"day": {"min": date(2024, 1, 2)}}, lambda frame: frame.day >= "2024-01-02"),
        ({"day": {"above": date(2024, 1, 2)}}, lambda frame: frame.day > "2024-01-02"),
        ({"sex": {"not": "F"}}, lambda frame: frame.sex != "F"),
        ({"born": date(2024, 1, 2)}, lambda frame: frame.born == date(2024, 1, 2)),
        ({"band": pd.Interval(0, 1)}, lambda frame: frame.children == 1),
        ({"span": "(0, 1]"}, lambda frame: frame.children == 1),
    ],
)
def test_a_value_finds_the_cells_that_hold_it(release: sr.Release, where: dict[str, Any], cells: Any) -> None:
    assert release.estimate(where | {"job": "a"}).predicate_count == int(cells(release.frame).sum())


def test_numbers_are_found_in_a_file_of_texts(release: sr.Release, tmp_path: Any) -> None:
    for name in ("p.csv", "p.parquet"):
        release.write(tmp_path / name, manifest=tmp_path / f"{name}.json")
        again = sr.read_release(tmp_path / name, tmp_path / f"{name}.json")
        for where in ({"age": 27}, {"day": date(2024, 1, 2)}, {"band": pd.Interval(0, 1)}, {"age": None}):
            query: dict[str, object] = {**where, "job": "a"}
            assert again.estimate(query) == release.estimate(query)


def test_answers_are_those_of_the_estimator(release: sr.Release) -> None:
    estimator = QueryEstimator(release.table, ["job"], sr.SpluGen(3), domains=release.domains)
    [conjunction] = estimator.estimate([Query.of({"sex": "F", "job": ["a", "b"]})], "shrunk")
    [alone] = estimator.estimate([Query.of({"job": "c"})], "mle")
    assert release.estimate(sex="F", job=["a", "b"]) == conjunction
    assert release.estimate(job="c") == alone
    assert release.estimate({"sex": "F", "job": ["a", "b"]}, method="inversion").method == "inversion"
    frame = release.estimate([{"sex": "F", "job": ["a", "b"]}, {"job": "c"}])
    assert isinstance(frame, pd.DataFrame)
    assert frame["estimate"].tolist() == [conjunction.estimate, alone.estimate]
    assert [tuple(ends) for ends in frame[["low", "high"]].to_numpy()] == [
        conjunction.interval,
        alone.interval,
    ]
    assert frame["job"].tolist() == ["{a, b}", "c"]
    assert frame["method"].tolist() == ["shrunk", "mle"]


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.Table])
def test_a_frame_comes_back_as_it_came(kind: Any) -> None:
    original = _frame()[["sex", "children", "job"]].astype({"sex": str})
    given: Any = original
    if kind is pl.DataFrame:
        given = pl.from_pandas(original)
    elif kind is pa.Table:
        given = pa.Table.from_pandas(original)
    release = sr.SpluGen(3).publish(given, "job", sr.SeededSource(1))
    table = release.crosstab("sex", "job")
    for found in (release.frame, table, release.estimate([{"job": "a"}])):
        assert isinstance(found, kind)
    cells = table.reset_index() if kind is pd.DataFrame else table
    columns = cells.columns if kind is not pa.Table else cells.column_names
    assert list(columns) == ["sex", *"abcdef"]
    counts = cells["c"].to_pylist() if kind is pa.Table else list(cells["c"])
    assert sum(counts) == near(release.estimate(job="c").estimate)
    lines = release.tabulate(["sex", "job"], {"children": {"not": 1}})
    assert isinstance(lines, kind)
    numbers = lines["estimate"].to_pylist() if kind is pa.Table else list(lines["estimate"])
    assert len(numbers) == 12
    assert sum(numbers) == near(160)
    across = release.crosstab("job", "children")
    assert across.shape == ((6, 3) if kind is pd.DataFrame else (6, 4))


def test_a_table_by_a_part_of_a_crossing_is_explained() -> None:
    frame = sr.recode(_frame(), cross={"both": ["sex", "job"]}, drop=["day"])
    release = sr.SpluGen(2).publish(frame, "both", sr.SeededSource(1))
    for name in ("job", "sex"):
        with pytest.raises(InputError) as error:
            release.tabulate([name, "age"])
        sentence = (
            f"by {name}: both was published in place of sex and job: give by both or one query for each"
        )
        assert sentence in str(error.value)
        assert "--" not in str(error.value)
    with pytest.raises(InputError, match="the column 'day' was not published"):
        release.tabulate("day")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda r: r.estimate(), "say what to count"),
        (lambda r: r.estimate({"job": "a"}, sex="F"), "say what to count"),
        (lambda r: r.estimate([]), "no query"),
        (lambda r: r.estimate([{}]), "at least one condition"),
        (lambda r: r.estimate(age=27), "names no sensitive column"),
        (lambda r: r.estimate(job=[]), "no value in the list"),
        (lambda r: r.estimate(job="g"), "'g' is not a value of 'job'"),
        (lambda r: r.estimate(age=99, job="a"), "'99' is not a value of 'age'"),
        (lambda r: r.estimate(age={"least": 3}, job="a"), "a range is"),
        (lambda r: r.estimate(day={"min": date(2024, 1, 1), "max": 3}, job="a"), "two numbers or two dates"),
        (lambda r: r.estimate(age=object(), job="a"), "is no value"),
        (lambda r: r.estimate(jbo="a"), "did you mean 'job'"),
        (lambda r: r.estimate(job="a", sex="F", method="mle"), "mle"),
        (lambda r: r.crosstab("job", "job"), "two different"),
        (lambda r: r.tabulate("sex", {"age": 99}), "'99' is not a value of 'age'"),
        (lambda r: r.tabulate(["sex", "sex"]), "each of them once"),
        (lambda r: r.tabulate("sexx"), "did you mean 'sex'"),
    ],
)
def test_what_cannot_be_answered_is_refused(release: sr.Release, ask: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ask(release)
