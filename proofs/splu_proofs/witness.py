"""Witnesses: the smallest exact counterexample to a refuted statement, and the proof that it is smallest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from .evidence import EvidenceError


@dataclass(frozen=True, kw_only=True)
class Witness:
    """A case in which the printed statement is false.

    The printed statement says that the true value is at most the printed one; the case refutes it when
    ``true`` > ``printed``.

    Attributes
    ----------
    parameters
        The case, as exact numbers in text.
    printed, true
        The value that the printed statement allows, and the value that is.
    recompute
        Computes (printed, true) again, from the printed formula and from the law.
    order
        By what "smallest" is meant, such as "gamma f, then f".
    smaller
        Walks through every smaller case: (description, whether the printed statement holds there).
    by_hand
        The computation, so that a reader can redo it on paper.
    """

    parameters: Mapping[str, str]
    printed: Fraction
    true: Fraction
    recompute: Callable[[], tuple[Fraction, Fraction]]
    order: str
    smaller: Callable[[], Iterable[tuple[str, bool]]]
    by_hand: str

    def check(self) -> str:
        """Recompute the case and walk through everything smaller; return a summary.

        Raises
        ------
        EvidenceError
            If the witness does not witness, or something smaller fails too.
        """
        if self.recompute() != (self.printed, self.true):
            raise EvidenceError("the witness does not have the values that it states")
        if self.true <= self.printed:
            raise EvidenceError("the witness does not contradict the printed statement")
        visited = 0
        for description, holds in self.smaller():
            if not holds:
                raise EvidenceError(f"the witness is not the smallest: {description} fails too")
            visited += 1
        case = ", ".join(f"{name} = {value}" for name, value in self.parameters.items())
        return f"{case}: {readable(self.true)} > {readable(self.printed)}; all {visited} smaller cases hold"

    def as_json(self) -> dict[str, object]:
        """Return the witness as plain values."""
        return {
            "parameters": dict(self.parameters),
            "printed": readable(self.printed),
            "true": readable(self.true),
            "order": self.order,
            "by_hand": self.by_hand,
        }


def readable(value: Fraction, digits: int = 12) -> str:
    """Return a short fraction as p/q, a long one as a decimal cut off after ``digits`` places."""
    if value.denominator.bit_length() <= 3 * digits:
        return str(value)
    return decimal(value, digits)


def decimal(value: Fraction, digits: int) -> str:
    """Return ``value`` >= 0 with ``digits`` places, rounded down, and three dots if anything was cut off."""
    scaled, left = divmod(value.numerator * 10**digits, value.denominator)
    text = str(scaled).rjust(digits + 1, "0")
    return f"{text[:-digits]}.{text[-digits:]}" + ("..." if left else "")
