"""What the checks of releases that draw each cell on its own would have noticed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from splu_ref.audit.releases.words import rounded_down, rounded_up


@dataclass(frozen=True, slots=True)
class ExcludedCells:
    """Which other releases the checks of a column find with probability 0.999 or more.

    Attributes
    ----------
    column
        The sensitive column.
    kept
        How often values are said to be kept: of retention replacement p, of a matrix how often the own value
        is shown, on average. None if no row shows a coin.
    low, high
        Every such probability up to ``low``, and from ``high`` on, would have been found; None if none would.
    rows, known
        Published rows, and how many of them have a known true value.
    unaltered
        Whether the claim leaves all known rows as they are.
    others_noticed
        Whether it would have been found, by a published count, if all other rows showed their true values.
    """

    column: str
    kept: Fraction | None
    low: Fraction | None
    high: Fraction | None
    rows: int
    known: int
    unaltered: bool
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
    def open(self) -> tuple[str, ...]:
        """What an unprotected release may be that the checks would not have noticed, in words."""
        found = []
        if self.unaltered:
            found.append("the original itself: the claim leaves its values as they are")
        most = Fraction(1) if self.kept is None else (1 + self.kept) / 2
        if self.kept is not None and (self.high is None or self.high > most):
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
        # Without a coin known rows show their own value or never do: then one row that does tells.
        never = self.kept is None and self.known > 0 and not self.unaltered
        if self.high is not None or never or (self.kept is None and self.others_noticed):
            found.append("the original itself")
        if self.high is not None:
            found.append(f"values kept with probability {rounded_up(self.high)} or more")
        if self.low is not None:
            found.append(f"with probability {rounded_down(self.low)} or less")
        return tuple(found)

    def __str__(self) -> str:
        told = f"{self.column}: would detect {', '.join(self.noticed) or 'nothing of the draws'}"
        return f"{told}; would not detect {', '.join((*self.open, 'smaller deviations'))}"
