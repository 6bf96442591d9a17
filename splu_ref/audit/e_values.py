"""E-values: evidence against a stated law that may be looked at after every observation.

An e-value is a nonnegative statistic whose expectation is at most 1 if the statement is true. Each one
here is a mixture of likelihood ratios under a prior that is fixed in advance, so it is a nonnegative
supermartingale in the number of observations, and by Ville's inequality it ever reaches 1/a with
probability at most a. A sample may therefore be extended at any time.

Exact rationals are computed for small samples. For large ones the base-10 logarithm is bounded from
below, by directed integers or by mpmath's interval arithmetic at 160 bits; since only the lower bound
decides, rounding can make a check miss a rejection but never make one up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Self

from mpmath.ctx_iv import MPIntervalContext

from splu_ref.channels import ParameterError

_EXACT_BITS = 20_000
_UNIT = 192  # bits after the binary point in directed sums
_RATE_BITS = 128

_intervals = MPIntervalContext()
_intervals.prec = 160


@dataclass(frozen=True, slots=True)
class EValue:
    """An e-value e, by its logarithm and, for a small sample, exactly."""

    log10: float  #: a lower bound of log10 e, within 1e-9 + 1e-15 abs(log10 e) of it
    exact: Fraction | None = None  #: e itself, or None for a large sample

    @classmethod
    def of(cls, value: Fraction) -> Self:
        """Return the e-value that is exactly ``value``, greater than 0."""
        return cls(_down(_log10(value)), value)

    def rejects(self, level: Fraction) -> bool:
        """Return whether e >= 1/level: true with probability at most ``level`` if the statement holds."""
        if not 0 < level < 1:
            raise ParameterError(f"a significance level must lie strictly between 0 and 1, not {level}")
        if self.exact is not None:
            return self.exact * level >= 1
        return self.log10 >= _up(-_log10(level))

    def __str__(self) -> str:
        if math.isfinite(self.log10):
            return f"10^{self.log10:.1f}"
        return "infinite" if self.log10 > 0 else "0"

    @property
    def finite_log10(self) -> float | None:
        """log10 e, or None if e is 0 or infinite; an honest release never has an infinite e."""
        return self.log10 if math.isfinite(self.log10) else None

    @property
    def decimal(self) -> str:
        """E in six digits, rounded down; ``inf`` if infinite."""
        if not math.isfinite(self.log10):
            return "inf" if self.log10 > 0 else "0"
        exponent = math.floor(self.log10)
        # the power may round up to 10, of a logarithm that is rounded down from a whole one
        digits = min(math.floor(10 ** (self.log10 - exponent) * 100_000), 999_999) / 100_000
        return f"{digits:.5f}e{exponent:+03d}"


def rejection_log10(level: Fraction) -> float:
    """Return log10 of the least e-value that rejects at a level, in double precision, for display."""
    return math.log10(level.denominator) - math.log10(level.numerator)


def counts_point(trials: int, successes: int, rate: Fraction) -> EValue:
    """Test that a count is Bin(trials, rate), by the Beta(1, 1) mixture over the rate.

    Parameters
    ----------
    trials
        Number of independent trials, at least 0.
    successes
        Number of successes, 0 to ``trials``.
    rate
        The stated success probability, strictly between 0 and 1.

    Returns
    -------
    EValue
        1 / ((trials + 1) Pr(X = successes)), X ~ Bin(trials, rate).

    Raises
    ------
    ParameterError
        For counts or a rate outside their range.
    """
    _require_counts(trials, successes, rate)
    bits = trials * rate.denominator.bit_length()
    if bits <= _EXACT_BITS:
        success, whole = rate.numerator, rate.denominator
        mass = math.comb(trials, successes) * success**successes * (whole - success) ** (trials - successes)
        return EValue.of(Fraction(whole**trials, (trials + 1) * mass))
    return multinomial_point((successes, trials - successes), (rate, 1 - rate))


def multinomial_point(counts: Sequence[int], probabilities: Sequence[Fraction]) -> EValue:
    """Test that counts are multinomial, by the Dirichlet(1, ..., 1) mixture over the probabilities.

    Unlike a count pooled over records, the law of f' by bins sees dependence between records: one draw
    used for two of them leaves the mean and moves the spread.

    Parameters
    ----------
    counts
        Observations by bin, shape (bins,).
    probabilities
        The stated law, shape (bins,): positive, with the sum 1.

    Returns
    -------
    EValue
        1 / (C(n + bins - 1, bins - 1) Pr(counts)), n the number of observations.

    Raises
    ------
    ParameterError
        If the shapes differ, a count is negative, or the probabilities are no law.
    """
    if len(counts) != len(probabilities) or min(counts, default=-1) < 0:
        raise ParameterError("give one count of at least 0 for each probability")
    if min(probabilities) <= 0 or sum(probabilities) != 1:
        raise ParameterError("the probabilities must be positive and their sum 1")
    observed = sum(counts)
    log = _log_factorial(len(counts) - 1) - _log_factorial(observed + len(counts) - 1)
    for count, probability in zip(counts, probabilities, strict=True):
        log += _log_factorial(count) - count * _log(probability)
    return EValue(_down(log / _intervals.ln10))


def rate_at_most(trials: int, successes: int, rate: Fraction) -> EValue:
    """Test that every trial succeeds with probability at most ``rate``, whatever came before it.

    Parameters
    ----------
    trials, successes
        As in `counts_point`.
    rate
        T, strictly between 0 and 1.

    Returns
    -------
    EValue
        The mean, over theta uniform on (T, 1), of the likelihood ratio of theta against T.

    Raises
    ------
    ParameterError
        For counts or a rate outside their range.

    Notes
    -----
    For a true probability t <= T and theta > T a trial multiplies the ratio by
    t theta/T + (1-t)(1-theta)/(1-T) in expectation, which increases with t and is 1 at t = T. The
    integral is Pr(Y <= x) / ((n+1)(1-T) Pr(X = x)) with Y ~ Bin(n+1, T), X ~ Bin(n, T): a sum of x + 1
    positive terms r_k, r_x = 1/(n+1-x), r_{k-1} = r_k k/(n+2-k) (1-T)/T, which is rounded down term by
    term. A T of more than 128 bits is first rounded up, which only weakens the statement tested.
    """
    _require_counts(trials, successes, rate)
    if rate.denominator.bit_length() > _RATE_BITS:
        rate = Fraction(-(-(rate.numerator << _RATE_BITS) // rate.denominator), 1 << _RATE_BITS)
        if rate == 1:
            raise ParameterError("the rate rounds to 1 at 128 bits: no sample can refute it")
    above, below = rate.denominator - rate.numerator, rate.numerator
    if (trials + 1) * rate.denominator.bit_length() <= _EXACT_BITS // 4:
        numerator = denominator = 1  # of the sum in units of r_x, from its innermost term outwards
        for k in range(1, successes + 1):
            denominator *= (trials + 2 - k) * below
            numerator = denominator + k * above * numerator
        return EValue.of(Fraction(numerator, denominator * (trials + 1 - successes)))
    term = total = (1 << _UNIT) // (trials + 1 - successes)
    for k in range(successes, 0, -1):
        term = term * k * above // ((trials + 2 - k) * below)
        if term == 0:
            break
        total += term
    return EValue(_down(_log10(Fraction(total, 1 << _UNIT))))


def rate_at_least(trials: int, successes: int, rate: Fraction) -> EValue:
    """Test that every trial succeeds with probability at least ``rate``: the mirror image."""
    _require_counts(trials, successes, rate)
    return rate_at_most(trials, trials - successes, 1 - rate)


def sum_of_bounded(total: Fraction, expected: Fraction, spread: int) -> EValue:
    """Test the expectation of a sum of variables between 0 and 1 by Hoeffding's inequality, both ways."""
    root = Fraction(1 << (spread.bit_length() // 2))
    tilts = [sign * Fraction(2) ** k / root for k in range(-1, 5) for sign in (1, -1)]
    exponents = [tilt * (total - expected) - spread * tilt * tilt / 8 for tilt in tilts]
    return average([EValue(_down(_mpf(exponent) / _intervals.ln10)) for exponent in exponents])


def _mpf(value: Fraction) -> Any:
    return _intervals.mpf(value.numerator) / _intervals.mpf(value.denominator)


def average(values: Sequence[EValue]) -> EValue:
    """Return the mean of e-values, which is an e-value whatever the dependence between them."""
    if not values:
        raise ParameterError("the mean of no e-values is undefined")
    if len(values) == 1:
        return values[0]
    largest = max(value.log10 for value in values)
    if math.isinf(largest):
        return EValue(largest)
    scaled = sum(_intervals.mpf(10) ** (_intervals.mpf(value.log10) - largest) for value in values)
    return EValue(_down(largest + _intervals.log(scaled / len(values)) / _intervals.ln10))


def _require_counts(trials: int, successes: int, rate: Fraction) -> None:
    if not 0 <= successes <= trials:
        raise ParameterError(f"{successes} successes in {trials} trials: give a number from 0 to {trials}")
    if not 0 < rate < 1:
        raise ParameterError(f"a tested rate must lie strictly between 0 and 1, not {rate}")


@lru_cache(maxsize=4096)
def _log(value: Fraction) -> Any:
    return _intervals.log(_intervals.mpf(value.numerator)) - _intervals.log(_intervals.mpf(value.denominator))


def _log10(value: Fraction) -> Any:
    return _log(value) / _intervals.ln10


@lru_cache(maxsize=4096)
def _log_factorial(n: int) -> Any:
    return _intervals.loggamma(_intervals.mpf(n + 1))


def _down(interval: Any) -> float:
    """Return a float that is at most the lower end of an interval."""
    return math.nextafter(float(interval.a), -math.inf)


def _up(interval: Any) -> float:
    """Return a float that is at least the upper end of an interval."""
    return math.nextafter(float(interval.b), math.inf)
