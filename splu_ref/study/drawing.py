"""A figure drawn by matplotlib, which is the extra ``figures``."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from splu_ref.study.exhibits import Figure, Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MISSING = "no pictures: they need matplotlib, pip install 'splu-ref[figures]'"
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#000000", "#999999", "#7a3db8")
MARKERS = "osD^vPX*<"
DASHES = ("-", "--", "-.", ":")


def drawings(figure: Figure) -> dict[str, bytes]:
    """Return the picture by suffix, ``.svg`` and ``.png``; none if matplotlib is not installed.

    The same numbers give the same SVG.
    """
    try:
        from matplotlib import rc_context  # noqa: PLC0415  optional, and slow to import
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
        from matplotlib.figure import Figure as Canvas  # noqa: PLC0415
    except ImportError:
        return {}
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "splu-ref", "font.size": 9}):
        panels = len(figure.panels)
        columns = min(panels, 3)
        rows = -(-panels // columns)
        canvas = Canvas(figsize=(4.2 * columns + 0.6, 3.9 * rows + 0.4), layout="constrained")
        FigureCanvasAgg(canvas)
        places = list(canvas.subplots(rows, columns, squeeze=False, sharey=True).flat)
        alike = panels > 1 and len({_names(panel) for panel in figure.panels}) == 1
        for number, (place, panel) in enumerate(zip(places, figure.panels, strict=False)):
            _panel(place, panel, legend=not alike or number == 0)
            place.set_xlabel(figure.x_label)
            place.tick_params(labelleft=True)
            if figure.x_label == "γ":
                place.set_xticks(sorted({round(point.x) for line in panel.series for point in line.points}))
        places[0].set_ylim(0, figure.highest)
        for place in places[::columns]:
            place.set_ylabel(figure.y_label)
        for place in places[panels:]:
            place.set_axis_off()
        canvas.suptitle(figure.title, fontsize=11)
        found = {}
        for suffix, metadata in ((".svg", {"Date": None, "Creator": None}), (".png", {"Software": None})):
            buffer = io.BytesIO()
            canvas.savefig(buffer, format=suffix[1:], dpi=110, metadata=metadata)
            found[suffix] = buffer.getvalue()
    return found


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
