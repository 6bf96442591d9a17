"""Channels: matrices of probabilities from true to published states, and what a published state discloses.

Row u of a channel is the law of what true state u is published as. States are numbered from 0. The two-state
channel is the transition matrix of section 5 of Fu and others 2014, corrected: the paper has f/N where f (1
- p)/(N - f) is right. Amplification and privacy breaches are those of Evfimievski, Gehrke and Srikant
(2003), which Agrawal, Srikant and Thomas ("Privacy preserving OLAP", section 5) use. The channel of several
independent columns is the Kronecker product of theirs (section 4 there).
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
    """Return [[1 - a, a], [1 - p, p]], the channel of the states "another value" and "the value".

    Of N = ``rows`` records, f = ``frequency`` have the value, and a = f (1 - p)/(N - f). Refused
    (``parameter``): f below 1, N below 2, γ f above N, and what `splu_ref.spec.estimates.checked_retention`
    refuses.

    >>> two_state(2, 10, 2)
    [[Fraction(7, 8), Fraction(1, 8)], [Fraction(1, 2), Fraction(1, 2)]]
    """
    p = checked_retention(gamma, retention)
    require(frequency >= 1 and rows >= 2 and gamma * frequency <= rows, "the value is too frequent")
    a = frequency * (1 - p) / (rows - frequency)
    return [[1 - a, a], [1 - p, p]]


def per_value(
    histogram: Sequence[int], gamma: int, method: str, retention: Fraction | None = None
) -> list[list[Fraction] | None]:
    """Return the channel of the values of a histogram under the plan ``anatomy`` or ``cyclic``.

    Entry (u, v) is the probability that a record of u is published as v: p where u = v, and otherwise c (1 -
    p)/((γ - 1) f_u), where c groups hold both u and v and f_u is the frequency of u. The row of a value
    without records is None. A histogram without a plan is refused (``parameter``).

    >>> half = Fraction(1, 2)
    >>> per_value([1, 1, 0], 2, "anatomy") == [[half, half, 0], [half, half, 0], None]
    True
    """
    p = checked_retention(gamma, retention)
    require_feasible(histogram, gamma)
    groups = anatomy(histogram, gamma) if method == "anatomy" else cyclic(histogram, gamma)
    share = (1 - p) / (gamma - 1)
    rows: list[list[Fraction] | None] = []
    for u, frequency in enumerate(histogram):
        together = [sum(u in group and v in group for group in groups) for v in range(len(histogram))]
        law = [p if u == v else together[v] * share / max(frequency, 1) for v in range(len(histogram))]
        rows.append(law if frequency else None)
    return rows


def dependent_row(matrix: Matrix) -> list[int] | None:
    """Return integers that show that the rows of a matrix are dependent, or None if they are independent.

    Let row k be the first that is a combination of the rows before it. The integers are c_0, …, c_k, 0, …, 0
    without common factor and with c_k > 0, for which the sum of c_u times row u is 0.

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
            left = [entry - factor * other for entry, other in zip(left, done, strict=True)]
            combination = [entry - factor * other for entry, other in zip(combination, of_rows, strict=True)]
        if not any(left):
            whole = lcm(*(entry.denominator for entry in combination))
            integers = [int(entry * whole) for entry in combination]
            return [entry // gcd(*integers) for entry in integers]
        reduced.append((left, combination))
    return None


def inverse(matrix: Matrix) -> list[list[Fraction]]:
    """Return the inverse of a square matrix whose rows are independent, by Gauss and Jordan.

    >>> inverse([[Fraction(1), Fraction(0)], [Fraction(1, 2), Fraction(1, 2)]])[1]
    [Fraction(-1, 1), Fraction(2, 1)]
    """
    size = len(matrix)
    rows = [[*row, *(Fraction(int(u == v)) for v in range(size))] for u, row in enumerate(matrix)]
    for place in range(size):
        pivot = next(number for number in range(place, size) if rows[number][place])
        rows[place], rows[pivot] = rows[pivot], rows[place]
        rows[place] = [entry / rows[place][place] for entry in rows[place]]
        for other in range(size):
            if other != place:
                factor = rows[other][place]
                pairs = zip(rows[other], rows[place], strict=True)
                rows[other] = [entry - factor * of_pivot for entry, of_pivot in pairs]
    return [row[size:] for row in rows]


@dataclass(frozen=True)
class Amplification:
    """The largest ratio of two entries of one column, and where it is.

    Attributes
    ----------
    ratio
        The ratio, or None if it is infinite.
    published
        The first column that has it.
    more, less
        The first row with the largest and the first with the smallest entry of this column.
    """

    ratio: Fraction | None
    published: int
    more: int
    less: int


def amplification(matrix: Matrix) -> Amplification:
    """Return how much a published state can speak for one true state against another.

    It is the largest A[u][v]/A[u′][v] over all columns v and rows u and u′. Columns of zeros do not count.
    The ratio is infinite if some column has a zero and a larger entry. A matrix whose rows are no laws is
    refused (``parameter``).

    >>> amplification([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
    Amplification(ratio=Fraction(3, 1), published=0, more=0, less=1)
    """
    require_laws(matrix)
    result: list[Amplification] = []
    for number in range(len(matrix[0])):
        column = [row[number] for row in matrix]
        most, least = max(column), min(column)
        if most > 0:
            ratio = most / least if least else None
            result.append(Amplification(ratio, number, column.index(most), column.index(least)))
    infinite = next((each for each in result if each.ratio is None), None)
    return infinite or max(result, key=lambda each: each.ratio or 0)


@dataclass(frozen=True)
class Breach:
    """The largest posterior of a property whose prior is at most ρ₁; this prior; and the published state."""

    posterior: Fraction
    prior: Fraction
    published: int


def posterior_of_any_prior(matrix: Matrix, rho1: Fraction) -> Fraction:
    """Return the largest posterior of a property with prior ρ₁ at most, over all prior laws.

    With the amplification a it is a ρ₁/(a ρ₁ + 1 - ρ₁), and 1 if a is infinite.

    >>> matrix = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    >>> posterior_of_any_prior(matrix, Fraction(1, 2))
    Fraction(3, 4)
    """
    ratio = amplification(matrix).ratio
    return Fraction(1) if ratio is None else ratio * rho1 / (ratio * rho1 + 1 - rho1)


def breach(matrix: Matrix, counts: Sequence[int], rho1: Fraction) -> Breach | None:
    """Return the largest posterior under the prior law of a histogram, or None.

    A property is a set Q of states. With counts n_u, Pr[X = u] is n_u over their sum, and only states with
    n_u > 0 count. The result is the largest Pr[X ∈ Q | Y = v] over all published states v with Pr[Y = v] > 0
    and all Q with Pr[X ∈ Q] ≤ ρ₁. If every state with n_u > 0 has a probability above ρ₁, there is none.
    ``published`` is the first v that has the maximum, and ``prior`` the least Pr[X ∈ Q] of the sets that
    have it there.

    Refused (``parameter``): a matrix whose rows are no laws; counts that are not one for each row, negative,
    all 0, or more than 1000 together. This is the limit of the protocol: the time grows with the sum of the
    counts.

    >>> half = Fraction(1, 2)
    >>> breach([[half, half], [Fraction(0), Fraction(1)]], [1, 1], half)
    Breach(posterior=Fraction(1, 1), prior=Fraction(1, 2), published=0)
    """
    require_laws(matrix)
    require(
        len(counts) == len(matrix) and 1 <= sum(counts) <= 1000 and min(counts) >= 0, "this is no histogram"
    )
    total = sum(counts)
    states = [state for state, count in enumerate(counts) if count]
    if all(counts[state] > rho1 * total for state in states):
        return None
    result: list[Breach] = []
    for published in range(len(matrix[0])):
        evidence = sum(counts[state] * matrix[state][published] for state in states)
        if not evidence:
            continue
        best: dict[int, Fraction] = {0: Fraction(0)}  # records in Q -> the largest evidence for such a Q
        for state in states:
            with_state = {
                size + counts[state]: weight + counts[state] * matrix[state][published]
                for size, weight in best.items()
            }
            for size, weight in with_state.items():
                if size <= rho1 * total:
                    best[size] = max(weight, best.get(size, weight))
        most = max(best.values())
        size = min(size for size, weight in best.items() if weight == most)
        result.append(Breach(most / evidence, Fraction(size, total), published))
    return max(result, key=lambda each: each.posterior)
