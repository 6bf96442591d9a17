"""The shipped mechanism with its groups in view, and with keyed draws."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from splu_ref.channels.parameters import Gamma
from splu_ref.data import embedded_table
from splu_ref.data.reading import EMBEDDED_SENSITIVE
from splu_ref.mechanisms import PLANS, Codes, DecoyPlan, SpluGen, anatomy
from splu_ref.mechanisms.plans.plan import Groups
from splu_ref.randomness import (
    Draws,
    IntArray,
    Key,
    KeyedRelease,
    PlanSecret,
    SeededSource,
    SystemSource,
    outcomes,
)

NAMES = ("anatomy", "cyclic")
"""The shipped plans that follow from the histogram alone."""


@dataclass(frozen=True)
class Seen:
    """What happened in one outcome.

    Attributes
    ----------
    group_of
        The group in which each record stands.
    published
        The value with which each record is published.
    """

    group_of: tuple[int, ...]
    published: tuple[int, ...]


@dataclass(frozen=True)
class _Watched(DecoyPlan):
    """A plan that notes which record takes which place."""

    plan: DecoyPlan
    orders: list[list[int]]

    def groups(self) -> Groups:
        return self.plan.groups()

    def published(self, order: IntArray, draws: IntArray) -> Codes:
        self.orders.append(order.tolist())
        return self.plan.published(order, draws)


def plan_groups(name: str, histogram: tuple[int, ...], gamma: int) -> list[tuple[int, ...]]:
    """Return the groups of a shipped plan, values ascending in each."""
    plan = PLANS[name](np.array(histogram, dtype=np.int64), Gamma(gamma), SystemSource())
    return [tuple(sorted(group)) for group in plan.groups().tolist()]


def seen(name: str, codes: tuple[int, ...], gamma: int) -> Iterator[tuple[Seen, Fraction]]:
    """Yield what happens in every outcome of publishing ``codes``, with its probability.

    The k-th record in the plan's order of a value stands in the k-th group that holds the value.
    """
    domain = max(codes) + 1
    orders: list[list[int]] = []

    def watched(histogram: IntArray, size: Gamma, secret: PlanSecret) -> DecoyPlan:
        plan = PLANS[name](histogram, size, secret)
        return _Watched(plan.gamma, plan.domain_size, plan, orders)

    holding = [
        [number for number, group in enumerate(plan_groups(name, _histogram(codes), gamma)) if value in group]
        for value in range(domain)
    ]

    def run(source: Draws) -> Seen:
        orders.clear()
        done = SpluGen(gamma, plan=watched).publish_codes(np.array(codes, dtype=np.int64), domain, source)
        places = [iter(groups) for groups in holding]
        group_of = {record: next(places[codes[record]]) for record in orders[0]}
        published = dict(zip(done.rows.tolist(), done.published.tolist(), strict=True))
        records = range(len(codes))
        return Seen(tuple(group_of[r] for r in records), tuple(published[r] for r in records))

    return outcomes(run)


def keyed_release(histogram: tuple[int, ...], gamma: int, number: int) -> list[tuple[int, int]]:
    """Return the release of a table under the key with this number: (record, published value) by row."""
    codes = np.repeat(np.arange(len(histogram), dtype=np.int64), histogram)
    key = Key(hashlib.sha256(number.to_bytes(32, "big")).digest())
    identities = [b"record %d" % record for record in range(len(codes))]
    source = KeyedRelease(key).for_records("sensitive", lambda: identities)
    done = SpluGen(gamma).publish_codes(codes, len(histogram), source)
    return list(zip(done.rows.tolist(), done.published.tolist(), strict=True))


def _histogram(codes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(codes.count(value) for value in range(max(codes) + 1))


def publish_histogram(histogram: tuple[int, ...], gamma: int) -> None:
    """Publish a table with this histogram once, by the greedy plan, with the system's randomness."""
    codes = np.repeat(np.arange(len(histogram), dtype=np.int64), histogram)
    SpluGen(gamma, plan="anatomy").publish_codes(codes, len(histogram), SystemSource())


def plan_runs(histogram: tuple[int, ...], gamma: int) -> int:
    """Return the number of runs of the greedy plan in run-length form."""
    return len(anatomy(np.array(histogram, dtype=np.int64), Gamma(gamma)).runs)


def published_states(gamma: int, columns: tuple[str, ...], least: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield the published counts of the four states, for a seeded release of the embedded table, greedy plan.

    The predicates are all values of ``columns`` with at least ``least`` records, the values every second
    occupation. The states are: not P and not s, not P and s, P and not s, P and s.
    """
    table = embedded_table()
    true = table.codes(EMBEDDED_SENSITIVE)
    domain = len(table.domain(EMBEDDED_SENSITIVE))
    rows, published, _ = SpluGen(gamma, plan="anatomy").publish_codes(true, domain, SeededSource(1))
    for column in columns:
        codes = table.codes(column)[rows]
        for value in range(int(codes.max()) + 1):
            inside = codes == value
            n = int(inside.sum())
            if n < least:
                continue
            for s in range(0, domain, 2):
                both, alone = int((inside & (published == s)).sum()), int((published == s).sum())
                yield len(rows) - n - alone + both, alone - both, n - both, both
