"""Data swapping, where randomly selected cells are permuted: the channel of a record and of pairs of records.

Each of N cells is released with probability 1 - p, and the released ones are permuted uniformly. A cell comes
back to its own place with s = p + (1 - p^N)/N, and to each other one with (1 - s)/(N - 1). So a record is
published as by retention replacement from the column's own histogram, with the retention

    pi = (N s - 1)/(N - 1) = (N p - p^N)/(N - 1),

which is larger than p. Two records depend on each other; `swapped_pairs` says how.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from splu_ref.channels.binomial_bounds import Enclosure
from splu_ref.channels.channel import Channel, In
from splu_ref.channels.elementary import retention
from splu_ref.channels.parameters import Exact, ParameterError, integer, probability

_LONGEST_POWER, _ROUNDED = 4096, 256
"""Binary digits up to which p^N is exact, and binary places to which it is rounded otherwise."""


class Pairs(NamedTuple):
    """Weights of a pair of records in an estimate of the number of pairs in a set."""

    neither: Fraction  #: the weight if neither, one, or both records are published with a value in the set
    one: Fraction  #: see ``neither``
    both: Fraction  #: see ``neither``


@dataclass(frozen=True)
class _Places:
    """Probabilities of the origins of two records' cells, each of one particular pair of origins.

    ``both``: each record has its own cell; ``exchanged``: that of the other record. ``own`` and ``other``:
    one record has its own cell, or the other's, and the other one has a particular third cell. ``third``: two
    particular other cells.
    """

    both: Fraction
    exchanged: Fraction
    own: Fraction
    other: Fraction
    third: Fraction


def swapped_retention(keep: Exact, records: int) -> Fraction:
    """Return pi = (N p - p^N)/(N - 1): a record is retained with pi, otherwise drawn from the histogram.

    Parameters
    ----------
    keep
        Probability p that a cell is not selected, 0 to 1.
    records
        Number N of records, at least 2. If p^N has more than 4,096 binary digits, it is taken to 256 places.
    """
    p, size = probability(keep, "keep"), _records(records)
    return (size * p - _power(p, size)) / (size - 1)


def swapping(keep: Exact, counts: Mapping[In, int]) -> Channel[In, In]:
    """Return the channel of one record under swapping.

    Parameters
    ----------
    keep
        Probability p that a cell is not selected, 0 to 1.
    counts
        Number of records of each state.
    """
    size = _records(sum(counts.values()))
    histogram = {state: Fraction(count, size) for state, count in counts.items()}
    return retention(swapped_retention(keep, size), histogram)


def swapped_pairs(keep: Exact, records: int, members: int) -> Pairs:
    """Return weights of pairs with expectation 1 under swapping if both records are in a set, otherwise 0.

    Parameters
    ----------
    keep
        Probability p that a cell is not selected, 0 < p <= 1.
    records
        Number N of records, at least 2.
    members
        Number of records in the set, which swapping does not change.
    """
    p, size = probability(keep, "keep"), _records(records)
    places, pi = _places(p, size), swapped_retention(p, size)

    def published(one: int, other: int) -> Fraction:
        """Return the chance that both are published in the set, by whether they are in it."""
        rest = members - one - other
        mixed = (places.own + places.other) * (one + other) * rest
        return (places.both + places.exchanged) * one * other + mixed + places.third * rest * (rest - 1)

    # As a polynomial in the two indicators: a constant, a multiple of their sum, and one of their product.
    constant, step = published(0, 0), published(1, 0) - published(0, 0)
    curve = published(1, 1) - 2 * published(1, 0) + published(0, 0)
    if not pi or not curve:
        raise ParameterError("no value is retained: pairs of records cannot be estimated")
    share = Fraction(members, size)
    singles = [(seen - (1 - pi) * share) / pi for seen in (0, 1)]
    return Pairs(
        *(
            (first * second - constant - step * (singles[first] + singles[second])) / curve
            for first, second in ((0, 0), (0, 1), (1, 1))
        )
    )


def histogram_pairs(keep: Exact, records: int, members: int) -> Pairs:
    """Return the weights for independent replacements from a column's histogram, estimated from the release.

    With b = F/N, F the published records in the set, the single weights Z = (Y - (1 - p) b)/p of two records
    are correlated through b. Their covariance is that of the law at this b: the weights have nearly the mean
    that they should have, and not exactly.

    Parameters
    ----------
    keep
        Probability p of keeping a value, greater than 0 and at most 1.
    records
        Number N of records.
    members
        How many of them are published inside the set.
    """
    p = probability(keep, "keep")
    if not p:
        raise ParameterError("no value is retained: pairs of records cannot be estimated")
    outside = (1 - p) * Fraction(members, records)
    variances = [chance * (1 - chance) for chance in (outside, p + outside)]
    total = (records - members) * variances[0] + members * variances[1]
    singles = [(seen - outside) / p for seen in (0, 1)]
    spread = [variances[0] + (variances[1] - variances[0]) * single for single in singles]
    shift = (1 - p) / records
    return Pairs(
        *(
            singles[first] * singles[second]
            - (shift**2 * total - shift * (spread[first] + spread[second])) / p**2
            for first, second in ((0, 0), (0, 1), (1, 1))
        )
    )


def _places(p: Fraction, size: int) -> _Places:
    """Return the law of the places of two records, from the moments of the number of released cells.

    R of N cells are released. One record keeps its cell and another one's comes back with the chance of 1/R;
    two released ones come from any two released places with 1/(R (R - 1)). Summing over who is released
    leaves means of polynomials in R, less what they have at R = 0 and 1, where nothing moves.
    """
    q, none = 1 - p, _power(p, size)
    one = size * q * _power(p, size - 1)
    pairs = size * (size - 1)
    exchanged = (1 - none - one) / pairs
    both = p**2 + 2 * (p - none) / (size - 1) + exchanged
    if size == 2:
        return _Places(both, exchanged, Fraction(0), Fraction(0), Fraction(0))
    triples = pairs * (size - 2)
    other = (size * q - 2 + 2 * none + one) / triples
    own = (pairs * q * p - size * p + size * none) / triples + other
    if size == 3:
        return _Places(both, exchanged, own, other, Fraction(0))
    square = size * q * p + (size * q) ** 2
    third = (square - 5 * size * q + 6 - 6 * none - 2 * one) / (triples * (size - 3))
    return _Places(both, exchanged, own, other, third)


def _records(records: int) -> int:
    size = integer(records, "records", 1)
    if size < 2:
        raise ParameterError("one record has no other to swap with: give at least two")
    return size


def _power(p: Fraction, exponent: int) -> Fraction:
    """Return p^n, to 256 binary digits after the point where its own would be very many."""
    if exponent * p.denominator.bit_length() <= _LONGEST_POWER:
        return p**exponent
    found = Enclosure.power(p, exponent, _ROUNDED)
    shift = found.exponent + _ROUNDED
    return Fraction(found.upper << shift if shift > 0 else found.upper >> -shift, 1 << _ROUNDED)
