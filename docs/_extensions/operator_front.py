"""Draw operators by how well they hide a value and how well counts are estimated, for the page on operators.

The prior is the column relationship of the embedded table, six values. The drawing is committed, because a
page cannot compute; a test draws it again.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import log10
from pathlib import Path

from splu_ref.channels import Channel, Levels, diagonal
from splu_ref.data import embedded_table
from splu_ref.guarantees import Requirement, best_operator
from splu_ref.guarantees.operators.front import Point, front
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import SeededSource

PICTURE = Path(__file__).parents[1] / "_static" / "operators.svg"
COLUMN, RHO1 = "relationship", "1/10"
LEVELS = ("1/3", "2/5", "1/2", "3/5", "2/3", "3/4", "4/5")
FAMILIES = {
    "symmetric": "every other value equally often",
    "single values": "best against beliefs in single values",
    "sets": "best against beliefs in sets",
    "SPLU-Gen": "SPLU-Gen, by inversion",
}
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 720, 400, 70, 20, 16, 50
LEAST, MOST = 2, 7  # powers of ten of the variance
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #222 } .grid { stroke: #ccc; stroke-width: .6 }
  .f0 { stroke: #0072b2; fill: #0072b2 } .f1 { stroke: #d55e00; fill: #d55e00 }
  .f2 { stroke: #009e73; fill: #009e73 } .f3 { stroke: #cc79a7; fill: #cc79a7 }
  .beaten { fill: none }
  @media (prefers-color-scheme: dark) { text { fill: #ddd } .grid { stroke: #444 } }
"""


def points() -> list[tuple[Point, bool]]:
    """Return the operators that allow an estimate of every count, each by its family and a number."""
    table = embedded_table()
    values = [str(value) for value in table.domain(COLUMN)]
    histogram = table.histogram(COLUMN)
    counts = dict(zip(values, histogram.tolist(), strict=True))
    operators: dict[str, Channel[str, str]] = {
        f"symmetric {keep}/20": diagonal(values, Fraction(keep, 20)) for keep in range(1, 20)
    }
    for against, family in (("values", "single values"), ("sets", "sets")):
        for keep in ("mean", "least"):
            for rho2 in LEVELS:
                wanted = Requirement.of(tuple(counts.values()), Levels.of(RHO1, rho2), keep, against)
                operators[f"{family} {keep} {rho2}"] = best_operator(wanted).channel(values)
    for retention in ("3/5", "2/3", "3/4", "4/5", "9/10"):
        channel = SpluGen(2, retention, "anatomy").channel(histogram, SeededSource(1))
        laws = {
            values[own]: {values[seen]: chance for seen, chance in law.items()}
            for own, law in channel.laws.items()
        }
        operators[f"SPLU-Gen {retention}"] = Channel(laws, tuple(values))
    return [(point, best) for point, best in front(operators, counts) if point.variance is not None]


def drawing(shown: list[tuple[Point, bool]]) -> str:
    """Return the picture as a whole SVG document; the same points give the same bytes."""
    named = "Operators by the chance of a wrong guess and the variance of counts"
    shape = f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{named}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {shape}>',
            f"<style>{STYLE}</style>",
            *_grid(),
            *(_mark(point, best) for point, best in shown),
            *_legend(),
            "</svg>\n",
        ]
    )


def _grid() -> Iterator[str]:
    for power in range(LEAST, MOST + 1):
        y = _y(power)
        yield f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">10{"⁰¹²³⁴⁵⁶⁷"[power]}</text>'
    for tenth in range(7):
        x = _x(tenth / 10)
        yield f'<path class="grid" d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}"/>'
        yield f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">0.{tenth}</text>'
    words, middle = "chance that the best guess is wrong", WIDTH / 2
    yield f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">{words}</text>'
    yield f'<text x="{LEFT + 6}" y="{TOP + 14}">mean variance of a count</text>'


def _mark(point: Point, best: bool) -> str:
    number = next(place for place, family in enumerate(FAMILIES) if point.name.startswith(family))
    assert point.variance is not None
    x, y = _x(float(point.hidden)), _y(log10(point.variance))
    return f'<circle class="f{number}{"" if best else " beaten"}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>'


def _legend() -> Iterator[str]:
    for place, words in enumerate(FAMILIES.values()):
        y = HEIGHT - BOTTOM - 92 + 20 * place
        yield f'<circle class="f{place}" cx="{WIDTH - 300}" cy="{y}" r="4"/>'
        yield f'<text x="{WIDTH - 290}" y="{y + 4}">{words}</text>'
    yield f'<text x="{WIDTH - 290}" y="{HEIGHT - BOTTOM - 8}">hollow: another one is better</text>'


def _x(hidden: float) -> float:
    return LEFT + hidden / 0.65 * (WIDTH - LEFT - RIGHT)


def _y(power: float) -> float:
    return HEIGHT - BOTTOM - (power - LEAST) / (MOST - LEAST) * (HEIGHT - BOTTOM - TOP)


if __name__ == "__main__":
    PICTURE.write_text(drawing(points()), encoding="utf-8")
