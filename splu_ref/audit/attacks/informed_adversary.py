"""The informed adversary, who knows the value of every record but one.

Such an attacker knows that a value occurs f or f - 1 times, and decides by its published count (claim
splu.PRICE). The success probability is (1 + TV)/2, where TV is the total variation distance between both
laws of the count. These laws cross once, so TV is the largest difference of two tails.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from splu_ref.audit.attacks.outcome import AttackOutcome
from splu_ref.audit.attacks.table_attack import Attackable, Victims
from splu_ref.channels import (
    Bounds,
    Enclosure,
    ParameterError,
    PredicateCount,
    PublishedCount,
    integer,
    upper_tail_enclosure,
)
from splu_ref.mechanisms import Anatomy, DistributionBased, RetentionReplacement, SpluGen, Swapping

NAME = "known-others"
BITS = 96


def distinction_probability(
    mechanism: Attackable, column: str, frequency: int, rows: int, releases: int = 1
) -> Bounds:
    """Return the probability of distinguishing a count of f from f - 1, both equally likely a priori."""
    f, times = integer(frequency, "frequency", 1), integer(releases, "releases", 1)
    if isinstance(mechanism, Anatomy | Swapping):
        return Bounds(Fraction(1), Fraction(1))
    if isinstance(mechanism, SpluGen):
        return _of_draws(mechanism, f, times)
    if isinstance(mechanism, DistributionBased):
        shares = {count: Fraction(count, rows) for count in (f, f - 1)}
        return _of_tails(
            lambda count, k: upper_tail_enclosure(rows * times, k, shares[count], BITS), f, f - 1, f * times
        )
    if isinstance(mechanism, RetentionReplacement) and mechanism.replacing != "identity":
        domains = dict(mechanism.domains)
        [inside] = mechanism.predicate_channels({column: domains[column][:1]}, {}).values()
        law = PredicateCount(rows * times, inside.probability(True, True), inside.probability(False, True))
        mean = f * times * law.own + (rows - f) * times * law.other
        return _of_tails(
            lambda count, k: law.upper_tail_enclosure(count, k, BITS), f * times, (f - 1) * times, round(mean)
        )
    raise ParameterError(f"the attack known-others does not support {mechanism.name}: choose another attack")


def _of_draws(mechanism: SpluGen, f: int, releases: int) -> Bounds:
    law, draws = mechanism.record_law, mechanism.draws
    if draws.bound is not None and f > draws.bound:
        if draws.name == "all-or-none":
            return Bounds(Fraction(1), Fraction(1))
        return _right(*_window(law, draws.bound * releases, releases))
    if law.retention == 1:
        return Bounds(Fraction(1), Fraction(1))
    count, other, mean = f * releases, (f - 1) * releases, f * releases
    if draws.name == "all-or-none":  # gamma times the number of groups that the value takes
        return _of_tails(
            lambda groups, k: _tail(groups, k, lambda: upper_tail_enclosure(groups, k, law.retention, BITS)),
            count,
            other,
            mean // law.gamma,
        )
    return _of_tails(
        lambda own, k: _tail(own, k, lambda: law.upper_tail_enclosure(own, k, BITS)), count, other, mean
    )


def _tail(count: int, k: int, tail: Callable[[], Enclosure]) -> Enclosure:
    """Return the probability of k or more; with a count of 0 nothing is published."""
    return tail() if count else Enclosure.of(int(k <= 0))


def _window(law: PublishedCount, noisy: int, width: int) -> tuple[Fraction, Fraction]:
    """Return bounds of the largest probability of ``width`` successive counts."""

    def within(k: int) -> Bounds:
        return _difference(
            law.upper_tail_enclosure(noisy, k, BITS), law.upper_tail_enclosure(noisy, k + width, BITS)
        )

    return _largest(within, noisy - width // 2)


def _of_tails(tail: Callable[[int, int], Enclosure], count: int, other: int, near: int) -> Bounds:
    """Return the success probability for the laws at two counts, from their upper tails."""
    return _right(*_largest(lambda k: _difference(tail(count, k), tail(other, k)), near))


def _difference(larger: Enclosure, smaller: Enclosure) -> Bounds:
    one, other = larger.bounds(), smaller.bounds()
    return Bounds(max(one.lower - other.upper, Fraction(0)), max(one.upper - other.lower, Fraction(0)))


def _largest(of: Callable[[int], Bounds], near: int) -> tuple[Fraction, Fraction]:
    """Return bounds of the maximum of a unimodal function, searched from ``near``."""
    best, at = of(near), near
    for step in (1, -1):
        while (further := of(at + step)).upper > best.upper:
            best, at = further, at + step
    return best.lower, best.upper


def _right(lower: Fraction, upper: Fraction) -> Bounds:
    return Bounds((1 + lower) / 2, (1 + min(upper, Fraction(1))) / 2)


def informed_adversary(victims: Victims, code: int) -> AttackOutcome:
    """Decide by the published count of a value whether one record has it, given all other records.

    Parameters
    ----------
    victims
        The table and its mechanism; nothing is published.
    code
        The value's code.
    """
    mechanism, frequency = victims.mechanism, int(victims.histogram[code])
    if not frequency:
        raise ParameterError("no published record has the value: choose one that occurs")
    rows = sum(victims.counts.values())
    right = distinction_probability(mechanism, victims.column, frequency, rows, victims.releases)
    return AttackOutcome(
        attack=NAME,
        mechanism=victims.name,
        success=None,
        predicted=right.upper,
        baseline=Fraction(1, 2),
        e_value=None,
        detectable=None,
        largest=None,
        measure=(
            f"the probability of deciding by the published count whether {frequency} records have the value "
            "or one less, for an attacker who knows all other records; both are equally likely a priori"
        ),
        bounded=isinstance(mechanism, SpluGen) and frequency > (mechanism.draws.bound or frequency),
    )
