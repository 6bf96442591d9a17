"""What is searched in files is what is found in memory, whatever has to be distributed there."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from splu_ref.audit import Goals, advise
from splu_ref.audit.advice import groups as listed
from splu_ref.audit.advice.coded_table import TableInMemory, groups_of
from splu_ref.audit.advice.expected_widths import expected_widths
from splu_ref.audit.advice.leaks import Roles, scan
from splu_ref.audit.advice.skew import crossing
from splu_ref.audit.advice.table_in_files import TableInFiles
from splu_ref.channels.parameters import DataError
from splu_ref.cli import main
from splu_ref.data import Microdata, embedded_table, read_table
from tests.pace import TWO_THREADS

_CODED = "splu_ref.audit.advice.coded_table"
_IN_FILES = "splu_ref.audit.advice.table_in_files"
_NUMBERED = "splu_ref.audit.advice.column_files"


@pytest.fixture(scope="module")
def odd() -> pl.DataFrame:
    """A table with columns of every kind, some of them with more values than a small limit holds."""
    rows = 2000
    jobs = [f"job {(n * n + n // 7) % 11:02}" for n in range(rows)]
    return pl.DataFrame(
        {
            "id": range(rows),
            "job": jobs,
            "code": [f"{job}-{n % 40}" for n, job in enumerate(jobs)],  # gives the job away
            "name": [None if n % 9 == 0 else f"n{n % 1100}" for n in range(rows)],  # nearly unique
            "weight": [[-0.0, 0.0, float("nan"), 1.5, 1e16][n % 5] for n in range(rows)],
            "pay": [int(job[4:]) * rows + n for n, job in enumerate(jobs)],  # in the order of the jobs
            "flag": [[True, False, None][n % 3] for n in range(rows)],
            "blank": [""] * rows,
            "home": [["", "x", "é,\n", '"'][n % 4] for n in range(rows)],
            "area": [f"a{n % 210}" if n % 4 else f"b{jobs[n]}{n % 3}" for n in range(rows)],
        }
    )


def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a small table be distributed to several parts of every kind."""
    for constant, value in (
        (f"{_IN_FILES}.MOST_VALUES", 900),
        (f"{_CODED}.DENSE", 2000),
        (f"{_CODED}.MOST_GROUPS", 400),
        (f"{_CODED}.CHUNK", 700),
        (f"{_CODED}.PART_ENTRIES", 500),
        (f"{_CODED}.PART_BYTES", 1 << 14),
        (f"{_IN_FILES}.PART_ENTRIES", 500),
        (f"{_IN_FILES}.PART_BYTES", 1 << 14),
        (f"{_NUMBERED}._AT_ONCE", 333),
        ("splu_ref.mechanisms.streaming.scan.BATCH_BYTES", 1 << 14),
        ("splu_ref.mechanisms.streaming.scan.BATCH_ROWS", 1100),
    ):
        monkeypatch.setattr(constant, value)


