"""Channels: matrices of probabilities from true to published states, and what they tell of beliefs.

The two-state matrix is that of section 3.2 of the paper, corrected. Amplification and breaches are those of Evfimievski,
Gehrke and Srikant ("Limiting privacy breaches in privacy preserving data mining", 2003).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from splu_ref.spec.errors import require
from splu_ref.spec.estimates import checked_retention
from splu_ref.spec.operators import Matrix, require_laws
from splu_ref.spec.plans import anatomy, cyclic, require_feasible


def two_state(
    frequency: int, rows: int, gamma: int, retention: Fraction | None = None
) -> list[list[Fraction]]:
    """Return the matrix of the states "another value" and "the value" of a value with ``frequency`` records.

    >>> two_state(2, 10, 2)
    [[Fraction(7, 8), Fraction(1, 8)], [Fraction(1, 2), Fraction(1, 2)]]
    """
    kept = checked_retention(gamma, retention)
    require(frequency >= 1 and rows >= 2 and gamma * frequency <= rows, "the value is too frequent")
    a = frequency * (1 - kept) / (rows - frequency)
    return [[1 - a, a], [1 - kept, kept]]


def per_value(
    histogram: Sequence[int], gamma: int, method: str, retention: Fraction | None = None
) -> list[list[Fraction] | None]:
    """Return the probability that a record of u is published as v, under a plan without a secret.

    >>> per_value([1, 1, 0], 2, "anatomy")
    [[Fraction(1, 2), Fraction(1, 2), Fraction(0, 1)], [Fraction(1, 2), Fraction(1, 2), Fraction(0, 1)], None]
    """
    kept = checked_retention(gamma, retention)
    require_feasible(histogram, gamma)
    groups = anatomy(histogram, gamma) if method == "anatomy" else cyclic(histogram, gamma)
    each = (1 - kept) / (gamma - 1)
    rows: list[list[Fraction] | None] = []
    for u, frequency in enumerate(histogram):
        together = [sum(u in group and v in group for group in groups) for v in range(len(histogram))]
        law = [kept if u == v else together[v] * each / max(frequency, 1) for v in range(len(histogram))]
        rows.append(law if frequency else None)
    return rows


def dependent_row(matrix: Matrix) -> list[int] | None:
    """Return integers that combine the rows up to the first dependent one to zero, or None if there is no such row.

    >>> half = Fraction(1, 2)
    >>> dependent_row([[half, half], [half, half]])
    [-1, 1]
    """
    reduced: list[tuple[list[Fraction], list[Fraction]]] = []
    for number, row in enumerate(matrix):
        left = list(row)
        combination = [Fraction(int(place == number)) for place in range(len(matrix))]
        for done, of_rows in reduced:
            pivot = next(place for place, entry in enumerate(done) if entry)
            factor = left[pivot] / done[pivot]
            left = [entry - factor * other for entry, other in zip(left, done)]
            combination = [entry - factor * other for entry, other in zip(combination, of_rows)]
        if not any(left):
            whole = lcm(*(entry.denominator for entry in combination))
            integers = [int(entry * whole) for entry in combination]
            return [entry // gcd(*integers) for entry in integers]
        reduced.append((left, combination))
    return None


def inverse(matrix: Matrix) -> list[list[Fraction]]:
    """Return the inverse of a matrix with independent rows, by Gauss and Jordan."""
    size = len(matrix)
    rows = [[*row, *(Fraction(int(u == v)) for v in range(size))] for u, row in enumerate(matrix)]
    for place in range(size):
        pivot = next(number for number in range(place, size) if rows[number][place])
        rows[place], rows[pivot] = rows[pivot], rows[place]
        rows[place] = [entry / rows[place][place] for entry in rows[place]]
        for other in range(size):
            if other != place:
                factor = rows[other][place]
                rows[other] = [entry - factor * mine for entry, mine in zip(rows[other], rows[place])]
    return [row[size:] for row in rows]


@dataclass(frozen=True)
class Amplification:
    """The largest ratio of two entries of a column, None if it is infinite; the column, and the rows of the entries."""

    ratio: Fraction | None
    published: int
    more: int
    less: int


def amplification(matrix: Matrix) -> Amplification:
    """Return how much a published state can speak for one true state rather than another.

    >>> amplification([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
    Amplification(ratio=Fraction(3, 1), published=0, more=0, less=1)
    """
    require_laws(matrix)
    found: list[Amplification] = []
    for number in range(len(matrix[0])):
        column = [row[number] for row in matrix]
        most, least = max(column), min(column)
        if most > 0:
            ratio = most / least if least else None
            found.append(Amplification(ratio, number, column.index(most), column.index(least)))
    return next((each for each in found if each.ratio is None), None) or max(
        found, key=lambda each: each.ratio or 0
    )


@dataclass(frozen=True)
class Breach:
    """The largest posterior of a property whose prior is at most rho1; that prior, and the published state."""

    posterior: Fraction
    prior: Fraction
    published: int


def posterior_of_any_prior(matrix: Matrix, rho1: Fraction) -> Fraction:
    """Return the largest posterior of a property of prior rho1, over all priors."""
    ratio = amplification(matrix).ratio
    return Fraction(1) if ratio is None else ratio * rho1 / (ratio * rho1 + 1 - rho1)


def breach(matrix: Matrix, counts: Sequence[int], rho1: Fraction) -> Breach | None:
    """Return the largest posterior under the prior of a histogram; None if no state is as improbable as rho1."""
    require_laws(matrix)
    require(len(counts) == len(matrix) and 1 <= sum(counts) <= 1000 and min(counts) >= 0, "no such histogram")
    total = sum(counts)
    states = [state for state, count in enumerate(counts) if count]
    if all(counts[state] > rho1 * total for state in states):
        return None
    found: list[Breach] = []
    for published in range(len(matrix[0])):
        evidence = sum(counts[state] * matrix[state][published] for state in states)
        if not evidence:
            continue
        best: dict[int, Fraction] = {0: Fraction(0)}  # by records of the property: the most evidence for it
        for state in states:
            more = {
                size + counts[state]: held + counts[state] * matrix[state][published]
                for size, held in best.items()
            }
            for size, held in more.items():
                if size <= rho1 * total:
                    best[size] = max(held, best.get(size, held))
        most = max(best.values())
        size = min(size for size, held in best.items() if held == most)
        found.append(Breach(most / evidence, Fraction(size, total), published))
    return max(found, key=lambda each: each.posterior)
