"""Tables of the experiments and benchmarks, made from the committed numbers when the documentation is built.

The directive ``study-table`` shows one table of `TABLES`. A number of the page is so never copied by hand.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from benchmarks import page as benchmarks
from experiments.study import Cell, as_markdown

NUMBERS = Path(__file__).parents[1] / "study"
SAFE = ("Theorem 5", "exact, any other records", "exact, this table")
LARGE = {
    "anatomy, printed": "anatomy plan, printed",
    "mixed, published count": "mixed plan, published count",
    "mixed, n f′/N": "mixed plan, n f'/N",
    "mixed, printed": "mixed plan, printed",
    "mixed, exact": "mixed plan, exact",
    "mixed, shrunk": "mixed plan, shrunk",
}
SMALL = {
    "mixed, exact": "mixed plan, exact",
    "mixed, shrunk": "mixed plan, shrunk",
    "mixed, published count": "mixed plan, published count",
    "anatomy, printed": "anatomy plan, printed",
    "Anatomy": "Anatomy",
    "DBR": "DBR",
    "Laplace ln 2": "Laplace ln 2",
    "Laplace ln 3": "Laplace ln 3",
}
PAIRS = {
    "printed": "printed",
    "published count": "published count",
    "n f′g′/N²": "n f'g'/N²",
    "em": "em",
    "inversion": "inversion",
    "shrunk": "shrunk",
}


def rows_of(figure: str) -> list[dict[str, str]]:
    """Return the committed rows of a figure."""
    with (NUMBERS / f"{figure}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def means_by_label(figure: str) -> dict[tuple[str, str], float]:
    """Return the means by series and class of selectivity; by series and x where there are no classes."""
    rows = rows_of(figure)
    return {(row["series"], row["x"]): float(row["mean"]) for row in rows if "%" not in row["label"]} | {
        (row["series"], row["label"]): float(row["mean"]) for row in rows if "%" in row["label"]
    }


def pair_errors(table: str) -> dict[tuple[str, str], dict[str, float]]:
    """Return the means of figure 12 by gamma and class, then method."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows_of(f"{table}-figure-12"):
        found.setdefault((row["x"], row["series"]), {})[row["panel"]] = float(row["mean"])
    return found


def coverage_cells() -> list[Cell]:
    """Return the classes of true counts in which intervals and estimates were judged."""
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
        for row in rows_of("coverage")
    ]


def means(figure: str) -> dict[tuple[str, str, float], float]:
    """Return the means of a figure by panel, series and x."""
    return {(row["panel"], row["series"], float(row["x"])): float(row["mean"]) for row in rows_of(figure)}


def _large(figure: str) -> str:
    numbers = means_by_label(figure)
    queries = {row["label"]: int(row["queries"]) for row in rows_of(figure)}
    labels = [label for label in queries if ("mixed plan, shrunk", label) in numbers]
    rows = [
        [label, f"{queries[label]:,}", *(f"{numbers[series, label]:.3f}" for series in LARGE.values())]
        for label in labels
    ]
    return _markdown(["selectivity", "queries", *LARGE], rows)


def _small(figure: str) -> str:
    numbers = means_by_label(figure)
    rows = [
        [str(gamma), *(f"{numbers[series, str(gamma)]:.2f}" for series in SMALL.values())]
        for gamma in range(2, 11)
    ]
    return _markdown(["γ", *SMALL], rows)


def _pairs() -> str:
    numbers = pair_errors("census_kdd_workers")
    rows = [
        [str(gamma), *(f"{numbers[str(gamma), '0.5–0.6 %'][name]:.2f}" for name in PAIRS.values())]
        for gamma in range(2, 9)
    ]
    return _markdown(["γ", *PAIRS], rows)


def _markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _by_retention() -> str:
    found = means("olap-figure-5")
    names = ("randomized", "iterative", "inversion")
    rows = [
        [f"{p:g}", *(f"{found['ℓ₁ error', name, p]:.3f}" for name in names)]
        for p in sorted({x for _, _, x in found})
    ]
    return _markdown(["p", *names], rows)


def _by_columns() -> str:
    parts = {name: means(f"olap-figure-{number}") for number, name in ((7, "iterative"), (8, "inversion"))}
    keeps = ("0.2", "0.3", "0.5", "0.8")
    head = ["columns", *(f"{name}, p = {keep}" for name in parts for keep in keeps)]
    rows = [
        [str(k), *(f"{found[name, f'p = {keep}', k]:.3f}" for name, found in parts.items() for keep in keeps)]
        for k in range(1, 5)
    ]
    return _markdown(head, rows)


def _conditions() -> str:
    found = means("olap-figure-6")
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
        found = means(f"olap-figure-{number}")
        for name in dict.fromkeys(name for where, name, _ in found if where == panel):
            numbers = [f"{found[panel, name, k]:.3f}" for k in (1, 2, 4, 6, 8)]
            rows.append([keep, name, *numbers])
    return _markdown(["p", "records and b", "1 column", "2", "4", "6", "8"], rows)


def _safe() -> str:
    rows = []
    for columns in (2, 3):
        found = means(f"olap-figure-{11 + columns}")
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
    found = means("olap-tree")
    library = ("scikit-learn, perturbed", "scikit-learn, original")
    names = ("reconstructed", "perturbed", "original", *library, "majority")
    [panel] = {where for where, _, _ in found}
    rows = [
        [f"{p:g}", *(f"{found[panel, name, p]:.3f}" for name in names)] for p in (1.0, 0.8, 0.5, 0.3, 0.2)
    ]
    return _markdown(["p", *names], rows)


TABLES: dict[str, Callable[[], str]] = {
    "large-census": lambda: _large("census_kdd_workers-figure-8"),
    "large-adult": lambda: _large("adult_demo-figure-8"),
    "large-diabetes": lambda: _large("diabetes130-figure-11"),
    "small-census": lambda: _small("census_kdd_workers-figure-7"),
    "small-diabetes": lambda: _small("diabetes130-figure-10"),
    "pairs": _pairs,
    "coverage": lambda: as_markdown(coverage_cells(), "shrunk"),
    "olap-retention": _by_retention,
    "olap-columns": _by_columns,
    "olap-condition": _conditions,
    "olap-zipf": _zipf,
    "olap-safe": _safe,
    "olap-trees": _trees,
    "benchmark-growth": lambda: benchmarks.tables()["growth"],
    "benchmark-machines": lambda: benchmarks.tables()["machines"],
    "benchmark-peers": lambda: benchmarks.tables()["peers"],
}


class StudyTable(SphinxDirective):
    """Show one table of the experiments."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the table, as the Markdown of the page would give it."""
        for path in (*NUMBERS.glob("*.csv"), benchmarks.GROWTH, benchmarks.PEERS):
            self.env.note_dependency(str(path))
        return self.parse_text_to_nodes(TABLES[self.arguments[0]]())


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("study-table", StudyTable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
