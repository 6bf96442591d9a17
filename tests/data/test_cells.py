"""Cells of each type as text, and columns of each type built again from their cells."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from splu_ref.channels.parameters import DataError
from splu_ref.data import Microdata
from splu_ref.data.cell_values import number, text
from splu_ref.data.coding import code_values
from splu_ref.data.encoding import encode, encode_declared
from splu_ref.data.identities import identities_from_records, number_identities
from splu_ref.data.limits import largest_content, most_cells
from splu_ref.data.record_counts import tally
from splu_ref.data.residue import bare, bare_polars


@pytest.mark.parametrize(
    ("unit", "zone", "moments"),
    [
        ("ms", None, ["2024-02-29T01:02:03.004", None, "1969-12-31T23:59:59.999"]),
        ("us", None, ["2024-02-29T01:02:03.004005", None, "1969-12-31T23:59:59.999999"]),
        ("ns", "UTC", ["2024-02-29T01:02:03.004005006Z", None, "1969-12-31T23:59:59.999999999Z"]),
        ("us", "Asia/Tokyo", ["2024-02-29T01:02:03.004005Z", None, "1969-12-31T23:59:59.999999Z"]),
    ],
)
def test_moments_have_all_digits_of_their_unit(
    unit: Any, zone: str | None, moments: list[str | None]
) -> None:
    nanoseconds = 1_709_168_523_004_005_006
    each = {"ms": 10**6, "us": 10**3, "ns": 1}[unit]
    cells = pl.Series("x", [nanoseconds // each, None, -1]).cast(pl.Datetime(unit, zone))
    frames: list[Any] = [cells.to_frame(), cells.to_frame().to_arrow()]
    for frame in frames:
        table = Microdata.from_frame(frame)
        assert table.cells("x") == [moment or "" for moment in moments]
        assert table.values("x") == tuple(moment or "" for moment in moments)


def test_moments_of_whole_seconds_have_thousandths() -> None:
    series = pd.Series(np.array(["2024-02-29T01:02:03", "NaT"], dtype="datetime64[s]"))
    assert Microdata.from_frame(pd.DataFrame({"x": series})).cells("x") == ["2024-02-29T01:02:03.000", ""]
    arrow = pa.table({"x": pa.array([1, None], pa.timestamp("s", "UTC"))})
    assert Microdata.from_frame(arrow).cells("x") == ["1970-01-01T00:00:01.000Z", ""]


@pytest.mark.parametrize(
    ("value", "reported"),
    [
        (True, "True"), (-7, "-7"), (1.0, "1.0"), (0.1, "0.1"), (1e16, "1e+16"), (float("inf"), "inf"),
        (Decimal("1.50"), "1.50"), (datetime.date(24, 1, 2), "0024-01-02"), ("a", "a"),
    ],
)  # fmt: skip
def test_values_as_text(value: Any, reported: str) -> None:
    assert text(value) == reported


def test_texts_that_are_numbers() -> None:
    assert [number(each) for each in ("1", " 1", "1e3", "-.5", "٣")] == [1, 1, 1000, Decimal("-0.5"), 3]
    assert [number(each) for each in ("1_0", "nan", "inf", "", "one")] == [None] * 5


def test_contents_that_have_no_text_are_distinguished() -> None:
    """Columns that are not sensitive may be of any type: the digest distinguishes their cells."""
    cells = {
        "bytes": [b"\x00\xff", b"", None],
        "list": [["a", "ä"], [], None],
        "parts": [{"u": 1, "v": [b"\x01"]}, {"u": None, "v": []}, None],
        "time": [datetime.timedelta(days=1), datetime.timedelta(0), None],
        "x": ["a", "", None],
    }
    polars = Microdata.from_frame(pl.DataFrame(cells))
    of_bytes = pa.array([b"\x00\xff", b"", None], pa.binary())
    arrow = Microdata.from_frame(pl.DataFrame(cells).to_arrow().set_column(0, "bytes", of_bytes))
    reported = [
        ['"00ff"', '""', ""],
        ['["a","ä"]', "[]", ""],
        ['{"u":1,"v":["01"]}', '{"u":null,"v":[]}', ""],
        ['"1 day, 0:00:00"', '"0:00:00"', ""],
        ["a", "", ""],
    ]
    for table in (polars, arrow):
        rows = [
            b"".join(len(each[row].encode()).to_bytes(8, "big") + each[row].encode() for each in reported)
            for row in range(3)
        ]
        assert table.content_records() == rows
    assert polars.content_digest() == arrow.content_digest()


def test_records_have_numbers_among_those_alike() -> None:
    assert identities_from_records([b"a", b"b", b"a"]) == [
        b"a" + bytes(8),
        b"b" + bytes(8),
        b"a" + bytes(7) + b"\x01",
    ]
    assert number_identities([b"a", b"b"], [0, 258]) == [b"a" + bytes(8), b"b" + bytes(6) + b"\x01\x02"]
    with pytest.raises(ValueError, match="zip"):
        number_identities([b"a"], [0, 1])


def test_what_a_small_and_what_a_large_file_may_hold() -> None:
    assert [largest_content(size) for size in (0, 1_342_177, 1_342_178)] == [1 << 27, 1 << 27, 134_217_800]
    assert [most_cells(size) for size in (0, 41_943, 41_944)] == [1 << 22, 1 << 22, 4_194_400]


def test_records_are_tallied_by_code() -> None:
    codes, counts = np.array([2, 0, 2, 1]), np.array([5, 1, 7, 2])
    inside = np.array([True, True, False, True])
    for given, kept, expected in (
        (None, None, [1, 1, 2, 0]), (counts, None, [1, 2, 12, 0]), (None, inside, [1, 1, 1, 0]),
        (counts, inside, [1, 2, 5, 0]),
    ):  # fmt: skip
        found = tally(codes, 4, given, kept)
        assert found.tolist() == expected
        assert found.dtype == np.int64


def test_columns_of_polars_keep_their_types_but_for_categories_within_others() -> None:
    enum = pl.Enum(["z", "b", "a"])
    frame = pl.DataFrame(
        [
            pl.Series("array", [["b", "a"], None, ["z", "z"]], dtype=pl.Array(enum, 2)),
            pl.Series("deep", [[[["b"]], [["a"]]]] * 3, dtype=pl.Array(pl.List(pl.List(enum)), 2)),
            pl.Series("parts", [{"u": ["b"], "v": 1}, None, {"u": None, "v": 2}],
                      dtype=pl.Struct({"u": pl.List(pl.Categorical), "v": pl.Int8})),
            pl.Series("enum", ["b", None, "a"], dtype=enum),
            pl.Series("category", ["b", None, "a"], dtype=pl.Categorical),
            pl.Series("text", ["b", None, ""]), pl.Series("bytes", [b"b", None, b""]),
            pl.Series("number", [1, None, 3], dtype=pl.UInt16), pl.Series("nothing", [None] * 3),
        ]
    )  # fmt: skip
    found = bare_polars(frame)
    assert found.rows() == frame.rows()
    assert dict(found.schema) == {
        "array": pl.Array(pl.String, 2), "deep": pl.Array(pl.List(pl.List(pl.String)), 2),
        "parts": pl.Struct({"u": pl.List(pl.String), "v": pl.Int8}), "enum": pl.Enum(["a", "b"]),
        "category": pl.Categorical, "text": pl.String, "bytes": pl.Binary, "number": pl.UInt16,
        "nothing": pl.Null,
    }  # fmt: skip


class Stored(pa.ExtensionType):
    """A type of its own, stored as whole numbers."""

    def __init__(self) -> None:
        super().__init__(pa.int16(), "tests.stored")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""


def test_columns_of_arrow_keep_their_types_but_for_dictionaries_within_others() -> None:
    words, codes = pa.dictionary(pa.int8(), pa.string()), pa.int16()
    given = {
        "plain": pa.array([1, None], codes),
        "words": pa.array(["b", "a"]).dictionary_encode().cast(words),
        "list": pa.array([["b"], None], pa.list_(words)),
        "large": pa.array([["b"], None], pa.large_list(words)),
        "two": pa.array([["b", "a"], ["a", "a"]], pa.list_(words, 2)),
        "map": pa.array([[("b", 1)], []], pa.map_(pa.string(), codes)),
        "parts": pa.array([{"u": "b"}, {"u": None}], pa.struct([pa.field("u", words, metadata={"k": "v"})])),
    }
    fields = [
        pa.field(name, each.type, nullable=name != "plain", metadata={"k": "v"})
        for name, each in given.items()
    ]
    fields[1] = pa.field("words", words, nullable=False)
    table = pa.Table.from_arrays(list(given.values()), schema=pa.schema(fields, metadata={"k": "v"}))
    found = bare(nw.from_native(table, eager_only=True)).to_native()
    assert found.to_pylist() == table.to_pylist()
    assert found.schema.metadata is None
    types = {
        "plain": codes, "words": words, "list": pa.list_(pa.string()), "large": pa.large_list(pa.string()),
        "two": pa.list_(pa.string(), 2), "map": pa.map_(pa.string(), codes),
        "parts": pa.struct([pa.field("u", pa.string())]),
    }  # fmt: skip
    assert {field.name: field.type for field in found.schema} == types
    assert [field.name for field in found.schema if not field.nullable] == ["plain", "words"]
    assert {field.metadata for field in found.schema} == {None}
    assert found["words"].chunk(0).dictionary.to_pylist() == ["a", "b"]
    stored = pa.field("stored", Stored())
    nothing = pa.Table.from_batches([], schema=pa.schema([*fields, stored]))  # columns without any chunk
    empty = bare(nw.from_native(nothing, eager_only=True)).to_native()
    assert {field.name: field.type for field in empty.schema} == {**types, "stored": pa.int16()}
    assert empty.num_rows == 0
    view = pa.table({"x": pa.array([["a"]], pa.list_view(pa.string()))})
    with pytest.raises(DataError) as error:
        bare(nw.from_native(view, eager_only=True))
    assert str(error.value) == (
        "column 'x' cannot be published without what it holds besides its cells (the type "
        "list_view<item: string> is not known): convert it to text"
    )


def test_columns_of_pandas_keep_their_types_and_the_categories_that_occur() -> None:
    frame = pd.DataFrame(
        {
            "category": pd.Categorical(["b", "a", None], categories=["z", "b", "a"], ordered=True),
            "mixed": pd.Categorical([2, "a", 10], categories=[2, "a", 10, "z"]),
            "integer": pd.array([1, None, 3], dtype="Int16"),
            "float": pd.array([1.5, None, 3], dtype="Float32"),
            "truth": pd.array([True, None, False], dtype="boolean"),
            "text": pd.array(["a", None, ""], dtype="string"),
            "zone": pd.date_range("2024-01-01", periods=3, tz="UTC"),
            "month": pd.period_range("2024-01", periods=3, freq="M"),
            "number": np.array([1, 2, 3], dtype=np.int8),
            "object": np.array(["a", 1, None], dtype=object),
            "range": pd.interval_range(0, 3),
        },
        index=pd.Index([7, 8, 9], name="secret"),
    )
    frame.attrs["k"] = "v"
    found = bare(nw.from_native(frame, eager_only=True)).to_native()
    assert (found.attrs, found.index.name, found.index.tolist()) == ({}, None, [0, 1, 2])
    pd.testing.assert_frame_equal(
        found.drop(columns=["category", "mixed"]),
        frame.drop(columns=["category", "mixed"]).reset_index(drop=True),
    )
    assert found["category"].cat.categories.tolist() == ["a", "b"]
    assert found["category"].cat.ordered is False
    assert found["mixed"].cat.categories.tolist() == [10, 2, "a"]
    assert found["mixed"].tolist() == [2, "a", 10]
    assert found["category"].tolist()[:2] == ["b", "a"]
    integers = found["integer"].array
    assert integers._data.tolist() == [1, 0, 3], "nothing is left under a null"


@pytest.mark.parametrize(
    ("cells", "domain", "values", "codes", "absent_values"),
    [
        ([2, 10, 2], ["10", "-3", "2", "4"], (-3, 2, 4, 10), [1, 3, 1], {0, 2}),
        ([2.0, 1.5], ["1.5", "2.0", "0.25"], (0.25, 1.5, 2.0), [2, 1], {0}),
        (["b", "10"], ["9", "b", "10"], ("10", "9", "b"), [2, 0], {1}),
        ([True, False], ["False", "True"], (False, True), [1, 0], set()),
    ],
)
def test_declared_values_are_of_the_type_of_those_that_occur(
    cells: list[Any], domain: list[str], values: tuple[object, ...], codes: list[int], absent_values: set[int]
) -> None:
    found = encode_declared("x", encode("x", code_values(cells), None), domain)
    assert repr(found.domain) == repr(values)
    assert found.codes.tolist() == codes
    assert set(found.absent_values) == absent_values
    assert [cells[row] for code, row in enumerate(found.rows) if code not in absent_values] == [
        value for code, value in enumerate(values) if code not in absent_values
    ]


@pytest.mark.parametrize(
    ("cells", "name"), [([1, 2], "3.0"), ([1, 2], "03"), ([1.5], "1e0"), ([1.5], "nan?"), ([True], "False")]
)
def test_declared_values_are_written_as_the_column_would(cells: list[Any], name: str) -> None:
    with pytest.raises(DataError, match="write it as the column would"):
        encode_declared("x", encode("x", code_values(cells), None), [*dict.fromkeys(map(text, cells)), name])


@pytest.mark.parametrize("missing", [None, "?"])
def test_a_table_made_of_another_knows_what_stands_for_missing_cells(missing: str | None) -> None:
    table = Microdata.from_frame(pl.DataFrame({"a": ["", "x"], "b": ["y", "z"]}), missing)
    made = [
        table.bare(), table.take(np.array([0, 1])), table.select(["a"]), table.with_recodings((), table),
        table.with_codes("b", np.array([0, 1])), table.with_domain("b", ["y", "z", "w"]),
    ]  # fmt: skip
    for each in made:
        assert (each.missing, each.cells("a")) == (missing, ["", "x"])