@pytest.mark.parametrize(("name", "small"), [("t.parquet", False), ("t.parquet", True), ("t.csv.gz", True)])
def test_an_odd_table(
    name: str, small: bool, odd: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, folder = tmp_path / name, tmp_path / "private"
    folder.mkdir()
    odd.write_parquet(path) if name.endswith("parquet") else odd.write_csv(path, compression="gzip")
    if small:
        _small(monkeypatch)
    retained = TableInMemory(read_table(path))
    files = TableInFiles(path, ["job"], None, folder)
    assert files.row_count == retained.row_count
    for column in retained.columns:
        if column != "job":
            one, other = retained.counted(column), files.counted(column)
            assert (one.size, one.filled, one.alone) == (other.size, other.filled, other.alone), column
    goals = Goals.of(alpha=12, t_p="9/10")
    assert advise(files, "job", goals) == advise(retained, "job", goals)
    roles = Roles(quasi=("name", "home"), keep=("flag",))
    for above, said in ((5, None), (12, roles)):
        [expected] = scan(retained, ["job"], above, said, most_cells=None)
        [found] = scan(files, ["job"], above, said)
        assert bool(found.unordered) == small
        if small:
            assert "not whether neighbors in the order of 'id', " in found.searched
        kept = tuple(
            leak for leak in expected.leaks if leak.columns[0] not in found.unordered or leak.kind != "ranges"
        )
        assert (found.leaks, found.concentrations) == (kept, expected.concentrations)
        assert found.unique_records == expected.unique_records
    assert {leak.kind for leak in expected.leaks} >= {"unique", "determines", "ranges"}
    assert crossing(files, "job") == crossing(retained, "job")


def test_groups_of_equal_cells_come_in_one_piece(
    odd: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _small(monkeypatch)
    odd.write_parquet(tmp_path / "odd.parquet")
    files = TableInFiles(tmp_path / "odd.parquet", ["job"], None, tmp_path)
    pair = [files.counted("name"), files.counted("area")]
    pieces = list(groups_of(files, pair, "job"))
    assert len(pieces) > 3
    keys = [key for piece in pieces for key in piece.key.tolist()]
    filled = odd.filter(pl.col("name").is_not_null())
    assert len(keys) == len(set(keys)) == filled.select("name", "area").n_unique()


def test_a_column_that_narrows_is_found_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _small(monkeypatch)
    days = np.random.default_rng(6).integers(365, size=6000)
    table = pl.DataFrame({"week": days // 7, "day": days}).cast(pl.String)
    table.write_parquet(tmp_path / "days.parquet")
    files = TableInFiles(tmp_path / "days.parquet", ["day"], None, tmp_path)
    assert len(list(files.counts(["week"], "day"))) > 1
    [found], [expected] = scan(files, ["day"], 10), scan(Microdata.from_frame(table), ["day"], 10)
    assert found.leaks == expected.leaks
    assert [leak.kind for leak in found.leaks] == ["narrows"]


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="what is mapped is not reported here")
def test_no_file_stays_mapped(odd: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _small(monkeypatch)
    odd.write_parquet(tmp_path / "odd.parquet")
    files = TableInFiles(tmp_path / "odd.parquet", ["job"], None, tmp_path)
    column = files.counted("pay")
    assert column.values is None  # its values are in files
    assert column.frequencies(np.arange(column.size)).tolist() == [1] * len(odd)
    gc.collect()  # what counts coverage holds frames in circles, and they what they name
    assert str(tmp_path) not in Path("/proc/self/maps").read_text()


def test_what_is_not_listed_is_counted(
    odd: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd.write_parquet(tmp_path / "odd.parquet")
    files = TableInFiles(tmp_path / "odd.parquet", ["job"], None, tmp_path)
    goals = Goals.of(alpha=12, t_p="9/10")
    [whole], all_groups = scan(files, ["job"], 5), advise(files, "job", goals)
    monkeypatch.setattr(listed, "MOST_LISTED", 10)
    monkeypatch.setattr("splu_ref.audit.advice.concentrated_predicates.MOST_LISTED", 10)
    [found], some_groups = scan(files, ["job"], 5), advise(files, "job", goals)
    assert found.concentrations == whole.concentrations[:10]
    assert found.unlisted > 0
    assert f"of {found.found} predicates the largest 10 are listed" in found.searched
    assert some_groups.groups == all_groups.groups[:10]
    for option, full in zip(some_groups.options, all_groups.options, strict=True):
        assert option.groups_at_risk == full.groups_at_risk
        assert option.unlisted == full.groups_at_risk - len(option.unprotected)
    assert any(option.unlisted for option in some_groups.options)


def _advised(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["advise", *words]) == 0
    return capsys.readouterr().out


def test_adult(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    few = partial(expected_widths, releases=2)
    monkeypatch.setattr("splu_ref.cli.advice_details.expected_widths", few)
    table = tmp_path / "adult.csv"
    embedded_table().to_frame().write_csv(table)
    words = (
        str(table),
        "--sensitive",
        "occupation",
        "--sensitive",
        "marital_status",
        "--quasi",
        "sex",
        "--json",
    )
    whole, streamed = (json.loads(_advised(capsys, *words, *more)) for more in ((), ("--stream",)))
    assert streamed.pop("splu_gen_command").endswith("--stream")
    assert whole.pop("splu_gen_command").endswith("--quasi sex")
    assert streamed.pop("command").endswith("--stream")
    assert whole.pop("command").endswith("--quasi sex")
    assert all(each.pop("tables") for each in whole["columns"])
    assert not any(each.pop("tables") for each in streamed["columns"])
    assert streamed == whole
    assert list(tmp_path.iterdir()) == [table]


def test_what_needs_the_whole_table_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "t.csv"
    table.write_text("v,w\n" + "".join(f"{n % 5},{n}\n" for n in range(100)))
    assert main(["advise", str(table), "--sensitive", "v", "--stream", "--drop", "w"]) == 2
    assert "--stream excludes --drop" in capsys.readouterr().err


def test_too_many_columns_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{_IN_FILES}.MOST_WORK", 300_000)
    table = tmp_path / "t.csv"
    table.write_text("v,w,x\n" + "1,2,3\n2,2,2\n" * 30)
    with pytest.raises(DataError, match="has 3 columns and 60 records, too many"):
        TableInFiles(table, ["v"], None, tmp_path)


_MEASURED = r"""
import pathlib, re, sys
from splu_ref.audit.advice import coded_table as coded, column_files as numbered
from splu_ref.audit.advice import table_in_files as in_files
from splu_ref.audit import scan
from splu_ref.audit.advice.coded_table import TableInMemory
from splu_ref.mechanisms.streaming import scan as reading
from splu_ref.data import read_table
def peak():
    return int(re.search(r"VmHWM:\s*(\d+)", pathlib.Path("/proc/self/status").read_text())[1])
table, folder = map(pathlib.Path, sys.argv[1:3])
before = peak()
if sys.argv[3] == "held":
    searched = TableInMemory(read_table(table))
else:  # a small table, and a sixteenth of what is retained at once
    reading.BATCH_BYTES, reading.BATCH_ROWS = reading.BATCH_BYTES >> 4, reading.BATCH_ROWS >> 4
    for module, constants in (
        (coded, ("DENSE", "MOST_GROUPS", "CHUNK", "PART_ENTRIES", "PART_BYTES")),
        (in_files, ("MOST_VALUES", "PART_ENTRIES", "PART_BYTES")),
    ):
        for constant in constants:
            setattr(module, constant, getattr(module, constant) >> 4)
    numbered._AT_ONCE >>= 4
    searched = in_files.TableInFiles(table, ["v"], None, folder)
scan(searched, ["v"], 10, most_cells=None)
print((peak() - before) // 1024)
"""


@pytest.mark.slow
@pytest.mark.measured
@pytest.mark.skipif(sys.platform != "linux", reason="it reads what Linux shows of a process")
def test_memory_is_bounded(tmp_path: Path) -> None:
    rows, numbers = 400_000, np.random.default_rng(0)
    cells = {f"c{n}": numbers.integers(0, 10 ** (n + 3), rows) for n in range(4)}
    frame = pl.DataFrame({**cells, "v": numbers.integers(0, 20, rows)})
    frame.write_parquet(tmp_path / "t.parquet", row_group_size=1 << 14)
    words = [sys.executable, "-c", _MEASURED, str(tmp_path / "t.parquet"), str(tmp_path)]
    threads = {**os.environ, **TWO_THREADS}
    done = subprocess.run([*words, "in files"], capture_output=True, text=True, check=True, env=threads)
    assert int(done.stdout) < 140, "it is about 90 MiB, and in memory about 200"
