"""What is claimed of a release by retention replacement, and what its checks would have noticed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from splu_ref.audit.power import RatePower
from splu_ref.audit.releases.original import Original
from splu_ref.audit.releases.words import rounded_down, rounded_up
from splu_ref.interfaces import Mechanism
from splu_ref.mechanisms import RetentionReplacement
from splu_ref.microdata import Microdata
from splu_ref.model import ParameterError


@dataclass(frozen=True, slots=True)
class ClaimedReplacement:
    """How a table is said to have been published by retention replacement.

    Attributes
    ----------
    mechanism
        The mechanism, with its retention, its domains and the order of its rows.

    Raises
    ------
    ParameterError
        If it does not replace each cell uniformly on its own.
    """

    mechanism: RetentionReplacement

    def __post_init__(self) -> None:
        if self.mechanism.replacing != "uniform" or self.mechanism.compound:
            raise ParameterError(
                "the release is by retention replacement with another law than the uniform one, or with one "
                "coin for a record, which is not audited: give one that draws uniformly for each cell"
            )

    kept_words: ClassVar[str] = "kept it, or drew it again"
    unseen: ClassVar[str] = (
        "whether a value was kept, or was drawn again and came out the same, is not published, so that part "
        "of the draws is not seen"
    )
    period: ClassVar[int] = 2
    spare: ClassVar[int] = 0
    together: ClassVar[int] = 1

    @property
    def parameters(self) -> dict[str, object]:
        """The mechanism and its numbers, for programs."""
        told = self.mechanism
        return {"mechanism": told.name, "gamma": None, "retention": str(told.retention), "plan": None}

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive columns."""
        return tuple(column for column, _ in self.mechanism.domains)

    def size(self, column: str) -> int:
        """Return the number m of values of a column's domain."""
        return len(dict(self.mechanism.domains)[column])

    def other_rate(self, column: str) -> Fraction:
        """Return the probability of each value but the own one: (1 - p)/m."""
        return (1 - self.mechanism.retention) / self.size(column)

    def own_rate(self, column: str, value: int = 0) -> Fraction:
        """Return the probability of being published with the own value: p + (1 - p)/m."""
        del value
        return self.mechanism.retention + self.other_rate(column)

    def alternatives(self, column: str, rate: Fraction) -> list[tuple[str, Fraction]]:
        """Return the deviations for which a number of rows is stated: p a tenth less or more."""
        del rate
        p, size = self.mechanism.retention, self.size(column)
        off = min(p, 1 - p) / 10
        return [(f"p = {other}", other + (1 - other) / size) for other in (p - off, p + off) if off]

    def agreement(self, column: str) -> tuple[Fraction, Fraction]:
        """Return the least and the largest chance that two releases of a record show the same value.

        Whatever the true value is, it is the sum of the squares of the chances of all values.
        """
        own, other = self.own_rate(column), self.other_rate(column)
        alike = own**2 + (self.size(column) - 1) * other**2
        return alike, alike

    @property
    def releasing(self) -> RetentionReplacement:
        """The mechanism that makes the release again."""
        return self.mechanism

    def made_by(self, mechanism: Mechanism[object]) -> bool:
        """Return whether a mechanism is the one that is claimed."""
        return mechanism == self.mechanism

    def prepared(self, table: Microdata, sensitive: Sequence[str]) -> Original:
        """Return an original with the declared domains.

        Raises
        ------
        DataError
            If a cell lies outside its column's domain.
        """
        return Original(self.mechanism.declared(table), sensitive)

    def retained(self, own: Fraction, column: str) -> Fraction:
        """Return the retention p at which the own value is published with probability ``own``."""
        size = self.size(column)
        return max((size * own - 1) / (size - 1), Fraction(0))


@dataclass(frozen=True, slots=True)
class ExcludedReplacement:
    """Which other releases the checks of a column find with probability 0.999 or more.

    Attributes
    ----------
    column
        The sensitive column.
    claimed
        The claim.
    rows, known
        Published rows, and how many of them have a known true value.
    own
        Which probabilities of showing the own value would have been found; None if no true value is known.
    others_noticed
        Whether it would have been found, by a published count, if all other rows showed their true values.
    """

    column: str
    claimed: ClaimedReplacement
    rows: int
    known: int
    own: RatePower | None
    others_noticed: bool

    @property
    def numbers(self) -> dict[str, object]:
        """The same for programs."""
        return {
            "column": self.column,
            "known": self.known,
            "retention_at_most": None if self.low is None else str(self.low),
            "retention_at_least": None if self.high is None else str(self.high),
            "open": list(self.open),
        }

    @property
    def low(self) -> Fraction | None:
        """Every retention up to this one would have been found."""
        if self.own is None or self.own.low is None:
            return None
        size = self.claimed.size(self.column)
        return None if self.own.low * size < 1 else self.claimed.retained(self.own.low, self.column)

    @property
    def high(self) -> Fraction | None:
        """Every retention from this one on would have been found."""
        if self.own is None or self.own.high is None:
            return None
        return self.claimed.retained(self.own.high, self.column)

    @property
    def open(self) -> tuple[str, ...]:
        """What an unprotected release may be that the checks would not have noticed, in words."""
        p, found = self.claimed.mechanism.retention, []
        most = (1 + p) / 2
        if self.own is not None and (self.high is None or self.high > most):
            found.append(f"values kept with probability {float(most):.4g}")
        if self.known < self.rows and not self.others_noticed:
            what = "the original itself: no row's true value is known"
            others = f"true values in the {self.rows - self.known} rows that may be several records"
            found.append(others if self.known else what)
        return tuple(found)

    @property
    def noticed(self) -> tuple[str, ...]:
        """What would have been noticed, in words."""
        found = []
        if self.high is not None or (self.own is None and self.others_noticed):
            found.append("the original itself")
        if self.high is not None:
            found.append(f"values kept with probability {rounded_up(self.high)} or more")
        if self.low is not None:
            found.append(f"with probability {rounded_down(self.low)} or less")
        return tuple(found)

    def __str__(self) -> str:
        told = f"{self.column}: would notice {', '.join(self.noticed) or 'nothing of the draws'}"
        return f"{told}; cannot tell {', '.join((*self.open, 'smaller deviations'))}"
