"""The exact output distribution of SPLU-Gen, by enumeration of its random choices.

For every small table the mechanism is run on each outcome of the deletion, of the plan's secret, of the order
of the records within their values, and of the draws. Three laws are compared as fractions: the joint law of
the published values by record, the law of the published histogram, and that of each count f'. The shuffle is
not included, since it multiplies the number of outcomes; it is enumerated separately.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import chain, product
from typing import Protocol

import numpy as np

from splu_ref.audit.release_laws import Vector, release_disagreements
from splu_ref.channels import Gamma, PublishedCount
from splu_ref.mechanisms import PLANS, DecoyPlan, PlanMethod, SpluGen, mixed
from splu_ref.randomness import Draws, EnumerationSource, IntArray, PlanSecret, outcomes

GAMMAS = (2, 3)
RETENTIONS = (Fraction(2, 3), Fraction(1))
"""Enumerated retention probabilities besides 1/gamma."""
LARGEST_TABLE = 6
LARGEST_WITH_SECRET = 4
"""Largest table for a plan with a secret, whose outcomes multiply those of the release."""

ENUMERATED: Mapping[str, PlanMethod] = {**PLANS, "mixed": partial(mixed, passes=1)}
"""The enumerated plans: mixed with one pass of trades, as each pass multiplies the outcomes."""


class CodesRelease(Protocol):
    """The compared parts of a release."""

    @property
    def rows(self) -> IntArray:
        """Original record at each published row."""
        ...

    @property
    def published(self) -> IntArray:
        """Published code at each published row."""
        ...

    @property
    def suppressed(self) -> IntArray:
        """Deleted records."""
        ...


class PublishCodes(Protocol):
    """The mechanism under test, of the form of `SpluGen.publish_codes`."""

    def __call__(
        self, mechanism: SpluGen, codes: IntArray, domain_size: int, draws: Draws, /
    ) -> CodesRelease:
        """Publish ``codes``."""
        ...


@dataclass(frozen=True, slots=True)
class EnumerationRow:
    """Whether the mechanism's exact laws for one small table agree with the theory."""

    plan: str  #: the mechanism: the name of its plan, its gamma and its retention probability
    law: PublishedCount  #: see ``plan``
    histogram: Vector  #: the table: value v has ``histogram[v]`` records
    outcomes: int  #: number of enumerated outcomes of the random choices
    holds: bool  #: whether all laws agree
    detail: str  #: the first disagreement, or the empty text


def eligible_histograms(
    gamma: int, largest: int = LARGEST_TABLE, *, ordered: bool = True
) -> Iterator[Vector]:
    """Yield the positive histograms of at most ``largest`` records that allow groups of ``gamma``."""
    for records in range(gamma, largest + 1):
        yield from _compositions(records, records // gamma, ordered)


def _compositions(records: int, cap: int, ordered: bool) -> Iterator[Vector]:
    if records == 0:
        yield ()
    for first in range(min(cap, records), 0, -1):
        for rest in _compositions(records - first, cap if ordered else first, ordered):
            yield (first, *rest)


def enumerate_histogram(
    histogram: Sequence[int],
    law: PublishedCount,
    plan_name: str = "anatomy",
    *,
    publish: PublishCodes = SpluGen.publish_codes,
    plans: Mapping[str, PlanMethod] = ENUMERATED,
) -> EnumerationRow:
    """Enumerate the outcomes of the mechanism for one small table, and compare all laws.

    Parameters
    ----------
    histogram
        Frequencies of the values, shape (values,).
    law
        Size of a group, feasible for the histogram, and retention probability.
    plan_name
        Which of ``plans`` forms the groups.
    publish, plans
        The mechanism and the plans under test.
    """
    codes = codes_of(histogram)
    observed: dict[Vector, dict[Vector, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    lost: list[str] = []
    walked = 0
    mechanism = SpluGen(law.gamma, law.retention, made_once(plans[plan_name]))

    def run(source: Draws) -> tuple[Vector, Vector]:
        done = publish(mechanism, codes, len(histogram), source)
        order = np.argsort(done.rows)
        if done.rows[order].tolist() != np.delete(np.arange(len(codes)), done.suppressed).tolist():
            lost.append("the published rows are not the records that were kept")
        return tuple(done.suppressed.tolist()), tuple(done.published[order].tolist())

    for (suppressed, published), probability in outcomes(run):
        observed[suppressed][published] += probability
        walked += 1
    disagreements = chain(lost, release_disagreements(codes.tolist(), len(histogram), mechanism, observed))
    detail = next(disagreements, "")
    return EnumerationRow(
        plan=plan_name,
        law=law,
        histogram=tuple(histogram),
        outcomes=walked,
        holds=not detail,
        detail=detail,
    )


def made_once(plan: PlanMethod) -> PlanMethod:
    """Return a plan method that caches the plan for outcomes that differ in later choices alone.

    A plan is a function of the histogram, the group size and its random choices, and outcomes with equal
    first choices are enumerated consecutively.
    """
    last: tuple[tuple[int, bytes, Gamma], list[int], DecoyPlan] | None = None

    def made(histogram: IntArray, gamma: Gamma, source: PlanSecret) -> DecoyPlan:
        nonlocal last
        if not isinstance(source, EnumerationSource):
            return plan(histogram, gamma, source)
        begin = source.choice_count
        where = begin, histogram.tobytes(), gamma
        if last is not None and last[0] == where and source.repeats(last[1]):
            return last[2]
        found = plan(histogram, gamma, source)
        last = where, source.choices(begin), found
        return found

    return made


def enumeration_rows(
    *,
    ordered: bool = False,
    largest: int = LARGEST_TABLE,
    publish: PublishCodes = SpluGen.publish_codes,
    plans: Mapping[str, PlanMethod] = ENUMERATED,
    gammas: Sequence[int] = GAMMAS,
) -> Iterator[EnumerationRow]:
    """Yield a row for every plan, gamma, retention and eligible histogram.

    Parameters
    ----------
    ordered
        As in `eligible_histograms`; the quick form takes each set of frequencies once.
    largest
        Largest number of records; for ``mixed`` and for a retention other than 1/gamma, which multiply the
        outcomes, at most ``LARGEST_WITH_SECRET``.
    publish, plans, gammas
        The mechanism, the plans and the group sizes under test.
    """
    for name in plans:
        for gamma, retention in product(gammas, (None, *RETENTIONS)):
            law = PublishedCount.of(gamma, retention)
            long = name == "mixed" or retention is not None
            most = min(largest, LARGEST_WITH_SECRET) if long else largest
            for histogram in eligible_histograms(gamma, most, ordered=ordered):
                yield enumerate_histogram(histogram, law, name, publish=publish, plans=plans)


def codes_of(histogram: Sequence[int]) -> IntArray:
    """Return a table of this histogram whose records are not sorted by value."""
    left = list(histogram)
    codes = []
    while any(left):
        for value in reversed(range(len(left))):
            if left[value]:
                left[value] -= 1
                codes.append(value)
    return np.array(codes, dtype=np.int64)
