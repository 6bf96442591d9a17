"""Rules on both sides of sizes at which an implementation might change them: 2^8 values, 2^20 draws or rows.

No stream of that length is random here. The bytes count up or down, so that what must come out is known in
one line, and another rule (a remainder in place of a rejection, no shuffle, one byte in place of two) gives
something else in nearly every place.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from splu_ref.channels.parameters import Gamma
from splu_ref.mechanisms import Operator, RetentionReplacement, SpluGen, Swapping
from splu_ref.randomness import Key, RecordingSource, SeededSource, TapeSource
from splu_ref.randomness.byte_rules import ByteSource
from splu_ref.randomness.keyed import KeyedRecords

KEY = Key(bytes(range(31)) + b"!")
MILLION = 1 << 20
SIZES = (MILLION - 1, MILLION, MILLION + 1)


class Counting(ByteSource):
    """A stream of numbers of one width: 0, 1, 2, ... below 256^width, and again from 0."""

    name = "counting"

    def __init__(self, width: int) -> None:
        self._width, self.read_bytes = width, 0

    def read(self, count: int) -> bytes:
        first, rest = divmod(self.read_bytes, self._width)
        assert rest == count % self._width == 0
        self.read_bytes += count
        numbers = np.arange(first, first + count // self._width, dtype=np.uint64)
        return numbers.astype(">u8").view(np.uint8).reshape(-1, 8)[:, -self._width :].tobytes()


class Descending(ByteSource):
    """What publishing ``size`` records reads: descending keys for every order, and zeros elsewhere."""

    name = "descending"

    def __init__(self, size: int) -> None:
        self._size, self.orders = size, 0

    def read(self, count: int) -> bytes:
        if count != 4 * self._size:
            return bytes(count)
        self.orders += 1
        return np.arange(self._size, 0, -1).astype(">u4").tobytes()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("bound", "width"), [(3, 1), (200, 1), (300, 2), (40_000, 2), (600_000, 3)])
def test_candidates_are_rejected_however_many_integers_are_drawn(bound: int, width: int, size: int) -> None:
    """Of numbers that count up, those below the bound are taken: 0 to bound - 1 again and again."""
    source = Counting(width)
    assert np.array_equal(source.below(bound, size), np.arange(size) % bound)
    rounds, rest = divmod(size, bound)
    assert source.read_bytes >= width * (rounds * (1 << (bound - 1).bit_length()) + rest - bound)


@pytest.mark.parametrize("size", SIZES)
def test_bounds_that_are_powers_of_two_take_the_low_bits(size: int) -> None:
    for bound, width in ((2, 1), (256, 1), (512, 2), (1 << 20, 3)):
        source = Counting(width)
        assert np.array_equal(source.below(bound, size), np.arange(size) % bound)
        assert source.read_bytes == size * width


@pytest.mark.parametrize("size", SIZES)
def test_coins_are_bits_however_many_there_are(size: int) -> None:
    found = Counting(1).coins(size)
    places = np.arange(size)
    assert np.array_equal(found, places // 8 % 256 >> (7 - places % 8) & 1 == 1)


@pytest.mark.parametrize("size", SIZES)
def test_orders_follow_the_keys_however_many_items_there_are(size: int) -> None:
    backwards = np.arange(size)[::-1]
    assert np.array_equal(Descending(size).permutation(size), backwards)
    codes = np.arange(size) % 2
    within = np.concatenate([backwards[codes[::-1] == code] for code in (0, 1)])
    assert np.array_equal(Descending(size).order_within(codes), within)


@pytest.mark.parametrize("size", [MILLION - 2, MILLION, MILLION + 2])
def test_a_release_is_shuffled_however_many_rows_it_has(size: int) -> None:
    source, codes = Descending(size), np.arange(size) % 2
    found = SpluGen(Gamma(2), plan="cyclic").publish_codes(codes, 2, source)
    assert source.orders == 2
    assert np.array_equal(found.rows, np.arange(size)[::-1])
    assert np.array_equal(found.published, codes[::-1])


def keyed(digests: NDArray[np.uint64]) -> KeyedRecords:
    """Return draws by key of records whose digests are these numbers, four of 8 bytes for each record."""
    records = KeyedRecords(KEY, "any", [])
    records._digests = digests.astype(">u8").view(np.uint8).reshape(-1, 32)
    return records


@pytest.mark.parametrize("size", SIZES)
def test_keyed_choices_follow_the_digests_however_many_records_there_are(size: int) -> None:
    up = np.arange(size, dtype=np.uint64)
    # Bytes 0 to 7 order within values, 8 to 15 shuffle, the rest is the tape: two candidates are too large.
    tape = up % 5 << np.uint64(40) | np.uint64(0x0507 << 48)
    records = keyed(np.stack([size - up, (up + 7) % size, tape, tape], axis=1))
    assert np.array_equal(records.permutation(size), (np.arange(size) - 7) % size)
    assert np.array_equal(records.order_within(np.zeros(size, dtype=np.int64)), np.arange(size)[::-1])
    assert records.subset(size, 3).tolist() == [size - 10, size - 9, size - 8]
    assert np.array_equal(records.below(5, size), np.arange(size) % 5)


# ---- more than 256 -----------------------------------------------------------------------------------

GROUPS = (255, 256, 257, 300, 511, 512, 513)


def other(value: int, draw: int) -> int:
    """Return what draw 1, 2, ... publishes in a group of all values: the others in their order."""
    return draw - 1 if draw - 1 < value else draw


@pytest.mark.parametrize("gamma", GROUPS)
@pytest.mark.parametrize("plan", ["anatomy", "cyclic", "mixed"])
def test_every_draw_of_a_large_group_has_its_value(gamma: int, plan: str) -> None:
    """One group of all values: with the draw j every record shows the j-th of the others."""
    codes = np.arange(gamma)
    for draw in (1, 254, min(255, gamma - 1), min(256, gamma - 1), gamma - 1):
        mechanism, wide = SpluGen(Gamma(gamma), plan=plan), 1 if gamma <= 256 else 2
        keys = b"".join(place.to_bytes(4, "big") for place in range(gamma))
        tape = TapeSource(keys + draw.to_bytes(wide, "big") * gamma + keys)
        found = mechanism.publish_codes(codes, gamma, tape)
        assert found.published.tolist() == [other(value, draw) for value in range(gamma)]
        assert tape.consumed == gamma * (8 + wide)


@pytest.mark.parametrize("gamma", GROUPS)
def test_the_integers_of_a_large_group_are_read_as_wide_as_they_are(gamma: int) -> None:
    """The draws of a release are replayed from its bytes by the rule as written."""
    values = np.repeat(np.arange(gamma), 2)
    recording = RecordingSource(SeededSource(gamma))
    found = SpluGen(Gamma(gamma), plan="cyclic").publish_codes(values, gamma, recording)
    width, bits = (1 if gamma <= 256 else 2), (gamma - 1).bit_length()
    words = recording.recorded[4 * len(values) :]
    drawn: list[int] = []
    place = 0
    while len(drawn) < len(values):
        candidate = int.from_bytes(words[place : place + width], "big") % (1 << bits)
        place += width
        drawn += [candidate] if candidate < gamma else []
    shown = [
        other(value, draw) if draw else value for value, draw in zip(values.tolist(), drawn, strict=True)
    ]
    assert found.published.tolist() == [shown[row] for row in found.rows.tolist()]


def test_retention_keyed_draws_and_other_mechanisms_reach_every_value_above_256() -> None:
    size = 300
    codes = np.arange(size)
    keys = b"".join(place.to_bytes(4, "big") for place in range(size))
    # p = 1/2: of 598 integers 299 retain the value, and 299 + j - 1 is draw j.
    for draw in (1, 256, 257, 299):
        tape = TapeSource(keys + (298 + draw).to_bytes(2, "big") * size + keys)
        found = SpluGen(Gamma(size), Fraction(1, 2), plan="cyclic").publish_codes(codes, size, tape)
        assert found.published.tolist() == [other(value, draw) for value in range(size)]
    for draw in (0, 255, 256, 299):
        digests = np.zeros((size, 4), dtype=np.uint64)
        digests[:, :2] = np.arange(size)[:, None]
        digests[:, 2] = np.uint64(draw << 48)
        assert keyed(digests).below(size, size).tolist() == [draw] * size
    words = [f"{value:03}" for value in range(size)]
    for value in (0, 255, 256, 299):
        drawn = value.to_bytes(2, "big")
        replacing = RetentionReplacement("0", {"sensitive": words}, shuffled=False)
        found = replacing.publish_codes(codes, size, TapeSource(drawn * size))
        assert found.published.tolist() == [value] * size


def test_an_operator_and_swapping_reach_every_value_above_256() -> None:
    size = 259
    words = [f"{value:03}" for value in range(size)]
    rows = [[int(place == (value + 257) % size) for place in range(size)] for value in range(size)]
    operator = Operator("sensitive", words, rows, shuffled=False)
    moved = operator.publish_codes(np.arange(size), size, SeededSource(1))
    assert moved.published.tolist() == [(value + 257) % size for value in range(size)]
    swapped = Swapping("0").publish_codes(np.arange(size), size, SeededSource(1)).published
    assert sorted(swapped.tolist()) == list(range(size))
