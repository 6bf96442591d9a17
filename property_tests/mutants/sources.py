"""Faults in the sources of randomness."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from property_tests.mutants.mutant import mutant
from splu_ref.randomness import (
    ByteSource,
    IntArray,
    Key,
    KeyedRecords,
    KeyedRelease,
    KeyedSource,
    ReleaseContext,
    SeededSource,
    SystemSource,
    TableSum,
    TapeSource,
    table_digest,
)
from splu_ref.randomness.orders import KEY_BITS, DrawIntegers
from splu_ref.randomness.release_context import release_message


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


class _AlteredRelease(KeyedRelease):
    """The randomness of a release with another column or other identities."""

    def __init__(
        self, behind: KeyedRelease, alter: Callable[[str, list[bytes]], tuple[str, list[bytes]]]
    ) -> None:
        self._behind = behind
        self._alter = alter

    def for_records(self, column: str, identities: Callable[[], Sequence[bytes]]) -> KeyedRecords:
        altered, others = self._alter(column, list(identities()))
        return self._behind.for_records(altered, lambda: others)


class _RowKeyed(KeyedSource):
    """Takes a record's row number for its identity."""

    def for_release(self, context: ReleaseContext) -> KeyedRelease:
        return _AlteredRelease(
            super().for_release(context),
            lambda column, all_of: (column, [b"%d" % row for row in range(len(all_of))]),
        )


class _RowForNumber(KeyedSource):
    """Distinguishes identical records by their rows in the file instead of their number among themselves."""

    def for_release(self, context: ReleaseContext) -> KeyedRelease:
        def altered(column: str, identities: list[bytes]) -> tuple[str, list[bytes]]:
            if context.id_column is not None:
                return column, identities
            return column, [each[:-8] + row.to_bytes(8, "big") for row, each in enumerate(identities)]

        return _AlteredRelease(super().for_release(context), altered)


class _WithoutColumn(KeyedSource):
    def for_release(self, context: ReleaseContext) -> KeyedRelease:
        return _AlteredRelease(super().for_release(context), lambda _, identities: ("", identities))


class _WithoutTable(KeyedSource):
    def for_release(self, context: ReleaseContext) -> KeyedRelease:
        return super().for_release(replace(context, records=list))


class _WithoutGamma(KeyedSource):
    def for_release(self, context: ReleaseContext) -> KeyedRelease:
        encoded = {name: value for name, value in context.facts.items() if name != "gamma"}
        return super().for_release(replace(context, facts=encoded))


class _WithoutPlan(KeyedSource):
    def for_release(self, context: ReleaseContext) -> KeyedRelease:
        encoded = {name: value for name, value in context.facts.items() if name != "plan"}
        return super().for_release(replace(context, facts=encoded))


class _Xor(KeyedSource):
    """Joins the records' digests by exclusive or, so that two identical records cancel."""

    def for_release(self, context: ReleaseContext) -> KeyedRelease:
        assert not isinstance(context.records, TableSum)
        table = 0
        for record in context.records():
            table ^= int.from_bytes(table_digest(self.key, [record]), "big")
        message = release_message(self.key, context)[:-32] + table.to_bytes(32, "big")
        return KeyedRelease(Key(hmac.digest(self.key.secret, message, "sha256")))


mutant(
    "modulo-bias",
    "source.integers",
    "A candidate beyond the bound is reduced modulo the bound instead of rejected.",
    also=["source.orders"],
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
mutant(
    "keyed-by-row-among-identical",
    "table.keyed",
    "Identical records are distinguished by their rows in the file instead of their number.",
    keyed=_RowForNumber,
)
mutant(
    "keyed-draws-without-column",
    "table.keyed",
    "The name of the column is left out of the draws.",
    keyed=_WithoutColumn,
)
mutant(
    "key-without-table",
    "table.keyed",
    "The key of a release does not depend on the table.",
    keyed=_WithoutTable,
)
mutant(
    "key-without-gamma",
    "table.keyed",
    "The key of a release does not depend on gamma.",
    keyed=_WithoutGamma,
)
mutant(
    "key-without-plan",
    "table.keyed",
    "The key of a release does not depend on the plan.",
    keyed=_WithoutPlan,
)
mutant(
    "table-digest-by-xor",
    "table.keyed",
    "The digests of the records are joined by exclusive or.",
    keyed=_Xor,
)
