"""Disclosure by several releases of a table, under one key and with fresh draws.

An attacker links the records of several releases, here by their number in the embedded table. For a record
published with one value throughout, that value is the best guess; for the others the benchmark counts how
often the true value is among those published.
"""

from __future__ import annotations

import csv
import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from splu_ref.data import Microdata, embedded_table
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import Key, KeyedSource, SeededSource

SENSITIVE = "occupation"
RUNS = 5
"""Keys, or sequences of fresh releases, that are tried."""


class Part(NamedTuple):
    """One release: how many rows the table has lost before it, and the size of its decoy groups."""

    fewer_rows: int
    gamma: int


SCENES: dict[str, tuple[bool, tuple[Part, ...]]] = {
    "one release": (False, (Part(0, 5),)),
    "three with fresh draws, a row less each": (False, (Part(0, 5), Part(1, 5), Part(2, 5))),
    "three under one key, a row less each": (True, (Part(0, 5), Part(1, 5), Part(2, 5))),
    "two with fresh draws, γ = 5 and γ = 7": (False, (Part(0, 5), Part(0, 7))),
    "two under one key, γ = 5 and γ = 7": (True, (Part(0, 5), Part(0, 7))),
}
"""What is published, and whether under one key."""


@dataclass(frozen=True)
class Exposure:
    """Shares of the records that occur in all releases, by the values published for them.

    Attributes
    ----------
    constant
        Records that are published with one value throughout.
    own
        Of these, records whose value it is.
    excluded
        Of the others, records of which no published value is theirs; None without others.
    """

    constant: float
    own: float
    excluded: float | None


def exposure(parts: Sequence[Part], run: int, *, keyed: bool) -> Exposure:
    """Publish the embedded table as the parts say and compare what each record was published with."""
    original = embedded_table().to_frame().with_row_index("number").cast({SENSITIVE: pl.String})
    followed = original.select("number", own=SENSITIVE)
    names = [f"release {number}" for number in range(len(parts))]
    for name, part in zip(names, parts, strict=True):
        table = Microdata.from_frame(original.head(len(original) - part.fewer_rows))
        source = (
            KeyedSource(Key(hashlib.sha256(b"%d" % run).digest()))
            if keyed
            else SeededSource(f"{run}/{name}".encode())
        )
        done = SpluGen(part.gamma).publish(table, SENSITIVE, source, id_column="number" if keyed else None)
        published = done.table.to_frame().select("number", pl.col(SENSITIVE).alias(name))
        followed = followed.join(published, on="number")
    values = [pl.col(name) for name in names]
    shares = followed.select(
        constant=pl.all_horizontal(value == values[0] for value in values),
        own=pl.any_horizontal(value == pl.col("own") for value in values),
    )
    constant, others = shares.filter("constant")["own"], shares.filter(~pl.col("constant"))["own"]
    excluded = (len(others) - others.sum()) / len(others) if len(others) else None
    return Exposure(len(constant) / len(shares), constant.sum() / len(constant), excluded)


def rows(runs: int = RUNS) -> list[list[str]]:
    """Return the table of the documentation: the least and the largest share over all runs."""
    lines = []
    for name, (keyed, parts) in SCENES.items():
        found = [exposure(parts, run, keyed=keyed) for run in range(runs)]
        cells = (_range([getattr(each, key) for each in found]) for key in ("constant", "own", "excluded"))
        lines.append([name, *cells])
    return lines


def _range(shares: Sequence[float | None]) -> str:
    texts = sorted("–" if share is None else f"{share:.2f}" for share in shares)
    return texts[0] if texts[0] == texts[-1] else f"{texts[0]} to {texts[-1]}"


def main() -> None:
    """Print the table as CSV."""
    csv.writer(sys.stdout, lineterminator="\n").writerows(rows())


if __name__ == "__main__":
    main()
