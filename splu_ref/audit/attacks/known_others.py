"""The attacker knows the value of every record but one, and asks how often one value occurs.

So he knows that it occurs f or f - 1 times, and the published count tells him more or less which (claim
splu.PRICE): he is right with one half of 1 and the total variation between both laws of the count. The
counts' laws at f - 1 and f cross once, so that it is the largest difference of two tails.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from splu_ref.audit.attacks.carried_out import Attackable, Victims
from splu_ref.audit.attacks.outcome import AttackOutcome
from splu_ref.channels import (
    Bounds,
    Enclosure,
    ParameterError,
    PredicateCount,
    PublishedCount,
    upper_tail_enclosure,
    whole,
)
from splu_ref.mechanisms import Anatomy, DistributionBased, RetentionReplacement, SpluGen, Swapping

NAME = "known-others"
BITS = 96


def told_apart(mechanism: Attackable, column: str, frequency: int, rows: int, releases: int = 1) -> Bounds:
    """Return how often who knows all other records tells a count of f from f - 1, each equally likely.

    Parameters
    ----------
    mechanism
        What publishes the count. Under ``capped`` draws and above the cap the number is an upper bound,
        attained if no other value's slots are flagged in the groups of the value; under ``all-or-none``
        draws a frequent value may come out exactly, and it is 1.
    column
        The sensitive column.
    frequency
        f, at least 1.
    rows
        Records in all.
    releases
        Releases with fresh randomness, whose counts the attacker adds up; their sum is all that he looks at.

    Raises
    ------
    ParameterError
        For a parameter outside its range, or a mechanism of which this is not known.
    """
    f, times = whole(frequency, "frequency", 1), whole(releases, "releases", 1)
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
    raise ParameterError(f"how a count by {mechanism.name} tells neighbors apart is not known here")


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
    """Return the chance of k or more, which is certain at a count of 0: nothing is published."""
    return tail() if count else Enclosure.of(int(k <= 0))


def _window(law: PublishedCount, noisy: int, width: int) -> tuple[Fraction, Fraction]:
    """Return bounds of the largest chance of ``width`` successive counts: the law, moved, against itself."""

    def within(k: int) -> Bounds:
        return _difference(
            law.upper_tail_enclosure(noisy, k, BITS), law.upper_tail_enclosure(noisy, k + width, BITS)
        )

    return _largest(within, noisy - width // 2)


def _of_tails(tail: Callable[[int, int], Enclosure], count: int, other: int, near: int) -> Bounds:
    """Return how often laws at two counts are told apart, by the chance of k or more at each."""
    return _right(*_largest(lambda k: _difference(tail(count, k), tail(other, k)), near))


def _difference(larger: Enclosure, smaller: Enclosure) -> Bounds:
    one, other = larger.bounds(), smaller.bounds()
    return Bounds(max(one.lower - other.upper, Fraction(0)), max(one.upper - other.lower, Fraction(0)))


def _largest(of: Callable[[int], Bounds], near: int) -> tuple[Fraction, Fraction]:
    """Return bounds of the largest value of a function with one peak, which is close to ``near``."""
    best, at = of(near), near
    for step in (1, -1):
        while (further := of(at + step)).upper > best.upper:
            best, at = further, at + step
    return best.lower, best.upper


def _right(lower: Fraction, upper: Fraction) -> Bounds:
    return Bounds((1 + lower) / 2, (1 + min(upper, Fraction(1))) / 2)


def known_others(victims: Victims, code: int) -> AttackOutcome:
    """Tell by the published count of a value whether one record has it, all other records being known.

    Parameters
    ----------
    victims
        The table and what publishes it; nothing is published.
    code
        The value's code.
    """
    mechanism, frequency = victims.mechanism, int(victims.histogram[code])
    if not frequency:
        raise ParameterError("no published record has the value: choose one that occurs")
    rows = sum(victims.counts.values())
    right = told_apart(mechanism, victims.column, frequency, rows, victims.releases)
    return AttackOutcome(
        attack=NAME,
        mechanism=victims.name,
        success=None,
        predicted=right.upper,
        baseline=Fraction(1, 2),
        e_value=None,
        noticed=None,
        largest=None,
        says=(
            f"how often it is told by the count whether {frequency} records have the value or one less, by "
            "somebody who knows all others and holds both for equally likely"
        ),
        bounded=isinstance(mechanism, SpluGen) and frequency > (mechanism.draws.bound or frequency),
    )
