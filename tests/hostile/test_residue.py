"""What is published holds its cells and nothing else, in every format and in frames of every library.

A marker stands in the original where no row shows it. It is looked for in the bytes of what is published: as
they are, and as what they unpack to.
"""

from __future__ import annotations

import base64
import gzip
import io
import pickle
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from splu_ref.channels.parameters import DataError
from splu_ref.cli.app import run
from splu_ref.data import Microdata, table_bytes
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import SeededSource

MARKER = "Marker of a record that is not there"
HIDDEN = 0x5EC2E75EC2E75
FORMATS = ("t.csv", "t.csv.gz", "t.parquet")
SHOWN = ["Sales", "Tech", "Sales", "Tech"]
KEEP = np.array([True, True, False, True, True])


def laid_open(data: bytes) -> bytes:
    """Return bytes together with what is packed in them: gzip, frames of Zstandard, base64."""
    found = [data]
    if data[:2] == b"\x1f\x8b":
        found.append(gzip.decompress(data))
    for frame in re.finditer(re.escape(b"\x28\xb5\x2f\xfd"), data):
        stream = pa.CompressedInputStream(pa.BufferReader(data[frame.start() :]), "zstd")
        try:
            while piece := stream.read(16):
                found.append(piece)
        except OSError:  # after the frame, other bytes follow
            pass
    found += [
        base64.b64decode(each[: len(each) // 4 * 4]) for each in re.findall(rb"[A-Za-z0-9+/]{40,}", data)
    ]
    return b"".join(found)


def holds(data: bytes, text: str) -> bool:
    opened = laid_open(data)
    number = HIDDEN.to_bytes(8, "little")
    return any(mark in opened for mark in (text.encode(), text.encode("utf-16-le"), number))


def planted() -> list[str]:
    return ["Sales", "Tech", MARKER, "Sales", "Tech"]


def polars_frames() -> dict[str, Callable[[], pl.DataFrame]]:
    def filtered(column: pl.Series) -> pl.DataFrame:
        return pl.DataFrame({"s": planted(), "x": column})[np.flatnonzero(KEEP)]

    enum = pl.Enum(["Tech", "zz", MARKER, "Sales"])
    hidden = pa.Array.from_buffers(
        pa.int64(), 4, [pa.py_buffer(b"\x07"), pa.py_buffer(np.array([1, 2, 3, HIDDEN]).tobytes())]
    )
    return {
        "Enum": lambda: filtered(pl.Series(planted(), dtype=enum)),
        "sensitive Enum": lambda: pl.DataFrame({"s": pl.Series(SHOWN, dtype=enum)}),
        "list of Enum": lambda: filtered(pl.Series([[each] for each in planted()], dtype=pl.List(enum))),
        "array of Enum": lambda: filtered(pl.Series([[each] for each in planted()], dtype=pl.Array(enum, 1))),
        "structure of Enum": lambda: filtered(
            pl.Series([{"f": each} for each in planted()], dtype=pl.Struct({"f": enum}))
        ),
        "list of text": lambda: filtered(pl.Series([[each] for each in planted()])),
        "structure of lists": lambda: filtered(pl.Series([{"f": [each]} for each in planted()])),
        "Categorical with a name": lambda: filtered(
            pl.Series(planted(), dtype=pl.Categorical(pl.Categories(MARKER)))
        ),
        "under a null": lambda: pl.DataFrame({"s": SHOWN, "x": pl.Series(hidden)}),
    }


def arrow_tables() -> dict[str, Callable[[], pa.Table]]:
    def filtered(column: Any) -> pa.Table:
        return pa.table({"s": planted(), "x": column}).filter(pa.array(KEEP))

    metadata = {"note": MARKER}
    fields: list[pa.Field[Any]] = [
        pa.field("s", pa.string(), metadata=metadata),
        pa.field("x", pa.int64()),
    ]
    dictionary = pa.array(planted()).dictionary_encode()
    nested = pa.ListArray.from_arrays(pa.array(range(6), pa.int32()), dictionary)
    shown = pa.table({"s": SHOWN, "x": [1, 2, 3, 4]})
    return {
        "dictionary": lambda: filtered(dictionary),
        "chunks of dictionaries": lambda: filtered(
            pa.chunked_array([pa.array(planted()[:1]).dictionary_encode(), dictionary[1:]])
        ),
        "sensitive dictionary": lambda: pa.table({"s": dictionary}).filter(pa.array(KEEP)),
        "list of dictionaries": lambda: filtered(nested),
        "structure of dictionaries": lambda: filtered(pa.StructArray.from_arrays([dictionary], ["f"])),
        "metadata of the schema": lambda: shown.replace_schema_metadata(metadata),
        "metadata of a field": lambda: shown.cast(pa.schema(fields)),
        "metadata of a field of a structure": lambda: pa.table(
            {
                "s": SHOWN,
                "x": pa.array([{"f": 1}] * 4, type=pa.struct([pa.field("f", pa.int64(), metadata=metadata)])),
            }
        ),
        "a slice": lambda: pa.table({"s": [*SHOWN, MARKER], "x": range(5)}).slice(0, 4),
        "under a null": lambda: pa.table(
            {
                "s": SHOWN,
                "x": pa.Array.from_buffers(
                    pa.int64(),
                    4,
                    [pa.py_buffer(b"\x07"), pa.py_buffer(np.array([1, 2, 3, HIDDEN]).tobytes())],
                ),
            }
        ),
        "extension": lambda: pa.table(
            {"s": SHOWN, "x": pa.ExtensionArray.from_storage(Remark(), pa.array([1, 2, 3, 4]))}
        ),
    }


class Remark(pa.ExtensionType):
    """A type that carries a remark."""

    def __init__(self) -> None:
        super().__init__(pa.int64(), "tests.remark")

    def __arrow_ext_serialize__(self) -> bytes:
        return MARKER.encode()

    @classmethod
    def __arrow_ext_deserialize__(cls, _: pa.DataType, __: bytes) -> Remark:
        return cls()


def pandas_frames() -> dict[str, Callable[[], pd.DataFrame]]:
    def filtered(column: Any) -> pd.DataFrame:
        return pd.DataFrame({"s": planted(), "x": column})[KEEP]

    def shown(**more: Any) -> pd.DataFrame:
        return pd.DataFrame({"s": SHOWN, "x": [1, 2, 3, 4]}, **more)

    def with_attributes() -> pd.DataFrame:
        frame = shown()
        frame.attrs["note"] = MARKER
        return frame

    def with_names() -> pd.DataFrame:
        return shown().rename_axis(columns=MARKER)

    def masked() -> pd.DataFrame:
        numbers = pd.array([1, 2, HIDDEN, 4], dtype="Int64")
        numbers[2] = pd.NA
        return pd.DataFrame({"s": SHOWN, "x": numbers})

    def columns_of_categories() -> pd.DataFrame:
        frame = shown()
        frame.columns = pd.CategoricalIndex(["s", "x"], categories=["s", "x", MARKER])
        return frame

    arrow: Any = pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))
    return {
        "categories": lambda: filtered(pd.Categorical(planted())),
        "ordered categories": lambda: filtered(
            pd.Categorical(planted(), categories=["Tech", MARKER, "Sales"], ordered=True)
        ),
        "categories of several types": lambda: filtered(pd.Categorical([1, "x", MARKER, 1, "x"])),
        "a name of the categories": lambda: pd.DataFrame(
            {"s": pd.Categorical(SHOWN, categories=pd.Index(["Tech", "Sales"], name=MARKER))}
        ),
        "sensitive categories": lambda: pd.DataFrame({"s": pd.Categorical(planted())})[KEEP],
        "dictionary of PyArrow": lambda: filtered(pd.array(planted(), dtype=arrow)),
        "attributes": with_attributes,
        "name of the index": lambda: shown().rename_axis(index=MARKER),
        "an index": lambda: shown(index=["a", "b", MARKER, "c"]),
        "name of the columns": with_names,
        "columns of categories": columns_of_categories,
        "under a mask": masked,
        "type with metadata": lambda: pd.DataFrame(
            {"s": SHOWN, "x": np.array([1, 2, 3, 4], dtype=np.dtype("i8", metadata={"note": MARKER}))}
        ),
    }


