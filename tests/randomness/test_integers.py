"""The rule from bytes to a uniform integer, against a reference and over all short tapes."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_ref.channels.parameters import ParameterError, TapeExhaustedError
from splu_ref.randomness import RecordingSource, SeededSource, TapeSource
from splu_ref.randomness.byte_rules import candidate_width

BOUNDS = st.one_of(
    st.integers(2, 300),
    st.integers(1, 63).flatmap(
        lambda bits: st.sampled_from([2**bits, max(2**bits - 1, 2), 2 ** (bits - 1) + 1])
    ),
)


def reference(bound: int, tape: bytes, size: int) -> tuple[list[int], int]:
    """Return ``size`` integers below ``bound`` and the number of bytes read: the rule as written."""
    if bound == 1:
        return [0] * size, 0
    bits = len(f"{bound - 1:b}")
    width = -(-bits // 8)
    place, result = 0, list[int]()
    while len(result) < size:
        if place + width > len(tape):
            raise TapeExhaustedError
        candidate = int(tape[place : place + width].hex(), 16) % 2**bits
        place += width
        if candidate < bound:
            result.append(candidate)
    return result, place


@given(BOUNDS, st.binary(max_size=80), st.integers(0, 12))
def test_scalar_and_vector_follow_the_rule(bound: int, tape: bytes, size: int) -> None:
    try:
        expected, consumed = reference(bound, tape, size)
    except TapeExhaustedError:
        with pytest.raises(TapeExhaustedError):
            TapeSource(tape).below(bound, size)
        source = TapeSource(tape)
        with pytest.raises(TapeExhaustedError):
            [source.integer_below(bound) for _ in range(size)]
        return
    vector, scalar = TapeSource(tape), TapeSource(tape)
    drawn = vector.below(bound, size)
    assert drawn.dtype == np.int64
    assert drawn.tolist() == expected
    assert [scalar.integer_below(bound) for _ in range(size)] == expected
    assert vector.consumed == scalar.consumed == consumed


@pytest.mark.parametrize("bound", range(2, 10))
def test_all_tapes_of_two_bytes_give_every_integer_equally_often(bound: int) -> None:
    counts: Counter[int | None] = Counter()
    for pair in product(range(256), repeat=2):
        try:
            counts[TapeSource(bytes(pair)).integer_below(bound)] += 1
        except TapeExhaustedError:
            counts[None] += 1
    rejected = 256 - bound * 256 // 2 ** (bound - 1).bit_length()
    assert counts.pop(None, 0) == rejected**2
    assert counts == dict.fromkeys(range(bound), (65536 - rejected**2) // bound)


@pytest.mark.parametrize("bound", [257, 300, 384, 512, 40_000, 65_536])
def test_all_candidates_of_two_bytes_give_every_integer_equally_often(bound: int) -> None:
    every_candidate = np.arange(65536, dtype=">u2").tobytes()
    accepted = bound * 65536 // 2 ** (bound - 1).bit_length()
    drawn = TapeSource(every_candidate).below(bound, accepted)
    assert np.bincount(drawn, minlength=bound).tolist() == [accepted // bound] * bound


@pytest.mark.parametrize(
    ("bound", "bits", "width"),
    [
        (2, 1, 1),
        (5, 3, 1),
        (256, 8, 1),
        (257, 9, 2),
        (2**16, 16, 2),
        (2**16 + 1, 17, 3),
        (2**32, 32, 4),
        (2**63, 63, 8),
    ],
)
def test_width_of_a_candidate(bound: int, bits: int, width: int) -> None:
    assert candidate_width(bound) == (bits, width)


def test_integers_beyond_64_bits_are_drawn_one_by_one() -> None:
    tape = bytes([0xFF, *bytes(8)]) + bytes([0x01, *bytes(7), 0x00]) + bytes(9)
    assert TapeSource(tape).integer_below(2**64 + 1) == 2**64
    with pytest.raises(ParameterError, match="one by one"):
        TapeSource(tape).below(2**63 + 1, 1)


def test_a_bound_of_one_reads_nothing() -> None:
    source = TapeSource(b"")
    assert source.integer_below(1) == 0
    assert source.below(1, 3).tolist() == [0, 0, 0]
    assert source.below(7, 0).tolist() == []


def test_several_rejections_in_a_row() -> None:
    source = TapeSource(bytes.fromhex("07 0d ff 05 f4 00"))
    assert source.integer_below(5) == 4
    assert source.consumed == 5


@pytest.mark.parametrize("bound", [0, -3])
def test_a_bound_below_one_is_refused(bound: int) -> None:
    with pytest.raises(ParameterError, match="at least 1"):
        TapeSource(bytes(9)).integer_below(bound)
    with pytest.raises(ParameterError, match="at least 1"):
        TapeSource(bytes(9)).below(bound, 2)


def test_a_negative_size_is_refused() -> None:
    with pytest.raises(ParameterError, match="at least 0"):
        TapeSource(bytes(9)).below(3, -1)
    with pytest.raises(ParameterError, match="at least 0"):
        TapeSource(bytes(9)).permutation(-1)


def test_a_tape_that_runs_out_says_how_much_was_missing() -> None:
    source = TapeSource(b"\x07\x07\x07")
    with pytest.raises(TapeExhaustedError, match="1 bytes wanted, 0 left of 3"):
        source.integer_below(5)
    assert source.consumed == 3


@given(st.integers(0, 40).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))), st.integers(0, 2**32))
def test_a_subset_takes_the_drawn_rank_among_those_left(sizes: tuple[int, int], seed: int) -> None:
    population, count = sizes
    left = list(range(population))
    draws = SeededSource(seed)
    taken = [left.pop(draws.integer_below(population - drawn)) for drawn in range(count)]
    recording = RecordingSource(SeededSource(seed))
    assert recording.subset(population, count).tolist() == sorted(taken)
    assert TapeSource(recording.recorded).subset(population, count).tolist() == sorted(taken)


def test_impossible_subsets_are_refused() -> None:
    for population, count in ((3, 4), (3, -1)):
        with pytest.raises(ParameterError, match="does not exist"):
            TapeSource(bytes(99)).subset(population, count)
