"""Third stage: the shipped mechanism on every outcome of its random choices, for small tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from time import perf_counter

from splu_ref.audit import EnumerationRow, enumeration_rows
from splu_ref.report.progress import Progress
from splu_ref.report.stages.outcome import Outcome, check_row


def enumeration_stage(progress: Progress) -> Outcome:
    """Return a row for each plan and group size, over all sets of frequencies of at most six records."""
    progress.stage("Enumeration of small worlds")
    found: dict[tuple[str, int], list[EnumerationRow]] = defaultdict(list)
    seconds: dict[tuple[str, int], float] = defaultdict(float)
    names: list[str] = []

    def announce(name: str) -> None:
        progress.at(name, len(names))
        names.append(name)

    begin = perf_counter()
    for row in enumeration_rows(progress=announce):
        key = (row.plan, row.gamma)
        found[key].append(row)
        now = perf_counter()
        seconds[key] += now - begin
        begin = now
    return Outcome(
        rows=tuple(
            check_row(
                "enumeration",
                f"{plan}.gamma{gamma}",
                f"Exact law of SPLU-Gen, plan {plan}, γ = {gamma}",
                all(row.holds for row in rows),
                grade="enumerated",
                evidence=f"{sum(row.outcomes for row in rows):,} outcomes in "
                f"{len({row.histogram for row in rows})} tables, p = {_retentions(rows)}; the laws "
                "of the published values by record, of the histogram and of each f′ compared as fractions",
                detail="; ".join(row.detail for row in rows if not row.holds),
                seconds=seconds[plan, gamma],
            )
            for (plan, gamma), rows in found.items()
        )
    )


def _retentions(rows: Iterable[EnumerationRow]) -> str:
    return ", ".join(map(str, sorted({row.retention for row in rows})))
