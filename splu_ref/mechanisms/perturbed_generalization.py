"""Perturbed generalization: one perturbed record of each group of similar records (Chaytor, chapter 2, PG).

Records are grouped by their quasi-identifiers, which are published as the ranges of the group. Of each group
one uniformly chosen record is published, its sensitive value replaced uniformly with probability 1 - p, and
the number of the group's records, which estimates need.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

import narwhals as nw
import numpy as np

from splu_ref.channels import DataError, Exact, ParameterError, PerturbedGroup, integer
from splu_ref.data import Microdata
from splu_ref.mechanisms.group_draws import LARGEST_BOUND
from splu_ref.mechanisms.manifest import Facts
from splu_ref.mechanisms.medians import BETWEEN, OrderedColumns
from splu_ref.mechanisms.record_mechanism import ColumnRelease
from splu_ref.mechanisms.release import PublishingInput, PublishingMechanism, Release
from splu_ref.mechanisms.retention_replacement import digest_of
from splu_ref.randomness import Draws, IntArray

SIZE = "group_size"
"""Name of the published column of group sizes."""
ORDERS = ("number", "text")


@dataclass(frozen=True, init=False)
class PerturbedGeneralization(PublishingMechanism[Release]):
    """Perturbed generalization with its public parameters.

    Parameters
    ----------
    column
        The sensitive column.
    domain
        Declared values of the column as texts, at least two.
    quasi
        The generalized columns, at least one. Columns that are neither generalized nor sensitive are not
        published.
    least
        Smallest group size k, at least 1.
    retention
        Retention probability p, 0 < p < 1. The replacement may equal the true value.
    numbers
        The columns of ``quasi`` that are ordered by size; the others are ordered by code point.

    Raises
    ------
    ParameterError
        If a parameter is out of range, a column is named twice, or a column is named ``group_size``.
    """

    name: ClassVar[str] = "perturbed generalization"

    column: str
    values: tuple[str, ...]
    quasi: tuple[str, ...]
    least: int
    retention: Fraction
    numbers: tuple[str, ...]

    def __init__(
        self,
        column: str,
        domain: Sequence[str],
        quasi: Sequence[str],
        least: Exact,
        retention: Exact,
        *,
        numbers: Collection[str] = (),
    ) -> None:
        if not quasi:
            raise ParameterError("name one or more columns to group by")
        if len({column, SIZE, *quasi}) < len(quasi) + 2:
            raise ParameterError(
                f"the sensitive column {column!r} and those that are generalized, {', '.join(quasi)}, are "
                f"different ones, and none is called {SIZE!r}: name each once"
            )
        if not set(numbers) <= set(quasi):
            raise ParameterError("columns of numbers are some of those that are generalized: name those")
        law = PerturbedGroup.of(retention, len(domain))
        if law.retention.denominator * law.values > LARGEST_BOUND:
            raise ParameterError(
                f"retention = {law.retention} and {law.values} values are too many digits to draw by: write "
                "the retention with fewer, such as 0.3"
            )
        for field, value in (
            ("column", column), ("values", tuple(sorted(domain))), ("quasi", tuple(quasi)),
            ("least", integer(least, "the least group", 1)), ("retention", law.retention),
            ("numbers", tuple(name for name in quasi if name in numbers)),
        ):  # fmt: skip
            object.__setattr__(self, field, value)

    @property
    def law(self) -> PerturbedGroup:
        """The law of a group's published value."""
        return PerturbedGroup(self.retention, len(self.values))

    @property
    def amplification(self) -> Fraction:
        """The amplification of a record's channel, for any knowledge of the other records.

        It holds for an attacker who knows all other records, and for one who takes them as independent.
        """
        return self.law.amplification(self.least)

    def facts(self) -> dict[str, int | str]:
        """Return the retention, k, the generalized columns with their order, and a digest of the domain."""
        orders = [[name, ORDERS[name not in self.numbers]] for name in self.quasi]
        return {
            "retention": str(self.retention),
            "least": self.least,
            "quasi": json.dumps(orders, ensure_ascii=False),
            "domains": digest_of(((self.column, self.values),)),
        }

    @classmethod
    def from_facts(cls, facts: Facts) -> Self:
        """Return the mechanism with the parameters recorded in a manifest."""
        column, values = facts.only_domain()
        orders = _orders(facts.parsed("quasi"))
        mechanism = cls(
            column, values, list(orders), facts.integer("least"), facts.text("retention"),
            numbers=[name for name, order in orders.items() if order == ORDERS[0]],
        )  # fmt: skip
        facts.require_digest(mechanism.facts()["domains"])
        return mechanism

    def groups(self, table: Microdata) -> IntArray:
        """Return the group of each record, from 0, shape (N,), formed by the generalized columns.

        Raises
        ------
        DataError
            If a column is missing, or a column of numbers has another value.
        ParameterError
            If the table has fewer than k records.
        """
        return OrderedColumns(table, self.quasi, self.numbers).groups(self.least)

    @property
    def declared_domains(self) -> dict[str, tuple[str, ...]]:
        """The declared values."""
        return {self.column: self.values}

    def release(self, given: PublishingInput) -> Release:
        """Return the release of a table.

        The release has a row for each group: the generalized columns as texts, ``17`` if all records of the
        group have this value and otherwise a range such as ``17..24``, the sensitive column, and
        ``group_size``. Values of a generalized column that could be read as a range are an error.
        """
        ordered = OrderedColumns(given.table, self.quasi, self.numbers)
        _require_plain(self.quasi, ordered)
        groups = ordered.groups(self.least)
        done = self.publish_groups(given.only(self.column), groups, given.draws_for(self.column))
        chosen = given.table.take(done.rows).with_codes(self.column, done.published, domain_of=given.table)
        frame = nw.from_native(chosen.to_frame(), eager_only=True)
        library = frame.implementation
        ranges = dict(zip(self.quasi, ordered.ranges(groups), strict=True))
        names = [name for name in given.table.columns if name in ranges or name == self.column]
        generalized = [
            nw.new_series(name, cells, nw.String, backend=library).alias(name)
            for name, cells in ranges.items()
        ]
        sizes = nw.new_series(SIZE, np.bincount(groups).tolist(), nw.Int64, backend=library)
        frame = frame.select(names).with_columns(*generalized, sizes)
        return given.release(Microdata.from_frame(frame.to_native()))

    def publish_groups(self, codes: IntArray, groups: IntArray, draws: Draws) -> ColumnRelease:
        """Choose and perturb a record of each group.

        Parameters
        ----------
        codes
            True codes, shape (N,).
        groups
            Group of each record, from 0, none empty, shape (N,).
        draws
            Source of random integers, drawn in this order: the order of the records within each group, of
            which the first is published; then one integer r below w m for each published record, p = u/w in
            lowest terms, m the number of values. If r < u m, the value is retained; otherwise r modulo m is
            the replacement. Nothing is drawn for other records.
        """
        order = draws.order_within(groups)
        starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
        chosen = order[starts]
        values, own = len(self.values), codes[chosen]
        drawn = draws.select_records(chosen).below(self.retention.denominator * values, len(chosen))
        published = np.where(drawn < self.retention.numerator * values, own, drawn % values)
        return ColumnRelease(chosen, published, chosen[:0])


def _require_plain(quasi: Sequence[str], ordered: OrderedColumns) -> None:
    """Raise if a value could be read as a range."""
    for name, domain in zip(quasi, ordered.domains, strict=True):
        for value in domain:
            if BETWEEN in value or value.startswith(".") or value.endswith("."):
                raise DataError(
                    f"column {name!r} holds {value!r}, which could be read as a range: write it without "
                    f"{BETWEEN} and without a dot at its ends"
                )


def _orders(orders: object) -> dict[str, str]:
    if not isinstance(orders, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) and pair[1] in ORDERS
        for pair in orders
    ):
        raise DataError("quasi is not a list of columns, each with its order: ask the publisher")
    by_column: dict[str, str] = dict(orders)
    if len(by_column) < len(orders):
        raise DataError("quasi names a column twice: ask the publisher")
    return by_column
