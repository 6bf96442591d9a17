"""Small-domain randomization: a sensitive domain of its own for each part of a table (Chaytor, chapter 2).

Each part is perturbed uniformly within its sub-domain, with the retention that the levels of a breach allow
there. A smaller domain allows a larger one. Whoever believes in values of the sub-domain alone learns no more
than the levels say. Whoever believes in the whole domain learns from the sub-domain too, which is public: the
values that it lacks are ruled out before a record is seen.
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
    """A part of the table and its sub-domain.

    Attributes
    ----------
    cells
        What its records share, by column.
    counts
        Records of each value of the sub-domain, also of those that none has.
    retention
        Of uniform perturbation within the sub-domain: the limit that the levels allow.
    """

    cells: Mapping[str, str]
    counts: Mapping[str, int]
    retention: Fraction

    @property
    def records(self) -> int:
        """Number of records of the part."""
        return sum(self.counts.values())

    @property
    def stray(self) -> Fraction:
        """The chance that a record is published with a given other value."""
        return (1 - self.retention) / len(self.counts)

    @property
    def kept(self) -> Fraction:
        """The chance that a record is published with its own value."""
        return self.retention + self.stray

    def variance(self, count: int) -> Fraction:
        """Return the variance of the estimated count of a value that so many records of the part have."""
        own, other = self.kept, self.stray
        return (count * own * (1 - own) + (self.records - count) * other * (1 - other)) / self.retention**2


@dataclass(frozen=True, slots=True)
class SmallDomains:
    """A table in parts, and the same table with one domain.

    Attributes
    ----------
    levels
        Of the breaches that are to be prevented.
    parts
        In the order of their cells.
    one
        The table as one part with the whole domain.
    """

    levels: Levels
    parts: tuple[Part, ...]
    one: Part

    @classmethod
    def of(
        cls,
        columns: Columns,
        by: Sequence[str],
        sensitive: str,
        levels: Levels,
        domains: Mapping[tuple[str, ...], Collection[str]] | None = None,
    ) -> SmallDomains:
        """Divide a table.

        Parameters
        ----------
        columns
            Of the table.
        by
            Columns that are not sensitive, at least one: a part for each combination of their cells.
        sensitive
            The column that is perturbed.
        levels
            rho1 and rho2.
        domains
            The declared sub-domain of each part, by its cells in the order of ``by``. Without, the values
            that occur in the part: these are facts of the data, and tell who is not in it.

        Raises
        ------
        ParameterError
            If ``by`` is empty or names the sensitive column, or a part has no declared sub-domain.
        DataError
            If a sub-domain has fewer than two values, or lacks one that occurs.
        """
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
        """The share of records that is expected to be published with the own value."""
        return sum((part.records * part.kept for part in self.parts), Fraction(0)) / self.one.records

    def variances(self, value: str) -> tuple[Fraction, Fraction]:
        """Return the variance of the estimated count of a value: in parts, and with one domain."""
        if value not in self.one.counts:
            raise ParameterError(f"the column has no value {value!r}: check its spelling")
        parts = [part.variance(part.counts[value]) for part in self.parts if value in part.counts]
        return sum(parts, Fraction(0)), self.one.variance(self.one.counts[value])

    @property
    def within(self) -> Fraction:
        """The largest posterior of what is believed with rho1, if values of the sub-domain are: rho2."""
        amplification = max(part.kept / part.stray for part in self.parts)
        return amplification * self.levels.rho1 / (amplification * self.levels.rho1 + 1 - self.levels.rho1)

    def beyond(self, rho1: Exact | None = None) -> tuple[Fraction, Part | None, str | None]:
        """Return the largest posterior for who believes in the shares of the whole table, before the part.

        Parameters
        ----------
        rho1
            Values that are believed with at most this are attacked; that of the levels unless given.

        Returns
        -------
        tuple
            The posterior of a single value, the part, and the value: 0 and None if every value is believed
            with more than rho1.
        """
        low = self.levels.rho1 if rho1 is None else probability(rho1, "rho1")
        worst: tuple[Fraction, Part | None, str | None] = (Fraction(0), None, None)
        for part in self.parts:
            believed = sum(self.one.counts[value] for value in part.counts)
            for value in part.counts:
                count = self.one.counts[value]
                if count <= low * self.one.records:
                    seen = count * part.kept + (believed - count) * part.stray
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
