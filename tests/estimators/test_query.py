from __future__ import annotations

from decimal import Decimal

import pytest

from splu_ref.estimators import AnyOf, Between, Query
from splu_ref.estimators.queries.query import selected
from splu_ref.model import ParameterError


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
        ({"age": None}, "None is no value"),
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
    with pytest.raises(ParameterError, match="holds no numbers"):
        selected("c", Between(Decimal(2), None), ("a", "b"))


def test_unknown_values_are_refused_where_the_domain_is_known() -> None:
    domain = ("Sales", "Tech-support")
    assert selected("job", AnyOf(("Tech-support", "Sales")), domain) == [0, 1]
    with pytest.raises(ParameterError, match="did you mean 'Sales'"):
        selected("job", AnyOf(("Salez",)), domain)
    with pytest.raises(ParameterError, match="it has Sales, Tech-support"):
        selected("job", AnyOf(("zzz",)), domain)
    assert selected("job", AnyOf(("Salez", "Sales")), domain, complete=False) == [0]
