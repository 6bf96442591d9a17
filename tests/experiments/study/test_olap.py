"""The experiments of Agrawal, Srikant and Thomas 2005: tables, exact numbers, and figures at a small size."""

from __future__ import annotations

import csv
import importlib
import io
import json
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.study import Figure, Panel, Point, Series, drawings, olap
from experiments.study.olap import experiments
from experiments.study.olap.library_tree import library_tree
from experiments.study.olap.reconstruction import errors, expected_square, side, states
from splu_proofs.olap.exactly import (
    cell_retention,
    cells,
    condition,
    largest_relative,
    table_retention,
    theorem5_retention,
)
from splu_proofs.olap.tables import (
    CLASS,
    EDUCATION,
    Column,
    OlapTable,
    adult,
    perturbed,
    zipf,
    zipf_frequencies,
)
from splu_proofs.olap.tree import Grower, accuracies
from splu_ref.channels import inverse, retention
from splu_ref.channels.breach import Levels
from splu_ref.channels.parameters import DataError
from splu_ref.data import read_table
from splu_ref.estimators.queries.record_states import weighted
from splu_ref.randomness import SeededSource
from tests.programs import main
from tests.rounding import near

summary = importlib.import_module("experiments.study.summary")  # the room has a function of the same name
DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
TINY = olap.OlapLevel("quick", 2, (Fraction(1, 2), Fraction(9, 10)), (Fraction(1, 2),), (1, 2), (300, 500))


def _table() -> OlapTable:
    """Return 40 records in two columns of 1 to 10 and 1 to 20."""
    first, second = Column("a", 1, 10, 2, 4), Column("b", 1, 20, 1, 10)
    rng = np.random.default_rng(1)
    return OlapTable("forty", (first, second), np.stack([rng.integers(1, 11, 40), rng.integers(1, 21, 40)]))


def test_adult_without_the_folder_has_three_columns_and_says_so() -> None:
    table = adult()
    assert (table.rows, table.name) == (30_718, "adult_demo, without fnlwgt")
    assert [column.name for column in table.columns] == ["age", "hours per week", "education"]
    assert [column.share for column in table.columns] == [
        Fraction(21, 74),
        Fraction(31, 100),
        Fraction(6, 16),
    ]
    assert len(set(EDUCATION)) == 16


@pytest.mark.skipif(not DATA.exists(), reason=f"no tables in {DATA.name}")
def test_education_words_are_the_numbers_that_the_full_table_has() -> None:
    table = adult(str(DATA / "adult_numeric.csv.gz"))
    assert (table.rows, len(table.columns)) == (32_561, 4)
    assert table.columns[1].share == Fraction(900_001, 1_490_001)
    calls = read_table(DATA / "adult_numeric.csv.gz", missing="?").cells("education_num")
    assert [str(number) for number in table.values[3].tolist()] == [str(cell) for cell in calls]


@pytest.mark.parametrize(("old", "new", "message"), [
    ("39,77516", "16,77516", "column 'age' holds '16' in row 2"),
    ("39,77516", "39,many", "column 'fnlwgt' is not that of Adult"),
    ("Bachelors", "Bachelor", "column 'education' is not that of Adult"),
])  # fmt: skip
def test_a_table_with_other_values_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = "age,fnlwgt,hours_per_week,education\n39,77516,40,Bachelors\n"
    (tmp_path / "adult_numeric.csv").write_text(text.replace(old, new))
    with pytest.raises(DataError, match=message):
        adult(str(tmp_path / "adult_numeric.csv"))


