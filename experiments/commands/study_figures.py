"""The figures of a study on a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.table import Table
from rich.text import Text

from experiments.study import Figure
from splu_ref.output.terminal import draw, visible


def show_figures(figures: Iterable[Figure]) -> None:
    """Print the drawn lines of each figure as a table."""
    for figure in figures:
        for panel in figure.panels:
            lines = [line for line in panel.series if line.drawn]
            places = list(dict.fromkeys(point.x for line in lines for point in line.points))
            title = visible(f"{figure.title} — {panel.title}")
            grid = Table(box=None, pad_edge=False, title=title, title_justify="left")
            grid.add_column(visible(f"{figure.y_label} by {figure.x_label}"))
            for x in places:
                grid.add_column(f"{x:.4g}", justify="right")
            for line in lines:
                means = {point.x: point.mean for point in line.points}
                grid.add_row(
                    Text(visible(line.name)), *(f"{means[x]:.3f}" if x in means else "" for x in places)
                )
            draw(grid)
            draw(Text())
