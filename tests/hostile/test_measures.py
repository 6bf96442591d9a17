"""What a kilobyte costs at most: the bounds of the page "Hostile input", each measured in a process."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from splu_ref.cli.app import COMMANDS
from tests.hostile import small_inputs
from tests.hostile.measured import KILOBYTE, LIMIT, kilobytes
from tests.hostile.readers import READERS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "hostile-input.md"
SLACK = 4
"""A shared machine is slower than the one that the page speaks of, and an allocator greedier."""


def stated() -> dict[str, tuple[float, float]]:
    """Return the bounds of the page by reader: megabytes and seconds."""
    table = PAGE.read_text(encoding="utf-8").partition("## A kilobyte")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (.+?) \| ([0-9]+) MB \| ([0-9.]+) s \|", table, re.MULTILINE)
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


@pytest.mark.parametrize("name", READERS)
def test_every_reader_keeps_its_bounds(name: str) -> None:
    megabytes, seconds = stated()[NAMES.get(name, name.replace("_", " "))]
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile.measured", name],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    taken = json.loads(done.stdout)
    assert taken["megabytes"] + taken["child"] <= megabytes
    assert taken["seconds"] <= SLACK * seconds


@pytest.mark.parametrize("name", READERS)
def test_a_kilobyte_is_a_kilobyte_and_there_are_many(name: str) -> None:
    sizes = [len(data) for data in kilobytes(READERS[name])]
    assert max(sizes) <= KILOBYTE
    assert len(sizes) > 10


LAUNCH = """
import json, resource, subprocess, sys
seconds, addresses, *words = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
resource.setrlimit(resource.RLIMIT_AS, (int(addresses), int(addresses)))
done = subprocess.run([sys.executable, "-m", "splu_ref", *words], capture_output=True)
taken = resource.getrusage(resource.RUSAGE_CHILDREN)
peak = taken.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
print(json.dumps([done.returncode, done.stderr.decode(), peak, taken.ru_utime + taken.ru_stime]))
"""
"""A process between, because a child's peak begins with what its parent holds, and this one holds much."""


def _run(words: list[str], folder: Path, seconds: int) -> tuple[int, str, float, float]:
    """Return the exit code of the program, its errors, and what megabytes and seconds it took."""
    program = [sys.executable, "-c", LAUNCH, str(seconds), str(LIMIT), *words]
    done = subprocess.run(program, cwd=folder, capture_output=True, check=True)
    code, errors, megabytes, taken = json.loads(done.stdout)
    return code, errors, megabytes, taken


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_keeps_its_bounds(name: str, tmp_path: Path) -> None:
    small_inputs.write(tmp_path)
    megabytes, seconds = stated()[f"`{name}`"]
    for given in small_inputs.INPUTS[name]:
        words = [name, *small_inputs.words(given)]
        code, errors, peak, taken = _run(words, tmp_path, int(SLACK * seconds) + 1)
        assert code in (0, 1, 2, 3), (words, code, errors)
        assert "Traceback" not in errors, (words, errors)
        assert code != 2 or (errors.startswith("splu-ref: ") and errors.count("\n") == 1), (words, errors)
        assert peak <= megabytes, words
        assert taken <= SLACK * seconds, words


def test_the_inputs_of_commands_are_small() -> None:
    assert max(len(text.encode()) for text in small_inputs.FILES.values()) <= KILOBYTE
    for name, given in small_inputs.INPUTS.items():
        assert all(sum(map(len, small_inputs.words(one))) <= KILOBYTE for one in given), name
