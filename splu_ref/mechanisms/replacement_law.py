"""Laws of replaced values, and an exact sampler of binomial variates.

The sampler inverts the distribution function of X ~ Bin(n, p), p = a/d, at a uniform number U whose digits
are drawn on demand: X is the least k with U < Pr(X <= k). U has base d, so n digits always suffice, because
Pr(X <= k) is an integer over d^n. After j digits U lies in [u, u+1)/d^j, and X = k is decided once Pr(X <=
k-1) <= u/d^j and (u+1)/d^j <= Pr(X <= k). Both probabilities are enclosed; if the enclosures are too wide,
more digits are drawn.
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
    BinomialMass,
    Enclosure,
    Exact,
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
"""Bits of a block of digits, which has at least one digit."""
_GUARD = 64  # bits of the enclosures beyond those of the digits drawn


def draw_binomial(
    n: int, p: Fraction, integer_below: Callable[[int], int], block_bits: int = BLOCK_BITS
) -> int:
    """Draw X ~ Bin(n, p) exactly."""
    base = parts(n, p)[2]
    per_block = 1
    while per_block < n and base ** (per_block + 1) <= 1 << block_bits:
        per_block += 1
    place, scale, length = 0, 1, 0
    successes = None if n else 0
    while successes is None:
        more = min(per_block, n - length)
        block: int = base**more
        place, scale, length = place * block + integer_below(block), scale * block, length + more
        successes = _invert(n, p, place) if length == n else _decide(n, p, place, scale)
    return successes


def _invert(n: int, p: Fraction, place: int) -> int:
    """Return the least k with place < Pr(X <= k) d^n, by exact sums."""
    success, failure, _ = parts(n, p)
    total, k = 0, -1
    while total <= place:
        k += 1
        total += comb(n, k) * success**k * failure ** (n - k)
    return k


def _decide(n: int, p: Fraction, place: int, scale: int) -> int | None:
    """Return the common k of every U in [place, place + 1)/scale; None if it is not decided."""
    success, failure, _ = parts(n, p)
    bits = scale.bit_length() + _GUARD
    k = _approximate_quantile(n, p, (2 * place + 1) / (2 * scale))
    low, high = _fixed_point(lower_tail_enclosure(n, k, p, bits), bits)  # Pr(X <= k)
    mass_low, mass_high = _fixed_point(BinomialMass(n, k, p, bits).mass, bits)  # Pr(X = k)
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


def _approximate_quantile(n: int, p: Fraction, level: float) -> int:
    """Return an approximate quantile, where the search starts."""
    mean, spread = float(n * p), sqrt(float(n * p * (1 - p)))
    z = NormalDist().inv_cdf(min(max(level, 1e-300), 1 - 1e-16))
    return min(max(round(mean + z * spread + (z * z - 1) * (1 - 2 * float(p)) / 6), 0), n)


def _fixed_point(value: Enclosure, bits: int) -> tuple[int, int]:
    """Return an enclosure in units of 2**-bits."""
    shift = value.exponent + bits
    if shift >= 0:
        return value.lower << shift, value.upper << shift
    return value.lower >> -shift, -(-value.upper >> -shift)


@dataclass(frozen=True)
class ReplacementLaw:
    """A law g on the values of a domain, with integer weights of at least 0, not all 0, by value."""

    weights: tuple[int, ...]

    @classmethod
    def uniform(cls, values: int) -> Self:
        """Return the uniform law on so many values."""
        return cls((1,) * values)

    @classmethod
    def from_probabilities(cls, column: str, domain: Sequence[str], law: Mapping[str, Exact]) -> Self:
        """Return a law given by its probabilities, with the smallest integer weights."""
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
        common = lcm(*(share.denominator for share in shares))
        return cls(tuple(int(share * common) for share in shares))

    @classmethod
    def from_histogram(cls, counts: Sequence[int]) -> Self:
        """Return the law of the value of a uniformly chosen record, by the frequencies of the values."""
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
        """Return the law for a reordered domain whose i-th value had the index ``places[i]``."""
        return type(self)(tuple(self.weights[place] for place in places))

    def select(self, integers: IntArray) -> IntArray:
        """Return the codes selected by integers: uniform integers modulo ``total`` give codes with the law.

        Of the integers modulo ``total`` the first weights[0] select the first value, and so on.
        """
        if set(self.weights) == {1}:
            return integers % len(self.weights)
        ends = np.cumsum(np.array(self.weights, dtype=np.int64))
        return np.searchsorted(ends, integers % self.total, side="right").astype(np.int64)
