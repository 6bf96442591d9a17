"""Accuracy of counts under dependent draws, from public parameters.

Let v have f records, more than the bound of the law, and let the plan and the flags be any. In its flagged
groups (``capped``: as many as the cap; ``all-or-none``: none) v is drawn as ever. In a group with u slots
that share, v's share has mean 1, and the other gamma - u slots belong to other values: with ``capped`` they
are flagged, with ``all-or-none`` rare. There are at most S of these in all. With ``all-or-none`` S is the
number of records with other values that are rare. With ``capped`` a value w has min(f_w, cap) flagged slots;
the groups in which v is flagged come before all others that hold v, so that if w stands in a_w of them, at
least a_w flagged slots of w are not in those others; and a_w adds up to cap (gamma - 1). So S is the sum of
min(f_w, cap) over the other values, less that.

With X = f' - f, M_u(z) = E z^(share - 1), which is at least 1 because the mean is 0 and z^x convex, and
B(z) = (1 + (z-1)/gamma)^gamma / z for a flagged group,

    E z^X  <=  B(z)^cap  max_u M_u(z)^ceil(S / (gamma - u)),    1 <= u < gamma,

because the sum of log M_u over the groups is one of (gamma - u) times (log M_u) / (gamma - u), and so at most
S times the largest of these. So Pr(abs X >= k) is at most z^-k times the bound for a z > 1 plus z^k times
that for a z < 1. At fixed z this falls as k = ceil(epsilon f) grows, so that one f proves every larger one.
The variance likewise: a group adds at most (gamma - u) / gamma with ``capped``, at most gamma - u with
``all-or-none``.

With ``capped`` the share is the least spread of all with its mean, and f' is below Bin(gamma f, 1/gamma) in
convex order: every Chernoff bound of independent draws holds as well. Where such a bound proves every count
above the cap, T_f is that of independent draws, because up to the cap the law is the same.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, TypeAlias

from splu_ref.channels import (
    Bounds,
    Enclosure,
    Exact,
    Gamma,
    GroupDraws,
    ParameterError,
    PublishedCount,
    WorkError,
    integer,
    one_budget,
    positive,
    probability,
    shown,
)
from splu_ref.guarantees.concentration import chernoff_bound
from splu_ref.guarantees.count_error import error_offset, error_probability
from splu_ref.guarantees.dependent_counts import DependentCount, bound_of, slot_law
from splu_ref.guarantees.utility import proof_start, utility_threshold

Proof: TypeAlias = Literal["slots", "independent"]

_BITS, _SEARCH_BITS = 320, 64
LARGEST_GROUP = 64
"""Largest gamma for which the noise is bounded from the number of values."""
_LARGEST_OFFSET = 10**9
_STEP = 1021  # denominator of a tilt: no divisor of a power of gamma, so that bounds are no short numbers


@dataclass(frozen=True, slots=True)
class Noise:
    """Bound on the noise of the published count of a value above the bound of a law."""

    draws: GroupDraws  #: the law, with a bound
    gamma: Gamma  #: size of a group
    slots: int  #: S: slots of other values, in groups of the value, that are flagged or rare, at most
    values: int | None = None  #: how many values the column has, if S was computed from that alone

    @classmethod
    def of(cls, draws: GroupDraws, gamma: Exact, values: Exact) -> Noise:
        """Return the bound for a column with this number of ``values``, at least gamma."""
        bound, size = bound_of(draws), Gamma(gamma)
        if size > LARGEST_GROUP:
            raise ParameterError(
                f"the number of values bounds the noise up to gamma = {LARGEST_GROUP}: leave it out, or "
                "give a smaller gamma"
            )
        others = bound * (integer(values, "values", size) - 1)
        return replace(cls._outside(draws, size, others), values=others // bound + 1)

    @classmethod
    def beside(cls, draws: GroupDraws, gamma: Exact, others: list[int]) -> Noise:
        """Return the bound from the true counts of all other values."""
        bound = bound_of(draws)
        if draws.name == "capped":
            slots = sum(min(count, bound) for count in others)
        else:
            slots = sum(count for count in others if count <= bound)
        return cls._outside(draws, Gamma(gamma), slots)

    @classmethod
    def _outside(cls, draws: GroupDraws, gamma: Gamma, slots: int) -> Noise:
        """Return the noise, given the marked slots of other values in all groups."""
        own = bound_of(draws) if draws.name == "capped" else 0
        return cls(draws, gamma, max(slots - own * (gamma - 1), 0))

    @property
    def variance(self) -> Fraction:
        """A bound of the variance of f' for every f, plan and flags."""
        if self.draws.name == "all-or-none":
            return Fraction(self.slots)
        return Fraction(self._flagged * (self.gamma - 1) + self.slots, self.gamma)

    def bound(self, offset: int, tilt: Fraction, bits: int = _BITS) -> Enclosure:
        """Enclose the bound of Pr(f' - f >= offset) for a tilt > 1, of Pr(f - f' >= offset) for one < 1."""
        gamma = self.gamma
        flagged = slot_law(GroupDraws(), gamma, 0).mean_of_power(tilt)
        kinds = [(slot_law(self.draws, gamma, u).mean_of_power(tilt), gamma - u) for u in range(1, gamma)]
        largest = Enclosure.of(1)
        for mean, others in kinds:
            power = Enclosure.power(mean, -(-self.slots // others), bits)
            largest = power if largest.below(power) else largest
        total = Enclosure.power(flagged, self._flagged, bits).times(largest, bits)
        return total.times(Enclosure.power(min(tilt, 1 / tilt), offset, bits), bits)

    @property
    def _flagged(self) -> int:
        """Number of groups in which the value's slot is drawn independently."""
        return bound_of(self.draws) if self.draws.name == "capped" else 0


@dataclass(frozen=True, slots=True)
class DependentDrawsThreshold:
    """A T_f with (epsilon, T_E, T_f) large-sum utility under a law of draws, for every table."""

    draws: GroupDraws
    gamma: Gamma
    epsilon: Fraction
    t_e: Fraction
    #: T_f: Pr(abs(f' - f) >= epsilon f) <= t_e for every f >= T_f, in every table, for every plan and flags
    threshold: int
    is_least: bool  #: whether T_f is proved to be the least
    noise: Noise | None  #: the bound on the noise that was used; None if only that draws are ``capped``
    #: ``"slots"``: the module's bound. ``"independent"``: Chernoff's bound, which holds for ``capped`` too,
    #: and with ``is_least`` everything that proves T_f for independent draws.
    proof: Proof
    #: the tilts with which `Noise.bound` is at most t_e in sum at ``threshold``; None with the other proof
    #: and for a tail that no count reaches
    upper_tilt: Fraction | None
    lower_tilt: Fraction | None  #: see ``upper_tilt``


@one_budget()
def dependent_draws_threshold(
    gamma: Exact, epsilon: Exact, t_e: Exact, draws: GroupDraws, noise: Noise | None = None
) -> DependentDrawsThreshold:
    """Return a certified T_f under a law of dependent draws.

    Parameters
    ----------
    gamma
        Size of a decoy group, at least 2.
    epsilon
        Relative error, greater than 0.
    t_e
        Error probability allowed, greater than 0 and at most 1.
    draws
        ``capped`` or ``all-or-none``.
    noise
        `Noise.of` the same law and group size; needed for ``all-or-none``.

    Raises
    ------
    ParameterError
        For a parameter outside its range, a float, or a demand so fine that it is out of reach.
    """
    size, distance, allowed = Gamma(gamma), positive(epsilon, "epsilon"), probability(t_e, "t_e")
    least = bound_of(draws) + 1
    if not allowed:
        raise ParameterError("t_e = 0 cannot be met: every count can be published wrong; give a larger t_e")
    found: list[DependentDrawsThreshold] = []
    if draws.name == "capped":
        start = _independent(size, distance, allowed)
        if start is not None:
            same = start <= least
            if same:
                start = utility_threshold(size, distance, allowed).threshold
            found.append(
                DependentDrawsThreshold(
                    draws, size, distance, allowed, start, same, None, "independent", None, None
                )
            )
            if same:
                return found[0]
    if noise is not None:
        if (noise.draws, noise.gamma) != (draws, size):
            raise ParameterError("noise belongs to other parameters: give that of the same gamma and draws")
        offset, tilts = _least_offset(noise, distance, allowed)
        start = max(least, int((offset - 1) / distance) + 1)
        found.append(
            DependentDrawsThreshold(draws, size, distance, allowed, start, False, noise, "slots", *tilts)
        )
    if not found:
        wanted = "give the number of values" if noise is None else "give a larger epsilon or t_e"
        raise ParameterError(
            f"no count is shown to be accurate with draws {draws}, epsilon = {shown(distance)} and t_e = "
            f"{shown(allowed)}: {wanted}"
        )
    return min(found, key=lambda each: each.threshold)


def dependent_draws_error_bound(
    gamma: Exact, epsilon: Exact, frequency: Exact, draws: GroupDraws, noise: Noise | None = None
) -> Fraction | Bounds:
    """Return a bound of Pr(abs(f' - f) >= epsilon f), for every table; up to the law's bound it is exact.

    Parameters and errors as in `dependent_draws_threshold`.
    """
    count, distance = integer(frequency, "frequency", 1), positive(epsilon, "epsilon")
    if count <= bound_of(draws):
        if draws.name == "capped":
            return error_probability(gamma, distance, count).value()
        return DependentCount.of(draws, gamma, {0: count}).error_value(error_offset(distance, count))
    found = [Fraction(1)]
    if draws.name == "capped":
        found.append(chernoff_bound(gamma, distance, count))
    if noise is not None:
        offset = error_offset(distance, count)
        tails = _tails(noise, distance, offset)
        found.append(sum((noise.bound(offset, tilt).bounds().upper for tilt in tails if tilt), Fraction(0)))
    return min(found)


@one_budget()
def table_threshold(counts: Sequence[DependentCount], epsilon: Exact, t_e: Exact) -> int:
    """Return the least T_f of one table, given its plan and flags.

    Parameters
    ----------
    counts
        The law of each value's published count.
    epsilon, t_e
        As for `dependent_draws_threshold`.

    Returns
    -------
    int
        Every value with T_f records or more is off by epsilon or more with probability at most ``t_e``; one
        with T_f - 1 records is not, unless T_f is 1. Of counts that the table does not have it says nothing.

    Raises
    ------
    ParameterError
        For a parameter outside its range, a float, or a table that would take too long.
    """
    distance, allowed = positive(epsilon, "epsilon"), probability(t_e, "t_e")
    for each in sorted(set(counts), key=lambda count: -count.frequency):
        if each.exceeds(error_offset(distance, each.frequency), allowed):
            return each.frequency + 1
    return 1


def _independent(gamma: Gamma, epsilon: Fraction, allowed: Fraction) -> int | None:
    """Return from where on Chernoff's bound of independent draws is at most ``allowed``, if in reach."""
    try:
        return proof_start(PublishedCount.of(gamma), epsilon, allowed)[0]
    except ParameterError:
        return None


def _least_offset(
    noise: Noise, epsilon: Fraction, allowed: Fraction
) -> tuple[int, tuple[Fraction | None, Fraction | None]]:
    """Return the least error in records, and tilts, for which the bound is at most ``allowed``."""

    def proved(offset: int, bits: int = _SEARCH_BITS) -> bool:
        tails = _tails(noise, epsilon, offset)
        parts = [noise.bound(offset, tilt, bits).bounds().upper for tilt in tails if tilt]
        return sum(parts, Fraction(0)) <= allowed

    high = 1
    while not proved(high):
        high *= 2
        if high > _LARGEST_OFFSET:
            raise WorkError("the bound of draws would take too long: give a larger t_e, or a smaller bound")
    least = high // 2 + 1 + bisect_left(range(high // 2 + 1, high), True, key=proved)
    return least, _tails(noise, epsilon, least)


def _tails(noise: Noise, epsilon: Fraction, offset: int) -> tuple[Fraction | None, Fraction | None]:
    """Return a tilt near the best for each tail; None for one that no count reaches."""
    upper = None if epsilon > noise.gamma - 1 else _best_tilt(noise, offset, 1)
    return upper, None if epsilon > 1 else _best_tilt(noise, offset, -1)


def _best_tilt(noise: Noise, offset: int, sign: int) -> Fraction:
    """Return a tilt 1 + i/n or 1 - i/n near the one with the least bound, found by halving its range.

    The best is about exp(offset / variance); steps are small beside it.
    """
    variance = max(noise.variance, Fraction(1))
    unit = _STEP * max(1, int(variance / (16 * offset)))
    first, last = 1, 64 * unit if sign > 0 else unit - 1

    def bound(step: int) -> Enclosure:
        return noise.bound(offset, 1 + Fraction(sign * step, unit), _SEARCH_BITS)

    while last - first > max(first // 64, 1):
        # The bound falls and then rises; compare two neighbors.
        middle = (first + last) // 2
        after = middle + max(middle // 256, 1)
        if bound(middle).below(bound(after)):
            last = middle
        else:
            first = middle
    return 1 + Fraction(sign * first, unit)
