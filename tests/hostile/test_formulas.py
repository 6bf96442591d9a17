"""Cells that a spreadsheet takes for formulas: passed on as they stand, and never made by us.

A spreadsheet computes a cell that begins with =, +, -, @, a tab or a carriage return. Such a cell is data
like any other here: to change it would be to publish another table. So the promise is that every cell of
what we write stands in the original, in the same column; read by another reader of CSV.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.study import Figure, Panel, Point, Series
from splu_ref.cli.app import run

TRIGGERS = ("=", "+", "-", "@", "\t", "\r")
CELLS = st.sampled_from(
    ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1", '"=1"', "a", "é", " =1", '=HYPERLINK("//x","y")')
)


def _rows(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode(), newline="")))


def _written(rows: list[list[str]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows(rows)
    return text.getvalue().encode()


@settings(max_examples=15)
@given(
    records=st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=1, max_size=6),
    header=st.permutations(["=cmd", "@job", "+sex"]),
)
def test_every_published_cell_is_one_of_the_original(
    records: list[list[str]], header: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("formulas")
    rows = [[*record, value] for record in records for value in ("=2", "x")]
    (folder / "in.csv").write_bytes(_written([header, *rows]))
    words = ["publish", str(folder / "in.csv"), "-o", str(folder / "out.csv"), "--gamma", "2"]
    assert run([*words, f"--sensitive={header[2]}", "--json"]) == 0
    published = _rows((folder / "out.csv").read_bytes())
    assert published[0] == header
    assert {row[2] for row in published[1:]} <= {"=2", "x"}
    assert Counter(tuple(row[:2]) for row in published[1:]) == Counter(tuple(row[:2]) for row in rows)


def test_a_table_without_formulas_gives_none(tmp_path: Path) -> None:
    rows = [["id", "job"], *([str(number), f"job {number % 3}"] for number in range(30))]
    (tmp_path / "in.csv").write_bytes(_written(rows))
    words = ["publish", str(tmp_path / "in.csv"), "-o", str(tmp_path / "out.csv"), "--gamma", "3"]
    assert run([*words, "--sensitive", "job", "--keep", "id", "--json"]) == 0
    cells = [cell for row in _rows((tmp_path / "out.csv").read_bytes()) for cell in row]
    assert len(cells) == 62
    assert not any(cell.startswith(TRIGGERS) for cell in cells)


def test_in_the_numbers_of_a_study_only_a_number_begins_with_a_sign() -> None:
    points = (Point.of(-0.5, "1 to 2", [-1.0, 2.0], 3), Point.of(1, "3", [0.5], 4))
    figure = Figure("f", "t", "c", "γ", "y", (Panel("γ = 3", (Series("exact", points),)),))
    cells = [cell for row in _rows(figure.as_csv().encode()) for cell in row]
    signed = [cell for cell in cells if cell.startswith(TRIGGERS)]
    assert signed == ["-0.5"]
    assert float(signed[0]) == -0.5
