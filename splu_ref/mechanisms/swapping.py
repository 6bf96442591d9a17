"""Data swapping (Agrawal, Srikant and Thomas 2005, section 6): cells are permuted within their column.

Each cell of a sensitive column is selected with probability 1 - p, and the selected cells are permuted
uniformly. The histogram of a column is unchanged. Columns are independent; records are not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np

from splu_ref.channels import (
    Channel,
    Exact,
    Pairs,
    ParameterError,
    probability,
    swapped_pairs,
    swapped_retention,
    swapping,
)
from splu_ref.channels import retention as retention_channel
from splu_ref.mechanisms.group_draws import LARGEST_BOUND
from splu_ref.mechanisms.manifest import Facts
from splu_ref.mechanisms.record_mechanism import ColumnsRelease, RecordMechanism
from splu_ref.randomness import Draws, IntArray, UniformSource


@dataclass(frozen=True, init=False)
class Swapping(RecordMechanism):
    """Data swapping with its public parameter.

    Parameters
    ----------
    retention
        Probability p that a cell is not selected, 0 <= p < 1. A selected cell may return to its place, so a
        record's value is retained with a higher probability: see `splu_ref.channels.swapping`.

    Raises
    ------
    ParameterError
        If p is 1, which publishes the original, out of range or has too many digits to draw by.
    """

    name: ClassVar[str] = "swapping"
    pooled: ClassVar[bool] = True
    compound: ClassVar[bool] = False

    retention: Fraction

    def __init__(self, retention: Exact) -> None:
        keep = probability(retention, "retention")
        if keep == 1:
            raise ParameterError("a retention of 1 publishes every value as it is: choose less than 1")
        if keep.denominator > LARGEST_BOUND:
            raise ParameterError("retention has too many digits to draw by: write it with fewer, such as 0.3")
        object.__setattr__(self, "retention", keep)

    def facts(self) -> dict[str, int | str]:
        """Return the retention."""
        return {"retention": str(self.retention)}

    @classmethod
    def from_facts(cls, facts: Facts) -> Self:
        """Return the mechanism with the parameters recorded in a manifest."""
        return cls(facts.text("retention"))

    def channel(self, histogram: IntArray, _: UniformSource) -> Channel[int, int]:
        """Return the channel of a record: retained with a probability above p, else from the histogram."""
        return swapping(self.retention, dict(enumerate(histogram.tolist())))

    def predicate_channels(
        self, sets: Mapping[str, Collection[str]], published: Mapping[str, Mapping[str, int]]
    ) -> dict[tuple[str, ...], Channel[bool, bool]]:
        """Return the laws of whether published values are in sets; see `RecordRandomizer`."""
        channels: dict[tuple[str, ...], Channel[bool, bool]] = {}
        for column, values in sets.items():
            counts = published[column]
            records = sum(counts.values())
            share = Fraction(sum(counts[value] for value in values), records)
            keep = swapped_retention(self.retention, records)
            channels[column,] = retention_channel(keep, {True: share, False: 1 - share})
        return channels

    def pairs(self, records: int, members: int) -> Pairs:
        """Return weights of pairs of records; see `RecordRandomizer`."""
        return swapped_pairs(self.retention, records, members)

    def publish_columns(
        self,
        codes: Mapping[str, IntArray],
        domain_sizes: Mapping[str, int],
        draws_for: Callable[[str], Draws],
    ) -> ColumnsRelease:
        """Permute the selected cells of each column; see `RecordMechanism` for parameters.

        Random integers are drawn in this order: for each column one integer below w per record, p = u/w in
        lowest terms, which selects the cell if it is at least u; then an order of the selected records, whose
        cells are assigned one after the other to the places in a permutation of the selected records. Under a
        key both orders are functions of the records, not of their order in the file. The order of rows is
        unchanged.

        Raises
        ------
        ParameterError
            If there are fewer than two records.
        """
        del domain_sizes
        published = {}
        for column, own in codes.items():
            if len(own) < 2:
                raise ParameterError("swapping needs another record: give at least two")
            draws = draws_for(column)
            coins = draws.below(self.retention.denominator, len(own))
            selected = np.flatnonzero(coins >= self.retention.numerator)
            draws = draws.select_records(selected)
            cells = own[selected][draws.order_within(np.zeros(len(selected), dtype=np.int64))]
            places = selected[draws.permutation(len(selected))]
            published[column] = own.copy()
            published[column][places] = cells
        rows = np.arange(len(own), dtype=np.int64)
        return ColumnsRelease(rows, published, rows[:0])
