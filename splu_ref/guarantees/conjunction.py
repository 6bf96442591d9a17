"""The law of the estimate of a conjunction "P and s": moments, bias, variance, and exact error probability.

The setting is that of claims splu.V and splu.Vp under their hypothesis H: given how many records there are of
each kind, the places of P's records without s are a uniformly random subset of the places without s. Then K,
the number of records of P without s that have s among their decoys, is hypergeometric; given K, the
published counts y3 inside P and y1 outside are independent, each a sum of two binomial counts. The estimate
is x = (y3 - n a)/(p - a) with a = f' (1-p)/(N - f'), f' = y1 + y3, clipped to 0 .. n.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import ceil, comb, floor
from typing import Self

from splu_ref.channels import (
    STEP,
    Channel,
    Exact,
    ParameterError,
    PublishedCount,
    Trials,
    TwoKinds,
    digits,
    integer,
    left,
    one_budget,
    positive,
    shown,
    spend,
    two_state,
)
from splu_ref.guarantees.count_error import DIRECTED_TRIALS


@dataclass(frozen=True, slots=True)
class Conjunction:
    """A predicate P with n records and a value s with f records, in a published table of N rows."""

    law: PublishedCount  #: group size gamma and retention probability p
    rows: int  #: records N of the published table
    frequency: int  #: records f that carry s, 1 <= f <= N/gamma and f < p N
    predicate_count: int  #: records n of P, 1 <= n <= N

    @classmethod
    def of(
        cls,
        gamma: Exact,
        rows: Exact,
        frequency: Exact,
        predicate_count: Exact,
        *,
        retention: Exact | None = None,
    ) -> Self:
        """Return the conjunction for validated numbers.

        Raises
        ------
        ParameterError
            For a number outside its range, a float, gamma f above 200,000,000, or f >= p N, where x3 is not
            identified.
        """
        law = PublishedCount.of(gamma, retention)
        total, count = integer(rows, "rows", 2), integer(frequency, "frequency", 1)
        inside = integer(predicate_count, "predicate_count", 1)
        if inside > total:
            raise ParameterError(
                f"predicate_count is {shown(inside)}, above rows = {shown(total)}: count records of one table"
            )
        if count * law.gamma > total:
            raise ParameterError(
                f"frequency is {shown(count)}, above rows/gamma = {shown(Fraction(total, law.gamma))}: no "
                f"table with so frequent a value can be published with this gamma"
            )
        if count * law.gamma > DIRECTED_TRIALS:
            raise ParameterError(
                f"gamma times the frequency is {shown(count * law.gamma)}: the greatest that is computed is "
                f"{DIRECTED_TRIALS}; give a rarer value"
            )
        if count >= law.retention * total:
            raise ParameterError(
                f"frequency is {count}, not below retention times rows = {shown(law.retention * total)}: "
                f"records with the value publish it no more often than others; give a rarer value, or a "
                f"larger retention"
            )
        return cls(law, total, count, inside)

    @property
    def largest(self) -> int:
        """The largest possible x3: no more than n records, nor than f."""
        return min(self.predicate_count, self.frequency)

    @property
    def exposed(self) -> int:
        """Records that have s among their decoys: (gamma-1) f."""
        return (self.law.gamma - 1) * self.frequency

    @property
    def channel(self) -> Channel[bool, bool]:
        """The two-state channel of "another value" and "s", averaged over the records without s."""
        return two_state(self.law.retention, self.frequency, self.rows)

    def check_concept(self, concept_count: Exact) -> int:
        """Return x3 if it is possible: 1 .. min(n, f), with room for the records without s."""
        x3 = integer(concept_count, "concept_count", 1)
        if x3 > self.largest:
            raise ParameterError(
                f"concept_count is {shown(x3)}, above the smaller of predicate_count and frequency, "
                f"{self.largest}: it counts records that are in both"
            )
        if self.predicate_count - x3 > self.rows - self.frequency:
            raise ParameterError(
                f"concept_count is {x3}: then {shown(self.predicate_count - x3)} records of the predicate "
                f"have other values, but only {shown(self.rows - self.frequency)} records of the table have; "
                f"give at least {self.predicate_count - self.rows + self.frequency}"
            )
        return x3

    def threshold(self, estimate: Fraction, published: int) -> Fraction:
        """Return the y3 from which on the estimate is at least ``estimate`` <= n, where f' = ``published``.

        It is (1-p) N (n - x)/(N - f') + x - n (1-p), which does not fall as f' grows, and is convex in f'.
        """
        lost = 1 - self.law.retention
        missing = self.predicate_count - estimate
        return lost * self.rows * missing / (self.rows - published) + estimate - self.predicate_count * lost


@dataclass(frozen=True, slots=True)
class Moments:
    """Exact moments of the published counts under hypothesis H."""

    mean_inside: Fraction  #: E y3 = x3 p + (n - x3) a
    inside: Fraction  #: Var y3
    outside: Fraction  #: Var y1
    covariance: Fraction  #: Cov(y3, y1), at most 0

    @property
    def published(self) -> Fraction:
        """Var f' = f p (1-p) + (gamma-1) f q (1-q)."""
        return self.inside + self.outside + 2 * self.covariance

    @property
    def with_published(self) -> Fraction:
        """Cov(y3, f')."""
        return self.inside + self.covariance

    def of_sum(self, slope: Fraction) -> Fraction:
        """Return Var(y3 - slope f')."""
        return self.inside + slope**2 * self.published - 2 * slope * self.with_published


def moments(conjunction: Conjunction, concept_count: int) -> Moments:
    """Return the moments of y3 and y1 for x3 = ``concept_count`` (splu.Vp)."""
    law, x3 = conjunction.law, concept_count
    own, decoy = (chance * (1 - chance) for chance in (law.retention, law.decoy))
    others, places = conjunction.predicate_count - x3, conjunction.rows - conjunction.frequency
    kappa = Fraction(conjunction.exposed, places)
    exposed = others * kappa
    scatter = Fraction(0)
    if places > 1:
        scatter = exposed * (1 - kappa) * Fraction(places - others, places - 1)
    between = scatter * law.decoy**2
    return Moments(
        x3 * law.retention + others * conjunction.channel.probability(False, True),
        x3 * own + exposed * decoy + between,
        (conjunction.frequency - x3) * own + (conjunction.exposed - exposed) * decoy + between,
        -between,
    )


def conjunction_variance(conjunction: Conjunction, concept_count: Exact) -> Fraction:
    """Return the variance of the unclipped estimate by the delta method, a fraction of records squared.

    Parameters
    ----------
    conjunction
        The predicate and the value.
    concept_count
        True count x3, at least 1.

    Returns
    -------
    Fraction
        g3^2 Var y3 + g1^2 Var y1 + 2 g1 g3 Cov, with g1 = (x3-n) a'/D, a' = (1-p) N/(N-f)^2 and
        g3 = 1/D + g1. An approximation of relative order 1/N; `conjunction_error_bound` needs none.

    Notes
    -----
    splu.Vp.
    """
    x3 = conjunction.check_concept(concept_count)
    found, (g1, g3) = moments(conjunction, x3), _gradient(conjunction, x3)
    return g3**2 * found.inside + g1**2 * found.outside + 2 * g1 * g3 * found.covariance


def conjunction_bias(conjunction: Conjunction, concept_count: Exact) -> Fraction:
    """Return the bias of the unclipped estimate to second order, in records.

    Parameters as in `conjunction_variance`.

    Returns
    -------
    Fraction
        ((1-p) N Cov(f', y3) - c Var f') / (p N - f)^2 with c = (n - x3)(1-p) N/(N-f). What is dropped are
        moments of the third order. With f known instead of estimated the bias is 0.

    Notes
    -----
    splu.Vp.
    """
    x3 = conjunction.check_concept(concept_count)
    found, p = moments(conjunction, x3), conjunction.law.retention
    lost = (1 - p) * conjunction.rows
    drag = (conjunction.predicate_count - x3) * lost / (conjunction.rows - conjunction.frequency)
    room = p * conjunction.rows - conjunction.frequency
    return (lost * found.with_published - drag * found.published) / room**2


def _gradient(conjunction: Conjunction, x3: int) -> tuple[Fraction, Fraction]:
    """Return the derivatives of the estimate by y1 and by y3 at the means."""
    lost = 1 - conjunction.law.retention
    slope = lost * conjunction.rows / Fraction(conjunction.rows - conjunction.frequency) ** 2
    channel = conjunction.channel
    spread = channel.probability(True, True) - channel.probability(False, True)
    g1 = (x3 - conjunction.predicate_count) * slope / spread
    return g1, 1 / spread + g1


_MOST_WORK = 2 * 10**10
"""Bits of all products."""


@one_budget()
def conjunction_error_probability(conjunction: Conjunction, epsilon: Exact, concept_count: Exact) -> Fraction:
    """Return Pr(abs(x - x3) >= epsilon x3) for the clipped estimate x, exactly, under hypothesis H.

    Parameters
    ----------
    conjunction
        The predicate and the value.
    epsilon
        Relative error, greater than 0.
    concept_count
        True count x3, at least 1.

    Returns
    -------
    Fraction
        From 0 to 1. Where there is no estimate, f' >= p N, that is an error.

    Raises
    ------
    ParameterError
        For a parameter outside its range, a float, or counts too large for an enumeration: about
        f = 300 at gamma = 5.

    Notes
    -----
    splu.Vp; `conjunction_error_bound` treats any size.
    """
    x3, distance = conjunction.check_concept(concept_count), positive(epsilon, "epsilon")
    law, f = conjunction.law, conjunction.frequency
    if law.retention == 1:
        return Fraction(0)
    others, places = conjunction.predicate_count - x3, conjunction.rows - f
    first, last = max(0, others - (places - conjunction.exposed)), min(others, conjunction.exposed)
    _refuse_large(conjunction, last - first + 1, x3 + last)
    right = _right_runs(conjunction, distance, x3, x3 + last)
    total = within = 0
    for decoys in range(first, last + 1):
        ways = comb(conjunction.exposed, decoys) * comb(places - conjunction.exposed, others - decoys)
        inside = _counts(conjunction, x3, decoys)
        outside = _counts(conjunction, f - x3, conjunction.exposed - decoys)
        sums = [0, *accumulate(inside)]
        most = len(inside)
        within += ways * sum(
            mass * sum(sums[min(stop, most)] - sums[min(start, most)] for start, stop in runs)
            for mass, runs in zip(outside, right, strict=False)
        )
        total += ways * sums[-1] * sum(outside)
    return Fraction(total - within, total)


def _counts(conjunction: Conjunction, own: int, decoys: int) -> list[int]:
    """Return the law of how many of ``own`` records with s and ``decoys`` others publish s, in integers."""
    law = conjunction.law
    return list(TwoKinds(Trials(own, law.retention), Trials(decoys, law.decoy)).numerators())


def _right_runs(
    conjunction: Conjunction, epsilon: Fraction, x3: int, most: int
) -> list[list[tuple[int, int]]]:
    """Return, for every y1, the runs start <= y3 < stop at which the estimate is right, y3 <= ``most``."""
    low, high = (1 - epsilon) * x3, (1 + epsilon) * x3
    trials = conjunction.law.gamma * conjunction.frequency
    limits = []  # the least and the largest right y3, by f'
    for published in range(min(trials, ceil(conjunction.law.retention * conjunction.rows) - 1) + 1):
        least = 0 if low < 0 else floor(conjunction.threshold(low, published)) + 1
        largest = (
            most if high > conjunction.predicate_count else ceil(conjunction.threshold(high, published)) - 1
        )
        limits.append((least, largest))
    found = []
    for y1 in range(trials - x3 + 1):
        runs: list[tuple[int, int]] = []
        for y3 in range(min(most, len(limits) - 1 - y1) + 1):
            least, largest = limits[y1 + y3]
            if least <= y3 <= largest:
                if runs and runs[-1][1] == y3:
                    runs[-1] = runs[-1][0], y3 + 1
                else:
                    runs.append((y3, y3 + 1))
        found.append(runs)
    return found


def _refuse_large(conjunction: Conjunction, decoys: int, most: int) -> None:
    trials = conjunction.law.gamma * conjunction.frequency
    bits = conjunction.frequency * conjunction.law.unit().bit_length()
    work = decoys * trials * (bits + 1000)
    # The limits of every f', and whether each pair of counts is within them.
    pairs = trials * (most + 10 * digits(bits // conjunction.frequency + conjunction.rows.bit_length()) + 100)
    if work > _MOST_WORK or work + 2 * STEP * pairs > left():
        raise ParameterError(
            f"an enumeration with f = {conjunction.frequency} and up to {decoys} exposed records of the "
            f"predicate takes too long: use conjunction_error_bound, which treats any size"
        )
    spend(work + 2 * STEP * pairs)
