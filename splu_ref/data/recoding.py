"""Recoding of columns before publication: bins, crossings, grouped rare values, keyed hashes and removal.

Recodings are recorded in the manifest and reproducible. Bins, crossings and hashes depend on the record
alone. Grouping depends on the true counts: it discloses that every remaining value has at least the given
count.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal, InvalidOperation, localcontext
from fractions import Fraction
from math import floor
from typing import Self

import narwhals as nw
import numpy as np
import polars as pl

from splu_ref.channels import DataError, ParameterError, integer
from splu_ref.data.cell_values import Column, Frame, text
from splu_ref.data.encoding import is_missing
from splu_ref.data.record_counts import Categories
from splu_ref.data.table import Microdata

JOINED_BY = " / "
"""Separator of the values of a crossing."""
OTHER = "other"
"""Published text of rare values."""
PERIODS = ("year", "quarter", "month")
"""Widths of bins of dates."""
HASH = "HMAC-SHA-256"
OWN_SALT = ""
"""Stands for the salt of a release of its own."""
_WIDTH = re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?")
_TEXTS = (nw.String, nw.Categorical, nw.Enum, nw.Object)
_MONTHS = 3  # of a quarter
_DIGITS = 60  # largest precision of the limits of a bin: 30 digits of a number, and 15 decimals of a width


@dataclass(frozen=True)
class Bins:
    """Bins of one width for the numbers or dates of a column; they begin at multiples of the width.

    Attributes
    ----------
    column
        The column.
    width
        A decimal number greater than 0, or ``year``, ``quarter`` or ``month``.
    whole
        Whether all numbers are integers, which a width without a decimal point requires; None for dates. A
        bin is then labeled with its first and last number, ``30..39``, and otherwise as a half-open interval,
        ``1.5..<2.0``. It does not depend on the table, whose records may be suppressed.
    """

    column: str
    width: str
    whole: bool | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse bins written as ``COLUMN=WIDTH``."""
        return cls.of(*_divided(text, "--bins age=10 or --bins born=year"))

    @classmethod
    def of(cls, column: str, width: str) -> Self:
        """Return bins of a validated width."""
        if width not in PERIODS and not (_WIDTH.fullmatch(width) and Decimal(width) > 0):
            raise ParameterError(
                f"--bins {column}={width}: the width is a decimal number greater than 0, such as 10 or 0.5, "
                f"or {', '.join(PERIODS)}"
            )
        return cls(column, width, None if width in PERIODS else "." not in width)

    def facts(self) -> dict[str, object]:
        """Return column and width."""
        return {
            "column": self.column,
            "bins": self.width,
            **({} if self.whole is None else {"whole": self.whole}),
        }

    def label(self, cell: str) -> str:
        """Return the label of the bin of a number or a date.

        Raises
        ------
        ValueError
            If the cell is not a number or date, or not an integer where all were integers.
        """
        if self.width in PERIODS:
            day = date.fromisoformat(cell[:10])
            if self.width == "quarter":
                return f"{day.year:04}-Q{(day.month - 1) // _MONTHS + 1}"
            return f"{day.year:04}" if self.width == "year" else f"{day.year:04}-{day.month:02}"
        number, width = _number(cell), Decimal(self.width)
        with localcontext(prec=_DIGITS):
            first = floor(Fraction(number) / Fraction(width)) * width
            if not self.whole:
                return f"{first}..<{first + width}"
            if number != int(number):
                raise ValueError
            return f"{first}..{first + width - 1}"

    def _is_date(self, cell: str) -> bool:
        try:
            return bool(self.label(cell))
        except ValueError:
            return False

    def limits(self, label: str) -> tuple[Decimal, Decimal] | None:
        """Return both numbers in the label of a bin; None for dates and other labels."""
        first, dots, last = label.partition(".." if self.whole else "..<")
        try:
            return (_number(first), _number(last)) if dots and self.width not in PERIODS else None
        except ValueError:
            return None

    def apply(self, table: Microdata) -> Microdata:
        """Return the table with bins; missing cells and the text for them are unchanged."""
        categories = table.categories(self.column)
        bins = []
        for place, cell in enumerate(categories.values):
            try:
                bins.append(cell if _is_unchanged(cell, table) else self.label(cell))
            except (ValueError, ArithmeticError):
                kind, remedy = "number", f"leave out --bins {self.column}"
                if self.width in PERIODS:
                    kind = "date such as 2024-02-29"
                elif self.whole and _is_number(cell):
                    kind, remedy = "whole number", f"give --bins {self.column}={self.width}.0 for all numbers"
                if self.width in PERIODS and not any(map(self._is_date, categories.values)):
                    raise DataError(
                        f"column {self.column!r} holds no date such as 2024-02-29, but {cell!r}: write all "
                        f"its dates as year-month-day first, or leave out --bins {self.column}"
                    ) from None
                row = int(np.argmax(categories.codes == place)) + 1
                raise DataError(
                    f"column {self.column!r} holds {cell!r} in row {row}, which is no {kind}: correct the "
                    f"cell, leave it empty, or {remedy}"
                ) from None
        return _with_categories(table, self.column, categories, bins)


