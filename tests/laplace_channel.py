"""The law of counts with discrete Laplace noise on every table of a world."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod

from splu_ref.channels import Channel, Table, World
from splu_ref.channels.parameters import ParameterError
from splu_ref.channels.world import Value
from splu_ref.mechanisms import Budget


def laplace_channel(
    budget: Budget, world: World[Value], domain: Sequence[Value]
) -> Channel[Table[Value], tuple[int, ...]]:
    """Return the channel from the tables of a world to their counts with discrete Laplace noise.

    Its code cannot be enumerated, since the number of its choices has no bound; this is its law. A published
    count below 0 or above the number N of records has the same likelihood ratios as 0 or N, because all true
    counts lie on one side of it. So it is clamped to 0 or N here, which changes no posterior.

    Parameters
    ----------
    budget
        For each count: ln q for a rational q, as for other budgets the chances are not rational.
    world
        Tables of one column.
    domain
        Its values; each gets a count, also if it does not occur.

    Raises
    ------
    ParameterError
        If the budget is no logarithm.
    """
    if not budget.is_logarithm:
        raise ParameterError(
            f"epsilon = {budget} gives chances that are not rational: give the logarithm of a number"
        )
    ratio, records = 1 / budget.number, world.places
    noisy = {count: _clamped(count, records, ratio) for count in range(records + 1)}

    def law(table: Table[Value]) -> dict[tuple[int, ...], Fraction]:
        counts = [noisy[table.count(value)] for value in domain]
        return {
            seen: prod((count[shown] for count, shown in zip(counts, seen, strict=True)), start=Fraction(1))
            for seen in product(range(records + 1), repeat=len(domain))
        }

    return Channel(
        {table: law(table) for table, _ in world.weighted()},
        tuple(product(range(records + 1), repeat=len(domain))),
    )


def _clamped(count: int, records: int, ratio: Fraction) -> list[Fraction]:
    """Return the law of count + Z, Pr(Z = z) = (1-r)/(1+r) r^abs(z), brought into 0..records."""
    inside = [(1 - ratio) / (1 + ratio) * ratio ** abs(shown - count) for shown in range(records + 1)]
    inside[0], inside[-1] = ratio**count / (1 + ratio), ratio ** (records - count) / (1 + ratio)
    return inside
