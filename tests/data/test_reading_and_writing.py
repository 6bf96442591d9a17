from __future__ import annotations

import csv
import datetime as dt
import gzip
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from splu_ref.channels.parameters import DataError, InputError
from splu_ref.data import (
    EMBEDDED_SENSITIVE,
    SUFFIXES,
    Microdata,
    embedded_table,
    read_table,
    require_suffix,
    table_bytes,
    write_table,
)
from splu_ref.data.reading import parse_csv

TEXT = st.one_of(
    st.sampled_from(
        ["", " ", " x ", "0012", "1e5", "NaN", "null", "a,b", '"', '""', "\n", "\r", "\r\n", "\ufeff"]
    ),
    st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6),
    st.text(alphabet=", \"\r\n\ufeff'#;\t", max_size=4),
)


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    names = draw(st.lists(TEXT.filter(bool), min_size=1, max_size=3, unique=True))
    rows = draw(st.lists(st.tuples(*[TEXT] * len(names)), min_size=1, max_size=5))
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


@pytest.mark.slow
@settings(max_examples=250)
@given(tables())
@example(pl.DataFrame({"\ufeffa": ["\ufeff"]}))
@example(pl.DataFrame({"a": ["", "", "x", ""]}))
@example(pl.DataFrame({"a": ["\r"], "b": [" "]}))
def test_a_table_comes_back_cell_for_cell_and_python_reads_the_same(frame: pl.DataFrame) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for suffix in (".csv", ".csv.gz"):
            path = Path(folder) / f"t{suffix}"
            write_table(Microdata.from_frame(frame), path)
            back = read_table(path).to_frame()
            assert back.columns == frame.columns
            assert back.rows() == frame.rows()
        with (Path(folder) / "t.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file, strict=True))
    assert rows == [frame.columns, *map(list, frame.rows())]


def test_cells_of_other_types_are_written_as_their_canonical_text(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "i": [1, None],
            "f": [0.1, float("nan")],
            "b": [True, False],
            "c": pl.Series(["x", None], dtype=pl.Categorical),
        }
    )
    write_table(Microdata.from_frame(frame), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_bytes() == b"i,f,b,c\n1,0.1,True,x\n,,False,\n"


@pytest.mark.slow
@settings(max_examples=10)
@given(tables())
@example(pl.DataFrame({"\ufeffa": ["", "\0", "\ufeff"]}))
def test_a_table_comes_back_from_parquet_cell_for_cell(frame: pl.DataFrame) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.parquet"
        write_table(Microdata.from_frame(frame), path)
        assert read_table(path).to_frame().equals(frame)


def test_columns_of_a_parquet_file_keep_their_types(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"i": pl.Series([1, None], dtype=pl.Int8), "c": pl.Series(["y", "x"], dtype=pl.Enum(["x", "y"]))}
    )
    write_table(Microdata.from_frame(frame), tmp_path / "T.PARQUET")
    back = read_table(tmp_path / "T.PARQUET").to_frame()
    assert back.schema == frame.schema
    assert back.equals(frame)


def test_gzip_output_depends_on_the_cells_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Microdata.from_frame(pl.DataFrame({"a": ["x", "y"]}))
    write_table(table, tmp_path / "one.csv.gz")
    monkeypatch.setattr("time.time", lambda: 1e9)
    write_table(table, tmp_path / "two.csv.gz")
    data = (tmp_path / "one.csv.gz").read_bytes()
    assert data == (tmp_path / "two.csv.gz").read_bytes()
    assert data[3:8] == bytes(5)  # no file name, no time
    assert gzip.decompress(data) == b"a\nx\ny\n"


