"""The page on speed shows the committed measurements, all of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks import page, running
from benchmarks.curves import CURVES
from benchmarks.drawing import drawing
from benchmarks.growth import Curve, GrowthLimit, Pair


def test_the_page_and_its_picture_are_of_the_committed_measurements() -> None:
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.page(text) == text
    tables = page.tables()
    assert set(re.findall(r"^```\{study-table\} benchmark-(\w+)$", text, re.MULTILINE)) == tables.keys()
    curves = running.read(page.GROWTH)
    assert page.PICTURE.read_text(encoding="utf-8") == drawing(list(curves.values()))
    for name, curve in curves.items():
        assert (curve["unit"], curve["baseline"]) == (CURVES[name].unit, CURVES[name].baseline)
        assert [point["size"] for point in curve["points"]][: len(CURVES[name].sizes)] == [
            *CURVES[name].sizes
        ]
        assert f"| {name} |" in tables["growth"]
    assert list(curves) == list(CURVES)


def test_a_measured_curve_takes_the_place_of_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def curve(name: str, size: int) -> Curve:
        return Curve(
            name=name,
            unit="items",
            baseline="nothing",
            sizes=(size, 2 * size),
            largest=(4 * size,),
            at=lambda number: Pair(lambda: sum(range(10_000)), lambda: sum(range(10_000))),
            counted=GrowthLimit((1, 2, 4)),
        )

    monkeypatch.setattr("benchmarks.growth.LEAST_SECONDS", 0.0)
    monkeypatch.setattr(running, "CURVES", {"one": curve("one", 1), "other": curve("other", 10)})
    file = tmp_path / "growth.json"
    running.main(["--runs", "2", "--output", str(file)])
    running.main(["other", "--runs", "1", "--largest", "--output", str(file)])
    found = json.loads(file.read_text(encoding="utf-8"))["curves"]
    assert [[point["size"] for point in each["points"]] for each in found] == [[1, 2], [10, 20, 40]]
    assert [len(point["ours"]) for each in found for point in each["points"]] == [2, 2, 1, 1, 1]
    assert all(second > 0 for each in found for point in each["points"] for second in point["baseline"])
    assert "items" in capsys.readouterr().out
