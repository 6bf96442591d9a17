"""At which count the error probability is least: decided, not estimated.

By the sawtooth lemma only the plateau starts can attain it. Each start gets a cheap certified enclosure;
those certainly above another are dropped, the rest are enclosed more narrowly, and what cannot be told
apart is compared exactly.
"""

from __future__ import annotations

from fractions import Fraction

from splu_ref.binomial import Enclosure
from splu_ref.guarantees.count_error import ErrorWalk, error_enclosure, error_probability
from splu_ref.guarantees.plateaus import error_offset, plateau_starts
from splu_ref.guarantees.progress import Progress
from splu_ref.model import Gamma


def least_error_count(
    gamma: Gamma, epsilon: Fraction, alpha: int, strict: bool, progress: Progress | None
) -> int:
    """Return the least f in 1..alpha at which the error probability is least."""
    walk = ErrorWalk(gamma)
    contenders = _Contenders()
    for number, frequency in enumerate(plateau_starts(epsilon, alpha, strict=strict)):
        walk.move(frequency, error_offset(epsilon, frequency, strict=strict))
        error = walk.roughly()
        if error.upper == 0:
            return frequency  # nothing is less than 0, and every earlier start had more
        contenders.add(frequency, error)
        if progress is not None and number % 256 == 0:
            progress(frequency, alpha)
    counts = contenders.counts
    for bits in (64, 256, 1024):
        if len(counts) == 1:
            break
        contenders = _Contenders()
        for frequency in counts:
            offset = error_offset(epsilon, frequency, strict=strict)
            contenders.add(frequency, error_enclosure(gamma, frequency, offset, bits))
        counts = contenders.counts
    if progress is not None:
        progress(alpha, alpha)
    if len(counts) == 1:
        return counts[0]
    return min((error_probability(gamma, epsilon, f, strict=strict), f) for f in counts)[1]


class _Contenders:
    """The counts that may yet be the minimum: those not certainly above another one."""

    def __init__(self) -> None:
        self._members: list[tuple[int, Enclosure]] = []
        self._least = Enclosure.of(2)

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
