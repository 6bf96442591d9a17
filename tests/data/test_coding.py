"""Columns as integer codes, and what is computed of them: keys of rows, records as bytes, digests."""

from __future__ import annotations

import hashlib
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from splu_ref.data import Microdata, Value, text
from splu_ref.data import identities as of_identities
from splu_ref.data.coding import code_values, occurring, row_keys
from splu_ref.data.identities import ascending_records, content_digest, packed_records

NAN = float("nan")
COLUMNS: dict[str, Any] = {
    "text": ["b", "", None, "é", "b", "a", ""],
    "integer": pl.Series([300, -1, None, 300, 2**62, -(2**62), -1]),
    "unsigned": pl.Series([2**64 - 1, 0, None, 0, 1, 1, 2**63], dtype=pl.UInt64),
    "float": [0.0, -0.0, NAN, None, 1e300, 0.1, -0.0],
    "single": pl.Series([0.1, -0.0, NAN, None, 0.0, 0.1, 2.5], dtype=pl.Float32),
    "truth": [True, None, False, True, True, False, None],
    "day": [date(2024, 2, 29), None, date(1, 1, 1), date(2024, 2, 29), None, date(9999, 1, 1), date(1, 1, 1)],
    "moment": pl.Series([5, None, -1, 5, None, 0, -1]).cast(pl.Datetime("us")),
    "decimal": [Decimal("1.50"), None, Decimal("2.00"), Decimal("1.50"), None, Decimal(0), Decimal(2)],
    "category": pl.Series(["b", None, "a", "b", "", "a", "b"], dtype=pl.Categorical),
    "enum": pl.Series(["b", None, "a", "b", "a", "a", "b"], dtype=pl.Enum(["z", "b", "a"])),
    "nothing": [None] * 7,
}


def _one_by_one(cells: list[Value | None]) -> tuple[list[tuple[str, str]], list[int], list[int]]:
    """Return type and text of the distinct cells, their first rows, and the place of every cell."""
    keys = [("", "") if cell is None else (type(cell).__name__, text(cell)) for cell in cells]
    distinct = list(dict.fromkeys(keys))
    return distinct, [keys.index(key) for key in distinct], [distinct.index(key) for key in keys]


def _check(table: Microdata, column: str, cells: list[Value | None]) -> None:
    coding = table.coding(column)
    distinct, rows, codes = _one_by_one(cells)
    assert [("", "") if v is None else (type(v).__name__, text(v)) for v in coding.values] == distinct
    assert coding.texts.to_list() == [name if kind else None for kind, name in distinct]
    assert coding.rows.tolist() == rows
    assert coding.codes.tolist() == codes
    assert coding.counts.tolist() == [codes.count(code) for code in range(len(distinct))]


@pytest.mark.parametrize("column", COLUMNS)
def test_a_coding_is_that_of_the_cells_one_by_one(column: str) -> None:
    frame = pl.DataFrame({column: COLUMNS[column]})
    cells = [None if cell != cell else cell for cell in frame[column].to_list()]
    if column == "moment":
        cells = [cell and cell.isoformat(timespec="microseconds") for cell in cells]
    arrow = frame.to_arrow()
    for given in (frame, arrow, arrow.to_pandas(types_mapper=pd.ArrowDtype)):
        _check(Microdata.from_frame(given), column, cells)
    rows = np.array([6, 6, 1, 4])
    table = Microdata.from_frame(frame)
    table.coding(column)
    _check(table.take(rows), column, [cells[row] for row in rows])


@pytest.mark.parametrize("least", [-(2**63), -3, 0, 2**63 - 4, 2**63, 2**64 - 4])
def test_integers_of_a_short_range_are_coded_as_their_cells_one_by_one(least: int) -> None:
    cells = [least + each for each in (2, 0, 3, 2, 0, 0, 3, 2) * 3]
    kind = pl.Int64 if least + 3 < 2**63 else pl.UInt64
    _check(Microdata.from_frame(pl.DataFrame({"n": pl.Series(cells, dtype=kind)})), "n", list(cells))


@pytest.mark.parametrize("kind", [pl.Int8, pl.UInt8, pl.Int16, pl.UInt32, pl.Int64])
@pytest.mark.parametrize("rows", [4, 40, 600])
def test_short_and_long_ranges_of_integers_are_coded_alike(kind: type[pl.DataType], rows: int) -> None:
    cells = [each * 37 % 101 for each in range(rows)]
    _check(Microdata.from_frame(pl.DataFrame({"n": pl.Series(cells, dtype=kind)})), "n", list(cells))


