"""A comparison as a page and as JSON in a folder: `comparison.html` holds the page of one that is made up.

``python -m tests.experiments.test_comparison_page`` writes it anew.
"""

from __future__ import annotations

import json
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest

from experiments.comparison.cells import Cell, Row
from experiments.comparison.comparison import ATTACKS, GUARANTEES, Comparison
from experiments.comparison.page import check_comparison_folder, comparison_html, write_comparison
from splu_ref.channels.parameters import InputError
from tests.report.documents import body

PAGE = Path(__file__).with_name("comparison.html")


def comparison() -> Comparison:
    """Return a comparison of two mechanisms with numbers of every kind."""
    none = Cell(None, "none", "<nothing> is known")
    exact, small = Cell(Fraction(1, 3), "exact"), Cell(Fraction(1, 3), "exact", "on average", "down")
    measured = Cell(
        Fraction(2, 3), "measured", interval=(Fraction(1, 3), Fraction(5, 7)), baseline=Fraction(1, 9)
    )
    cells = (exact, small, measured, none)

    def row(name: str, number: int, first: int) -> Row:
        return Row(name, tuple(cells[(first + n) % 4] for n in range(number)))

    return Comparison(
        rows=240, column="<job>", gamma=5, runs=6,
        attacks=(row("SPLU-Gen", len(ATTACKS), 0), row("<Swap>", len(ATTACKS), 1)),
        guarantees=(row("SPLU-Gen", len(GUARANTEES), 2), row("<Swap>", len(GUARANTEES), 3)),
    )  # fmt: skip


def test_the_whole_page() -> None:
    assert body(comparison_html(comparison())) == PAGE.read_text("utf-8")


def test_it_is_replaced_only_by_force(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    check_comparison_folder(folder, force=False)
    assert not folder.exists()
    written = write_comparison(comparison(), folder, force=False)
    assert [path.name for path in written] == ["index.html", "comparison.json"]
    assert written[0].read_bytes() == comparison_html(comparison())
    document = json.dumps(comparison().to_json(), ensure_ascii=False, indent=2)
    assert written[1].read_text("utf-8") == f"{document}\n"
    for refuse in (partial(write_comparison, comparison()), check_comparison_folder):
        with pytest.raises(InputError, match=r"index\.html exists"):
            refuse(folder, force=False)
        refuse(folder, force=True)


if __name__ == "__main__":
    PAGE.write_text(body(comparison_html(comparison())), "utf-8")
