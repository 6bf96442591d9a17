"""The law of a published count under dependent draws, given the groups of the value.

Groups draw independently of each other, so f' is a sum of independent numbers of places, one for each group
that contains the value. The law of a summand depends on the kind of the group (`SlotLaw`). There are few
kinds, so the generating function of f' is a product of powers of few polynomials.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb
from typing import Self

from splu_ref.channels import (
    Bounds,
    Exact,
    Gamma,
    GroupDraws,
    Law,
    ParameterError,
    exact,
    integer,
    long_product,
    one_budget,
    spend,
)

_FIRST_BITS, _MOST_BITS = 96, 1536
"""Initial and largest precision of a comparison, in bits."""
_EXACT_BITS = 30_000_000
"""Largest number of bits of all numerators of an exact law."""
_SHORT_BITS = 300_000
"""The same of a law that takes no time worth an enclosure."""


@dataclass(frozen=True, slots=True)
class SlotLaw:
    """The law of the number of a group's gamma places that one slot receives; its mean is one."""

    weights: tuple[int, ...]  # numerators of the probabilities of 0, 1, 2, ... places
    denominator: int  # what they sum to

    @property
    def variance(self) -> Fraction:
        """The variance of the number of places."""
        return Fraction(sum(w * (k - 1) ** 2 for k, w in enumerate(self.weights)), self.denominator)

    def mean_of_power(self, tilt: Fraction) -> Fraction:
        """Return the mean of z^(places - 1), z = ``tilt`` > 0: at least 1."""
        total, unit = 0, 1  # of the sum of w z^places: Horner's rule in whole numbers, for one common divisor
        for weight in reversed(self.weights):
            total, unit = total * tilt.numerator + weight * unit, unit * tilt.denominator
        return Fraction(total * tilt.denominator**2, unit * self.denominator * tilt.numerator)


