"""A figure as numbers: panels, series, points with their scatter over releases."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any


@dataclass(frozen=True)
class Point:
    """A mean over releases.

    Attributes
    ----------
    x
        Where it is plotted.
    label
        What x stands for.
    mean
        Mean over the releases of each release's mean over the queries.
    deviation
        Standard deviation over the releases, None for a single one.
    releases, queries
        How many.
    """

    x: float
    label: str
    mean: float
    deviation: float | None
    releases: int
    queries: int

    @classmethod
    def of(cls, x: float, label: str, values: Sequence[float], queries: int) -> Point:
        """Return the point of one value for each release."""
        return cls(x, label, fmean(values), stdev(values) if len(values) > 1 else None, len(values), queries)


@dataclass(frozen=True)
class Series:
    """A line: ``drawn`` states whether the picture shows it, or the numbers only."""

    name: str
    points: tuple[Point, ...]
    drawn: bool = True


@dataclass(frozen=True)
class Panel:
    """Lines in one pair of axes."""

    title: str
    series: tuple[Series, ...]


@dataclass(frozen=True)
class Figure:
    """A figure of the paper, made again.

    Attributes
    ----------
    id
        Name of its files.
    title, caption
        For people.
    x_label, y_label
        Of every panel.
    panels
        At least one.
    highest
        Where the vertical axis ends; None for wherever the lines end.
    log
        Whether the vertical axis is logarithmic.
    """

    id: str
    title: str
    caption: str
    x_label: str
    y_label: str
    panels: tuple[Panel, ...]
    highest: float | None = None
    log: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the plotted numbers."""
        return {
            "id": self.id,
            "title": self.title,
            "caption": self.caption,
            "x": self.x_label,
            "y": self.y_label,
            "panels": [
                {
                    "title": panel.title,
                    "series": [
                        {
                            "name": line.name,
                            "drawn": line.drawn,
                            "points": [vars(point) for point in line.points],
                        }
                        for line in panel.series
                    ],
                }
                for panel in self.panels
            ],
        }

    def as_csv(self) -> str:
        """Return the plotted numbers, a row for each point."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(("panel", "series", "x", "label", "mean", "deviation", "releases", "queries"))
        for panel in self.panels:
            for line in panel.series:
                for point in line.points:
                    writer.writerow((panel.title, line.name, *vars(point).values()))
        return text.getvalue()
