"""Columns made coarser, crossed or hidden before publication: publicly, and so that it can be done again.

A bin, a crossing and a hash depend on the record alone. Which values are rare depends on the true counts:
that a value is still named tells that at least so many records have it.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal, InvalidOperation, localcontext
from fractions import Fraction
from math import floor
from typing import Any, Self

import narwhals as nw

from splu_ref.channels import DataError, ParameterError, whole
from splu_ref.data.encoding import is_missing
from splu_ref.data.table import Microdata, Recoding

JOINED_BY = " / "
"""What stands between the values of a crossing."""
OTHER = "other"
"""What a rare value is published as."""
PERIODS = ("year", "quarter", "month")
"""Widths of bins of dates."""
HASH = "HMAC-SHA-256"
_WIDTH = re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?")
_TEXTS = (nw.String, nw.Categorical, nw.Enum, nw.Object)
_MONTHS = 3  # of a quarter
_DIGITS = 60  # of the limits of a bin, at most: 30 of a number, and 15 more behind the point of a width


@dataclass(frozen=True)
class Bins:
    """Numbers or dates of a column in bins of one width, which begin at multiples of it.

    Attributes
    ----------
    column
        The column.
    width
        A decimal number greater than 0, or ``year``, ``quarter`` or ``month``.
    whole
        Whether all numbers are whole and so is the width: a bin is then named by its first and its last
        number, ``30..39``, and otherwise by its first and that of the next, ``1.5..<2.0``. None as long as no
        table was seen.
    """

    column: str
    width: str
    whole: bool | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the bins written as ``COLUMN=WIDTH``."""
        return cls.of(*_divided(text, "--bins age=10 or --bins born=year"))

    @classmethod
    def of(cls, column: str, width: str) -> Self:
        """Return bins of this width, which is checked."""
        if width not in PERIODS and not (_WIDTH.fullmatch(width) and Decimal(width) > 0):
            raise ParameterError(
                f"--bins {column}={width}: the width is a decimal number greater than 0, such as 10 or 0.5, "
                f"or {', '.join(PERIODS)}"
            )
        return cls(column, width)

    def facts(self) -> dict[str, object]:
        """Return column and width."""
        return {
            "column": self.column,
            "bins": self.width,
            **({} if self.whole is None else {"whole": self.whole}),
        }

    def label(self, cell: str) -> str:
        """Return the name of the bin of a number or a date.

        Raises
        ------
        ValueError
            If the cell is none, or no whole number where all were whole.
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

    def limits(self, label: str) -> tuple[Decimal, Decimal] | None:
        """Return the first and the last number of a bin of numbers, or where the next begins; or None."""
        first, dots, last = label.partition(".." if self.whole else "..<")
        try:
            return (_number(first), _number(last)) if dots and self.width not in PERIODS else None
        except ValueError:
            return None

    def fitted(self, cells: Iterable[str]) -> Self:
        """Return the bins with ``whole`` decided by the cells that are numbers."""
        if self.whole is not None or self.width in PERIODS:
            return self
        numbers = (_number(cell) for cell in cells)
        every = Decimal(self.width) == int(Decimal(self.width)) and all(each == int(each) for each in numbers)
        return replace(self, whole=every)

    def apply(self, table: Microdata) -> Microdata:
        """Return the table with bins; cells without content stay, and so does the text for them."""
        cells = table.cells(self.column)
        bins: dict[str, str] = {
            cell: cell for cell in set(cells) if cell == table.missing or is_missing(cell)
        }
        for cell in dict.fromkeys(cells):
            if cell not in bins:
                try:
                    bins[cell] = self.label(cell)
                except (ValueError, ArithmeticError):
                    kind = "date such as 2024-02-29" if self.width in PERIODS else "number"
                    kind = "whole number" if self.whole else kind
                    raise DataError(
                        f"column {self.column!r} holds {cell!r} in row {cells.index(cell) + 1}, which is no "
                        f"{kind}: mend the cell, leave it empty, or leave out --bins {self.column}"
                    ) from None
        return with_texts(table, self.column, [bins[cell] for cell in cells])


@dataclass(frozen=True)
class Cross:
    """One column of all pairs (or more) of values of several, which it replaces."""

    column: str
    parts: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the crossing written as ``NEW=A,B``."""
        column, listed = _divided(text, "--cross job=workclass,occupation")
        return cls.of(column, listed.split(","))

    @classmethod
    def of(cls, column: str, parts: Sequence[str]) -> Self:
        """Return the crossing of these parts, which are checked."""
        if len(parts) < 2 or len(set(parts)) < len(parts) or not all(parts):
            raise ParameterError(
                f"--cross {column}={','.join(parts)}: name two columns or more, each once: --cross NEW=A,B"
            )
        return cls(column, tuple(parts))

    def facts(self) -> dict[str, object]:
        """Return the new column and those that it was made of."""
        return {"column": self.column, "cross": list(self.parts)}

    def apply(self, table: Microdata) -> Microdata:
        """Return the table with the crossing in place of its parts.

        Raises
        ------
        DataError
            If a part has missing cells that were not declared a value, or holds what joins the values, or if
            the new name is taken.
        """
        if self.column in table.columns and self.column not in self.parts:
            raise DataError(f"there is a column {self.column!r} already: give the crossing another name")
        cells = [table.read(part) for part in self.parts]
        for part, column in zip(self.parts, cells, strict=True):
            for row, cell in enumerate(column, 1):
                if JOINED_BY in cell:
                    raise DataError(
                        f"column {part!r} holds {cell!r} in row {row}, and {JOINED_BY!r} joins the values of "
                        "a crossing: write that cell otherwise"
                    )
        joined = [JOINED_BY.join(each) for each in zip(*cells, strict=True)]
        left = [name for name in table.columns if name not in self.parts]
        frame = nw.from_native(table.to_frame(), eager_only=True)
        series = nw.new_series(self.column, joined, nw.String, backend=frame.implementation)
        crossed = frame.select(left).with_columns(series) if left else series.to_frame()
        return Microdata.from_frame(crossed.to_native(), table.missing)


