"""The page on the experiments of Agrawal, Srikant and Thomas 2005 shows the committed numbers."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from tests.rounding import near

DOCS = Path(__file__).parents[3] / "docs"
SAFE = ("Theorem 5", "exact, any other records", "exact, this table")


def _means(figure: str) -> dict[tuple[str, str, float], float]:
    """Return the means by panel, series and x."""
    with (DOCS / "study" / f"{figure}.csv").open(encoding="utf-8", newline="") as file:
        return {
            (row["panel"], row["series"], float(row["x"])): float(row["mean"]) for row in csv.DictReader(file)
        }


def _markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _by_retention() -> str:
    found = _means("olap-figure-5")
    names = ("randomized", "iterative", "inversion")
    rows = [
        [f"{p:g}", *(f"{found['ℓ₁ error', name, p]:.3f}" for name in names)]
        for p in sorted({x for _, _, x in found})
    ]
    return _markdown(["p", *names], rows)


def _by_columns() -> str:
    parts = {name: _means(f"olap-figure-{number}") for number, name in ((7, "iterative"), (8, "inversion"))}
    keeps = ("0.2", "0.3", "0.5", "0.8")
    head = ["columns", *(f"{name}, p = {keep}" for name in parts for keep in keeps)]
    rows = [
        [str(k), *(f"{found[name, f'p = {keep}', k]:.3f}" for name, found in parts.items() for keep in keeps)]
        for k in range(1, 5)
    ]
    return _markdown(head, rows)


def _conditions() -> str:
    found = _means("olap-figure-6")
    head = ["b", "norm", "p", "1 column", "4 columns", "10 columns"]
    rows = [
        [share, norm, keep, *(f"{found[f'{norm}, b = {share}', f'p = {keep}', k]:.4g}" for k in (1, 4, 10))]
        for share in ("0.5", "0.1")
        for norm in ("1- and ∞-norm", "2-norm")
        for keep in ("0.2", "0.8")
    ]
    return _markdown(head, rows)


def _zipf() -> str:
    panel = "Zipf, predicates on half of the records"
    rows = []
    for number, keep in ((11, "0.2"), (12, "0.8")):
        found = _means(f"olap-figure-{number}")
        for name in dict.fromkeys(name for where, name, _ in found if where == panel):
            numbers = [f"{found[panel, name, k]:.3f}" for k in (1, 2, 4, 6, 8)]
            rows.append([keep, name, *numbers])
    return _markdown(["p", "records and b", "1 column", "2", "4", "6", "8"], rows)


def _safe() -> str:
    rows = []
    for columns in (2, 3):
        found = _means(f"olap-figure-{11 + columns}")
        for name in dict.fromkeys(name.partition(":")[0] for _, name, _ in found):
            numbers = [
                f"{found[f'k = {columns}', f'{name}: {way}', rho1]:.3f}"
                for rho1 in (0.5, 0.9)
                for way in SAFE
            ]
            rows.append([str(columns), name, *numbers])
    ways = ("Theorem 5", "any other records", "this table")
    return _markdown(
        ["columns", "cells", *(f"{way}, ρ₁ = {rho1}" for rho1 in ("0.5", "0.9") for way in ways)], rows
    )


def _trees() -> str:
    found = _means("olap-tree")
    library = ("scikit-learn, perturbed", "scikit-learn, original")
    names = ("reconstructed", "perturbed", "original", *library, "majority")
    [panel] = {where for where, _, _ in found}
    rows = [
        [f"{p:g}", *(f"{found[panel, name, p]:.3f}" for name in names)] for p in (1.0, 0.8, 0.5, 0.3, 0.2)
    ]
    return _markdown(["p", *names], rows)


TABLES = {
    "TABLE5": _by_retention,
    "TABLE78": _by_columns,
    "TABLE6": _conditions,
    "TABLE9": _zipf,
    "TABLE13": _safe,
    "TABLETREE": _trees,
}


@pytest.mark.parametrize("name", TABLES)
def test_the_tables_are_the_numbers(name: str) -> None:
    assert f"\n\n{TABLES[name]()}\n\n" in (DOCS / "study-olap.md").read_text(encoding="utf-8")


def test_the_page_has_no_other_table() -> None:
    text = (DOCS / "study-olap.md").read_text(encoding="utf-8")
    assert len(re.findall(r"^\| ---", text, re.MULTILINE)) == len(TABLES)


def test_what_the_page_says_of_the_numbers() -> None:
    rows = _means("olap-figure-5")
    for p in (0.1, 0.2, 0.3, 0.4):
        assert rows["ℓ₁ error", "iterative", p] < 0.96 * rows["ℓ₁ error", "inversion", p]
    for p in (0.5, 0.6, 0.7, 0.8, 0.9):
        assert rows["ℓ₁ error", "iterative", p] == near(rows["ℓ₁ error", "inversion", p], rel=1e-3)
    zipf = {(name.partition(",")[0], k): mean for (where, name, k), mean in _means("olap-figure-12").items()
            if where == "Zipf, predicates on half of the records"}  # fmt: skip
    for k in (1, 2, 4, 6):
        assert 7 < zipf["n = 997", k] / zipf["n = 100000", k] < 15
    text = (DOCS / "study-olap.md").read_text(encoding="utf-8")
    few, many = (_means("olap-figure-11")["Zipf, predicates on half of the records", name, 8]
                 for name in ("n = 997, b = 0.28", "n = 100000, b = 0.25"))  # fmt: skip
    assert f"from {few:.3f} to {many:.3f}" in " ".join(text.split())
    for number in (4, 5):
        found = _means(f"olap-figure-{number}")
        panel = "squared ℓ₂ error of the inversion"
        for p in (0.2, 0.5, 0.8):
            assert found[panel, "inversion", p] == near(
                found[panel, "inversion, exact expectation", p], rel=0.6
            )
    condition = _means("olap-figure-6")
    assert condition["1- and ∞-norm, b = 0.1", "p = 0.2", 1] == near(8.2)
    assert f"{condition['2-norm, b = 0.1', 'p = 0.2', 1]:.1f}" == "7.1"
    for number, largest in ((13, "s = 9.0, the largest"), (14, "s = 52.3, the largest")):
        assert any(name.startswith(largest) for _, name, _ in _means(f"olap-figure-{number}"))
    trees = {(name, p): mean for (_, name, p), mean in _means("olap-tree").items()}
    for p in (1.0, 0.8, 0.5):
        assert trees["reconstructed", p] > trees["original", p] - 0.01 > trees["majority", p] + 0.04
    for p in (0.3, 0.2):
        assert 0 <= trees["reconstructed", p] - trees["majority", p] < 0.01
