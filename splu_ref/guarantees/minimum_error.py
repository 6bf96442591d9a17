"""The count with the least error probability, determined by certified enclosures."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable
from fractions import Fraction
from math import isqrt
from sys import maxsize
from typing import Protocol

from splu_ref.channels import (
    STEP,
    BinomialMass,
    Enclosure,
    PublishedCount,
    WorkError,
    factor_work,
    left,
    shown,
)
from splu_ref.guarantees.count_error import ErrorProbability, Plateaus, doubling_ranges, enclosure_work
from splu_ref.guarantees.decimals import Progress

_WALK_BITS = 64


class ErrorScan(Protocol):
    """Enclosures of the error probability at successive counts."""

    def move(self, frequency: int, offset: int, below: int | None = None) -> None:
        """Go to the event f' >= f + offset or f' <= f - below, both at least 1; ``below`` is ``offset``."""

    @property
    def possible(self) -> bool:
        """Whether an error has a probability above 0 here."""

    def coarse(self) -> Enclosure:
        """Enclose the error probability here quickly."""

    def fine(self) -> Enclosure:
        """Enclose the error probability here to about 60 bits."""


def error_scan(law: PublishedCount) -> ErrorScan:
    """Return the fastest scan for the law."""
    return IncrementalErrorScan(law) if law.is_plain else _DirectErrorScan(law)


class _DirectErrorScan:
    """A scan that computes every probability directly, for any p."""

    def __init__(self, law: PublishedCount) -> None:
        self._law = law
        self._error = Enclosure.of(0)

    def move(self, frequency: int, offset: int, below: int | None = None) -> None:
        self._error = self._law.error_enclosure(frequency, offset, _WALK_BITS, below)

    @property
    def possible(self) -> bool:
        return self._error.upper > 0

    def coarse(self) -> Enclosure:
        return self._error

    def fine(self) -> Enclosure:
        return self._error


class IncrementalErrorScan:
    """A scan for p = 1/gamma that updates each enclosure from the previous one."""

    def __init__(self, law: PublishedCount) -> None:
        assert law.is_plain, "the trials are of one kind"
        self._gamma = law.gamma
        self._shares = law.retention, 1 - law.retention  # of f' and gamma f - f'
        self._mass_walks: list[BinomialMass | None] = [None, None]
        self._reached: list[BinomialMass] = []

    def move(self, frequency: int, offset: int, below: int | None = None) -> None:
        """Go to the event f' >= f + offset or f' <= f - below, both at least 1; ``below`` is ``offset``."""
        trials = self._gamma * frequency
        self._reached = []
        below = offset if below is None else below
        for side, least in enumerate((frequency + offset, trials - frequency + below)):
            if least > trials:
                continue  # no count has this error on this side
            scan = self._mass_walks[side]
            if scan is None:
                scan = self._mass_walks[side] = BinomialMass(trials, least, self._shares[side], _WALK_BITS)
            else:
                scan.move(trials, least)
            self._reached.append(scan)

    @property
    def possible(self) -> bool:
        """Whether an error has a probability above 0 here."""
        return bool(self._reached)

    def coarse(self) -> Enclosure:
        """Enclose the error probability here by each tail's first term and a geometric series."""
        return _sum(scan.upper_tail_roughly() for scan in self._reached)

    def fine(self) -> Enclosure:
        """Enclose the error probability here to about 60 bits, by summing the tails."""
        return _sum(scan.upper_tail() for scan in self._reached)


def _sum(tails: Iterable[Enclosure]) -> Enclosure:
    total = Enclosure.of(0)
    for tail in tails:
        total = total.plus(tail, _WALK_BITS + 64)
    return total


def minimum_error_count(
    law: PublishedCount,
    epsilon: Fraction,
    alpha: int,
    strict: bool,
    progress: Progress | None,
    releases: int = 1,
) -> int:
    """Return the least f in 1..alpha at which the error probability at ``releases`` f is least."""
    plateaus = Plateaus(releases * epsilon, alpha, strict)
    counts = _near_least(law, plateaus, alpha, releases, progress)
    for bits in (64, 256, 1024):
        if len(counts) == 1:
            break
        contenders = _Candidates()
        for frequency in counts:
            error = ErrorProbability(law, releases * frequency, plateaus.offset(frequency))
            contenders.add(frequency, error.enclosure(bits))
        counts = contenders.counts
    if progress is not None:
        progress(alpha, alpha)
    if len(counts) == 1:
        return counts[0]
    return min((ErrorProbability(law, releases * f, plateaus.offset(f)).exact(), f) for f in counts)[1]


