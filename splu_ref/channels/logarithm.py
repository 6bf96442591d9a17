"""Natural logarithms of rational numbers between certified bounds."""

from __future__ import annotations

from fractions import Fraction

from splu_ref.binomial import Bounds
from splu_ref.binomial.work import digits, spend
from splu_ref.model import ParameterError

BITS = 128


def natural_logarithm(x: Fraction, bits: int = BITS) -> Bounds:
    """Return an enclosure of ln x, of a width below 2^(k - bits), k the binary digits of ln x; of 1, 0 alone.

    Parameters
    ----------
    x
        A positive rational number.
    bits
        Binary digits after the point of the sums.

    Raises
    ------
    ParameterError
        If x is not positive.

    Notes
    -----
    x = 2^k y with 1 <= y < 2, and ln y = 2 atanh((y - 1) / (y + 1)) by its series, whose rest after the term
    with t^n is below t^(n+2) / ((n + 2)(1 - t^2)), t <= 1/3.
    """
    if x <= 0:
        raise ParameterError(f"{x} has no logarithm: give a number above 0")
    spend(bits * digits(bits) * digits(max(x.numerator.bit_length(), x.denominator.bit_length())))
    if x == 1:
        return Bounds(Fraction(0), Fraction(0))
    shift = x.numerator.bit_length() - x.denominator.bit_length()
    y = x / Fraction(2) ** shift
    if y < 1:
        shift, y = shift - 1, 2 * y
    two, part = _twice_atanh(Fraction(1, 3), bits), _twice_atanh((y - 1) / (y + 1), bits)
    ends = sorted((shift * two.lower, shift * two.upper))
    return Bounds(part.lower + ends[0], part.upper + ends[1])


def _twice_atanh(t: Fraction, bits: int) -> Bounds:
    """Enclose 2 atanh t for 0 <= t <= 1/3, by sums of integers over 2^bits."""
    one = 1 << bits
    low, high = t.numerator * one // t.denominator, -(-t.numerator * one // t.denominator)
    sums, powers, squares = [0, 0], [low, high], [low * low // one, -(-high * high // one)]
    for odd in range(1, bits, 2):  # t^2 <= 1/9: two digits and more a step
        sums[0] += powers[0] // odd
        sums[1] += -(-powers[1] // odd)
        powers = [powers[0] * squares[0] // one, -(-powers[1] * squares[1] // one)]
    rest = 2 * powers[1] + 1  # 1 / (1 - t^2) <= 9/8
    return Bounds(Fraction(2 * sums[0], one), Fraction(2 * (sums[1] + rest), one))
