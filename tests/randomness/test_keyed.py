"""Keyed randomness against its written rule."""

import hashlib
import hmac
import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_ref.channels.parameters import DataError, InputError, ParameterError
from splu_ref.randomness import IntArray, Key, KeyedRecords, KeyedRelease
from splu_ref.randomness.keyed import order_by_digest

KEY = Key(hashlib.sha256(b"a key").digest())
IDENTITIES = st.lists(st.binary(max_size=12), unique=True, max_size=30)
COLUMN = "Beruf ä"


def block(column: str, identity: bytes, number: int) -> bytes:
    name = column.encode("utf-8")
    message = b"splu-ref/keyed/2"
    message += len(name).to_bytes(8, "big") + name + len(identity).to_bytes(8, "big") + identity
    message += number.to_bytes(8, "big")
    return hmac.new(KEY.secret, message, hashlib.sha256).digest()


def draw(column: str, identity: bytes, bound: int) -> int:
    """Return the draw of one record, as the rule is written."""
    if bound == 1:
        return 0
    bits = (bound - 1).bit_length()
    width = (bits + 7) // 8
    tape, number = block(column, identity, 0)[16:], 1
    while True:
        while len(tape) < width:
            tape += block(column, identity, number)
            number += 1
        candidate = int.from_bytes(tape[:width], "big") & ((1 << bits) - 1)
        tape = tape[width:]
        if candidate < bound:
            return candidate


def bound_source(identities: list[bytes], column: str = COLUMN) -> KeyedRecords:
    return KeyedRelease(KEY).for_records(column, lambda: identities)