@dataclass(frozen=True)
class Cross:
    """A column of the combinations of values of several columns, which it replaces."""

    column: str
    parts: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a crossing written as ``NEW=A,B``."""
        column, listed = _divided(text, "--cross job=workclass,occupation", several=True)
        return cls.of(column, listed.split(","))

    @classmethod
    def of(cls, column: str, parts: Sequence[str]) -> Self:
        """Return the crossing of validated parts."""
        if len(parts) < 2 or len(set(parts)) < len(parts) or not all(parts):
            raise ParameterError(
                f"--cross {column}={','.join(parts)}: name two columns or more, each once: --cross NEW=A,B"
            )
        return cls(column, tuple(parts))

    def facts(self) -> dict[str, object]:
        """Return the new column and its parts."""
        return {"column": self.column, "cross": list(self.parts)}

    def apply(self, table: Microdata) -> Microdata:
        """Return the table with the crossing in place of its parts.

        Raises
        ------
        DataError
            If a part has undeclared missing cells or a value that contains `JOINED_BY`, or if the new name
            exists.
        """
        if self.column in table.columns and self.column not in self.parts:
            raise DataError(f"there is a column {self.column!r} already: give the crossing another name")
        columns, table = [], with_missing_as_text(table, self.parts)
        for part in self.parts:
            encoding = table.encoding(part)
            column = pl.Series([text(value) for value in encoding.domain], dtype=pl.String).gather(
                encoding.codes
            )
            row = column.str.contains(JOINED_BY, literal=True).arg_max()
            if row is not None and JOINED_BY in column[row]:
                raise DataError(
                    f"column {part!r} holds {column[row]!r} in row {row + 1}, and {JOINED_BY!r} joins the "
                    "values of a crossing: write that cell otherwise"
                )
            columns.append(column)
        left = [name for name in table.columns if name not in self.parts]
        frame = nw.from_native(table.to_frame(), eager_only=True)
        joined = pl.select(pl.concat_str(columns, separator=JOINED_BY)).to_series()
        series = _like(frame, self.column, joined)
        crossed = frame.select(left).with_columns(series) if left else series.to_frame()
        return Microdata.from_frame(crossed.to_native(), table.missing)


@dataclass(frozen=True)
class Rare:
    """Grouping of values with fewer than ``least`` records as `OTHER`."""

    column: str
    least: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a grouping written as ``COLUMN=RECORDS``."""
        return cls.of(*_divided(text, "--group-rare city=10"))

    @classmethod
    def of(cls, column: str, least: str | int) -> Self:
        """Return the grouping below a validated count."""
        return cls(column, integer(least, f"--group-rare {column}", 2))

    def facts(self) -> dict[str, object]:
        """Return column and count."""
        return {"column": self.column, "grouped_below": self.least}

    def require_several(self, table: Microdata) -> None:
        """Raise if a single value would be grouped, whose count would be published under another name."""
        categories = table.categories(self.column)
        counts = np.bincount(categories.codes).tolist()
        rare = [
            cell
            for cell, count in zip(categories.values, counts, strict=True)
            if 0 < count < self.least and not _is_unchanged(cell, table)
        ]
        if len(rare) == 1:
            raise DataError(
                f"--group-rare {self.column}={self.least} reaches {text(rare[0])!r} alone, and only renames "
                "it: give a larger number, or leave it out"
            )

    def apply(self, table: Microdata) -> Microdata:
        """Return the table with rare values grouped; missing cells are unchanged."""
        categories = table.categories(self.column)
        if OTHER in categories.values:
            raise DataError(
                f"column {self.column!r} holds {OTHER!r} itself: write that value otherwise, or group the "
                "rare ones yourself"
            )
        counts = np.bincount(categories.codes).tolist()
        grouped = [
            cell if count >= self.least or _is_unchanged(cell, table) else OTHER
            for cell, count in zip(categories.values, counts, strict=True)
        ]
        return _with_categories(table, self.column, categories, grouped)