@cache
def slot_law(draws: GroupDraws, gamma: int, sharing: int) -> SlotLaw:
    """Return the law of a slot that shares places with others of its group, or with none: by ``sharing``.

    Parameters
    ----------
    draws
        The law of the draws of a group.
    gamma
        Size of a group.
    sharing
        0 for a slot that is drawn by itself: with ``capped`` one that is flagged, with ``all-or-none`` one
        with a rare value. Otherwise the number of slots, this one included, that share what is left to them:
        with ``capped`` those that are not flagged, with ``all-or-none`` those with a common value. The places
        are shared as evenly as possible, and the remainder goes to slots chosen uniformly.
    """
    whole_group = gamma**gamma
    if draws.name == "independent" or (draws.name == "capped" and not sharing):
        return SlotLaw(
            tuple(comb(gamma, k) * (gamma - 1) ** (gamma - k) for k in range(gamma + 1)), whole_group
        )
    if draws.name == "all-or-none":
        if not sharing:
            return SlotLaw((gamma - 1, *(0,) * (gamma - 1), 1), gamma)
        shares = [0] * (gamma // sharing + 2)
        _share(shares, gamma, sharing, 1)
        shares[0] += gamma - sharing  # a rare slot wins
        return SlotLaw(tuple(shares), gamma)
    shares = [0] * (gamma // sharing + 2)
    for left in range(gamma + 1):  # places that do not fall on flagged slots
        _share(shares, left, sharing, comb(gamma, left) * sharing**left * (gamma - sharing) ** (gamma - left))
    return SlotLaw(tuple(shares), sharing * whole_group)


def _share(shares: list[int], places: int, slots: int, weight: int) -> None:
    """Add ``weight`` times ``slots`` times the law of one slot's even share of the places."""
    share, rest = divmod(places, slots)
    shares[share] += weight * (slots - rest)
    shares[share + 1] += weight * rest


def bound_of(draws: GroupDraws) -> int:
    """Return the cap of ``capped``, or the largest count that is rare; raise for independent draws."""
    if draws.bound is None:
        raise ParameterError("independent draws have no bound: give capped:M or all-or-none:A")
    return draws.bound


@dataclass(frozen=True, slots=True)
class DependentCount:
    """The law of a value's published count, given how many groups of each kind hold it."""

    draws: GroupDraws  #: the law of the draws of a group
    gamma: Gamma  #: size of a group
    #: Pairs (sharing, groups), ascending: in so many of its groups the value's slot is drawn as `slot_law`
    #: says for ``sharing``. The groups together are the value's true count f.
    kinds: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, draws: GroupDraws, gamma: Exact, kinds: Mapping[int, int]) -> Self:
        """Return the law for numbers of groups by ``sharing``; see `kinds`.

        Raises
        ------
        ParameterError
            If a number is negative, if there is no group, or for a kind that a group of this size cannot
            have.
        """
        size = Gamma(gamma)
        if (
            not kinds
            or min(kinds) < 0
            or max(kinds) > size
            or min(kinds.values()) < 0
            or not any(kinds.values())
        ):
            raise ParameterError(f"a value stands in groups with 0 to {size} slots that share: give these")
        return cls(draws, size, tuple(sorted((sharing, n) for sharing, n in kinds.items() if n)))

    @property
    def frequency(self) -> int:
        """The true count f, which is the mean of f'."""
        return sum(groups for _, groups in self.kinds)

    @property
    def variance(self) -> Fraction:
        """The variance of f'."""
        parts = (groups * self._slot(sharing).variance for sharing, groups in self.kinds)
        return sum(parts, Fraction(0))

    def law(self) -> Law[int]:
        """Return Pr(f' = k) by k, exactly.

        Raises
        ------
        ParameterError
            If the numerators would have more than 30,000,000 bits together.
        """
        if self._law_bits() > _EXACT_BITS:
            raise ParameterError(
                f"the exact law of a count of {self.frequency} is too long: use bounds, or a smaller count"
            )
        product, denominator = [1], 1
        for sharing, groups in self.kinds:
            slot = self._slot(sharing)
            power = _power([*slot.weights], groups, 0)
            product = _product(product, power, 0)
            denominator *= slot.denominator**groups
        return {k: Fraction(part, denominator) for k, part in enumerate(product) if part}

    def error(self, offset: int) -> Fraction:
        """Return Pr(abs(f' - f) >= offset) exactly, ``offset`` at least 1; raises as `law`."""
        f = self.frequency
        return sum((part for k, part in self.law().items() if abs(k - f) >= offset), Fraction(0))

    def error_value(self, offset: int) -> Fraction | Bounds:
        """Return Pr(abs(f' - f) >= offset) where its law is short, and otherwise an enclosure of 256 bits."""
        if self._law_bits() <= _SHORT_BITS:
            return self.error(offset)
        return self.error_bounds(offset, 256)

    @one_budget()
    def error_bounds(self, offset: int, bits: int = _FIRST_BITS) -> Bounds:
        """Enclose Pr(abs(f' - f) >= offset), ``offset`` at least 1.

        Parameters
        ----------
        offset
            The least error that counts, in records.
        bits
            Probabilities are carried as multiples of 2**-bits, rounded down. What is lost is less than the
            number of terms that are added, times that.
        """
        integer(offset, "offset", 1)
        within = beyond = 0
        for k, part in self._masses(bits):
            if abs(k - self.frequency) < offset:
                within += part
            else:
                beyond += part
        unit = 1 << bits
        return Bounds(Fraction(beyond, unit), Fraction(unit - within, unit))

    def largest_mass(self, bits: int = _FIRST_BITS) -> Bounds:
        """Enclose the probability of the likeliest published count."""
        masses = [part for _, part in self._masses(bits)]
        lost = (1 << bits) - sum(masses)
        return Bounds(Fraction(max(masses), 1 << bits), Fraction(max(masses) + lost, 1 << bits))

    @one_budget()
    def exceeds(self, offset: int, bound: Exact, name: str = "t_e") -> bool:
        """Return whether Pr(abs(f' - f) >= offset) is above a number.

        Raises
        ------
        ParameterError
            If the comparison is inconclusive: the number is too near the probability, or it takes too long.
        """
        limit = exact(bound, name)
        if self.variance <= limit * offset**2:  # Chebyshev's bound settles most counts of a table
            return False
        bits = _FIRST_BITS
        while bits <= _MOST_BITS:
            found = self.error_bounds(offset, bits)
            if found.lower > limit:
                return True
            if found.upper <= limit:
                return False
            bits *= 2
        return self.error(offset) > limit

    def _law_bits(self) -> int:
        """Return at least the bits of all numerators of the exact law."""
        slots = [(self._slot(sharing), groups) for sharing, groups in self.kinds]
        bits = sum(groups * slot.denominator.bit_length() for slot, groups in slots)
        return bits * (1 + sum(groups * (len(slot.weights) - 1) for slot, groups in slots))

    def _slot(self, sharing: int) -> SlotLaw:
        return slot_law(self.draws, self.gamma, sharing)

    def _masses(self, bits: int) -> list[tuple[int, int]]:
        """Return lower bounds of Pr(f' = k) as (k, multiple of 2**-bits), those of 0 left out."""
        start, product = 0, [1 << bits]
        for sharing, groups in self.kinds:
            slot = self._slot(sharing)
            masses = [(weight << bits) // slot.denominator for weight in slot.weights]
            if masses.count(0) == len(masses) - 1 and slot.denominator in slot.weights:
                start += groups * slot.weights.index(slot.denominator)  # no draw at all
                continue
            first, power = _power_from(masses, groups, bits)
            product = _product(product, power, bits)
            start += first
            dropped, product = _trimmed(product)
            start += dropped
        return [(start + k, part) for k, part in enumerate(product) if part]


def _power_from(masses: list[int], exponent: int, bits: int) -> tuple[int, list[int]]:
    """Return lower bounds of the masses of a sum of independent parts, and where they begin."""
    start, product = 0, [1 << bits]
    shift, square = _trimmed(masses)
    while exponent:
        if exponent & 1:
            product = _product(product, square, bits)
            dropped, product = _trimmed(product)
            start += shift + dropped
        exponent >>= 1
        if exponent:
            dropped, square = _trimmed(_product(square, square, bits))
            shift = 2 * shift + dropped
    return start, product


def _trimmed(masses: list[int]) -> tuple[int, list[int]]:
    """Return how many zeros stand first, and the masses without these and without the last zeros."""
    first = next((k for k, mass in enumerate(masses) if mass), 0)
    last = next((k for k, mass in enumerate(reversed(masses)) if mass), len(masses) - 1)
    return first, masses[first : len(masses) - last]


def _power(weights: list[int], exponent: int, bits: int) -> list[int]:
    product = [1]
    while exponent:
        if exponent & 1:
            product = _product(product, weights, bits)
        exponent >>= 1
        if exponent:
            weights = _product(weights, weights, bits)
    return product


def _product(left: list[int], right: list[int], bits: int) -> list[int]:
    """Return the product of two polynomials, each coefficient divided by 2**bits and rounded down.

    The coefficients stand side by side in one integer each, which are multiplied.
    """
    longest = max(left).bit_length() + max(right).bit_length() + min(len(left), len(right)).bit_length()
    width = longest // 8 + 1
    spend(long_product(8 * width * max(len(left), len(right))) + len(left) + len(right))
    packed = [
        int.from_bytes(b"".join(part.to_bytes(width, "little") for part in parts), "little")
        for parts in (left, right)
    ]
    size = len(left) + len(right) - 1
    whole_product = (packed[0] * packed[1]).to_bytes(width * size, "little")
    return [
        int.from_bytes(whole_product[begin : begin + width], "little") >> bits
        for begin in range(0, width * size, width)
    ]