def test_objects_are_distinguished_by_type_and_text() -> None:
    cells: list[Any] = ["1", 1, True, None, 1.0, "1", True, ""]
    table = Microdata.from_frame(pd.DataFrame({"x": pd.Series(cells, dtype=object)}))
    _check(table, "x", cells)
    categories = table.categories("x")
    assert categories.values == ("1", "True", "", "1.0")
    assert categories.codes.tolist() == [0, 0, 1, 2, 3, 0, 1, 2]
    assert categories.codes.dtype == np.int64, "estimators multiply them"
    found, codes = table.coding("x").content()
    assert found == ["1", "True", "1.0"]
    assert codes.tolist() == [0, 0, 1, -1, 2, 0, 1, -1]


def test_cells_that_do_not_occur_are_left_out() -> None:
    for cells in (["a", "b", "c"], pl.Series(["a", "b", "c"])):
        coding = occurring(cells, np.array([2, 0, 2]))
        assert (coding.texts.to_list(), coding.codes.tolist(), coding.rows.tolist()) == (
            ["c", "a"],
            [0, 1, 0],
            [0, 1],
        )


def test_a_coding_is_shared_by_tables_of_the_same_columns_alone() -> None:
    table = Microdata.from_frame(pl.DataFrame({"a": ["x", "y"], "b": ["y", "z"]}))
    part = table.select(["a"])
    assert part.coding("a") is table.coding("a")
    assert table.bare().coding("a") is table.coding("a")
    table.coding("b")
    with pytest.raises(Exception, match="there is no column 'b'"):
        part.coding("b")
    changed = table.with_codes("a", np.array([1, 1]))
    assert changed.coding("b") is table.coding("b")
    assert changed.cells("a") == changed.coding("a").column().to_list() == ["y", "y"]
    with pytest.raises(ValueError, match="read-only"):
        table.coding("a").codes[0] = 1


@pytest.mark.parametrize("size", [3, 1 << 20, 1 << 40])
def test_keys_of_rows_are_in_the_order_of_their_codes(size: int) -> None:
    numbers = np.random.default_rng(size)
    columns = [numbers.choice([0, 1, size - 1], 200) for _ in range(4)]
    keys = row_keys([(column, size) for column in columns], 200).tolist()
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    assert sorted(range(200), key=lambda row: (keys[row], row)) == sorted(
        range(200), key=lambda row: (rows[row], row)
    )
    assert len(set(keys)) == len(set(rows))


def _packed(cells: tuple[str | None, ...]) -> bytes:
    encoded = [None if cell is None else cell.encode() for cell in cells]
    return b"".join(b"\xff" * 8 if cell is None else len(cell).to_bytes(8, "big") + cell for cell in encoded)


def test_records_are_packed_and_sorted_by_their_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_identities, "_AT_ONCE", 7)
    numbers = np.random.default_rng(1)
    choices: list[list[str | None]] = [
        ["a", "", None, "é" * 100],
        ["b" * 127, "b" * 128, "b" * 70_000],
        [None],
        ["10", "9"],
    ]
    columns = [[each[place] for place in numbers.integers(0, len(each), 60)] for each in choices]
    codings = [code_values(column) for column in columns]
    given = [(coding.texts, coding.codes) for coding in codings]
    records = [_packed(row) for row in zip(*columns, strict=True)]
    assert packed_records(given).to_list() == records
    pieces = list(ascending_records(given))
    assert max(map(len, pieces)) == 7
    assert [record for piece in pieces for record in piece.to_list()] == sorted(records)
    message = b"splu-ref/table/1" + (1).to_bytes(8, "big") + _packed(("é",))
    message += b"".join(len(record).to_bytes(8, "big") + record for record in sorted(records))
    assert content_digest(["é"], ascending_records(given)) == hashlib.sha256(message).hexdigest()


def test_a_table_that_is_bare_is_not_rebuilt() -> None:
    table = Microdata.from_frame(pl.DataFrame({"a": ["x", "y"], "b": [1, 2]}))
    bare = table.bare()
    assert bare is not table
    assert bare.bare() is bare
    assert bare.select(["b"]).bare().to_frame().columns == ["b"]
    assert bare.take(np.array([0])).bare() is not bare
    assert Microdata.from_frame(pa.table({"a": ["x"]})).bare().cells("a") == ["x"]
