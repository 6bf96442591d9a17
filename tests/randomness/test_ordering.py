"""The rule from keys to a uniform order: against a reference, and enumerated with narrow keys."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import groupby, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_ref.channels.parameters import TapeExhaustedError
from splu_ref.randomness import EnumerationSource, IntArray, SeededSource, SystemSource, TapeSource, outcomes
from splu_ref.randomness import orders as ordering
from splu_ref.randomness.orders import random_order


def reference(codes: list[int], tape: bytes) -> tuple[list[int], int]:
    """Return the order of the records and the number of bytes read: the rule as written."""
    if len(codes) <= 1:
        return list(range(len(codes))), 0
    place = 0
    history: dict[int, tuple[int, ...]] = {item: (code,) for item, code in enumerate(codes)}
    requested = list(range(len(codes)))
    while requested:
        for item in requested:
            if place + 4 > len(tape):
                raise TapeExhaustedError
            history[item] += (int.from_bytes(tape[place : place + 4], "big"),)
            place += 4
        order = sorted(history, key=lambda item: (history[item], item))
        runs = [list(run) for _, run in groupby(order, key=lambda item: history[item])]
        requested = [item for run in runs if len(run) > 1 for item in run]
    return order, place


# Tapes of few different keys tie in most rounds.
WORDS = st.sampled_from([b"\0\0\0\0", b"\0\0\0\1", b"\1\0\0\0", b"\xff\xff\xff\xff"])
TAPES = st.one_of(
    st.lists(WORDS, max_size=60).map(b"".join),
    st.builds(
        lambda few, many: b"".join(few) + many,
        st.lists(WORDS, max_size=24),
        st.binary(min_size=200, max_size=200),
    ),
)
CODES = st.lists(
    st.one_of(st.integers(0, 2), st.sampled_from([0, 2**20, 2**40, 2**62, 2**63 - 1]), st.integers(-2, 1)),
    max_size=8,
)


@given(CODES, TAPES)
def test_order_within_follows_the_rule(codes: list[int], tape: bytes) -> None:
    source = TapeSource(tape)
    array = np.array(codes, dtype=np.int64)
    try:
        expected, consumed = reference(codes, tape)
    except TapeExhaustedError:
        with pytest.raises(TapeExhaustedError):
            source.order_within(array)
        return
    order = source.order_within(array)
    assert order.dtype == np.int64
    assert order.tolist() == expected
    assert source.consumed == consumed
    assert array.tolist() == codes


@given(st.integers(0, 9), TAPES)
def test_permutation_is_order_within_one_code(size: int, tape: bytes) -> None:
    source = TapeSource(tape)
    try:
        expected, consumed = reference([0] * size, tape)
    except TapeExhaustedError:
        with pytest.raises(TapeExhaustedError):
            source.permutation(size)
        return
    assert source.permutation(size).tolist() == expected
    assert source.consumed == consumed


@pytest.mark.parametrize("spread", [1, 2**40])
def test_many_records_with_real_ties_follow_the_rule(spread: int) -> None:
    """With keys of 16 bits some 140 pairs tie; both ways of sorting must follow the rule."""
    generator = np.random.default_rng(20)
    keys = generator.integers(0, 2**16, 12_000).astype(">u4").tobytes()
    codes = generator.integers(0, 2, 6_000) * spread
    expected, consumed = reference(codes.tolist(), keys)
    source = TapeSource(keys)
    assert source.order_within(codes).tolist() == expected
    assert source.consumed == consumed > 4 * 6_000


def test_two_rounds_of_ties_by_hand() -> None:
    source = TapeSource(
        bytes.fromhex(
            "00000007 00000001 00000007 00000001 00000007"  # items 1 and 3 tie, and 0, 2 and 4
            "00000009 00000002"  # 3 before 1
            "00000005 00000005 00000000"  # 4 first, 0 and 2 tie again
            "00000001 00000000"  # 2 before 0
        )
    )
    assert source.permutation(5).tolist() == [3, 1, 4, 2, 0]
    assert source.consumed == 48


def test_a_record_alone_in_its_code_draws_a_key_and_never_a_second_one() -> None:
    source = TapeSource(bytes.fromhex("00000005 00000005 00000005 ffffffff 00000001"))
    assert source.order_within(np.array([1, 0, 1])).tolist() == [1, 2, 0]
    assert source.consumed == 20


def test_at_most_one_item_reads_nothing() -> None:
    for size in (0, 1):
        source = TapeSource(b"")
        assert source.permutation(size).tolist() == list(range(size))
        assert source.order_within(np.zeros(size, dtype=np.int64)).tolist() == list(range(size))


class CutOffError(Exception):
    """The rounds that the enumeration follows are used up."""


def narrow_orders(codes: list[int], key_bits: int, rounds: int) -> Counter[tuple[int, ...] | None]:
    """Return the exact probability of each order within ``rounds`` rounds of keys, and of None: undecided."""

    def run(source: EnumerationSource) -> tuple[int, ...] | None:
        left = iter(range(rounds))

        def draw(bound: int, size: int) -> IntArray:
            if next(left, None) is None:
                raise CutOffError
            return source.below(bound, size)

        try:
            return tuple(random_order(draw, len(codes), np.array(codes), key_bits).tolist())
        except CutOffError:
            return None

    mass: Counter[tuple[int, ...] | None] = Counter()
    for order, probability in outcomes(run):
        mass[order] += probability  # type: ignore[assignment]  # a Counter adds fractions as it adds integers
    return mass


def allowed_orders(codes: list[int]) -> Iterator[tuple[int, ...]]:
    for order in permutations(range(len(codes))):
        if [codes[item] for item in order] == sorted(codes):
            yield order


@pytest.mark.parametrize(
    ("codes", "key_bits", "rounds"),
    [
        ([0, 0], 1, 6),
        ([0, 0, 0], 1, 4),
        ([0, 0, 0], 2, 2),
        ([0, 0, 0, 0], 1, 2),
        ([0, 0, 0, 0], 3, 1),
        ([1, 0, 1, 0], 2, 2),
        ([1, 0, 1, 1], 1, 3),
        ([2**62, 0, 2**62], 2, 3),
        ([-1, 0, -1], 2, 3),
    ],
)
def test_every_order_has_the_same_probability(codes: list[int], key_bits: int, rounds: int) -> None:
    """However narrow the keys and whenever it stops, the rule favors no order."""
    mass = narrow_orders(codes, key_bits, rounds)
    undecided = mass.pop(None, 0)
    allowed = list(allowed_orders(codes))
    assert mass == dict.fromkeys(allowed, (Fraction(1) - undecided) / len(allowed))
    pairs = sum(codes[i] == codes[j] for i in range(len(codes)) for j in range(i))
    assert 0 < undecided <= Fraction(pairs, 2 ** (key_bits * rounds))


def all_tapes(size: int, key_bits: int, bytes_at_most: int) -> Iterator[tuple[tuple[int, ...] | None, int]]:
    """Walk every tape of bytes below 2**key_bits, extending it only where the rule asks for more."""
    waiting = [b""]
    while waiting:
        tape = waiting.pop()
        source = TapeSource(tape)
        try:
            yield tuple(random_order(source.below, size, None, key_bits).tolist()), len(tape)
        except TapeExhaustedError:
            if len(tape) >= bytes_at_most:
                yield None, len(tape)
            else:
                waiting += [tape + bytes([byte]) for byte in range(1 << key_bits)]


@pytest.mark.parametrize(
    ("size", "key_bits", "bytes_at_most", "out_of_tape"),
    [
        (2, 4, 4, Fraction(1, 16) ** 2),  # a tie in both rounds
        (3, 3, 5, Fraction(1, 64) + Fraction(21, 64) / 8),  # a tie of all three, or of two in both rounds
    ],
)
def test_all_tapes_of_bytes_give_every_permutation_equally_often(
    size: int, key_bits: int, bytes_at_most: int, out_of_tape: Fraction
) -> None:
    mass: dict[tuple[int, ...] | None, Fraction] = {}
    for order, length in all_tapes(size, key_bits, bytes_at_most):
        mass[order] = mass.get(order, Fraction(0)) + Fraction(1, 2 ** (key_bits * length))
    undecided = mass.pop(None)
    every = list(permutations(range(size)))
    assert mass == dict.fromkeys(every, (1 - undecided) / len(every))
    assert undecided == out_of_tape


def test_half_a_million_records_are_permuted_within_their_codes() -> None:
    codes = np.arange(500_000) % 7
    order = SystemSource().order_within(codes)
    assert np.array_equal(codes[order], np.sort(codes))
    assert np.array_equal(np.sort(order), np.arange(500_000))
    assert not np.array_equal(order, np.argsort(codes, kind="stable"))


@pytest.mark.parametrize(
    ("spread", "key_bits", "sort"),
    [
        (2**18, 32, "_sort_blocks"),
        (2**47, 2, "_sort_blocks"),
        (2**50, 32, "_sort_columns"),
        (2**54, 2, "_sort_columns"),
    ],
)
def test_codes_that_ascend_are_ordered_by_the_same_rule(
    spread: int, key_bits: int, sort: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes = np.repeat(np.arange(200), np.arange(200) % 4)
    drawn, again = SeededSource(4), SeededSource(4)
    # Small numbers are sorted as one word with the item's number; other tests compare that with the rule.
    plain = random_order(again.below, len(codes), codes, key_bits)
    chosen = getattr(ordering, sort)
    calls = 0

    def counted(*parts: Any) -> Any:
        nonlocal calls
        calls += 1
        return chosen(*parts)

    monkeypatch.setattr(ordering, sort, counted)
    fast = random_order(drawn.below, len(codes), codes * spread, key_bits)
    np.testing.assert_array_equal(fast, plain)
    assert drawn.read(4) == again.read(4)
    assert calls == 1


@pytest.mark.parametrize("width", [62, 63])
def test_the_widest_keys_order_items_without_codes_as_numbers(width: int) -> None:
    keys = [2**width - 1, 5, 2 ** (width - 1), 0, 7]
    order = random_order(lambda bound, size: np.array(keys), len(keys), None, width)
    assert order.tolist() == sorted(range(len(keys)), key=keys.__getitem__) == [3, 1, 4, 2, 0]
