"""Two sensitive columns of one table: the chances of a joint transition, by formula and as shipped."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from .conjunctions import together
from .histograms import greedy_groups

if TYPE_CHECKING:
    from splu_ref.mechanisms import PlaceOrder

Column: TypeAlias = tuple[int, ...]
"""The values of one sensitive column, by record."""

Outcome = TypeVar("Outcome", bound=Hashable)


def takes(column: Column, gamma: int, s: int) -> list[Fraction]:
    """Return T[u, s] by record, from the greedy plan."""
    frequencies = tuple(column.count(value) for value in range(max(column) + 1))
    groups = greedy_groups(frequencies, gamma)
    return [Fraction(together(groups, u, s), gamma * frequencies[u]) for u in column]


def both(columns: Sequence[Column], gamma: int, s: tuple[int, int]) -> tuple[Fraction, Fraction]:
    """Return (product of the two-state means, mean of the products) over the records without s_1 and s_2.

    The means of the two-state matrices are taken, as in splu.M1c, over all records without s_i.
    """
    chances = [takes(column, gamma, value) for column, value in zip(columns, s, strict=True)]
    state = [i for i in range(len(columns[0])) if columns[0][i] != s[0] and columns[1][i] != s[1]]
    if not state:
        return Fraction(0), Fraction(0)
    means = [
        _mean([chance for chance, value in zip(chance_by_record, column, strict=True) if value != own])
        for chance_by_record, column, own in zip(chances, columns, s, strict=True)
    ]
    return means[0] * means[1], _mean([chances[0][i] * chances[1][i] for i in state])


def _mean(chances: list[Fraction]) -> Fraction:
    return sum(chances, Fraction(0)) / len(chances)


def shipped(
    columns: tuple[Column, ...], of: Callable[[tuple[Column, ...]], Outcome], order: PlaceOrder
) -> dict[Outcome, Fraction]:
    """Return the law of a function of the published columns: shipped mechanism, gamma = 2, every outcome."""
    import numpy as np  # noqa: PLC0415  only the enumerations need it

    from splu_ref.mechanisms import SpluGen  # noqa: PLC0415  only runs need it
    from splu_ref.randomness import Draws, outcomes  # noqa: PLC0415  only runs need it

    codes = {str(i): np.array(column, dtype=np.int64) for i, column in enumerate(columns)}
    sizes = {str(i): max(column) + 1 for i, column in enumerate(columns)}

    def run(source: Draws) -> tuple[Column, ...]:
        done = SpluGen(2, plan="anatomy").publish_columns(codes, sizes, lambda _: source, order=order)
        return tuple(tuple(done.published[name].tolist()) for name in codes)

    law: dict[Outcome, Fraction] = {}
    for published, chance in outcomes(run):
        found = of(published)
        law[found] = law.get(found, Fraction(0)) + chance
    return law
