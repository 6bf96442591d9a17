"""Queries on the original columns of a recoded release: each condition by hand, or what refuses it."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from splu_ref.channels.parameters import ParameterError
from splu_ref.data import Microdata
from splu_ref.data.recoding import Bins, Cross, Hashed, Rare
from splu_ref.estimators import Query
from splu_ref.estimators.queries.conditions import AnyOf, Between, Condition, NoneOf
from splu_ref.estimators.queries.recoded import recoded_query

STEPS = (
    Bins("age", "10", whole=True), Bins("dose", "0.5", whole=False), Bins("born", "5", whole=True),
    Rare("born", 4), Cross("job", ("work", "rank")), Cross("seat", ("row", "side")), Rare("seat", 3),
    Rare("town", 2), Hashed("name"),
)  # fmt: skip
DOMAINS = {"job": ("a / 1", "a / 2", "b / 1", "c"), "ill": ("x", "y")}
TABLE = Microdata.from_frame(
    pl.DataFrame(
        {
            "age": ["20..29", "30..39", "40..49", "none"],
            "dose": ["0.0..<0.5", "0.5..<1.0", "1.0..<1.5", "0.5..<1.0"],
            "born": ["1980..1984", "other", "1985..1989", "other"],
            "seat": ["1 / l", "1 / r", "other", "2 / l"],
            "town": ["A", "B", "other", "A"],
            "name": ["9f", "a0", "b1", "c2"],
            "sex": ["m", "f", "m", "f"],
        }
    )
)


def _between(least: str | None, greatest: str | None, *, above: bool = False, below: bool = False) -> Between:
    first, last = (None if end is None else Decimal(end) for end in (least, greatest))
    return Between(first, last, above, below)


def _recoded(*conditions: tuple[str, Condition]) -> dict[str, Condition]:
    manifest: Any = SimpleNamespace(domains=DOMAINS, missing="?", recoded=STEPS)
    return dict(recoded_query(Query(conditions), manifest, TABLE).conditions)


@pytest.mark.parametrize(
    ("column", "given", "found"),
    [
        ("sex", AnyOf(("m",)), AnyOf(("m",))),
        ("age", AnyOf(("30..39",)), AnyOf(("30..39",))),
        ("age", NoneOf(("30..39", "none")), NoneOf(("30..39", "none"))),
        ("age", _between("30", "49"), AnyOf(("30..39", "40..49"))),
        ("age", _between("30", None), AnyOf(("30..39", "40..49"))),
        ("age", _between(None, "29"), AnyOf(("20..29",))),
        ("age", _between("29", "40", above=True, below=True), AnyOf(("30..39",))),
        ("age", _between("19", "30", above=True, below=True), AnyOf(("20..29",))),
        ("dose", _between("0.5", "1", below=True), AnyOf(("0.5..<1.0",))),
        ("dose", _between("0.5", None), AnyOf(("0.5..<1.0", "1.0..<1.5"))),
        ("dose", _between(None, "1.0", below=True), AnyOf(("0.0..<0.5", "0.5..<1.0"))),
        ("work", AnyOf(("a",)), {"job": AnyOf(("a / 1", "a / 2"))}),
        ("work", NoneOf(("a",)), {"job": AnyOf(("b / 1",))}),
        ("rank", AnyOf(("1", "3")), {"job": AnyOf(("a / 1", "b / 1"))}),
        ("job", AnyOf(("c",)), AnyOf(("c",))),
        ("town", AnyOf(("A", "other")), AnyOf(("A", "other"))),
        ("town", NoneOf(("B",)), NoneOf(("B",))),
        ("name", NoneOf(("9f", "c2")), NoneOf(("9f", "c2"))),
        ("born", AnyOf(("1980..1984", "other")), AnyOf(("1980..1984", "other"))),
    ],
    ids=str,
)
def test_the_query_on_the_release(
    column: str, given: Condition, found: Condition | dict[str, Condition]
) -> None:
    assert _recoded((column, given)) == (found if isinstance(found, dict) else {column: found})


def test_bins_are_named_in_their_order() -> None:
    manifest: Any = SimpleNamespace(domains={}, missing=None, recoded=(Bins("age", "10", whole=True),))
    table = Microdata.from_frame(pl.DataFrame({"age": ["100..109", "30..39", "20..29"]}))
    found = recoded_query(Query((("age", _between("20", "109")),)), manifest, table)
    assert found.conditions == (("age", AnyOf(("20..29", "30..39", "100..109"))),)


@pytest.mark.parametrize(
    "condition",
    [AnyOf(("2025-01..2025-02",)), Between(date(2025, 1, 1), date(2025, 2, 28)), AnyOf(("2025-Q1",)),
     Between(None, date(2025, 2, 28)), Between(date(2024, 12, 31), date(2025, 3, 1), True, True)],
)  # fmt: skip
def test_whole_bins_of_dates_are_found_by_a_range_of_dates(condition: Condition) -> None:
    manifest: Any = SimpleNamespace(domains={}, missing=None, recoded=(Bins("day", "month"),))
    table = Microdata.from_frame(pl.DataFrame({"day": ["2025-02", "none", "2025-01", "2025-05"]}))
    found = dict(recoded_query(Query((("day", condition),)), manifest, table).conditions)
    assert found == {"day": AnyOf(("2025-01", "2025-02"))}


@pytest.mark.parametrize(
    ("limits", "found"),
    [
        (_between("1980", "1981"), ("1980", "1981")),
        (_between("1980", None, above=True), ("1981", "1999")),
        (_between(None, "1999", below=True), ("1980", "1981")),
        (_between("1979", "2050"), ("1980", "1981", "1999")),
    ],
    ids=str,
)
def test_years_select_bins_of_years(limits: Between, found: tuple[str, ...]) -> None:
    assert _of_dates("year", limits) == AnyOf(found)


@pytest.mark.parametrize(
    ("width", "limits", "error"),
    [
        ("year", _between("1985", "1990"), "day=1985..1990: there is no such bin in the release"),
        ("year", Between(date(1980, 1, 2), date(1981, 12, 31)),
         "day=1980-01-02..1981-12-31 cuts the bin 1980, whose parts are unknown: ask of whole bins"),
        ("year", Between(datetime.fromisoformat("1980-01-01T05"), None),
         "day=1980-01-01T05:00:00..: dates are selected by their bins: give years, as 'day=1980..1999'"),
        ("quarter", AnyOf(("1980-04",)),
         "day=1980-04 cuts the bin 1980-Q2, whose parts are unknown: ask of whole bins"),
        ("quarter", AnyOf(("1980-05-01",)),
         "day=1980-05-01 is not known: the column was published in bins of quarter: ask day=1980-Q2"),
        ("quarter", _between("5", None),
         ("day=5..: dates are selected by their bins: name each of them, as 'day=1980-Q2|1980-Q3'")),
    ],
)  # fmt: skip
def test_other_ranges_of_dates_are_answered_with_those_that_work(
    width: str, limits: Condition, error: str
) -> None:
    with pytest.raises(ParameterError) as refused:
        _of_dates(width, limits)
    assert str(refused.value) == error


@pytest.mark.parametrize("given", [_between("1980", "1981"), AnyOf(("1980",)), AnyOf(("1980-Q2..1980-Q3",))])
def test_years_select_bins_of_quarters(given: Condition) -> None:
    assert _of_dates("quarter", given) == AnyOf(("1980-Q2", "1980-Q3"))


def _of_dates(width: str, limits: Condition) -> Condition:
    manifest: Any = SimpleNamespace(domains={}, missing=None, recoded=(Bins("day", width),))
    days = {"year": ["1999", "1980", "none", "1981"], "quarter": ["1980-Q3", "none", "1980-Q2"]}
    table = Microdata.from_frame(pl.DataFrame({"day": days[width]}))
    [(_, found)] = recoded_query(Query((("day", limits),)), manifest, table).conditions
    return found


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("day=2021", "day=2021-01-01..2021-12-31"),
        ("day=2021-Q3", "day=2021-07-01..2021-09-30"),
        ("day=2022-02", "day=2022-02-01..2022-02-28"),
        ("day=2021-07..2022-02", "day=2021-07-01..2022-02-28"),
        ("day>=2021", "day>=2021-01-01"),
        ("day>2021", "day>2021-12-31"),
        ("day<2022", "day<2022-01-01"),
        ("day=2021..2022", "day=2021-01-01..2022-12-31"),
        ("day=2021-08", "day=2021-08"),  # a value
        ("day=2021-07-31", "day=2021-07-31"),
        ("day!=2021-Q3", "day!=2021-Q3"),
        ("year>=2021", "year>=2021"),
    ],
)
def test_years_quarters_and_months_mean_their_days_in_a_column_of_days(text: str, days: str) -> None:
    column = {"day": ["2021-01-05", "2021-07-30", "2021-08"], "year": ["2019", "2020", "2022-01-01"]}
    table = Microdata.from_frame(pl.DataFrame(column))
    assert recoded_query(Query.parse([text]), None, table) == Query.parse([days])


def test_a_query_of_empty_cells_names_the_text_that_was_published_for_them() -> None:
    with pytest.raises(ParameterError, match="empty cells were published as '\\?': ask for that"):
        _recoded(("ill", AnyOf(("x", ""))))
    assert _recoded(("sex", AnyOf(("",)))) == {"sex": AnyOf(("",))}


def test_parts_are_combined_beside_others() -> None:
    conditions = ("work", AnyOf(("a", "b"))), ("rank", NoneOf(("2",))), ("sex", AnyOf(("f",)))
    assert _recoded(*conditions) == {"sex": AnyOf(("f",)), "job": AnyOf(("a / 1", "b / 1"))}


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ([("age", AnyOf(("35",)))],
         "age=35 is not known: the column was published in bins of 10: ask age=30..39"),
        ([("age", _between("35", "49"))],
         "age=35..49 cuts the bin 30..39, whose parts are unknown: ask of whole bins"),
        ([("age", _between("30", "39", above=True))],
         "age=>30..39 cuts the bin 30..39, whose parts are unknown: ask of whole bins"),
        ([("dose", _between("0.5", "1"))],
         "dose=0.5..1 cuts the bin 1.0..<1.5, whose parts are unknown: ask of whole bins"),
        ([("age", _between("50", None))], "age=50..: there is no such bin in the release"),
        ([("age", Between(date(2000, 1, 1), None))],
         "age=2000-01-01..: numbers are selected by their bins: give numbers, as 'age=20..29'"),
        ([("born", _between("1980", "1989"))],
         ("born=1980..1989: rare bins were published together, as 'other': name bins that are in the "
          "release, one by one")),
        ([("work", AnyOf(("a",))), ("rank", AnyOf(("1",))), ("job", AnyOf(("c",)))],
         "work=a and rank=1 and job=c ask of one column: ask of job"),
        ([("rank", _between("1", None))], "rank=1..: the column was crossed, and its values are texts"),
        ([("row", AnyOf(("1",)))],
         ("row=1: rare values of 'seat' were grouped as 'other', and how many of these have it is not known: "
          "ask of seat")),
        ([("work", AnyOf(("d",)))], "no value of 'job' has work=d: it has a, b"),
        ([("town", AnyOf(("C",)))],
         "town=C is not known: values of fewer than 2 records were published as 'other'"),
        ([("town", _between("1", None))],
         "town=1..: rare values were grouped: name values one by one"),
        ([("name", AnyOf(("ann",)))],
         "name=ann: the values were published as hashes: ask of one of them"),
        ([("name", _between("1", None))],
         "name=1..: the values were published as hashes: ask of one of them"),
    ],
)  # fmt: skip
def test_undetermined_queries_are_refused(conditions: list[tuple[str, Condition]], words: str) -> None:
    with pytest.raises(ParameterError) as refused:
        _recoded(*conditions)
    assert str(refused.value) == words
