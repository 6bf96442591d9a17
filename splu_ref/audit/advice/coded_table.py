"""Tables as integer codes, and the groups of records that share cells.

Searches for disclosure risks need only counts of records, so a table need not be in memory. Columns are
counted in blocks of rows; too many combinations of cells are partitioned into files. All counts are exact.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from operator import add
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from splu_ref.channels import DataError
from splu_ref.data import Microdata, Value, earlier_forms, require_columns, row_keys
from splu_ref.mechanisms import PART_BYTES, PART_ENTRIES, FrameSpool, RecordSpool
from splu_ref.randomness import IntArray

DENSE = 1 << 21
"""Largest number of possible combinations of cells that are counted in a dense array."""
DENSE_IN_MEMORY = 4
"""The same per record of a table in memory, if that is more."""
MOST_GROUPS = 1 << 20
"""Largest number of occurring combinations that are counted at once, of a table in files."""
CHUNK = 1 << 19
"""Rows that are read from files at once."""
TEXT = "text"
_TIMES = "times"
_CODE_BITS = 32
_PAIR = np.dtype([("number", np.int64), ("count", np.int64)])


class CountedColumn:
    """A column as integer codes, -1 for an empty cell."""

    def __init__(
        self,
        name: str,
        codes: NDArray[np.signedinteger] | Path,
        values: Sequence[str] | None,
        counts: IntArray | Path,
        size: int,
        filled: int,
        alone: int,
        distributed: tuple[FrameSpool, IntArray] | None = None,
    ) -> None:
        self.name, self.values, self.size, self.filled, self.alone = name, values, size, filled, alone
        self._codes, self._counts, self._distributed = codes, counts, distributed

    @classmethod
    def counted(
        cls, name: str, codes: NDArray[np.signedinteger] | Path, values: Sequence[str], counts: IntArray
    ) -> CountedColumn:
        """Return a column whose values are in memory."""
        filled, alone = int(counts.sum()), int(np.count_nonzero(counts == 1))
        return cls(name, codes, values, counts, len(values), filled, alone)

    @classmethod
    def of(cls, table: Microdata, name: str) -> CountedColumn:
        """Return a column of a table in memory."""
        values, codes = table.coding(name).content()
        return cls.counted(name, codes, values, frequencies(codes, len(values)))

    def codes(self, begin: int, count: int) -> NDArray[np.signedinteger]:
        """Return the codes of a block of rows, which is shorter at the end."""
        if isinstance(self._codes, Path):
            return np.fromfile(self._codes, dtype=np.int32, count=count, offset=4 * begin)
        return self._codes[begin : begin + count]

    def texts(self, codes: IntArray) -> list[str]:
        """Return the values of codes."""
        if self.values is not None:
            return [self.values[code] for code in codes.tolist()]
        assert self._distributed is not None
        spool, begins = self._distributed
        parts = np.searchsorted(begins, codes, side="right") - 1
        found = np.empty(len(codes), dtype=np.object_)
        for part in np.unique(parts).tolist():
            inside = np.flatnonzero(parts == part)
            found[inside] = spool.part(part, keep=True)[TEXT].gather(codes[inside] - begins[part]).to_list()
        return list(found)

    def frequencies(self, codes: IntArray) -> IntArray:
        """Return the frequencies of codes."""
        counts: NDArray[np.integer] | Path = self._counts
        if isinstance(counts, Path):  # mapped for this call alone: a mapped file cannot be removed everywhere
            counts = np.memmap(counts, dtype=np.int32, mode="r")
        return counts[codes].astype(np.int64)


@dataclass(frozen=True, slots=True)
class EqualRecords:
    """Groups of records with equal cells, in ascending order of the cells, with their sensitive values."""

    columns: tuple[CountedColumn, ...]
    key: IntArray
    size: IntArray
    code: IntArray
    most: IntArray
    second: IntArray

    @classmethod
    def of(
        cls, columns: Sequence[CountedColumn], pairs: IntArray, counts: IntArray, domain: int
    ) -> EqualRecords:
        """Return the groups of counted records; see `CodedTable.counts`."""
        key = pairs // domain
        starts = np.flatnonzero(key[1:] != key[:-1]) + 1
        starts = np.r_[0, starts] if len(key) else starts
        if not len(starts):
            return cls(tuple(columns), *([starts] * 5))
        # A count above the complement of its code: the largest has the first of the most frequent values.
        both = (counts << _CODE_BITS) + (key + 1) * domain - pairs
        best = np.maximum.reduceat(both, starts)
        others = np.where(both == np.repeat(best, np.diff(starts, append=len(key))), 0, counts)
        return cls(
            columns=tuple(columns),
            key=key[starts],
            size=np.add.reduceat(counts, starts),
            code=domain - (best & ((1 << _CODE_BITS) - 1)),
            most=best >> _CODE_BITS,
            second=np.maximum.reduceat(others, starts),
        )

    @property
    def shared(self) -> int:
        """Number of records that are not alone in their group."""
        return int(self.size[self.size > 1].sum())

    @property
    def guessed(self) -> int:
        """Number of records whose value is the majority value of the *other* records of their group."""
        return int(self.most[self.most - 1 > self.second].sum())

    def cells(self, places: IntArray) -> list[IntArray]:
        """Return the cells of some groups, by column."""
        found, rest = [], self.key[places]
        for column in reversed(self.columns):
            rest, cell = np.divmod(rest, max(column.size, 1))
            found.append(cell)
        return found[::-1]

    def where(self, places: IntArray) -> list[dict[str, str]]:
        """Return the cells of each of some groups, by column, as texts."""
        cells = zip(self.columns, self.cells(places), strict=True)
        named = [[(column.name, cell) for cell in column.texts(codes)] for column, codes in cells]
        return [dict(assignments) for assignments in zip(*named, strict=True)]

    def selected_by_one(self, places: IntArray) -> NDArray[np.bool_]:
        """Return for some groups whether one of several cells alone selects the same records."""
        found = np.zeros(len(places), dtype=np.bool_)
        if len(self.columns) > 1:
            for column, codes in zip(self.columns, self.cells(places), strict=True):
                found |= column.frequencies(codes) == self.size[places]
        return found


class CodedTable(ABC):
    """A table as integer codes, in memory or in files.

    Attributes
    ----------
    columns, row_count
        Names of the columns, in order, and number of records.
    folder
        A private folder for partitioned data; None if the table is in memory.
    """

    columns: tuple[str, ...]
    row_count: int
    folder: Path | None = None
    _steps = 0

    @abstractmethod
    def domain(self, column: str) -> tuple[Value, ...]:
        """Return the values of a sensitive column, ascending: at least two."""

    @abstractmethod
    def histogram(self, column: str) -> IntArray:
        """Return the frequencies of a sensitive column's values, shape (domain,)."""

    @abstractmethod
    def counted(self, column: str) -> CountedColumn:
        """Return the codes and frequencies of a column."""

    @abstractmethod
    def _sensitive(self, column: str, begin: int, count: int) -> IntArray:
        """Return the codes of a block of rows of a sensitive column."""

    def earlier_forms(self, column: str) -> Sequence[str]:
        """Return names of what a sensitive column was before its recodings, for use as sensitive columns."""
        return ()

    @property
    def in_memory(self) -> bool:
        """Whether the table is in memory."""
        return self.folder is None

    def require(self, column: str) -> None:
        """Raise ``DataError`` if there is no such column."""
        require_columns([column], self.columns)

    def counts(self, columns: Sequence[str], sensitive: str) -> Iterator[tuple[IntArray, IntArray]]:
        """Count the records with nonempty cells in all these columns, by cells and sensitive value.

        Yields
        ------
        tuple
            Distinct numbers, ascending: the cells as one number (the last column's changes fastest) times
            the size of the domain, plus the code; and the records of each. Records with equal cells are
            counted in the same piece. For several columns of a table in files nothing is yielded if all cells
            of one column are unique: a second cell selects no other records.

        Raises
        ------
        DataError
            If the number of combinations exceeds 63 bits.
        """
        coded = [self.counted(name) for name in columns]
        if not self.in_memory and len(coded) > 1 and any(each.alone == each.filled for each in coded):
            return
        size = len(self.domain(sensitive))
        space = prod(max(column.size, 1) for column in coded) * size
        if space >= 1 << 63:
            raise DataError(
                f"columns {' and '.join(columns)} have too many combinations of values: leave one out"
            )
        if space <= (max(DENSE, DENSE_IN_MEMORY * self.row_count) if self.in_memory else DENSE):
            dense = reduce(
                add, (np.bincount(each, minlength=space) for each in self._numbers(coded, sensitive))
            )
            found = np.flatnonzero(dense)
            yield found, dense[found]
            return
        yield from self._sparse(coded, sensitive, size)

    def unique_records(self, columns: Sequence[str]) -> int:
        """Return the number of records that are unique in these columns."""
        coded = [self.counted(name) for name in columns]
        if any(column.alone == self.row_count for column in coded):
            return self.row_count
        if not columns:
            return 0

        if self.in_memory:
            cells = ((column.codes(0, self._chunk) + 1, column.size + 1) for column in coded)
            keys = np.sort(row_keys(cells, self.row_count))
            changes = np.r_[True, keys[1:] != keys[:-1], True]
            return int(np.count_nonzero(changes[1:] & changes[:-1]))
        parts = 1 + 4 * len(columns) * self.row_count // PART_BYTES
        spool = FrameSpool(self._own_folder(), parts)
        for begin in range(0, self.row_count, self._chunk):
            rows = pl.DataFrame({column.name: column.codes(begin, self._chunk) for column in coded})
            rows = rows.group_by(columns).agg(pl.len().alias(_TIMES).cast(pl.Int64))
            spool.add(rows, in_parts(rows.select(columns).hash_rows(), parts))
        found = 0
        for part in np.flatnonzero(spool.sizes).tolist():
            merged = spool.part(part).group_by(columns).agg(pl.col(_TIMES).sum())
            found += int((merged[_TIMES] == 1).sum())
        return found

    @property
    def _chunk(self) -> int:
        """Rows of a block."""
        return max(self.row_count, 1) if self.in_memory else CHUNK

    def _own_folder(self) -> Path:
        assert self.folder is not None
        self._steps += 1
        return self.folder / f"step-{self._steps}"

    def _numbers(self, columns: Sequence[CountedColumn], sensitive: str) -> Iterator[IntArray]:
        """Yield cells and sensitive value as one number, for records with nonempty cells in all columns."""
        size = len(self.domain(sensitive))
        for begin in range(0, self.row_count, self._chunk):
            codes = self._sensitive(sensitive, begin, self._chunk)
            cells = [column.codes(begin, self._chunk) for column in columns]
            sizes = [max(column.size, 1) for column in columns]
            numbers = row_keys(zip([*cells, codes], [*sizes, size], strict=True), len(codes))
            partial = [
                each >= 0
                for each, column in zip(cells, columns, strict=True)
                if column.filled < self.row_count
            ]
            yield numbers[np.logical_and.reduce(partial)] if partial else numbers

    def _sparse(
        self, columns: Sequence[CountedColumn], sensitive: str, size: int
    ) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield the counts of sparse combinations."""
        parts = 1 + self.row_count // PART_ENTRIES
        spool: RecordSpool | None = None
        waiting: list[tuple[IntArray, IntArray]] = []
        for numbers in self._numbers(columns, sensitive):
            waiting.append(np.unique(numbers, return_counts=True))
            if self.in_memory or sum(len(each) for each, _ in waiting) <= MOST_GROUPS:
                continue
            waiting = [_merged(waiting)]
            if spool is None and len(waiting[0][0]) > MOST_GROUPS // 2:
                spool = RecordSpool(self._own_folder(), parts, _PAIR)
            if spool is not None:
                _distribute(*waiting.pop(), size, spool)
        last = waiting[0] if len(waiting) == 1 else _merged(waiting)
        if spool is None:
            yield last
            return
        _distribute(*last, size, spool)
        for part in range(parts):
            records = spool.part(part)
            if len(records):
                yield _merged([(records["number"], records["count"])])


class TableInMemory(CodedTable):
    """A coded table in memory.

    Parameters
    ----------
    table
        The table.
    """

    def __init__(self, table: Microdata) -> None:
        self.table = table
        self.columns, self.row_count = table.columns, table.row_count
        self._counted: dict[str, CountedColumn] = {}
        self._forms: dict[str, tuple[Microdata, str]] = {}

    def domain(self, column: str) -> tuple[Value, ...]:
        """Return the values of a sensitive column; errors of `Microdata.codes`."""
        table, name = self._form(column)
        table.codes(name)  # refuses a single value
        return table.domain(name)

    def histogram(self, column: str) -> IntArray:
        """Return the frequencies of a sensitive column's values."""
        table, name = self._form(column)
        return table.histogram(name)

    def earlier_forms(self, column: str) -> Sequence[str]:
        """Return names of what a sensitive column was before its recodings, without constants."""
        found = dict(earlier_forms(self.table, column))
        self._forms |= {label: form for label, form in found.items() if len(form[0].domain(form[1])) > 1}
        return [label for label in found if label in self._forms]

    def _form(self, column: str) -> tuple[Microdata, str]:
        return self._forms.get(column, (self.table, column))

    def counted(self, column: str) -> CountedColumn:
        """Return the codes and frequencies of a column."""
        if column not in self._counted:
            self._counted[column] = CountedColumn.of(self.table, column)
        return self._counted[column]

    def _sensitive(self, column: str, begin: int, count: int) -> IntArray:
        table, name = self._form(column)
        return table.codes(name)[begin : begin + count]


