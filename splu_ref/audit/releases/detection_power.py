"""Detection power: which other releases the checks of a column detect with probability 0.999 or more."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from splu_ref.audit.power import MeanPower, RatePower
from splu_ref.channels import PublishedCount

EXACT_COUNTS = "counts that are exact"
OTHER_GAMMA = "another gamma with the same retention"  # counts of the same mean, of another variance
DEPENDENT_DRAWS = "dependent draws claimed as independent"
OTHER_DECOYS = "decoys drawn from the whole column"  # which can look like those of a mixed plan
_ORIGINAL = "the original itself"


class Bounds(Protocol):
    """Probabilities or means that are detected in place of the claimed one."""

    @property
    def low(self) -> Fraction | None:
        """All up to this one are detected; None if none is."""
        ...

    @property
    def high(self) -> Fraction | None:
        """All from this one on are detected; None if none is."""
        ...


@dataclass(frozen=True, slots=True)
class DetectionPower:
    """What the checks of a column would have detected; in words as a text."""

    column: str  # the sensitive column
    known: int  # rows, groups or tuples that the power rests on
    # low, high: every retention probability up to ``low``, and from ``high`` on, would have been detected;
    # None if none would
    low: Fraction | None
    high: Fraction | None
    detected: tuple[str, ...]  # what would have been detected, in words
    open: tuple[str, ...]  # what an unprotected release may be that would not have been detected, in words
    # further numbers of the mechanism, by their keys in JSON
    further: Mapping[str, object] = field(default_factory=dict)
    # which smaller deviations would not have been detected, in words
    smaller: tuple[str, ...] = ("smaller deviations",)

    @property
    def numbers(self) -> dict[str, object]:
        """All of it for programs."""
        return {
            "column": self.column,
            "known": self.known,
            "retention_at_most": _text(self.low),
            "retention_at_least": _text(self.high),
            **self.further,
            "open": list(self.open),
            "not_detected": [*self.open, *self.smaller],
        }

    def __str__(self) -> str:
        detected = f"{self.column}: would detect {', '.join(self.detected) or 'nothing of the draws'}"
        return f"{detected}; would not detect {', '.join((*self.open, *self.smaller))}"


def of_decoy_groups(
    column: str,
    law: PublishedCount,
    rows: int,
    known: int,
    retention: RatePower | None,
    *,
    exact_counts: int | None,
    exact: str = EXACT_COUNTS,
    unlinked: int,
    unlinked_detected: bool,
    never: tuple[str, ...] = (),
) -> DetectionPower:
    """Return the power of the checks of SPLU-Gen; ``never``: what is detected under no such claim."""
    low, high = _bounds(retention)
    kept = law.retention
    to_own = None if high is None else math.ceil(rows * (high - kept) / (1 - kept))
    to_others = None if low is None else math.ceil(rows * (1 - low / kept))
    in_unlinked = f"true values in the {unlinked} rows that may be several records"

    detected = []
    retentions = [] if low is None else [f"up to {_rounded_down(low)}"]
    retentions += [] if high is None else [f"from {_rounded_up(high)} on"]
    if retentions:
        detected.append(f"retention {' or '.join(retentions)}")
    if high is not None:
        detected.append(_ORIGINAL)
        detected.append(f"{to_own} or more random cells set to their true value")
    if exact_counts is not None:
        detected.append(exact)
    if unlinked and unlinked_detected:
        detected.append(in_unlinked)

    open_ = []
    if retention is None:
        open_.append(f"{_ORIGINAL}: no row's true value is known")
    else:
        most, least = min(2 * kept, (1 + kept) / 2), kept / 2
        if high is None or high > most:
            open_.append(f"true values {_kept(most)}")
        if low is None or low < least:
            open_.append(f"true values {_kept(least)}")
    if exact_counts is None and exact:
        open_.append(exact)
    if unlinked > (to_own or 0) and not unlinked_detected:
        open_.append(in_unlinked)

    return DetectionPower(
        column=column,
        known=known,
        low=low,
        high=high,
        detected=tuple(detected),
        open=tuple(open_),
        further={
            "altered_to_own": to_own,
            "altered_to_others": to_others,
            "exact_counts": exact_counts,
            "unlinked": unlinked,
            "unlinked_detected": unlinked_detected,
        },
        smaller=(
            OTHER_GAMMA,
            *never,
            *([in_unlinked] if 0 < unlinked <= (to_own or 0) and not unlinked_detected else []),
            *([] if to_own is None else ["fewer altered cells, or cells that were picked"]),
        ),
    )


def of_cells(
    column: str,
    what: str,
    kept: Fraction | None,
    low: Fraction | None,
    high: Fraction | None,
    *,
    rows: int,
    known: int,
    unaltered: bool,
    others_detected: bool,
) -> DetectionPower:
    """Return the power of the checks of releases that draw each cell on its own.

    ``what`` has the probability ``kept``, in words.
    """
    # Without a coin known rows show their true value or never do: then one row that does decides.
    never = kept is None and known > 0 and not unaltered
    original = high is not None or never or (kept is None and others_detected)
    open_ = []
    if unaltered:
        open_.append(f"{_ORIGINAL}: the claim leaves its values as they are")
    detected = [_ORIGINAL] if original else []
    if kept is not None:
        open_ += _halfway(kept, high, what)
        detected += _outside(kept, low, high, what)
    if known < rows and not others_detected:
        others = f"true values in the {rows - known} rows that may be several records"
        open_.append(others if known else f"{_ORIGINAL}: no row's true value is known")
    return DetectionPower(column, known, low, high, tuple(detected), tuple(open_))


def of_swaps(column: str, retention: Fraction, rows: int, power: Bounds) -> DetectionPower:
    """Return the power of the checks of swapping, of so many rows that stay with a probability."""
    what = "cells that stay with probability"
    detected = [_ORIGINAL] if power.high is not None else []
    detected += _outside(retention, power.low, power.high, what)
    open_ = _halfway(retention, power.high, what)
    return DetectionPower(column, rows, power.low, power.high, tuple(detected), tuple(open_))


def of_generalized_groups(
    column: str,
    retention: Fraction,
    groups: int,
    low: Fraction | None,
    high: Fraction | None,
    *,
    halfway: bool,
    first: bool | None,
) -> DetectionPower:
    """Return the power of the checks of perturbed generalization."""
    rule = "the first record of every group"
    detected = _outside(retention, low, high, "values kept with probability") + ([rule] if first else [])
    open_ = [] if halfway else [f"values {_kept((1 + retention) / 2)}"]
    open_ += [rule] if first is False else []
    return DetectionPower(column, groups, low, high, tuple(detected), tuple(open_))


def of_tuples(
    columns: str, kept: Fraction, tuples: int, own: RatePower | None, fakes: MeanPower | None
) -> DetectionPower:
    """Return the power of the checks of the alpha-beta algorithm."""
    low, high = _bounds(own)
    fewer, more = _bounds(fakes)
    detected = _outside(kept, low, high, "tuples of the original with probability")
    detected += [] if fewer is None else [f"{float(fewer):.6g} fakes on average or fewer"]
    detected += [] if more is None else [f"{float(more):.6g} or more"]
    what = "tuples of the original that are published with probability"
    open_ = [] if own is None else _halfway(kept, high, what)
    if fakes is not None and (fewer is None or fewer < fakes.mean / 2):
        open_.append("half as many fakes")
    further = {"fakes_at_most": _text(fewer), "fakes_at_least": _text(more)}
    return DetectionPower(columns, tuples, low, high, tuple(detected), tuple(open_), further)


def _bounds(power: Bounds | None) -> tuple[Fraction | None, Fraction | None]:
    return (None, None) if power is None else (power.low, power.high)


def _outside(claimed: Fraction, low: Fraction | None, high: Fraction | None, what: str) -> list[str]:
    """Return the probabilities outside two bounds, and the claimed one, in words."""
    ends = [] if high is None else [f"{_rounded_up(high)} or more"]
    ends += [] if low is None else [f"{_rounded_down(low)} or less"]
    return [f"{what} {', or '.join(ends)} (claimed {float(claimed):.4g})"] if ends else []


def _halfway(kept: Fraction, high: Fraction | None, what: str) -> list[str]:
    """Return the probability half as far from 1, in words, unless it would have been detected."""
    most = (1 + kept) / 2
    return [f"{what} {float(most):.4g}"] if high is None or high > most else []


def _kept(probability: Fraction) -> str:
    return f"kept with probability {float(probability):.4g}"


def _text(number: Fraction | None) -> str | None:
    return None if number is None else str(number)


def _rounded_up(probability: Fraction) -> str:
    """Return a probability to four places, rounded up."""
    return f"{math.ceil(probability * 10_000) / 10_000:.4f}"


def _rounded_down(probability: Fraction) -> str:
    """Return a probability to four places, rounded down."""
    return f"{math.floor(probability * 10_000) / 10_000:.4f}"
