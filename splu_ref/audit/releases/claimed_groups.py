"""What is claimed of a release by perturbed generalization, and what its checks would have noticed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from splu_ref.audit.releases.claimed_mechanism import ClaimedMechanism
from splu_ref.audit.releases.original import Original
from splu_ref.audit.releases.words import rounded_down, rounded_up
from splu_ref.mechanisms import PerturbedGeneralization
from splu_ref.microdata import Microdata


@dataclass(frozen=True, slots=True)
class ClaimedGroups(ClaimedMechanism[PerturbedGeneralization]):
    """How a table of groups is said to have been published by perturbed generalization.

    Attributes
    ----------
    mechanism
        The mechanism, with its retention, its domain and the columns that it groups by.
    """

    unseen: ClassVar[str] = (
        "which record of a group was chosen is not published: it is seen no more than its value tells"
    )

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive column."""
        return (self.mechanism.column,)

    @property
    def parameters(self) -> dict[str, object]:
        """The mechanism and its retention, for programs."""
        told = self.mechanism
        return {"mechanism": told.name, "gamma": None, "retention": str(told.retention), "plan": None}

    def prepared(self, table: Microdata, sensitive: Sequence[str]) -> Original:
        """Return an original with the declared domain.

        Raises
        ------
        DataError
            If a cell lies outside the domain, or there is no such column.
        """
        return Original(table.with_domain(self.mechanism.column, self.mechanism.values), sensitive)


@dataclass(frozen=True, slots=True)
class ExcludedGroups:
    """Which other releases the checks find with probability 0.999 or more.

    Attributes
    ----------
    claimed
        The claim.
    groups
        How many there are.
    low, high
        Of the retentions that are tried, those up to ``low`` and from ``high`` on would have been found; None
        if none would.
    halfway
        Whether that half as far from 1 as the claimed one would have been.
    first
        Whether it would have been found if the first record of every group had been chosen; None where no
        choice is seen, since all records of every group have one value.
    """

    claimed: ClaimedGroups
    groups: int
    low: Fraction | None
    high: Fraction | None
    halfway: bool
    first: bool | None

    @property
    def column(self) -> str:
        """The sensitive column."""
        return self.claimed.mechanism.column

    @property
    def numbers(self) -> dict[str, object]:
        """All of it for programs."""
        return {
            "column": self.column,
            "known": self.groups,
            "retention_at_most": None if self.low is None else str(self.low),
            "retention_at_least": None if self.high is None else str(self.high),
            "open": list(self.open),
        }

    @property
    def open(self) -> tuple[str, ...]:
        """What an unprotected release may be that the checks would not have noticed, in words."""
        found, most = [], (1 + self.claimed.mechanism.retention) / 2
        if not self.halfway:
            found.append(f"values kept with probability {float(most):.4g}")
        if self.first is False:
            found.append("the first record of every group")
        return tuple(found)

    def __str__(self) -> str:
        found = []
        if self.high is not None:
            found.append(f"values kept with probability {rounded_up(self.high)} or more")
        if self.low is not None:
            found.append(f"with probability {rounded_down(self.low)} or less")
        if self.first:
            found.append("the first record of every group")
        told = f"{self.column}: would detect {', '.join(found) or 'nothing of the draws'}"
        return f"{told}; would not detect {', '.join((*self.open, 'smaller deviations'))}"
