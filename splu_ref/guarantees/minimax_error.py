"""Privacy against any estimator: Bayes and minimax error probabilities of estimating f from f'.

Definition 2 is about the estimate f'. An adversary who knows that 1 <= f <= alpha may use another estimator,
and for any single f there is an estimate without error. Every estimator has a positive error on average over
f, and at the worst f. Both are computed exactly for small alpha: the Bayes error for a given prior of f, and
the minimax error T_P*, with an estimator that attains it and a least favorable prior that proves optimality.
For larger alpha T_P* is enclosed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, lcm
from typing import TypeAlias

from splu_ref.channels import (
    Bounds,
    Exact,
    Gamma,
    GroupDraws,
    ParameterError,
    PublishedCount,
    exact,
    integer,
    positive,
    shown,
)
from splu_ref.guarantees.dependent_counts import DependentCount
from splu_ref.guarantees.minimax_game import Losses, minimax_mixture

Choice: TypeAlias = tuple[tuple[Fraction, Fraction], ...]
"""Estimates with their probabilities, which sum to 1."""

_MOST_TRIALS = 200
_MOST_COUNTS = 12
_MOST_BITS = 12_000
"""Of the denominator of the retention probability, times gamma and the counts of a game that is solved."""
_MOST_ESTIMATES = 100_000
"""Estimates that are counted one by one until each small count is near one of them."""


@dataclass(frozen=True, slots=True)
class BestEstimator:
    """A minimax estimator of f from f' for 1 <= f <= alpha."""

    gamma: Gamma
    epsilon: Fraction
    alpha: int
    strict: bool
    worst_error: Fraction  #: its largest error probability
    #: For each published count f' = 0 .. gamma alpha the estimates with their probabilities.
    choices: tuple[Choice, ...]
    #: Weights of f = 1 .. alpha for which every estimator errs with probability at least ``worst_error`` on
    #: average.
    prior: tuple[Fraction, ...]
    retention: Fraction  #: retention probability, and the law of the draws of a group
    draws: GroupDraws  #: see ``retention``


@dataclass(frozen=True, slots=True)
class MinimaxErrorBounds:
    """T_P*: the minimax error probability over 1 <= f <= alpha."""

    alpha: int  #: the largest count
    computed: int  #: the largest count up to which it was computed, at most ``alpha``; 0 if for none
    at_least: Fraction  #: T_P* of the counts up to ``computed``: with more counts it can only be larger
    #: the same if all were computed; otherwise 1 - 1/n where n estimates are enough for every count to be
    #: near one of them (splu.PACK)
    at_most: Fraction

    @property
    def is_exact(self) -> bool:
        """Whether both are T_P* itself."""
        return self.at_least == self.at_most


def least_mean_error(
    gamma: Exact, epsilon: Exact, prior: Sequence[Exact], *, strict: bool = False
) -> Fraction:
    """Return the least mean error probability that an estimator of f from f' can have.

    Parameters
    ----------
    gamma
        Size of a decoy group, at least 2.
    epsilon
        Relative error, greater than 0.
    prior
        Weights of f = 1, 2, ...: at least 0 and summing to 1, at most 12 of them; gamma times their number
        is at most 200.
    strict
        ``False``: an estimate e is wrong if abs(e - f) >= epsilon f (Definition 2). ``True``: if
        abs(e - f) > epsilon f.

    Returns
    -------
    Fraction
        The Bayes error. An estimate may be any real number.

    Raises
    ------
    ParameterError
        For a parameter outside its range, or a float.

    Notes
    -----
    splu.D2e.
    """
    weights = [exact(weight, "a weight of the prior") for weight in prior]
    if sum(weights) != 1 or min(weights, default=Fraction(-1)) < 0:
        raise ParameterError(
            "a prior has weights of at least 0 that sum to 1: give one for each count 1, 2, ..."
        )
    return _Task(PublishedCount.of(gamma), positive(epsilon, "epsilon"), len(weights), strict).respond(
        weights
    )[2]


