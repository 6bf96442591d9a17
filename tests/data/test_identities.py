from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_ref.channels.parameters import DataError
from splu_ref.data import Microdata


def test_the_bytes_of_a_record_are_as_specified() -> None:
    table = Microdata.from_frame(pl.DataFrame({"a": ["é", "é", None], "b": [10, 10, None]}))
    record = bytes.fromhex("0000000000000002c3a90000000000000002") + b"10"
    empty = b"\xff" * 16
    assert table.identities() == [record + bytes(8), record + bytes(7) + b"\x01", empty + bytes(8)]


def test_the_bytes_of_a_named_record_are_its_text() -> None:
    table = Microdata.from_frame(pl.DataFrame({"id": ["é", " 7", "?"], "n": [30, 1, 2]}))
    assert table.identities("id") == ["é".encode(), b" 7", b"?"]
    assert table.identities("n") == [b"30", b"1", b"2"]


def test_a_column_that_does_not_identify_records_is_refused() -> None:
    table = Microdata.from_frame(pl.DataFrame({"a": ["x", "y", "x"], "b": ["x", "", "y"], "c": [1, 2, None]}))
    with pytest.raises(DataError, match="'a' cannot identify records: rows 1 and 3 both hold 'x': choose"):
        table.identities("a")
    with pytest.raises(DataError, match="'b' cannot identify records: row 2 is empty: fill"):
        table.identities("b")
    with pytest.raises(DataError, match="'c' cannot identify records: row 3 is empty: fill"):
        table.identities("c")


CELL = st.one_of(st.none(), st.sampled_from(["", "a", "\0", "aa", "\0" * 8]))


@settings(max_examples=200)
@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=6))
def test_identities_are_distinct_and_spell_the_record(rows: list[tuple[str | None, str | None]]) -> None:
    table = Microdata.from_frame(pl.DataFrame(rows, schema={"a": pl.String, "b": pl.String}, orient="row"))
    identities = table.identities()
    assert len(set(identities)) == len(rows)
    for index, (row, identity) in enumerate(zip(rows, identities, strict=True)):
        rest = identity
        for cell in row:
            length, rest = int.from_bytes(rest[:8], "big"), rest[8:]
            if length == 2**64 - 1:
                assert cell is None
            else:
                assert rest[:length].decode() == cell
                rest = rest[length:]
        assert int.from_bytes(rest, "big") == rows[:index].count(row)
        assert len(rest) == 8


def test_every_kind_of_frame_gives_the_same_bytes() -> None:
    cells: dict[str, list[Any]] = {
        "s": ["b", None, ""],
        "i": [1, 2, 3],
        "f": [0.1, float("nan"), 1e16],
        "t": [True, False, True],
    }
    moments = [0, None, 1_000]
    frames: list[Any] = [
        pl.DataFrame(cells).with_columns(m=pl.Series(moments).cast(pl.Datetime("us"))),
        pd.DataFrame(cells).assign(
            m=pd.to_datetime(pd.Series(moments, dtype="Int64"), unit="us").astype("datetime64[us]")
        ),
        pa.table(cells).append_column("m", pa.array(moments, type=pa.timestamp("us"))),
    ]
    identities = [Microdata.from_frame(frame).identities() for frame in frames]
    assert identities[0] == identities[1] == identities[2]
    assert b"1970-01-01T00:00:00.001000" in identities[0][2]
    assert identities[0][1].endswith(b"False" + b"\xff" * 8 + bytes(8))  # a moment that is missing
    categories = pl.DataFrame(cells).with_columns(
        pl.col("s").cast(pl.Categorical), m=pl.Series(moments).cast(pl.Datetime("us"))
    )
    assert Microdata.from_frame(categories).identities() == identities[0]


def test_identities_do_not_depend_on_what_missing_cells_are_read_as() -> None:
    frame = pl.DataFrame({"s": ["a", "", None]})
    assert Microdata.from_frame(frame, missing="?").identities() == Microdata.from_frame(frame).identities()
