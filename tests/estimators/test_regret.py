"""What no estimator can do: be near the best method for every kind of predicate, without knowing the kind.

Two kinds of predicates of n records, of which all or none have a value, are published by laws that overlap.
An estimator sees the published counts, not the kind. The other records have any of the other values, all
equally likely, so how the rest of the published counts is split up is not informative. The bounds are exact,
for tables so large that f'/N is known.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import comb, sqrt

import numpy as np
import pytest

from splu_ref.channels import PublishedCount
from splu_ref.channels.parameters import Gamma
from splu_ref.estimators import conjunction_estimate
from splu_ref.estimators.shrinkage.composition import Composition
from splu_ref.mechanisms import CoOccurrence, SpluGen, expected_pairs
from splu_ref.randomness import SeededSource
from tests.rounding import near

Law = list[Fraction]
ROOT_MEAN_SQUARE, MEAN_ERROR = Fraction("1.35"), 1.1
"""Times the error of the best method that was hoped for in every class, and on average over the classes."""
ROWS = 10**9


def _binomial(n: int, chance: Fraction) -> Law:
    return [comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(n + 1)]


def _square(law: Law, answers: Law, truth: int) -> Fraction:
    return sum(
        (chance * (answer - truth) ** 2 for chance, answer in zip(law, answers, strict=True)), Fraction(0)
    )


def _methods(n: int, law: PublishedCount, values: int) -> list[Law]:
    """The answers by y of exact, the published count and n f'/N, where all values are equally frequent."""
    frequency = ROWS // values
    exact = [conjunction_estimate(y, frequency, n, ROWS, law) for y in range(n + 1)]
    return [exact, [Fraction(y) for y in range(n + 1)], [Fraction(n, values)] * (n + 1)]


class _Kinds:
    """All n records of a predicate have the value, or none; each of the others its own chance."""

    def __init__(self, n: int, gamma: int, values: int) -> None:
        law = PublishedCount.of(gamma)
        kept = law.retention
        self.n, self.taken = n, (1 - kept) / (values - 1)
        self.laws = [_binomial(n, kept), _binomial(n, self.taken)]
        self.truths = [n, 0]
        self.methods = _methods(n, law, values)
        self.best = [
            min(_square(one, answers, truth) for answers in self.methods)
            for one, truth in zip(self.laws, self.truths, strict=True)
        ]

    def ratios(self, answers: Law) -> list[Fraction]:
        """Squared errors over those of the best method, by kind."""
        parts = zip(self.laws, self.truths, self.best, strict=True)
        return [_square(law, answers, truth) / best for law, truth, best in parts]

    def compromise(self, weight: Fraction) -> Law:
        """The answers with the least weighted mean of both ratios."""
        found = []
        for all_of_it, none in zip(*self.laws, strict=True):
            first, second = weight * all_of_it / self.best[0], (1 - weight) * none / self.best[1]
            found.append(self.n * first / (first + second))
        return found

    def bound(self, weight: Fraction) -> Fraction:
        """A weighted mean of both ratios is at least this, and so is the larger of them."""
        first, second = self.ratios(self.compromise(weight))
        return weight * first + (1 - weight) * second

    def least_mean(self, part: float, steps: int) -> tuple[float, float]:
        """Bound the least mean of the ratios over classes, none below 1: the estimator is one of the methods.

        Parameters
        ----------
        part
            The share of the classes that hold the predicates of one value; the others hold those without it.
        steps
            How many weights are tried.

        Returns
        -------
        tuple
            From below, and what some answers have.

        Notes
        -----
        With the weight the first ratio of `compromise` falls and the second rises, both from 0 or to it. So
        for whatever is answered there is a weight with no larger ratios, and between two weights they are at
        least the first one's second and the second one's first.
        """
        weights = [Fraction(step, steps) for step in range(1, steps)]
        found = [self.ratios(self.compromise(weight)) for weight in weights]
        ends = [(Fraction(self.n**2) / self.best[0], Fraction(0)), *found]
        ends.append((Fraction(0), Fraction(self.n**2) / self.best[1]))
        below = min(self._mean(part, b[0], a[1]) for a, b in pairwise(ends))
        return below, min(self._mean(part, *one) for one in ends)

    @staticmethod
    def _mean(part: float, first: Fraction, second: Fraction) -> float:
        return part * max(1.0, sqrt(first)) + (1 - part) * max(1.0, sqrt(second))


