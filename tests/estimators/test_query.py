from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from itertools import product

import pytest

from splu_ref.channels.parameters import ParameterError
from splu_ref.estimators import AnyOf, Between, Condition, NoneOf, Query
from splu_ref.estimators.queries.condition_text import read_conditions
from splu_ref.estimators.queries.query import Values, condition_matcher, selected, suggestion


def test_a_query_names_values_sets_and_ranges() -> None:
    query = Query.of({"occupation": ["Sales", "Tech", "Sales"], "age": {"min": 20, "max": "40.5"}, "n": 3})
    assert query.conditions == (
        ("age", Between(Decimal(20), Decimal("40.5"))),
        ("n", AnyOf(("3",))),
        ("occupation", AnyOf(("Sales", "Tech"))),
    )
    assert str(query) == "age=20..40.5 and n=3 and occupation={Sales, Tech}"


def test_conditions_on_the_command_line() -> None:
    query = Query.parse(["age>=20", "sex=Male", "age<=40", "job=a<=b=c"])
    assert query == Query.of({"age": {"min": 20, "max": 40}, "sex": "Male", "job": "a<=b=c"})
    assert Query.parse(["age>=20"]) == Query.of({"age": {"min": "20"}})


@pytest.mark.parametrize("texts", [["age"], ["=3"], [">=3"], ["age=1", "age=2"], ["age>=1", "age>=2"],
                                   ["age=1", "age<=2"], ["age>=old"], []])  # fmt: skip
def test_what_is_no_condition_is_refused(texts: list[str]) -> None:
    with pytest.raises(ParameterError):
        Query.parse(texts)


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({}, "at least one condition"),
        ([], "a query is an object"),
        ({"age": []}, "list of values is empty"),
        ({"age": None}, 'null is no value: give "" for cells without content'),
        ({"age": {"not": ["3", None]}}, "null is no value"),
        ({"age": [True]}, "True is no value"),
        ({"age": {}}, '"min": 20'),
        ({"age": {"least": 3}}, '"min": 20'),
        ({"age": {"min": "x"}}, "'x' is no number"),
        ({"age": {"min": "NaN"}}, "'NaN' is no number"),
        ({"age": {"min": "1_000"}}, "'1_000' is no number"),
        ({"age": {"min": True}}, "True is no number"),
        ({"age": {"min": 3, "max": 2}}, "exchange them"),
    ],
)
def test_what_is_no_query_is_refused_with_a_remedy(where: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Query.of(where)


def test_ranges_include_their_ends_and_pass_over_what_is_no_number() -> None:
    domain = ("1", "10", "2", "2.5", "3e0", "?", "", "2_5")
    assert selected("c", Between(Decimal(2), Decimal(3)), domain) == [2, 3, 4]
    assert selected("c", Between(None, Decimal(2)), domain) == [0, 2]
    assert selected("c", Between(Decimal("2.5"), None), domain) == [1, 3, 4]
    with pytest.raises(ParameterError, match="holds no numbers, but 'a': name values"):
        selected("c", Between(Decimal(2), None), ("a", "b"))
    with pytest.raises(ParameterError, match="holds no numbers, but '2024-01-31': write dates as it does"):
        selected("c", Between(Decimal(2024), None), ("2024-01-31", ""))


def test_ranges_contain_the_cells_that_satisfy_them_one_by_one() -> None:
    """Values are sorted once for all ranges; a cell by itself is compared with the limits."""
    domain = (
        "-0",
        "0.0",
        "1e1",
        "10",
        "9.99",
        "x",
        "",
        "1_0",
        "NaN",
        "2024-02-29",
        "2024-02-29T12:30:00",
        "2024-02-29T12:30:00.5+01:00",
        "2024-03-01",
        "2024-02-30",
        "0001-01-01T00:00+14:00",  # before the first day in UTC
        "-3",
        "1e400",
    )
    numbers = [Decimal(0), Decimal("9.99"), Decimal(10), Decimal("-3.5"), None]
    days = [date(2024, 2, 29), date(2024, 3, 1), datetime(2024, 2, 29, 12, 30), datetime(2024, 2, 29), None]  # noqa: DTZ001  as a table holds it
    looked_up = Values("c", domain)
    seen = 0
    for limits in (numbers, days):
        for least, greatest, above, below in product(limits, limits, (False, True), (False, True)):
            if least is None and greatest is None:
                continue
            wanted = Between(least, greatest, above=above, below=below)
            assert looked_up.holding(wanted).tolist() == [wanted.holds(text) for text in domain], wanted
            seen += int(looked_up.holding(wanted).sum())
    assert seen > 200
    conditions: list[Condition] = [AnyOf(("10", "y")), NoneOf(("x",)), Between(Decimal(1), None)]
    found = condition_matcher(conditions)(["10", "x"])
    assert found.tolist() == [[True, True, True], [False, False, False]]


def test_unknown_values_are_refused_where_the_domain_is_known() -> None:
    domain = ("Sales", "Tech-support")
    assert selected("job", AnyOf(("Tech-support", "Sales")), domain) == [0, 1]
    with pytest.raises(ParameterError, match="did you mean 'Sales'"):
        selected("job", AnyOf(("Salez",)), domain)
    with pytest.raises(ParameterError, match="it has Sales, Tech-support"):
        selected("job", AnyOf(("zzz",)), domain)
    with pytest.raises(ParameterError, match=r'it has F, M, ""$'):
        selected("sex", AnyOf(("x",)), ("", "F", "M"))
    assert selected("job", AnyOf(("Salez", "Sales")), domain, complete=False) == [0]


@pytest.mark.parametrize(
    ("value", "domain", "end"),
    [
        ("x", ("10", "9", "truck, heavy", "Sedan ", ""), 'it has 9, 10, "Sedan ", "truck, heavy", ""'),
        ("dui", ("DUI", "dull"), "did you mean 'DUI'?"),
        ("dull", ("DUI", "Dull"), "did you mean 'Dull'?"),
        (
            "truck",
            ("truck, old", "tracks"),
            "did you mean 'tracks' or 'truck, old' (in a set with quotes: \"truck, old\")?",
        ),
    ],
)
def test_an_unknown_value_is_answered_with_values_as_they_are_written(
    value: str, domain: tuple[str, ...], end: str
) -> None:
    assert suggestion(value, domain) == f": {end}"


DAYS = ("2021-01-05", "2021-07-30", "2022-03-01", "")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("day=2021-07..2022-02", (False, True, False, False)),
        ("day>=2021-Q3", (False, True, True, False)),
        ("day<2021-07", (True, False, False, False)),
        ("day<=2021-07", (True, True, False, False)),
        ("day>2021-07", (False, False, True, False)),
    ],
)
def test_months_and_quarters_are_limits_of_a_range_of_days_in_texts(
    text: str, found: tuple[bool, ...]
) -> None:
    [(_, condition)] = read_conditions([text], lambda _: DAYS)
    assert tuple(Values("day", DAYS).holding(condition)) == found


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"min": "2021-Q3", "max": "2022-02"}, "day=2021-07-01..2022-02-28"),
        ({"above": "2021-Q3"}, "day>2021-09-30"),
        ({"min": "2021-07", "below": "2022-Q1"}, "day>=2021-07-01 and day<2022-01-01"),
        ({"min": "2021", "max": "2021-Q3"}, "day=2021-01-01..2021-09-30"),
        ({"above": 2021, "max": "2022-03-01"}, "day>2021-12-31 and day<=2022-03-01"),
        ({"min": 2021, "max": 2022}, "day=2021..2022"),
    ],
)
def test_years_months_and_quarters_are_limits_of_a_range_in_json(given: object, text: str) -> None:
    assert str(Query.of({"day": given})) == text
    assert Query.parse([text]) == Query.of({"day": given})


