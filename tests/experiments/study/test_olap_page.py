"""The page on the experiments of Agrawal, Srikant and Thomas 2005 shows the committed numbers."""

from __future__ import annotations

import csv
from pathlib import Path

from tests.rounding import near

DOCS = Path(__file__).parents[3] / "docs"


def _means(figure: str) -> dict[tuple[str, str, float], float]:
    """Return the means by panel, series and x."""
    with (DOCS / "study" / f"{figure}.csv").open(encoding="utf-8", newline="") as file:
        return {
            (row["panel"], row["series"], float(row["x"])): float(row["mean"]) for row in csv.DictReader(file)
        }


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
