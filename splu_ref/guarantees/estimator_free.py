"""Privacy without an estimator in it: how often the best estimate of f from f' must be wrong.

Definition 2 is about the estimate f'. A reader who knows that 1 <= f <= alpha may estimate otherwise, and
for any single f there is an estimate that is never wrong there. What no estimator can escape is a positive
error on average over f, or at the worst f. Both are computed exactly for small alpha: the least mean error
for a given prior on f, and the least worst error with an estimator that attains it and a prior that proves
that nothing does better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from splu_ref.binomial import Bounds, probability_mass
from splu_ref.guarantees.matrix_game import Losses, least_worst_mixture
from splu_ref.model import Exact, Gamma, ParameterError, exact, positive, whole

Choice: TypeAlias = tuple[tuple[Fraction, Fraction], ...]
"""Estimates with their probabilities, which sum to 1."""

_MOST_TRIALS = 200
_MOST_COUNTS = 12


@dataclass(frozen=True, slots=True)
class BestEstimator:
    """An estimator of f from f' whose largest error probability over 1 <= f <= alpha is the least possible.

    Attributes
    ----------
    gamma, epsilon, alpha, strict
        The parameters.
    worst_error
        Its largest error probability.
    choices
        What it does for each published count f' = 0 .. gamma alpha: estimates with their probabilities.
    prior
        Weights of f = 1 .. alpha for which every estimator errs with probability at least ``worst_error``
        on average.
    """

    gamma: Gamma
    epsilon: Fraction
    alpha: int
    strict: bool
    worst_error: Fraction
    choices: tuple[Choice, ...]
    prior: tuple[Fraction, ...]


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
    return _Task(Gamma(gamma), positive(epsilon, "epsilon"), len(weights), strict).respond(weights)[2]


def best_estimator(gamma: Exact, epsilon: Exact, alpha: Exact, *, strict: bool = False) -> BestEstimator:
    """Return an estimator of f from f' with the least worst error probability over 1 <= f <= alpha.

    Parameters as in `least_mean_error`; ``alpha`` is at most 12, and gamma alpha at most 200. The
    estimator may choose at random; no estimator, random or not, does better.
    """
    task = _Task(Gamma(gamma), positive(epsilon, "epsilon"), whole(alpha, "alpha", 1), strict)
    mixture = least_worst_mixture(lambda weights: task.respond(weights)[:2], task.alpha)
    shares: list[dict[Fraction, Fraction]] = [{} for _ in task.masses]
    for rule, share in mixture.parts:
        for choice, estimate in zip(shares, rule, strict=True):
            choice[estimate] = choice.get(estimate, Fraction(0)) + share
    choices = tuple(tuple(sorted(choice.items())) for choice in shares)
    return BestEstimator(
        task.gamma, task.epsilon, task.alpha, strict, mixture.value, choices, mixture.weights
    )


def worst_error_bounds(best: BestEstimator) -> Bounds:
    """Return what ``best`` proves, computed anew from its prior and its choices alone.

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
    task = _Task(best.gamma, best.epsilon, best.alpha, best.strict)
    if len(best.choices) != len(task.masses) or len(best.prior) != best.alpha:
        raise ParameterError("an estimator has a choice for every f' from 0 to gamma alpha: give all of them")
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
    lower = least_mean_error(best.gamma, best.epsilon, best.prior, strict=best.strict)
    return Bounds(lower, max(errors))


class _Task:
    """What there is to estimate: the law of f' for every f, and the ranges of f that one estimate can meet.

    Attributes
    ----------
    masses
        Pr(f' = k) for f = 1 .. alpha, by k = 0 .. gamma alpha.
    """

    def __init__(self, gamma: Gamma, epsilon: Fraction, alpha: int, strict: bool) -> None:
        if alpha > _MOST_COUNTS or gamma * alpha > _MOST_TRIALS:
            most = min(_MOST_COUNTS, _MOST_TRIALS // gamma)
            raise ParameterError(f"alpha = {alpha} would take too long: give an alpha of at most {most}")
        self.gamma, self.epsilon, self.alpha = gamma, epsilon, alpha
        self._ranges = _ranges(epsilon, alpha, strict)
        share = Fraction(1, gamma)
        counts = range(1, alpha + 1)
        self.masses = [
            [probability_mass(gamma * f, k, share) for f in counts] for k in range(gamma * alpha + 1)
        ]

    def respond(self, weights: Losses) -> tuple[tuple[Fraction, ...], list[Fraction], Fraction]:
        """Return the best estimator for weights of f: its estimates, its errors by f, and its mean error."""
        estimates = []
        errors = [Fraction(1)] * self.alpha
        for masses in self.masses:
            joint = [weight * mass for weight, mass in zip(weights, masses, strict=True)]
            low, high, estimate = max(self._ranges, key=lambda each: sum(joint[each[0] - 1 : each[1]]))
            estimates.append(estimate)
            for f in range(low, high + 1):
                errors[f - 1] -= masses[f - 1]
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
