"""The best operator against every prior, in closed form, and under one prior, by a linear program."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from splu_ref.channels import ParameterError
from splu_ref.guarantees.operators.highs import Program, Row
from splu_ref.guarantees.operators.optimum import Optimum, Price, UnverifiedError, worst_set
from splu_ref.guarantees.operators.requirement import Matrix, Requirement


def best_against_all(wanted: Requirement) -> Optimum:
    """Return the best operator of amplification at most G.

    Uniform perturbation of all values maximizes the mean of the diagonal, and its least entry (chaytor.OPTc).
    It maximizes the share of retained records if the rarest value has at least a share of 1/(m+G-1).
    Otherwise uniform perturbation of the k most frequent values does, for the k with the largest
    G Pi_k/(k+G-1), where Pi_k is their share; every other value is published as one of these with equal
    probabilities (chaytor.FINEc). Among equally good k the largest is used, which identifies most counts.

    Notes
    -----
    With M = Pi_k/(k+G-1) the multiplier of the row of value u is G (pi_u - M)/(G-1) for the k values and 0
    for the others. They add up to G M, and leave no entry open: pi_u <= M from the next value on.
    """
    size, ratio = len(wanted.counts), wanted.ratio
    weights = wanted.weights() or (Fraction(1, size),) * size
    falling = sorted(range(size), key=lambda place: (-weights[place], place))
    best, chosen = Fraction(0), 0
    for number in range(1, size + 1):
        kept = sum(weights[place] for place in falling[:number]) / (number + ratio - 1)
        if kept >= best:
            best, chosen = kept, number
    frequent = falling[:chosen]
    multiplier = {place: ratio * (weights[place] - best) / (ratio - 1) for place in frequent}
    return Optimum(
        requirement=wanted,
        matrix=_uniform(size, frequent, ratio),
        weights=weights,
        rows=tuple(multiplier.get(place, Fraction(0)) for place in range(size)),
    )


def _uniform(size: int, published: list[int], ratio: Fraction) -> Matrix:
    """Return uniform perturbation of some values; all others are published as these, uniformly."""
    own, other = ratio / (len(published) + ratio - 1), 1 / (len(published) + ratio - 1)
    rows = []
    for place in range(size):
        if place in published:
            law = {each: own if each == place else other for each in published}
        else:
            law = dict.fromkeys(published, Fraction(1, len(published)))
        rows.append(tuple(law.get(each, Fraction(0)) for each in range(size)))
    return tuple(rows)


_Seen: TypeAlias = tuple[int, tuple[int, ...]]
"""A published value, and a set of true ones."""
MOST_VALUES = {"values": 60, "sets": 20}
"""Largest number of values of a prior by kind of beliefs, for a program of less than minutes."""
MOST_ROUNDS = 200
"""Largest number of programs until no posterior of a set exceeds rho2."""


def best_under_prior(wanted: Requirement) -> Optimum:
    """Return the best operator against beliefs in single values, or in all sets of values.

    Variables are the m^2 expected counts n_u P[u][v], and the m published counts. Constraints on sets of
    several values are added when a matrix violates them: for each published value the worst set is computed
    exactly, and the program is solved again until no constraint is violated.

    Raises
    ------
    ParameterError
        For more values than the program is given.
    UnverifiedError
        If the answer cannot be verified exactly, or is not found in bounded time.
    InputError
        If HiGHS is not installed.
    """
    size = len(wanted.counts)
    most = MOST_VALUES[wanted.against]
    if size > most:
        raise ParameterError(
            f"a prior of {size} values is too large for the program, which takes {most} against "
            f"{wanted.against}: group the values, or ask for an operator against any prior"
        )
    sets: list[_Seen] = [(column, (place,)) for column in range(size) for place in wanted.small]
    for _ in range(MOST_ROUNDS):
        found = _vertex(wanted, sets)
        if found is None:
            break
        worse = []
        if wanted.against == "sets":
            worst = (worst_set(wanted, found.matrix, column, single=False) for column in range(size))
            worse = [(column, secret) for column, secret in enumerate(worst) if secret]
        if not worse:
            priced = zip(sets, found.prices, strict=True)
            return Optimum(
                requirement=wanted, matrix=found.matrix, weights=found.weights, rows=found.rows,
                prices=tuple(Price(*each, price) for each, price in priced if price),
            )  # fmt: skip
        if set(worse) & set(sets):
            break
        sets += worse
    raise UnverifiedError("the program's answer could not be verified exactly: choose other levels")


class _Vertex(NamedTuple):
    """An exact solution of the program, not yet verified."""

    # matrix, weights, rows: as in `Optimum`
    matrix: Matrix
    weights: tuple[Fraction, ...]
    rows: tuple[Fraction, ...]
    prices: Sequence[Fraction]  # a multiplier for each of the sets


def _vertex(wanted: Requirement, sets: Sequence[_Seen]) -> _Vertex | None:
    """Return the optimum of the program with these constraints by HiGHS; None if there is none."""
    counts, size = wanted.counts, len(wanted.counts)
    published, least = size * size, size * size + size  # where the variables of other kinds begin
    weights = wanted.weights()
    gains = [Fraction(0)] * (least + 1)
    rows = []
    for row, count in enumerate(counts):
        if weights is not None:
            gains[row * size + row] = weights[row] / count
        rows.append(Row({row * size + column: Fraction(1) for column in range(size)}, Fraction(count), True))
    for column in range(size):
        entries = {row * size + column: Fraction(1) for row in range(size)}
        rows.append(Row(entries | {published + column: Fraction(-1)}, Fraction(0), True))
    for column, secret in sets:
        entries = {row * size + column: Fraction(1) for row in secret}
        rows.append(Row(entries | {published + column: -wanted.levels.rho2}, Fraction(0), False))
    if weights is None:
        gains[least] = Fraction(1)
        rows += [
            Row({least: Fraction(count), row * size + row: Fraction(-1)}, Fraction(0), False)
            for row, count in enumerate(counts)
        ]
    else:
        gains.pop()
    found = Program(gains, rows).vertex()
    if found is None:
        return None
    variables, multipliers = found
    matrix = tuple(
        tuple(variables[row * size + column] / count for column in range(size))
        for row, count in enumerate(counts)
    )
    # Of the program's rows: those of the matrix, of the published counts, of the sets, of the least entry.
    of_sets = multipliers[2 * size : 2 * size + len(sets)]
    if weights is None:
        least_rows = multipliers[2 * size + len(sets) :]
        weights = tuple(count * price for count, price in zip(counts, least_rows, strict=True))
    scaled = tuple(count * price for count, price in zip(counts, multipliers[:size], strict=True))
    return _Vertex(matrix, weights, scaled, of_sets)