@pytest.mark.parametrize(
    "given",
    [
        {"min": "2021-Q5"},
        {"min": "2021-13"},
        {"min": "2023-02-30"},
        {"min": "2023-02-30T10:00"},
        {"min": 20, "max": "2021-Q3"},
        {"min": "2021-Q3", "max": "2021-Q2"},
        {"min": "2022", "max": "2021-Q3"},
    ],
)
def test_other_limits_are_refused(given: object) -> None:
    with pytest.raises(ParameterError, match=r"of the calendar|two numbers or two dates|exchange them"):
        Query.of({"day": given})


@pytest.mark.parametrize(
    ("text", "instead"),
    [("100000..<200000", "price>=100000 and price<200000"), (">1..2", "price>1 and price<=2")],
)
def test_a_range_without_an_end_says_how_to_write_it(text: str, instead: str) -> None:
    with pytest.raises(ParameterError, match=rf"a range includes both its ends: write '{instead}'$"):
        read_conditions([f"price={text}"], lambda _: ("1", "2"))


@pytest.mark.parametrize(
    ("condition", "error"),
    [
        (
            AnyOf(("2021-Q2", "2021-07-01")),
            "'2021-Q2' is a range of dates, which is named alone or as a limit",
        ),
        (NoneOf(("2021",)), "'2021' is a range of dates"),
        (AnyOf(("2021-Q5",)), "'2021-Q5' is no month or quarter of the calendar"),
        (AnyOf(("2021-07-02",)), "'2021-07-02' is not a value of 'day'"),
    ],
)
def test_a_period_stands_alone_or_as_a_limit(condition: Condition, error: str) -> None:
    with pytest.raises(ParameterError, match=f"^{error}"):
        selected("day", condition, ["2021-04-01", "2021-07-01"])


def test_a_number_that_is_written_otherwise_is_suggested() -> None:
    assert suggestion("5", ["0.5", "5.0", "50.0"]) == ": did you mean '5.0'?"
    with pytest.raises(ParameterError, match=r"^'2030' is not a value of 'year'"):  # no date, but a number
        selected("year", NoneOf(("2030",)), ["2020", "2021"])


def test_times_of_day_are_ordered_to_the_microsecond() -> None:
    times = [
        "2021-03-01", "2021-03-01 00:00:01", "2021-03-01 00:59:58", "2021-03-01 01:00:00",
        "2021-03-01 10:30:05", "2021-03-01 10:30:05.000001", "2021-03-01 10:31:00", "2021-03-01 11:00:00",
        "2021-03-02",
    ]  # fmt: skip
    for place, least in enumerate(times[1:-1], 1):
        [(_, condition)] = Query.of({"at": {"min": least}}).conditions
        assert selected("at", condition, times) == list(range(place, len(times)))
