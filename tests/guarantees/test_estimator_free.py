"""The best estimators of a small count against every deterministic estimator, and their certificates."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from random import Random

import pytest

from splu_ref.channels.parameters import ParameterError
from splu_ref.guarantees import best_estimator, error_probability, least_mean_error, worst_error_bounds
from splu_ref.guarantees.minimax_game import Losses, _Tableau, minimax_mixture


def _errors(gamma: int, alpha: int, epsilon: Fraction, rule: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """Return the error at every f of the estimator that answers ``rule[k]`` to f' = k."""
    errors = []
    for f in range(1, alpha + 1):
        n = gamma * f
        wrong = sum(
            math.comb(n, k) * (gamma - 1) ** (n - k) for k in range(n + 1) if abs(rule[k] - f) >= epsilon * f
        )
        errors.append(Fraction(wrong, gamma**n))
    return tuple(errors)


def _corners(gamma: int, alpha: int, epsilon: Fraction) -> set[tuple[Fraction, ...]]:
    estimates = [Fraction(k, 8) for k in range(1, 8 * alpha + 9)]
    kinds: dict[tuple[bool, ...], Fraction] = {}
    for estimate in estimates:  # one estimate for each set of counts that it is right for
        right = tuple(abs(estimate - f) < epsilon * f for f in range(1, alpha + 1))
        kinds.setdefault(right, estimate)
    return {
        _errors(gamma, alpha, epsilon, rule)
        for rule in product(kinds.values(), repeat=gamma * alpha + 1)
    }  # fmt: skip


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(3, 10), Fraction(1, 2)])
def test_minimax_against_every_estimator_of_a_small_case(epsilon: Fraction) -> None:
    corners = _corners(2, 2, epsilon)
    # with two counts the minimax error is attained by one estimator or by a mixture of two
    mixtures = [max(corner) for corner in corners]
    for (a, b), (c, d) in combinations(corners, 2):
        if (a - b) * (c - d) < 0:
            share = (d - c) / (a - b + d - c)
            mixtures.append(share * a + (1 - share) * c)
    best = best_estimator(2, epsilon, 2)
    assert best.worst_error == min(mixtures)
    for prior in (
        (Fraction(1, 2), Fraction(1, 2)),
        (Fraction(1, 3), Fraction(2, 3)),
        (Fraction(0), Fraction(1)),
    ):
        mean = least_mean_error(2, epsilon, prior)
        assert mean == min(prior[0] * a + prior[1] * b for a, b in corners)


@pytest.mark.parametrize(
    ("gamma", "epsilon", "alpha", "strict"),
    [
        (10, "0.3", 3, False),
        (5, "0.1", 4, True),
        (5, "1/3", 6, True),
        (5, "1/3", 6, False),
        (3, "0.9", 8, False),
    ],
)
def test_prior_and_choices_prove_each_other_best(gamma: int, epsilon: str, alpha: int, strict: bool) -> None:
    best = best_estimator(gamma, epsilon, alpha, strict=strict)
    bounds = worst_error_bounds(best)
    assert bounds.lower == bounds.upper == best.worst_error
    assert sum(best.prior) == 1
    assert min(best.prior) >= 0
    shipped = [error_probability(gamma, epsilon, f, strict=strict).exact() for f in range(1, alpha + 1)]
    assert best.worst_error <= max(shipped)
    assert least_mean_error(gamma, epsilon, [Fraction(1, alpha)] * alpha, strict=strict) <= best.worst_error


def test_the_strict_form_errs_less() -> None:
    strict, tight = (best_estimator(5, "1/3", 6, strict=form).worst_error for form in (True, False))
    assert strict < tight


@pytest.mark.parametrize("epsilon", [1, "3/2", 7])
def test_from_a_relative_error_of_one_on_a_constant_is_never_wrong(epsilon: int | str) -> None:
    assert best_estimator(5, epsilon, 6).worst_error == 0


def test_a_changed_certificate_proves_less() -> None:
    best = best_estimator(10, "0.3", 3)
    swapped = replace(best, prior=(best.prior[2], best.prior[0], best.prior[1]))
    assert worst_error_bounds(swapped).lower < best.worst_error
    constant = replace(best, choices=tuple(((Fraction(2), Fraction(1)),) for _ in best.choices))
    assert worst_error_bounds(constant).upper == 1
    for broken in (
        replace(best, choices=best.choices[:-1]),
        replace(best, choices=(((Fraction(1), Fraction(1, 2)),), *best.choices[1:])),
        replace(best, prior=(Fraction(2), Fraction(-1), Fraction(0))),
    ):
        with pytest.raises(ParameterError):
            worst_error_bounds(broken)


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        ((10, 0.3, 3), "write"),
        ((10, "0.3", 0), "alpha"),
        ((10, "0.3", 13), "at most 12"),
        ((50, "0.3", 5), "at most 4"),
    ],
)
def test_unusable_parameters(arguments: tuple[int, str, int], remedy: str) -> None:
    with pytest.raises(ParameterError, match=remedy):
        best_estimator(*arguments)


