"""Perturbed generalization: one perturbed record of each group of alike ones (Chaytor, chapter 2, on PG).

Records are grouped by other columns than the sensitive one, which are published as ranges that cover exactly
the group's records. Of each group one record is published, chosen uniformly, its sensitive value perturbed
uniformly, with the number of the group's records: without these nothing could be estimated.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

import narwhals as nw
import numpy as np
from narwhals.typing import IntoDataFrame

from splu_ref.channels import DataError, Exact, ParameterError, PerturbedGroup, whole
from splu_ref.data import Microdata
from splu_ref.mechanisms.group_draws import LARGEST_BOUND
from splu_ref.mechanisms.manifest import Facts
from splu_ref.mechanisms.medians import BETWEEN, OrderedColumns
from splu_ref.mechanisms.release import ColumnRelease, Given, Release
from splu_ref.mechanisms.retention_replacement import digest_of
from splu_ref.randomness import Draws, IntArray, Randomness

SIZE = "group_size"
"""The column of the release that tells how many records the group of a row has."""
ORDERS = ("number", "text")


@dataclass(frozen=True, init=False)
class PerturbedGeneralization:
    """The mechanism as a value.

    Parameters
    ----------
    column
        The sensitive column.
    domain
        All its values as texts, at least two, declared and not taken from the table.
    quasi
        The columns that are generalized, at least one. Those that are neither these nor the sensitive one are
        not published.
    least
        k, the records of the smallest group, at least 1.
    retention
        Probability p of keeping the value, greater than 0 and less than 1. The replacement may be the own
        value again.
    numbers
        Those of ``quasi`` that are ordered by size; others are ordered by code point.

    Raises
    ------
    ParameterError
        If a parameter is out of its range, or a column is named twice, as sensitive and as generalized, or
        ``group_size``, which the release has of its own.
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
            ("least", whole(least, "the least group", 1)), ("retention", law.retention),
            ("numbers", tuple(name for name in quasi if name in numbers)),
        ):  # fmt: skip
            object.__setattr__(self, field, value)

    @property
    def law(self) -> PerturbedGroup:
        """The law of what is published of a group."""
        return PerturbedGroup(self.retention, len(self.values))

    @property
    def amplification(self) -> Fraction:
        """The largest ratio of chances for a record, for who knows all others or thinks them independent."""
        return self.law.amplification(self.least)

    def facts(self) -> dict[str, int | str]:
        """Return the retention, k, the columns that are generalized with their order, and a digest."""
        orders = [[name, ORDERS[name not in self.numbers]] for name in self.quasi]
        return {
            "retention": str(self.retention),
            "least": self.least,
            "quasi": json.dumps(orders, ensure_ascii=False),
            "domains": digest_of(((self.column, self.values),)),
        }

    @classmethod
    def from_facts(cls, facts: Facts) -> Self:
        """Return the mechanism of which a manifest tells these parameters."""
        domains = facts.domains()
        if len(domains) != 1:
            raise DataError("perturbed generalization has one sensitive column: ask the publisher")
        [(column, values)] = domains.items()
        orders = _told_orders(facts.text("quasi"))
        mechanism = cls(
            column, values, list(orders), facts.whole("least"), facts.text("retention"),
            numbers=[name for name, order in orders.items() if order == ORDERS[0]],
        )  # fmt: skip
        if facts.text("domains") != mechanism.facts()["domains"]:
            raise DataError("domains is not the digest of the domains: ask the publisher")
        return mechanism

    def groups(self, table: Microdata) -> IntArray:
        """Return the group of each record, from 0, shape (N,): by the generalized columns alone.

        Raises
        ------
        DataError
            If a column is missing, or one of numbers holds something else.
        ParameterError
            If the table has fewer than k records.
        """
        return OrderedColumns(table, self.quasi, self.numbers).groups(self.least)

    def publish(
        self,
        table: Microdata | IntoDataFrame | str | os.PathLike[str],
        sensitive: str | Sequence[str],
        randomness: Randomness | None = None,
        *,
        id_column: str | None = None,
        missing: str | None = None,
    ) -> Release:
        """Publish a table; see `splu_ref.mechanisms.Mechanism.publish` for parameters and errors.

        The release has a row for each group, in the order of the groups: the generalized columns as texts,
        ``17`` where all records of the group have one value and else ``17..24``, the sensitive column, and
        ``group_size``. A generalized column must not hold texts that could be read as a range.
        """
        given = Given.of_declared(
            self, self.column, self.values, table, sensitive, randomness, id_column, missing
        )
        ordered = OrderedColumns(given.table, self.quasi, self.numbers)
        _require_plain(self.quasi, ordered)
        groups = ordered.groups(self.least)
        done = self.publish_groups(given.codes[self.column], groups, given.draws_for(self.column))
        taken = given.table.take(done.rows).with_codes(self.column, done.published, domain_of=given.table)
        frame = nw.from_native(taken.to_frame(), eager_only=True)
        library = frame.implementation
        ranges = dict(zip(self.quasi, ordered.ranges(groups), strict=True))
        kept = [name for name in given.table.columns if name in ranges or name == self.column]
        told = [
            nw.new_series(name, cells, nw.String, backend=library).alias(name)
            for name, cells in ranges.items()
        ]
        sizes = nw.new_series(SIZE, np.bincount(groups).tolist(), nw.Int64, backend=library)
        frame = frame.select(kept).with_columns(*told, sizes)
        return given.release(self, Microdata.from_frame(frame.to_native()))

    def publish_groups(self, codes: IntArray, groups: IntArray, draws: Draws) -> ColumnRelease:
        """Choose and perturb a record of each group.

        Parameters
        ----------
        codes
            True codes, shape (N,), places in the domain.
        groups
            The group of each record, from 0, none empty, shape (N,).
        draws
            Where random integers come from, in this order: the order of the records within each group, of
            which the first is published; then for each of these one integer below w m, p = u/w in lowest
            terms, m values. r below u m keeps the value, and otherwise r modulo m is the replacement. The
            values of records that are not published are not drawn: nobody would see them.
        """
        order = draws.order_within(groups)
        starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
        chosen = order[starts]
        values, own = len(self.values), codes[chosen]
        drawn = draws.kept(chosen).below(self.retention.denominator * values, len(chosen))
        published = np.where(drawn < self.retention.numerator * values, own, drawn % values)
        return ColumnRelease(chosen, published, chosen[:0])


def _require_plain(quasi: Sequence[str], ordered: OrderedColumns) -> None:
    """Raise unless every value can be told from a range."""
    for name, domain in zip(quasi, ordered.domains, strict=True):
        for value in domain:
            if BETWEEN in value or value.startswith(".") or value.endswith("."):
                raise DataError(
                    f"column {name!r} holds {value!r}, which could be read as a range: write it without "
                    f"{BETWEEN} and without a dot at its ends"
                )


def _told_orders(told: str) -> dict[str, str]:
    try:
        orders = json.loads(told)
    except (ValueError, RecursionError):
        orders = None
    if not isinstance(orders, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) and pair[1] in ORDERS
        for pair in orders
    ):
        raise DataError("quasi is not a list of columns, each with its order: ask the publisher")
    found: dict[str, str] = dict(orders)
    if len(found) < len(orders):
        raise DataError("quasi names a column twice: ask the publisher")
    return found
