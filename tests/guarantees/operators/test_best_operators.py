"""The optimal operators, tested against explicit programs, all sets one by one, and proved bounds."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import pytest

from splu_ref.channels import Levels
from splu_ref.channels.parameters import InputError, ParameterError
from splu_ref.guarantees import (
    KEEP,
    Requirement,
    UnverifiedError,
    best_operator,
    best_under_prior,
)
from splu_ref.guarantees.operators.highs import Program, Row

PRIORS = ((2, 1), (5, 3, 2), (7, 5, 4, 2, 1), (1, 1, 1, 1), (30, 4, 4, 3, 2, 1))
LEVELS = (("1/5", "1/2"), ("1/3", "3/5"), ("1/10", "1/3"))
MANY = (41, 38, 37, 36, 32, 21, 19, 15, 13, 9, 6, 5, 2, 1)


def requirement(counts: Sequence[int], levels: tuple[str, str], keep: str, against: str) -> Requirement:
    return Requirement.of(counts, Levels.of(*levels), keep, against)


def against_all(wanted: Requirement) -> Fraction:
    """Solve the program over P and the least entry of each column, in fractions."""
    size, weights = len(wanted.counts), wanted.weights()
    count = size * size + size + 1
    gains = [Fraction(0)] * count
    rows = [Row({u * size + v: Fraction(1) for v in range(size)}, Fraction(1), True) for u in range(size)]
    for u in range(size):
        if weights is None:
            rows.append(Row({count - 1: Fraction(1), u * size + u: Fraction(-1)}, Fraction(0), False))
        else:
            gains[u * size + u] = weights[u]
        for v in range(size):
            least = size * size + v
            rows.append(Row({least: Fraction(1), u * size + v: Fraction(-1)}, Fraction(0), False))
            rows.append(Row({u * size + v: Fraction(1), least: -wanted.ratio}, Fraction(0), False))
    if weights is None:
        gains[-1] = Fraction(1)
    else:
        rows.append(Row({count - 1: Fraction(1)}, Fraction(0), True))
    found = Program(gains, rows).vertex()
    assert found is not None
    variables, multipliers = found
    assert all(  # an optimum, exactly: feasible variables, and multipliers of the same value that bound them
        sum(entry * variables[place] for place, entry in row.entries.items()) <= row.bound for row in rows
    )
    assert min(variables) >= 0
    assert all(price >= 0 for row, price in zip(rows, multipliers, strict=True) if not row.equal)
    for place, gain in enumerate(gains):
        priced = zip(rows, multipliers, strict=True)
        assert sum((row.entries.get(place, 0) * price for row, price in priced), Fraction(0)) >= gain
    value = sum((gain * each for gain, each in zip(gains, variables, strict=True)), Fraction(0))
    assert value == sum(
        (row.bound * price for row, price in zip(rows, multipliers, strict=True)), Fraction(0)
    )
    return value


@pytest.mark.parametrize("counts", PRIORS)
@pytest.mark.parametrize("keep", KEEP)
def test_against_every_prior_the_closed_form_is_the_programs_optimum(
    counts: tuple[int, ...], keep: str
) -> None:
    for levels in LEVELS:
        wanted = requirement(counts, levels, keep, "any")
        assert best_operator(wanted).objective == against_all(wanted)


@pytest.mark.slow
def test_the_closed_form_is_the_optimum_for_fourteen_values() -> None:
    wanted = requirement(MANY, ("1/10", "1/2"), "share", "any")
    found = best_operator(wanted)
    assert found.objective == against_all(wanted)
    assert sum(any(row[v] for row in found.matrix) for v in range(14)) < 14


def worst(matrix: Sequence[Sequence[Fraction]], wanted: Requirement) -> Fraction:
    """Return the largest posterior of a protected set, set by set."""
    counts, total = wanted.counts, sum(wanted.counts)
    most = 1 if wanted.against == "values" else len(counts)
    sets = [
        chosen
        for size in range(1, most + 1)
        for chosen in combinations(range(len(counts)), size)
        if sum(counts[u] for u in chosen) <= wanted.levels.rho1 * total
    ]
    found = Fraction(0)
    for v in range(len(counts)):
        seen = sum(count * row[v] for count, row in zip(counts, matrix, strict=True))
        if seen:
            found = max([found, *(sum(counts[u] * matrix[u][v] for u in chosen) / seen for chosen in sets)])
    return found


@pytest.mark.parametrize("counts", PRIORS)
@pytest.mark.parametrize("against", ["values", "sets"])
def test_under_one_prior_no_belief_rises_and_all_sets_at_once_allow_no_more(
    counts: tuple[int, ...], against: str
) -> None:
    for levels in LEVELS[:2]:
        for keep in KEEP:
            wanted = requirement(counts, levels, keep, against)
            found = best_operator(wanted)
            assert worst(found.matrix, wanted) <= wanted.levels.rho2
            singles = best_operator(dataclasses.replace(wanted, against="values"))
            most = best_operator(dataclasses.replace(wanted, against="any"))
            assert most.objective <= found.objective <= singles.objective


@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize("counts", [*PRIORS, MANY])
def test_single_values_leave_what_their_prior_and_rho2_say(
    counts: tuple[int, ...], levels: tuple[str, str]
) -> None:
    """At most 1 - (1 - rho2) L is kept, L the share of protected values: equal where none is large."""
    wanted = requirement(counts, levels, "share", "values")
    small = [counts[u] for u in wanted.small]
    bound = 1 - (1 - wanted.levels.rho2) * Fraction(sum(small), sum(counts))
    kept = best_operator(wanted).objective
    assert kept <= bound
    assert (kept == bound) == (max(small, default=0) <= wanted.levels.rho2 * sum(small))


def test_every_value_with_a_larger_prior_is_free() -> None:
    for against in ("values", "sets"):
        found = best_operator(requirement((5, 3, 2), ("1/10", "1/3"), "least", against))
        assert found.objective == 1
        assert found.prices == ()


def test_without_highs_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "highspy", None)
    assert best_operator(requirement((5, 3, 2), LEVELS[0], "share", "any")).objective == Fraction(2, 3)
    with pytest.raises(InputError, match=r"pip install 'splu-ref\[operators\]'"):
        best_operator(requirement((5, 3, 2), LEVELS[0], "share", "values"))


def test_an_answer_that_is_not_optimal_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever HiGHS answers: here the vertex at which nothing is kept but by the first value."""
    monkeypatch.setattr(Program, "vertex", lambda self: None)
    with pytest.raises(UnverifiedError, match="could not be verified"):
        best_under_prior(requirement((5, 3, 2), LEVELS[0], "share", "values"))


@pytest.mark.parametrize(
    ("counts", "keep", "against", "words"),
    [
        ((5,), "share", "any", "2 to 500 values, not 1"),
        ((1,) * 501, "share", "any", "2 to 500 values, not 501"),
        ((5, 0), "share", "any", "a count of the prior must be a whole number of at least 1"),
        ((5, 1), "most", "any", "keep is most"),
        ((5, 1), "share", "all", "against all: choose from share, mean, least and any, values, sets"),
    ],
)
def test_requirements_out_of_range(counts: tuple[int, ...], keep: str, against: str, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        requirement(counts, LEVELS[0], keep, against)
