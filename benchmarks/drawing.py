"""The picture of all curves, from their measurements: a small panel for each, both axes logarithmic."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from statistics import median
from typing import Any

from benchmarks.growth import Point, exponent
from benchmarks.running import points_of

WIDTH, HEIGHT, COLUMNS = 240, 196, 4
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 40, 34
STYLE = """
  text { font: 11px system-ui, sans-serif; fill: #222 } .title { font-weight: 600 }
  .axis { stroke: #222; stroke-width: 1; fill: none } .grid { stroke: #ddd; stroke-width: .6 }
  .ours { stroke: #0072b2; fill: none; stroke-width: 1.8 } circle { fill: #0072b2 }
  .baseline { stroke: #d55e00; fill: none; stroke-width: 1.4; stroke-dasharray: 5 4 }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd } .axis { stroke: #ddd } .grid { stroke: #444 }
    .ours { stroke: #56b4e9 } circle { fill: #56b4e9 } .baseline { stroke: #ff8c42 }
  }
"""


class _Panel:
    """One curve and its baseline."""

    def __init__(self, number: int, curve: Mapping[str, Any]) -> None:
        self.curve, self.points = curve, points_of(curve)
        self.left = number % COLUMNS * WIDTH
        self.top = number // COLUMNS * HEIGHT
        sizes = [point.size for point in self.points]
        times = [time for point in self.points for time in (point.seconds, median(point.baseline))]
        self._x = _ends(sizes)
        self._y = _ends(times)

    def x(self, size: float) -> float:
        """Return where a size is drawn."""
        share = (math.log10(size) - self._x[0]) / (self._x[1] - self._x[0])
        return round(self.left + LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def y(self, seconds: float) -> float:
        """Return where a time is drawn."""
        share = (math.log10(seconds) - self._y[0]) / (self._y[1] - self._y[0])
        return round(self.top + HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)

    def drawn(self) -> Iterator[str]:
        """Draw it."""
        above, title = _two_lines(self.curve["name"])
        yield f'<text class="title" x="{self.left + 6}" y="{self.top + 16}">{escape(above)}</text>'
        yield f'<text class="title" x="{self.left + 6}" y="{self.top + 30}">{escape(title)}</text>'
        left, right, foot = self.left + LEFT, self.left + WIDTH - RIGHT, self.top + HEIGHT - BOTTOM
        for power in range(self._y[0], self._y[1] + 1):
            y = self.y(10**power)
            yield f'<line class="grid" x1="{left}" x2="{right}" y1="{y}" y2="{y}"/>'
            if (self._y[1] - power) % max(1, (self._y[1] - self._y[0]) // 3) == 0:
                yield f'<text x="{left - 4}" y="{y + 4}" text-anchor="end">{_time(power)}</text>'
        for power in range(self._x[0], self._x[1] + 1):
            x = self.x(10**power)
            yield f'<text x="{x}" y="{foot + 14}" text-anchor="middle">{_power(power)}</text>'
        yield f'<path class="axis" d="M{left} {self.top + TOP}V{foot}H{right}"/>'
        caption = f"{self.curve['unit']}, exponent {exponent(self.points).value:.2f}"
        yield f'<text x="{right}" y="{foot + 28}" text-anchor="end">{escape(caption)}</text>'
        yield self._line("baseline", [(each.size, median(each.baseline)) for each in self.points])
        yield self._line("ours", [(each.size, each.seconds) for each in self.points])
        for point in self.points:
            yield self._dot(point)

    def _line(self, kind: str, places: Sequence[tuple[float, float]]) -> str:
        path = " ".join(f"{self.x(size)},{self.y(seconds)}" for size, seconds in places)
        return f'<polyline class="{kind}" points="{path}"/>'

    def _dot(self, point: Point) -> str:
        says = f"{point.size:,} {self.curve['unit']}: {point.seconds:.4g} s"
        return (
            f'<circle cx="{self.x(point.size)}" cy="{self.y(point.seconds)}" r="2.6">'
            f"<title>{escape(says)}</title></circle>"
        )


def drawing(curves: Sequence[Mapping[str, Any]]) -> str:
    """Return the picture as a whole SVG document; the same measurements give the same bytes."""
    return "\n".join(_lines(curves)) + "\n"


def _lines(curves: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    down = math.ceil(len(curves) / COLUMNS) * HEIGHT
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {COLUMNS * WIDTH} {down + 24}" role="img">'
    yield (
        "<title>Processor time by size, both logarithmic, a panel for each curve: this package and its "
        f"baseline. The numbers stand in the table.</title><style>{STYLE}</style>"
    )
    for number, curve in enumerate(curves):
        yield from _Panel(number, curve).drawn()
    for place, (kind, says) in enumerate((("ours", "this package"), ("baseline", "its baseline"))):
        x = 6 + 150 * place
        yield f'<line class="{kind}" x1="{x}" x2="{x + 30}" y1="{down + 12}" y2="{down + 12}"/>'
        yield f'<text x="{x + 36}" y="{down + 16}">{says}</text>'
    yield "</svg>"


def _ends(values: Sequence[float]) -> tuple[int, int]:
    """Return the powers of ten around some values, at least one apart."""
    low = math.floor(math.log10(min(values)) + 1e-9)
    return low, max(low + 1, math.ceil(math.log10(max(values)) - 1e-9))


def _two_lines(name: str) -> tuple[str, str]:
    """Break a long name at its last comma; a short one stands on the second line."""
    head, _, tail = name.rpartition(", ")
    return (head + ",", tail) if head and len(name) > 30 else ("", name)


def _power(power: int) -> str:
    return "10" + str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _time(power: int) -> str:
    """Return a power of ten of seconds in words."""
    unit, scale = next((u, s) for u, s in (("s", 0), ("ms", -3), ("µs", -6), ("ns", -9)) if power >= s)
    return f"{10 ** (power - scale)} {unit}"
