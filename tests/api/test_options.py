"""Each argument reaches what it is for: whole results, compared with those of the rooms that it calls."""

from __future__ import annotations

import hashlib
import json
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import splu_ref as sr
from splu_ref.api.conditions import Conditions
from splu_ref.audit.releases.audit import LEVEL, claim_of
from splu_ref.audit.releases.audit import audit_release as retained
from splu_ref.channels.parameters import InputError, ParameterError
from splu_ref.estimators import (
    AnyOf,
    Between,
    Condition,
    NoneOf,
    Query,
    QueryEstimator,
    Table,
    TupleEstimator,
    count_table,
    measure_table,
    table_columns,
)
from splu_ref.guarantees import privacy_certificate, privacy_minimum, utility_threshold
from splu_ref.mechanisms import AlphaBeta, RetentionReplacement

GAMMA = 3
FRAME = pl.DataFrame(
    {
        "sex": ["F" if row % 2 else "M" for row in range(120)],
        "age": [20 + row * 7 % 11 for row in range(120)],
        "job": ["abcdef"[(row * row + row // 7) % 6] for row in range(120)],
    }
)


@pytest.fixture(scope="module")
def release() -> sr.Release:
    return sr.SpluGen(GAMMA).publish(FRAME, "job", sr.SeededSource(1))


@pytest.fixture(scope="module")
def estimator(release: sr.Release) -> QueryEstimator:
    return QueryEstimator(release.table, ["job"], sr.SpluGen(GAMMA), domains=release.domains)


@pytest.mark.parametrize(
    ("retention", "definition"), [(None, False), (None, True), ("1/2", False), ("1/2", True)]
)
def test_a_promise_is_that_of_its_own_parameters(
    retention: str | None, definition: bool, tmp_path: Path
) -> None:
    promise = sr.t_p(5, "1/2", 4, retention=retention, definition=definition)
    least = privacy_minimum(5, "1/2", 4, retention=retention)
    expected = (least.t_p_definition if definition else least.t_p).exact()
    assert promise == promise.exact() == expected
    assert type(promise.exact()) is Fraction
    off = "at least" if definition else "more than"
    said = f"every count from 1 to 4 is off by {off} 1/2 of it with at least this probability, at gamma = 5"
    assert promise.statement == said
    assert repr(promise) == f"<{promise}: {said}>"
    assert promise.decimal(3) == str(promise)[:5]
    assert len(promise.decimal().partition(".")[2]) == 10
    certificate = privacy_certificate(5, "1/2", 4, retention=retention)
    assert promise.certify() == certificate
    path = tmp_path / "certificate"
    assert promise.certify(str(path)) == certificate
    written = path.read_bytes()
    assert json.loads(written) == certificate
    path.write_text("older")
    with pytest.raises(InputError, match="exists"):
        promise.certify(path)
    assert path.read_text() == "older"
    promise.certify(path, force=True)
    assert path.read_bytes() == written


def test_promises_of_other_parameters_differ() -> None:
    made = [sr.t_p(5, "1/2", 4, retention=r, definition=d) for r, d in product((None, "1/2"), (False, True))]
    assert len(set(made)) == 4
    thresholds = [sr.t_f(5, "1/2", "1/20", retention=retention) for retention in (None, "1/2")]
    assert thresholds == [
        utility_threshold(5, "1/2", "1/20", retention=retention).threshold for retention in (None, "1/2")
    ]
    assert thresholds[0] != thresholds[1]


def _columns(frame: Any) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = frame.to_dict(as_series=False)
    return found


@pytest.mark.parametrize("method", [None, "exact", "inversion"])
def test_a_frame_of_answers_is_the_answers(
    release: sr.Release, estimator: QueryEstimator, method: str | None
) -> None:
    requested: list[dict[str, object]] = [{"sex": "F", "job": ["a", "b"]}, {"age": {"min": 23}, "job": "c"}]
    expected = estimator.estimate([Query.of(where) for where in requested], method)
    frame = release.estimate(requested, method=method)
    ends = [answer.interval or (None, None) for answer in expected]
    assert _columns(frame) == {
        "job": ["{a, b}", "c"],
        "sex": ["F", None],
        "age": [None, "23.."],
        "estimate": [answer.estimate for answer in expected],
        "standard_error": [answer.standard_error for answer in expected],
        "low": [end[0] for end in ends],
        "high": [end[1] for end in ends],
        "method": [answer.method for answer in expected],
        "published_count": [answer.published_count for answer in expected],
        "predicate_count": [answer.predicate_count for answer in expected],
        "warning": [answer.warning for answer in expected],
    }
    assert release.estimate(requested[0], method=method) == expected[0]


def test_a_frame_states_why_there_is_no_interval() -> None:
    release = sr.SpluGen(GAMMA, plan="cyclic").publish(FRAME, "job", sr.SeededSource(1))
    reported = _columns(release.estimate([{"sex": "F", "job": "a"}], method="exact"))
    assert (reported["low"], reported["high"], reported["standard_error"]) == ([None], [None], [None])
    assert reported["warning"][0].startswith("no interval and no standard error")


@pytest.mark.parametrize("method", [None, "inversion"])
def test_a_table_of_counts_is_that_of_its_arguments(
    release: sr.Release, estimator: QueryEstimator, method: str | None
) -> None:
    made = partial(count_table, release, estimator.estimate)
    where = Query.of({"age": {"max": 25}}).conditions
    found = _columns(release.tabulate(["sex", "job"], {"age": {"max": 25}}, method=method))
    assert found == table_columns(made(("sex", "job"), where, method))
    assert _columns(release.tabulate("job", method=method)) == table_columns(made(("job",), (), method))
    cells: Table = made(("sex", "job"), (), method)
    across = _columns(release.crosstab("sex", "job", method=method))
    assert across["sex"] == ["F", "M"]
    counts = {cell.values: cell.estimate for cell in cells.cells}
    assert {name: across[name] for name in "abcdef"} == {
        job: [counts["F", job], counts["M", job]] for job in "abcdef"
    }


def test_another_method_makes_another_table(release: sr.Release) -> None:
    tables = [_columns(release.crosstab("sex", "job", method=method)) for method in (None, "inversion")]
    assert tables[0] != tables[1]
    tables = [_columns(release.tabulate(["sex", "job"], method=method)) for method in (None, "inversion")]
    assert [set(table["method"]) for table in tables] == [{"shrunk"}, {"inversion"}]


def test_texts_and_repeated_columns_are_answered_with_what_to_give(release: sr.Release) -> None:
    given: Any
    for given in ("job=a", ["job=a"]):
        with pytest.raises(ParameterError, match=r"'job=a' is no query: give conditions by column"):
            release.estimate(given)
    with pytest.raises(ParameterError, match="is no query"):
        release.tabulate("job", given[0])
    for by in (["job", "job"], []):
        with pytest.raises(ParameterError, match="by names columns, each of them once"):
            release.tabulate(by)


def test_sums_and_means_are_those_of_the_column(release: sr.Release) -> None:
    where = Query.of({"sex": "F"}).conditions
    for option, measure in (("sum_of", "sum"), ("mean_of", "mean")):
        requested: dict[str, Any] = {option: "age"}
        expected = measure_table(release, measure, "age", ("job",), where)  # type: ignore[arg-type]  # a Literal
        assert _columns(release.tabulate("job", {"sex": "F"}, **requested)) == table_columns(expected)
        with pytest.raises(ParameterError, match="by inversion: drop the other arguments"):
            release.tabulate("job", method="inversion", **requested)
    with pytest.raises(ParameterError, match="by inversion: drop the other arguments"):
        release.tabulate("job", sum_of="age", mean_of="age")


def test_pairs_of_a_set_of_tuples_are_counted_one_by_one() -> None:
    frame = pl.DataFrame({"a": list("xyxz"), "b": list("uuvv")})
    mechanism = AlphaBeta("1/2", "1/4", {"a": "xyz", "b": "uv"})
    release = mechanism.publish(frame, ["a", "b"], sr.SeededSource(1))
    ask = TupleEstimator(release)
    across = _columns(release.crosstab("a", "b"))
    assert across == {"a": ["x", "y", "z"]} | {
        b: [ask([Query.of({"a": a, "b": b})], None)[0].estimate for a in "xyz"] for b in "uv"
    }
    with pytest.raises(ParameterError, match="method"):
        release.crosstab("a", "b", method="shrunk")


def test_a_value_that_is_the_name_of_the_other_column_is_refused() -> None:
    frame = FRAME.with_columns(sex=pl.col("sex").replace("F", "job"))
    release = sr.SpluGen(GAMMA).publish(frame, "job", sr.SeededSource(1))
    with pytest.raises(ParameterError, match=r"^'job' is a value of 'sex' too: rename the column$"):
        release.crosstab("job", "sex")
    with pytest.raises(ParameterError, match=r"^the two columns are both 'job'"):
        release.crosstab("job", "job")


EAST = timezone(timedelta(hours=2))
MOMENTS = ("2024-01-02T22:30:00", "2024-01-03", "2024-01-03T00:30:00Z", "", "soon", "2024-01-04")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (27, AnyOf(("27", "27.0", "2.7e1"))),
        (27.0, AnyOf(("27", "27.0", "2.7e1"))),
        (Decimal("27.00"), AnyOf(("27", "27.0", "2.7e1"))),
        (np.int8(27), AnyOf(("27", "27.0", "2.7e1"))),
        ([27, 30], AnyOf(("27", "27.0", "2.7e1", "30"))),
        ([27.0, 27, "x"], AnyOf(("27", "27.0", "2.7e1", "x"))),
        (28, AnyOf(("28",))),
        (0.1, AnyOf(("0.1", "0.10"))),
        ("27", AnyOf(("27",))),
        (True, AnyOf(("True",))),
        (np.bool_(True), AnyOf(("True",))),
        (False, AnyOf(("false", "FALSE"))),
        (b"27", None),
        (None, AnyOf(("",))),
        (np.float64("nan"), AnyOf(("",))),
        (Decimal("NaN"), AnyOf(("",))),
        (pd.NA, AnyOf(("",))),
        (pd.NaT, AnyOf(("",))),
        ({"not": 27}, NoneOf(("27", "27.0", "2.7e1"))),
        ({"not": [30, None]}, NoneOf(("30", ""))),
        ({"min": np.int64(3), "max": 4.5}, Between(Decimal(3), Decimal("4.5"))),
        ({"above": 3, "below": 4}, Between(Decimal(3), Decimal(4), above=True, below=True)),
        ({"not": 27, "min": 3}, None),
        ({}, None),
    ],
)
def test_a_number_finds_the_texts_that_write_it(given: object, expected: Condition | None) -> None:
    cells = ["27", "27.0", "2.7e1", "30", "", "x", "True", "0.1", "0.10", "false", "FALSE"]
    frame = pl.DataFrame({"n": cells, "s": list("abcabcabcab")})
    requested = Conditions(RetentionReplacement("1/2", {"s": "abc"}).publish(frame, "s", sr.SeededSource(1)))
    if expected is None:
        with pytest.raises(ParameterError, match="column 'n'"):
            requested.query({"n": given})
    else:
        [(column, found)] = requested.query({"n": given}).conditions
        assert column == "n"
        assert type(found) is type(expected)
        if isinstance(found, Between):
            assert found == expected
        else:
            assert isinstance(expected, AnyOf | NoneOf)
            assert sorted(found.values) == sorted(expected.values)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (date(2024, 1, 3), {"2024-01-03"}),
        (datetime(2024, 1, 3, 0, 30, tzinfo=EAST), {"2024-01-02T22:30:00"}),
        (datetime(2024, 1, 3, 2, 30, tzinfo=EAST), {"2024-01-03T00:30:00Z"}),
        (datetime(2024, 1, 3, 0, 30), {"2024-01-03T00:30:00Z"}),  # noqa: DTZ001  as a table may hold it
        (np.datetime64("2024-01-03"), {"2024-01-03"}),
        ("2024-01-03 00:00:00", {"2024-01-03"}),
        ("2024-01-04", {"2024-01-04"}),
        (date(2024, 1, 5), {"2024-01-05"}),
        (datetime(2024, 1, 5, 1), {"2024-01-05 01:00:00"}),  # noqa: DTZ001  as above
        ("2024-01-05", {"2024-01-05"}),
        ("soon", {"soon"}),
        ("NaT", {"NaT"}),
    ],
)
def test_a_moment_finds_the_texts_that_write_it(given: object, found: set[str]) -> None:
    frame = pl.DataFrame({"day": MOMENTS, "s": list("abcabc")})
    requested = Conditions(RetentionReplacement("1/2", {"s": "abc"}).publish(frame, "s", sr.SeededSource(1)))
    [(_, condition)] = requested.query({"day": given}).conditions
    assert isinstance(condition, AnyOf)
    assert set(condition.values) == found


