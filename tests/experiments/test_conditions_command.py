"""``conditions``: what it reports, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from experiments.commands import conditions
from experiments.study.conditions import with_several_conditions
from experiments.study.judging import draw_queries, draw_tables
from experiments.study.settings import Setting
from splu_ref.estimators import AnyOf
from splu_ref.randomness import SeededSource
from tests.experiments.progress import recorded_progress
from tests.programs import main
from tests.rounding import near

ROWS = 3001  # not a multiple of gamma


def _table(folder: Path, columns: int = 4) -> Path:
    source = SeededSource(b"table")
    job = source.below(8, ROWS)
    near = {
        f"c{place}": np.where(source.below(2, ROWS) == 0, job // 2, source.below(4, ROWS))
        for place in range(columns)
    }
    path = folder / "jobs.csv"
    pl.DataFrame({"job": job, **near}).write_csv(path)
    return path


def _run(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, Any]:
    assert main(["conditions", *map(str, words), "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_independent_conditions_lower_the_error_of_a_table_of_yours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes = ("--queries", 100, "--releases", 6)
    words = ("--data", _table(tmp_path), "--sensitive", "job", "--gamma", 4, *sizes)
    found = _run(capsys, *words)
    [table] = found["tables"]
    assert (table["table"], table["sensitive"], table["gamma"], table["tuned"]) == ("jobs", "job", 4, False)
    assert table["rows"] == ROWS - ROWS % 4
    assert table["mean"] == near(np.mean([one["ratio"] for one in table["classes"]]))
    ratios = {one["name"]: one["ratio"] for one in table["classes"]}
    assert ratios["1–20"] < 0.95  # the columns are independent given the value, as the product form assumes
    assert min(one["coverage"] for one in table["classes"]) > 0.85
    assert all(0.5 < one["predicted"] < 3 for one in table["classes"])
    assert _run(capsys, *words) == found
    assert _run(capsys, *words, "--seed", 2) != found


@pytest.mark.parametrize("kind", [("--tables", 2), ("--second", "c0")])
def test_cross_tables_and_pairs_of_sensitive_columns_are_compared(
    kind: tuple[str, object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--data", _table(tmp_path), "--sensitive", "job", "--gamma", 3, *kind)
    folder = tmp_path / "report"
    [table] = _run(capsys, *words, "--queries", 40, "--releases", 4, "--report", folder)["tables"]
    assert table["sensitive"] == ("job × c0" if kind[0] == "--second" else "job")
    ratios = [one["ratio"] for one in table["classes"]]
    assert len(ratios) > 2
    assert min(ratios) < 0.98  # the conditions are used
    assert max(abs(ratio - 1) for ratio in ratios) > 0.01
    [head, row] = (folder / "conditions.csv").read_text("utf-8").splitlines()
    assert head.startswith('"table, sensitive column, γ",0,1–20')
    assert row.startswith(f'"jobs, {table["sensitive"]}, 3",')


def test_the_cells_of_cross_tables_are_those_of_the_original() -> None:
    table = Setting("function", "s", 5).read(None)
    drawn = draw_tables(table, 2, SeededSource(b"tables"))
    assert len(drawn.tables) == 2
    assert sum(map(len, drawn.classes.values())) > len(drawn.queries) == len(drawn.true)
    for query, true in list(zip(drawn.queries, drawn.true, strict=True))[::97]:
        inside = np.ones(table.rows, dtype=np.bool_)
        for name, condition in query.conditions:
            assert isinstance(condition, AnyOf)
            column = table.values if name == "first" else table.codes[int(name)]
            inside &= column == int(condition.values[0])
        assert inside.sum() == true


def test_only_queries_with_several_conditions_are_compared() -> None:
    table = Setting("given away", "s", 5).read(None)
    drawn = draw_queries(table, 20, lambda part: SeededSource(part.encode()))
    kept = with_several_conditions(drawn)
    assert 0 < len(kept.queries) < len(drawn.queries)
    assert {len(query.conditions) > 2 for query in kept.queries} == {True}
    for name, places in kept.classes.items():
        before = {(drawn.queries[place], drawn.true[place]) for place in drawn.classes[name]}
        assert {(kept.queries[place], kept.true[place]) for place in places} <= before


def test_the_embedded_table_is_one_that_served_for_tuning(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conditions, "TABLES", ("adult_demo",))
    shown = recorded_progress(monkeypatch, conditions)
    assert main(["conditions", "--queries", "10", "--releases", "1"]) == 0
    assert "adult_demo, occupation, γ = 5 (tuned)" in " ".join(capsys.readouterr().out.split())
    assert shown


def test_what_cannot_be_compared_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, most = _table(tmp_path, columns=1), tmp_path / "most.csv"
    pl.read_csv(path).with_columns(one=pl.col("job") > 0).write_csv(most)
    for words, message in (
        (("--data", path, "--sensitive", "job"), "no class has 5 queries with two conditions"),
        (("--data", path), "--sensitive"),
        (("--sensitive", "job"), "name it with --data"),
        (("--second", "job"), "--second is for a table of yours"),
        (("--data", path, "--sensitive", "job", "--second", "c0", "--tables", 2), "drop one"),
        (("--tables", 101), "--tables is too large"),
        (("--data", most, "--sensitive", "job", "--second", "one"), "column 'one' allows no gamma"),
    ):
        assert main(["conditions", *map(str, words)]) == 2
        assert message in capsys.readouterr().err
