"""Figures as inline SVG in the colors of the page: curves and scatter plots.

A figure's numbers drawn as an inline SVG that follows the page's light or dark colors.

Drawn by matplotlib (the ``figures`` extra). The text is kept as text, so that it can be searched and read
aloud; lines carry colors that color-blind readers distinguish, and markers and dashes that need no color.
The same numbers give the same bytes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from math import log10
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import escape

from splu_ref.output import can_draw, canvas, figure_bytes
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
        return inline(figure_bytes(drawing, "svg", transparent=True), figure.id)


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


WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 380, 84, 16, 16, 56
LARGEST = 1.5
"""Relative error at the upper edge; what is off by more is drawn there, as a triangle."""
EPSILON = 0.3
"""Relative error beyond which a count is called wrong."""


def scatter(counts: Sequence[tuple[str, int, int]], gamma: int, style: str = "") -> str:
    """Return the picture as an ``<svg>`` element; the same counts give the same bytes."""
    return "\n".join(_lines(counts, gamma, style))


def _lines(counts: Sequence[tuple[str, int, int]], gamma: int, style: str) -> Iterator[str]:
    most = max(true for _, true, _ in counts)
    wrong = sum(abs(published - true) >= EPSILON * true for _, true, published in counts)
    says = (
        f"Each dot is one of {len(counts)} values. Values with few records are published far off, values "
        f"with many close to the truth; {wrong} are off by {EPSILON:.0%} or more."
    )
    space = ' xmlns="http://www.w3.org/2000/svg"' if style else ""
    yield f'<svg{space} viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
    yield f"<title>{says}</title>" + (f"<style>{style}</style>" if style else "")
    yield f'<polygon class="likely" points="{_likely(most, gamma)}"/>'
    for error in (-1.0, -0.5, 0.0, 0.5, 1.0, 1.5):
        kind = "zero" if error == 0 else "grid"
        yield f'<line class="{kind}" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{_y(error)}" y2="{_y(error)}"/>'
        yield f'<text x="{LEFT - 8}" y="{_y(error) + 4}" text-anchor="end">{error:+.0%}</text>'
    for error in (-EPSILON, EPSILON):
        yield f'<line class="limit" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{_y(error)}" y2="{_y(error)}"/>'
    for tick in (m * 10**e for e in range(9) for m in (1, 3) if m * 10**e <= most):
        x = _x(tick, most)
        yield f'<line class="grid" x1="{x}" x2="{x}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
        yield f'<text x="{x}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{tick:,}</text>'
    middle = (LEFT + WIDTH) / 2
    yield f'<text x="{middle}" y="{HEIGHT - 12}" text-anchor="middle">records with the value</text>'
    yield (
        f'<text transform="translate(14 {(HEIGHT - BOTTOM + TOP) / 2}) rotate(-90)" text-anchor="middle">'
        "published count is off by</text>"
    )
    drawn: Counter[tuple[int, int]] = Counter()
    for value, true, published in counts:
        x = round(_x(true, most) + 9 * drawn[true, published], 1)  # equal ones side by side
        drawn[true, published] += 1
        off = published / true - 1
        kind = "wrong" if abs(published - true) >= EPSILON * true else "point"
        label = f"<title>{escape(value)}: {true:,} true, {published:,} published</title>"
        if off > LARGEST:
            yield f'<path class="{kind}" d="M{x - 5} {_y(LARGEST) + 8}h10l-5 -9z">{label}</path>'
        else:
            yield f'<circle class="{kind}" cx="{x}" cy="{_y(off)}" r="4">{label}</circle>'
    yield "</svg>"


def _likely(most: int, gamma: int) -> str:
    """Return the outline of where a published count lies 19 times in 20, by its true count."""
    counts = sorted({round(10 ** (step / 40)) for step in range(int(40 * log10(most * 1.2)) + 1)})
    upper = [(f, _quantile(0.975, f, gamma) / f - 1) for f in counts]
    lower = [(f, _quantile(0.025, f, gamma) / f - 1) for f in reversed(counts)]
    return " ".join(f"{_x(f, most)},{_y(min(error, LARGEST))}" for f, error in upper + lower)


def _quantile(level: float, count: int, gamma: int) -> int:
    """Return the least count that f' does not exceed with a chance of ``level``, near enough to be drawn."""
    from scipy.special import bdtr  # noqa: PLC0415  slow to import

    trials = gamma * count
    return int(np.searchsorted(bdtr(np.arange(trials + 1), trials, 1 / gamma), level))


def _x(count: int, most: int) -> float:
    share = log10(count) / log10(max(most, 2) * 1.2)
    return round(LEFT + 10 + share * (WIDTH - LEFT - RIGHT - 10), 1)


def _y(error: float) -> float:
    return round(TOP + (LARGEST - error) / (LARGEST + 1) * (HEIGHT - TOP - BOTTOM), 1)