def coded(table: Microdata | CodedTable) -> CodedTable:
    """Return a table as integer codes."""
    return TableInMemory(table) if isinstance(table, Microdata) else table


def groups_of(table: CodedTable, columns: Sequence[CountedColumn], sensitive: str) -> Iterator[EqualRecords]:
    """Yield the groups of records with equal nonempty cells in these columns, in pieces of whole groups."""
    size = len(table.domain(sensitive))
    for pairs, counts in table.counts([column.name for column in columns], sensitive):
        yield EqualRecords.of(columns, pairs, counts, size)


def frequencies(codes: NDArray[np.signedinteger], size: int) -> IntArray:
    """Return the frequencies of codes, of which -1 counts nothing, shape (size,)."""
    return np.bincount(codes + 1, minlength=size + 1)[1:].astype(np.int64, copy=False)


def in_parts(hashes: pl.Series, parts: int) -> IntArray:
    """Return the part of each hash, shape (rows,)."""
    high = hashes.to_numpy() >> np.uint64(32)
    return (high * np.uint64(parts) >> np.uint64(32)).astype(np.int64)


def _merged(counted: Sequence[tuple[IntArray, IntArray]]) -> tuple[IntArray, IntArray]:
    """Return the sum of several counts, by ascending number."""
    if not counted:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    numbers = np.concatenate([numbers for numbers, _ in counted])
    order = np.argsort(numbers, kind="stable")
    numbers = numbers[order]
    starts = np.flatnonzero(np.r_[True, np.diff(numbers) != 0]) if len(numbers) else numbers
    counts = np.concatenate([counts for _, counts in counted])[order]
    return numbers[starts], np.add.reduceat(counts, starts) if len(starts) else counts


def _distribute(numbers: IntArray, counts: IntArray, size: int, spool: RecordSpool) -> None:
    """Add counts to the parts of their cells."""
    records = np.empty(len(numbers), dtype=_PAIR)
    records["number"], records["count"] = numbers, counts
    spool.add(records, in_parts(pl.Series(numbers // size).hash(), len(spool.sizes)))
