"""The tables of the documentation are the numbers that stand beside it, and these keep the promises."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from experiments.study import SETTINGS, Cell, as_markdown, refuted

DOCS = Path(__file__).parents[3] / "docs"
COLUMNS = {
    "anatomy, printed": "anatomy plan, printed",
    "mixed, published count": "mixed plan, published count",
    "mixed, n f′/N": "mixed plan, n f'/N",
    "mixed, printed": "mixed plan, printed",
    "mixed, exact": "mixed plan, exact",
    "mixed, shrunk": "mixed plan, shrunk",
}
LARGE = {
    "Census": "census_kdd_workers-figure-8",
    "Adult": "adult_demo-figure-8",
    "Diabetes": "diabetes130-figure-11",
}


def _numbers(figure: str) -> dict[tuple[str, str], float]:
    """Return the means by series and label (by series and x where there is one label)."""
    with (DOCS / "study" / f"{figure}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {(row["series"], row["label"]): float(row["mean"]) for row in rows if "%" in row["label"]} | {
        (row["series"], row["x"]): float(row["mean"]) for row in rows if "%" not in row["label"]
    }


def _table(after: str) -> list[dict[str, str]]:
    text = (DOCS / "study.md").read_text(encoding="utf-8")
    found = re.search(rf"^{after}[^\n]*\n\n((?:\|[^\n]*\n)+)", text, re.MULTILINE)
    assert found, f"the page has no table after {after!r}"
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in found[1].splitlines()]
    return [dict(zip(rows[0], row, strict=True)) for row in rows[2:]]


@pytest.mark.parametrize("name", LARGE)
def test_tables_of_large_counts(name: str) -> None:
    numbers = _numbers(LARGE[name])
    rows = _table(f"{name}, (?:mean|γ)")
    assert len(rows) >= 6
    for row in rows:
        for column, series in COLUMNS.items():
            assert row[column] == f"{numbers[series, row['selectivity']]:.3f}"


@pytest.mark.parametrize(
    ("name", "figure"), [("Census:", "census_kdd_workers-figure-7"), ("Diabetes:", "diabetes130-figure-10")]
)
def test_tables_of_small_counts(name: str, figure: str) -> None:
    numbers = _numbers(figure)
    rows = _table(name)
    assert [row["γ"] for row in rows] == [str(gamma) for gamma in range(2, 11)]
    for row in rows:
        for column in row.keys() - {"γ"}:
            series = COLUMNS.get(column, column)
            assert row[column] == f"{numbers[series, row['γ']]:.2f}"


def test_the_committed_numbers_keep_the_promises() -> None:
    census = _numbers(LARGE["Census"])
    for label in ("0.5–1 %", "1–2 %", "2–3 %", "3–4 %", "4–5 %"):
        assert census["mixed plan, exact", label] <= 0.35 * census["anatomy plan, printed", label]
    for figure in LARGE.values():
        numbers = _numbers(figure)
        for series, label in numbers:
            if series == "mixed plan, shrunk":
                rivals = ("published count", "n f'/N", "exact", "printed")
                best = min(numbers[f"mixed plan, {rival}", label] for rival in rivals)
                assert numbers[series, label] <= 1.1 * best


PAIRS = {
    "printed": "printed",
    "published count": "published count",
    "n f′g′/N²": "n f'g'/N²",
    "em": "em",
    "inversion": "inversion",
    "shrunk": "shrunk",
}


def _pairs(table: str) -> dict[tuple[str, str], dict[str, float]]:
    """Return the means of figure 12 by gamma and class, then method."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    with (DOCS / "study" / f"{table}-figure-12.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault((row["x"], row["series"]), {})[row["panel"]] = float(row["mean"])
    return found


def test_table_of_two_sensitive_columns() -> None:
    numbers = _pairs("census_kdd_workers")
    rows = _table("Occupation and age in ten intervals")
    assert [row["γ"] for row in rows] == [str(gamma) for gamma in range(2, 9)]
    for row in rows:
        for column, method in PAIRS.items():
            assert row[column] == f"{numbers[row['γ'], '0.5–0.6 %'][method]:.2f}"


def test_shrunk_errs_least_with_two_sensitive_columns_but_in_the_classes_that_are_named() -> None:
    ratios, calls = {}, {}
    for table in ("census_kdd_workers", "adult_demo", "diabetes130"):
        for (gamma, label), errors in _pairs(table).items():
            others = min(error for method, error in errors.items() if method != "shrunk")
            ratios[table, gamma, label] = errors["shrunk"] / others
            calls[table, gamma, label] = f"{errors['shrunk']:.3f} against {others:.3f}"
    assert len(ratios) == 60
    assert {place for place, ratio in ratios.items() if ratio > 1} == {
        *(("adult_demo", gamma, "0.1–0.3 %") for gamma in "467"),
        *(("adult_demo", gamma, "0.6–0.7 %") for gamma in "27"),
        ("diabetes130", "3", "0.5–0.6 %"),
    }
    worst = max(ratios, key=ratios.__getitem__)
    assert worst == ("adult_demo", "7", "0.1–0.3 %")
    page = " ".join((DOCS / "study.md").read_text(encoding="utf-8").split())
    assert f"at most {ratios[worst]:.2f} × as much as the best of the others in the other six" in page
    assert f"the worst, with {calls[worst]} of n f′g′/N²" in page


def _coverage() -> list[Cell]:
    """Return the judged classes of the page, from the numbers beside it."""
    with (DOCS / "study" / "coverage.csv").open(encoding="utf-8", newline="") as file:
        return [
            Cell(
                setting=row["setting"],
                tuned=row["tuned"] == "True",
                rows=int(row["rows"]),
                interval=row["interval"],
                part=row["part"],
                queries=int(row["queries"]),
                releases=int(row["releases"]),
                coverage=float(row["coverage"]) if row["coverage"] else None,
                e_value=float(row["e_value"]) if row["e_value"] else None,
                length=float(row["length"]) if row["length"] else None,
                error=float(row["error"]),
                ratio=float(row["ratio"]),
                best=row["best"],
            )
            for row in csv.DictReader(file)
        ]


def test_the_tables_of_coverage_are_the_numbers_and_name_the_worst_class() -> None:
    cells, page = _coverage(), (DOCS / "study.md").read_text(encoding="utf-8")
    for interval in ("shrunk", "shrunk, average"):
        assert as_markdown(cells, interval) in page
    offered = [
        (cell.coverage, cell) for cell in cells if cell.interval == "shrunk" and cell.coverage is not None
    ]
    least, worst = min(offered, key=lambda pair: pair[0])
    assert f"The worst class is {worst.part} of {worst.setting}: {least:.3f}." in page
    few = sum(share < 0.93 for share, _ in offered)
    assert f"Of {len(offered)} classes, {few} are covered less than .930." in page
    assert not refuted(cells)
    known = {setting.name for setting in SETTINGS}
    assert {cell.setting for cell in cells} <= known
    assert len({cell.setting for cell in cells}) >= len(known) // 2
