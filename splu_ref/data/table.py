"""Tables of microdata: one row per record, columns of categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import narwhals as nw
import numpy as np
import polars as pl
from narwhals.typing import IntoDataFrame
from numpy.typing import NDArray

from splu_ref.channels import Concept, DataError
from splu_ref.data.cell_values import Column, Frame, Value, contents, text
from splu_ref.data.coding import Coding, code_column, code_values, occurring
from splu_ref.data.encoding import Encoding, encode, encode_declared
from splu_ref.data.identities import (
    CodedTexts,
    ascending_records,
    content_digest,
    identities_from_column,
    identities_from_records,
    packed_records,
)
from splu_ref.data.record_counts import Categories, require_columns
from splu_ref.data.replacement import gather, replace_values
from splu_ref.data.residue import bare, bare_rows


class Recoding(Protocol):
    """A recoding of a table with public parameters."""

    @property
    def column(self) -> str:
        """The column that it makes."""

    def facts(self) -> dict[str, object]:
        """Return what the manifest records of it."""

    def apply(self, table: Microdata) -> Microdata:
        """Return the table with the column recoded."""


@dataclass(frozen=True, eq=False, slots=True)
class Microdata:
    """A table of N records, a wrapper of a data frame.

    It is created by `from_frame`, `splu_ref.data.read_table` or `splu_ref.data.embedded_table`. The frame is
    not copied: do not change it in place afterwards.
    """

    _frame: Frame
    _missing: str | None = None
    _steps: tuple[Recoding, ...] = ()
    _source: Microdata | None = None
    _bare: frozenset[str] = frozenset()  # columns that are as `bare` makes them
    _codings: dict[str, Coding] = field(default_factory=dict, kw_only=True)  # shared by tables of its columns
    _encodings: dict[str, Encoding] = field(default_factory=dict, init=False)

    @classmethod
    def from_frame(
        cls, frame: IntoDataFrame, missing: str | None = None, *, empty: bool = False
    ) -> Microdata:
        """Wrap a pandas, Polars or PyArrow table.

        Parameters
        ----------
        frame
            A data frame in memory, with at least one row.
        missing
            Text published as the value of a missing cell (null, NaN or empty text) of a sensitive column; all
            other cells are then values, including conventional markers such as ``"?"``. By default, missing
            cells of a sensitive column are an error.
        empty
            Whether the frame may have no rows.

        Raises
        ------
        DataError
            If the frame is of another kind, has no rows, or has repeated, empty or non-text column names.
        """
        try:
            wrapped = nw.from_native(frame, eager_only=True)
        except TypeError:
            batch = type(frame).__name__ == "RecordBatch"
            fit = "a pandas, Polars (not lazy) or PyArrow data frame"
            remedy = "pyarrow.Table.from_batches([batch])" if batch else fit
            raise DataError(f"{type(frame).__name__} is not a table: give {remedy}") from None
        except nw.exceptions.DuplicateError:
            raise DataError("the data frame names a column twice: rename one of the two") from None
        names: list[object] = list(wrapped.columns)  # pandas admits numbers and others
        for name in names:
            if not isinstance(name, str) or not name:
                raise DataError(f"the data frame has a column named {name!r}: give it a text as its name")
        if not (len(wrapped) or empty) or not wrapped.columns:
            raise DataError("the table holds no rows or no columns: there is nothing to read")
        return cls(wrapped, missing)

    def to_frame(self) -> Any:
        """Return the table as a data frame of its original library."""
        return self._frame.to_native()

    @property
    def row_count(self) -> int:
        """Number of records."""
        return len(self._frame)

    @property
    def missing(self) -> str | None:
        """The text for missing sensitive cells, None if they are refused."""
        return self._missing

    @property
    def recoded(self) -> tuple[Recoding, ...]:
        """The recodings that were applied, in their order: see `splu_ref.data.recoding`."""
        return self._steps

    @property
    def unrecoded(self) -> Microdata:
        """The table before recoding; the table itself if nothing was recoded."""
        return self if self._source is None else self._source

    def with_recodings(self, steps: Sequence[Recoding], source: Microdata) -> Microdata:
        """Return the table with a record of the recodings by which it was made of ``source``."""
        table = replace(self, _steps=(*source.recoded, *steps), _source=source.unrecoded)
        table._encodings.update(self._encodings)
        return table

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(self._frame.columns)

    def require(self, column: str) -> None:
        """Raise ``DataError`` if the column does not exist; the message lists the existing ones."""
        self._series(column)

    def domain(self, column: str) -> tuple[Value, ...]:
        """Return the distinct values of a column, ascending: numbers by size, text by code point.

        Raises
        ------
        DataError
            If there is no such column, or if it has missing cells that were not declared a value.
        """
        return self.encoding(column).domain

    def codes(self, column: str) -> NDArray[np.int64]:
        """Return each record's value of a sensitive column as an index into `domain`, shape (N,).

        Raises
        ------
        DataError
            As `domain`, and if the column holds one value only.
        """
        encoding = self.encoding(column)
        if len(encoding.domain) == 1:
            raise DataError(
                f"column {column!r} holds one value only ({text(encoding.domain[0])!r}): "
                "nothing to hide it among; choose another sensitive column"
            )
        return encoding.codes

    def histogram(self, column: str) -> NDArray[np.int64]:
        """Return the frequencies of the values of `domain`, shape (values,); the sum is N."""
        encoding = self.encoding(column)
        return np.bincount(encoding.codes, minlength=len(encoding.domain)).astype(np.int64, copy=False)

    def count(self, concept: Concept) -> int:
        """Return the number of records that satisfy every assignment of ``concept``.

        Cells are compared by their canonical text. A value that does not occur gives 0, because it may be
        unpublished; compare user input with `domain` first. With a ``missing`` text, missing cells are read
        as that text.

        Raises
        ------
        DataError
            If a column does not exist.
        """
        holds = np.ones(self.row_count, dtype=np.bool_)
        for column, value in concept.assignments:
            coding = self.coding(column)
            wanted: set[str | None] = {value}
            if self._missing is not None:
                empty: set[str | None] = {None, ""}
                wanted = wanted | empty if value == self._missing else wanted - empty
            holds &= np.array([cell in wanted for cell in coding.texts.to_list()])[coding.codes]
        return int(np.count_nonzero(holds))

    def take(self, rows: NDArray[np.int64]) -> Microdata:
        """Return the table of the given rows in their order; a pandas index starts again from 0.

        The domain of the result consists of the values of these rows.
        """
        taken = {name: coding.take(rows) for name, coding in self._known().items()}
        native = self.to_frame()
        if not isinstance(native, pl.DataFrame):
            return Microdata(gather(self._frame, rows), self._missing, _codings=taken)
        found = {each.name: bare_rows(each, rows, taken.get(each.name)) for each in native}
        columns = [native[name].gather(rows) if own is None else own for name, own in found.items()]
        done = frozenset(name for name, own in found.items() if own is not None)
        return Microdata(nw.from_native(pl.DataFrame(columns)), self._missing, _bare=done, _codings=taken)

    def select(self, columns: Sequence[str]) -> Microdata:
        """Return the table of these columns, in the order of the table.

        Raises
        ------
        DataError
            If there is no such column.
        """
        for column in columns:
            self.require(column)
        kept = [column for column in self.columns if column in columns]
        table = replace(self, _frame=self._frame.select(kept))
        table._encodings.update({name: self._encodings[name] for name in kept if name in self._encodings})
        return table

    def with_codes(
        self, column: str, codes: NDArray[np.int64], domain_of: Microdata | None = None
    ) -> Microdata:
        """Return the table with a column replaced by domain values of the same type.

        Parameters
        ----------
        column
            Name of the column.
        codes
            Shape (N,): indices into the domain.
        domain_of
            The table with the domain, such as the original of a published table; by default this table.

        Raises
        ------
        ValueError
            If ``codes`` has another length or points outside the domain.
        """
        origin = self if domain_of is None else domain_of
        encoding = origin.encoding(column)
        if codes.shape != (self.row_count,):
            raise ValueError(
                f"codes has shape {codes.shape}, the table {self.row_count} rows: give one code a row"
            )
        if int(codes.min()) < 0 or int(codes.max()) >= len(encoding.domain):
            raise ValueError(
                f"a code lies outside 0 to {len(encoding.domain) - 1}: give indices into the domain"
            )
        series = replace_values(origin._series(column), encoding, codes)
        frame = gather(self._frame, None).with_columns(series)
        codings = {**self._known(), column: occurring(encoding.domain, codes)}
        return Microdata(frame, self._missing, _bare=self._bare - {column}, _codings=codings)

    def with_domain(self, column: str, domain: Sequence[str]) -> Microdata:
        """Return the table with a declared domain of a column, which may have values that do not occur.

        Parameters
        ----------
        column
            Name of the column.
        domain
            All values as canonical texts, at least two; `domain` returns them in ascending order.

        Raises
        ------
        DataError
            For a cell outside the domain, with its row, or a value that is not of the column's type.
        """
        table = replace(self)
        table._encodings.update(self._encodings)
        table._encodings[column] = encode_declared(column, self.encoding(column), domain)
        return table

    def bare(self) -> Microdata:
        """Return the table with its cells alone, as it may be published.

        Unused categories, metadata, attributes, and the name and values of a pandas index are removed: see
        `splu_ref.data.residue`.

        Raises
        ------
        DataError
            If a column cannot be built again from its cells.
        """
        names = frozenset(self.columns)
        if names <= self._bare:
            return self
        native = self.to_frame()
        for name in names - self._bare if isinstance(native, pl.DataFrame) else ():
            if native[name].dtype == pl.String:
                self.coding(name)  # which rebuilding needs, and the digest too
        frame = bare(self._frame, self._known(), self._bare)
        return Microdata(frame, self._missing, _bare=names, _codings=self._codings)

    def cells(self, column: str) -> list[str]:
        """Return the cells of a column as canonical texts; a missing cell is the empty text."""
        return self.texts(column).fill_null("").to_list()

    def texts(self, column: str) -> pl.Series:
        """Return the cells of a column as canonical texts; a missing cell is null.

        Raises
        ------
        DataError
            As `coding`.
        """
        native = self._series(column).to_native()
        is_text = isinstance(native, pl.Series) and native.dtype == pl.String
        return (native if is_text else self.coding(column).column()).alias(column)

    def coding(self, column: str) -> Coding:
        """Return a column as indices into its distinct cells.

        Raises
        ------
        DataError
            If there is no such column, or it is of a type without canonical text.
        """
        series = self._series(column)
        if column not in self._codings:
            self._codings[column] = code_column(series)
        return self._codings[column]

    @property
    def counts(self) -> None:
        """None: each row is one record."""
        return

    def values(self, column: str) -> tuple[str, ...]:
        """Return the distinct canonical texts of a column, in the order in which they first occur."""
        return self.categories(column).values

    def categories(self, column: str) -> Categories:
        """Return a column as indices into its distinct canonical texts; a missing cell is the empty text.

        Raises
        ------
        DataError
            As `cells`.
        """
        coding = self.coding(column)
        values, places = coding.by_text()
        return Categories(tuple(values), places.astype(np.int64)[coding.codes])

    def read(self, column: str) -> list[str]:
        """Return the cells of a column as canonical texts; a missing cell is the ``missing`` text.

        Raises
        ------
        DataError
            For a missing cell that was not declared a value, as `domain`.
        """
        encoding = self.encoding(column)
        names = [text(value) for value in encoding.domain]
        return [names[code] for code in encoding.codes.tolist()]

    def identities(self, id_column: str | None = None) -> list[bytes]:
        """Return the bytes that identify each record, all distinct.

        Parameters
        ----------
        id_column
            A column of distinct values: the identity is the text of its cell. By default, the identity
            consists of the record's cells and its number among identical records, counted from the top.

        Raises
        ------
        DataError
            If the column does not exist, or holds an empty or a repeated value.
        """
        if id_column is not None:
            return identities_from_column(id_column, self.texts(id_column).to_list())
        return identities_from_records(self.records())

    def records(self) -> list[bytes]:
        """Return the bytes of each record's cells: its identity without the number.

        Raises
        ------
        DataError
            If a cell has no canonical text.
        """
        codings = map(self.coding, self.columns)
        return packed_records([(coding.texts, coding.codes) for coding in codings]).to_list()

    def content_digest(self) -> str:
        """Return SHA-256 of the table's content, independent of the order of rows, in hexadecimal digits.

        A null counts as an empty text, because a CSV file does not distinguish them; so a table has one
        digest in every format. See `splu_ref.data.content_digest` for the message.
        """
        return content_digest(self.columns, ascending_records(self.contents()))

    def content_records(self) -> list[bytes]:
        """Return the bytes of each row in the message of `content_digest`, in row order."""
        return packed_records(self.contents()).to_list()

    def contents(self) -> list[CodedTexts]:
        """Return for each column texts that distinguish its cells, except null and empty, and indices."""
        written = [contents(self._series(name)) for name in self.columns]
        codings = [
            self.coding(name) if cells is None else code_values(cells)
            for name, cells in zip(self.columns, written, strict=True)
        ]
        return [(coding.texts.fill_null(""), coding.codes) for coding in codings]

    def encoding(self, column: str) -> Encoding:
        """Return the domain and the codes of a column, which may have a single value.

        Raises
        ------
        DataError
            As `domain`.
        """
        if column not in self._encodings:
            self._encodings[column] = encode(column, self.coding(column), self._missing)
        return self._encodings[column]

    def _known(self) -> dict[str, Coding]:
        """Return the codings of columns of this table that were made."""
        return {name: self._codings[name] for name in self.columns if name in self._codings}

    def _series(self, column: str) -> Column:
        require_columns([column], self.columns)
        return self._frame[column]

    def __repr__(self) -> str:
        return f"Microdata({self.row_count} rows, columns {', '.join(self.columns)})"
