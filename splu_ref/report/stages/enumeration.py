"""Third stage: the shipped mechanisms on every outcome of their random choices, for small tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from time import perf_counter

from splu_ref.audit import DeclaredRow, EnumerationRow, declared_rows, enumeration_rows
from splu_ref.report.model import Row
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
        key = (row.plan, int(row.law.gamma))
        found[key].append(row)
        now = perf_counter()
        seconds[key] += now - begin
        begin = now
    laws = tuple(
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
    return Outcome(rows=(*laws, *_channels()))


def _channels() -> Iterator[Row]:
    """Yield a row for each kind of mechanism that declares a channel."""
    found: dict[str, list[DeclaredRow]] = defaultdict(list)
    seconds: dict[str, float] = defaultdict(float)
    begin = perf_counter()
    for row in declared_rows():
        found[row.mechanism].append(row)
        now = perf_counter()
        seconds[row.mechanism] += now - begin
        begin = now
    for name, rows in found.items():
        yield check_row(
            "enumeration",
            f"channel.{name.lower()}",
            f"Declared channel of {name}",
            all(row.holds for row in rows),
            grade="enumerated",
            evidence=f"{sum(row.outcomes for row in rows):,} outcomes of {len(rows)} mechanisms and tables; "
            "the law of what each record is published as, compared as fractions",
            detail="; ".join(row.detail for row in rows if not row.holds),
            seconds=seconds[name],
        )


def _retentions(rows: Iterable[EnumerationRow]) -> str:
    return ", ".join(map(str, sorted({row.law.retention for row in rows})))
