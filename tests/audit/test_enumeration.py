"""Enumeration: laws worked out by hand, and a message for each way in which a mechanism can differ."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from splu_ref.audit import enumerate_histogram, enumeration_rows
from splu_ref.audit.enumeration import eligible_histograms
from splu_ref.audit.release_laws import count_law, fault_in_groups, record_law
from splu_ref.channels import PublishedCount
from splu_ref.channels.parameters import Gamma
from splu_ref.mechanisms import PLANS, ArrayPlan, ColumnRelease, DecoyPlan, SpluGen, anatomy
from splu_ref.randomness import Draws, IntArray, PlanSecret

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


def test_laws_by_hand() -> None:
    assert count_law([(0, 1)], 2, HALF) == {(2, 0): QUARTER, (1, 1): HALF, (0, 2): QUARTER}
    assert count_law([(0, 1)], 2, 3 * QUARTER) == {
        (2, 0): Fraction(3, 16),
        (1, 1): Fraction(10, 16),
        (0, 2): Fraction(3, 16),
    }
    assert count_law([(0, 1)], 2, Fraction(1)) == {(1, 1): 1}
    # Value 0 twice: its two records share the groups {0, 1} and {0, 2} in either order.
    law = record_law([(0, 1), (0, 2)], [0, 0, 1, 2], HALF)
    first = {value: sum(p for published, p in law.items() if published[0] == value) for value in range(3)}
    assert first == {0: HALF, 1: QUARTER, 2: QUARTER}
    assert sum(p for published, p in law.items() if published[:2] == (1, 1)) == 0
    assert law[1, 2, 0, 0] == Fraction(1, 32)
    kept = record_law([(0, 1), (0, 2)], [0, 0, 1, 2], 3 * QUARTER)
    assert sum(p for published, p in kept.items() if published[0] == 1) == Fraction(1, 8)
    assert kept[1, 2, 0, 0] == Fraction(1, 2 * 4**4)


def test_faults_of_groups() -> None:
    assert fault_in_groups([(0, 1), (0, 2)], [2, 1, 1], 2) is None
    assert "distinct" in (fault_in_groups([(0, 0), (1, 2)], [2, 1, 1], 2) or "")
    assert "distinct" in (fault_in_groups([(0, 1, 2)], [1, 1, 1], 2) or "")
    assert "times" in (fault_in_groups([(0, 1), (1, 2)], [2, 1, 1], 2) or "")
    assert "outside" in (fault_in_groups([(0, 1), (2, 3)], [1, 1, 1], 2) or "")


def test_a_plan_is_made_once_for_each_of_its_own_outcomes() -> None:
    made: list[int] = []

    def drawn(histogram: IntArray, gamma: Gamma, source: PlanSecret) -> DecoyPlan:
        """Return the greedy plan, of which the second group may come first."""
        made.append(int(source.block(0).below(3, 1)[0]))
        groups = anatomy(histogram, gamma).groups()
        return ArrayPlan(gamma, len(histogram), groups[::-1] if made[-1] else groups)

    row = enumerate_histogram([2, 1, 1], PublishedCount.of(2), "drawn", plans={"drawn": drawn})
    assert row.holds, row.detail
    assert row.outcomes == 3 * 2 * 2**4  # plans, orders of the two records of the first value, draws
    assert made[:3] == [0, 1, 2]
    assert len(made) < row.outcomes / 4  # the laws of the theory walk the plans once more


@pytest.mark.parametrize("gamma", [2, 3])
def test_all_eligible_histograms_come_up_once(gamma: int) -> None:
    wanted = {
        histogram
        for values in range(1, 7)
        for histogram in product(range(1, 7), repeat=values)
        if sum(histogram) <= 6 and max(histogram) * gamma <= sum(histogram)
    }
    found = list(eligible_histograms(gamma))
    assert len(found) == len(set(found))
    assert set(found) == wanted
    once = list(eligible_histograms(gamma, ordered=False))
    assert {tuple(sorted(histogram)) for histogram in wanted} == {tuple(sorted(h)) for h in once}
    assert len(once) == len({tuple(sorted(h)) for h in once})


def test_shipped_mechanism_with_a_remainder() -> None:
    row = enumerate_histogram((2, 2, 1), PublishedCount.of(2), "cyclic")
    assert row.holds, row.detail
    # Five records can be deleted; then 2^4 draws, and 2 orders for each value that keeps two records.
    assert row.outcomes == 16 * (4 + 2 * 2 + 2 * 2)


def test_rows_cover_plans_and_group_sizes() -> None:
    rows = list(enumeration_rows(largest=3))
    assert [(row.plan, row.law.gamma, row.law.retention, row.histogram) for row in rows] == [
        (plan, gamma, retention, (1,) * records)
        for plan in PLANS
        for gamma, sizes in ((2, (2, 3)), (3, (3,)))
        for retention in (Fraction(1, gamma), Fraction(2, 3), 1)
        for records in sizes
    ]
    assert all(row.holds for row in rows)
    assert list(enumeration_rows(largest=3, gammas=(3,))) == [row for row in rows if row.law.gamma == 3]


Alter = Callable[[ColumnRelease, Draws], ColumnRelease]


def altered(alter: Alter) -> Callable[..., ColumnRelease]:
    def publish(mechanism: SpluGen, codes: IntArray, domain_size: int, draws: Draws) -> ColumnRelease:
        return alter(mechanism.publish_codes(codes, domain_size, draws), draws)

    return publish


def keep_first_deleted(done: ColumnRelease, source: Draws) -> ColumnRelease:
    rows = np.arange(len(done.rows)) + 1
    return ColumnRelease(rows, done.published, np.array([0]))


def skew_deletion(done: ColumnRelease, source: Draws) -> ColumnRelease:
    deleted = 0 if source.below(2, 1)[0] else int(done.suppressed[0])
    return ColumnRelease(np.delete(np.arange(3), deleted), done.published, np.array([deleted]))


@pytest.mark.parametrize(
    ("alter", "message"),
    [
        (lambda done, _: done._replace(published=np.zeros_like(done.published)), "has the law"),
        (lambda done, _: done._replace(published=np.sort(done.published)), "joint law"),
        (lambda done, _: done._replace(published=done.published + 9), "outside the domain"),
        (lambda done, _: done._replace(rows=done.rows * 0), "not the records that were kept"),
        (keep_first_deleted, "the deleted sets are"),
        (skew_deletion, "not 1/3"),
    ],
)
def test_each_difference_has_its_message(alter: Alter, message: str) -> None:
    row = enumerate_histogram((1, 1, 1), PublishedCount.of(2), publish=altered(alter))
    assert not row.holds
    assert message in row.detail


def test_dependence_between_groups_shows_in_the_histogram() -> None:
    def second_group_follows(done: ColumnRelease, source: Draws) -> ColumnRelease:
        # Groups {0, 1} and {2, 3}: records hold 3, 2, 1, 0, and each pair copies the other's choice.
        published = done.published[np.argsort(done.rows)]
        return done._replace(rows=np.arange(4), published=np.concatenate([published[2:] + 2, published[2:]]))

    row = enumerate_histogram((1, 1, 1, 1), PublishedCount.of(2), publish=altered(second_group_follows))
    assert "convolution" in row.detail


def test_missing_values_and_broken_plans_are_reported() -> None:
    short = altered(lambda done, _: done._replace(rows=done.rows[:1], published=done.published[:1]))
    assert "records" in enumerate_histogram((1, 1), PublishedCount.of(2), publish=short).detail

    def duplicate(histogram: IntArray, gamma: Gamma, _: PlanSecret) -> DecoyPlan:
        anatomy(histogram, gamma)
        return ArrayPlan(gamma, len(histogram), np.array([[0, 0], [1, 1]]))

    row = enumerate_histogram((2, 2), PublishedCount.of(2), "anatomy", plans={"anatomy": duplicate})
    assert "distinct values" in row.detail