@dataclass(frozen=True)
class Hashed:
    """Replacement of values by a keyed hash, which only holders of the key can link to the value.

    Attributes
    ----------
    column
        The column.
    secret
        The key; None if it is not known.
    salt
        Public text that enters the hash, so that releases of one key have other hashes unless they share it.
        `OWN_SALT` before a table was read: it is then derived from key and table. None in manifests of older
        programs.
    """

    column: str
    secret: bytes | None = field(default=None, repr=False)
    salt: str | None = OWN_SALT

    def facts(self) -> dict[str, object]:
        """Return the column, the hash function and the salt, without the key."""
        salt = {} if self.salt is None else {"salt": self.salt}
        return {"column": self.column, "hashed": HASH, **salt}

    def fitted(self, table: Microdata) -> Self:
        """Return the step with the salt of a release of this table."""
        if self.salt != OWN_SALT or self.secret is None:
            return self
        message = b"splu-ref/hash-salt/1" + bytes.fromhex(table.content_digest())
        return replace(self, salt=hmac.new(self.secret, message, hashlib.sha256).hexdigest()[:32])

    def apply(self, table: Microdata) -> Microdata:
        """Return the table with 16 hexadecimal digits for each value; missing cells are unchanged."""
        if self.secret is None:
            raise DataError(f"column {self.column!r} was hashed under a secret key: give --key-file")
        categories = table.categories(self.column)
        hashes = [cell if _is_unchanged(cell, table) else self._hash(cell) for cell in categories.values]
        if len(set(hashes)) < len(hashes):
            raise DataError(f"two values of column {self.column!r} have one hash: give another --key-file")
        return _with_categories(table, self.column, categories, hashes)

    def _hash(self, cell: str) -> str:
        assert self.secret is not None
        rule = b"splu-ref/hash/1" if self.salt is None else b"splu-ref/hash/2"
        parts = [self.column] if self.salt is None else [self.salt, self.column]
        framed = (len(part.encode()).to_bytes(8, "big") + part.encode() for part in parts)
        message = rule + b"".join(framed) + cell.encode()
        return hmac.new(self.secret, message, hashlib.sha256).hexdigest()[:16]


@dataclass(frozen=True)
class Dropped:
    """Removal of a column, which is not published."""

    column: str

    def facts(self) -> dict[str, object]:
        """Return the column."""
        return {"column": self.column, "dropped": True}

    def apply(self, table: Microdata) -> Microdata:
        """Return the table without the column."""
        table.require(self.column)
        return table.select([name for name in table.columns if name != self.column])


def with_missing_as_text(table: Microdata, columns: Sequence[str]) -> Microdata:
    """Convert columns with missing cells to text, if the table has a text for missing cells.

    That text is then a value of the column, which cannot be numeric.
    """
    for column in columns if table.missing is not None else ():
        dtype = nw.from_native(table.to_frame(), eager_only=True).schema.get(column, nw.String())
        if not isinstance(dtype, _TEXTS) and "" in table.values(column):
            table = with_texts(table, column, table.texts(column).fill_null(""))
    return table


def with_texts(table: Microdata, column: str, cells: pl.Series) -> Microdata:
    """Return the table with a column replaced by texts."""
    frame = nw.from_native(table.to_frame(), eager_only=True)
    return Microdata.from_frame(frame.with_columns(_like(frame, column, cells)).to_native(), table.missing)


def _with_categories(
    table: Microdata, column: str, categories: Categories, texts: Sequence[str]
) -> Microdata:
    """Return the table with each category of a column replaced by a text."""
    return with_texts(table, column, pl.Series(texts, dtype=pl.String).gather(categories.codes))


def _like(frame: Frame, name: str, cells: pl.Series) -> Column:
    """Return texts as a column of a frame's library."""
    given = cells if frame.implementation.is_polars() else cells.to_list()
    return nw.new_series(name, given, nw.String, backend=frame.implementation)


def _is_unchanged(cell: str, table: Microdata) -> bool:
    """Return whether a cell is missing or the text for missing cells, which recodings leave."""
    return cell == table.missing or is_missing(cell)


def _divided(text: str, example: str, *, several: bool = False) -> tuple[str, str]:
    """Return a column and what is said of it, which has commas only with ``several``."""
    column, equals, value = text.rpartition("=") if "," not in text else text.partition("=")
    if not (column and equals and value):
        raise ParameterError(f"{text!r} says nothing of a column: write {example}")
    if "," in value and not several:
        raise ParameterError(f"{text!r} is more than one column: repeat the option for each, as {example}")
    return column, value


def _is_number(cell: str) -> bool:
    try:
        _number(cell)
    except (ValueError, ArithmeticError):
        return False
    return True


def _number(cell: str) -> Decimal:
    try:
        number = Decimal(cell)
    except InvalidOperation:
        raise ValueError from None
    if not number.is_finite() or not -30 < number.adjusted() < 30:
        raise ValueError
    return number
