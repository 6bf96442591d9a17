from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from experiments.commands import study_coverage
from experiments.study import SETTINGS, Setting, as_csv, as_markdown, lines, refuted
from experiments.study.criteria import e_value
from experiments.study.generated import GENERATED
from experiments.study.judging import CLASSES, Judgement, draw_queries, judged
from splu_ref.estimators import METHODS, Estimates, PublishedColumn, QueryBatch
from splu_ref.randomness import SeededSource
from tests.programs import main
from tests.rounding import near

rules = import_module("experiments.study.coverage")  # the room has a function of the same name
SMALL = Setting("one hundred", "s", 4)


class _Ends:
    """The closed form with intervals that hold everything, or nothing."""

    summary = "for this test"
    answers_predicates = True
    joint = None

    def __init__(self, name: str, *, whole: bool) -> None:
        self.name, self._whole = name, whole

    def single(self, column: PublishedColumn, batch: QueryBatch) -> Estimates:
        found, n = METHODS["exact"].single(column, batch), batch.predicate_count
        return replace(found, value=0 * n, lower=0 * n if self._whole else n + 1, upper=n + 1)


def _sources(name: str) -> SeededSource:
    return SeededSource(name.encode())


@pytest.mark.parametrize("name", ["given away", "function"])
def test_queries_have_the_counts_of_their_classes(name: str) -> None:
    table = GENERATED[name]()
    if name == "given away":
        assert table.second is None
    found = draw_queries(table, 40, _sources)
    joint = table if table.second is None else table.joint()
    for number, query in enumerate(found.queries):
        inside = np.ones(table.rows, dtype=np.bool_)
        own = np.ones(table.rows, dtype=np.bool_)
        for column, condition in query.conditions:
            code = int(condition.values[0])  # type: ignore[union-attr]  # each condition is one value
            if column in found.values:
                assert found.values[column][number] == code
                own &= {"first": table.values, "second": table.second}[column] == code
            else:
                inside &= joint.codes[int(column)] == code
        n, true = int(inside.sum()), int((inside & own).sum())
        assert found.true[number] == true
        covered = {part for part in CLASSES if number in found.classes[part]}
        sizes = {"zero": (0, 0), "1–20": (1, 20), "21–100": (21, 100), "101–500": (101, 500)}
        for part, (least, most) in sizes.items():
            assert part not in covered or least <= true <= most
        assert "> 500" not in covered or true > 500
        assert "homogeneous" not in covered or true == n >= 5
        assert "concentrated" not in covered or (n >= 20 and 5 * true >= 2 * n)
        assert ("below 0.5 %" in covered) == (0 < true < table.rows / 200)
        assert covered
    assert all(len(found.classes[part]) >= 30 for part in ("zero", "1–20", "21–100", "concentrated"))


def test_intervals_that_hold_nothing_are_found_and_those_that_hold_everything_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    methods = [Judgement(_Ends("whole", whole=True)), Judgement(_Ends("none", whole=False))]
    monkeypatch.setattr(rules, "HOLDING", ("whole", "none"))
    level = rules.CoverageLevel(20, 20)
    cells = rules.coverage([SMALL], None, level, _sources, intervals=methods)
    assert {cell.coverage for cell in cells if cell.interval == "whole"} == {1.0}
    assert {cell.coverage for cell in cells if cell.interval == "none"} == {0.0}
    wrong = refuted(cells)
    assert wrong == [cell for cell in cells if cell.interval == "none"]
    whole, none = lines(cells)
    assert whole.worst is not None
    assert none.worst is not None
    assert (whole.worst.coverage, none.worst.coverage) == (1.0, 0.0)
    rows = list(csv.DictReader(io.StringIO(as_csv(cells))))
    assert [row["part"] for row in rows if row["interval"] == "none"] == [c.part for c in none.cells]
    [_, _, row] = as_markdown(cells, "none").splitlines()
    assert "zero .000" in row


def test_errors_are_compared_with_the_best_of_all_methods() -> None:
    table = SMALL.read(None)
    questions = draw_queries(table, 20, _sources)
    sources = [SeededSource(b"release")] * 3
    found = judged(table, SMALL.mechanism, [Judgement("shrunk")], questions, sources)
    assert {"shrunk", "exact", "published count", "n f'/N"} <= found.squares.keys()
    for part in ("zero", "1–20"):
        where = questions.classes[part]
        errors = {m: float(np.sqrt(np.mean(square[:, where]))) for m, square in found.squares.items()}
        assert found.error("exact", part) == near(errors["exact"])
        assert found.ratio("exact", part) == near(errors["exact"] / min(errors.values()))
        assert min(found.ratio(method, part) for method in errors) == 1


def test_the_bet_gains_where_coverage_is_too_small_and_loses_elsewhere() -> None:
    assert e_value([0.9] * 30, 0.9) == near(1)
    assert e_value([0.95] * 30, 0.9) < 0.1
    assert e_value([0.6] * 30, 0.9) > 1e8
    assert e_value([1.0] * 30, 0.9) >= 0  # no stake makes a factor negative


def test_every_setting_can_be_published_and_has_a_name_of_its_own() -> None:
    assert len({setting.name for setting in SETTINGS}) == len(SETTINGS)
    for setting in SETTINGS:
        if not setting.is_file and setting.table in GENERATED:
            table = setting.read(None)
            assert table.rows % setting.gamma == 0
            assert np.bincount(table.values).max() * setting.gamma <= table.rows
    assert {setting.plan for setting in SETTINGS} == {"mixed", "anatomy", "cyclic"}
    laws = {setting.mechanism.draws.name for setting in SETTINGS if not setting.tuned}
    assert laws == {"independent", "capped", "all-or-none"}
    assert any(not setting.tuned and setting.retention is not None for setting in SETTINGS)


def test_the_command_writes_what_it_found_and_refuses_other_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study_coverage, "SETTINGS", (SMALL,))
    monkeypatch.setitem(rules.COVERAGE_LEVELS, "quick", rules.CoverageLevel(5, 2))
    run = partial(main, ["study", "--coverage", "--report", str(tmp_path), "--force", "--json"])
    assert run() == 0
    found = json.loads(capsys.readouterr().out)
    assert found["holds"]
    written = (tmp_path / "coverage.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(written)))
    assert [row["part"] for row in rows] == [cell["part"] for cell in found["cells"]]
    assert run() == 0  # from the finished piece
    assert json.loads(capsys.readouterr().out) == found
    assert main(["study", "--coverage", "--data", "adult_demo"]) == 2
    assert "--coverage has tables of its own" in capsys.readouterr().err
