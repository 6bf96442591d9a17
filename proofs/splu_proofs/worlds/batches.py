"""Two batches of a small table, published by the shipped code in every way."""

from __future__ import annotations

from fractions import Fraction

import polars as pl

from splu_ref.data import Microdata
from splu_ref.mechanisms import SpluGen, append
from splu_ref.randomness import EnumerationSource, outcomes

FIRST, SECOND = "ab", "abac"
COUNTS = tuple((value, FIRST.count(value), SECOND.count(value)) for value in "abc")
"""Each value with its frequencies in the two batches."""


def joint_law(value: str) -> dict[tuple[int, int], Fraction]:
    """Return the law of the published counts of a value in the first and in the second batch, gamma = 2.

    The second is counted in the joined table: its rows are derived by their numbers, as a reader of both
    releases can tell them.
    """
    one, two = (
        Microdata.from_frame(pl.DataFrame({"batch": [name] * len(values), "value": list(values)}))
        for name, values in (("first", FIRST), ("second", SECOND))
    )

    def run(source: EnumerationSource) -> tuple[int, int]:
        joined = append(SpluGen(2, plan="cyclic").publish(one, "value", source), two, source)
        rows = joined.table.to_frame().rows()
        return rows.count(("first", value)), rows.count(("second", value))

    law: dict[tuple[int, int], Fraction] = {}
    for counts, chance in outcomes(run):
        law[counts] = law.get(counts, Fraction(0)) + chance
    return law
