"""Interrupted releases on files leave no temporary files; the memory that a release takes."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

from splu_ref.channels.parameters import DataError, InputError, ParameterError
from splu_ref.data import read_table
from splu_ref.data.parquet import fault_on_trial
from splu_ref.mechanisms import Operator, RetentionReplacement, SpluGen, Swapping
from splu_ref.mechanisms.streaming.files import private_folder
from splu_ref.mechanisms.streaming.publishing import publish
from splu_ref.randomness import Key

KEY = Key(bytes(range(1, 32)) + b"?")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text("v,w\n" + "".join(f"{n % 5},{n}\n" for n in range(1000)))
    return path


@pytest.mark.parametrize("step", ["reading", "distributing", "writing"])
def test_an_interrupt_leaves_nothing(step: str, table: Path) -> None:
    seen = []

    def interrupt(name: str, done: int, whole: int) -> None:
        if name == step:
            [folder] = [path for path in table.parent.iterdir() if path.name.startswith(".splu-ref-")]
            seen.append(stat.S_IMODE(folder.stat().st_mode))
            raise KeyboardInterrupt

    output = table.with_name("o.csv")
    with pytest.raises(KeyboardInterrupt):
        publish(table, output, "v", SpluGen(2), KEY, manifest=table.with_name("m.json"), progress=interrupt)
    assert list(table.parent.iterdir()) == [table]
    assert seen == [0o700], "the original's rows are for its owner alone"


def test_an_interrupt_of_the_removal_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    removed: list[object] = []
    unlink = os.unlink

    def interrupt(*names: object, **rest: object) -> None:
        removed.append(names)
        if len(removed) == 2:
            raise KeyboardInterrupt
        unlink(*names, **rest)  # type: ignore[arg-type]  # the original call

    monkeypatch.setattr(os, "unlink", interrupt)

    def fill() -> None:
        with private_folder(tmp_path / "t.csv") as folder:
            for name in "abc":
                (folder / name).write_text("secret")

    with pytest.raises(KeyboardInterrupt):
        fill()
    assert list(tmp_path.iterdir()) == []
    assert len(removed) > 2


def test_drawing_reports_its_progress(table: Path) -> None:
    reported: list[tuple[int, int]] = []

    def notice(step: str, done: int, whole: int) -> None:
        if step == "drawing":
            reported.append((done, whole))

    publish(table, table.with_name("o.csv"), ["v", "w"], SpluGen(2), KEY, progress=notice)
    assert reported == sorted(reported)
    assert {whole for _, whole in reported} == {4 * 1000}  # two columns, each record twice
    assert [done for done, _ in reported] == [1000, 2000, 3000, 4000]


def test_a_table_that_changes_meanwhile_is_refused(table: Path) -> None:
    def change(name: str, done: int, whole: int) -> None:
        if name == "reading":
            with table.open("a") as file:
                file.write("1,1\n")

    with pytest.raises(DataError, match=r"t\.csv changed while it was read"):
        publish(table, table.with_name("o.csv"), "v", SpluGen(2), progress=change)
    assert list(table.parent.iterdir()) == [table]


def test_what_is_refused(table: Path) -> None:
    output = table.with_name("o.csv")
    with pytest.raises(DataError, match="does not allow gamma = 6"):
        publish(table, output, "v", SpluGen(6))
    with pytest.raises(DataError, match=r"rows 1 and 6 both hold '0'"):
        publish(table, output, "w", SpluGen(2), KEY, id_column="v")
    with pytest.raises(ParameterError, match="belong to groups"):
        publish(table, output, "v", SpluGen(2, draws="capped:1"))
    with pytest.raises(DataError, match="save standard input in a file"):
        publish("-", output, "v", SpluGen(2))
    output.touch()
    with pytest.raises(InputError, match="exists"):
        publish(table, output, "v", SpluGen(2))
    output.unlink()
    table.write_text(table.read_text() + '"')
    with pytest.raises(DataError, match="never closed"):
        publish(table, output, "v", SpluGen(2))
    assert list(table.parent.iterdir()) == [table]


def test_a_parquet_file_is_tried_once_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, output, trials = tmp_path / "t.parquet", tmp_path / "o.parquet", []

    def tried(program: str, arguments: Sequence[object], data: bytes, size: int) -> str:
        trials.append(arguments[-2:])
        return fault_on_trial(program, arguments, data, size)

    monkeypatch.setattr("splu_ref.data.parts.fault_on_trial", tried)
    pl.DataFrame({"v": [n % 5 for n in range(9000)], "w": range(9000)}).write_parquet(table)
    publish(table, output, "v", SpluGen(2))
    assert trials == [("v", "w")]
    page = bytearray(table.read_bytes())
    page[5:60] = bytes(55)
    table.write_bytes(page)
    with pytest.raises(DataError, match="not an intact Parquet file"):
        publish(table, output, "v", SpluGen(2), force=True)
    assert len(trials) == 2
    pl.DataFrame({"v": ["a", "b"] * 9}, schema={"v": pl.Categorical}).write_parquet(table)
    with pytest.raises(DataError, match="column 'v' holds categories"):
        publish(table, output, "v", SpluGen(2), force=True)


def test_equal_identities_are_found_across_batches(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("splu_ref.mechanisms.streaming.scan.BATCH_BYTES", 1000)
    table.write_text("v,id\n" + "".join(f"{n % 5},{n % 999}\n" for n in range(1000)))
    with pytest.raises(DataError, match="'id' cannot identify records: two of them hold '0'"):
        publish(table, table.with_name("o.csv"), "v", SpluGen(2), KEY, id_column="id")
    table.write_text("v,id\n" + "".join(f"{n % 5},{n if n != 700 else ''}\n" for n in range(1000)))
    with pytest.raises(DataError, match="is empty") as reported:
        publish(table, table.with_name("o.csv"), "v", SpluGen(2), KEY, id_column="id")
    within, first = map(int, re.findall(r"\brow (\d+)", str(reported.value)))
    assert within + first - 1 == 701


def test_missing_cells_are_counted_in_the_whole_table(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the words of a table in memory, whichever batches they stand in."""
    monkeypatch.setattr("splu_ref.mechanisms.streaming.scan.BATCH_BYTES", 1000)
    for missing in ({300: "NA"}, {300: "", 301: "NA", 900: "", 999: "NA"}, {3: "?", 998: "?"}):
        table.write_text("w,v\n" + "".join(f"{n},{missing.get(n, n % 5)}\n" for n in range(1000)))
        with pytest.raises(DataError) as reported:
            publish(table, table.with_name("o.csv"), "v", SpluGen(2))
        with pytest.raises(DataError) as whole:
            read_table(table).codes("v")
        assert str(reported.value) == str(whole.value)


