"""Bits reconstructed from answers: what must come out exactly, and what noise must prevent."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import polars as pl
import pytest

from experiments.query_interfaces import (
    Answers,
    distinguishable,
    exact_answers,
    noisy_answers,
    published_answers,
    reconstruct,
)
from splu_ref.audit.attacks.outcome import MEDIAN_LEVEL, Shares
from splu_ref.channels.parameters import ParameterError
from splu_ref.data import Microdata
from splu_ref.estimators.queries.counting import Columns
from splu_ref.mechanisms import Budget, DistributionBased, LaplaceCounts, RetentionReplacement, SpluGen
from splu_ref.randomness import IntArray, SeededSource

CODES = np.array([0, 1, 2, 3, 4] * 40)
BITS = CODES == 2
APART = np.arange(200)


@pytest.mark.parametrize("runs", [1, 5, 6, 21, 40, 101])
def test_the_interval_holds_the_median_whatever_the_law(runs: int) -> None:
    shares = Shares.of([Fraction(run) for run in range(runs)])
    assert (shares.interval is None) == (runs < 6)
    if shares.least == 0.0 and shares.greatest == 1.0 and runs < 6:
        assert 2**runs < MEDIAN_LEVEL * 2  # one rank would miss too often
        return
    below, above = int(shares.least), runs - 1 - int(shares.greatest)
    assert below == above
    missed = 2 * Fraction(sum(comb(runs, k) for k in range(below + 1)), 2**runs)
    assert (
        missed
        <= Fraction(1, MEDIAN_LEVEL)
        < 2 * Fraction(sum(comb(runs, k) for k in range(below + 2)), 2**runs)
    )


def test_exact_answers_give_every_bit_away() -> None:
    found = reconstruct(BITS, APART, exact_answers(BITS), SeededSource(1), victims=20, queries=60, runs=7)
    assert found.least_squares.least == found.linear_program.least == 1
    assert found.majority.greatest < 1.0


def test_large_noise_prevents_it_and_small_noise_does_not() -> None:
    source = SeededSource(2)

    def share(epsilon: str) -> Shares:
        answers = noisy_answers(BITS, LaplaceCounts(Budget.of(epsilon)), source)
        return reconstruct(BITS, APART, answers, source, victims=20, queries=60, runs=7).linear_program

    assert share("3").least == 1.0
    assert share("1/50").greatest < 1.0


@pytest.mark.parametrize(
    "mechanism", [SpluGen(5, "3/5"), RetentionReplacement("3/5", {"bit": tuple("abcde")})]
)
def test_estimates_from_a_release_reveal_only_what_is_published(
    mechanism: SpluGen | RetentionReplacement,
) -> None:
    shown: list[IntArray] = []

    def spied(answers: Answers) -> Answers:
        def watched(sets: IntArray, places: IntArray) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
            shown.append(places)
            return answers(sets, places)

        return watched

    answers = published_answers(mechanism, "bit", CODES, 5, 2, SeededSource(5))
    found = reconstruct(BITS, APART, spied(answers), SeededSource(6), victims=20, queries=60, runs=6)
    again, right = SeededSource(5), []
    for places in shown:
        done = mechanism.publish_columns({"bit": CODES}, {"bit": 5}, lambda _: again)
        published = np.empty(len(CODES), dtype=np.int64)
        published[done.rows] = done.published["bit"]
        agree = (published[places] == 2) == BITS[places]
        right.append(Fraction(int(agree.sum()), 20))
    assert found.least_squares == Shares.of(right)


def test_a_mechanism_that_ignores_the_record_reveals_no_bits() -> None:
    answers = published_answers(DistributionBased(), "bit", CODES, 5, 2, SeededSource(5))
    found = reconstruct(BITS, APART, answers, SeededSource(6), victims=20, queries=60, runs=6)
    assert found.least_squares == found.linear_program == found.majority


def test_a_table_of_one_value_reveals_nothing() -> None:
    same = np.zeros(40, dtype=np.int64)
    answers = published_answers(DistributionBased(), "bit", same, 1, 0, SeededSource(5))
    bits, everybody = np.ones(40, dtype=np.bool_), np.arange(40)
    found = reconstruct(bits, everybody, answers, SeededSource(6), victims=5, queries=9, runs=1)
    assert found.least_squares.median == 1


def test_estimates_of_sums_are_unbiased() -> None:
    answers = published_answers(SpluGen(5, "3/5"), "bit", CODES, 5, 2, SeededSource(9))
    sets = np.ones((1, 200), dtype=np.int64)
    mean = np.mean([answers(sets, APART)[0] for _ in range(200)])
    # a count of 40 by 200 records of variance below 1/4 / (1/2)^2 each: 200 means have a deviation below 1
    assert abs(mean - 40) < 8


def test_invalid_settings_are_refused() -> None:
    exact = exact_answers(BITS)
    for sizes in ((513, 1, 1), (1, 4097, 1), (1, 1, 102)):
        victims, queries, runs = sizes
        with pytest.raises(ParameterError, match="give at most"):
            reconstruct(BITS, APART, exact, SeededSource(1), victims=victims, queries=queries, runs=runs)
    with pytest.raises(ParameterError, match="no record to query"):
        reconstruct(BITS, APART[:0], exact, SeededSource(1), victims=1, queries=1, runs=1)


def test_records_are_distinguished_by_all_columns_together() -> None:
    frame = pl.DataFrame({"a": ["x", "x", "y", "y", "x"], "b": ["1", "2", "1", "1", "2"]})
    columns = Columns(Microdata.from_frame(frame), {})
    assert distinguishable(columns, ("a", "b")).tolist() == [0]
    assert distinguishable(columns, ("a",)).tolist() == []
