"""Files that unpack to more than the memory holds, in a process whose memory is limited."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from splu_ref.channels.parameters import DataError
from splu_ref.data import embedded_table, parquet
from splu_ref.data.limits import (
    ALWAYS_CELLS,
    ALWAYS_READ,
    MOST_COLUMNS,
    MOST_EXPANSION,
    largest_content,
    most_cells,
)
from splu_ref.data.parquet import FooterError, parse_parquet, read_footer
from splu_ref.data.reading import decompress, parse_csv
from tests.hostile.parquet_files import nulls
from tests.pace import TWO_THREADS, within

LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
from splu_ref.cli import main
sys.exit(main())
"""


def test_a_gzip_bomb_of_ten_gigabytes(tmp_path: Path) -> None:
    member = gzip.compress(b"a\n" * (1 << 25), mtime=0)
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(member * 160)
    assert path.stat().st_size < 20_000_000
    words = ["publish", str(path), "-o", str(tmp_path / "out.csv"), "--sensitive", "a", "--gamma", "2"]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *words],
        env={**os.environ, **TWO_THREADS},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith(f"splu-ref: {path} has ")
    assert "unpacks to more than" in done.stderr
    assert done.stderr.count("\n") == 1
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


BOMBS: dict[str, Callable[[], pl.DataFrame]] = {
    "one cell": lambda: pl.DataFrame({"a": ["x" * ALWAYS_READ, "y"]}),
    "long cells": lambda: pl.DataFrame({"a": pl.repeat("x" * 1_000, 200_000, eager=True)}),
    "bytes that a dictionary saves": lambda: pl.DataFrame({"a": pl.repeat("x" * 99, 3_000_000, eager=True)}),
}


@pytest.mark.parametrize("kind", BOMBS)
def test_a_parquet_bomb(kind: str) -> None:
    buffer = io.BytesIO()
    BOMBS[kind]().write_parquet(buffer)
    data = buffer.getvalue()
    assert len(data) < ALWAYS_READ // 100
    with pytest.raises(DataError, match=r"^t has [0-9]+ bytes and unpacks to more than"):
        parse_parquet(data, "t")


MANY_NULLS = {
    "one column": nulls(200_000_000),
    "two columns": nulls(200_000_000, 2),
    "groups of rows": nulls(1_000_000, groups=20),
    "columns": nulls(100_000, 50),
    "one more than may be": nulls(ALWAYS_CELLS + 1),
}


