"""Logarithms of rational numbers: exact sums of them, and certified bounds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from math import gcd, isqrt

from splu_ref.channels.binomial import STEP, digits, spend
from splu_ref.channels.binomial_bounds import Bounds
from splu_ref.channels.parameters import Exact, ParameterError, exact, positive, shown

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


_TRIED = 10_000
"""Bound of trial division: a cofactor below its square is a prime."""
_FIRST_BITS = 64


@dataclass(frozen=True, eq=False)
class LogForm:
    """A number of the form sum of c lg b, with lg the logarithm to the base 2: an entropy in bits."""

    #: Rational numbers c, none 0, by whole numbers b > 1 of which no two have a common factor, ascending.
    #: They are primes, but for a factor above 10^8 without divisors up to 10,000, which is left as it is.
    coefficients: Mapping[int, Fraction]

    @classmethod
    def of(cls, terms: Mapping[int, Exact]) -> LogForm:
        """Return the sum of c lg n, for any whole numbers n >= 1 and exact c."""
        powers: dict[int, Fraction] = defaultdict(Fraction)
        for number, coefficient in terms.items():
            if number < 1:
                raise ParameterError(f"{shown(number)} has no logarithm: give whole numbers of at least 1")
            for base, exponent in _factors(number):
                powers[base] += Fraction(coefficient) * exponent
        large = [base for base in powers if base > _TRIED]
        if any(base >= _TRIED**2 for base in large):
            powers.update(_without_common_factors({base: powers.pop(base) for base in large}))
        return cls({base: powers[base] for base in sorted(powers) if powers[base]})

    @classmethod
    def lg(cls, number: Exact) -> LogForm:
        """Return the logarithm of a rational number above 0."""
        ratio = positive(number, "number")
        return cls.of({ratio.numerator: 1}) - cls.of({ratio.denominator: 1})

    @classmethod
    def sum(cls, weighted: Iterable[tuple[Fraction, LogForm]]) -> LogForm:
        """Return the sum of forms with the given weights."""
        terms: dict[int, Fraction] = defaultdict(Fraction)
        for weight, form in weighted:
            for base, coefficient in form.coefficients.items():
                terms[base] += weight * coefficient
        return cls.of(terms)

    def __add__(self, other: LogForm) -> LogForm:
        return LogForm.sum([(Fraction(1), self), (Fraction(1), other)])

    def __sub__(self, other: LogForm) -> LogForm:
        return LogForm.sum([(Fraction(1), self), (Fraction(-1), other)])

    def __mul__(self, factor: Fraction | int) -> LogForm:
        return LogForm.sum([(Fraction(factor), self)])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LogForm) and not (self - other).coefficients

    __hash__ = None  # type: ignore[assignment]  # equal forms may have split a large number differently

    def __lt__(self, other: LogForm) -> bool:
        return (self - other).sign() < 0

    def __le__(self, other: LogForm) -> bool:
        return (self - other).sign() <= 0

    def __gt__(self, other: LogForm) -> bool:
        return other < self

    def __ge__(self, other: LogForm) -> bool:
        return other <= self

    def sign(self) -> int:
        """Return the sign -1, 0 or 1, by enclosures of increasing precision.

        They decide it, because the number is 0 only without coefficients.
        """
        if not self.coefficients:
            return 0
        bits = _FIRST_BITS
        while True:
            found = self.bounds(bits)
            if found.lower > 0 or found.upper < 0:
                return 1 if found.lower > 0 else -1
            bits *= 2

    def bounds(self, bits: int = _FIRST_BITS) -> Bounds:
        """Return an enclosure computed with ``bits`` binary digits after the point."""
        spend(len(self.coefficients) * (STEP + digits(bits) ** 2))
        lower = upper = Fraction(0)
        for base, coefficient in self.coefficients.items():
            if base > 2:
                one = _binary_logarithm(base, bits)
                ends = sorted((coefficient * one.lower, coefficient * one.upper))
                lower, upper = lower + ends[0], upper + ends[1]
        whole = self.coefficients.get(2, Fraction(0))
        return Bounds(lower + whole, upper + whole)

    def narrowed(self, places: int = 15, base: Exact = 2) -> Bounds:
        """Return an enclosure whose width is at most 10^-places of the number; the number itself for 0.

        Parameters
        ----------
        places
            Number of significant decimal digits.
        base
            Of the logarithms: 2 for bits, 10 for decimal digits; a rational number above 1.

        Raises
        ------
        ParameterError
            For a base of at most 1: the logarithm to such a base is no measure of information.
        """
        unit = exact(base, "base")
        if unit <= 1:
            raise ParameterError(f"base = {shown(unit)} measures no information: give a base above 1")
        bits, measure = _FIRST_BITS, LogForm.lg(unit)
        first = next(iter(measure.coefficients))
        ratio = self.coefficients.get(first, Fraction(0)) / measure.coefficients[first]
        if self == measure * ratio:  # the only rational numbers among these quotients
            return Bounds(ratio, ratio)
        while True:
            found = self.bounds(bits)
            if unit != 2:
                one = measure.bounds(bits)
                ends = [end / part for end in (found.lower, found.upper) for part in (one.lower, one.upper)]
                found = Bounds(min(ends), max(ends))
            if (found.upper - found.lower) * 10**places <= min(abs(found.lower), abs(found.upper)):
                return found
            bits *= 2

    def as_texts(self) -> dict[str, str]:
        """Return the coefficients c by base b as texts, for JSON."""
        return {str(base): str(coefficient) for base, coefficient in self.coefficients.items()}

    def __str__(self) -> str:
        text = ""
        for base, coefficient in self.coefficients.items():
            size = abs(coefficient)
            term = str(size) if base == 2 else f"lg {base}" if size == 1 else f"{size} lg {base}"
            if text:
                text += f" {'+' if coefficient > 0 else '-'} {term}"
            else:
                text = term if coefficient > 0 else f"-{term}"
        return text or "0"


@lru_cache(maxsize=1 << 16)
def _factors(number: int) -> tuple[tuple[int, int], ...]:
    """Return the prime factors up to 10,000 of a number and its cofactor, each with its exponent."""
    spend(STEP * 20 + digits(number.bit_length()) * min(isqrt(number), 1_229))
    found, left = [], number
    for prime in _primes():
        if prime * prime > left:
            break
        exponent = 0
        while left % prime == 0:
            left //= prime
            exponent += 1
        if exponent:
            found.append((prime, exponent))
    return (*found, (left, 1)) if left > 1 else tuple(found)


@cache
def _primes() -> tuple[int, ...]:
    """Return the primes below 10,000."""
    return tuple(n for n in range(2, _TRIED) if all(n % divisor for divisor in range(2, isqrt(n) + 1)))


@lru_cache(maxsize=1 << 14)
def _binary_logarithm(number: int, bits: int) -> Bounds:
    """Return an enclosure of lg number, for a number above 1."""
    above, below = natural_logarithm(Fraction(number), bits), natural_logarithm(Fraction(2), bits)
    return Bounds(above.lower / below.upper, above.upper / below.lower)


def _without_common_factors(powers: Mapping[int, Fraction]) -> dict[int, Fraction]:
    """Write a product of powers with bases of which no two have a common factor."""
    waiting, bases = list(powers.items()), dict[int, Fraction]()
    while waiting:
        number, exponent = waiting.pop()
        spend(len(bases) * (STEP + digits(number.bit_length()) ** 2))
        shared = next((other for other in bases if gcd(number, other) > 1), None)
        if shared is None:
            bases[number] = exponent
            continue
        common, further = gcd(number, shared), bases.pop(shared)
        parts = (common, exponent + further), (number // common, exponent), (shared // common, further)
        waiting += [(part, power) for part, power in parts if part > 1]
    return bases
