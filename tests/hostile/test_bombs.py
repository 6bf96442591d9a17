"""Files that unpack to more than the memory holds, in a process whose memory is limited."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from splu_ref.microdata import parquet
from splu_ref.microdata.limits import ALWAYS_READ, MOST_COLUMNS, largest_content
from splu_ref.microdata.parquet import parse_parquet
from splu_ref.microdata.reading import decompressed, parse_csv
from splu_ref.model import DataError

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
    words = ["sanitize", str(path), "-o", str(tmp_path / "out.csv"), "--sensitive", "a", "--gamma", "2"]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *words], capture_output=True, text=True, check=False, timeout=300
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
    "many cells": lambda: pl.DataFrame({"a": pl.repeat(1, ALWAYS_READ // 4 + 1, eager=True)}),
}


@pytest.mark.parametrize("kind", BOMBS)
def test_a_parquet_bomb(kind: str) -> None:
    buffer = io.BytesIO()
    BOMBS[kind]().write_parquet(buffer)
    data = buffer.getvalue()
    assert len(data) < ALWAYS_READ // 100
    with pytest.raises(DataError, match=r"^t has [0-9]+ bytes and unpacks to more than"):
        parse_parquet(data, "t")


def test_a_parquet_file_that_the_limited_process_cannot_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = io.BytesIO()
    BOMBS["one cell"]().write_parquet(buffer)
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
    assert len(decompressed(data, "t")) == ALWAYS_READ == largest_content(len(data))
    with pytest.raises(
        DataError, match=rf"^t has [0-9]+ bytes and unpacks to more than {ALWAYS_READ}: .*\.csv$"
    ):
        decompressed(packed(ALWAYS_READ + 1), "t")


def test_a_large_file_may_unpack_to_a_multiple_of_its_size() -> None:
    assert largest_content(10 * ALWAYS_READ) == 1_000 * ALWAYS_READ


def test_a_header_of_too_many_columns() -> None:
    def table(columns: int) -> bytes:
        return b",".join(b"%d" % number for number in range(columns)) + b"\n" + b"," * (columns - 1) + b"\n"

    assert parse_csv(table(2_000), "t").width == 2_000
    with pytest.raises(DataError, match=f"names {MOST_COLUMNS + 1} columns, and at most {MOST_COLUMNS} are"):
        parse_csv(table(MOST_COLUMNS + 1), "t")
