"""Releases that are not what they claim to be, for audits to find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import narwhals as nw
import numpy as np

from property_tests.mutants.altered_release import AlteredSource
from splu_ref.channels.parameters import Gamma
from splu_ref.data import Microdata
from splu_ref.mechanisms import PLANS, PlaceOrder, SpluGen
from splu_ref.randomness import Draws, IntArray, SeededSource


@dataclass(frozen=True)
class Publisher:
    """A table, the column that is published, and what is claimed of the release."""

    table: Microdata
    column: str
    gamma: Gamma
    plan: str = "mixed"

    def release(
        self,
        source: Draws,
        *,
        gamma: int | None = None,
        retention: Fraction | None = None,
        order: PlaceOrder = "random",
    ) -> Microdata:
        """Publish; what is named here is done instead of what is claimed."""
        done = SpluGen(
            self.gamma if gamma is None else Gamma(gamma), retention=retention, plan=self.plan
        ).publish_codes(
            self.table.codes(self.column), len(self.table.domain(self.column)), source, order=order
        )
        return self.rows(done.rows, done.published)

    def rows(self, rows: IntArray, published: IntArray) -> Microdata:
        """Return these records of the table with these values."""
        return self.table.take(rows).with_codes(self.column, published, domain_of=self.table)


class NeverOwn(AlteredSource):
    """Draws no 0."""

    def below(self, bound: int, size: int) -> IntArray:
        """Leave out draw 0, a record's true value."""
        return 1 + self.source.below(bound - 1, size)


class AlwaysOwn(AlteredSource):
    """Draws 0 only."""

    def below(self, bound: int, size: int) -> IntArray:
        """Return draw 0 for every record."""
        return np.zeros(size, dtype=np.int64)


class FourBits(AlteredSource):
    """Has the bias of four random bits taken modulo the bound."""

    def below(self, bound: int, size: int) -> IntArray:
        """Take a number below 16 modulo the bound."""
        return self.source.below(16, size) % bound


class Unshuffled(AlteredSource):
    """Leaves the rows where they are."""

    def permutation(self, size: int) -> IntArray:
        """Return the identity."""
        return np.arange(size)


def _from_the_domain(publisher: Publisher, source: Draws, *, kept: bool) -> Microdata:
    """Draw from the whole domain instead of the group; if ``kept``, only for values not retained."""
    codes = publisher.table.codes(publisher.column)
    rows = source.permutation(len(codes))[: len(codes) - len(codes) % publisher.gamma]
    drawn = source.below(len(publisher.table.domain(publisher.column)), len(rows))
    if kept:
        drawn = np.where(source.below(publisher.gamma, len(rows)) == 0, codes[rows], drawn)
    return publisher.rows(rows, drawn)


def _in_the_order_of_groups(publisher: Publisher, source: Draws) -> Microdata:
    """Publish group after group."""
    codes = publisher.table.codes(publisher.column)
    codes = codes[: len(codes) - len(codes) % publisher.gamma]
    histogram = np.bincount(codes, minlength=len(publisher.table.domain(publisher.column)))
    groups = PLANS[publisher.plan](histogram, publisher.gamma, source.plan_secret()).groups().astype(np.int64)
    rows = np.empty(len(codes), dtype=np.int64)
    rows[np.argsort(groups.reshape(-1), kind="stable")] = source.order_within(codes)
    own_group = np.repeat(np.arange(len(groups)), publisher.gamma)
    return publisher.rows(rows, groups[own_group, source.below(publisher.gamma, len(codes))])


def _edited(publisher: Publisher, source: Draws) -> Microdata:
    """Change one non-sensitive cell to another value of its column."""
    honest = publisher.release(source)
    column = next(name for name in honest.columns if name != publisher.column)
    frame = nw.from_native(honest.to_frame(), eager_only=True)
    other = next(value for value in frame[column] if value != frame[column][0])
    return Microdata.from_frame(frame.with_columns(frame[column].scatter(0, other)).to_native())


Defect = Callable[[Publisher, Draws], Microdata]

DEFECTS: dict[str, Defect] = {
    "gamma is one more than claimed": lambda p, source: p.release(source, gamma=p.gamma + 1),
    "gamma is one less than claimed": lambda p, source: p.release(source, gamma=p.gamma - 1),
    "the true value is never published": lambda p, source: p.release(NeverOwn(source, p.gamma)),
    "the true value is always published": lambda p, source: p.release(AlwaysOwn(source, p.gamma)),
    "values come from the whole domain": lambda p, source: _from_the_domain(p, source, kept=False),
    "decoys come from the whole domain": lambda p, source: _from_the_domain(p, source, kept=True),
    "the rows are not shuffled": lambda p, source: p.release(Unshuffled(source, p.gamma)),
    "one non-sensitive cell is edited": _edited,
    "the rows stand in the order of their groups": _in_the_order_of_groups,
    "retention is a quarter more than claimed": lambda p, source: p.release(
        source, retention=Fraction(5, 4 * p.gamma)
    ),
    "four random bits modulo gamma": lambda p, source: p.release(FourBits(source, p.gamma)),
    "the order of the file decides who gets which decoys": lambda p, source: p.release(
        source, order="smallest-id"
    ),
}
"""Defects of one release. The second release with fresh draws is a defect of two."""


def stream(name: str, number: int) -> SeededSource:
    """Return a seeded source of its own for each release."""
    return SeededSource(f"auditing/{name}/{number}".encode())