@dataclass(frozen=True)
class Rare:
    """Values of fewer than ``least`` records published as one, `OTHER`."""

    column: str
    least: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return what is written as ``COLUMN=RECORDS``."""
        return cls.of(*_divided(text, "--group-rare city=10"))

    @classmethod
    def of(cls, column: str, least: str | int) -> Self:
        """Return the grouping below this count, which is checked."""
        return cls(column, whole(least, f"--group-rare {column}", 2))

    def facts(self) -> dict[str, object]:
        """Return column and count."""
        return {"column": self.column, "grouped_below": self.least}

    def apply(self, table: Microdata) -> Microdata:
        """Return the table with rare values grouped; cells without content stay."""
        cells = table.cells(self.column)
        counts = Counter(cells)
        if OTHER in counts:
            raise DataError(
                f"column {self.column!r} holds {OTHER!r} itself: write that value otherwise, or group the "
                "rare ones yourself"
            )
        kept = {
            cell
            for cell, count in counts.items()
            if count >= self.least or cell == table.missing or is_missing(cell)
        }
        return with_texts(table, self.column, [cell if cell in kept else OTHER for cell in cells])


@dataclass(frozen=True)
class Hashed:
    """Values replaced by a keyed hash, of which only who has the key can tell whose it is."""

    column: str
    secret: bytes | None = field(default=None, repr=False)

    def facts(self) -> dict[str, object]:
        """Return the column, and how it was hashed: nothing of the key."""
        return {"column": self.column, "hashed": HASH}

    def apply(self, table: Microdata) -> Microdata:
        """Return the table with 16 hexadecimal digits for each value; cells without content stay."""
        if self.secret is None:
            raise DataError(f"column {self.column!r} was hashed under a secret key: give --key-file")
        cells = table.cells(self.column)
        hashes = {
            cell: cell if cell == table.missing or is_missing(cell) else self._hash(cell)
            for cell in set(cells)
        }
        if len(set(hashes.values())) < len(hashes):
            raise DataError(f"two values of column {self.column!r} have one hash: give another --key-file")
        return with_texts(table, self.column, [hashes[cell] for cell in cells])

    def _hash(self, cell: str) -> str:
        assert self.secret is not None
        column, value = self.column.encode(), cell.encode()
        message = b"splu-ref/hash/1" + len(column).to_bytes(8, "big") + column + value
        return hmac.new(self.secret, message, hashlib.sha256).hexdigest()[:16]


def prepare_table(
    table: Microdata,
    steps: Sequence[Recoding],
    domains: Mapping[str, Sequence[str]],
    drop: Sequence[str] = (),
    sensitive: Sequence[str] = (),
) -> Microdata:
    """Return a table as it is to be published: recoded, with declared domains, and without some columns.

    Parameters
    ----------
    table
        The original.
    steps
        What is done to columns, in this order.
    domains
        By column, the values that it may hold.
    drop
        Columns that are not published.
    sensitive
        The sensitive columns, as far as they are known: see `with_missing_as_text`.

    Raises
    ------
    DataError
        If a step cannot be taken, a cell lies outside its domain, or there is no such column.
    """
    changed, taken = apply_recodings(table, steps)
    changed = with_missing_as_text(changed, sensitive)
    for column, values in domains.items():
        changed = changed.with_domain(column, values)
    for column in drop:
        changed.require(column)
    left = [column for column in changed.columns if column not in drop]
    found = changed.select(left) if drop else changed
    return found.with_recodings(taken, table) if taken else found


def apply_recodings(table: Microdata, steps: Sequence[Recoding]) -> tuple[Microdata, tuple[Recoding, ...]]:
    """Return the table with all steps taken, in their order, and the steps as the manifest tells them.

    Raises
    ------
    DataError
        If a step cannot be taken.
    """
    taken: list[Recoding] = []
    for step in steps:
        done = step
        if isinstance(step, Bins):
            cells = (c for c in set(table.cells(step.column)) if c != table.missing and not is_missing(c))
            with suppress(ValueError):  # `apply` says which cell is no number
                done = step.fitted(cells)
        table = done.apply(table)
        taken.append(done)
    return table, tuple(taken)


def sources(steps: Sequence[Recoding], column: str) -> tuple[str, ...]:
    """Return the columns of the original that a column was made of by steps, itself if by none."""
    found = [column]
    for step in reversed(steps):
        if isinstance(step, Cross) and step.column in found:
            found = [name for each in found for name in (step.parts if each == step.column else (each,))]
    return tuple(dict.fromkeys(found))


def with_texts(table: Microdata, column: str, cells: Sequence[str]) -> Microdata:
    """Return the table with a column replaced by texts, at its place."""
    frame = nw.from_native(table.to_frame(), eager_only=True)
    series = nw.new_series(column, list(cells), nw.String, backend=frame.implementation)
    return Microdata.from_frame(frame.with_columns(series).to_native(), table.missing)


def with_missing_as_text(table: Microdata, columns: Sequence[str]) -> Microdata:
    """Return the table with those columns as text that hold something else and have cells without content.

    Nothing is done unless a text stands for such cells: it is a value of the column then, and no number.
    """
    for column in columns if table.missing is not None else ():
        dtype = nw.from_native(table.to_frame(), eager_only=True).schema.get(column, nw.String())
        if not isinstance(dtype, _TEXTS) and "" in table.cells(column):
            table = with_texts(table, column, table.cells(column))
    return table


def read_steps(told: object, secret: bytes | None = None) -> tuple[Recoding, ...]:
    """Return the steps that a manifest tells.

    Raises
    ------
    TypeError, ValueError, KeyError
        If it tells no such thing.
    """
    if not isinstance(told, list):
        raise TypeError
    return tuple(_read(each, secret) for each in told)


def _read(told: Any, secret: bytes | None) -> Recoding:
    kinds: Mapping[frozenset[str], Callable[[Any], Recoding]] = {
        frozenset({"column", "bins"}): lambda each: Bins.parse(f"{each['column']}={each['bins']}"),
        frozenset({"column", "bins", "whole"}): lambda each: replace(
            Bins.parse(f"{each['column']}={each['bins']}"), whole=_truth(each["whole"])
        ),
        frozenset({"column", "cross"}): lambda each: Cross.parse(
            f"{each['column']}={','.join(_named(part) for part in each['cross'])}"
        ),
        frozenset({"column", "grouped_below"}): lambda each: Rare(
            each["column"], whole(each["grouped_below"], "grouped_below", 2)
        ),
        frozenset({"column", "hashed"}): lambda each: Hashed(each["column"], secret),
    }
    if not isinstance(told, dict) or not isinstance(told["column"], str):
        raise TypeError
    step = kinds[frozenset(told)](told)
    if step.facts() != told:
        raise ValueError
    return step


def _truth(told: object) -> bool:
    if not isinstance(told, bool):
        raise TypeError
    return told


def _named(part: object) -> str:
    if not isinstance(part, str):
        raise TypeError
    return part


def _divided(text: str, example: str) -> tuple[str, str]:
    column, equals, value = text.rpartition("=") if "," not in text else text.partition("=")
    if not (column and equals and value):
        raise ParameterError(f"{text!r} says nothing of a column: write {example}")
    return column, value


def _number(cell: str) -> Decimal:
    try:
        number = Decimal(cell)
    except InvalidOperation:
        raise ValueError from None
    if not number.is_finite() or not -30 < number.adjusted() < 30:
        raise ValueError
    return number