@pytest.mark.parametrize("rows", [100, 1000, 10_000])
def test_zipf_tables_have_the_frequencies_nearest_the_number_of_records(rows: int) -> None:
    frequencies = zipf_frequencies(rows).tolist()
    size = len(frequencies)
    assert frequencies == [round(5 * (size / place) ** 0.5) for place in range(1, size + 1)]
    for other in (size - 1, size + 1):
        sum_there = sum(round(5 * (other / place) ** 0.5) for place in range(1, other + 1))
        assert abs(sum_there - rows) >= abs(sum(frequencies) - rows)
    table = zipf(rows, 3, SeededSource(1))
    assert np.bincount(table.values[2])[1:].tolist() == frequencies
    assert not np.array_equal(table.values[0], table.values[1])
    high = table.columns[0].high
    inside = [abs(2 * sum(frequencies[:count]) - table.rows) for count in range(1, size + 1)]
    assert inside[high - 1] == min(inside)
    assert zipf(rows, 1, SeededSource(1), half=True).columns[0].share == Fraction(size // 2, size)


def test_the_exact_expectation_over_all_outcomes() -> None:
    """Two records in two columns: the squared error of every joint outcome, by its probability."""
    keep, columns = Fraction(1, 3), _table().columns
    sides = [side(column, keep) for column in columns]
    laws = [retention(keep, {True: column.share, False: 1 - column.share}) for column in columns]
    weights = [inverse(law).weights for law in laws]
    bits = list(product((False, True), repeat=2))
    for records in product(bits, repeat=2):
        mean = Fraction(0)
        for seen in product(bits, repeat=2):
            chance = Fraction(1)
            for true, published in zip(records, seen, strict=True):
                for law, before, after in zip(laws, true, published, strict=True):
                    chance *= law.probability(before, after)
            for state in bits:
                found = sum(
                    weights[0][one].get(state[0], Fraction(0)) * weights[1][other].get(state[1], Fraction(0))
                    for one, other in seen
                )
                mean += chance * (Fraction(found) - records.count(state)) ** 2
        counts = np.array([records.count(state) for state in bits])
        assert expected_square(counts, sides) == mean / 4


def test_errors_are_distances_of_shares_and_agree_with_their_expectation() -> None:
    table, keep = _table(), Fraction(1, 2)
    found = errors(table, keep, (1, 2), 400, SeededSource(7))
    for size in ("1", "2"):
        piece = found[size]
        assert {len(piece[name]) for name in ("randomized", "iterative", "inversion", "inversion_l2")} == {
            400
        }
        assert max(piece["iterative"]) <= 2
        assert np.mean(piece["iterative"]) <= np.mean(piece["inversion"])
        spread = np.std(piece["inversion_l2"]) / 20
        assert np.mean(piece["inversion_l2"]) == pytest.approx(piece["expected_l2"], abs=5 * spread)
    true = states(np.array([[0, 1, 1], [1, 0, 1]]))
    assert true.tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize("keep", [Fraction(1, 5), Fraction(1, 2), Fraction(9, 10)])
@pytest.mark.parametrize("share", [Fraction(1, 10), Fraction(1, 2), Fraction(2, 3)])
def test_condition_numbers_are_those_of_the_matrix(keep: Fraction, share: Fraction) -> None:
    p, b = float(keep), float(share)
    matrix = p * np.eye(2) + (1 - p) * np.array([1 - b, b])
    found = condition(keep, share)
    assert float(found.one) == near(np.linalg.cond(matrix, 1))
    assert float(found.infinity) == near(np.linalg.cond(matrix, np.inf))
    low, high = found.two
    assert float(low) == near(np.linalg.cond(matrix))
    assert 0 <= high - low <= Fraction(1, 2**60)
    assert (low == 1 / keep) is (share == Fraction(1, 2))


def test_safe_retentions_are_where_the_posterior_reaches_rho2() -> None:
    levels, shares = Levels.of("1/2", "0.95"), [Fraction(1, 10)] * 2
    p = cell_retention(Fraction(15, 100), shares, levels)
    up, down = ((1 - p) / 10 + p) ** 2, ((1 - p) / 10) ** 2
    assert float(15 * up / (15 * up + 85 * down)) == near(0.95)
    assert cell_retention(Fraction(6, 10), shares, levels) == 1
    p = theorem5_retention(Fraction(15), levels, 2)
    assert float(p**2 / (1 - p) ** 2) == near(0.95 * 0.5 / (0.05 * 15))
    table = _table()
    p = table_retention(table, 2, levels, largest_relative(table, 2))
    worst = Fraction(0)
    counts = cells(table, 2)
    for one, other in np.argwhere(counts > 0).tolist():
        inside = (1 - p) / 10 + p
        seen = {
            (a, b): int(counts[a, b])
            * (inside if a == one else inside - p)
            * (inside if b == other else inside - p)
            for a, b in product(range(10), repeat=2)
        }
        worst = max(worst, seen[one, other] / sum(seen.values()))
    assert float(worst) == pytest.approx(0.95, abs=1e-4)
    assert worst < Fraction(95, 100)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    table = adult()
    assert table.labels is not None
    part = replace(table, values=table.values[:, :500], labels=table.labels[:500])
    monkeypatch.setitem(olap.OLAP_LEVELS, "quick", TINY)
    monkeypatch.setattr("experiments.commands.study_olap.adult", lambda _: part)
    monkeypatch.setattr(experiments, "RHO1", (Fraction(1, 2),))
    # Drawing takes most of the time: one picture of all, and see the test of pictures.
    monkeypatch.setattr(summary, "drawings", lambda found: drawings(found) if "-13" in found.id else {})


@pytest.mark.usefixtures("tiny")
def test_all_figures_are_written_and_a_second_run_finds_its_pieces(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "olap"
    assert main(["study", "--olap", "--report", str(folder), "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    figures = {figure["id"]: figure for figure in found["figures"]}
    assert list(figures) == [*(f"olap-figure-{number}" for number in range(4, 15)), "olap-tree"]
    assert "without fnlwgt" in figures["olap-figure-4"]["title"]
    for name, figure in figures.items():
        rows = list(csv.DictReader(io.StringIO((folder / f"{name}.csv").read_text(encoding="utf-8"))))
        points = [point for panel in figure["panels"] for line in panel["series"] for point in line["points"]]
        assert [float(row["mean"]) for row in rows] == [point["mean"] for point in points]
        sampled = [point for point in points if point["releases"]]
        assert all(point["releases"] == 2 and point["deviation"] is not None for point in sampled)
        assert bool(sampled) == (name not in {f"olap-figure-{number}" for number in (6, 13, 14)})
    assert {line["name"] for line in figures["olap-figure-5"]["panels"][0]["series"]} == set(
        experiments.LINES
    )
    assert (folder / "olap-figure-13.svg").exists()
    pieces = {path: path.stat().st_mtime_ns for path in (folder / "pieces").iterdir()}
    assert main(["study", "--olap", "--report", str(folder)]) == 2  # a finished study is there
    assert "--force" in capsys.readouterr().err
    assert main(["study", "--olap", "--report", str(folder), "--force", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["figures"] == found["figures"]
    assert {path: path.stat().st_mtime_ns for path in (folder / "pieces").iterdir()} == pieces


@pytest.mark.usefixtures("tiny")
def test_on_a_terminal_and_with_options_of_the_other_studies(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "--olap"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "Condition number of the transition matrix" in printed
    assert "500 records: age 25–45, hours per week 30–60, education 5–10" in printed
    for words, remedy in (
        (["--olap", "--coverage"], "two studies"),
        (["--olap", "--gamma", "3"], "--olap has tables of its own"),
    ):
        assert main(["study", *words]) == 2
        assert remedy in capsys.readouterr().err


def test_trees_split_only_where_the_counts_support_it() -> None:
    """A class that is message by an interval of one column, and noise in the other."""
    rng = np.random.default_rng(2)
    columns = (Column("a", 1, 20, 1, 10), Column("b", 1, 30, 1, 10))
    values = np.stack([rng.integers(1, 21, 20_000), rng.integers(1, 31, 20_000)])
    labels = ((values[0] >= 5) & (values[0] < 12)).astype(np.int64)
    source, keep = SeededSource(3), Fraction(3, 5)
    seen = np.stack(
        [perturbed(row, column, keep, source) for row, column in zip(values, columns, strict=True)]
    )
    calls = perturbed(labels, CLASS, keep, source)
    true = np.stack([np.arange(1, 21), np.full(20, 15)])
    expected = [int(5 <= value < 12) for value in range(1, 21)]
    assert Grower(columns, seen, calls, keep).tree().classes(true).tolist() == expected
    assert Grower(columns, values, labels, Fraction(1)).tree().classes(true).tolist() == expected
    by_chance = rng.integers(0, 2, 20_000)
    assert Grower(columns, values, by_chance, Fraction(1)).tree().column == -1


def test_the_library_s_tree_stands_beside_where_it_is_installed() -> None:
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(4)
    values = np.stack([rng.integers(1, 21, 3000), rng.integers(1, 31, 3000)])
    labels = ((values[0] >= 5) & (values[0] < 12)).astype(np.int64)
    true = np.stack([np.arange(1, 21), np.full(20, 15)])
    assert library_tree(values, labels)(true).tolist() == [int(5 <= value < 12) for value in true[0]]
    noise = np.where(np.arange(3000) < 60, 1 - labels, labels)  # in leaves of too few records to decide
    assert library_tree(values, noise)(true).tolist() == [int(5 <= value < 12) for value in true[0]]
    columns = (Column("a", 1, 20, 1, 10), Column("b", 1, 30, 1, 10))
    table = OlapTable("drawn", columns, values, labels)
    found = accuracies(table, Fraction(4, 5), 1, SeededSource(5), {"scikit-learn": library_tree})
    assert found["scikit-learn, original"] == [1.0]
    assert found["majority"][0] < found["scikit-learn, perturbed"][0] <= 1
    without = accuracies(table, Fraction(4, 5), 1, SeededSource(5))
    assert without == {name: each for name, each in found.items() if "scikit-learn" not in name}


def test_a_split_counts_what_inversion_counts() -> None:
    """The counts behind a split are those that the estimator of a release has."""
    table, keep = _table(), Fraction(1, 2)
    columns, ends = table.columns, [(2, 5), (1, 11)]
    labels = (table.values[0] + table.values[1]) % 2
    grower = Grower(columns, table.values, labels, keep)
    found = [float((grower._weight(0, *ends[0]) * grower._weight(1, *ends[1]) * each).sum())
             for each in grower._classes]  # fmt: skip
    sides = [*(side(column, keep) for column in columns), side(CLASS, keep)]
    bits = np.stack(
        [
            *(
                ((row >= low) & (row < high)).astype(np.int64)
                for row, (low, high) in zip(table.values, ends, strict=True)
            ),
            labels,
        ]
    )
    assert found[1] == near(float(weighted(states(bits), [each.weights for each in sides])))
    bits[2] = 1 - bits[2]
    assert found[0] == near(float(weighted(states(bits), [each.weights for each in sides])))


def test_a_logarithmic_axis_is_drawn_where_a_figure_asks_for_it() -> None:
    points = tuple(Point(float(x), str(x), 10.0**x, None, 0, 1) for x in range(1, 5))
    panels = (Panel("one", (Series("line", points),)),)
    plain = Figure("f", "title", "caption", "x", "y", panels)
    drawn = drawings(replace(plain, log=True))[".svg"].decode()
    assert drawings(plain)[".svg"].decode() != drawn
    assert all(f">{power}<" in drawn for power in (10, 100, 1000))
    assert "$" not in drawn