def test_an_existing_file_is_kept_unless_forced(tmp_path: Path) -> None:
    table = Microdata.from_frame(pl.DataFrame({"a": ["x"]}))
    (tmp_path / "t.csv").write_text("old")
    with pytest.raises(InputError, match=r"exists: choose another name or add force=True$"):
        write_table(table, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "old"
    write_table(table, tmp_path / "t.csv", force=True)
    assert (tmp_path / "t.csv").read_text() == "a\nx\n"


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
@pytest.mark.parametrize(
    ("cells", "kind"),
    [([dt.timedelta(1)], "Duration"), ([b"x"], "Binary"), ([dt.time(1)], "Time"), ([{"a": 1}], "Struct")],
)
def test_a_column_without_text_is_refused_with_the_file_named(
    tmp_path: Path, name: str, cells: list[object], kind: str
) -> None:
    table = Microdata.from_frame(pl.DataFrame({"c": cells}))
    for write in (table_bytes, write_table):
        with pytest.raises(
            DataError, match=f"column 'c' of type {kind}.*: convert the column to text$"
        ) as raised:
            write(table, tmp_path / name)
        assert str(raised.value).startswith(f"{tmp_path / name} cannot be written: ")
    assert not list(tmp_path.iterdir())


def test_what_parquet_cannot_hold_is_refused_with_the_file_named(tmp_path: Path) -> None:
    mixed = pd.DataFrame({"m": pd.Series([1, "a"], dtype=object)})
    with pytest.raises(
        DataError, match=r"does not fit into Parquet \(Could not .* int64\): convert it to text$"
    ) as raised:
        write_table(Microdata.from_frame(mixed), tmp_path / "t.parquet")
    assert str(raised.value).startswith(f"{tmp_path / 't.parquet'} cannot be written: ")
    assert "\n" not in str(raised.value)
    assert not list(tmp_path.iterdir())


def test_the_bytes_of_a_table_are_those_written(tmp_path: Path) -> None:
    table = Microdata.from_frame(pl.DataFrame({"a": ["x", "é"]}))
    assert table_bytes(table, "t.csv") == "a\nx\né\n".encode()
    for name in ("t.csv", "t.csv.gz", "t.parquet"):
        write_table(table, tmp_path / name)
        assert table_bytes(table, tmp_path / name) == (tmp_path / name).read_bytes()


@pytest.mark.parametrize("separator", ["semicolon", ";"])
def test_cells_are_divided_by_what_is_named(separator: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('a;b\n1,2;"x;y"\n')
    table = read_table(tmp_path / "t.csv", separator=separator)
    assert (table.columns, table.cells("a"), table.cells("b")) == (("a", "b"), ["1,2"], ["x;y"])


def test_the_suffix_is_judged_by_the_name_alone() -> None:
    assert [require_suffix(name) for name in ("none/T.CSV", "a.csv.gz", "x.Parquet")] == list(SUFFIXES)
    for name in ("t", "t.csv.bz2", "csv", ""):
        with pytest.raises(DataError, match=r"name ends in \.csv, \.csv\.gz, \.parquet: give such a file"):
            require_suffix(name)


def test_a_reader_that_alters_cells_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    read = pl.read_csv
    for alter in (lambda frame: frame[:-1], lambda frame: frame.with_columns(a=pl.lit("xy"))):
        monkeypatch.setattr(pl, "read_csv", lambda *data, alter=alter, **kind: alter(read(*data, **kind)))
        with pytest.raises(
            DataError, match=r"t\.csv: 2 rows with 2 bytes of text were read as .*: please report"
        ):
            parse_csv(b"a\nx\ny\n", "t.csv")


def test_what_csv_cannot_hold_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    for frame, fault in [
        (pl.DataFrame({"a": ["x\0y"]}), "NUL"),
        (pl.DataFrame({"a": [[1, 2]]}), "column 'a' of type List.* holds a list"),
    ]:
        with pytest.raises(DataError, match=fault):
            write_table(Microdata.from_frame(frame), tmp_path / "t.csv")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "data", "fault"),
    [
        ("t.csv", b"", "t.csv is empty"),
        ("t.csv", b"\xef\xbb\xbf", "t.csv is empty"),
        ("t.csv.gz", b"", "t.csv.gz is empty"),
        ("t.csv.gz", b"a,b\n1,2\n", r"not an intact gzip file \((?!None).+\): fetch or write it again$"),
        ("t.csv.gz", gzip.compress(b"a,b\n1,2\n", mtime=0)[:-9], "breaks off"),
        (
            "t.csv.gz",
            gzip.compress(b"a,b\n1,2\n", mtime=0)[:-8] + bytes(8),
            r"not an intact gzip file \((?!None).+\): fetch or write it again$",
        ),
        (
            "t.csv.gz",
            gzip.compress(b"a,b\n1,2\n", mtime=0)[:10] + b"\xff" * 20,
            r"not an intact gzip file \((?!None).+\): fetch or write it again$",
        ),
        ("t.csv.gz", gzip.compress(b"a,b\n1\n", mtime=0), r"row 1 \(line 2\) has 1 field"),
        ("t.txt", b"a\n1\n", "name ends in .csv, .csv.gz, .parquet: give such a file"),
        ("t.gz", b"", "name ends in .csv, .csv.gz, .parquet: give such a file"),
    ],
)
def test_unusable_files_are_named_with_a_remedy(tmp_path: Path, name: str, data: bytes, fault: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DataError, match=fault) as raised:
        read_table(tmp_path / name)
    assert name in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.csv cannot be read: No such file or directory"):
        read_table(tmp_path / "none.csv")
    pl.DataFrame({"a": []}).write_parquet(tmp_path / "none.parquet")
    with pytest.raises(DataError, match="no rows"):
        read_table(tmp_path / "none.parquet")


def test_the_embedded_table_is_the_one_described() -> None:
    table = embedded_table()
    histogram = table.histogram(EMBEDDED_SENSITIVE)
    assert (table.row_count, len(table.columns)) == (30_718, 10)
    assert (len(histogram), histogram.max(), histogram.sum()) == (14, 4_140, 30_718)
    assert (histogram <= 10).sum() == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "sensitive", "shape", "distinct", "most"),
    [
        ("adult_demo", "occupation", (30_718, 10), 14, 4_140),
        ("census_kdd_workers", "occupation_code", (148_318, 14), 46, 13_112),
        ("diabetes130", "diag_1", (101_745, 13), 716, 6_862),
    ],
)
def test_the_real_tables_come_out_as_they_went_in(
    shared_data: Path,
    tmp_path: Path,
    name: str,
    sensitive: str,
    shape: tuple[int, int],
    distinct: int,
    most: int,
) -> None:
    source = shared_data / f"{name}.csv.gz"
    table = read_table(source)
    assert (table.row_count, len(table.columns)) == shape
    assert (len(table.domain(sensitive)), table.histogram(sensitive).max()) == (distinct, most)
    write_table(table, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_bytes() == gzip.decompress(source.read_bytes()).replace(b"\r\n", b"\n")
    quoted = table.to_frame().write_csv(quote_style="always", line_terminator="\r\n")
    (tmp_path / "quoted.csv").write_text(quoted, newline="")
    assert read_table(tmp_path / "quoted.csv").to_frame().equals(table.to_frame())
    order = np.arange(table.row_count)[::-1]
    assert (
        table.take(order)
        .with_codes(sensitive, table.codes(sensitive)[order])
        .to_frame()
        .equals(table.to_frame().reverse())
    )
