"""The count estimator, by exact likelihoods and exact coverage."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from property_tests import brute_force
from property_tests.checking import Outcome, check, first_failure
from property_tests.run import Run
from property_tests.subject import Subject


@check(
    "estimate.likelihood",
    "exact",
    "The estimate of a count up to 25 maximizes the likelihood of f' over the counts that can produce it, "
    "and nothing else does (splu.T2); the variance is f'(gamma-1)/gamma.",
)
def likelihood(subject: Subject, run: Run) -> Outcome:
    return first_failure(_likelihood_faults(subject, run.pick(25, 12)), "gamma 2, 3, 5")


def _likelihood_faults(subject: Subject, most: int) -> Iterator[str]:
    for gamma in (2, 3, 5):
        for published in range(most + 1):
            likelihoods = {
                f: Fraction(
                    math.comb(gamma * f, published) * (gamma - 1) ** (gamma * f - published),
                    gamma ** (gamma * f),
                )
                for f in range(-(-published // gamma), 2 * published + 5)
            }
            largest = max(likelihoods.values())
            found = subject.estimate_count(published, gamma)
            if [f for f, value in likelihoods.items() if value == largest] != [found.estimate]:
                yield f"gamma {gamma}, f' = {published}: the estimate is {found.estimate}"
            if found.variance != Fraction(published * (gamma - 1), gamma):
                yield f"gamma {gamma}, f' = {published}: the variance is {found.variance}"


@check(
    "estimate.coverage",
    "exact",
    "The 95 % interval covers every true count up to 40 with probability at least 0.95, summed exactly over "
    "the published counts.",
)
def coverage(subject: Subject, run: Run) -> Outcome:
    return first_failure(_coverage_faults(subject, run.pick(40, 12)), "gamma 2, 5, 10")


def _coverage_faults(subject: Subject, most: int) -> Iterator[str]:
    for gamma in (2, 5, 10):

        @cache
        def interval(published: int, gamma: int = gamma) -> tuple[int, int]:
            return subject.estimate_count(published, gamma).interval

        for frequency in range(1, most + 1):
            covered = 0
            # Published counts beyond 2 f + 12 are rare; counting them as misses only lowers the coverage.
            for published, mass in enumerate(brute_force.masses(gamma, frequency)[: 2 * frequency + 13]):
                least, greatest = interval(published)
                covered += mass if least <= frequency <= greatest else 0
            if Fraction(covered, gamma ** (gamma * frequency)) < Fraction(95, 100):
                yield f"gamma {gamma}: the interval covers f = {frequency} with too little probability"
