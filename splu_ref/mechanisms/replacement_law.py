"""The law from which replaced values are drawn, and a binomial number drawn exactly.

A binomial number drawn exactly, by inversion of one uniform number whose digits are drawn on demand.

X ~ Bin(n, p), p = a/d, is the least k with U < Pr(X <= k), U uniform in [0, 1). U is written in base d, so
that n digits settle it in any case: Pr(X <= k) is an integer over d^n. After j digits U lies in [u, u+1)/d^j;
k is decided once Pr(X <= k-1) <= u/d^j and (u+1)/d^j <= Pr(X <= k), since no further digit could change it.
Both probabilities are enclosed; where the enclosures leave it open, more digits are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm, sqrt
from statistics import NormalDist
from typing import Self

import numpy as np

from splu_ref.channels import (
    STEP,
    Enclosure,
    Exact,
    MassWalk,
    ParameterError,
    digits,
    exact,
    lower_tail_enclosure,
    parts,
    shown,
    spend,
)
from splu_ref.randomness import IntArray

BLOCK_BITS = 64
"""A block holds as many digits as fit below 2**64, and at least one."""
_GUARD = 64  # bits of the enclosures beyond those of the digits drawn


def drawn_binomial(
    n: int, p: Fraction, integer_below: Callable[[int], int], block_bits: int = BLOCK_BITS
) -> int:
    """Return X ~ Bin(n, p), exactly.

    Parameters
    ----------
    n
        Number of trials, at least 0; 0 draws nothing.
    p
        Success probability, strictly between 0 and 1.
    integer_below
        Gives a uniform integer below a bound. A block of c digits is one integer below d^c, its first digit
        the most significant one; the last block is shorter where there are n digits before it is full.
    block_bits
        How many bits a block may fill.

    Raises
    ------
    ParameterError
        For n < 0 or p outside (0, 1).
    """
    base = parts(n, p)[2]
    each = 1
    while each < n and base ** (each + 1) <= 1 << block_bits:
        each += 1
    place, scale, length = 0, 1, 0
    found = None if n else 0
    while found is None:
        more = min(each, n - length)
        block: int = base**more
        place, scale, length = place * block + integer_below(block), scale * block, length + more
        found = _counted(n, p, place) if length == n else _decided(n, p, place, scale)
    return found


def _counted(n: int, p: Fraction, place: int) -> int:
    """Return the least k with place < Pr(X <= k) d^n, by exact sums."""
    success, failure, _ = parts(n, p)
    total, k = 0, -1
    while total <= place:
        k += 1
        total += comb(n, k) * success**k * failure ** (n - k)
    return k


def _decided(n: int, p: Fraction, place: int, scale: int) -> int | None:
    """Return the k of every U in [place, place + 1)/scale; None if they have several, or it is open."""
    success, failure, _ = parts(n, p)
    bits = scale.bit_length() + _GUARD
    k = _near(n, p, (2 * place + 1) / (2 * scale))
    low, high = _fixed(lower_tail_enclosure(n, k, p, bits), bits)  # Pr(X <= k)
    mass_low, mass_high = _fixed(MassWalk(n, k, p, bits).mass, bits)  # Pr(X = k)
    each = 6 * STEP + 8 * digits(bits) * digits(n.bit_length())
    while k > 0 and low * scale >= (place + 1) << bits:  # k is large enough, and may be too large
        spend(each)
        low, high = low - mass_high, high - mass_low
        if high * scale <= place << bits:
            return k
        above, below = k * failure, (n - k + 1) * success
        mass_low, mass_high = mass_low * above // below, -(-mass_high * above // below)
        k -= 1
    if k == 0 and low * scale >= (place + 1) << bits:
        return 0
    while high * scale <= place << bits:  # k is too small
        spend(each)
        above, below = (n - k) * success, (k + 1) * failure
        mass_low, mass_high = mass_low * above // below, -(-mass_high * above // below)
        k, low, high = k + 1, low + mass_low, high + mass_high
        if k == n or low * scale >= (place + 1) << bits:
            return k
    return None


def _near(n: int, p: Fraction, level: float) -> int:
    """Return about the k with Pr(X <= k) = level: only how long the search takes depends on it."""
    mean, spread = float(n * p), sqrt(float(n * p * (1 - p)))
    z = NormalDist().inv_cdf(min(max(level, 1e-300), 1 - 1e-16))
    return min(max(round(mean + z * spread + (z * z - 1) * (1 - 2 * float(p)) / 6), 0), n)


def _fixed(value: Enclosure, bits: int) -> tuple[int, int]:
    """Return an enclosure in units of 2**-bits."""
    shift = value.exponent + bits
    if shift >= 0:
        return value.lower << shift, value.upper << shift
    return value.lower >> -shift, -(-value.upper >> -shift)


@dataclass(frozen=True)
class ReplacingLaw:
    """A law g on the values of a domain: value v has weights[v] of the sum of all weights.

    Attributes
    ----------
    weights
        Whole numbers of at least 0, not all 0, in the order of the domain.
    """

    weights: tuple[int, ...]

    @classmethod
    def uniform(cls, values: int) -> Self:
        """Return the law that gives each of so many values the same share."""
        return cls((1,) * values)

    @classmethod
    def given(cls, column: str, domain: Sequence[str], law: Mapping[str, Exact]) -> Self:
        """Return a law that the publisher gives, with the least whole weights.

        Raises
        ------
        ParameterError
            If it does not give each value of the domain, and no other, a probability, or does not add up
            to 1.
        """
        unknown = sorted({*law} ^ {*domain})
        if unknown:
            raise ParameterError(
                f"column {column!r}: {unknown[0]!r} is in the domain or has a probability, and not both"
            )
        shares = [exact(law[value], f"the probability of {value!r}") for value in domain]
        if min(shares) < 0 or sum(shares) != 1:
            raise ParameterError(
                f"column {column!r}: the probabilities add up to {shown(Fraction(sum(shares)))}, or one is "
                "negative: they are at least 0 and add up to 1"
            )
        whole = lcm(*(share.denominator for share in shares))
        return cls(tuple(int(share * whole) for share in shares))

    @classmethod
    def histogram(cls, counts: Sequence[int]) -> Self:
        """Return the law of the value of a uniform record, by how many records hold each value."""
        return cls(tuple(counts))

    @property
    def total(self) -> int:
        """The sum of the weights."""
        return sum(self.weights)

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """The probabilities."""
        total = self.total
        return tuple(Fraction(weight, total) for weight in self.weights)

    @property
    def least(self) -> Fraction:
        """The least probability."""
        return Fraction(min(self.weights), self.total)

    def reordered(self, places: Sequence[int]) -> Self:
        """Return the law of a domain whose i-th value stood at ``places[i]``."""
        return type(self)(tuple(self.weights[place] for place in places))

    def drawn(self, integers: IntArray) -> IntArray:
        """Return the codes that integers stand for, of which any ``total`` successive ones have the law.

        An integer modulo the total counts places: the first weights[0] of them are the first value's.
        """
        if set(self.weights) == {1}:
            return integers % len(self.weights)
        ends = np.cumsum(np.array(self.weights, dtype=np.int64))
        return np.searchsorted(ends, integers % self.total, side="right").astype(np.int64)
