"""What the computations of the room are said to cost: the figures that decide what is refused."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from splu_ref.channels import PublishedCount
from splu_ref.channels import binomial as work
from splu_ref.channels.binomial import WorkError, left, one_budget
from splu_ref.channels.parameters import ParameterError
from splu_ref.guarantees import (
    Conjunction,
    conjunction_error_bound,
    conjunction_error_probability,
    conjunction_threshold,
    decimal_down,
    error_probability,
    privacy_minimum,
)
from splu_ref.guarantees.conjunction import _refuse_large
from splu_ref.guarantees.conjunction_bounds import fractions_work
from splu_ref.guarantees.count_error import enclosure_work, exact_work
from splu_ref.guarantees.minimum_error import refuse_long_search, search_work
from splu_ref.guarantees.privacy import privacy_parameters
from splu_ref.guarantees.utility import scan_work

PLAIN, KEPT = PublishedCount.of(5), PublishedCount.of(5, "2/7")
CASE = Conjunction.of(3, 45, 3, 12)
EPSILON = Fraction(3, 10)


def test_what_is_foreseen() -> None:
    enclosed = ((1, 1, 12), (1000, 300, 64), (10**6, 1, 256))
    assert [enclosure_work(PLAIN, *each) for each in enclosed] == [32_700, 1_165_776, 66_984_140]
    assert [enclosure_work(KEPT, *each) for each in enclosed] == [1_508_100, 11_275_728, 514_752_084]
    exactly = ((3, 1), (100, 30), (100, 401), (9000, 5))
    assert [exact_work(PLAIN, *each) for each in exactly] == [8150, 115_451, 2701, 463_404_349]
    searched = ((3, 1), (50, 2), (10_000, 3), (10**6, 1))
    assert [search_work(PLAIN, EPSILON, *each) for each in searched] == [
        83_800, 1_970_800, 205_461_872, 3_583_516_888,
    ]  # fmt: skip
    assert [search_work(KEPT, EPSILON, *each) for each in searched] == [
        3_554_520, 42_589_600, 1_600_485_040, 14_286_714_232,
    ]  # fmt: skip
    scanned = (1, 2, 100, 100_000)
    assert [scan_work(PLAIN, EPSILON, each) for each in scanned] == [70_760, 78_160, 1_970_800, 484_863_120]
    assert [scan_work(KEPT, EPSILON, each) for each in scanned] == [
        3_147_080, 3_391_120, 42_589_600, 3_182_667_840,
    ]  # fmt: skip
    case = Conjunction.of(5, 1000, 20, 100, retention="2/7")
    assert [fractions_work(case, each) for each in (Fraction(1, 2), Fraction(12_345_678_901, 10**13))] == [
        86_000, 104_000,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "cost"),
    [
        (lambda: conjunction_error_probability(CASE, "1/2", 2), 276_345),
        (lambda: conjunction_error_bound(CASE, "1/2", 2), 9_538_150),
        (lambda: conjunction_threshold(CASE, "1/2", "1/4"), 1_501_638),
        (lambda: error_probability(5, "3/10", 50).exact(), 36_513),
        (lambda: error_probability(5, "3/10", 50).bounds(), 61_750),
        (lambda: error_probability(5, "3/10", 50, retention="2/7").bounds(), 568_472),
        (lambda: error_probability(5, "3/10", 50, retention="2/7").exact(), 50_761),
        (lambda: decimal_down(Fraction(1, 3), 12), 640),
        (lambda: decimal_down(Fraction(1, 3**20_000), 12), 35_360),
        (lambda: decimal_down(Fraction(10**40, 3), 30), 1100),
    ],
)
def test_what_is_spent(call: Callable[[], object], cost: int) -> None:
    with one_budget():
        call()
        assert work.MOST - left() == cost


def test_an_enumeration_within_the_budget_and_its_own_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    large = Conjunction.of(5, 4000, 300, 1500)  # masses of 3600 bits: 6,900,000 for each K
    with one_budget():
        _refuse_large(large, 2898, 300)
        with pytest.raises(ParameterError, match=r"f = 300 and up to 2899 exposed records .* takes too long"):
            _refuse_large(large, 2899, 300)
    for most in (276_345, 276_344):
        monkeypatch.setattr(work, "MOST", most)
        if most == 276_345:
            assert 0 < conjunction_error_probability(CASE, "1/2", 2) < 1
        else:
            with pytest.raises(ParameterError, match="use conjunction_error_bound"):
                conjunction_error_probability(CASE, "1/2", 2)


@pytest.mark.parametrize(
    ("gamma", "epsilon", "most"), [(3, "1", 20_000_000), (3, "2", 66_666_666), (2, "1/1000", 100_000_000)]
)
def test_the_most_releases_will_do_and_one_more_will_not(
    gamma: int, epsilon: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "MOST", 10**15)
    assert privacy_parameters(gamma, epsilon, 1, most, None)[2:] == (1, most)
    with pytest.raises(ParameterError, match=f"give at most {most} releases"):
        privacy_parameters(gamma, epsilon, 1, most + 1, None)


def test_a_search_with_releases_says_so() -> None:
    with pytest.raises(WorkError, match=r"^alpha = 1000 with 30000 releases would take too long: give an "):
        privacy_minimum(5, EPSILON, 1000, 30_000)
    with pytest.raises(WorkError, match=r"^alpha = 1000000000 would take too long: give an alpha of"):
        refuse_long_search(PublishedCount.of(100), Fraction(50), 10**9)


def test_what_no_alpha_would_do_for_has_another_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "MOST", 50)
    remedy = "a smaller gamma, or a retention with fewer digits$"
    with pytest.raises(WorkError, match=f"^alpha = 3 would take too long: give {remedy}"):
        privacy_minimum(5, EPSILON, 3)
    with pytest.raises(
        WorkError, match=f"^alpha = 3 with 2 releases would take too long: give fewer releases, {remedy}"
    ):
        privacy_minimum(5, EPSILON, 3, 2)