def test_a_range_of_moments_keeps_its_limits() -> None:
    frame = pl.DataFrame({"day": MOMENTS, "s": list("abcabc")})
    requested = Conditions(RetentionReplacement("1/2", {"s": "abc"}).publish(frame, "s", sr.SeededSource(1)))
    least, greatest = date(2024, 1, 3), date(2024, 1, 4)
    [(_, found)] = requested.query({"day": {"min": least, "below": greatest}}).conditions
    assert found == Between(least, greatest, below=True)
    [(_, found)] = requested.query({"day": {"min": least, "max": "2024-01"}}).conditions
    assert found == Between(least, date(2024, 1, 31))
    with pytest.raises(ParameterError, match=r"^column 'day': give two numbers or two dates"):
        requested.query({"day": {"min": least, "max": 3}})
    with pytest.raises(ParameterError, match=r"^column 'day': <object .*> is no value: give a text"):
        requested.query({"day": object()})
    with pytest.raises(ParameterError, match=r"^column 'day': there is no value in the list"):
        requested.query({"day": []})
    assert requested.values("day") == tuple(sorted(MOMENTS))
    assert requested.values("s") == ("a", "b", "c")
    assert requested.values("nowhere") == ()


def test_an_audit_is_that_of_its_arguments(release: sr.Release) -> None:
    claimed = claim_of(release.manifest.mechanism)
    prepared = claimed.prepared(sr.Microdata.from_frame(FRAME), ["job"])
    same = partial(retained, release.table, ["job"], claimed, manifest=release.manifest)
    assert sr.audit_release(release) == same()
    assert sr.audit_release(release).level == LEVEL
    assert sr.audit_release(release, FRAME) == same(original=prepared)
    assert sr.audit_release(release, FRAME, level="1/10") == same(original=prepared, level="1/10")
    assert sr.audit_release(release, FRAME, level="1/10").level == Fraction(1, 10)
    other = sr.SpluGen(GAMMA).publish(FRAME, "job", sr.SeededSource(2))
    assert sr.audit_release(release, second=other) == same(second=other.table)
    assert sr.audit_release(release, FRAME, second=other) == same(original=prepared, second=other.table)


