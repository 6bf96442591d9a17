from __future__ import annotations

import csv
import io
import sys

import pytest

from experiments.study import Figure, Panel, Point, Series, drawings
from tests.rounding import near


def _figure(panels: int = 2) -> Figure:
    points = tuple(Point.of(gamma, "counts", [gamma / 10, gamma / 5], 7) for gamma in (2, 3, 5))
    lines = (Series("seen", points), Series("numbers only", points, drawn=False))
    return Figure(
        "a-figure", "Title", "Caption", "γ", "error", tuple(Panel(f"panel {n}", lines) for n in range(panels))
    )


def test_a_point_is_mean_and_scatter_over_releases() -> None:
    point = Point.of(1, "x", [1.0, 2.0, 6.0], 5)
    assert (point.mean, point.releases, point.queries) == (3.0, 3, 5)
    assert point.deviation == near(7**0.5)
    assert Point.of(1, "x", [4.0], 5).deviation is None


def test_every_number_is_in_the_csv() -> None:
    rows = list(csv.DictReader(io.StringIO(_figure().as_csv())))
    assert len(rows) == 2 * 2 * 3
    assert rows[0]["series"] == "seen"
    assert float(rows[2]["mean"]) == near(0.75)
    assert {row["panel"] for row in rows} == {"panel 0", "panel 1"}
    named = [line["name"] for line in _figure().as_json()["panels"][0]["series"]]
    assert named == ["seen", "numbers only"]


@pytest.mark.parametrize("panels", [1, 2, 5])
def test_a_drawing_shows_the_drawn_lines(panels: int) -> None:
    found = drawings(_figure(panels))
    text = found[".svg"].decode()
    assert text.count("seen") >= 1
    assert "numbers only" not in text
    assert all(f"panel {number}" in text for number in range(panels))
    assert found[".png"].startswith(b"\x89PNG")
    assert drawings(_figure(panels))[".svg"] == found[".svg"]


def test_without_matplotlib_there_are_numbers_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert drawings(_figure()) == {}
