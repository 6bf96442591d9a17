"""Third stage: the shipped mechanisms on every outcome of their random choices, for small tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from time import perf_counter
from typing import TypeAlias

from splu_ref.audit import (
    DECLARED,
    ENUMERATED,
    GAMMAS,
    DeclaredRow,
    EnumerationRow,
    declared_rows,
    enumeration_rows,
)
from splu_ref.report.model import Row
from splu_ref.report.progress import Progress
from splu_ref.report.stages.outcome import Outcome, check_row
from splu_ref.report.workers import WorkerPool

_Law: TypeAlias = tuple[str, int]
"""A plan and a group size."""


def enumeration_stage(pool: WorkerPool, progress: Progress) -> Outcome:
    """Return a row for each plan and group size, and for each kind of mechanism that declares a channel.

    The tables are all sets of frequencies of at most six records.
    """
    # What takes longest comes first, so that no process works on alone at the end.
    works: list[_Law | int] = [*product(reversed(list(ENUMERATED)), GAMMAS), *reversed(range(len(DECLARED)))]
    progress.stage("Enumeration of small worlds", len(works))
    found = dict(pool.each(_enumerated, works, lambda work, done: progress.at(_words(work), done)))
    laws = [_law_row(law, found[law][0], found[law][2]) for law in product(ENUMERATED, GAMMAS)]
    kinds: dict[str, list[int]] = {}
    for place, (mechanism, _) in enumerate(DECLARED):
        kinds.setdefault(mechanism.name, []).append(place)
    channels = [
        _channel_row(
            name,
            [found[place][1] for place in places],
            sum(found[place][2] for place in places),
        )
        for name, places in kinds.items()
    ]
    return Outcome(rows=(*laws, *channels))


def _words(work: _Law | int) -> str:
    return DECLARED[work][0].name if isinstance(work, int) else f"{work[0]}, gamma {work[1]}"


def _enumerated(work: _Law | int) -> tuple[list[EnumerationRow], list[DeclaredRow], float]:
    """Enumerate a plan with a group size, or the mechanism at a place among those that declare a channel."""
    begin, laws, channels = perf_counter(), list[EnumerationRow](), list[DeclaredRow]()
    if isinstance(work, int):
        channels = list(declared_rows(DECLARED[work : work + 1]))
    else:
        plan, gamma = work
        laws = list(enumeration_rows(plans={plan: ENUMERATED[plan]}, gammas=(gamma,)))
    return laws, channels, perf_counter() - begin


def _law_row(law: _Law, rows: Sequence[EnumerationRow], seconds: float) -> Row:
    plan, gamma = law
    return check_row(
        "enumeration",
        f"{plan}.gamma{gamma}",
        f"Exact law of SPLU-Gen, plan {plan}, γ = {gamma}",
        all(row.holds for row in rows) and bool(rows),
        grade="enumerated",
        evidence=f"{sum(row.outcomes for row in rows):,} outcomes in "
        f"{len({row.histogram for row in rows})} tables, p = {_retentions(rows)}; the laws "
        "of the published values by record, of the histogram and of each f′ compared as fractions",
        detail="; ".join(row.detail for row in rows if not row.holds),
        seconds=seconds,
    )


def _channel_row(name: str, enumerated: Sequence[Sequence[DeclaredRow]], seconds: float) -> Row:
    rows = [row for each in enumerated for row in each]
    return check_row(
        "enumeration",
        f"channel.{name.lower()}",
        f"Declared channel of {name}",
        all(row.holds for row in rows) and all(enumerated),
        grade="enumerated",
        evidence=f"{sum(row.outcomes for row in rows):,} outcomes of {len(rows)} mechanisms and tables; "
        "the law of what each record is published as, compared as fractions",
        detail="; ".join(row.detail for row in rows if not row.holds),
        seconds=seconds,
    )


def _retentions(rows: Iterable[EnumerationRow]) -> str:
    return ", ".join(map(str, sorted({row.law.retention for row in rows})))
