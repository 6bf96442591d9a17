"""An operator with a proof of optimality, and exact solutions of sparse linear systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from splu_ref.channels import Channel, SpluError, from_matrix, likeliest_set
from splu_ref.guarantees.operators.requirement import Matrix, Requirement


class SingularError(ArithmeticError):
    """The equations do not determine their unknowns."""


def solve(rows: Sequence[Mapping[int, Fraction]], right: Sequence[Fraction]) -> list[Fraction]:
    """Return the solution of a square system.

    Gauss's elimination. The pivot is the entry of the shortest row whose unknown stands in the fewest
    others (Markowitz 1957): the bases of the programs here are nearly triangular, so little fills in.
    """
    left = {place: dict(row) for place, row in enumerate(rows)}
    values = list(right)
    holders: dict[int, set[int]] = {}
    for place, row in left.items():
        for unknown in row:
            holders.setdefault(unknown, set()).add(place)
    order: list[tuple[int, int, dict[int, Fraction]]] = []
    while left:
        place = min(left, key=lambda each: (len(left[each]), each))
        row = left.pop(place)
        if not row:
            raise SingularError
        unknown = min(row, key=lambda each: (len(holders[each]), each))
        for each in row:
            holders[each].discard(place)
        for other in sorted(holders[unknown]):
            factor = left[other][unknown] / row[unknown]
            _subtract(left[other], row, factor, holders, other)
            values[other] -= factor * values[place]
        order.append((place, unknown, row))
    found: dict[int, Fraction] = {}
    for place, unknown, row in reversed(order):
        rest = sum((entry * found[each] for each, entry in row.items() if each != unknown), Fraction(0))
        found[unknown] = (values[place] - rest) / row[unknown]
    return [found[unknown] for unknown in range(len(rows))]


def _subtract(
    target: dict[int, Fraction],
    row: Mapping[int, Fraction],
    factor: Fraction,
    holders: Mapping[int, set[int]],
    place: int,
) -> None:
    """Subtract a multiple of a row from another one, and update the index of unknowns."""
    for each, entry in row.items():
        changed = target.get(each, Fraction(0)) - factor * entry
        if changed:
            target[each] = changed
            holders[each].add(place)
        else:
            target.pop(each, None)
            holders[each].discard(place)


class UnverifiedError(SpluError):
    """No exact proof of optimality was obtained, so no operator is returned."""


class Price(NamedTuple):
    """The multiplier of the constraint on the posterior of the set ``secret`` given ``published``."""

    published: int
    secret: tuple[int, ...]
    amount: Fraction


@dataclass(frozen=True, kw_only=True)
class Optimum:
    """An optimal matrix under a requirement, with dual multipliers that prove it.

    Raises
    ------
    UnverifiedError
        If the matrix does not meet the requirement or the multipliers do not prove it the best one.
    """

    requirement: Requirement  #: the requirement
    matrix: Matrix  #: P, m rows of m entries
    #: What each diagonal entry counts for, adding up to 1. For the least entry they are a part of the proof:
    #: the least one is at most the weighted mean.
    weights: tuple[Fraction, ...]
    #: the multipliers of the rows; their sum bounds the objective of every admitted matrix
    rows: tuple[Fraction, ...]
    #: multipliers of the constraints on sets, under one prior; none where every prior is admitted, where
    #: those of the rows alone determine the others
    prices: tuple[Price, ...] = ()

    def __post_init__(self) -> None:
        reason = self._feasible() or self._bounded()
        if reason is not None:
            raise UnverifiedError(f"no operator was verified: {reason}; choose other levels")

    @property
    def objective(self) -> Fraction:
        """The value of the objective, the largest of all admitted operators."""
        return self.requirement.kept(self.matrix)

    def channel(self, labels: Sequence[str]) -> Channel[str, str]:
        """Return the matrix as a channel of these values."""
        return from_matrix(labels, self.matrix, labels)

    def _feasible(self) -> str | None:
        """Return the violated constraint of the matrix, or None."""
        wanted, size = self.requirement, len(self.requirement.counts)
        if len(self.matrix) != size or any(len(row) != size for row in self.matrix):
            return "the matrix is not a square one of the prior's values"
        if any(sum(row) != 1 or min(row) < 0 for row in self.matrix):
            return "a row is not a law"
        if wanted.against == "any":
            for column in zip(*self.matrix, strict=True):
                if max(column) > wanted.ratio * min(column):
                    return "the amplification is above the one allowed"
            return None
        for published in range(size):
            if worst_set(wanted, self.matrix, published, single=wanted.against == "values"):
                return "a belief rises above rho2"
        return None

    def _bounded(self) -> str | None:
        """Return why the multipliers do not prove optimality, or None if they do."""
        wanted, size = self.requirement, len(self.requirement.counts)
        if len(self.weights) != size or len(self.rows) != size:
            return "there are not as many multipliers as rows"
        named = wanted.weights()
        if named is None:
            if min(self.weights) < 0 or sum(self.weights) != 1:
                return "the weights of the diagonal are no law"
        elif named != self.weights:
            return "the weights of the diagonal are not those of the objective"
        if sum(self.rows) != self.objective:
            return "the multipliers of the rows do not add up to the objective"
        if wanted.against == "any":
            return None if self._bounds_columns() else "the multipliers of a column do not balance"
        return self._bounds_entries()

    def _bounds_columns(self) -> bool:
        """Return whether the row multipliers can be completed: see `splu_ref.certificate_checker`."""
        for column, weight in enumerate(self.weights):
            short = [-multiplier for multiplier in self.rows]
            short[column] += weight
            gained = sum((each for each in short if each > 0), Fraction(0))
            if self.requirement.ratio * gained > -sum((each for each in short if each < 0), Fraction(0)):
                return False
        return True

    def _bounds_entries(self) -> str | None:
        wanted, size = self.requirement, len(self.requirement.counts)
        total: dict[int, Fraction] = dict.fromkeys(range(size), Fraction(0))
        payments: dict[tuple[int, int], Fraction] = {}
        for price in self.prices:
            weight = sum(wanted.counts[place] for place in price.secret)
            if price.amount < 0 or weight > wanted.room:
                return "a set is priced below 0, or has a prior above rho1"
            if wanted.against == "values" and len(price.secret) != 1:
                return "a set of several values is priced"
            total[price.published] += price.amount
            for place in price.secret:
                payments[place, price.published] = (
                    payments.get((place, price.published), Fraction(0)) + price.amount
                )
        for row in range(size):
            for column in range(size):
                paid = payments.get((row, column), Fraction(0)) - wanted.levels.rho2 * total[column]
                gain = self.weights[row] if row == column else 0
                if self.rows[row] + wanted.counts[row] * paid < gain:
                    return f"the multipliers leave entry {row + 1}, {column + 1} open"
        return None


def worst_set(
    wanted: Requirement, matrix: Sequence[Sequence[Fraction]], published: int, *, single: bool
) -> tuple[int, ...]:
    """Return a set of values of prior at most rho1 in which one published value raises the belief most.

    Empty if no belief rises above rho2. With ``single`` only sets of one value are looked at.
    """
    column = {place: row[published] for place, row in enumerate(matrix)}
    counts = dict(enumerate(wanted.counts))
    seen = sum((counts[place] * entry for place, entry in column.items()), Fraction(0))
    if not seen or not wanted.small:
        return ()
    if single:
        worst = max(wanted.small, key=lambda place: counts[place] * column[place])
        return (worst,) if counts[worst] * column[worst] > wanted.levels.rho2 * seen else ()
    small = {place: counts[place] for place in wanted.small}
    gain, secret = likeliest_set(small, column, wanted.room)
    return tuple(sorted(secret)) if gain > wanted.levels.rho2 * seen else ()
