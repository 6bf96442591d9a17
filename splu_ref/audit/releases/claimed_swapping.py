"""What is claimed of a release by swapping, and what its checks would have noticed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from splu_ref.audit.releases.claimed_mechanism import ClaimedMechanism
from splu_ref.audit.releases.original import Original
from splu_ref.audit.releases.swapped_counts import SwapPower
from splu_ref.audit.releases.words import rounded_down, rounded_up
from splu_ref.mechanisms import Swapping
from splu_ref.microdata import Microdata
from splu_ref.model import DataError


@dataclass(frozen=True, slots=True)
class ClaimedSwapping(ClaimedMechanism[Swapping]):
    """How a table is said to have been published by swapping.

    Attributes
    ----------
    mechanism
        The mechanism, with its retention.
    """

    unseen: ClassVar[str] = (
        "which of several equal cells went where is not published, so that part of the order is not seen"
    )

    @property
    def parameters(self) -> dict[str, object]:
        """The mechanism and its numbers, for programs."""
        told = self.mechanism
        return {"mechanism": told.name, "gamma": None, "retention": str(told.retention), "plan": None}

    def prepared(self, table: Microdata, sensitive: Sequence[str]) -> Original:
        """Return an original, prepared to be held against releases.

        Raises
        ------
        DataError
            If it has fewer than two rows, which cannot be swapped.
        """
        if table.row_count < 2:
            raise DataError("swapping needs another record: give the original, which has at least two")
        return Original(table, sensitive)


@dataclass(frozen=True, slots=True)
class ExcludedSwapping:
    """Which other releases the checks of a column find with probability 0.999 or more.

    Attributes
    ----------
    column
        The sensitive column.
    retention
        The p that is claimed.
    rows
        Published rows.
    power
        Which other p would have been found; None if no count could be held against its law.
    """

    column: str
    retention: Fraction
    rows: int
    power: SwapPower | None

    @property
    def low(self) -> Fraction | None:
        """Every retention up to this one would have been found."""
        return None if self.power is None else self.power.low

    @property
    def high(self) -> Fraction | None:
        """Every retention from this one on would have been found."""
        return None if self.power is None else self.power.high

    @property
    def numbers(self) -> dict[str, object]:
        """The same for programs."""
        return {
            "column": self.column,
            "known": self.rows,
            "retention_at_most": None if self.low is None else str(self.low),
            "retention_at_least": None if self.high is None else str(self.high),
            "open": list(self.open),
        }

    @property
    def open(self) -> tuple[str, ...]:
        """What an unprotected release may be that the checks would not have noticed, in words."""
        most = (1 + self.retention) / 2
        if self.high is None or self.high > most:
            return (f"cells that stay with probability {float(most):.4g}",)
        return ()

    def __str__(self) -> str:
        found = []
        if self.high is not None:
            found += [
                "the original itself",
                f"cells that stay with probability {rounded_up(self.high)} or more",
            ]
        if self.low is not None:
            found.append(f"with probability {rounded_down(self.low)} or less")
        told = f"{self.column}: would detect {', '.join(found) or 'nothing of the draws'}"
        return f"{told}; would not detect {', '.join((*self.open, 'smaller deviations'))}"
