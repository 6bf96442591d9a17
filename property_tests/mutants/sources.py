"""Faults in the sources of randomness."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from property_tests.mutants.mutant import mutant
from splu_ref.randomness import (
    ByteSource,
    IntArray,
    KeyedRecords,
    KeyedSource,
    SeededSource,
    SystemSource,
    TapeSource,
)
from splu_ref.randomness.ordering import KEY_BITS, DrawIntegers


class _Modulo(ByteSource):
    """Reduces a candidate modulo the bound instead of rejecting it."""

    def integer_below(self, bound: int) -> int:
        width = ((bound - 1).bit_length() + 7) // 8
        return int.from_bytes(self.read(width), "big") % bound

    def below(self, bound: int, size: int) -> IntArray:
        width = ((bound - 1).bit_length() + 7) // 8
        data = np.frombuffer(self.read(size * width), dtype=np.uint8).reshape(size, width)
        words = data.astype(np.int64) @ (256 ** np.arange(width - 1, -1, -1))
        return words % bound


class _ModuloSeeded(_Modulo, SeededSource):
    pass


class _ModuloTape(_Modulo, TapeSource):
    pass


class _ModuloSystem(_Modulo, SystemSource):
    pass


class _ShortSeeded(SeededSource):
    def read(self, count: int) -> bytes:
        return super().read(-(-count * 7 // 8)).ljust(count, b"\0")


class _ShortTape(TapeSource):
    def read(self, count: int) -> bytes:
        return super().read(-(-count * 7 // 8)).ljust(count, b"\0")


class _ShortSystem(SystemSource):
    def read(self, count: int) -> bytes:
        return super().read(-(-count * 7 // 8)).ljust(count, b"\0")


def _ties_stay(
    draw: DrawIntegers, size: int, codes: IntArray | None = None, key_bits: int = KEY_BITS
) -> IntArray:
    """Order by key, and equal keys by item number: no second draw."""
    if size <= 1:
        return np.arange(size)
    keys = draw(1 << key_bits, size)
    return np.lexsort((keys,) if codes is None else (keys, codes))


class _TiesStay(ByteSource):
    def permutation(self, size: int) -> IntArray:
        return _ties_stay(self.below, size)

    def order_within(self, codes: IntArray) -> IntArray:
        return _ties_stay(self.below, len(codes), codes)


class _TiesStayTape(_TiesStay, TapeSource):
    pass


class _NarrowKeys(SystemSource):
    """Sorts by keys of one byte, so that in a long table most items tie and stay in order."""

    def permutation(self, size: int) -> IntArray:
        return _ties_stay(self.below, size, None, 8)

    def order_within(self, codes: IntArray) -> IntArray:
        return _ties_stay(self.below, len(codes), codes, 8)


class _RowKeyed(KeyedSource):
    """Takes a record's row number for its identity."""

    def for_records(self, column: str, identities: Callable[[], Sequence[bytes]]) -> KeyedRecords:
        return super().for_records(column, lambda: [b"%d" % row for row in range(len(identities()))])


mutant(
    "modulo-bias",
    "source.integers",
    "A candidate beyond the bound is reduced modulo the bound instead of rejected.",
    tape=_ModuloTape,
    seeded=_ModuloSeeded,
    system=_ModuloSystem,
)
mutant(
    "seeded-reads-too-few-bytes",
    "source.seeded",
    "The seeded source reads seven bytes in eight and fills up with zeros.",
    seeded=_ShortSeeded,
)
mutant(
    "system-reads-too-few-bytes",
    "source.system",
    "The system's source reads seven bytes in eight and fills up with zeros.",
    system=_ShortSystem,
)
mutant(
    "tape-reads-too-few-bytes",
    "source.integers",
    "The tape hands out seven bytes in eight and fills up with zeros.",
    tape=_ShortTape,
)
mutant(
    "ties-keep-their-order",
    "source.permutations",
    "Items with equal keys stay in the order of the file instead of drawing again.",
    random_order=_ties_stay,
    tape=_TiesStayTape,
)
mutant(
    "narrow-keys",
    "source.system",
    "Orders come from keys of one byte, and equal keys stay in the order of the file.",
    system=_NarrowKeys,
)
mutant(
    "keyed-by-row-number",
    "table.keyed",
    "A key's draws belong to the row of the file instead of the record.",
    keyed=_RowKeyed,
)
