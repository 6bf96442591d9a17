"""Square systems of sparse equations, solved in fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction


class SingularError(ArithmeticError):
    """The equations do not determine their unknowns."""


def solved(rows: Sequence[Mapping[int, Fraction]], right: Sequence[Fraction]) -> list[Fraction]:
    """Return the solution of a square system.

    Parameters
    ----------
    rows
        By equation, the coefficients that are not 0 by unknown 0, 1, ...
    right
        The right-hand sides.

    Raises
    ------
    SingularError
        If there is none, or more than one.

    Notes
    -----
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
    """Take a multiple of a row from another one, and keep account of who holds which unknown."""
    for each, entry in row.items():
        changed = target.get(each, Fraction(0)) - factor * entry
        if changed:
            target[each] = changed
            holders[each].add(place)
        else:
            target.pop(each, None)
            holders[each].discard(place)
