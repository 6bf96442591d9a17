"""The tables of the documentation are the numbers that stand beside it, and these keep the promises."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from experiments.study import SETTINGS, refuted

DOCS = Path(__file__).parents[3] / "docs"
LARGE = ("census_kdd_workers-figure-8", "adult_demo-figure-8", "diabetes130-figure-11")


@pytest.fixture(scope="module")
def tables() -> Iterator[ModuleType]:
    """Return the module that makes the tables of the pages."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS / "_extensions"))
        yield importlib.import_module("study_tables")


@pytest.mark.parametrize("page", ["study.md", "study-olap.md"])
def test_every_table_of_a_page_is_made_from_the_numbers(tables: ModuleType, page: str) -> None:
    names = re.findall(r"^```\{study-table\} (\S+)$", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE)
    assert len(names) == len(set(names)) >= 6
    for name in names:
        head, rule, *rows = tables.TABLES[name]().splitlines()
        assert set(rule) == set("|- ")
        assert len(rows) >= 4
        assert {row.count("|") for row in rows} == {head.count("|")}


def test_the_committed_numbers_keep_the_promises(tables: ModuleType) -> None:
    census = tables.means_by_label(LARGE[0])
    for label in ("0.5–1 %", "1–2 %", "2–3 %", "3–4 %", "4–5 %"):
        assert census["mixed plan, exact", label] <= 0.35 * census["anatomy plan, printed", label]
    for figure in LARGE:
        numbers = tables.means_by_label(figure)
        for series, label in numbers:
            if series == "mixed plan, shrunk":
                rivals = ("published count", "n f'/N", "exact", "printed")
                best = min(numbers[f"mixed plan, {rival}", label] for rival in rivals)
                assert numbers[series, label] <= 1.1 * best


def test_shrunk_errs_least_with_two_sensitive_columns_but_in_the_classes_that_are_named(
    tables: ModuleType,
) -> None:
    ratios, calls = {}, {}
    for table in ("census_kdd_workers", "adult_demo", "diabetes130"):
        for (gamma, label), errors in tables.pair_errors(table).items():
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


def test_the_page_names_the_worst_class_of_coverage(tables: ModuleType) -> None:
    cells, page = tables.coverage_cells(), (DOCS / "study.md").read_text(encoding="utf-8")
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
