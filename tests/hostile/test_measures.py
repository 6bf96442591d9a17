"""What a kilobyte costs at most: the bounds of the page "Hostile input", measured in a process each."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.measured import KILOBYTE, kilobytes
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


def test_the_page_states_a_bound_for_every_reader() -> None:
    assert stated().keys() == {NAMES.get(name, name.replace("_", " ")) for name in READERS}


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