def test_a_prior_must_be_one() -> None:
    for prior in ([], ["1/2", "1/3"], [2, -1]):
        with pytest.raises(ParameterError, match="a prior has weights"):
            least_mean_error(5, "0.3", prior)


def _listed(columns: list[tuple[Fraction, ...]]) -> Callable[[Sequence[Fraction]], tuple[int, Losses]]:
    def respond(weights: Sequence[Fraction]) -> tuple[int, Losses]:
        means = [sum(w * loss for w, loss in zip(weights, column, strict=True)) for column in columns]
        chosen = means.index(min(means))
        return chosen, columns[chosen]

    return respond


def test_weights_and_mixture_of_any_game_prove_each_other() -> None:
    """Few different losses, so that nearly every step of the simplex method has ties."""
    drawn = Random(1)
    for rows, many in [(rows, many) for rows in (1, 2, 3, 4) for many in (1, 2, 3, 6)] * 6:
        columns = [tuple(Fraction(drawn.randrange(3), 2) for _ in range(rows)) for _ in range(many)]
        game = minimax_mixture(_listed(columns), rows)
        shares = dict(game.parts)
        assert sum(shares.values()) == sum(game.weights) == 1
        assert min(shares.values()) > 0
        assert min(game.weights) >= 0
        worst = [sum(share * columns[label][row] for label, share in game.parts) for row in range(rows)]
        means = [sum(w * loss for w, loss in zip(game.weights, column, strict=True)) for column in columns]
        assert game.value == max(worst) == min(means)


def test_of_tied_rows_the_lexicographically_least_leaves() -> None:
    """Else a basis may return, and the method run on for ever."""
    none, half, one = Fraction(0), Fraction(1, 2), Fraction(1)
    for column in ([none, half, one], [none, one, half], [none, one, one]):  # both slacks are 0
        tableau = _Tableau([one] * 3)
        assert tableau.solution == [one, one, none, none]
        assert tableau.enter([*column, one]) == 3
        assert tableau.solution == [one, one, none, none]
        assert sum(tableau.weights) == tableau.value == 1
    for column in (
        [none] * 3,
        [half, none, half],
        [one, one, half],
    ):  # a row counts by its part in the column
        tableau = _Tableau([one] * 3)
        tableau.enter([half, none, none, one])
        assert tableau.enter([*column, one]) == 1


def test_the_largest_alpha() -> None:
    for gamma, most in ((16, 12), (17, 11), (100, 2), (200, 1)):
        weights = [Fraction(0)] * most
        assert least_mean_error(gamma, "1/3", [Fraction(1), *weights[1:]]) == 0
        with pytest.raises(ParameterError, match=f"alpha = {most + 1} .* an alpha of at most {most}$"):
            least_mean_error(gamma, "1/3", [Fraction(1), *weights])


def test_choices_are_sorted_and_sum_to_one() -> None:
    best = best_estimator(2, "3/10", 3)
    assert len(best.choices) == 7
    assert any(len(choice) > 1 for choice in best.choices), (
        "a mixture, whose shares of one estimate are added"
    )
    for choice in best.choices:
        assert list(choice) == sorted(choice)
        assert len({estimate for estimate, _ in choice}) == len(choice)
        assert sum(share for _, share in choice) == 1
    for wrong in (best.choices[:-1], (*best.choices, best.choices[-1])):
        with pytest.raises(ParameterError, match="give all of them"):
            worst_error_bounds(replace(best, choices=wrong))
    with pytest.raises(ParameterError, match="give all of them"):
        worst_error_bounds(replace(best, prior=(*best.prior, Fraction(0))))
    for shares in (
        (Fraction(3, 2), Fraction(-1, 2)),
        (Fraction(1, 2), Fraction(1, 3)),
        (Fraction(1), Fraction(1)),
    ):
        broken = tuple((Fraction(at + 1), share) for at, share in enumerate(shares))
        with pytest.raises(ParameterError, match="mend the estimator"):
            worst_error_bounds(replace(best, choices=(broken, *best.choices[1:])))
