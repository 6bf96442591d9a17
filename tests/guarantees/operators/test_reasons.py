"""Why an operator is not returned, reason by reason, and the limits of the requirements, on both sides."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import pytest

from splu_ref.channels import Levels
from splu_ref.channels.parameters import ParameterError
from splu_ref.guarantees import Optimum, Price, Requirement, UnverifiedError, best_operator
from splu_ref.guarantees.operators import best as one_prior
from splu_ref.guarantees.operators.front import Appraisal, uniform, uniform_retention
from splu_ref.guarantees.operators.highs import Program, Row
from splu_ref.guarantees.operators.optimum import worst_set

LEVELS = Levels.of("1/5", "1/2")


def _law(*texts: str) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, texts))


def _any() -> Optimum:
    """Two thirds are kept of three values against all beliefs: G is 4."""
    sixth = ("1/6", "1/6")
    return Optimum(
        requirement=Requirement.of((5, 3, 2), LEVELS, "share", "any"),
        matrix=(_law("2/3", *sixth), _law("1/6", "2/3", "1/6"), _law(*sixth, "2/3")),
        weights=_law("1/2", "3/10", "1/5"),
        rows=_law("4/9", "8/45", "2/45"),
    )


def _values() -> Optimum:
    """At least four fifths are kept of each value, of which the last one alone is protected."""
    return Optimum(
        requirement=Requirement.of((5, 3, 2), LEVELS, "least", "values"),
        matrix=(_law("4/5", "0", "1/5"), _law("0", "4/5", "1/5"), _law("0", "1/5", "4/5")),
        weights=_law("1/2", "3/10", "1/5"),
        rows=_law("1/2", "3/10", "0"),
        prices=(Price(2, (2,), Fraction(1, 5)),),
    )


def _sets() -> Optimum:
    """Four fifths are kept of ten records, and of two values with one record each a half."""
    return Optimum(
        requirement=Requirement.of((8, 1, 1), LEVELS, "share", "sets"),
        matrix=(_law("3/4", "1/8", "1/8"), _law("0", "1", "0"), _law("0", "0", "1")),
        weights=_law("4/5", "1/10", "1/10"),
        rows=_law("4/5", "0", "0"),
        prices=(Price(1, (1, 2), Fraction(1, 5)), Price(2, (1, 2), Fraction(1, 5))),
    )


TINY = Fraction(1, 1000)
SQUARE = "the matrix is not a square one of the prior's values"
LAW, NO_LAW = "a row is not a law", "the weights of the diagonal are no law"
OTHERS = "the weights of the diagonal are not those of the objective"
SUM = "the multipliers of the rows do not add up to the objective"
MANY = "there are not as many multipliers as rows"
SET = "a set is priced below 0, or has a prior above rho1"


@pytest.mark.parametrize(
    ("found", "change", "reason"),
    [
        (_any, {"matrix": _any().matrix[1:]}, SQUARE),
        (_any, {"matrix": (*_any().matrix[:2], _law("1/6", "5/6"))}, SQUARE),
        (_any, {"matrix": (_law("2/3", "1/6", "1/3"), *_any().matrix[1:])}, LAW),
        (_any, {"matrix": (_law("1", "1/6", "-1/6"), *_any().matrix[1:])}, LAW),
        (_any, {"matrix": (_law("7/10", "3/20", "3/20"), *_any().matrix[1:])},
         "the amplification is above the one allowed"),
        (_values, {"matrix": (_law("4/5", "0", "1/5"), _law("0", "1", "0"), _law("0", "1/5", "4/5"))},
         "a belief rises above rho2"),
        (_sets, {"matrix": (_law("3/4", "1/4", "0"), *_sets().matrix[1:])}, "a belief rises above rho2"),
        (_any, {"weights": _any().weights[:2]}, MANY),
        (_any, {"rows": (*_any().rows, Fraction(0))}, MANY),
        (_values, {"weights": _law("1/2", "3/5", "-1/10")}, NO_LAW),
        (_values, {"weights": _law("1/2", "1/2", "1/2")}, NO_LAW),
        (_any, {"weights": _law("1/3", "1/3", "1/3")}, OTHERS),
        (_any, {"rows": _law("4/9", "8/45", "1/45")}, SUM),
        (_any, {"rows": _law("4/9", "2/45", "8/45")}, "the multipliers of a column do not balance"),
        (_values, {"rows": _law("1/2", "1/5", "1/10")}, "the multipliers leave entry 2, 2 open"),
        (_values, {"prices": ()}, "the multipliers leave entry 3, 3 open"),
        (_sets, {"rows": _law("3/5", "1/10", "1/10")}, "the multipliers leave entry 1, 1 open"),
        (_values, {"prices": (Price(2, (2,), -TINY),)}, SET),
        (_values, {"prices": (Price(2, (1,), Fraction(1, 5)),)}, SET),
        (_sets, {"prices": (Price(1, (0, 1), Fraction(1, 5)),)}, SET),
    ],
)  # fmt: skip
def test_each_reason_is_reported(found: Any, change: dict[str, Any], reason: str) -> None:
    with pytest.raises(UnverifiedError) as error:
        dataclasses.replace(found(), **change)
    assert str(error.value) == f"no operator was verified: {reason}; choose other levels"


def test_sets_have_no_price_where_single_values_are_protected() -> None:
    wanted = dataclasses.replace(_sets().requirement, against="values")
    with pytest.raises(UnverifiedError) as error:
        dataclasses.replace(_sets(), requirement=wanted)
    assert (
        str(error.value) == "no operator was verified: a set of several values is priced; choose other levels"
    )


def test_the_values_of_an_optimum() -> None:
    assert [found().objective for found in (_any, _values, _sets)] == list(_law("2/3", "4/5", "4/5"))
    channel = _values().channel(["a", "b", "c"])
    assert channel.probability("b", "c") == Fraction(1, 5)
    assert channel.probability("c", "b") == Fraction(1, 5)
    assert channel.probability("a", "b") == 0


def test_a_belief_of_rho2_is_admitted_and_a_larger_one_is_not() -> None:
    for against, single in (("values", True), ("sets", False)):
        wanted = Requirement.of((8, 1, 1), LEVELS, "share", against)
        half = [_law("7/8", "1/8", "0"), _law("0", "1", "0"), _law("0", "0", "1")]
        assert worst_set(wanted, half, 1, single=single) == ()
        more = [_law("7/8", "1/8", "0"), _law("0", "1", "0"), _law("0", "1/1000", "999/1000")]
        assert worst_set(wanted, more, 1, single=single) == (() if single else (1, 2))
        assert worst_set(wanted, more, 2, single=single) == (2,)
        less = [_law("8/9", "1/9", "0"), _law("0", "1", "0"), _law("0", "0", "1")]
        assert worst_set(wanted, less, 1, single=single) == (1,)
        never = [_law("1", "0", "0"), _law("1", "0", "0"), _law("1", "0", "0")]
        assert worst_set(wanted, never, 1, single=single) == ()
    alone = Requirement.of((5, 5), LEVELS, "share", "values")
    assert alone.small == ()
    assert worst_set(alone, [_law("1", "0"), _law("0", "1")], 0, single=True) == ()


def test_a_prior_of_rho1_is_protected() -> None:
    wanted = Requirement.of((7, 2, 1), LEVELS, "mean", "values")
    assert (wanted.room, wanted.small, wanted.ratio) == (2, (1, 2), Fraction(4))
    assert wanted.weights() == _law("1/3", "1/3", "1/3")
    assert wanted.kept((_law("1/2", "1/2", "0"), _law("0", "1", "0"), _law("0", "1", "0"))) == Fraction(1, 2)
    assert dataclasses.replace(wanted, keep="share").weights() == _law("7/10", "1/5", "1/10")
    assert dataclasses.replace(wanted, keep="least").weights() is None


def test_the_largest_priors_are_those_that_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(Requirement.of((1,) * 500, LEVELS, "share", "any").counts) == 500
    assert len(Requirement.of((2, 1), LEVELS, "share", "any").counts) == 2
    monkeypatch.setattr(one_prior, "_vertex", lambda *_: None)
    for against, most in (("values", 60), ("sets", 20)):
        with pytest.raises(UnverifiedError) as error:
            best_operator(Requirement.of((1,) * most, LEVELS, "share", against))
        assert str(error.value) == "the program's answer could not be verified exactly: choose other levels"
        with pytest.raises(ParameterError) as refused:
            best_operator(Requirement.of((1,) * (most + 1), LEVELS, "share", against))
        assert str(refused.value) == (
            f"a prior of {most + 1} values is too large for the program, which takes {most} against "
            f"{against}: group the values, or ask for an operator against any prior"
        )


@pytest.mark.parametrize("again", [False, True])
def test_violated_sets_are_added_once(again: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an answer in which each of two values is believed as much as before, and both together more."""
    sets = _sets()
    calls: list[list[tuple[int, tuple[int, ...]]]] = []
    both = (_law("7/8", "1/16", "1/16"), *[_law("0", "1/2", "1/2")] * 2)

    def vertex(_: Requirement, some: list[tuple[int, tuple[int, ...]]]) -> one_prior._Vertex:
        calls.append(list(some))
        prices = {(each.published, each.secret): each.amount for each in sets.prices}
        priced = [prices.get(each, Fraction(0)) for each in some]
        matrix = both if again or len(calls) == 1 else sets.matrix
        return one_prior._Vertex(matrix, sets.weights, sets.rows, priced)

    monkeypatch.setattr(one_prior, "_vertex", vertex)
    if again:
        with pytest.raises(UnverifiedError, match="could not be verified"):
            best_operator(sets.requirement)
    else:
        assert best_operator(sets.requirement) == sets
    singles = [(column, (place,)) for column in range(3) for place in (1, 2)]
    assert calls == [singles, [*singles, (1, (1, 2)), (2, (1, 2))]]


