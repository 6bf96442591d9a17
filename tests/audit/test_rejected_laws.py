"""For every judge of laws and of attacks, something that it must reject."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest

from splu_ref.audit.attacks.outcome import LEVEL, AttackOutcome, point_tested, sum_tested
from splu_ref.audit.declared_law import DECLARED, DeclaredMechanism, enumerate_declared
from splu_ref.audit.e_values import EValue
from splu_ref.audit.enumeration import ENUMERATED, enumerate_histogram
from splu_ref.channels import PublishedCount
from splu_ref.channels.parameters import ParameterError
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import Draws, IntArray

Codes = Any


class Rows(NamedTuple):
    rows: Codes
    published: Codes


@dataclass(frozen=True)
class Faulty:
    """A mechanism whose release is altered, with the channel that it declares."""

    mechanism: Any
    change: Callable[[IntArray, Codes, Codes], tuple[Codes, Codes]]

    @property
    def name(self) -> str:
        return str(self.mechanism.name)

    def publish_codes(self, codes: IntArray, domain_size: int, draws: Draws) -> Rows:
        done = self.mechanism.publish_codes(codes, domain_size, draws)
        return Rows(*self.change(codes, np.array(done.rows), np.array(done.published)))

    def channel(self, *given: Any) -> Any:
        return self.mechanism.channel(*given)


def unchanged(_: IntArray, rows: Codes, published: Codes) -> tuple[Codes, Codes]:
    return rows, published


def no_row(_: IntArray, rows: Codes, published: Codes) -> tuple[Codes, Codes]:
    return rows[:0], published[:0]


def never_the_first_record(_: IntArray, rows: Codes, published: Codes) -> tuple[Codes, Codes]:
    return rows[rows != 0], published[rows != 0]


def a_record_twice(_: IntArray, rows: Codes, published: Codes) -> tuple[Codes, Codes]:
    return np.append(rows, rows[:1]), np.concatenate([published, published[:1]])


def another_label(_: IntArray, rows: Codes, published: Codes) -> tuple[Codes, Codes]:
    """The first record shows a label that no value has."""
    published[rows == 0] += 10
    return rows, published


FAULTS = (no_row, never_the_first_record, a_record_twice, another_label)
KINDS: dict[str, tuple[DeclaredMechanism, int]] = {
    mechanism.name: (mechanism, size) for mechanism, size in DECLARED
}
"""One mechanism of every kind that declares a channel."""


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_declared_law_is_rejected(kind: str, fault: Any) -> None:
    mechanism, size = KINDS[kind]
    histogram = (1,) * max(size, 2)
    assert enumerate_declared(Faulty(mechanism, unchanged), histogram).holds
    row = enumerate_declared(Faulty(mechanism, fault), histogram)
    assert not row.holds
    assert row.detail


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("plan", ENUMERATED)
def test_an_enumerated_law_is_rejected(plan: str, fault: Any) -> None:
    """In a table of three records of which one is deleted, and one of two."""
    law = PublishedCount.of(2)

    def publish(mechanism: SpluGen, codes: IntArray, domain_size: int, draws: Draws) -> Any:
        done = mechanism.publish_codes(codes, domain_size, draws)
        rows, published = fault(codes, np.array(done.rows), np.array(done.published))
        return done.__class__(rows, published, done.suppressed)

    for histogram in ((1, 1), (1, 1, 1)):
        assert enumerate_histogram(histogram, law, plan).holds
        assert not enumerate_histogram(histogram, law, plan, publish=publish).holds


# ---- attacks --------------------------------------------------------------------------------------


def outcome(e_value: EValue | None) -> AttackOutcome:
    third = Fraction(1, 3)
    return AttackOutcome(
        attack="any", mechanism="any", success=third, predicted=third, baseline=third, e_value=e_value,
        detectable=None, largest=None, measure="",
    )  # fmt: skip


def test_an_attack_is_contradicted_from_the_level_on() -> None:
    assert Fraction(1, 10**9) == LEVEL
    at = Fraction(10**9)
    for value, contradicted in ((at - 1, False), (at, True), (at + 1, True), (Fraction(0), False)):
        assert outcome(EValue.of(value)).contradicted is contradicted
    assert outcome(EValue(math.inf)).contradicted
    assert not outcome(None).contradicted


@pytest.mark.parametrize(("rate", "right"), [(Fraction(0), 0), (Fraction(1), 40)])
def test_without_chance_one_record_of_difference_is_a_contradiction(rate: Fraction, right: int) -> None:
    assert point_tested(right, 40, rate) == (None, None)
    for found in {0, 1, 39, 40} - {right}:
        e_value, least = point_tested(found, 40, rate)
        assert outcome(e_value).contradicted
        assert least == Fraction(1, 40)


def test_the_least_difference_that_contradicts_does_and_one_less_does_not() -> None:
    for trials, rate in ((150, Fraction(1, 3)), (100, Fraction(1, 50))):
        contradicted = [
            k for k in range(trials + 1) if outcome(point_tested(k, trials, rate)[0]).contradicted
        ]
        least = point_tested(0, trials, rate)[1]
        assert least == min(abs(Fraction(k, trials) - rate) for k in contradicted)
        assert int(rate * trials) not in contradicted


def test_a_sum_is_contradicted_from_its_least_gap_on() -> None:
    least = sum_tested(Fraction(0), Fraction(0), 400, 400)[1]
    assert least is not None
    gap = least * 400
    assert outcome(sum_tested(gap, Fraction(0), 400, 400)[0]).contradicted
    assert not outcome(sum_tested(gap - 1, Fraction(0), 400, 400)[0]).contradicted


def test_more_successes_than_trials_are_no_count() -> None:
    for found in (-1, 41):
        with pytest.raises(ParameterError):
            point_tested(found, 40, Fraction(1, 3))
