"""A layered drawing of a directed graph without circles: sources at the left, every edge to the right.

The usual three steps: each node stands one layer behind the last that leads to it; an edge over several
layers gets a node in each of them; orders within the layers are improved by moving nodes towards the mean of
their neighbors, and the order with the fewest crossings is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from statistics import fmean

SWEEPS = 40
Edge = tuple[str, str]


@dataclass(frozen=True)
class Layout:
    """Where everything stands, in steps of one layer to the right and one place down.

    Attributes
    ----------
    places
        Layer and height of each node.
    routes
        The points of each edge, from node to node through the layers between.
    """

    places: dict[str, tuple[int, float]]
    routes: dict[Edge, list[tuple[int, float]]]


def reduced(edges: Iterable[Edge]) -> list[Edge]:
    """Leave out every edge that a longer way replaces."""
    kept = list(dict.fromkeys(edges))
    ahead: dict[str, list[str]] = {}
    for start, end in kept:
        ahead.setdefault(start, []).append(end)

    @cache
    def reached(node: str) -> frozenset[str]:
        return frozenset(ahead.get(node, ())).union(*(reached(each) for each in ahead.get(node, ())))

    return [(start, end) for start, end in kept if not any(end in reached(other) for other in ahead[start])]


def layout(nodes: Sequence[str], edges: Sequence[Edge]) -> Layout:
    """Place the nodes of a graph without circles."""
    layer = _layers(nodes, edges)
    rows: list[list[str]] = [[] for _ in range(max(layer.values(), default=-1) + 1)]
    for node in nodes:
        rows[layer[node]].append(node)
    ways: dict[Edge, list[str]] = {}
    for start, end in edges:
        between = [f"{start}>{end}@{at}" for at in range(layer[start] + 1, layer[end])]
        for at, node in enumerate(between, layer[start] + 1):
            rows[at].append(node)
        ways[start, end] = [start, *between, end]
    links = [link for way in ways.values() for link in pairwise(way)]
    rows = _untangled(rows, links)
    height = _heights(rows, links)
    depth = {name: at for at, row in enumerate(rows) for name in row}
    return Layout(
        places={node: (depth[node], height[node]) for node in nodes},
        routes={edge: [(depth[name], height[name]) for name in way] for edge, way in ways.items()},
    )


def _layers(nodes: Iterable[str], edges: Sequence[Edge]) -> dict[str, int]:
    @cache
    def depth(node: str) -> int:
        return max((depth(start) + 1 for start, end in edges if end == node), default=0)

    return {node: depth(node) for node in nodes}


def _neighbors(links: Iterable[Edge]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    behind: dict[str, list[str]] = {}
    ahead: dict[str, list[str]] = {}
    for start, end in links:
        ahead.setdefault(start, []).append(end)
        behind.setdefault(end, []).append(start)
    return behind, ahead


def _untangled(rows: list[list[str]], links: Sequence[Edge]) -> list[list[str]]:
    behind, ahead = _neighbors(links)
    best, fewest = [list(row) for row in rows], crossings(rows, links)
    for sweep in range(SWEEPS):
        near = ahead if sweep % 2 else behind
        position: dict[str, float] = {}
        for row in reversed(rows) if sweep % 2 else rows:
            wish = {
                name: fmean(position[other] for other in near[name]) if name in near else place
                for place, name in enumerate(row)
            }
            row.sort(key=wish.__getitem__)
            position |= {name: place for place, name in enumerate(row)}
        count = crossings(rows, links)
        if count < fewest:
            best, fewest = [list(row) for row in rows], count
    return best


def crossings(rows: Sequence[Sequence[str]], links: Sequence[Edge]) -> int:
    """Count the pairs of links between neighboring layers that cross."""
    at = {name: (layer, place) for layer, row in enumerate(rows) for place, name in enumerate(row)}
    ends = [(at[start], at[end]) for start, end in links]
    return sum(
        first[0][0] == second[0][0] and (first[0][1] - second[0][1]) * (first[1][1] - second[1][1]) < 0
        for index, first in enumerate(ends)
        for second in ends[:index]
    )


def _heights(rows: Sequence[Sequence[str]], links: Sequence[Edge]) -> dict[str, float]:
    """Move everything towards its neighbors, in its order, and never nearer than one place to the next."""
    behind, ahead = _neighbors(links)
    height = {name: float(place) for row in rows for place, name in enumerate(row)}
    for sweep in range(SWEEPS):
        for row in reversed(rows) if sweep % 2 else rows:
            near = ([*behind.get(name, ()), *ahead.get(name, ())] or [name] for name in row)
            wishes = [fmean(height[other] for other in others) for others in near]
            height |= zip(row, _apart(wishes), strict=True)
    top = min(height.values(), default=0.0)
    return {name: value - top for name, value in height.items()}


def _apart(wishes: Sequence[float]) -> list[float]:
    """Return the values nearest to ``wishes``, by squares, of which each is at least 1 above the last."""
    blocks: list[tuple[float, int]] = []  # mean of the wishes less their index, and how many
    for index, wish in enumerate(wishes):
        mean, size = wish - index, 1
        while blocks and blocks[-1][0] > mean:
            before, count = blocks.pop()
            mean, size = (before * count + mean * size) / (count + size), count + size
        blocks.append((mean, size))
    flat = [mean for mean, size in blocks for _ in range(size)]
    return [value + index for index, value in enumerate(flat)]
