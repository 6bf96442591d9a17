"""Divisions of the rows that can be named before anything is drawn, or that other draws decide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from splu_ref.audit.releases.match import Match
from splu_ref.audit.releases.pooling import renumbered
from splu_ref.randomness import IntArray

_MODULI = 32
_MOST_BLOCKS = 1 << 14


def moduli(rows: int, further: Iterable[int] = ()) -> list[int]:
    """Return 2 to 32, and those further ones that are below the number of rows."""
    return sorted({*range(2, _MODULI + 1), *(each for each in further if each < rows)})


def by_place(places: IntArray, size: int, further: Iterable[int] = ()) -> Iterator[IntArray]:
    """Divide by places 0 .. size - 1: modulo numbers, in blocks, and by the distance from both ends."""
    for modulus in moduli(size, further):
        yield places % modulus
    blocks = 2
    while blocks <= min(_MOST_BLOCKS, size // 4):
        yield places * blocks // size
        blocks *= 2
    yield np.log2(places + 1).astype(np.int64)
    yield np.log2(size - places).astype(np.int64)


def by_cells(ranks: IntArray) -> Iterator[IntArray]:
    """Divide by the cells of a column, given as ranks, and by coarse ranges of them."""
    cells = renumbered(ranks)
    if cells.max() < max(2, len(cells) // 2):
        yield cells
    held = np.bincount(cells)
    order = (np.cumsum(held) - held)[cells]
    for blocks in (2, 4, 8, 16):
        yield order * blocks // len(cells)


def by_other_sensitive(match: Match, column: str, rows: IntArray) -> Iterator[IntArray]:
    """Divide by the true and the published value of another sensitive column, and whether it was kept."""
    for other in match.original.sensitive:
        if other != column:
            true = match.true_values(other)[rows]
            published = match.published[other][rows]
            yield true
            yield published
            yield np.where(true < 0, 2, true == published)
