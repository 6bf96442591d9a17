"""The entries of a comparison, and at which numbers mechanisms are compared."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Literal, NamedTuple

from splu_ref.channels import Bounds
from splu_ref.guarantees import decimal_down, decimal_up, exact_json

GAMMA = 5
"""Size of a group, unless another one is given."""
DRAWS = ("capped:10", "all-or-none:10")
"""Laws of SPLU-Gen's draws beside the independent ones."""
RELEASES, PRIOR = 3, Fraction(1, 10)
SMALL, SMALL_ERROR = 10, Fraction(3, 10)
LARGE, LARGE_ERROR = 1000, Fraction(1, 10)
"""Counts whose errors are compared, and which relative error counts."""
ERRORS: tuple[tuple[int, Fraction, Literal["down", "up"]], ...] = (
    (SMALL, SMALL_ERROR, "down"),
    (LARGE, LARGE_ERROR, "up"),
)
BITS = 64


class Cell(NamedTuple):
    """One entry of a table.

    Attributes
    ----------
    value
        The number; None if there is none, and then ``reason`` says why.
    kind
        ``"exact"`` follows from the law, ``"measured"`` is the median of several publications, ``"none"``
        does not apply.
    reason
        Why there is no number, or what the number leaves out; often empty.
    rounding
        In which direction decimals are rounded: what an attacker gains and errors of large counts up, what is
        kept and errors of small counts, which protect, down.
    interval
        Of a measured number that has one, for 95 %.
    baseline
        Of a measured number: what the same attacker expects who has no release.
    """

    value: Fraction | Bounds | None
    kind: Literal["exact", "measured", "none"]
    reason: str = ""
    rounding: Literal["down", "up"] = "up"
    interval: tuple[Fraction, Fraction] | None = None
    baseline: Fraction | None = None

    def decimal(self, digits: int) -> str:
        """Return the number's first significant digits, rounded as it ought to be, or nothing."""
        if self.value is None:
            return ""
        return decimal_up(self.value, digits) if self.rounding == "up" else decimal_down(self.value, digits)

    def ends(self, digits: int) -> str:
        """Return the interval in words, widened to as many significant digits, or nothing."""
        if self.interval is None:
            return ""
        least, greatest = self.interval
        return f"{decimal_down(least, digits)} to {decimal_up(greatest, digits)}"

    def without(self, digits: int) -> str:
        """Return the baseline's first significant digits, rounded down, or nothing."""
        return "" if self.baseline is None else decimal_down(self.baseline, digits)

    def to_json(self) -> dict[str, object]:
        """Return the entry for programs."""
        value = None if self.value is None else exact_json(self.value, self.rounding)
        document: dict[str, object] = {"value": value, "kind": self.kind, "reason": self.reason}
        if self.interval is not None:
            least, greatest = self.interval
            document["interval"] = [exact_json(least, "down"), exact_json(greatest, "up")]
        if self.baseline is not None:
            document["baseline"] = exact_json(self.baseline, "down")
        return document


class Row(NamedTuple):
    """A mechanism and its entries, in the order of the columns."""

    mechanism: str
    cells: tuple[Cell, ...]

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why entries are missing, each reason once."""
        return tuple(dict.fromkeys(cell.reason for cell in self.cells if cell.value is None))

    @property
    def notes(self) -> tuple[str, ...]:
        """What numbers leave out, each note once."""
        noted = (cell.reason for cell in self.cells if cell.value is not None and cell.reason)
        return tuple(dict.fromkeys(noted))

    def to_json(self, columns: Iterable[str]) -> dict[str, object]:
        """Return the row for programs."""
        cells = {name: cell.to_json() for name, cell in zip(columns, self.cells, strict=True)}
        return {"mechanism": self.mechanism, **cells}