def test_a_program_by_hand() -> None:
    """The largest x + 2 y with x + y = 4 and 2 y at most 6 is 7: a unit more of 4 is worth 1, of 6 a half."""
    pytest.importorskip("highspy")
    rows = [
        Row({0: Fraction(1), 1: Fraction(1)}, Fraction(4), True),
        Row({1: Fraction(2)}, Fraction(6), False),
        Row({0: Fraction(1)}, Fraction(9), False),
    ]
    assert Program([Fraction(1), Fraction(2)], rows).vertex() == (
        list(_law("1", "3")),
        list(_law("1", "1/2", "0")),
    )
    never = [Row({0: Fraction(1)}, Fraction(-1), False)]
    assert Program([Fraction(1)], never).vertex() is None


def test_what_is_never_published_and_what_cannot_be_estimated() -> None:
    found = Appraisal(uniform("abc", Fraction(0)), {"a": 3, "b": 1, "c": 0})
    assert (found.rank, found.amplification, found.never_published) == (1, Fraction(1), ())
    assert (found.condition_number, found.mean_variance) == (None, None)
    assert set(found.variances.values()) == {None}
    assert (found.hidden, found.largest_posterior) == (Fraction(1, 4), Fraction(3, 4))
    assert found.variance({"a": Fraction(1)}) is None
    kept = Appraisal(_values().channel("abc"), {"a": 5, "b": 3, "c": 2})
    assert kept.amplification is None
    assert (kept.hidden, kept.never_published) == (1 - _values().objective, ())


def test_uniform_perturbation_keeps_all_where_nothing_is_protected() -> None:
    assert uniform_retention(Requirement.of((5, 5), LEVELS, "share", "values")) == 1
    # G = 4 of three values: p + (1 - p)/3 is 4 times (1 - p)/3 at p = 1/2.
    assert uniform_retention(Requirement.of((5, 3, 2), LEVELS, "share", "any")) == Fraction(1, 2)
    # Odds of 3 records in 10, over 3 values with 2 records each.
    assert uniform_retention(Requirement.of((5, 3, 2), LEVELS, "share", "values")) == Fraction(1, 2)
    # As a set of at most 3 records in 10 there are 2 and 1 of them: (5 - 3) / (4 * 1/2) for the rarest.
    wanted = Requirement.of((5, 2, 2, 1), Levels.of("3/10", "1/2"), "share", "sets")
    assert uniform_retention(wanted) == Fraction(1, 3)
