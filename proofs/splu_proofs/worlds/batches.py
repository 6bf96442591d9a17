"""Two batches of a small table, published by the shipped code in every way."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache, partial

import polars as pl

from splu_ref.data import Microdata
from splu_ref.mechanisms import SpluGen, append
from splu_ref.randomness import outcomes

FIRST, SECOND = "ab", "abac"
COUNTS = tuple((value, FIRST.count(value), SECOND.count(value)) for value in "abc")
"""Each value with its frequencies in the two batches."""


@cache
def joint_laws() -> dict[str, dict[tuple[int, int], Fraction]]:
    """Return, for each value, the law of its published counts in the two batches, with gamma = 2.

    The second is counted in the joined table: its rows are derived by their numbers, as a reader of both
    releases can identify them.
    """
    one, two = (
        Microdata.from_frame(pl.DataFrame({"batch": [name] * len(values), "value": list(values)}))
        for name, values in (("first", FIRST), ("second", SECOND))
    )

    laws: dict[str, dict[tuple[int, int], Fraction]] = {value: {} for value, *_ in COUNTS}
    for first, chance in outcomes(partial(SpluGen(2, plan="cyclic").publish, one, "value")):
        for joined, more in outcomes(partial(append, first, two)):
            rows = Counter(joined.table.to_frame().rows())
            for value, law in laws.items():
                counts = rows["first", value], rows["second", value]
                law[counts] = law.get(counts, Fraction(0)) + chance * more
    return laws