@given(IDENTITIES, st.data())
@settings(max_examples=60)
def test_orders_follow_the_digests(identities: list[bytes], data: st.DataObject) -> None:
    size = len(identities)
    codes = data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    digests = [block(COLUMN, identity, 0) for identity in identities]
    source = bound_source(identities)
    rows = range(size)
    order = sorted(rows, key=lambda row: (codes[row], digests[row][:8], digests[row], row))
    places = sorted(rows, key=lambda row: (digests[row][8:16], digests[row], row))
    assert source.order_within(np.array(codes, dtype=np.int64)).tolist() == order
    assert source.permutation(size).tolist() == places
    for count in {0, size // 3, size}:
        assert source.subset(size, count).tolist() == sorted(places[size - count :])


@pytest.mark.parametrize("bound", [1, 2, 5, 7, 256, 257, 2**17 + 1, 2**32 + 1, 2**62 + 1, 2**63])
def test_draws_follow_the_tape_of_each_record(bound: int) -> None:
    """Of 400 records, 100 leave the first digest at 2**62 + 1 and some 12 straddle its end at 2**17 + 1."""
    identities = [b"%d" % row for row in range(400)]
    drawn = bound_source(identities).below(bound, 400)
    assert drawn.tolist() == [draw(COLUMN, identity, bound) for identity in identities]
    assert drawn.dtype == np.int64


@given(st.permutations(range(12)))
@settings(max_examples=20)
def test_a_record_keeps_its_choices_wherever_it_stands_in_the_file(order: list[int]) -> None:
    identities = [b"record %d" % row for row in range(12)]
    codes = np.arange(12) % 2
    here, there = bound_source(identities), bound_source([identities[row] for row in order])
    rows = np.array(order)
    assert there.below(5, 12).tolist() == here.below(5, 12)[rows].tolist()
    assert rows[there.permutation(12)].tolist() == here.permutation(12).tolist()
    assert rows[there.order_within(codes[rows])].tolist() == here.order_within(codes).tolist()
    assert sorted(rows[there.subset(12, 5)].tolist()) == here.subset(12, 5).tolist()


def test_deleting_records_changes_nothing_for_the_others() -> None:
    identities = [b"%d" % row for row in range(300)]
    source = bound_source(identities)
    deleted = source.subset(300, 7)
    rows = np.setdiff1d(np.arange(300), deleted)
    kept = source.select_records(rows)
    assert kept.below(2**62 + 1, 293).tolist() == source.below(2**62 + 1, 300)[rows].tolist()
    assert rows[kept.permutation(293)].tolist() == source.permutation(300)[:293].tolist()
    few, drawn = kept.select_records(np.array([4, 2])).below(2**62 + 1, 2), source.below(2**62 + 1, 300)
    assert few.tolist() == drawn[rows[[4, 2]]].tolist()


def test_a_tape_is_not_read_twice() -> None:
    source = bound_source([b"a", b"b"])
    assert source.below(7, 2).tolist() == source.below(7, 2).tolist()
    for reread in (source, source.select_records(np.array([1]))):
        with pytest.raises(RuntimeError, match="read below 7 already, not below 8"):
            reread.below(8, len(reread.permutation(2 if reread is source else 1)))


def test_columns_keys_and_identities_are_distinguished() -> None:
    identities = [b"a", b"b"]
    same = bound_source(identities, "v").below(2**62, 2).tolist()
    assert bound_source(identities, "v").below(2**62, 2).tolist() == same
    assert bound_source(identities, "w").below(2**62, 2).tolist() != same
    other = KeyedRelease(Key(hashlib.sha256(b"another").digest())).for_records("v", lambda: identities)
    assert other.below(2**62, 2).tolist() != same
    # The lengths in the message keep ("v", "wx") and ("vw", "x") apart.
    assert bound_source([b"wx"], "v").below(2**62, 1) != bound_source([b"x"], "vw").below(2**62, 1)


def test_parts_that_agree_are_ordered_by_the_whole_digest_and_then_by_row() -> None:
    digests = np.zeros((7, 32), dtype=np.uint8)
    digests[:, 31] = [3, 1, 2, 0, 0, 9, 8]
    digests[[5, 6], 0] = 255
    everyone = np.zeros(7, dtype=np.int64)
    assert order_by_digest(digests, slice(0, 8), everyone).tolist() == [3, 4, 1, 2, 0, 6, 5]
    assert order_by_digest(digests, slice(8, 16)).tolist() == [3, 4, 1, 2, 0, 6, 5]
    codes = np.array([1, 0, 1, 1, 0, 1, 1])
    assert order_by_digest(digests, slice(0, 8), codes).tolist() == [4, 1, 3, 2, 0, 6, 5]


def test_a_run_of_parts_that_agree_ends_where_they_differ() -> None:
    digests = np.zeros((4, 32), dtype=np.uint8)
    digests[:, 0] = [3, 1, 2, 0]
    digests[3, 15] = 1  # a later part, in a digest that begins lower
    assert order_by_digest(digests, slice(8, 16)).tolist() == [1, 2, 0, 3]


def test_digest_parts_are_compared_as_unsigned_big_endian_numbers() -> None:
    digests = np.zeros((3, 32), dtype=np.uint8)
    digests[0, 0] = 0x80
    digests[1, 7] = 0xFF
    digests[2, 0] = 0x7F
    assert order_by_digest(digests, slice(0, 8)).tolist() == [1, 2, 0]


@pytest.mark.parametrize(
    "choose",
    [
        lambda source: source.below(5, 3),
        lambda source: source.permutation(3),
        lambda source: source.order_within(np.zeros(3, dtype=np.int64)),
        lambda source: source.subset(3, 1),
    ],
)
def test_choices_for_another_number_of_records_are_refused(
    choose: Callable[[KeyedRecords], IntArray],
) -> None:
    with pytest.raises(InputError, match=r"bound to 2 records, not 3.*select_records"):
        choose(bound_source([b"a", b"b"]))


def test_impossible_arguments_are_refused() -> None:
    source = bound_source([b"a", b"b"])
    for bound in (0, 2**63 + 1):
        with pytest.raises(ParameterError):
            source.below(bound, 2)
    with pytest.raises(ParameterError):
        source.subset(2, 3)


def test_equal_identities_are_refused_by_name() -> None:
    with pytest.raises(DataError, match=r"rows 2 and 4 have the same identity b'b'.*'v'.*id_column"):
        bound_source([b"a", b"b", b"c", b"b", b"a"], "v")
    with pytest.raises(DataError, match=r"x\.\.\.'"):
        bound_source([b"x" * 1000] * 2)
    for length, shown in ((60, "x" * 60), (61, "x" * 57 + "...")):
        with pytest.raises(DataError, match=re.escape(f"identity b'{shown}',")):
            bound_source([b"x" * length] * 2)


def test_an_empty_table_has_no_choices() -> None:
    source = bound_source([])
    assert source.below(5, 0).tolist() == []
    assert source.permutation(0).tolist() == []
    assert source.subset(0, 0).tolist() == []


def test_more_records_than_one_chunk() -> None:
    identities = [b"%d" % row for row in range(70_000)]
    drawn = bound_source(identities).below(2**63, 70_000)
    for row in (0, 65_535, 65_536, 69_999):
        assert drawn[row] == draw(COLUMN, identities[row], 2**63)
