"""Small-domain randomization: uniform perturbation within a sub-domain for each part (Chaytor, chapter 2).

A part consists of the records with the same values of some public columns. Each part has a declared
sub-domain of m values and the retention probability (G - 1)/(m + G - 1), which gives all parts the same
amplification G.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np

from splu_ref.channels import DataError, Exact, ParameterError, exact, shown
from splu_ref.data import Microdata, text
from splu_ref.mechanisms.group_draws import LARGEST_BOUND
from splu_ref.mechanisms.manifest import Facts
from splu_ref.mechanisms.record_mechanism import ColumnRelease
from splu_ref.mechanisms.release import PublishingInput, PublishingMechanism, Release
from splu_ref.randomness import Draws, IntArray


@dataclass(frozen=True, init=False)
class SmallDomainRandomization(PublishingMechanism[Release]):
    """Small-domain randomization with its public parameters.

    Parameters
    ----------
    column
        The sensitive column.
    by
        The public columns that define the parts, at least one.
    domains
        Declared values of each part as texts, at least two, by the cells of ``by`` in its order.
    amplification
        G, above 1: the largest ratio of a published value's probabilities under two true values of a part.
    shuffled
        Whether the published rows are in a random order: see `RetentionReplacement`.

    Raises
    ------
    ParameterError
        If a parameter is out of range, or the retention of a part has too many digits to draw by.
    """

    name: ClassVar[str] = "small-domain randomization"

    column: str
    by: tuple[str, ...]
    domains: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    """Cells and values of each part, both in code point order."""
    amplification: Fraction
    shuffled: bool

    def __init__(
        self,
        column: str,
        by: Sequence[str],
        domains: Mapping[tuple[str, ...], Sequence[str]],
        amplification: Exact,
        *,
        shuffled: bool = False,
    ) -> None:
        if not by or len({column, *by}) < len(by) + 1:
            raise ParameterError(
                "divide the table by one or more columns that are not sensitive, each named once"
            )
        if not domains:
            raise ParameterError("no part has a sub-domain: declare the values of each")
        ratio = exact(amplification, "amplification")
        if ratio <= 1:
            raise ParameterError(
                f"amplification = {shown(ratio)} keeps no value more often than others: give more than 1"
            )
        for cells, values in domains.items():
            named = ", ".join(cells)
            if len(cells) != len(by):
                raise ParameterError(f"the part {named} has {len(cells)} cells, for {len(by)} columns")
            if len(values) < 2 or len(set(values)) < len(values):
                raise ParameterError(
                    f"the part {named} must have at least two values, each of them once: there is nothing to "
                    "replace by otherwise"
                )
            keep = (ratio - 1) / (len(values) + ratio - 1)
            if keep.denominator * len(values) > LARGEST_BOUND:
                raise ParameterError(
                    f"amplification = {shown(ratio)} has too many digits to draw by: write it with fewer"
                )
        ordered = tuple((cells, tuple(sorted(domains[cells]))) for cells in sorted(domains))
        for field, value in (
            ("column", column), ("by", tuple(by)), ("domains", ordered), ("amplification", ratio),
            ("shuffled", shuffled),
        ):  # fmt: skip
            object.__setattr__(self, field, value)

    @property
    def values(self) -> tuple[str, ...]:
        """The union of the parts' values, in code point order."""
        return tuple(sorted({value for _, domain in self.domains for value in domain}))

    def retention(self, values: int) -> Fraction:
        """Return the retention probability of a part by its number of values."""
        return (self.amplification - 1) / (values + self.amplification - 1)

    def facts(self) -> dict[str, int | str]:
        """Return G, the columns that define the parts, the parts with their values, and the order of rows."""
        return {
            "amplification": str(self.amplification),
            "order": "shuffled" if self.shuffled else "kept",
            "by": json.dumps(self.by, ensure_ascii=False),
            "parts": json.dumps(self.domains, ensure_ascii=False),
        }

    @classmethod
    def from_facts(cls, facts: Facts) -> Self:
        """Return the mechanism with the parameters recorded in a manifest."""
        column, values = facts.only_domain()
        by, parts = _texts(facts.parsed("by")), _parts(facts.parsed("parts"))
        mechanism = cls(column, by, parts, facts.text("amplification"), shuffled=facts.shuffled())
        if tuple(sorted(values)) != mechanism.values:
            raise DataError("the domain does not hold the values of the parts: ask the publisher")
        return mechanism

    def parts(self, table: Microdata) -> IntArray:
        """Return the part of each record, an index into `domains`, shape (N,).

        Raises
        ------
        DataError
            If a column is missing, or a record belongs to no part.
        """
        places = {cells: place for place, (cells, _) in enumerate(self.domains)}
        rows = list(zip(*(table.cells(name) for name in self.by), strict=True))
        for number, cells in enumerate(rows):
            if cells not in places:
                part = ", ".join(f"{name} = {cell!r}" for name, cell in zip(self.by, cells, strict=True))
                raise DataError(
                    f"row {number + 1} is of the part {part}, which has no sub-domain: declare its values"
                )
        return np.fromiter((places[cells] for cells in rows), dtype=np.int64, count=len(rows))

    @property
    def declared_domains(self) -> dict[str, tuple[str, ...]]:
        """The values of all parts."""
        return {self.column: self.values}

    def release(self, given: PublishingInput) -> Release:
        """Return the release of a table.

        A value outside the sub-domain of its part is a ``DataError``, too.
        """
        codes = given.only(self.column)
        parts, domains = self.require_inside(given.table)
        done = self.publish_parts(codes, parts, domains, given.draws_for(self.column))
        published = given.table.take(done.rows).with_codes(self.column, done.published, domain_of=given.table)
        return given.release(published)

    def coded(self, domain: Sequence[str]) -> list[IntArray]:
        """Return the codes of each part's values in a domain, ascending."""
        places = {value: place for place, value in enumerate(domain)}
        return [np.array(sorted(places[value] for value in values)) for _, values in self.domains]

    def publish_parts(
        self, codes: IntArray, parts: IntArray, domains: Sequence[IntArray], draws: Draws
    ) -> ColumnRelease:
        """Perturb each record within the sub-domain of its part.

        Parameters
        ----------
        codes
            True codes, shape (N,), each in its part's sub-domain.
        parts
            The part of each record, shape (N,).
        domains
            The codes of each part's values, ascending.
        draws
            Source of random integers: for each part in order one integer r below w m for each of its records,
            p = u/w in lowest terms, m the number of the part's values. If r < u m, the value is retained;
            otherwise r modulo m is the index of the replacement. A permutation of the rows is drawn last.
        """
        published = np.empty_like(codes)
        for place, domain in enumerate(domains):
            records = np.flatnonzero(parts == place)
            if len(records):
                keep, size = self.retention(len(domain)), len(domain)
                drawn = draws.select_records(records).below(keep.denominator * size, len(records))
                kept = drawn < keep.numerator * size
                published[records] = np.where(kept, codes[records], domain[drawn % size])
        rows = np.arange(len(codes), dtype=np.int64)
        if self.shuffled:
            rows = draws.permutation(len(rows))
        return ColumnRelease(rows, published[rows], rows[:0])

    def require_inside(self, table: Microdata) -> tuple[IntArray, list[IntArray]]:
        """Return the part of each record and the codes of each part's values, if all records are valid.

        Parameters
        ----------
        table
            The original, whose sensitive column has all `values` as its domain.

        Raises
        ------
        DataError
            For the first record that belongs to no part, or whose value is not in the sub-domain of its part.
        """
        values, codes = tuple(map(text, table.domain(self.column))), table.codes(self.column)
        parts, domains = self.parts(table), self.coded(values)
        allowed = np.zeros((len(domains), len(values)), dtype=np.bool_)
        for place, domain in enumerate(domains):
            allowed[place, domain] = True
        outside = np.flatnonzero(~allowed[parts, codes])
        if len(outside):
            row = int(outside[0])
            named = ", ".join(self.domains[parts[row]][0])
            raise DataError(
                f"column {self.column!r} holds {values[int(codes[row])]!r} in row {row + 1}, which the "
                f"sub-domain of its part {named} lacks: add it, or drop the row"
            )
        return parts, domains


def _parts(parts: object) -> dict[tuple[str, ...], tuple[str, ...]]:
    if not isinstance(parts, list) or not all(isinstance(part, list) and len(part) == 2 for part in parts):
        raise DataError("parts is not a list of cells and values: ask the publisher")
    domains = {_texts(cells): _texts(values) for cells, values in parts}
    if len(domains) < len(parts):
        raise DataError("parts names a part twice: ask the publisher")
    return domains


def _texts(entries: object) -> tuple[str, ...]:
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise DataError("by or parts does not hold texts: ask the publisher")
    return tuple(entries)
