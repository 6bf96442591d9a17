"""Publishing codes in memory, against the least that any release must do."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np

from benchmarks.curves.tables import GAMMA, VALUES, codes
from benchmarks.growth import Curve, GrowthLimit, Pair
from splu_ref.mechanisms import AlphaBeta, RetentionReplacement, SpluGen, Swapping
from splu_ref.randomness import IntArray, SystemSource

_DOMAIN = tuple(str(value) for value in range(VALUES))
_RARE = Fraction(1, 100)


def _floor(values: IntArray) -> None:
    """Do the least that any release must: one draw and one gather for each record, and two orders."""
    generator = np.random.default_rng(2)
    values[generator.integers(0, GAMMA, len(values))]
    generator.permutation(len(values))
    generator.permutation(len(values))


def _swapping_floor(values: IntArray) -> None:
    """Do the least that swapping must: a coin for each record, an order of the released cells, gathers."""
    generator = np.random.default_rng(2)
    released = np.flatnonzero(generator.integers(0, 5, len(values)) >= 2)
    swapped = values.copy()
    swapped[released] = values[released][generator.permutation(len(released))]


def _replacing_floor(values: IntArray) -> None:
    """Do the least that retention must: a coin and a value for each record, and one order of the rows."""
    generator = np.random.default_rng(2)
    kept = generator.integers(0, 2, len(values)) == 0
    order = generator.permutation(len(values))
    np.where(kept, values, generator.integers(0, VALUES, len(values)))[order]


def _splu_gen(plan: str, records: int) -> Pair:
    values = codes(records)
    mechanism = SpluGen(GAMMA, plan=plan)
    return Pair(
        lambda: mechanism.publish_codes(values, VALUES, SystemSource()),
        partial(_floor, values),
    )


def _swapping(records: int) -> Pair:
    values = codes(records)
    return Pair(
        lambda: Swapping("2/5").publish_codes(values, VALUES, SystemSource()),
        partial(_swapping_floor, values),
    )


def _retention(records: int) -> Pair:
    values = codes(records)
    mechanism = RetentionReplacement("1/2", {"sensitive": _DOMAIN})
    return Pair(
        lambda: mechanism.publish_codes(values, VALUES, SystemSource()),
        partial(_replacing_floor, values),
    )


def _alpha_beta(size: int) -> Pair:
    """Publish a tenth of a domain of this size, each with a chance of a half, among fakes: 1 in 100."""
    members = np.sort(np.random.default_rng(3).permutation(size)[: size // 10])
    mechanism = AlphaBeta("49/100", _RARE, {"value": ("a", "b")})

    def coins() -> None:
        """Toss a coin for each tuple of the domain, and put those that are published in an order."""
        generator = np.random.default_rng(2)
        generator.permutation(np.flatnonzero(generator.random(size) < float(_RARE)))

    return Pair(lambda: mechanism.publish_tuples(members, size, SystemSource()), coins)


_ROWS = (10**4, 10**5, 10**6, 10**7)
_LEAST = "a draw, a gather and two orders for each row, by NumPy"

PUBLISHING = (
    Curve(
        name="SPLU-Gen, mixed plan",
        unit="rows",
        baseline=_LEAST,
        sizes=_ROWS,
        largest=(10**8,),
        at=partial(_splu_gen, "mixed"),
        counted=GrowthLimit((20_480, 81_920, 327_680)),
    ),
    Curve(
        name="SPLU-Gen, anatomy plan",
        unit="rows",
        baseline=_LEAST,
        sizes=_ROWS,
        largest=(10**8,),
        at=partial(_splu_gen, "anatomy"),
        counted=GrowthLimit((5_000, 20_000, 80_000)),
    ),
    Curve(
        name="swapping, p = 2/5",
        unit="rows",
        baseline="a coin for each row, an order of the released cells, gathers, by NumPy",
        sizes=_ROWS,
        largest=(10**8,),
        at=_swapping,
        counted=GrowthLimit((5_000, 20_000, 80_000)),
    ),
    Curve(
        name="retention replacement, p = 1/2",
        unit="rows",
        baseline="a coin, a value and an order for each row, by NumPy",
        sizes=_ROWS,
        largest=(10**8,),
        at=_retention,
        counted=GrowthLimit((5_000, 20_000, 80_000)),
    ),
    Curve(
        name="αβ, a tenth of the domain",
        unit="tuples of the domain",
        baseline="a coin for each tuple, an order of the published ones, by NumPy",
        sizes=_ROWS,
        largest=(10**8,),
        at=_alpha_beta,
        counted=GrowthLimit((5_000, 20_000, 80_000)),
    ),
)