CASES = {
    f"{library}: {name}": make
    for library, frames in (
        ("polars", polars_frames()),
        ("pyarrow", arrow_tables()),
        ("pandas", pandas_frames()),
    )
    for name, make in frames.items()
}


def published(frame: Any, gamma: int = 2) -> Microdata:
    return SpluGen(gamma).publish(Microdata.from_frame(frame), "s", SeededSource(1)).table


def cells(frame: Any) -> list[Any]:
    rows = (
        frame.to_pylist()
        if isinstance(frame, pa.Table)
        else frame.to_dict("records")
        if isinstance(frame, pd.DataFrame)
        else frame.to_dicts()
    )
    return sorted(str({name: cell for name, cell in row.items() if name != "s"}) for row in rows)


@pytest.mark.parametrize("case", CASES)
def test_a_published_frame_holds_its_cells_and_nothing_else(case: str) -> None:
    original = CASES[case]()
    assert holds(pickle.dumps(original), MARKER), "the marker cannot be found in the original"
    frame = published(original).to_frame()
    assert type(frame) is type(original)
    assert not holds(pickle.dumps(frame), MARKER)
    assert MARKER not in repr(frame.schema if isinstance(frame, pa.Table | pl.DataFrame) else frame.dtypes)
    assert cells(frame) == cells(original)


