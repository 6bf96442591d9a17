"""Distribution-based randomization, DBR (Fu et al. 2014, sections 3 and 6.2.3.3).

Every record is published with a value drawn from the histogram of the whole table, independently of its true
value. Associations with other columns are lost: claim splu.DBRc.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np

from splu_ref.channels import Channel, ParameterError, constant
from splu_ref.mechanisms.manifest import Facts
from splu_ref.mechanisms.record_mechanism import RowMechanism
from splu_ref.randomness import Draws, IntArray, UniformSource


@dataclass(frozen=True)
class DistributionBased(RowMechanism):
    """Distribution-based randomization; it has no parameters."""

    name: ClassVar[str] = "DBR"

    def facts(self) -> dict[str, int | str]:
        """Return no parameters: the histogram is not public."""
        return {}

    @classmethod
    def from_facts(cls, _: Facts) -> Self:
        """Return the mechanism."""
        return cls()

    def channel(self, histogram: IntArray, _: UniformSource) -> Channel[int, int]:
        """Return the channel of a record: the histogram of the table, for every true code."""
        rows = int(histogram.sum())
        law = {code: Fraction(count, rows) for code, count in enumerate(histogram.tolist())}
        return constant(range(len(histogram)), law)

    @property
    def shuffles(self) -> bool:
        """Always true: the order of the original may disclose values."""
        return True

    def publish_rows(
        self,
        codes: Mapping[str, IntArray],
        histograms: Mapping[str, IntArray],
        draws_for: Callable[[str], Draws],
    ) -> dict[str, IntArray]:
        """Draw each record's value from the histogram of the table; see `RowMechanism` for parameters.

        Random integers are drawn in this order: for each column one integer below N per record.

        Raises
        ------
        ParameterError
            For a table without records.

        Notes
        -----
        The integer r selects the value at place r of the sorted codes. Value v has f_v of the N places, so
        its probability is exactly f_v / N.
        """
        draws_of = {column: draws_for(column) for column in codes}
        drawn = {}
        for column, own in codes.items():
            ends = np.cumsum(histograms[column])
            if not int(ends[-1]):
                raise ParameterError("the table has no records: give at least one")
            drawn[column] = np.searchsorted(
                ends, draws_of[column].below(int(ends[-1]), len(own)), side="right"
            )
        return drawn
