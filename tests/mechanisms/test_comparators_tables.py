"""Anatomy's two tables and distribution-based randomization: every outcome, and what a reader relies on."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from splu_ref.channels.parameters import ParameterError
from splu_ref.mechanisms import Anatomy, DistributionBased, SpluGen
from splu_ref.randomness import RecordingSource, SeededSource, TapeSource, outcomes

CODES = np.array([0, 1, 0, 2, 1, 2, 0, 3], dtype=np.int64)


def test_each_group_holds_the_values_of_its_records() -> None:
    for plan in ("anatomy", "cyclic"):
        done = Anatomy(2, plan=plan).publish_codes(CODES, 4, SeededSource(5))
        assert sorted(done.rows.tolist()) == list(range(8))
        for group, values in enumerate(done.values.tolist()):
            members = done.rows[done.groups == group]
            assert sorted(CODES[members].tolist()) == values
            assert len(set(values)) == 2


def test_the_sensitive_table_is_group_value_count() -> None:
    done = Anatomy(2).publish_codes(CODES, 4, SeededSource(5))
    table = done.sensitive_table()
    assert table.shape == (8, 3)
    assert table[:, 0].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    counted: Counter[int] = Counter()
    for _, value, count in table.tolist():
        counted[value] += count
    assert counted == Counter(CODES.tolist())
    assert (np.diff(table[:, 1].reshape(4, 2), axis=1) > 0).all()


def test_the_remainder_is_deleted_from_both_tables() -> None:
    codes = np.array([0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5], dtype=np.int64)
    gone: Counter[int] = Counter()
    for seed in range(60):
        done = Anatomy(3).publish_codes(codes, 6, SeededSource(seed))
        assert sorted([*done.rows.tolist(), *done.suppressed.tolist()]) == list(range(11))
        assert done.values.shape == (3, 3)
        gone.update(done.suppressed.tolist())
    assert len(gone) == 11


def test_it_draws_what_splu_gen_draws_but_for_step_3() -> None:
    # The same tape gives the same groups: SPLU-Gen's published value is one of the record's group. Its
    # draws come before the shuffle, so only the groups, not the rows, agree.
    recorder = RecordingSource(SeededSource(11))
    shown = SpluGen(2, plan="anatomy").publish_codes(CODES, 4, recorder)
    tables = Anatomy(2, plan="anatomy").publish_codes(CODES, 4, TapeSource(recorder.recorded))
    group_of = dict(zip(tables.rows.tolist(), tables.groups.tolist(), strict=True))
    for record, value in zip(shown.rows.tolist(), shown.published.tolist(), strict=True):
        assert value in tables.values[group_of[record]]


def test_a_record_stands_in_every_group_of_its_value_alike() -> None:
    law: dict[tuple[int, int], Fraction] = {}

    for done, chance in outcomes(lambda source: Anatomy(2).publish_codes(CODES, 4, source)):
        for record, group in zip(done.rows.tolist(), done.groups.tolist(), strict=True):
            law[record, group] = law.get((record, group), Fraction(0)) + chance
    frequency = Counter(CODES.tolist())
    assert all(chance == Fraction(1, frequency[int(CODES[record])]) for (record, _), chance in law.items())
    assert len(law) == sum(count**2 for count in frequency.values())


def test_rows_are_shuffled_with_their_groups() -> None:
    orders = {
        tuple(Anatomy(2).publish_codes(CODES, 4, SeededSource(seed)).rows.tolist()) for seed in range(40)
    }
    assert len(orders) == 40


def test_codes_that_cannot_be_grouped_are_refused() -> None:
    with pytest.raises(ParameterError, match="largest feasible gamma is 2"):
        Anatomy(3).publish_codes(CODES, 4, SeededSource(1))


def test_every_record_draws_from_the_whole_histogram() -> None:
    codes = np.array([2, 0, 2, 1], dtype=np.int64)
    law: dict[tuple[int, ...], Fraction] = {}
    for done, chance in outcomes(lambda source: DistributionBased().publish_codes(codes, 4, source)):
        published = tuple(done.published.tolist())
        law[published] = law.get(published, Fraction(0)) + chance
    share = {0: Fraction(1, 4), 1: Fraction(1, 4), 2: Fraction(1, 2)}
    assert set(law) == set(product(share, repeat=4))
    for published, chance in law.items():
        expected = Fraction(1)
        for value in published:
            expected *= share[value]
        assert chance == expected


def test_the_order_of_the_file_is_not_kept() -> None:
    orders = {
        tuple(DistributionBased().publish_codes(CODES, 4, SeededSource(seed)).rows.tolist())
        for seed in range(40)
    }
    assert len(orders) == 40
    assert all(sorted(order) == list(range(8)) for order in orders)


def test_a_table_without_records_is_refused() -> None:
    with pytest.raises(ParameterError, match="no records"):
        DistributionBased().publish_codes(np.array([], dtype=np.int64), 1, SeededSource(1))