@pytest.mark.parametrize("kind", MANY_NULLS)
def test_cells_are_counted_before_anything_is_decoded(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def decode(*_: object, **__: object) -> None:
        raise AssertionError("something was decoded")

    monkeypatch.setattr(subprocess, "run", decode)
    monkeypatch.setattr(pl, "read_parquet", decode)
    data = MANY_NULLS[kind]
    assert len(data) < 5_000
    with (
        within(0.1),
        pytest.raises(
            DataError,
            match=r"^t has [0-9]+ bytes and says that it holds [0-9]+ cells, more than 4194304: if it is",
        ),
    ):
        parse_parquet(data, "t")


def test_cells_are_counted_as_they_are_when_the_footer_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    assert parse_parquet(nulls(200_000_000, stated=10), "t").height == 10
    with pytest.raises(DataError, match="not an intact Parquet file"):
        parse_parquet(nulls(10, stated=1_000), "t")
    honest = nulls(1_000)
    footer = read_footer(honest)
    monkeypatch.setattr(parquet, "read_footer", lambda _: footer._replace(cells=1))
    monkeypatch.setattr(parquet, "most_cells", lambda _: 999)
    with pytest.raises(DataError, match="unpacks to more than"):
        parse_parquet(honest, "t")


def test_a_file_may_have_as_many_cells_as_the_limit_says() -> None:
    assert parse_parquet(nulls(ALWAYS_CELLS // 4, 4), "t").shape == (ALWAYS_CELLS // 4, 4)
    assert most_cells(1) == ALWAYS_CELLS
    assert most_cells(ALWAYS_CELLS) == MOST_EXPANSION * ALWAYS_CELLS


def test_a_table_of_records_is_far_from_the_limit_of_cells() -> None:
    frame: pl.DataFrame = embedded_table().to_frame()
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    footer = read_footer(buffer.getvalue())
    assert (footer.rows, footer.columns) == frame.shape
    assert footer.cells == frame.height * frame.width
    assert footer.cells * 10 < most_cells(len(buffer.getvalue()))


def test_a_list_counts_by_its_values() -> None:
    buffer = io.BytesIO()
    pl.DataFrame({"a": [[True] * 100] * 50, "b": range(50)}).write_parquet(buffer)
    footer = read_footer(buffer.getvalue())
    assert (footer.rows, footer.columns, footer.cells) == (50, 2, 5_050)


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"PAR1" * 2, "does not begin and end"),
        (nulls(3)[:-4] + b"PAR2", "does not begin and end"),
        (b"PAR2" + nulls(3)[4:], "does not begin and end"),
        (b"PAR1" + b"\xff\xff\xff\x7f" + b"PAR1", "is longer than the file"),
        (nulls(3)[:-8] + b"\x05\0\0\0PAR1", "breaks off|holds what no footer does"),
        (b"PAR1" + b"\x1c" * 60 + (60).to_bytes(4, "little") + b"PAR1", "nested too deeply"),
        (b"PAR1" + b"\x16" + b"\xff" * 20 + (21).to_bytes(4, "little") + b"PAR1", "more than 64 bits"),
        (b"PAR1" + b"\x36\x01\0" + (3).to_bytes(4, "little") + b"PAR1", "counts below 0"),
        (b"PAR1" + b"\x1e\x01\0" + (3).to_bytes(4, "little") + b"PAR1", "holds what no footer does"),
        (b"PAR1" + b"\x19\xf8\xff\x7f" + (4).to_bytes(4, "little") + b"PAR1", "breaks off"),
    ],
)
def test_a_footer_that_cannot_be_read(data: bytes, fault: str) -> None:
    with pytest.raises(FooterError, match=fault):
        read_footer(data)
    with pytest.raises(DataError, match=r"^t is not an intact Parquet file \(.+\): write it again$"):
        parse_parquet(data, "t")


def test_a_parquet_file_that_the_limited_process_cannot_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = io.BytesIO()
    BOMBS["one cell"]().write_parquet(buffer)
    honest = read_footer(buffer.getvalue())
    monkeypatch.setattr(parquet, "read_footer", lambda _: honest._replace(unpacked=0))
    monkeypatch.setattr(parquet, "_MEMORY", -3 * ALWAYS_READ)  # leaves once what the table may take
    with pytest.raises(DataError, match=r"^t is not an intact Parquet file \(its reader breaks down on it\)"):
        parse_parquet(buffer.getvalue(), "t")


def test_a_file_may_unpack_to_the_limit_and_no_further() -> None:
    def packed(size: int) -> bytes:
        buffer = io.BytesIO()
        with gzip.GzipFile(fileobj=buffer, mode="wb", compresslevel=1, mtime=0) as file:
            file.write(b"a\n" * (size // 2) + b"a" * (size % 2))
        return buffer.getvalue()

    data = packed(ALWAYS_READ)
    assert len(decompress(data, "t")) == ALWAYS_READ == largest_content(len(data))
    with pytest.raises(
        DataError, match=rf"^t has [0-9]+ bytes and unpacks to more than {ALWAYS_READ}: .*\.csv$"
    ):
        decompress(packed(ALWAYS_READ + 1), "t")


def test_a_large_file_may_unpack_to_a_multiple_of_its_size() -> None:
    assert largest_content(10 * ALWAYS_READ) == 1_000 * ALWAYS_READ


def test_a_header_of_too_many_columns() -> None:
    def table(columns: int) -> bytes:
        return b",".join(b"%d" % number for number in range(columns)) + b"\n" + b"," * (columns - 1) + b"\n"

    assert parse_csv(table(2_000), "t").width == 2_000
    with pytest.raises(DataError, match=f"names {MOST_COLUMNS + 1} columns, and at most {MOST_COLUMNS} are"):
        parse_csv(table(MOST_COLUMNS + 1), "t")
