"""What the checks of a sensitive column would have noticed, as numbers and in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from splu_ref.audit.power import RatePower
from splu_ref.channels import PublishedCount


@dataclass(frozen=True, slots=True)
class Excluded:
    """Which other releases the checks of a column find with probability 0.999 or more.

    Attributes
    ----------
    column
        The sensitive column.
    law
        The law that is claimed.
    rows
        Published rows.
    known
        How many of them have a known true value.
    retention
        Which probabilities of keeping the own value would have been found; None if no true value is known.
    exact_counts
        Published counts that are together so many records away from the true ones, or fewer, would have been
        found; None if even true counts would not.
    unlinked
        Rows that may be several records with different values.
    unlinked_detected
        Whether it would have been found if they all showed the true values.
    exact
        Which counts would be exact, in words; empty if the law has none that should not be.
    """

    column: str
    law: PublishedCount
    rows: int
    known: int
    retention: RatePower | None
    exact_counts: int | None
    unlinked: int
    unlinked_detected: bool
    exact: str = "counts that are exact"

    @property
    def numbers(self) -> dict[str, object]:
        """The same for programs."""
        return {
            "column": self.column,
            "known": self.known,
            "retention_at_most": None if self.low is None else str(self.low),
            "retention_at_least": None if self.high is None else str(self.high),
            "gamma_at_most": self.gamma_at_most,
            "gamma_at_least": self.gamma_at_least,
            "altered_to_own": self.altered_to_own,
            "altered_to_others": self.altered_to_others,
            "exact_counts": self.exact_counts,
            "unlinked": self.unlinked,
            "unlinked_detected": self.unlinked_detected,
            "open": list(self.open),
        }

    @property
    def low(self) -> Fraction | None:
        """Every probability of keeping the own value up to this one would have been found."""
        return None if self.retention is None else self.retention.low

    @property
    def high(self) -> Fraction | None:
        """Every probability of keeping the own value from this one on would have been found."""
        return None if self.retention is None else self.retention.high

    @property
    def gamma_at_most(self) -> int | None:
        """The largest smaller gamma that would have been found by its retention 1/gamma."""
        if self.high is None or not self.law.is_plain:
            return None
        found = math.floor(1 / self.high)
        return found if found >= 2 else None

    @property
    def gamma_at_least(self) -> int | None:
        """The smallest larger gamma that would have been found by its retention 1/gamma."""
        if not self.low or not self.law.is_plain:
            return None
        return math.ceil(1 / self.low)

    @property
    def altered_to_own(self) -> int | None:
        """So many randomly chosen rows that show their own value in place of a draw would have been found."""
        if self.high is None:
            return None
        kept = self.law.retention
        return math.ceil(self.rows * (self.high - kept) / (1 - kept))

    @property
    def altered_to_others(self) -> int | None:
        """So many randomly chosen rows that do not show their own value would have been found."""
        return None if self.low is None else math.ceil(self.rows * (1 - self.low / self.law.retention))

    @property
    def open(self) -> tuple[str, ...]:
        """What an unprotected release may be that the checks would not have noticed, in words."""
        kept = self.law.retention
        found = []
        if self.retention is None:
            found.append("the original itself: no row's true value is known")
        else:
            if self.high is None or self.high > min(2 * kept, (1 + kept) / 2):
                found.append(_other(self.law, "half", min(2 * kept, (1 + kept) / 2)))
            if self.low is None or self.low < kept / 2:
                found.append(_other(self.law, "twice", kept / 2))
        if self.exact_counts is None and self.exact:
            found.append(self.exact)
        if self.unlinked > (self.altered_to_own or 0) and not self.unlinked_detected:
            found.append(f"true values in the {self.unlinked} rows that may be several records")
        return tuple(found)

    @property
    def noticed(self) -> tuple[str, ...]:
        """What would have been noticed, in words."""
        found = []
        gammas = [] if self.gamma_at_most is None else [f"up to {self.gamma_at_most}"]
        gammas += [] if self.gamma_at_least is None else [f"from {self.gamma_at_least} on"]
        if gammas:
            found.append(f"gamma {' or '.join(gammas)}")
        if self.high is not None:
            found.append("the original itself")
            if not gammas:
                found.append(f"own values kept with probability {_up(self.high)} or more")
            found.append(f"{self.altered_to_own} or more random cells set to their own value")
        if self.exact_counts is not None:
            found.append(self.exact)
        if self.unlinked and self.unlinked_detected:
            found.append(f"true values in the {self.unlinked} rows that may be several records")
        return tuple(found)

    def __str__(self) -> str:
        told = f"{self.column}: would detect {', '.join(self.noticed) or 'nothing of the draws'}"
        small = () if self.altered_to_own is None else ("fewer altered cells, or cells that were picked",)
        return f"{told}; would not detect {', '.join((*self.open, *small))}"


def _other(law: PublishedCount, much: str, kept: Fraction) -> str:
    if law.is_plain:
        return f"{much} the gamma"
    return f"own values kept with probability {float(kept):.4g}"


def _up(probability: Fraction) -> str:
    return f"{math.ceil(probability * 10_000) / 10_000:.4f}"
