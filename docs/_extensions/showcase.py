"""Draw every value of one release: how far its published count is off, by its true count.

The table is the embedded one, its sensitive column the crossing of two: 81 values with 1 to 3,195 records.
The drawing is committed, because a README cannot compute; a test draws it again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import log10
from pathlib import Path

import polars as pl
from scipy.stats import binom

from splu_ref import SeededSource, SpluGen, embedded_table

PICTURE = Path(__file__).parents[1] / "_static" / "showcase.svg"
COLUMNS = ("workclass", "occupation")
GAMMA, SEED = 5, 1
EPSILON = 0.3
"""Relative error beyond which a count is called wrong."""
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 380, 84, 16, 16, 56
LARGEST = 1.5
"""Relative error at the upper edge; what is off by more is drawn there, as a triangle."""
TICKS = (1, 3, 10, 30, 100, 300, 1000, 3000)
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #222 }
  .axis { stroke: #777; stroke-width: 1 } .grid { stroke: #ccc; stroke-width: .6 }
  .likely { fill: #0072b2; opacity: .13 } .point { fill: #0072b2 } .wrong { fill: #d55e00 }
  .zero { stroke: #222; stroke-width: 1.2 } .limit { stroke: #d55e00; stroke-dasharray: 5 4 }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd } .grid { stroke: #444 } .zero { stroke: #ddd } .likely { opacity: .3 }
    .point { fill: #56b4e9 } .likely { fill: #56b4e9 } .wrong { fill: #ff8c42 } .limit { stroke: #ff8c42 }
  }
"""


@dataclass(frozen=True)
class Showcase:
    """The true and the published count of every value of one release."""

    true: Mapping[str, int]
    published: Mapping[str, int]

    def between(self, least: int, most: int) -> list[str]:
        """Return the values with so many records."""
        return [value for value, count in self.true.items() if least <= count <= most]

    def off(self, value: str) -> float:
        """Return (f' - f) / f."""
        return self.published.get(value, 0) / self.true[value] - 1


def showcase() -> Showcase:
    """Publish the crossing of two columns and count both tables."""
    table = embedded_table().to_frame()
    assert isinstance(table, pl.DataFrame)
    crossed = pl.concat_str([pl.col(name).cast(pl.String) for name in COLUMNS], separator=" / ").alias("job")
    table = table.with_columns(crossed).drop(*COLUMNS)
    release = SpluGen(gamma=GAMMA).publish(table, "job", SeededSource(SEED))
    return Showcase(_counts(table), _counts(release.frame))


def _counts(table: object) -> dict[str, int]:
    assert isinstance(table, pl.DataFrame)
    return dict(sorted(table["job"].value_counts().iter_rows()))


def drawing(shown: Showcase) -> str:
    """Return the picture as a whole SVG document; the same release gives the same bytes."""
    return "\n".join(_lines(shown)) + "\n"


def _lines(shown: Showcase) -> Iterator[str]:
    wrong = sum(abs(shown.off(value)) >= EPSILON for value in shown.true)
    says = (
        f"Each dot is one of {len(shown.true)} values. Values with few records are published far off, values "
        f"with many close to the truth; {wrong} are off by {EPSILON:.0%} or more."
    )
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
    yield f"<title>{says}</title><style>{STYLE}</style>"
    counts = sorted({round(10 ** (step / 40)) for step in range(int(40 * log10(TICKS[-1] * 1.2)) + 1)})
    upper = [(f, binom.ppf(0.975, GAMMA * f, 1 / GAMMA) / f - 1) for f in counts]
    lower = [(f, binom.ppf(0.025, GAMMA * f, 1 / GAMMA) / f - 1) for f in reversed(counts)]
    outline = " ".join(f"{_x(f)},{_y(min(error, LARGEST))}" for f, error in upper + lower)
    yield f'<polygon class="likely" points="{outline}"/>'
    for error in (-1.0, -0.5, 0.0, 0.5, 1.0, 1.5):
        kind = "zero" if error == 0 else "grid"
        yield f'<line class="{kind}" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{_y(error)}" y2="{_y(error)}"/>'
        yield f'<text x="{LEFT - 8}" y="{_y(error) + 4}" text-anchor="end">{error:+.0%}</text>'
    for error in (-EPSILON, EPSILON):
        yield f'<line class="limit" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{_y(error)}" y2="{_y(error)}"/>'
    for tick in TICKS:
        yield f'<line class="grid" x1="{_x(tick)}" x2="{_x(tick)}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
        yield f'<text x="{_x(tick)}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{tick:,}</text>'
    middle = (LEFT + WIDTH) / 2
    yield f'<text x="{middle}" y="{HEIGHT - 12}" text-anchor="middle">records with the value</text>'
    yield (
        f'<text transform="translate(14 {(HEIGHT - BOTTOM + TOP) / 2}) rotate(-90)" text-anchor="middle">'
        "published count is off by</text>"
    )
    drawn: Counter[tuple[int, float]] = Counter()
    for value, f in shown.true.items():
        off, x = shown.off(value), _x(f) + 9 * drawn[f, shown.off(value)]  # equal ones side by side
        drawn[f, off] += 1
        kind = "wrong" if abs(off) >= EPSILON else "point"
        label = f"<title>{_escaped(value)}: {f:,} true, {shown.published.get(value, 0):,} published</title>"
        if off > LARGEST:
            y = _y(LARGEST)
            yield f'<path class="{kind}" d="M{x - 5} {y + 8}h10l-5 -9z">{label}</path>'
        else:
            yield f'<circle class="{kind}" cx="{x}" cy="{_y(off)}" r="4">{label}</circle>'
    yield "</svg>"


def _x(count: float) -> float:
    share = log10(count) / log10(TICKS[-1] * 1.2)
    return round(LEFT + 10 + share * (WIDTH - LEFT - RIGHT - 10), 1)


def _y(error: float) -> float:
    return round(TOP + (LARGEST - error) / (LARGEST + 1) * (HEIGHT - TOP - BOTTOM), 1)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


if __name__ == "__main__":
    PICTURE.write_text(drawing(showcase()), encoding="utf-8")
