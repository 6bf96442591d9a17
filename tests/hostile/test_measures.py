"""What a kilobyte costs at most: the bounds of the page "Hostile input", each measured in a process."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile import small_inputs
from tests.hostile.measured import KILOBYTE, LIMIT, kilobytes
from tests.hostile.readers import READERS
from tests.pace import TWO_THREADS, slowdown
from tests.programs import COMMANDS

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "docs" / "study" / "kilobyte.csv"
SLACK = 4
"""A shared machine is slower than the one that the table speaks of, and an allocator greedier."""


def stated() -> dict[str, tuple[float, float]]:
    """Return the bounds of the documentation by reader: megabytes and seconds."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    return {name: (float(megabytes), float(seconds)) for name, megabytes, seconds in rows}


NAMES = {"csv_gz": "gzip", "vectors": "vector file", "answer": "answer of a program"} | {
    "request": "request to the reference",
    "csv": "CSV",
    "parquet": "Parquet",
}


def test_the_page_states_a_bound_for_every_reader_and_command() -> None:
    readers = {NAMES.get(name, name.replace("_", " ")) for name in READERS}
    assert stated().keys() == readers | {f"`{name}`" for name in COMMANDS}
    assert small_inputs.INPUTS.keys() == COMMANDS.keys()


LAUNCH = "import subprocess, sys; sys.exit(subprocess.run([sys.executable, *sys.argv[1:]]).returncode)"
"""A process between, because a child's peak begins with what its parent holds, and this one holds much."""


@pytest.mark.slow
@pytest.mark.measured
@pytest.mark.parametrize("name", READERS)
def test_every_reader_keeps_its_bounds(name: str) -> None:
    megabytes, seconds = stated()[NAMES.get(name, name.replace("_", " "))]
    done = subprocess.run(
        [sys.executable, "-c", LAUNCH, "-m", "tests.hostile.measured", name],
        cwd=ROOT,
        env={**os.environ, **TWO_THREADS},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    taken = json.loads(done.stdout)
    assert taken["megabytes"] + taken["child"] <= megabytes
    assert taken["seconds"] <= SLACK * seconds * slowdown()


@pytest.mark.parametrize("name", READERS)
def test_a_kilobyte_is_a_kilobyte_and_there_are_many(name: str) -> None:
    sizes = [len(data) for data in kilobytes(READERS[name])]
    assert max(sizes) <= KILOBYTE
    assert len(sizes) > 10


@pytest.mark.slow
@pytest.mark.measured
@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_keeps_its_bounds(name: str, tmp_path: Path) -> None:
    small_inputs.write(tmp_path)
    megabytes, seconds = stated()[f"`{name}`"]
    seconds *= SLACK * slowdown()
    inputs = [[name, *small_inputs.words(given)] for given in small_inputs.INPUTS[name]]
    script = str(ROOT / "tests" / "hostile" / "commands.py")
    program = [sys.executable, "-c", LAUNCH, script, str(int(seconds) + 1), str(LIMIT)]
    done = subprocess.run(
        program,
        cwd=tmp_path,
        env={**os.environ, **TWO_THREADS},
        input=json.dumps(inputs),
        capture_output=True,
        check=False,
        text=True,
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    for words, (code, errors, peak, taken) in zip(inputs, found, strict=False):
        assert code in (0, 1, 2, 3), (words, code, errors)
        assert "Traceback" not in errors, (words, errors)
        assert code != 2 or (errors.startswith("splu-ref: ") and errors.count("\n") == 1), (words, errors)
        assert peak <= megabytes, words
        assert taken <= seconds, words
    assert len(found) == len(inputs), (inputs[len(found)], done.returncode, done.stderr)


def test_the_inputs_of_commands_are_small() -> None:
    assert max(len(text.encode()) for text in small_inputs.FILES.values()) <= KILOBYTE
    for name, given in small_inputs.INPUTS.items():
        assert all(sum(map(len, small_inputs.words(one))) <= KILOBYTE for one in given), name