def search_work(law: PublishedCount, epsilon: Fraction, alpha: int, releases: int = 1) -> int:
    """Return an estimate of the work of `minimum_error_count` in both forms, rarely exceeded."""
    pooled, plateaus = releases * alpha, Plateaus(releases * epsilon, alpha, strict=True)
    offset = plateaus.offset(alpha)
    work = 2 * (len(plateaus) + 1).bit_length() * enclosure_work(law, pooled, offset, 64)
    if not law.is_plain:
        return work
    # In descending order every factor occurs a few times at most, each time with the terms of a tail.
    return min(work, 16 * law.gamma * pooled * factor_work(128) + STEP * 2**16 * isqrt(pooled))


def refuse_long_search(law: PublishedCount, epsilon: Fraction, alpha: int, releases: int = 1) -> None:
    """Raise, suggesting the largest possible alpha, if `search_work` exceeds the remaining budget."""
    room = left()
    if search_work(law, epsilon, alpha, releases) <= room:
        return
    tried = range(1, min(alpha, maxsize))
    most = bisect(tried, room, key=lambda each: search_work(law, epsilon, each, releases))
    together = f" with {shown(releases)} releases" if releases > 1 else ""
    smaller = "fewer releases, " if releases > 1 else ""
    remedy = f"{smaller}a smaller gamma, or a retention with fewer digits"
    if most:
        remedy = f"an alpha of at most {most}"
    raise WorkError(f"alpha = {shown(alpha)}{together} would take too long: give {remedy}")


def _near_least(
    law: PublishedCount, plateaus: Plateaus, alpha: int, releases: int, progress: Progress | None
) -> list[int]:
    """Return the ascending plateau starts that enclosures of about 60 bits do not exclude."""
    scan, end_scan, contenders = error_scan(law), error_scan(law), _Candidates()
    scan.move(releases, plateaus.offset(1))
    if not scan.possible:
        return [1]  # nothing is less than 0
    near_ends = plateaus.offset(alpha) > releases * alpha // 2  # otherwise the second bound is of no use
    ranges = doubling_ranges(len(plateaus) + 1)
    while ranges:
        first, last = ranges.pop()
        low, high = plateaus.start(first), plateaus.start(last)
        scan.move(releases * low, plateaus.offset(high))
        refuted = contenders.refute(scan)
        if not refuted and first == last:
            contenders.add(low, scan.fine())
        elif not refuted:
            if near_ends:
                grown = releases * (high - low)
                below = grown + plateaus.offset(low)  # the offsets at high with the distances of low
                end_scan.move(releases * high, below + (law.gamma - 2) * grown, below)
                refuted = contenders.refute(end_scan)
            if not refuted:
                middle = (first + last) // 2
                ranges += [(first, middle), (middle + 1, last)]
                continue
        if progress is not None:
            progress(alpha - low, alpha)
    return sorted(contenders.counts)


class _Candidates:
    """The counts that may attain the minimum: those not certainly above another one."""

    def __init__(self) -> None:
        self._members: list[tuple[int, Enclosure]] = []
        self._least = Enclosure.of(2)

    def refute(self, scan: ErrorScan) -> bool:
        """Return whether a probability is certainly above that of some candidate."""
        return self._least.below(scan.coarse()) or self._least.below(scan.fine())

    def add(self, frequency: int, error: Enclosure) -> None:
        """Add a count unless it is excluded, and remove the candidates that it excludes."""
        if self._least.below(error):
            return
        if error.below(self._least):
            self._least = error
            self._members = [member for member in self._members if not error.below(member[1])]
        self._members.append((frequency, error))

    @property
    def counts(self) -> list[int]:
        """The candidates in the order of insertion."""
        return [frequency for frequency, _ in self._members]