def best_estimator(
    gamma: Exact,
    epsilon: Exact,
    alpha: Exact,
    *,
    strict: bool = False,
    retention: Exact | None = None,
    draws: GroupDraws | None = None,
) -> BestEstimator:
    """Return an estimator of f from f' with the minimax error probability over 1 <= f <= alpha.

    Parameters as in `least_mean_error`; ``alpha`` is at most 12, and gamma alpha at most 200. ``retention``
    is the retention probability p, by default 1/gamma. With dependent draws p must be 1/gamma, and ``alpha``
    at most their bound. The estimator may be randomized; no estimator has a smaller worst error.
    """
    law, draws = PublishedCount.of(gamma, retention), GroupDraws() if draws is None else draws
    task = _Task(law, positive(epsilon, "epsilon"), integer(alpha, "alpha", 1), strict, draws)
    mixture = minimax_mixture(lambda weights: task.respond(weights)[:2], task.alpha)
    shares: list[dict[Fraction, Fraction]] = [{} for _ in task.masses]
    for rule, share in mixture.parts:
        for choice, estimate in zip(shares, rule, strict=True):
            choice[estimate] = choice.get(estimate, Fraction(0)) + share
    return BestEstimator(
        gamma=law.gamma,
        epsilon=task.epsilon,
        alpha=task.alpha,
        strict=strict,
        worst_error=mixture.value,
        choices=tuple(tuple(sorted(choice.items())) for choice in shares),
        prior=mixture.weights,
        retention=law.retention,
        draws=draws,
    )


_computed_once = lru_cache(maxsize=128)(best_estimator)