@pytest.mark.parametrize(
    ("gamma", "values", "n", "weight", "least"),
    [(5, 14, 6, "4/5", "1.5"), (5, 14, 20, "4/5", "1.5"), (10, 46, 30, "9/10", "1.8")],
)
def test_no_estimator_is_near_the_best_where_all_or_none_share_a_value(
    gamma: int, values: int, n: int, weight: str, least: str
) -> None:
    kinds = _Kinds(n, gamma, values)
    bound = kinds.bound(Fraction(weight))
    assert bound > Fraction(least) ** 2 > ROOT_MEAN_SQUARE**2
    # No answers do better: neither those of a method, nor answers near the compromise.
    steps = np.random.default_rng(n).integers(-3, 4, (5, n + 1)).tolist()
    near = [
        [
            answer + Fraction(step, 10)
            for answer, step in zip(kinds.compromise(Fraction(weight)), some, strict=True)
        ]
        for some in steps
    ]
    for answers in (*kinds.methods, *near):
        assert max(kinds.ratios(answers)) >= bound


@pytest.mark.parametrize(
    ("gamma", "values", "n", "part", "least"),
    [(5, 14, 6, 3 / 4, 1.45), (5, 14, 20, 4 / 5, 1.45), (10, 46, 30, 4 / 5, 1.7)],
)
def test_no_estimator_is_near_the_best_on_average_over_the_classes(
    gamma: int, values: int, n: int, part: float, least: float
) -> None:
    """Predicates without the value are of the class zero. The others are of all other classes that there are:
    homogeneous, that of n, below 0.5 % in a large table, and concentrated from 20 records on.
    """
    kinds = _Kinds(n, gamma, values)
    below, attained = kinds.least_mean(part, 50)
    assert MEAN_ERROR < least < below <= attained < below + 0.1
    # A mean over the two kinds alone, each of them once, is not near 1 either.
    assert kinds.least_mean(1 / 2, 50)[0] > MEAN_ERROR + 0.15


def test_the_bound_speaks_of_what_is_published() -> None:
    """Under the mixed plan each of equally frequent values has the same chance of being another's decoy."""
    gamma, values = 5, 14
    law = PublishedCount.of(gamma)
    column = Composition(expected_pairs(np.full(values, 2000.0), Gamma(gamma)), law)
    chances = column.expected_counts(np.eye(values))
    taken = float(_Kinds(1, gamma, values).taken)
    assert chances == near(np.where(np.eye(values) > 0, float(law.retention), taken), rel=1e-6)


@pytest.mark.parametrize("plan", ["anatomy", "cyclic"])
def test_values_that_share_all_groups_are_not_distinguished(plan: str) -> None:
    """Ten equally frequent values, gamma = 5: who has one value and who has its partner publish alike.

    So whatever is answered, the errors of both kinds together are at least n, and one of the ratios is at
    least n over the sum of the best errors. That tends to the number of values as n grows.
    """
    values, gamma, n = 10, Gamma(5), 200
    plan_of = SpluGen(gamma, plan=plan).decoys(np.full(values, 50), gamma, SeededSource(1))
    together = CoOccurrence(plan_of)
    rows = [tuple(together.row(value).tolist()) for value in range(values)]
    assert len(set(rows)) == 2
    assert {rows.count(row) for row in rows} == {gamma}
    published = _binomial(n, Fraction(1, gamma))
    methods = _methods(n, PublishedCount.of(gamma), values)
    all_of_it, none = (
        sqrt(min(_square(published, answers, truth) for answers in methods)) for truth in (n, 0)
    )
    assert n / (all_of_it + none) > 3.6
