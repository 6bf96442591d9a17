from __future__ import annotations

import math
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

import pytest

from splu_ref.report.drawing import COLORS, INK, MARKERS, _plot, draw, scatter
from splu_ref.report.exhibits import Figure, Series, figure_4, figure_5
from splu_ref.report.stages.figures import figures_stage
from tests.rounding import near


def law(gamma: int, frequency: int, count: int) -> Fraction:
    trials = gamma * frequency
    return Fraction(math.comb(trials, count) * (gamma - 1) ** (trials - count), gamma**trials)


def printed_sum(gamma: int, frequency: int) -> Fraction:
    """Theorem 4's sum at epsilon = 3/10, term by term."""
    low, high = -(-7 * frequency // 10), 13 * frequency // 10
    return 1 - sum((law(gamma, frequency, x) for x in range(low, high + 1)), Fraction(0))


def printed_bound(gamma: int, epsilon: Fraction, frequency: int) -> Fraction:
    return 1 / (gamma * epsilon**2 * frequency**2)


def test_figure_4_has_both_curves_at_every_point() -> None:
    figure = figure_4(printed_bound)
    curves = {series.label: dict(series.points) for series in figure.series}
    assert len(curves) == 10
    assert curves["printed, ε = 0.01"][100] == near(0.1)
    assert curves["printed, ε = 0.09"][900] == near(1 / (10 * 81 * 81))
    # At ε = 0.01 and f = 100 only f' = 100 is no error; at f = 900 the true value is known to be .7652…
    assert curves["exact, ε = 0.01"][100] == near(float(1 - law(10, 100, 100)), rel=1e-12)
    assert math.floor(10**4 * curves["exact, ε = 0.01"][900]) == 7652
    assert "below the truth at 45 of 45 plotted points" in figure.caption


def test_figure_5_is_the_printed_sum_computed_otherwise() -> None:
    figure = figure_5(lambda gamma, _, frequency: printed_sum(gamma, frequency))
    curves = {series.label: dict(series.points) for series in figure.series}
    assert curves["exact, γ = 10"][1] == near(1 - 0.9**9, rel=1e-12)
    for gamma in (5, 10, 20):
        for frequency in range(1, 11):
            expected = float(printed_sum(gamma, frequency))
            assert curves[f"exact, γ = {gamma}"][frequency] == near(expected, rel=1e-12)
    assert "are the same" in figure.caption


def test_the_stage_detects_a_wrong_curve(made_up_ledger: Callable[..., Any], recorder: Any) -> None:
    outcome = figures_stage(made_up_ledger(printed_sum), recorder)
    assert [row.passed for row in outcome.rows] == [True, True]
    assert recorder.steps == [("figure 4", 0), ("figure 5", 1)]
    wrong = made_up_ledger(lambda gamma, frequency: printed_sum(gamma, frequency) + Fraction(1, 100))
    wrong.printed = {"splu.T3": lambda gamma, epsilon, frequency: Fraction(1, 2)}
    outcome = figures_stage(wrong, recorder)
    assert [row.passed for row in outcome.rows] == [False, False]


def test_the_drawing_repeats_itself_and_names_no_other_place() -> None:
    figure = figure_5(lambda gamma, _, frequency: printed_sum(gamma, frequency))
    svg = draw(figure)
    assert svg == draw(figure)
    assert svg.startswith("<svg ")
    assert svg.endswith("</svg>")
    for absent in ("http", "metadata", "<?xml", "xlink", INK):
        assert absent not in svg
    assert f"var(--series-1, {COLORS[0]})" in svg
    assert "currentColor" in svg
    assert 'aria-labelledby="figure-5-alternative"' in svg
    assert "exact, γ = 20" in svg  # as text, not as outlines


def test_two_drawings_share_no_id() -> None:
    fifth = draw(figure_5(lambda gamma, _, frequency: printed_sum(gamma, frequency)))
    fourth = draw(figure_4(printed_bound))
    ids = [{part.split('"')[0] for part in svg.split(' id="')[1:]} for svg in (fourth, fifth)]
    assert ids[0]
    assert not ids[0] & ids[1]


@pytest.mark.parametrize("logarithmic", [False, True])
def test_curves_are_distinguished_and_printed_numbers_from_computed_ones(logarithmic: bool) -> None:
    pyplot = pytest.importorskip("matplotlib.figure")
    series = tuple(
        Series(f"{kind} {number}", kind, tuple((x, 0.1 * number + 0.01) for x in (1, 2, 5)))
        for number in range(2)
        for kind in ("exact", "printed")
    )
    axes = pyplot.Figure().subplots()
    _plot(axes, Figure("f", "", "", "", "records", "chance", logarithmic, series))
    lines = {line.get_label(): line for line in axes.lines}
    assert set(lines) == {one.label for one in series}
    for one in series:
        line, number, exact = lines[one.label], int(one.label[-1]), one.kind == "exact"
        assert [*zip(*line.get_data(), strict=True)] == list(one.points)
        assert (line.get_color(), line.get_marker()) == (COLORS[number], MARKERS[number])
        assert line.get_markerfacecolor() == (COLORS[number] if exact else "none")
        assert line.get_linestyle() == ("-" if exact else "--" if logarithmic else "None")
        assert line.get_markersize() == (5 if exact or logarithmic else 10)
    assert (axes.get_xlabel(), axes.get_ylabel(), list(axes.get_xticks())) == ("records", "chance", [1, 2, 5])
    assert axes.get_yscale() == ("log" if logarithmic else "linear")
    assert logarithmic or axes.get_ylim() == (0, 1)
    assert not logarithmic or axes.yaxis.get_major_formatter()(0.1, 0) == "0.1"


def test_dots_stand_at_their_counts() -> None:
    """The scales of the picture of published counts are read from its own labels."""
    counts = [("rare <v>", 1, 0), ("twice", 10, 12), ("again", 10, 12), ("wrong", 100, 130), ("far", 2, 9)]
    root = ElementTree.fromstring(scatter(counts, 5, style=".point {}").replace(' xmlns="', ' x="'))
    place = {text.text: text.attrib for text in root.iter("text")}
    left, right = (float(place[label]["x"]) for label in ("1", "100"))
    top, zero = (float(place[label]["y"]) - 4 for label in ("+100%", "+0%"))
    assert {line.attrib["class"] for line in root.iter("line")} == {"zero", "grid", "limit"}
    lines = {(line.attrib["class"], float(line.attrib["y1"])) for line in root.iter("line")}
    assert {height for name, height in lines if name == "zero"} == {zero}
    limits = sorted(height for name, height in lines if name == "limit")
    assert limits == pytest.approx([zero + 0.3 * (top - zero), zero - 0.3 * (top - zero)], abs=0.2)
    marks = {
        (mark.findtext("title") or "").partition(":")[0]: mark
        for mark in root
        if mark.find("title") is not None
    }
    for number, (value, true, published) in enumerate(counts):
        mark = marks[value]
        assert mark.findtext("title") == f"{value}: {true} true, {published} published"
        assert mark.attrib["class"] == ("wrong" if abs(published - true) >= 0.3 * true else "point")
        across = left + math.log10(true) / 2 * (right - left) + 9 * (number == 2)
        if value == "far":
            assert mark.tag == "path"
            assert float(mark.attrib["d"][1:].split()[0]) + 5 == pytest.approx(across, abs=0.2)
            continue
        height = zero + (published / true - 1) * (top - zero)
        recorder = [float(mark.attrib[name]) for name in ("cx", "cy")]
        assert recorder == pytest.approx([across, height], abs=0.2)
    assert "one of 5 values" in str(root.findtext("title"))
    assert "3 are off by 30% or more" in str(root.findtext("title"))


def test_without_matplotlib_there_is_no_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert draw(figure_4(printed_bound)) == ""
