"""Channels inverted, and breaches decided, against the definitions of both."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, permutations, product

from property_tests.checking import Outcome, check, first_failure
from property_tests.run import Run
from property_tests.subject import Subject
from splu_ref.channels import Channel, Levels, amplification, from_matrix, retention

LAWS = (("1/2", "1/3", "1/6"), ("0", "1/4", "3/4"), ("1/5", "0", "4/5"), ("1/3", "1/3", "1/3"))
"""Rows of channels."""


def _matrices() -> Iterator[Channel[int, int]]:
    for rows in permutations(LAWS, 3):
        yield from_matrix(range(3), rows, range(3))
    yield retention("2/5", {0: Fraction(1, 2), 1: Fraction(1, 3), 2: Fraction(1, 6)})


@check(
    "channel.inverse",
    "exact",
    "For 25 channels of three states that are not symmetric, the counts that are published on average are "
    "taken back to the true ones, whatever these are.",
)
def inverted(subject: Subject, run: Run) -> Outcome:
    del run
    return first_failure(_inverse_faults(subject), "25 channels")


def _inverse_faults(subject: Subject) -> Iterator[str]:
    for channel in _matrices():
        found = subject.inverse(channel)
        for true in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (5, 2, 11)):
            published = {
                label: sum(
                    (count * channel.probability(state, label) for state, count in enumerate(true)),
                    Fraction(0),
                )
                for label in channel.outputs
            }
            estimate = found.estimate(published)
            estimated = [estimate.get(state, Fraction(0)) for state in channel.inputs]
            if estimated != [Fraction(count) for count in true]:
                yield f"{channel.laws}: {true} is published as {published} and estimated as {estimated}"


LEVELS = tuple(Fraction(k, 12) for k in range(1, 12))


@check(
    "breach.levels",
    "exact",
    "For all levels of twelfths, and channels of two states that lift the lower one to just below, exactly "
    "and just above the upper one, a breach is ruled out exactly if Bayes' rule stays below the upper level.",
)
def levels(subject: Subject, run: Run) -> Outcome:
    del run
    return first_failure(_level_faults(subject), "55 pairs of levels")


def _level_faults(subject: Subject) -> Iterator[str]:
    for rho1, rho2 in combinations(LEVELS, 2):
        # Kept with k, the odds of the state are k/(1 - k) times as large: with these they are those of rho2.
        odds = rho2 / (1 - rho2) / (rho1 / (1 - rho1))
        for own in (
            odds / (odds + 1) + step for step in (Fraction(-1, 1000), Fraction(0), Fraction(1, 1000))
        ):
            channel = from_matrix(range(2), ((own, 1 - own), (1 - own, own)), range(2))
            posterior = rho1 * own / (rho1 * own + (1 - rho1) * (1 - own))
            if subject.allows(Levels.of(rho1, rho2), amplification(channel)) != (posterior < rho2):
                yield f"rho1 = {rho1}, rho2 = {rho2}, kept with {own}: the posterior is {posterior}"


COUNTS = ((3, 4, 5, 9), (7, 6, 6, 11), (4, 10, 3, 2), (1, 1, 1, 1), (2, 3, 5, 7))
ROWS = (
    ("1/2", "1/4", "1/4"),
    ("1/8", "1/2", "3/8"),
    ("3/8", "1/8", "1/2"),
    ("1/4", "3/8", "3/8"),
)


@check(
    "breach.knapsack",
    "exact",
    "For five priors of four states and lower levels of twelfths, the largest posterior of a property is "
    "that of all properties tried one by one.",
)
def knapsack(subject: Subject, run: Run) -> Outcome:
    del run
    return first_failure(_knapsack_faults(subject), "five priors, eleven levels")


def _knapsack_faults(subject: Subject) -> Iterator[str]:
    channel = from_matrix(range(4), ROWS, range(3))
    for counts, rho1 in product(COUNTS, LEVELS):
        total = sum(counts)
        sets = [
            chosen
            for size in range(1, 5)
            for chosen in combinations(range(4), size)
            if sum(counts[state] for state in chosen) <= rho1 * total
        ]
        largest = None
        for label, chosen in product(range(3), sets):
            gains = [count * channel.probability(state, label) for state, count in enumerate(counts)]
            posterior = sum((gains[state] for state in chosen), Fraction(0)) / sum(gains, Fraction(0))
            largest = posterior if largest is None else max(largest, posterior)
        found = subject.worst_property(channel, dict(enumerate(counts)), rho1)
        if (found and found.posterior) != largest:
            yield f"counts {counts}, rho1 = {rho1}: {found}, and the largest posterior is {largest}"
