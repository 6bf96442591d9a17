"""Operators: that the best one is admitted and proved best, and that publishing by a matrix has its law."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product

import numpy as np

from property_tests.checking import Outcome, check, first_failure
from property_tests.run import Run
from property_tests.subject import Subject
from splu_ref.channels import Levels
from splu_ref.guarantees import AGAINST, KEEP, Optimum, Requirement
from splu_ref.mechanisms import Operator, RetentionReplacement
from splu_ref.randomness import Draws, outcomes

PRIORS = ((8, 1, 1), (5, 3, 2), (7, 5, 4, 2))
LEVELS = Levels.of("1/4", "1/2")
TURNED = (("1/2", "1/3", "1/6"), ("1/6", "1/2", "1/3"), ("1/3", "1/6", "1/2"))
"""Its columns add up to 1 as well, and are not its rows."""


@check(
    "operator.optimum",
    "exact",
    "For three priors and every objective and guarantee, the matrix lifts no belief above the level, set by "
    "set, and its multipliers bound what any other one keeps by what it keeps.",
)
def optimum(subject: Subject, run: Run) -> Outcome:
    del run
    return first_failure(_faults(subject), "27 requirements")


def _faults(subject: Subject) -> Iterator[str]:
    for counts, keep, against in product(PRIORS, KEEP, AGAINST):
        wanted = Requirement.of(counts, LEVELS, keep, against)
        found = subject.best_operator(wanted)
        place = f"{counts}, {keep} against {against}"
        yield from _not_admitted(found, place)
        diagonal = [row[u] for u, row in enumerate(found.matrix)]
        mean = sum((w * entry for w, entry in zip(found.weights, diagonal, strict=True)), Fraction(0))
        kept = min(diagonal) if keep == "least" else mean
        if sum(found.rows) != kept or min(found.weights) < 0 or sum(found.weights) != 1:
            yield f"{place}: the multipliers add up to {sum(found.rows)}, and {kept} is kept"
        if not (_balances(found) if against == "any" else _bounds(found)):
            yield f"{place}: the multipliers bound nothing"


def _not_admitted(found: Optimum, place: str) -> Iterator[str]:
    """Look at every set, or at every pair of entries of a column."""
    wanted, size = found.requirement, len(found.matrix)
    for seen in range(size):
        column = [row[seen] for row in found.matrix]
        if wanted.against == "any":
            if any(one > wanted.ratio * other for one, other in product(column, repeat=2)):
                yield f"{place}: entries of column {seen} are too far apart"
            continue
        gains = [count * entry for count, entry in zip(wanted.counts, column, strict=True)]
        for secret in _sets(wanted):
            if sum(gains[u] for u in secret) > LEVELS.rho2 * sum(gains):
                yield f"{place}: seeing {seen} lifts the belief in {secret} too far"


def _sets(wanted: Requirement) -> list[tuple[int, ...]]:
    size = len(wanted.counts)
    return [
        secret
        for number in range(1, 2 if wanted.against == "values" else size + 1)
        for secret in combinations(range(size), number)
        if sum(wanted.counts[u] for u in secret) <= LEVELS.rho1 * sum(wanted.counts)
    ]


def _balances(found: Optimum) -> bool:
    """Take each column at the corner where it gains most: at G times its least entry, or at that."""
    ratio = found.requirement.ratio
    for seen, weight in enumerate(found.weights):
        short = [weight * (u == seen) - row for u, row in enumerate(found.rows)]
        if sum((each * (ratio if each > 0 else 1) for each in short), Fraction(0)) > 0:
            return False
    return True


def _bounds(found: Optimum) -> bool:
    wanted, allowed = found.requirement, set(_sets(found.requirement))
    if any(price.amount < 0 or price.secret not in allowed for price in found.prices):
        return False
    for u, seen in product(range(len(found.rows)), repeat=2):
        paid = sum(
            (
                price.amount * ((u in price.secret) - LEVELS.rho2)
                for price in found.prices
                if price.published == seen
            ),
            Fraction(0),
        )
        if found.rows[u] + wanted.counts[u] * paid < found.weights[u] * (u == seen):
            return False
    return True


@check(
    "operator.law",
    "enumerated",
    "Two records published by a matrix have the law of its rows, whose columns are other laws; by the matrix "
    "of uniform perturbation they have that of retention replacement.",
)
def one_law(subject: Subject, run: Run) -> Outcome:
    del run
    return first_failure(_law_faults(subject), "all outcomes for two matrices")


def _law_faults(subject: Subject) -> Iterator[str]:
    codes, keep = np.array([2, 0]), Fraction(1, 4)

    def law(mechanism: Operator) -> dict[tuple[int, ...], Fraction]:
        def publish(draws: Draws) -> tuple[int, ...]:
            done = subject.publish_operator(mechanism, {"s": codes}, {"s": 3}, lambda _: draws)
            return tuple(done.published["s"].tolist())

        return _collected(outcomes(publish))

    rows = [[Fraction(entry) for entry in row] for row in TURNED]
    found = law(Operator("s", "abc", TURNED))
    if found != {(v, w): rows[2][v] * rows[0][w] for v, w in product(range(3), repeat=2)}:
        yield f"two records have the law {found}"
    uniform = [[(1 - keep) / 3 + keep * (own == each) for each in range(3)] for own in range(3)]
    replaced = RetentionReplacement(keep, {"sensitive": "abc"})
    expected = _collected(
        outcomes(lambda draws: tuple(replaced.publish_codes(codes, 3, draws).published.tolist()))
    )
    if law(Operator("s", "abc", uniform)) != expected:
        yield "uniform perturbation has another law than by its matrix"


def _collected(
    shown: Iterator[tuple[Sequence[int], Fraction]],
) -> dict[tuple[int, ...], Fraction]:
    law: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for published, chance in shown:
        law[tuple(published)] += chance
    return dict(law)