@pytest.mark.parametrize("case", CASES)
def test_a_file_holds_the_cells_and_nothing_else(case: str) -> None:
    table = Microdata.from_frame(CASES[case]())
    for name in FORMATS:
        with suppress(DataError):  # a structure in CSV, a number beside a text in Parquet
            assert not holds(table_bytes(table, name), MARKER), name


def test_what_is_looked_for_is_found_where_it_is() -> None:
    hidden = pl.DataFrame({"s": pl.Series(SHOWN, dtype=pl.Enum(["Tech", "Sales", MARKER]))})
    buffer = io.BytesIO()
    hidden.write_parquet(buffer)
    assert holds(buffer.getvalue(), MARKER)
    shown = Microdata.from_frame(pl.DataFrame({"s": [MARKER, "x"]}))
    assert all(holds(table_bytes(shown, name), MARKER) for name in FORMATS)


@pytest.mark.parametrize("end", ["csv", "csv.gz", "parquet"])
def test_the_command_publishes_no_value_of_a_record_that_is_not_in_the_table(
    end: str, tmp_path: Path
) -> None:
    """Names of patients: one filtered out before, and those of the records that are suppressed."""
    names = [f"Patient {number:03}" for number in range(7)]
    frame = pl.DataFrame(
        {
            "name": pl.Series(names, dtype=pl.Enum([*names, "Patient filtered out"])),
            "s": pl.Series(
                ["Tech", "Sales", "Law"] * 2 + ["Law"], dtype=pl.Enum(["Tech", "Law", MARKER, "Sales"])
            ),
        }
    )
    frame.write_parquet(tmp_path / "in.parquet", metadata={"note": MARKER})
    original = tmp_path / "in.parquet"
    assert holds(original.read_bytes(), MARKER)
    output, manifest = tmp_path / f"out.{end}", tmp_path / "manifest.json"
    words = ["publish", str(original), "-o", str(output), "--sensitive", "s", "--gamma", "2"]
    assert run([*words, "--keep", "name", "--manifest", str(manifest), "--json"]) == 0
    data = output.read_bytes()
    suppressed = [name for name in names if name.encode() not in laid_open(data)]
    assert len(suppressed) == 1
    assert not holds(data, MARKER)
    assert not holds(data, "filtered out")
    assert not holds(manifest.read_bytes(), MARKER)
    assert not holds(manifest.read_bytes(), "Patient")
    if end == "parquet":
        metadata = pa.parquet.ParquetFile(output).metadata.metadata
        assert set(metadata or {}) == {b"ARROW:schema"}
        schema = pl.read_parquet_schema(output)
        shown = pl.read_parquet(output)["s"].cast(pl.String).unique().sort()
        assert schema["s"] == pl.Enum(shown)
        assert schema["name"] == pl.Enum(sorted(set(names) - set(suppressed)))


def test_categories_that_occur_stand_in_ascending_order() -> None:
    order = ["Tech", "zz", "Law", "Sales"]
    cells = ["Sales", "Tech", "Law", "Tech"]
    enum = published(pl.DataFrame({"s": SHOWN, "x": pl.Series(cells, dtype=pl.Enum(order))})).to_frame()
    assert enum.schema["x"] == pl.Enum(["Law", "Sales", "Tech"])
    ordered = pd.Categorical(cells, categories=order, ordered=True)
    categories = published(pd.DataFrame({"s": SHOWN, "x": ordered})).to_frame()["x"].dtype
    assert categories.categories.tolist() == ["Law", "Sales", "Tech"]
    assert not categories.ordered
    codes = pa.array([3, 0, 2, 0], pa.int16())
    dictionary = pa.DictionaryArray.from_arrays(codes, pa.array(order), ordered=True)
    column = published(pa.table({"s": SHOWN, "x": dictionary})).to_frame()["x"]
    assert column.type == pa.dictionary(pa.int16(), pa.string(), ordered=False)
    assert column.chunk(0).dictionary.to_pylist() == ["Law", "Sales", "Tech"]


def test_a_column_that_cannot_be_built_again_is_named() -> None:
    sparse = pd.DataFrame({"s": SHOWN, "x": pd.arrays.SparseArray([1, 2, 1, 1], fill_value=1)})
    with pytest.raises(
        DataError, match=r"^column 'x' cannot be published without what .*Sparse.*: convert it"
    ):
        published(sparse)
