"""Expected width of the 95 % intervals of a cross-table, before anything is published.

For SPLU-Gen by simulation: the table is published several times by a fixed seed, and cells are estimated as
an analyst would. Of a large cross-table each release answers other cells, chosen with probabilities
proportional to the standard deviation of their published counts, so that the variation between releases
contains that between cells.

For retention replacement from its law: y of n records are published with the value, by its x records with
probability a = p + (1-p)/m and by the others with b = (1-p)/m, so that (y - n b)/p has the mean x and the
variance (x a (1-a) + (n-x) b (1-b))/p^2. The interval of the exact test is wider than the normal one by about
half a step 1/p on either side.

A value with nearly N/gamma records is published for other records as often as for its own (p - a is near 0,
claim splu.Cc), so that its intervals reach from 0 to all records of the predicate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from statistics import fmean, stdev

import numpy as np
from scipy.special import ndtri

from splu_ref.audit.advice.verdict import retention_at
from splu_ref.channels import DataError, ParameterError
from splu_ref.data import Microdata, text
from splu_ref.estimators import Query, QueryEstimator
from splu_ref.mechanisms import FloatArray, SpluGen
from splu_ref.randomness import IntArray, SeededSource

FEWEST, MOST, PRECISION = 2, 10, 0.02
"""Number of simulated releases, and the relative Monte Carlo error of mean widths that is small enough."""
CELLS = 200
"""Largest number of cells of a cross-table that are estimated from one release."""
MOST_CELLS, MOST_ROWS = 5_000, 200_000
"""Largest number of cells of a table, and of records of a table for which means are computed unless named."""
TABLES, LEAST_RECORDS = 2, 10
"""Number of cross-tables if none is named, and their least mean number of records of a predicate."""
_GOLDEN = (sqrt(5) - 1) / 2
_NORMAL_95 = 1.959963984540054
_POINTS = ndtri((np.arange(200) + 0.5) / 200)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedWidth:
    """What estimates of the cells of a cross-table are worth under one mechanism; means over the cells."""

    mechanism: SpluGen | None  #: SPLU-Gen; None for retention replacement
    #: p, and the probability that a published value is the record's true value: p of SPLU-Gen, and p +
    #: (1-p)/m of retention replacement in a domain of m values
    retention: Fraction
    true_value: Fraction  #: see ``retention``
    releases: int  #: number of simulated releases; 0 if widths follow from the law
    #: mean width of the 95 % intervals, and its Monte Carlo standard error
    width: float
    width_error: float  #: see ``width``
    from_zero: float  #: mean number of intervals that start at 0, and that reach all records of the predicate
    to_all: float  #: see ``from_zero``
    #: median over the cells of the standard error of the estimate that rests on the cell alone, without any
    #: assumption on other cells (``exact``, and of retention replacement the inversion)
    standard_error: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossTable:
    """The cells of a cross-table with their true counts."""

    columns: tuple[str, ...]  #: its columns, the sensitive one last
    counts: IntArray  #: True counts by predicate and sensitive value, shape (predicates, values)
    predicates: tuple[tuple[str, ...], ...]  #: the values of the other columns of each predicate
    values: tuple[str, ...]  #: the sensitive values

    @classmethod
    def of(cls, table: Microdata, sensitive: str, by: Sequence[str]) -> CrossTable:
        """Return the cross-table of a sensitive column by others; empty cells of these are left out.

        Raises
        ------
        DataError
            If a column does not exist, or the table would have more than 5,000 cells.
        """
        values = tuple(map(text, table.domain(sensitive)))
        keys = list(zip(*(table.cells(name) for name in by), strict=True))
        places = {key: place for place, key in enumerate(sorted(key for key in set(keys) if all(key)))}
        if len(places) * len(values) > MOST_CELLS:
            raise DataError(
                f"the table of {', '.join((*by, sensitive))} has {len(places) * len(values)} cells, more "
                f"than {MOST_CELLS}: name columns with fewer values"
            )
        rows = np.array([places.get(key, -1) for key in keys])
        pairs = rows * len(values) + table.codes(sensitive)
        counts = np.bincount(pairs[rows >= 0], minlength=len(places) * len(values))
        return cls(
            columns=(*by, sensitive),
            counts=counts.reshape(len(places), len(values)),
            predicates=tuple(places),
            values=values,
        )

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.counts.size

    def sample(self, published: Microdata, trial: int) -> tuple[list[Query], FloatArray]:
        """Return queries for at most 200 cells, others by trial, and the weight of each in a mean of cells.

        Cells of a predicate that the published table lacks are left out. Of more than 200 cells those at
        equal distances of the sum of their sizes, a size being about the standard deviation of the published
        count.
        """
        *by, sensitive = self.columns
        present = set(zip(*(published.cells(name) for name in by), strict=True))
        rows = [place for place, predicate in enumerate(self.predicates) if predicate in present]
        counts = self.counts[rows]
        taken, size, order = min(CELLS, counts.size), np.ones(counts.size), np.arange(counts.size)
        if taken < counts.size:
            shares = counts.sum(axis=1, keepdims=True) / counts.sum()
            size = np.sqrt(counts + shares * counts.sum(axis=0) + 1).ravel()
            order = np.lexsort((size, counts.ravel()))  # neighbors are alike
        step = size.sum() / taken
        ends = (np.arange(taken) + trial * _GOLDEN % 1) * step
        places = order[np.searchsorted(np.cumsum(size[order]), ends, side="right")]
        queries = []
        for place in places.tolist():
            row, value = divmod(place, len(self.values))
            predicate = zip(by, self.predicates[rows[row]], strict=True)
            queries.append(Query.of({**dict(predicate), sensitive: self.values[value]}))
        return queries, step / size[places] / counts.size

    def under_retention(self, chance: Fraction) -> ExpectedWidth | None:
        """Return the expected widths under retention replacement that shows true values with ``chance``.

        None if such a release is independent of the table.
        """
        keep = retention_at(len(self.values), chance)
        if keep is None:
            return None
        p, b = float(keep), float((1 - keep) / len(self.values))
        n = self.counts.sum(axis=1, keepdims=True)
        error = np.sqrt(self.counts * (p + b) * (1 - p - b) + (n - self.counts) * b * (1 - b)) / p
        half = _NORMAL_95 * error + (1 / p - 1) / 2
        seen = self.counts[..., None] + error[..., None] * _POINTS
        low, high = (np.clip(seen + sign * half[..., None], 0, n[..., None]) for sign in (-1, 1))
        return ExpectedWidth(
            mechanism=None,
            retention=keep,
            true_value=chance,
            releases=0,
            width=float((high - low).mean()),
            width_error=0.0,
            from_zero=float((low <= 0).mean() * self.cells),
            to_all=float((high >= n[..., None]).mean() * self.cells),
            standard_error=float(np.median(error)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TableWidths:
    """Expected widths for one cross-table."""

    table: CrossTable  #: the cross-table
    #: one for each mechanism, then those of retention replacement that shows true values as often
    widths: tuple[ExpectedWidth, ...]


def default_tables(table: Microdata, sensitive: str, but: Sequence[str] = ()) -> list[tuple[str, ...]]:
    """Return cross-tables of the sensitive column by each of the two others with the fewest values.

    Columns named by ``but``, such as other sensitive ones, are left out. None for a table of more than
    200,000 records, and none with more than 5,000 cells or fewer than 10 records for each value of the other
    column.
    """
    if table.row_count > MOST_ROWS:
        return []
    sizes = {
        name: len(set(table.cells(name)) - {""}) for name in table.columns if name not in (sensitive, *but)
    }
    few = sorted((size, name) for name, size in sizes.items() if size > 1)
    most = min(MOST_CELLS // len(table.domain(sensitive)), table.row_count // LEAST_RECORDS)
    return [(name,) for size, name in few[:TABLES] if size <= most]


def expected_widths(
    table: Microdata,
    sensitive: str,
    tables: Sequence[Sequence[str]],
    mechanisms: Sequence[SpluGen],
    *,
    releases: int | None = None,
) -> list[TableWidths]:
    """Return the expected widths of 95 % intervals for the cells of cross-tables.

    Parameters
    ----------
    table
        The original table.
    sensitive
        The sensitive column.
    tables
        For each cross-table its other columns.
    mechanisms
        SPLU-Gen with a feasible gamma, by law of draws.
    releases
        Number of simulated releases of each mechanism, at least 2; by default 2 to 10, until the Monte Carlo
        error of each mean width is at most 2 %.

    Raises
    ------
    DataError
        If a column does not exist, or a cross-table has more than 5,000 cells.
    ParameterError
        For fewer than 2 releases.
    """
    if releases is not None and releases < 2:
        raise ParameterError("the Monte Carlo error needs at least 2 releases: give more")
    crossed = [CrossTable.of(table, sensitive, by) for by in tables]
    part = table.select(list(dict.fromkeys(name for each in crossed for name in each.columns)))
    widths: list[list[ExpectedWidth]] = [[] for _ in crossed]
    for mechanism in mechanisms if crossed else ():
        samples: list[list[_Sample]] = [[] for _ in crossed]
        found: list[ExpectedWidth] = []
        for trial in range(MOST if releases is None else releases):
            source = SeededSource(f"expected widths {trial}".encode())
            release = mechanism.publish(part, [sensitive], source)
            estimator = QueryEstimator(release.table, [sensitive], mechanism, domains=release.domains)
            for place, each in enumerate(crossed):
                samples[place].append(_Sample.of(estimator, *each.sample(release.table, trial)))
            if trial + 1 < FEWEST:
                continue
            found = [_mean(mechanism, crossed[place].cells, some) for place, some in enumerate(samples)]
            if releases is None and all(each.width_error <= PRECISION * each.width for each in found):
                break
        for place, mean in enumerate(found):
            widths[place].append(mean)
    for chance in dict.fromkeys(mechanism.retention for mechanism in mechanisms):
        for place, each in enumerate(crossed):
            retained = each.under_retention(chance)
            widths[place] += [] if retained is None else [retained]
    return [TableWidths(table=each, widths=tuple(found)) for each, found in zip(crossed, widths, strict=True)]


@dataclass(frozen=True, slots=True)
class _Sample:
    """Means over cells of one simulated release."""

    width: float
    from_zero: float
    to_all: float
    standard_error: float

    @classmethod
    def of(cls, estimator: QueryEstimator, queries: Sequence[Query], weights: FloatArray) -> _Sample:
        answers = estimator.estimate(queries, None)
        ends = np.array([answer.interval or (0, 0) for answer in answers], dtype=np.float64)
        most = np.array([answer.predicate_count for answer in answers])
        errors = np.nan_to_num([one.known_error for one in estimator.estimate(queries, "exact")])
        order, shares = np.argsort(errors), weights / weights.sum()
        middle = np.searchsorted(np.cumsum(shares[order]), (0.5 - 1e-9, 0.5 + 1e-9))
        return cls(
            width=float(weights @ (ends[:, 1] - ends[:, 0])),
            from_zero=float(shares @ (ends[:, 0] <= 0)),
            to_all=float(shares @ (ends[:, 1] >= most)),
            standard_error=float(errors[order[middle]].mean()),
        )


def _mean(mechanism: SpluGen, cells: int, samples: Sequence[_Sample]) -> ExpectedWidth:
    return ExpectedWidth(
        mechanism=mechanism,
        retention=mechanism.retention,
        true_value=mechanism.retention,
        releases=len(samples),
        width=fmean(each.width for each in samples),
        width_error=stdev(each.width for each in samples) / sqrt(len(samples)),
        from_zero=cells * fmean(each.from_zero for each in samples),
        to_all=cells * fmean(each.to_all for each in samples),
        standard_error=fmean(each.standard_error for each in samples),
    )
