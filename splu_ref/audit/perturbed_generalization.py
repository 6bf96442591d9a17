"""Perturbed generalization: one perturbed record of each group of alike ones (Chaytor, chapter 2, on PG).

Every sensitive value is perturbed uniformly; records are grouped by their other columns, which are published
as ranges; of each group one record is published, chosen uniformly, with the group's size. What this promises,
and what it loses against publishing every perturbed record with its own columns, exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from splu_ref.channels import Channel
from splu_ref.estimators.queries.counting import Columns
from splu_ref.estimators.queries.limits import number
from splu_ref.model import Exact, ParameterError, probability, whole
from splu_ref.randomness import IntArray


def median_groups(columns: Columns, quasi: Sequence[str], least: int) -> IntArray:
    """Return the group of each record, from 0, by cuts at medians of the columns alone, shape (N,).

    Parameters
    ----------
    columns
        Of the table.
    quasi
        The columns that are generalized, at least one. Numbers are ordered by size, texts by code point.
    least
        k: a group is cut while both halves have so many records.

    Notes
    -----
    Strict multidimensional partitioning (LeFevre, DeWitt and Ramakrishnan 2006): the column of the widest
    range, as a share of its whole range, is cut first, the first of several; records that agree in it stay
    together. No sensitive value is looked at, so that groups tell nothing of one.
    """
    if not quasi:
        raise ParameterError("name one or more columns to group by")
    size = whole(least, "the least group", 1)
    if columns.rows < size:
        raise ParameterError(f"{columns.rows} records make no group of {size}: give a smaller one")
    ranks = np.stack([_ranks(columns, name) for name in quasi])
    spans = np.maximum(ranks.max(axis=1), 1)
    groups = np.zeros(columns.rows, dtype=np.int64)
    waiting, made = [np.arange(columns.rows)], 0
    while waiting:
        rows = waiting.pop()
        halves = _cut(ranks[:, rows], spans, size)
        if halves is None:
            groups[rows] = made
            made += 1
        else:
            waiting += [rows[~halves], rows[halves]]
    return groups


def _ranks(columns: Columns, name: str) -> IntArray:
    """Return each record's place among the column's values in their order."""
    domain, codes = columns[name]
    numbers = [number(value) for value in domain]
    known = [each for each in numbers if each is not None]
    if len(known) == len(domain):
        order = sorted(range(len(domain)), key=lambda place: known[place])
    else:
        order = sorted(range(len(domain)), key=lambda place: domain[place])
    ranks = np.empty(len(domain), dtype=np.int64)
    ranks[order] = np.arange(len(domain))
    return ranks[codes]


def _cut(
    ranks: IntArray, spans: IntArray, least: int
) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]] | None:
    """Return which records of a group are in its lower half, or None if it cannot be cut."""
    if ranks.shape[1] < 2 * least:
        return None
    widths = (ranks.max(axis=1) - ranks.min(axis=1)) / spans
    for column in np.argsort(-widths, kind="stable"):
        values = np.sort(ranks[column])
        middle = values[len(values) // 2]
        for lower in (ranks[column] < middle, ranks[column] <= middle):
            below = int(np.count_nonzero(lower))
            if least <= below <= len(values) - least:
                return np.asarray(lower, dtype=np.bool_)
    return None


@dataclass(frozen=True, slots=True)
class PerturbedGeneralization:
    """The mechanism as a value.

    Attributes
    ----------
    retention
        p, greater than 0 and less than 1: of uniform perturbation.
    values
        m, number of values of the declared domain, at least 2.
    """

    retention: Fraction
    values: int

    @classmethod
    def of(cls, retention: Exact, values: int) -> PerturbedGeneralization:
        """Return the mechanism, with its parameters checked."""
        keep = probability(retention, "retention")
        if keep in (0, 1):
            raise ParameterError("retention must be greater than 0 and less than 1")
        return cls(keep, whole(values, "the number of values", 2))

    @classmethod
    def at_level(cls, amplification: Exact, values: int, size: int) -> PerturbedGeneralization:
        """Return the mechanism of this `amplification`, above 1, in groups of ``size``."""
        odds = (Fraction(amplification) - 1) * size
        return cls.of(odds / (values + odds), values)

    @property
    def stray(self) -> Fraction:
        """(1-p)/m, the chance of a value that no record of the group has."""
        return (1 - self.retention) / self.values

    def published(self, counts: Mapping[str, int], value: str) -> Fraction:
        """Return the chance that a group with these counts is published with a value."""
        return self.retention * counts.get(value, 0) / sum(counts.values()) + self.stray

    def member(self, others: Mapping[str, int], domain: Sequence[str]) -> Channel[str, str]:
        """Return the law of what a group shows, by one member's value, for who knows all others.

        Parameters
        ----------
        others
            How many of the other members have each value.
        domain
            All values, as many as declared.
        """
        if len(domain) != self.values:
            raise ParameterError(f"the domain has {len(domain)} values, and {self.values} were declared")
        return Channel(
            {
                own: {
                    shown: self.published({**others, own: others.get(own, 0) + 1}, shown) for shown in domain
                }
                for own in domain
            },
            tuple(domain),
        )

    def amplification(self, size: int) -> Fraction:
        """Return the largest ratio of chances for a member of a group of ``size`` whose others are all known.

        It is 1 + p m / (k (1-p)), for a value that none of the others has; with k = 1 that of uniform
        perturbation.
        """
        return 1 + self.retention / (whole(size, "the group's size", 1) * self.stray)

    def variance(self, counts: IntArray, sizes: IntArray) -> Fraction:
        """Return the variance of the estimated count of a value, by counts and sizes of the groups."""
        total = Fraction(0)
        for (count, size), times in _paired(counts, sizes).items():
            shown = self.retention * count / size + self.stray
            total += times * size * size * shown * (1 - shown)
        return total / self.retention**2

    def variance_of_all(self, count: int, records: int) -> Fraction:
        """Return the variance if every perturbed record is published: uniform perturbation's."""
        own = self.retention + self.stray
        spread = count * own * (1 - own) + (records - count) * self.stray * (1 - self.stray)
        return spread / self.retention**2


def _paired(counts: IntArray, sizes: IntArray) -> dict[tuple[int, int], int]:
    pairs, times = np.unique(np.stack([counts, sizes]), axis=1, return_counts=True)
    return {
        (int(count), int(size)): int(number) for (count, size), number in zip(pairs.T, times, strict=True)
    }


def followed(sizes: IntArray) -> Fraction:
    """Return the expected share of people who are published in both of two releases with these groups."""
    each = [
        (int(size), int(times)) for size, times in zip(*np.unique(sizes, return_counts=True), strict=True)
    ]
    records = sum(size * times for size, times in each)
    return sum((Fraction(times, size) for size, times in each), Fraction(0)) / records


def spread_evenly(groups: IntArray, satisfied: IntArray, has: IntArray) -> Fraction:
    """Return the mean of the estimate of a predicate and a value together, if a group's are spread evenly.

    Parameters
    ----------
    groups
        Of each record.
    satisfied, has
        Whether each record satisfies the predicate, and has the value, as 0 and 1. The true count is the sum
        of their products; the difference is the bias, 0 if every group is within the predicate or outside.
    """
    sizes = np.bincount(groups)
    inside = np.bincount(groups, weights=satisfied).astype(np.int64)
    counts = np.bincount(groups, weights=has).astype(np.int64)
    each = zip(inside.tolist(), counts.tolist(), sizes.tolist(), strict=True)
    return sum((Fraction(part * count, size) for part, count, size in each), Fraction(0))
