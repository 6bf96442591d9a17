"""At which count the error probability is least: decided by enclosures, not estimated."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import isqrt
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


class Walk(Protocol):
    """Enclosures of the error probability at one count after another."""

    def move(self, frequency: int, offset: int, below: int | None = None) -> None:
        """Go to the event f' >= f + offset or f' <= f - below, both at least 1; ``below`` is ``offset``."""

    @property
    def possible(self) -> bool:
        """Whether an error has a probability above 0 here."""

    def roughly(self) -> Enclosure:
        """Enclose the error probability here quickly."""

    def closely(self) -> Enclosure:
        """Enclose the error probability here to about 60 bits."""


def error_walk(law: PublishedCount) -> Walk:
    """Return the quickest walk for the law."""
    return ErrorWalk(law) if law.is_plain else _Afresh(law)


class _Afresh:
    """A walk that computes every probability afresh, for any p."""

    def __init__(self, law: PublishedCount) -> None:
        self._law = law
        self._error = Enclosure.of(0)

    def move(self, frequency: int, offset: int, below: int | None = None) -> None:
        self._error = self._law.error_enclosure(frequency, offset, _WALK_BITS, below)

    @property
    def possible(self) -> bool:
        return self._error.upper > 0

    def roughly(self) -> Enclosure:
        return self._error

    def closely(self) -> Enclosure:
        return self._error


class ErrorWalk:
    """A walk for p = 1/gamma, on which each enclosure is carried from the last."""

    def __init__(self, law: PublishedCount) -> None:
        assert law.is_plain, "the trials are of one kind"
        self._gamma = law.gamma
        self._shares = law.retention, 1 - law.retention  # f' and gamma f - f' have them
        self._walks: list[BinomialMass | None] = [None, None]
        self._reached: list[BinomialMass] = []

    def move(self, frequency: int, offset: int, below: int | None = None) -> None:
        """Go to the event f' >= f + offset or f' <= f - below, both at least 1; ``below`` is ``offset``."""
        trials = self._gamma * frequency
        self._reached = []
        below = offset if below is None else below
        for side, least in enumerate((frequency + offset, trials - frequency + below)):
            if least > trials:
                continue  # no count is that far off on this side
            walk = self._walks[side]
            if walk is None:
                walk = self._walks[side] = BinomialMass(trials, least, self._shares[side], _WALK_BITS)
            else:
                walk.move(trials, least)
            self._reached.append(walk)

    @property
    def possible(self) -> bool:
        """Whether an error has a probability above 0 here."""
        return bool(self._reached)

    def roughly(self) -> Enclosure:
        """Enclose the error probability here by each tail's first term and a geometric series."""
        return _sum(walk.upper_tail_roughly() for walk in self._reached)

    def closely(self) -> Enclosure:
        """Enclose the error probability here to about 60 bits, by summing the tails."""
        return _sum(walk.upper_tail() for walk in self._reached)


def _sum(tails: Iterable[Enclosure]) -> Enclosure:
    total = Enclosure.of(0)
    for tail in tails:
        total = total.plus(tail, _WALK_BITS + 64)
    return total


def least_error_count(
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
        contenders = _Contenders()
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
    """Return about the work of `least_error_count` in both forms: counted work is hardly ever above it."""
    pooled, plateaus = releases * alpha, Plateaus(releases * epsilon, alpha, strict=True)
    offset = plateaus.offset(alpha)
    work = 2 * (len(plateaus) + 1).bit_length() * enclosure_work(law, pooled, offset, 64)
    if not law.is_plain:
        return work
    # On the way down every factor is met a few times at most, each time with the terms of a tail.
    return min(work, 16 * law.gamma * pooled * factor_work(128) + STEP * 2**16 * isqrt(pooled))


def refuse_long_search(law: PublishedCount, epsilon: Fraction, alpha: int, releases: int = 1) -> None:
    """Raise, naming the largest alpha that would do, if `search_work` is more than what is left."""
    room = left()
    if search_work(law, epsilon, alpha, releases) <= room:
        return
    low, high = 0, alpha
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if search_work(law, epsilon, middle, releases) <= room else (low, middle)
    together = f" with {shown(releases)} releases" if releases > 1 else ""
    smaller = "fewer releases, " if releases > 1 else ""
    remedy = f"{smaller}a smaller gamma, or a retention with fewer digits"
    if low:
        remedy = f"an alpha of at most {low}"
    raise WorkError(f"alpha = {shown(alpha)}{together} would take too long: give {remedy}")


def _near_least(
    law: PublishedCount, plateaus: Plateaus, alpha: int, releases: int, progress: Progress | None
) -> list[int]:
    """Return the starts, ascending, that enclosures of about 60 bits leave as candidates."""
    walk, end_walk, contenders = error_walk(law), error_walk(law), _Contenders()
    walk.move(releases, plateaus.offset(1))
    if not walk.possible:
        return [1]  # nothing is less than 0
    near_ends = plateaus.offset(alpha) > releases * alpha // 2  # otherwise the second bound is of no use
    ranges = doubling_ranges(len(plateaus) + 1)
    while ranges:
        first, last = ranges.pop()
        low, high = plateaus.start(first), plateaus.start(last)
        walk.move(releases * low, plateaus.offset(high))
        refuted = contenders.refute(walk)
        if not refuted and first == last:
            contenders.add(low, walk.closely())
        elif not refuted:
            if near_ends:
                grown = releases * (high - low)
                below = grown + plateaus.offset(low)  # the offsets at high with the distances of low
                end_walk.move(releases * high, below + (law.gamma - 2) * grown, below)
                refuted = contenders.refute(end_walk)
            if not refuted:
                middle = (first + last) // 2
                ranges += [(first, middle), (middle + 1, last)]
                continue
        if progress is not None:
            progress(alpha - low, alpha)
    return sorted(contenders.counts)


class _Contenders:
    """The counts that may yet be the minimum: those not certainly above another one."""

    def __init__(self) -> None:
        self._members: list[tuple[int, Enclosure]] = []
        self._least = Enclosure.of(2)

    def refute(self, walk: Walk) -> bool:
        """Return whether a probability is certainly above that of some count taken in."""
        return self._least.below(walk.roughly()) or self._least.below(walk.closely())

    def add(self, frequency: int, error: Enclosure) -> None:
        """Take the count in unless it is certainly too large, and drop those that it shows to be."""
        if self._least.below(error):
            return
        if error.below(self._least):
            self._least = error
            self._members = [member for member in self._members if not error.below(member[1])]
        self._members.append((frequency, error))

    @property
    def counts(self) -> list[int]:
        """The counts, in the order in which they came."""
        return [frequency for frequency, _ in self._members]