def test_what_a_mechanism_refuses_of_a_row_names_it(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever batch it stands in, and two records of one name in two batches are refused at the end."""
    monkeypatch.setattr("splu_ref.mechanisms.streaming.scan.BATCH_BYTES", 1000)
    output, domain = table.with_name("o.csv"), {"v": [*"01234"]}
    table.write_text("v,id,w\n" + "".join(f"{n % 5},{n % 999},{'ab'[n % 2]}\n" for n in range(1000)))
    with pytest.raises(DataError, match="'id' cannot identify records: two of them hold '0'"):
        publish(table, output, "v", RetentionReplacement("1/2", domain), KEY, id_column="id")
    with pytest.raises(ParameterError, match="matrix is for column 'w' and no other"):
        publish(table, output, "v", Operator("w", "ab", [[1, 0], [0, 1]]))
    with pytest.raises(ParameterError, match="swapping needs the whole table in memory"):
        publish(table, output, "v", Swapping("1/2"))
    table.write_text("v,id\n" + "".join(f"{n % 5 if n != 700 else 'x'},{n}\n" for n in range(1000)))
    with pytest.raises(DataError, match="'v' holds 'x' in row") as reported:
        publish(table, output, "v", RetentionReplacement("1/2", domain))
    within, first = map(int, re.findall(r"\brow (\d+)", str(reported.value)))
    assert within + first - 1 == 701
    assert list(table.parent.iterdir()) == [table]


@pytest.mark.skipif(sys.platform != "linux", reason="a limit for files stands for a full disk")
@pytest.mark.parametrize(("name", "at"), [("o.csv", "distributing"), ("o.parquet", "writing")])
def test_a_full_disk_is_reported_as_one(name: str, at: str, tmp_path: Path) -> None:
    import resource  # noqa: PLC0415 - it is of POSIX alone

    table, before = tmp_path / "t.csv", resource.getrlimit(resource.RLIMIT_FSIZE)
    table.write_text("v,w\n" + "".join(f"{n % 5},{n}\n" for n in range(20_000)))

    def fill(step: str, done: int, whole: int) -> None:
        if (step, done) == (at, whole):
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 12, before[1]))

    try:
        with pytest.raises(InputError, match="File too large: free some space"):
            publish(table, table.with_name(name), "v", SpluGen(2), progress=fill)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == [table]


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "splu_ref", "publish", *words]


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("request_", ["SIGTERM", "SIGHUP"])  # the latter comes when a terminal is closed
def test_a_request_to_end_leaves_nothing(request_: str, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("v,w\n" + "".join(f"{n % 5},{n}\n" for n in range(300_000)))
    words = command(str(table), "-o", str(tmp_path / "o.csv"), "--sensitive", "v", "--gamma", "2", "--stream")
    # The environment of the tests may ignore the signal of a closed terminal, which the program heeds.
    heard = f"import os, signal, sys; signal.signal(signal.{request_}, signal.SIG_DFL)"
    heard += "; os.execv(sys.argv[1], sys.argv[1:])"
    with subprocess.Popen([sys.executable, "-c", heard, *words]) as process:
        while not any(path.name.startswith(".splu-ref-") for path in tmp_path.iterdir()):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.Signals[request_])
        process.send_signal(signal.Signals[request_])
        ended = signal.Signals[request_]
        assert process.wait(60) in (128 + ended, -ended)  # the latter if a second one comes after the removal
    assert list(tmp_path.iterdir()) == [table]


def test_the_command_says_that_it_streamed(table: Path) -> None:
    words = (str(table), "-o", str(table.with_name("o.csv")), "--sensitive", "v", "--gamma", "2", "--stream")
    done = subprocess.run(command(*words, "--json"), capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    assert (result["rows_out"], result["randomness"], result["leaks"]) == (1000, "system", None)
    assert result["streamed"]["temporary_bytes"] > 0
    reported = subprocess.run(command(*words, "--force"), capture_output=True, text=True, check=True).stdout
    assert "--key-file" in reported
    assert "--log" not in reported  # which does not go with --stream
    refused = subprocess.run(
        command(*words, "--force", "--log", "l"), capture_output=True, text=True, check=False
    )
    assert refused.returncode == 2
    assert "--stream excludes --log" in refused.stderr
