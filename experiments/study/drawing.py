"""A figure drawn by matplotlib, which is the extra ``figures``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.study.exhibits import Figure, Panel
from splu_ref.output.pictures import can_draw, canvas, figure_bytes
from splu_ref.output.terminal import replace_invisible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MISSING = "no pictures: they need matplotlib, pip install matplotlib"
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#000000", "#999999", "#7a3db8")
MARKERS = "osD^vPX*<"
DASHES = ("-", "--", "-.", ":")


def drawings(figure: Figure) -> dict[str, bytes]:
    """Return the picture by suffix, ``.svg`` and ``.png``; none if matplotlib is not installed.

    The same numbers give the same SVG.
    """
    if not can_draw():
        return {}
    panels = len(figure.panels)
    columns = min(panels, 3)
    rows = -(-panels // columns)
    with canvas(4.2 * columns + 0.6, 3.9 * rows + 0.4, {"font.size": 9}) as drawing:
        places = list(drawing.subplots(rows, columns, squeeze=False, sharey=True).flat)
        alike = panels > 1 and len({_names(panel) for panel in figure.panels}) == 1
        for number, (place, panel) in enumerate(zip(places, figure.panels, strict=False)):
            _panel(place, panel, legend=not alike or number == 0)
            place.set_xlabel(figure.x_label)
            place.tick_params(labelleft=True)
            if figure.x_label == "γ":
                place.set_xticks(sorted({round(point.x) for line in panel.series for point in line.points}))
        if figure.log:
            places[0].set_yscale("log")
            places[0].yaxis.set_major_formatter("{x:g}")  # powers of ten would be formulas
            places[0].yaxis.set_minor_formatter("")
        else:
            places[0].set_ylim(0, figure.highest)
        for place in places[::columns]:
            place.set_ylabel(figure.y_label)
        for place in places[panels:]:
            place.set_axis_off()
        drawing.suptitle(replace_invisible(figure.title), fontsize=11)
        return {f".{form}": figure_bytes(drawing, form, dpi=110) for form in ("svg", "png")}


def _names(panel: Panel) -> tuple[str, ...]:
    return tuple(line.name for line in panel.series if line.drawn)


def _panel(axes: Axes, panel: Panel, *, legend: bool) -> None:
    drawn = [line for line in panel.series if line.drawn]
    for number, line in enumerate(drawn):
        deviations = [point.deviation or 0.0 for point in line.points]
        axes.errorbar(
            [point.x for point in line.points],
            [point.mean for point in line.points],
            yerr=deviations if any(deviations) else None,
            color=COLORS[number % len(COLORS)],
            marker=MARKERS[number % len(MARKERS)],
            linestyle=DASHES[number % len(DASHES)],
            markersize=4,
            linewidth=1.4,
            elinewidth=0.8,
            capsize=2,
            label=line.name,
        )
    axes.set_title(panel.title, fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    if legend:
        axes.legend(frameon=False, fontsize=7)