def minimax_error_bounds(
    gamma: Exact,
    epsilon: Exact,
    alpha: Exact,
    *,
    strict: bool = False,
    retention: Exact | None = None,
    draws: GroupDraws | None = None,
) -> MinimaxErrorBounds:
    """Return T_P*, or bounds of it where there are too many counts, or digits, for `best_estimator`.

    Parameters as in `best_estimator`, for any ``alpha``. Counts above the bound of ``draws``, whose law
    depends on the table, only enter the bounds.
    """
    law, distance, most = (
        PublishedCount.of(gamma, retention),
        positive(epsilon, "epsilon"),
        integer(alpha, "alpha", 1),
    )
    covered = 1 - Fraction(1, _estimates(distance, most, strict))
    if not covered:  # one estimate is right for all counts
        return MinimaxErrorBounds(most, most, covered, covered)
    bound = most if draws is None or draws.bound is None else draws.bound
    bits = law.gamma * law.retention.denominator.bit_length()
    computed = min(most, bound, _MOST_COUNTS, _MOST_TRIALS // law.gamma, _MOST_BITS // bits)
    if not computed:
        return MinimaxErrorBounds(most, 0, Fraction(0), covered)
    least = _computed_once(
        law.gamma, distance, computed, strict=strict, retention=law.retention, draws=draws
    ).worst_error
    return MinimaxErrorBounds(most, computed, least, least if computed == most else covered)


def _estimates(epsilon: Fraction, alpha: int, strict: bool) -> int:
    """Return how many estimates are enough for each count in 1..alpha to be near one; at most alpha.

    The first is near 1 and as many counts after it as possible, the next near the first that is left, and so
    on. As long as 2 epsilon f is below about 1 - epsilon each count needs an estimate of its own.
    """
    if epsilon >= 1:
        return 1
    number = first = min(max(floor((1 - epsilon) / (2 * epsilon)), 1), alpha)
    while number < min(_MOST_ESTIMATES, alpha):
        end = (1 + epsilon) * first / (1 - epsilon)  # the first count that is not near an estimate near first
        first = floor(end) + 1 if strict else ceil(end)
        if first > alpha:
            return number
        number += 1
    return alpha if first < alpha else number


def worst_error_bounds(best: BestEstimator) -> Bounds:
    """Verify a minimax estimator: return bounds computed from its prior and its choices alone.

    Returns
    -------
    Bounds
        ``lower``: the least mean error under the prior, which no estimator's worst error is below.
        ``upper``: the largest error of the choices. They meet when ``best`` is optimal.

    Raises
    ------
    ParameterError
        If the prior or the choices are no probabilities, or there are too few or too many of them.
    """
    law = PublishedCount.of(best.gamma, best.retention)
    task = _Task(law, best.epsilon, best.alpha, best.strict, best.draws)
    if len(best.choices) != len(task.masses) or len(best.prior) != best.alpha:
        raise ParameterError("an estimator has a choice for every f' from 0 to gamma alpha: give all of them")
    if sum(best.prior) != 1 or min(best.prior) < 0:
        raise ParameterError("a prior has weights of at least 0 that sum to 1: mend the estimator")
    errors = [Fraction(0)] * best.alpha
    for masses, choice in zip(task.masses, best.choices, strict=True):
        if sum(share for _, share in choice) != 1 or min(share for _, share in choice) < 0:
            raise ParameterError(
                "the probabilities of a choice are at least 0 and sum to 1: mend the estimator"
            )
        for estimate, share in choice:
            for f in range(1, best.alpha + 1):
                distance, allowed = abs(estimate - f), best.epsilon * f
                if distance > allowed or (distance == allowed and not best.strict):
                    errors[f - 1] += share * masses[f - 1]
    return Bounds(task.respond(best.prior)[2], max(errors) / task.unit)


class _Task:
    """The law of f' for every f, and the ranges of f that one estimate can meet."""

    def __init__(
        self,
        law: PublishedCount,
        epsilon: Fraction,
        alpha: int,
        strict: bool,
        draws: GroupDraws | None = None,
    ) -> None:
        gamma = law.gamma
        if alpha > _MOST_COUNTS or gamma * alpha > _MOST_TRIALS:
            most = min(_MOST_COUNTS, _MOST_TRIALS // gamma)
            raise ParameterError(f"alpha = {alpha} would take too long: give an alpha of at most {most}")
        self.epsilon, self.alpha = epsilon, alpha
        self._ranges = _ranges(epsilon, alpha, strict)
        if draws is None or draws.bound is None:
            laws = [law.law(f) for f in range(1, alpha + 1)]
        elif not law.is_plain:
            raise ParameterError(
                f"draws {draws} have retention 1/gamma, not {shown(law.retention)}: leave it out"
            )
        elif alpha > draws.bound:
            raise ParameterError(
                f"with draws {draws} a count above {draws.bound} depends on the table: give a smaller alpha"
            )
        else:
            laws = [DependentCount.of(draws, gamma, {0: f}).law() for f in range(1, alpha + 1)]
        self.unit = lcm(*(part.denominator for each in laws for part in each.values()))
        self.masses = [[int(each.get(k, 0) * self.unit) for each in laws] for k in range(gamma * alpha + 1)]

    def respond(self, weights: Losses) -> tuple[tuple[Fraction, ...], list[Fraction], Fraction]:
        """Return the best estimator for weights of f: its estimates, its errors by f, and its mean error."""
        scale = lcm(*(weight.denominator for weight in weights))
        whole_weights = [int(weight * scale) for weight in weights]
        estimates = []
        right = [0] * self.alpha
        for masses in self.masses:
            joint = [weight * mass for weight, mass in zip(whole_weights, masses, strict=True)]
            low, high, estimate = max(self._ranges, key=lambda each: sum(joint[each[0] - 1 : each[1]]))
            estimates.append(estimate)
            for f in range(low, high + 1):
                right[f - 1] += masses[f - 1]
        errors = [1 - Fraction(each, self.unit) for each in right]
        mean = sum((weight * error for weight, error in zip(weights, errors, strict=True)), Fraction(0))
        return tuple(estimates), errors, mean


def _ranges(epsilon: Fraction, alpha: int, strict: bool) -> list[tuple[int, int, Fraction]]:
    """Return the largest ranges low..high of counts that one estimate is right for, with such an estimate.

    An estimate e is right for all of them if (1-epsilon) high < e < (1+epsilon) low; in the strict form
    the ends count as right too.
    """
    found: list[tuple[int, int, Fraction]] = []
    high = 0
    for low in range(1, alpha + 1):
        top = (1 + epsilon) * low
        reach = max(high, low)
        while reach < alpha and (
            _foot(epsilon, reach + 1) < top or (strict and _foot(epsilon, reach + 1) == top)
        ):
            reach += 1
        if reach > high:
            high = reach
            found.append((low, high, Fraction(low) if low == high else (_foot(epsilon, high) + top) / 2))
    return found


def _foot(epsilon: Fraction, count: int) -> Fraction:
    """Return below what an estimate is wrong for ``count``; no estimate below 0 is needed."""
    return max((1 - epsilon) * count, Fraction(0))
