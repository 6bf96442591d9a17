"""The probability that the published count is wrong, exactly, and enclosed.

Fu et al. 2014, section 4: the records of a group that holds a value publish it independently, and gamma f
records stand in groups that hold a value of count f. The law is `splu_ref.channels.PublishedCount`.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, isqrt

from splu_ref.binomial import Bounds, Enclosure
from splu_ref.binomial.directed import factor_work
from splu_ref.binomial.exact import tail_work
from splu_ref.binomial.work import STEP, WorkError, digits, left, one_budget, reduction, spend
from splu_ref.channels import PublishedCount
from splu_ref.guarantees.plateaus import error_offset
from splu_ref.model import Exact, ParameterError, shown, whole

EXACT_TRIALS = 300_000
"""Largest gamma f for which a probability is given as a fraction, if the budget of work allows it."""

EXACT_WORK = 10**11
"""With another p than 1/gamma, largest number of bits of all terms of the sum."""

DIRECTED_TRIALS = 2 * 10**8
"""Largest gamma f for which a probability is enclosed, if the budget of work allows it."""


@one_budget()
def error_probability(
    gamma: Exact,
    epsilon: Exact,
    frequency: Exact,
    *,
    strict: bool = False,
    retention: Exact | None = None,
) -> Fraction:
    """Return Pr(abs(f' - f) >= epsilon f) exactly.

    Parameters
    ----------
    gamma
        Size of a decoy group, a whole number of at least 2.
    epsilon
        Relative error, greater than 0.
    frequency
        True count f, a whole number of at least 1; gamma f is at most 300,000.
    strict
        ``False``: Definitions 1 and 2, an error of exactly epsilon f counts. ``True``: Theorem 4, it does
        not.
    retention
        Probability p of publishing the own value, greater than 0 and at most 1; None stands for 1/gamma.

    Returns
    -------
    Fraction
        Between 0 and 1; 0 only when no count that far from f is possible.

    Raises
    ------
    ParameterError
        For a parameter outside its range, a float, or a size that only `error_bounds` can treat.

    Notes
    -----
    Fu et al. 2014, Definitions 1 and 2, Lemma 2 and Theorem 4; splu.Rp for the law of f'.
    """
    law, count = PublishedCount.of(gamma, retention), whole(frequency, "frequency", 1)
    numerator = error_numerator(gamma, epsilon, count, strict=strict, retention=retention)
    spend(reduction(count * law.unit().bit_length()))
    return Fraction(numerator, law.unit() ** count)


@one_budget()
def error_numerator(
    gamma: Exact,
    epsilon: Exact,
    frequency: Exact,
    *,
    strict: bool = False,
    retention: Exact | None = None,
) -> int:
    """Return the integer `error_probability` times the law's `unit` (gamma^gamma) to the power f.

    The parameters are those of `error_probability`.
    """
    law, count = PublishedCount.of(gamma, retention), whole(frequency, "frequency", 1)
    offset = error_offset(epsilon, count, strict=strict)
    refuse_inexact(law, count, offset)
    return law.error_numerator(count, offset)


@one_budget()
def error_bounds(
    gamma: Exact,
    epsilon: Exact,
    frequency: Exact,
    *,
    strict: bool = False,
    retention: Exact | None = None,
) -> Bounds:
    """Return a certified enclosure of `error_probability`, in directed integers of 256 bits.

    The same parameters, with gamma times the frequency up to 200,000,000. The ends differ by about one
    part in 2**256, and are equal when the probability is 0.
    """
    law, count = PublishedCount.of(gamma, retention), whole(frequency, "frequency", 1)
    return error_enclosure(law, count, error_offset(epsilon, count, strict=strict), 256).bounds()


def error_enclosure(law: PublishedCount, frequency: int, offset: int, bits: int) -> Enclosure:
    """Enclose Pr(abs(f' - f) >= offset) with the given relative precision."""
    trials = law.gamma * frequency
    if trials > DIRECTED_TRIALS:
        most = DIRECTED_TRIALS // law.gamma
        remedy = f"a count of at most {most}" if most else f"a gamma of at most {DIRECTED_TRIALS}"
        raise ParameterError(
            f"gamma times the count is {shown(trials)}: the greatest that is computed is {DIRECTED_TRIALS}; "
            f"give {remedy}"
        )
    if enclosure_work(law, frequency, offset, bits) > left():
        raise WorkError(
            f"an error at the count {shown(frequency)} with gamma = {shown(law.gamma)} takes more than about "
            f"a minute: give a smaller count or gamma, or a retention with fewer digits"
        )
    return law.error_enclosure(frequency, offset, bits)


def enclosure_work(law: PublishedCount, frequency: int, offset: int, bits: int) -> int:
    """Return about the work of `error_enclosure`: the way to the largest terms, and the terms there."""
    precision = bits + 64
    deviation = isqrt(ceil(2 * precision * law.variance * frequency)) + 64
    way = min(2 * law.gamma * frequency, 16 * deviation + 2 * offset)
    terms = 2 * deviation * (STEP + 2 * digits(precision))
    if not law.is_plain:
        longest = digits((law.gamma * frequency * law.decoy.denominator).bit_length())
        terms = 2 * deviation * (50 * STEP + 8 * digits(precision) * longest)
    return 2 * (way * factor_work(precision) + terms)


def exact_work(law: PublishedCount, frequency: int, offset: int) -> int:
    """Return about the work of `error_probability` for p = 1/gamma: both tails, and the lowest terms."""
    trials = law.gamma * frequency
    tails = sum(
        tail_work(trials, least, share)
        for least, share in (
            (frequency + offset, law.retention),
            (trials - frequency + offset, 1 - law.retention),
        )
        if least <= trials
    )
    return tails + reduction(trials * int(law.gamma).bit_length())


def refuse_inexact(law: PublishedCount, frequency: int, offset: int) -> None:
    """Raise unless the probability at a count can be given as a fraction."""
    trials = law.gamma * frequency
    if trials > EXACT_TRIALS:
        raise ParameterError(
            f"gamma times the count is {shown(trials)}: an exact fraction is given up to {EXACT_TRIALS}; use "
            f"error_bounds or privacy_minimum_bounds for a certified enclosure"
        )
    if law.is_plain and exact_work(law, frequency, offset) > left():
        raise WorkError(
            f"an exact fraction at the count {frequency} takes more than about a minute with gamma = "
            f"{law.gamma}: use error_bounds or privacy_minimum_bounds for a certified enclosure"
        )
    if law.is_plain or not law.errors(frequency, offset):
        return
    own, other = law.retention.denominator.bit_length(), law.decoy.denominator.bit_length()
    bits = frequency * (own + (law.gamma - 1) * other)
    factor = 1 + (own + other + trials.bit_length()) // 30  # whole machine digits in a factor of a term
    if bits * min(frequency + offset, trials) * factor > EXACT_WORK:
        raise ParameterError(
            f"an exact fraction at the count {frequency} takes too long with retention = "
            f"{shown(law.retention)}: use error_bounds or privacy_minimum_bounds for a certified enclosure, "
            f"or a retention with fewer digits"
        )
