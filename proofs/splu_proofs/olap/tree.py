"""Decision trees grown from reconstructed counts (Agrawal, Srikant and Thomas 2005, section 6).

A node is a conjunction of one interval for each column that was split. What a split needs, the records of a
class in a smaller interval, is a count of such a conjunction and of the class, and is reconstructed by the
inverse of the columns' matrices. A further split of a column changes its interval and adds no column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import log
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from splu_ref.mechanisms import FloatArray
from splu_ref.randomness import IntArray, UniformSource

from .tables import CLASS, Column, OlapTable, perturbed

DEPTH = 6
EDGES = 32
"""Candidate splits of a column at most, equally far apart."""
SURE = 10.0
"""Standard errors of its estimated count that a leaf must have at least."""
NOISE = 16.0
"""Multiple of the gain that chance alone gives on average, from which a split is believed."""


@dataclass(frozen=True)
class Node:
    """A leaf that says a class, or a split: records with a value below ``edge`` go left."""

    says: int
    column: int = -1
    edge: int = 0
    left: Node | None = None
    right: Node | None = None

    def classes(self, values: IntArray) -> IntArray:
        """Return the class that the tree says of each record; ``values`` has shape (columns, records)."""
        found = np.full(values.shape[1], self.says, dtype=np.int64)
        if self.left is not None and self.right is not None:
            below = values[self.column] < self.edge
            found[below] = self.left.classes(values[:, below])
            found[~below] = self.right.classes(values[:, ~below])
        return found


class Grower:
    """Grows a tree from published records, each column kept with p or drawn anew from its domain.

    Parameters
    ----------
    columns
        The columns, whose domains are where replacements came from.
    values, labels
        Published values, shape (columns, records), and published classes 0 or 1.
    keep
        p, above 0. With p = 1 the counts are those of the rows as they are.
    """

    def __init__(
        self, columns: tuple[Column, ...], values: IntArray, labels: IntArray, keep: Fraction
    ) -> None:
        self._columns, self._values, self._keep = columns, values, float(keep)
        other = (1 - self._keep) / (2 * self._keep)
        self._classes = [(labels == said) / self._keep - other for said in (0, 1)]

    def tree(self) -> Node:
        """Return the tree."""
        return self._node({}, DEPTH)

    def _node(self, region: Mapping[int, tuple[int, int]], depth: int) -> Node:
        weights = {number: self._weight(number, *ends) for number, ends in region.items()}
        every = _product(weights.values(), self._values.shape[1])
        totals = np.array([float((every * each).sum()) for each in self._classes])
        leaf = Node(int(totals[1] > totals[0]))
        if depth == 0:
            return leaf
        best, split = 0.0, None
        for number, column in enumerate(self._columns):
            low, high = region.get(number, (column.least, column.greatest + 1))
            others = _product((w for n, w in weights.items() if n != number), self._values.shape[1])
            for edge, gain in self._gains(number, low, high, others):
                if gain > best:
                    best, split = gain, (number, low, edge, high)
        if split is None:
            return leaf
        number, low, edge, high = split
        left = self._node({**region, number: (low, edge)}, depth - 1)
        right = self._node({**region, number: (edge, high)}, depth - 1)
        return Node(leaf.says, number, edge, left, right)

    def _weight(self, number: int, low: int, high: int) -> FloatArray:
        """Return what each record adds to the count of an interval from ``low`` to below ``high``."""
        inside = (self._values[number] >= low) & (self._values[number] < high)
        share = (high - low) / self._columns[number].size
        return np.asarray(inside / self._keep - (1 - self._keep) * share / self._keep)

    def _gains(self, number: int, low: int, high: int, others: FloatArray) -> list[tuple[int, float]]:
        """Return the information gain, in bits, of each edge that is believed."""
        edges = np.unique(np.linspace(low, high, min(EDGES, high - low) + 1).astype(np.int64))
        if len(edges) < 3:
            return []
        cells = np.searchsorted(edges, self._values[number], side="right")  # 0 and the last are outside
        shares = np.diff(edges) / self._columns[number].size
        lost = (1 - self._keep) / self._keep
        counts, squares = [], []
        for each in self._classes:
            weight = others * each
            found = np.bincount(cells, weights=weight, minlength=len(edges) + 1)[1 : len(edges)]
            counts.append(np.cumsum(found / self._keep - lost * shares * weight.sum()))
            square = np.bincount(cells, weights=weight**2, minlength=len(edges) + 1)[1 : len(edges)]
            beyond = (lost * np.cumsum(shares)) ** 2 * (weight**2).sum()
            squares.append(np.cumsum(square) / self._keep**2 + beyond)
        left, variance = np.array(counts), np.array(squares)
        whole = left[:, -1:]
        right = whole - left
        believed = []
        for place in range(len(edges) - 2):
            sides = np.maximum(np.stack([left[:, place], right[:, place]]), 0.0)
            records = sides.sum()
            error = float(np.sqrt(max(variance[:, place].sum(), 1.0)))
            if records <= 0 or min(sides.sum(axis=1)) < SURE * error:
                continue
            share = sides[:, 1].sum() / records
            if not 0 < share < 1:
                continue
            gain = _entropy(sides.sum(axis=0)) - sum(side.sum() / records * _entropy(side) for side in sides)
            noise = max(float(variance[:, -1].sum()), 1.0) / records**2 / (2 * log(2))
            if gain > NOISE * noise:
                believed.append((int(edges[place + 1]), float(gain)))
        return believed


def _entropy(counts: FloatArray) -> float:
    total = counts.sum()
    shares = counts[counts > 0] / total if total > 0 else counts[:0]
    return float(-(shares * np.log2(shares)).sum())


def _product(weights: Iterable[FloatArray], size: int) -> FloatArray:
    found = np.ones(size)
    for weight in weights:
        found = found * weight
    return found


Learner: TypeAlias = Callable[[IntArray, IntArray], Callable[[IntArray], IntArray]]
"""Learns from values of shape (columns, records) and classes, and returns what it says of other records."""


def accuracies(
    table: OlapTable,
    keep: Fraction,
    runs: int,
    source: UniformSource,
    learners: Mapping[str, Learner] = MappingProxyType({}),
) -> dict[str, list[float]]:
    """Grow trees from releases of 70 % of the records, and judge them on the others, unperturbed.

    Returns
    -------
    dict
        For each run the share of left_out-out records whose class is said right: by the tree from
        ``reconstructed`` counts, from ``perturbed`` rows taken as they are, from the ``original`` rows, and
        by the ``majority`` class; and, by each of ``learners``, from the same perturbed and original rows.
    """
    assert table.labels is not None
    known = np.flatnonzero(table.labels >= 0)
    found: dict[str, list[float]] = {
        name: [] for name in ("reconstructed", "perturbed", "original", "majority")
    }
    found |= {f"{name}, {rows}": [] for name in learners for rows in ("perturbed", "original")}
    one = Fraction(1)
    for _ in range(runs):
        order = known[source.permutation(len(known))]
        left_out, kept = order[: 3 * len(order) // 10], order[3 * len(order) // 10 :]
        values, labels = table.values[:, kept], table.labels[kept]
        seen = np.stack(
            [perturbed(row, column, keep, source) for row, column in zip(values, table.columns, strict=True)]
        )
        derived = perturbed(labels, CLASS, keep, source)
        trees = {
            "reconstructed": Grower(table.columns, seen, derived, keep),
            "perturbed": Grower(table.columns, seen, derived, one),
            "original": Grower(table.columns, values, labels, one),
        }
        true = table.labels[left_out]
        for name, grower in trees.items():
            found[name].append(float((grower.tree().classes(table.values[:, left_out]) == true).mean()))
        for name, learner in learners.items():
            for rows, (given, said) in {"perturbed": (seen, derived), "original": (values, labels)}.items():
                guess = learner(given, said)(table.values[:, left_out])
                found[f"{name}, {rows}"].append(float((guess == true).mean()))
        common = int(2 * labels.sum() > len(labels))
        found["majority"].append(float((true == common).mean()))
    return found
