"""Small-domain randomization: a separate sensitive domain for each part of a table (Chaytor, chapter 2).

Each part is perturbed uniformly within its sub-domain, with the largest retention probability that the levels
of a breach allow; it is larger for smaller domains. The levels bound the posterior for priors on the
sub-domain. For priors on the whole domain an observer also learns from the public sub-domain, which rules out
values before a record is published.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from splu_ref.channels import DataError, Exact, Levels, ParameterError, probability
from splu_ref.estimators import Columns


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the table and its sub-domain."""

    cells: Mapping[str, str]  # the cells that its records share, by column
    counts: Mapping[str, int]  # number of records by value of the sub-domain, including zeros
    retention: Fraction  # retention probability of the uniform perturbation: the limit that the levels allow

    @property
    def records(self) -> int:
        """Number of records of the part."""
        return sum(self.counts.values())

    @property
    def other_share(self) -> Fraction:
        """Probability that a record is published with a given other value."""
        return (1 - self.retention) / len(self.counts)

    @property
    def kept(self) -> Fraction:
        """Probability that a record is published with its true value."""
        return self.retention + self.other_share

    def variance(self, count: int) -> Fraction:
        """Return the variance of the estimated count of a value with ``count`` records in the part."""
        own, other = self.kept, self.other_share
        return (count * own * (1 - own) + (self.records - count) * other * (1 - other)) / self.retention**2


@dataclass(frozen=True, slots=True)
class SmallDomains:
    """A table in parts, and the same table with one domain."""

    levels: Levels  # levels of the breaches to be prevented
    parts: tuple[Part, ...]  # in the order of their cells
    one: Part  # the table as one part with the whole domain

    @classmethod
    def of(
        cls,
        columns: Columns,
        by: Sequence[str],
        sensitive: str,
        levels: Levels,
        domains: Mapping[tuple[str, ...], Collection[str]] | None = None,
    ) -> SmallDomains:
        """Divide a table."""
        if not by or sensitive in by:
            raise ParameterError("divide the table by one or more columns that are not sensitive")
        numbers = columns.groups(by)
        domain, codes = columns[sensitive]
        table = np.zeros((int(numbers.max()) + 1, len(domain)), dtype=np.int64)
        np.add.at(table, (numbers, codes), 1)
        _, first = np.unique(numbers, return_index=True)
        parts = []
        for row, place in zip(table.tolist(), first.tolist(), strict=True):
            cells = {name: columns[name].domain[columns[name].codes[place]] for name in by}
            counts = {value: count for value, count in zip(domain, row, strict=True) if count}
            parts.append(_part(cells, _declared(cells, counts, domains), levels))
        whole = dict(zip(domain, table.sum(axis=0).tolist(), strict=True))
        whole |= {value: 0 for part in parts for value in part.counts if value not in whole}
        return cls(levels, tuple(parts), _part({}, whole, levels))

    @property
    def kept(self) -> Fraction:
        """Expected share of records that are published with the true value."""
        return sum((part.records * part.kept for part in self.parts), Fraction(0)) / self.one.records

    def variances(self, value: str) -> tuple[Fraction, Fraction]:
        """Return the variance of the estimated count of a value: in parts, and with one domain."""
        if value not in self.one.counts:
            raise ParameterError(f"the column has no value {value!r}: check its spelling")
        parts = [part.variance(part.counts[value]) for part in self.parts if value in part.counts]
        return sum(parts, Fraction(0)), self.one.variance(self.one.counts[value])

    @property
    def within(self) -> Fraction:
        """The largest posterior for a prior of at most rho1 on the sub-domain: rho2."""
        amplification = max(part.kept / part.other_share for part in self.parts)
        return amplification * self.levels.rho1 / (amplification * self.levels.rho1 + 1 - self.levels.rho1)

    def beyond(self, rho1: Exact | None = None) -> tuple[Fraction, Part | None, str | None]:
        """Return the largest posterior for the prior of the whole table's shares."""
        low = self.levels.rho1 if rho1 is None else probability(rho1, "rho1")
        worst: tuple[Fraction, Part | None, str | None] = (Fraction(0), None, None)
        for part in self.parts:
            believed = sum(self.one.counts[value] for value in part.counts)
            for value in part.counts:
                count = self.one.counts[value]
                if count <= low * self.one.records:
                    seen = count * part.kept + (believed - count) * part.other_share
                    if seen and count * part.kept / seen > worst[0]:
                        worst = (count * part.kept / seen, part, value)
        return worst


def _declared(
    cells: Mapping[str, str],
    counts: Mapping[str, int],
    domains: Mapping[tuple[str, ...], Collection[str]] | None,
) -> Mapping[str, int]:
    if domains is None:
        return counts
    key = tuple(cells.values())
    if key not in domains:
        raise ParameterError(f"the part {', '.join(key)} has no sub-domain: declare its values")
    missing = [value for value in counts if value not in domains[key]]
    if missing:
        raise DataError(f"the part {', '.join(key)} holds {missing[0]!r}, which its sub-domain lacks")
    return {value: counts.get(value, 0) for value in domains[key]}


def _part(cells: Mapping[str, str], counts: Mapping[str, int], levels: Levels) -> Part:
    if len(counts) < 2:
        named = ", ".join(cells.values()) or "the table"
        raise DataError(f"{named} has a sub-domain of fewer than two values: there is nothing to replace by")
    return Part(cells, counts, levels.retention_limit(len(counts)))
