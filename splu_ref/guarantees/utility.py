"""Large-sum utility: the least count T_f from which the error probability stays at or below T_E.

For all counts from some F on a rational Chernoff bound is at most T_E (`concentration.uniform_bound`). Below
F the sawtooth lemma reduces the check to plateau ends, from F down to the first that exceeds T_E. That count
is T_f - 1, so T_f is the least.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction

from splu_ref.channels import (
    Enclosure,
    Exact,
    Gamma,
    ParameterError,
    PublishedCount,
    left,
    one_budget,
    positive,
    probability,
    shown,
)
from splu_ref.guarantees.concentration import (
    Tilts,
    chebyshev_threshold,
    lower_tilt,
    uniform_bound,
    upper_tilt,
)
from splu_ref.guarantees.count_error import (
    DIRECTED_TRIALS,
    ErrorProbability,
    Plateaus,
    doubling_ranges,
    enclosure_work,
)
from splu_ref.guarantees.decimals import Progress
from splu_ref.guarantees.minimum_error import error_scan

_BITS = 256
_AFRESH_TRIALS = 2_000_000  # largest gamma F where every probability is computed afresh


@dataclass(frozen=True, slots=True)
class UtilityThreshold:
    """The least T_f with (epsilon, T_E, T_f) large-sum utility for SPLU-Gen's count f'."""

    gamma: Gamma
    epsilon: Fraction
    t_e: Fraction
    #: T_f: Pr(abs(f' - f) >= epsilon f) <= t_e for every f >= T_f, and, if T_f > 1, not at T_f - 1
    threshold: int
    #: the count from which Chebyshev's bound is at most t_e, for comparison; None if t_e = 0
    threshold_chebyshev: int | None
    #: F: the tilts prove every count from F on. For T_f <= f < F the plateau ends are checked.
    tail_from: int
    checked: int  #: how many plateau ends those are
    #: The rational z > 1 and z < 1 of `concentration.uniform_bound` at F: the sum over both of E z^(f' - e)
    #: at f = F, e = floor((1+epsilon) F) and ceil((1-epsilon) F), is at most t_e. None for a tail that no
    #: count reaches, and for both if t_e = 1.
    upper_tilt: Fraction | None
    lower_tilt: Fraction | None  #: see ``upper_tilt``
    retention: Fraction


@one_budget()
def utility_threshold(
    gamma: Exact,
    epsilon: Exact,
    t_e: Exact,
    *,
    retention: Exact | None = None,
    progress: Progress | None = None,
) -> UtilityThreshold:
    """Return the least T_f such that Pr(abs(f' - f) >= epsilon f) <= t_e for all f >= T_f.

    Parameters
    ----------
    gamma
        Size of a decoy group, a whole number of at least 2.
    epsilon
        Relative error, greater than 0.
    t_e
        Error probability allowed, greater than 0 and at most 1. (0 is possible only for
        epsilon > gamma - 1, where no error is.)
    retention
        Retention probability p, greater than 0 and at most 1; None stands for 1/gamma.
    progress
        Called repeatedly with (counts treated, counts at most), at the end with two equal numbers.

    Returns
    -------
    UtilityThreshold
        T_f and everything needed to check it.

    Raises
    ------
    ParameterError
        For a parameter outside its range, a float, or a demand so fine that counts beyond
        200,000,000 / gamma would have to be examined (2,000,000 / gamma for another p than 1/gamma).

    Notes
    -----
    splu.L1c, and splu.Rp and splu.Sp for other p: Fu et al. 2014, Definition 1 and Lemma 1.
    """
    law = PublishedCount.of(gamma, retention)
    epsilon, allowed = positive(epsilon, "epsilon"), probability(t_e, "t_e")
    chebyshev = None
    if allowed:
        chebyshev = chebyshev_threshold(law.gamma, epsilon, allowed, retention=law.retention)
    tail_from, tilts = proof_start(law, epsilon, allowed)
    if scan_work(law, epsilon, tail_from) > left():
        raise _too_fine(law, epsilon, allowed, tail_from // 2)
    threshold, checked = _scan(law, epsilon, allowed, tail_from, progress)
    if progress is not None:
        progress(tail_from, tail_from)
    return UtilityThreshold(
        law.gamma, epsilon, allowed, threshold, chebyshev, tail_from, checked, *tilts, law.retention
    )


def proof_start(law: PublishedCount, epsilon: Fraction, allowed: Fraction) -> tuple[int, Tilts]:
    """Return a count F from which the tilts prove the bound, and the tilts; quick, at any accuracy.

    The tilts do not prove it at F - 1, unless F is 1. The errors are those of
    `utility_threshold`.
    """
    tilts = upper_tilt(law, epsilon), lower_tilt(law, epsilon)
    greatest = DIRECTED_TRIALS if law.is_plain else _AFRESH_TRIALS
    if allowed == 1 or tilts == (None, None):
        return 1, (None, None)
    if allowed == 0:
        raise ParameterError(
            "t_e = 0 cannot be met: every count can be published wrong; give a t_e greater than 0"
        )
    limit = _enclosed(allowed)

    def proved(frequency: int) -> bool:
        return uniform_bound(law, epsilon, frequency, tilts, _BITS).below(limit)

    high = 1
    while not proved(high):
        high *= 2
        if law.gamma * high > 2 * greatest:
            raise _too_fine(law, epsilon, allowed, greatest // law.gamma)
    least = high // 2 + 1 + bisect_left(range(high // 2 + 1, high), True, key=proved)
    if law.gamma * least > greatest:
        raise _too_fine(law, epsilon, allowed, greatest // law.gamma)
    return least, tilts


def scan_work(law: PublishedCount, epsilon: Fraction, tail_from: int) -> int:
    """Estimate the work of finding T_f from the count on at which the proof starts."""
    plateaus = Plateaus(epsilon, tail_from, strict=False)
    work = enclosure_work(law, tail_from, plateaus.offset(tail_from), 64)
    return 2 * (len(plateaus) + 1).bit_length() * work


def _too_fine(law: PublishedCount, epsilon: Fraction, allowed: Fraction, most: int) -> ParameterError:
    return ParameterError(
        f"epsilon = {shown(epsilon)} with t_e = {shown(allowed)} and gamma = {shown(law.gamma)} needs counts "
        f"beyond {most}: give a larger epsilon or t_e, or a smaller gamma"
    )


def _scan(
    law: PublishedCount, epsilon: Fraction, allowed: Fraction, tail_from: int, progress: Progress | None
) -> tuple[int, int]:
    """Return T_f and the number of plateau ends in T_f..tail_from - 1.

    No count in a range of plateaus has a larger error probability than the range's last count would have
    with its first count's offset. A range for which that does not settle it is halved.
    """
    walk, limit, plateaus = error_scan(law), _enclosed(allowed), Plateaus(epsilon, tail_from, strict=False)
    ranges = doubling_ranges(len(plateaus))
    while ranges:
        first, last = ranges.pop()
        high = plateaus.end(last)
        walk.move(high, plateaus.offset(plateaus.start(first)))
        exceeds = _decided(walk.coarse(), limit)
        if exceeds is None:
            exceeds = _decided(walk.fine(), limit)
        if exceeds is None and first == last:
            error = ErrorProbability(law, high, plateaus.offset(high))
            exceeds = error.compare(allowed, "t_e") > 0
        if exceeds is not False and first < last:
            middle = (first + last) // 2
            ranges += [(first, middle), (middle + 1, last)]
        elif exceeds:
            return high + 1, len(plateaus) - 1 - last
        elif progress is not None:
            progress(tail_from - plateaus.end(first), tail_from)
    return 1, len(plateaus)


def _decided(error: Enclosure, limit: Enclosure) -> bool | None:
    """Return whether ``error`` exceeds ``limit``, or None if the enclosures leave it open."""
    if error.below(limit):
        return False
    return True if limit.below(error) else None


def _enclosed(allowed: Fraction) -> Enclosure:
    return Enclosure.of(1).scaled(allowed.numerator, allowed.denominator, 1088)
