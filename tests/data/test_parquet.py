"""Damaged Parquet files: one line, whatever the reader does to the process that runs it."""

from __future__ import annotations

import io
import os
import random
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from splu_ref.channels.parameters import DataError
from splu_ref.data import read_table
from splu_ref.data.parquet import fault_on_trial, parse_parquet

DAMAGED = sorted((Path(__file__).parent / "damaged").glob("*.parquet"))
"""Files with a few bytes changed. Polars 2.1 panics on one and aborts on the other."""


def parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize("path", DAMAGED, ids=lambda path: path.stem)
def test_a_file_that_breaks_the_reader_gives_one_line_and_no_noise(
    path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(DataError, match=r"is not an intact Parquet file \(.+\): write it again$") as raised:
        read_table(path)
    assert str(raised.value).startswith(str(path))
    assert "\n" not in str(raised.value)
    assert tuple(capfd.readouterr()) == ("", "")


def test_there_are_damaged_files() -> None:
    assert [path.stem for path in DAMAGED] == ["abort", "panic"]


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "t.parquet is empty: it needs columns and rows"),
        (b"PAR1 and no more PAR1", r"not an intact Parquet file \(.+\): write it again"),
        (parquet(pl.DataFrame({"a": ["x"] * 9}))[:-5], r"not an intact Parquet file \(.+\): write it again"),
    ],
)
def test_a_file_that_the_reader_refuses_is_named_with_its_reason(data: bytes, fault: str) -> None:
    with pytest.raises(DataError, match=fault) as raised:
        parse_parquet(data, "t.parquet")
    assert "breaks down" not in str(raised.value)


@pytest.mark.slow
def test_any_damage_gives_a_table_or_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    whole = parquet(pl.DataFrame({"a": [str(row % 7) for row in range(300)], "b": range(300)}))
    chance = random.Random(1)
    messages = []
    for _ in range(12):
        data = bytearray(whole)
        data[chance.randrange(len(data))] ^= chance.randrange(1, 256)
        try:
            parse_parquet(bytes(data), "t.parquet")
        except DataError as error:
            messages.append(str(error))
    assert messages
    assert not any("\n" in message for message in messages)
    assert tuple(capfd.readouterr()) == ("", "")


@pytest.mark.parametrize("python", [os.path.join(os.sep, "nowhere", "python"), "", "false"])  # noqa: PTH118
def test_where_no_process_can_be_started_files_are_read_without_a_trial(
    monkeypatch: pytest.MonkeyPatch, python: str
) -> None:
    frame = pl.DataFrame({"a": ["x", "é"]})
    monkeypatch.setattr(sys, "executable", python)
    assert parse_parquet(parquet(frame), "t.parquet").equals(frame)
    with pytest.raises(DataError, match=r"t\.parquet is not an intact Parquet file"):
        parse_parquet(b"PAR1", "t.parquet")

    def panic(_: object) -> None:
        raise pl.exceptions.PanicException("index out of bounds\nat line 1")

    monkeypatch.setattr(pl, "read_parquet", panic)
    with pytest.raises(
        DataError, match=r"not an intact Parquet file \(index out of bounds\): write it again$"
    ):
        parse_parquet(parquet(frame), "t.parquet")


def test_the_trial_finds_modules_where_this_process_does_whatever_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "polars.py").write_text("raise SystemExit('another module')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    seen: list[int] = []
    run = subprocess.run

    def observed(*arguments: object, **options: object) -> object:
        done = run(*arguments, **options)  # type: ignore[call-overload]  # passed on as they come
        seen.append(done.returncode)
        return done

    monkeypatch.setattr(subprocess, "run", observed)
    frame = pl.DataFrame({"a": ["x"]})
    assert parse_parquet(parquet(frame), "t.parquet").equals(frame)
    assert seen == [0]


@pytest.mark.parametrize(("size", "seconds"), [(999_999, 30), (2_000_000, 32)])
def test_a_trial_has_a_second_for_each_megabyte_besides_its_thirty(
    size: int, seconds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(words: list[str], **more: object) -> None:
        assert (more["timeout"], more["input"], words[6:8]) == (seconds, b"data", ["7", "a b"])
        raise subprocess.TimeoutExpired(words, seconds)

    monkeypatch.setattr(subprocess, "run", endless)
    assert fault_on_trial("program", [7, "a b"], b"data", size) == "its reader comes to no end"
