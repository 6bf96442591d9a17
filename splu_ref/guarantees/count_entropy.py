"""Entropy loss of independent bits when their sum is released (Chirayath et al. 2006, section 3.4).

Each of n bits is one with probability q, and their sum k, or their mean k/n, is released. Given k each bit is
one with probability k/n for any q, so it loses h(q) - h(k/n) bits of entropy, with h the binary entropy. For
q = 1/2 that is Theorem 1, and its mean over k is the corrected Theorem 2 (claims entropy.T1, entropy.T2c).
"""

from __future__ import annotations

from fractions import Fraction
from math import comb

from splu_ref.channels import (
    STEP,
    Exact,
    LogForm,
    ParameterError,
    digits,
    entropy,
    integer,
    probability,
    spend,
)

_MOST_BITS = 1_000


def count_loss(records: Exact, ones: Exact, chance: Exact = "1/2") -> LogForm:
    """Return the entropy loss, in bits, of each of ``records`` bits if ``ones`` of them are one.

    Below 0 if k/n is nearer to one half than ``chance`` is.

    Raises
    ------
    ParameterError
        If there are more ones than records, or their number has no chance.
    """
    n, k = integer(records, "records", 1), integer(ones, "ones", 0)
    q = probability(chance, "chance")
    if k > n or (q == 0 and k > 0) or (q == 1 and k < n):
        raise ParameterError(
            f"{k} ones among {n} bits of chance {q} are impossible: nothing follows from them"
        )
    return _bit_entropy(q) - _bit_entropy(Fraction(k, n))


def expected_count_loss(records: Exact, chance: Exact = "1/2") -> LogForm:
    """Return the mean over the number of ones of `count_loss`: I(X; K) for one bit X, in bits.

    For chance 1/2 it lies between 1/(2 n ln 2) and 1/n, since 2 d^2/ln 2 <= 1 - h(1/2 + d) <= 4 d^2.

    Raises
    ------
    ParameterError
        For more than 1,000 bits.
    """
    n, q = integer(records, "records", 1), probability(chance, "chance")
    if n > _MOST_BITS:
        raise ParameterError(f"records = {n} has too long an exact form: give at most {_MOST_BITS}")
    scale = q.denominator
    spend(n * n * (STEP + digits(n * scale.bit_length())))
    ones, zeros = q.numerator, scale - q.numerator
    terms: dict[int, Fraction] = {}
    for k in range(n + 1):
        weight = Fraction(comb(n, k) * ones**k * zeros ** (n - k), scale**n)
        for part in (k, n - k):  # h(k/n) = lg n - (k lg k + (n-k) lg (n-k))/n
            if part:
                terms[part] = terms.get(part, Fraction(0)) + weight * Fraction(part, n)
    terms[n] = terms.get(n, Fraction(0)) - 1
    return _bit_entropy(q) + LogForm.of(terms)


def _bit_entropy(chance: Fraction) -> LogForm:
    return entropy({True: chance, False: 1 - chance})