def test_each_step_of_recoding_is_taken_as_it_is_requested() -> None:
    key = sr.Key(hashlib.sha256(b"one").digest())
    holed = FRAME.with_columns(job=pl.when(pl.col("job") != "f").then("job"))
    assert [step.facts() for step in sr.recode(FRAME, bins={"age": Decimal(5)}).recoded] == [
        step.facts() for step in sr.recode(FRAME, bins={"age": "5"}).recoded
    ]
    named = sr.SpluGen(GAMMA).publish(sr.recode(holed, missing="none"), "job", sr.SeededSource(1))
    assert named.domains == {"job": (*"abcde", "none")}
    with pytest.raises(InputError):
        sr.SpluGen(GAMMA).publish(sr.recode(holed), "job", sr.SeededSource(1))
    part = FRAME.slice(2)  # a single rare value would not be grouped
    counts = part["age"].cast(pl.String).value_counts()
    often = set(counts.filter(pl.col("count") >= 11)["age"])
    assert set(sr.recode(part, group_rare={"age": 11}).values("age")) == {*often, "other"}
    assert 0 < len(often) < counts.height
    hidden = [
        sr.recode(FRAME, hashed=["sex"], key=each)
        for each in (key, sr.Key(hashlib.sha256(b"other").digest()))
    ]
    assert hidden[0].values("sex") != hidden[1].values("sex")
    assert sr.recode(FRAME, drop=["age", "sex"]).columns == ("job",)
    reported = sr.recode(FRAME, domain={"age": [*range(18, 31)], "job": "abcdefg"})
    published = sr.SpluGen(GAMMA).publish(reported, ["age", "job"], sr.SeededSource(1))
    assert published.domains == {"age": tuple(map(str, range(18, 31))), "job": tuple("abcdefg")}
    message = r"^domain: column 'job' has 1 values: declare two or more$"
    with pytest.raises(ParameterError, match=message):
        sr.recode(FRAME, domain={"age": [*range(18, 31)], "job": "a"})


def test_a_table_is_examined_as_the_command_does() -> None:
    frame = pd.DataFrame(
        {"id": map(str, range(40)), "sex": ["f", "m"] * 20, "job": ["a", "b", "c", "d"] * 10}
    )
    with pytest.raises(InputError, match=r"'id' is unique"):
        sr.examine(frame, "job", keep=["sex"])
    title = frame.assign(title=frame["job"].str.upper())[["title", "job"]]
    with pytest.raises(InputError, match="'title'"):  # the job is a function of it
        sr.examine(title, "job")
    (found,) = sr.examine(frame, "job", keep=["id", "sex"])
    assert found.sensitive == "job"
    independent = frame[["job"]].assign(sex=["f", "m", "m", "f"] * 5 + ["m", "f", "f", "m"] * 5)
    assert [each.sensitive for each in sr.examine(independent, ["job", "sex"], keep=["job", "sex"])] == [
        "job",
        "sex",
    ]
