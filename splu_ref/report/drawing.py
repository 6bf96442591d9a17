"""A figure's numbers drawn as an inline SVG that follows the page's light or dark colors.

Drawn by matplotlib (the ``figures`` extra). The text is kept as text, so that it can be searched and read
aloud; lines carry colors that color-blind readers tell apart, and markers and dashes that need no color.
The same numbers give the same bytes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from splu_ref.pictures import can_draw, canvas, written
from splu_ref.report.exhibits import Figure, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00")
"""From Okabe and Ito's palette, the yellow darkened. The page's style sheet may replace each of them."""
MARKERS = ("o", "s", "^", "D", "v")
INK = "#010203"
"""Stands for the page's text color in the drawing; no other part of it has this color."""
STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.size": 11,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.8,
}
"""Settings of matplotlib, by its names."""
MISSING_MATPLOTLIB = "The drawing needs matplotlib: install it with  pip install matplotlib"


def draw(figure: Figure) -> str:
    """Return the drawing as an ``<svg>`` element, or an empty text if matplotlib is not installed."""
    if not can_draw():
        return ""
    with canvas(5.0, 4.6, STYLE) as drawing:
        axes = drawing.subplots()
        _plot(axes, figure)
        handles, labels = axes.get_legend_handles_labels()
        drawing.legend(
            handles, labels, loc="outside lower center", ncols=2, frameon=False, fontsize=10, handlelength=3
        )
        return inline(written(drawing, "svg", transparent=True), figure.id)


def _plot(axes: Axes, figure: Figure) -> None:
    for kind in ("exact", "printed"):
        for number, series in enumerate(s for s in figure.series if s.kind == kind):
            _curve(axes, series, number, joined=kind == "exact" or figure.logarithmic)
    axes.set_xlabel(figure.x_label)
    axes.set_ylabel(figure.y_label)
    axes.grid(visible=True, color=INK, alpha=0.15, linewidth=0.6)
    counts = [x for x, _ in figure.series[0].points]
    axes.set_xticks(counts)
    if figure.logarithmic:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.10f}".rstrip("0").rstrip("."))
        axes.yaxis.set_minor_formatter(lambda value, _: "")
    else:
        axes.set_ylim(0, 1)


def _curve(axes: Axes, series: Series, number: int, *, joined: bool) -> None:
    printed = series.kind == "printed"
    axes.plot(
        [x for x, _ in series.points],
        [y for _, y in series.points],
        label=series.label,
        color=COLORS[number],
        marker=MARKERS[number],
        markerfacecolor="none" if printed else COLORS[number],
        markersize=5 if joined else 10,
        linestyle=("--" if printed else "-") if joined else "none",
    )


def inline(document: bytes, identity: str) -> str:
    """Return the svg element of a file, made fit to stand in a page under a name of its own.

    Its styles become attributes, because a page's policy admits no style but the page's own.
    """
    svg = document[document.index(b"<svg") :].decode()
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r' (?:width|height)="[0-9.]+pt"', "", svg, count=2)
    svg = re.sub(r'\bid="', f'id="{identity}-', svg)
    svg = re.sub(r'((?:xlink:)?href="#|url\(#)', rf"\g<1>{identity}-", svg)
    svg = re.sub(r' xmlns(?::xlink)?="[^"]*"', "", svg).replace("xlink:href", "href")
    svg = re.sub(r"<style[^>]*>.*?</style>", "", svg, flags=re.DOTALL)
    svg = re.sub(r' style="([^"]*)"', _attributes, svg)
    svg = svg.replace(INK, "currentColor")
    for number, color in enumerate(COLORS, start=1):
        svg = svg.replace(color, f"var(--series-{number}, {color})")
    opening = f'<svg role="img" aria-labelledby="{identity}-alternative" stroke-linejoin="round" '
    return svg.replace("<svg ", opening, 1).strip()


def _attributes(style: re.Match[str]) -> str:
    """Return the declarations of a style attribute as attributes of their own."""
    single = re.sub(r"\bfont: ([\d.]+px) ", r"font-size: \1; font-family: ", style[1])
    pairs = (each.split(":", 1) for each in single.split(";") if each.strip())
    return "".join(f' {name.strip()}="{value.strip()}"' for name, value in pairs)
