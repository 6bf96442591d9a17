from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from splu_ref.channels.parameters import ParameterError
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import IntArray, RecordingSource, SeededSource, TapeSource

CODES = np.array([0, 1, 0, 2, 1, 2, 0, 3], dtype=np.int64)


def test_every_record_stays_in_its_group_and_rows_are_shuffled() -> None:
    seen: set[tuple[int, ...]] = set()
    for seed in range(50):
        done = SpluGen(2).publish_codes(CODES, 4, SeededSource(seed))
        assert sorted(done.rows.tolist()) == list(range(8))
        assert done.published.shape == (8,)
        seen.add(tuple(done.rows.tolist()))
    assert len(seen) == 50


def test_the_remainder_is_deleted_and_reported() -> None:
    codes = np.array([0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5], dtype=np.int64)
    gone: Counter[int] = Counter()
    for seed in range(60):
        done = SpluGen(3).publish_codes(codes, 6, SeededSource(seed))
        assert len(done.rows) == 9
        assert len(done.suppressed) == 2
        assert sorted([*done.rows.tolist(), *done.suppressed.tolist()]) == list(range(11))
        gone.update(done.suppressed.tolist())
    assert len(gone) == 11


def test_a_recorded_tape_replays_a_release() -> None:
    recorder = RecordingSource(SeededSource(7))
    first = SpluGen(2).publish_codes(CODES, 4, recorder)
    tape = TapeSource(recorder.recorded)
    second = SpluGen(2).publish_codes(CODES, 4, tape)
    np.testing.assert_array_equal(first.rows, second.rows)
    np.testing.assert_array_equal(first.published, second.published)
    assert tape.consumed == len(recorder.recorded)


class _Constant(SeededSource):
    """Draws the same integer for every record, and does not shuffle."""

    def __init__(self, draw: int) -> None:
        super().__init__(0)
        self._draw = draw

    def below(self, bound: int, size: int) -> IntArray:
        return np.full(size, self._draw) if bound == 2 else super().below(bound, size)

    def permutation(self, size: int) -> IntArray:
        return np.arange(size, dtype=np.int64)


def test_draw_zero_keeps_every_own_value() -> None:
    done = SpluGen(2, plan="anatomy").publish_codes(CODES, 4, _Constant(0))
    np.testing.assert_array_equal(done.published, CODES)
    done = SpluGen(2, plan="cyclic").publish_codes(CODES, 4, _Constant(0))
    np.testing.assert_array_equal(done.published, CODES)


def test_the_smallest_id_rule_by_hand() -> None:
    # Left 3, 2, 2, 1: groups {0,1}, {0,2}, {0,1}, {2,3}; each record takes the other value of its group.
    done = SpluGen(2, plan="anatomy").publish_codes(CODES, 4, _Constant(1), order="smallest-id")
    assert done.published.tolist() == [1, 0, 2, 0, 0, 3, 1, 2]


def test_two_columns_have_plans_of_their_own_and_one_shuffle() -> None:
    other = CODES[::-1].copy()
    source = SeededSource(3)
    done = SpluGen(2).publish_columns({"a": CODES, "b": other}, {"a": 4, "b": 4}, lambda _: source)
    assert sorted(done.rows.tolist()) == list(range(8))
    assert set(done.published) == {"a", "b"}
    assert not np.array_equal(done.published["a"], done.published["b"])


def test_codes_that_cannot_be_grouped_are_refused() -> None:
    with pytest.raises(ParameterError, match="largest feasible gamma is 2"):
        SpluGen(3).publish_codes(CODES, 4, SeededSource(1))
