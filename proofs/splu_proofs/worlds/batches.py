"""Two batches of a small table, published by the shipped code in every way."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import polars as pl

from splu_ref.data import Microdata
from splu_ref.mechanisms import SpluGen, append
from splu_ref.randomness import EnumerationSource, outcomes

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

    def run(source: EnumerationSource) -> tuple[tuple[int, int], ...]:
        joined = append(SpluGen(2, plan="cyclic").publish(one, "value", source), two, source)
        rows = joined.table.to_frame().rows()
        return tuple((rows.count(("first", value)), rows.count(("second", value))) for value, *_ in COUNTS)

    laws: dict[str, dict[tuple[int, int], Fraction]] = {value: {} for value, *_ in COUNTS}
    for seen, chance in outcomes(run):
        for law, counts in zip(laws.values(), seen, strict=True):
            law[counts] = law.get(counts, Fraction(0)) + chance
    return laws
