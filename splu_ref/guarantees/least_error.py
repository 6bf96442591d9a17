"""At which count the error probability is least: decided, not estimated.

By the sawtooth lemma only the plateau starts can attain it. Write U(f, k) and L(f, k) for the probabilities
that f' >= k and that f' <= k, and take starts f0 <= f <= f1 with offsets j0 <= j <= j1. Two bounds hold for
the whole range of starts:

* U(f, f + j) + L(f, f - j) is at least the same at f with j1 in place of j, and that is at least
  U(f0, f0 + j1) + L(f0, f0 - j1), because at a fixed offset neither tail falls as f grows;
* the distances to the ends of 0..gamma f, which are f - j below and (gamma-1) f - j above, do not fall
  as f grows (unless there is no such tail). With those of f0 and the trials of f1 both tails are least:
  more trials make it less likely that no more than so many of them succeed, or fail.

Both hold for every probability p of keeping the own value (splu.Sp).

A range that either bound shows to be certainly above the least probability known is dropped; any other is
halved, down to single starts. What enclosures cannot tell apart is compared exactly.

The mean of R releases at the count f errs as one release at R f does (splu.R), so R takes part only as a
factor of the counts.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from splu_ref.binomial import Enclosure
from splu_ref.binomial.directed import factor_work
from splu_ref.binomial.work import STEP, WorkError, left
from splu_ref.channels import PublishedCount
from splu_ref.guarantees.count_error import ErrorProbability, enclosure_work
from splu_ref.guarantees.error_walk import Walk, error_walk
from splu_ref.guarantees.plateaus import Plateaus, doubling_ranges
from splu_ref.guarantees.progress import Progress
from splu_ref.model import shown


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
