"""The rules beyond what small tables reach: exactly 64 bits, parts of arrays, names with blanks."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from splu_ref.randomness import IntArray, Key, KeyedRelease, ReleaseContext, SeededSource, release_key
from splu_ref.randomness.keyed import record_digests
from splu_ref.randomness.orders import random_order

KEY = Key(hashlib.sha256(b"wide").digest())


def _plainly(draw: Callable[[int, int], IntArray], codes: list[int], key_bits: int) -> list[int]:
    """Return the order by the written rule: sort by (code, key), redraw those that agree, in their order."""
    keys: list[tuple[int, ...]] = [(key,) for key in draw(1 << key_bits, len(codes)).tolist()]
    while True:
        order = sorted(range(len(codes)), key=lambda item: (codes[item], keys[item], item))
        runs = [list(run) for _, run in groupby(order, key=lambda item: (codes[item], keys[item]))]
        tied = [item for run in runs if len(run) > 1 for item in run]
        if not tied:
            return order
        for item, key in zip(tied, draw(1 << key_bits, len(tied)).tolist(), strict=True):
            keys[item] = (*keys[item], key)


@pytest.mark.parametrize("ascending", [False, True])
@pytest.mark.parametrize("total", [62, 63, 64, 65, 66])
@pytest.mark.parametrize(("size", "key_bits"), [(256, 40), (256, 5), (129, 32), (255, 53), (256, 53)])
def test_code_key_and_index_around_64_bits(size: int, key_bits: int, total: int, ascending: bool) -> None:
    """The widest code that leaves so many bits, with every bit of it set in some records."""
    code_bits = total - key_bits - 8
    most = (1 << code_bits) - 1
    drawn = SeededSource(f"{size}/{key_bits}/{total}".encode())
    codes = np.array([most, 0, *(int(each) for each in drawn.below(most + 1, size - 2))])
    codes[size // 2 :] = codes[: size - size // 2]  # every code twice or more
    codes = np.sort(codes) if ascending else codes
    found = random_order(SeededSource(1).below, size, codes, key_bits)
    assert found.tolist() == _plainly(SeededSource(1).below, codes.tolist(), key_bits)


@pytest.mark.parametrize("total", [63, 64, 65])
def test_blocks_around_64_bits(total: int) -> None:
    """Ascending codes are determined by their place in the block: 3 bits for 5 records of a code."""
    code_bits = total - 32 - 3
    ends = [*range(100), *((1 << (code_bits - 1)) + number for number in range(100))]  # alike but for a bit
    codes = np.sort(np.repeat(ends, 5))
    found = random_order(SeededSource(2).below, len(codes), codes)
    assert found.tolist() == _plainly(SeededSource(2).below, codes.tolist(), 32)


@pytest.mark.slow
@pytest.mark.parametrize("values", [None, 9, 70_000])
def test_more_than_a_million_rows(values: int | None) -> None:
    size = (1 << 20) + 3
    codes = None if values is None else np.arange(size) * 31 % values
    found = random_order(SeededSource(3).below, size, codes)
    source = SeededSource(3)
    keys = source.below(1 << 32, size)
    sorted_codes = np.zeros(size, dtype=np.int64) if codes is None else codes
    order = np.lexsort((np.arange(size), keys, sorted_codes))
    same = (np.diff(keys[order]) == 0) & (np.diff(sorted_codes[order]) == 0)
    places = np.flatnonzero(same)
    assert (len(places) > 5) == (values != 70_000)
    places = np.unique(np.concatenate([places, places + 1]))
    again = source.below(1 << 32, len(places)).tolist()
    runs = np.split(np.arange(len(places)), np.flatnonzero(~same[places[:-1]]) + 1)
    for run in runs:
        by_key = sorted(run.tolist(), key=lambda number: again[number])
        order[places[run]] = order[places[by_key]]
    np.testing.assert_array_equal(found, order)


def _message(column: str, identity: bytes, block: int) -> bytes:
    name = column.encode()
    parts = b"splu-ref/keyed/2" + len(name).to_bytes(8, "big") + name
    return parts + len(identity).to_bytes(8, "big") + identity + block.to_bytes(8, "big")


def _digest(message: bytes) -> bytes:
    return hmac.new(KEY.secret, message, hashlib.sha256).digest()


def test_digests_beyond_65536_records() -> None:
    identities = [b"%d" % number for number in range((1 << 17) + 5)]
    found = record_digests(KEY, "job", identities)
    assert found.shape == (len(identities), 32)
    for number in (0, 1, 65_534, 65_535, 65_536, 65_537, 65_540, 131_071, 131_072, 131_076):
        assert found[number].tobytes() == _digest(_message("job", identities[number], 0))


@pytest.mark.parametrize("bound", [300, 65_537, (1 << 24) + 1, (1 << 53) + 1, (1 << 62) + 1, 1 << 63])
def test_keyed_integers_below_wide_bounds(bound: int) -> None:
    """By the written rule: 16 bytes of the digest, then whole blocks; mask and reject."""
    identities = [b"%d" % number for number in range(60)]
    drawn = KeyedRelease(KEY).for_records(" job", lambda: identities).below(bound, 60).tolist()
    bits = (bound - 1).bit_length()
    width = (bits + 7) // 8
    for identity, found in zip(identities, drawn, strict=True):
        tape = b"".join(_digest(_message(" job", identity, block)) for block in range(12))[16:]
        candidates = (int.from_bytes(tape[k : k + width], "big") % (1 << bits) for k in range(0, 360, width))
        assert found == next(each for each in candidates if each < bound)


@pytest.mark.parametrize(
    "names", [("job", " job"), ("job", "job "), ("é", "e\u0301"), ("Job", "job"), ("a", "a\0")]
)
def test_names_are_taken_as_they_stand(names: tuple[str, str]) -> None:
    one, other = (record_digests(KEY, name, [b"x"])[0].tobytes() for name in names)
    assert (one, other) == tuple(_digest(_message(name, b"x", 0)) for name in names)

    def derived(**changed: object) -> bytes:
        reported: dict[str, object] = {
            "method": "M",
            "facts": {"p": "1"},
            "sensitive": ("s",),
            "id_column": "i",
        }
        reported |= {"missing": "m", "columns": ("s", "i"), "records": lambda: [b"r"]}
        return release_key(KEY, ReleaseContext(**(reported | changed))).secret  # type: ignore[arg-type]  # by name

    for changed in (
        lambda name: {"sensitive": (name,)},
        lambda name: {"id_column": name},
        lambda name: {"missing": name},
        lambda name: {"columns": (name, "i")},
        lambda name: {"facts": {"p": name}},
        lambda name: {"facts": {name: "1"}},
        lambda name: {"method": name},
        lambda name: {"records": lambda: [name.encode()]},
    ):
        assert derived(**changed(names[0])) != derived(**changed(names[1]))


@pytest.mark.entropy
def test_a_key_is_32_bytes_of_the_systems_entropy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key from fewer bytes looks random as well, so the number of bytes read is tested."""
    requested: list[int] = []
    entropy = hashlib.sha256(b"entropy").digest()

    def urandom(count: int) -> bytes:
        requested.append(count)
        return entropy[:count]

    monkeypatch.setattr(os, "urandom", urandom)
    made = Key.generate()
    monkeypatch.undo()
    assert (requested, made.secret) == ([32], entropy)
    made.write(tmp_path / "key")
    assert (tmp_path / "key").read_bytes() == b"splu-ref-key-1 " + entropy.hex().encode() + b"\n"
    keys = np.array([list(Key.generate().secret) for _ in range(64)])
    assert (np.array([len(set(place)) for place in keys.T.tolist()]) > 32).all()
