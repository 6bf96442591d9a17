"""Draw every value of one release: how far its published count is off, by its true count.

The table is the embedded one, its sensitive column the crossing of two: 81 values with 1 to 3,195 records.
The drawing is committed, because a README cannot compute; a test draws it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from splu_ref import SeededSource, SpluGen
from splu_ref.data import Microdata
from splu_ref.report.drawing import scatter
from splu_ref.report.stages.publication import COLUMN, crossed_table

PICTURE = Path(__file__).parents[1] / "_static" / "showcase.svg"
GAMMA, SEED = 5, 1
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #222 }
  .grid { stroke: #ccc; stroke-width: .6 } .likely { fill: #0072b2; opacity: .13 }
  .point { fill: #0072b2 } .wrong { fill: #d55e00 }
  .zero { stroke: #222; stroke-width: 1.2 } .limit { stroke: #d55e00; stroke-dasharray: 5 4 }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd } .grid { stroke: #444 } .zero { stroke: #ddd } .likely { fill: #56b4e9; opacity: .3 }
    .point { fill: #56b4e9 } .wrong { fill: #ff8c42 } .limit { stroke: #ff8c42 }
  }
"""
"""What the picture looks like by itself, outside a page that says so."""


@dataclass(frozen=True)
class Showcase:
    """The true and the published count of every value of one release."""

    true: Mapping[str, int]
    published: Mapping[str, int]

    def between(self, least: int, most: int) -> list[str]:
        """Return the values with so many records."""
        return [value for value, count in self.true.items() if least <= count <= most]


def showcase() -> Showcase:
    """Publish the crossing of two columns and count both tables."""
    table = crossed_table()
    release = SpluGen(gamma=GAMMA).publish(table, COLUMN, SeededSource(SEED))
    return Showcase(_counts(table), _counts(release.table))


def _counts(table: Microdata) -> dict[str, int]:
    return dict(zip(map(str, table.domain(COLUMN)), table.histogram(COLUMN).tolist(), strict=True))


def drawing(shown: Showcase) -> str:
    """Return the picture as a whole SVG document; the same release gives the same bytes."""
    counts = [(value, true, shown.published.get(value, 0)) for value, true in shown.true.items()]
    return scatter(counts, GAMMA, STYLE) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(drawing(showcase()), encoding="utf-8")
