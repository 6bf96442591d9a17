"""All pieces of a study, in order, and how they are computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np

from experiments.study.bench import Bench, Sources
from experiments.study.level import Level, pools
from experiments.study.methods import Printed
from experiments.study.pair import PairBench
from experiments.study.pieces import Piece, Pieces
from experiments.study.tables import StudyTable
from splu_ref.channels.parameters import Gamma
from splu_ref.mechanisms import SpluGen, largest_gamma

SWEPT = ("mixed", "anatomy")
"""Plans whose releases are made at other group sizes and table sizes too."""


@dataclass(frozen=True)
class Results:
    """The pieces of one table.

    Attributes
    ----------
    table
        The table.
    releases
        By plan: pieces at the table's own gamma.
    others
        Pieces of the other mechanisms there.
    by_gamma, others_by_gamma
        The same for small counts: by (plan, gamma), and by gamma. The table's own gamma is among them.
    by_rows, others_by_rows
        The same for large counts: by (plan, records), and by records.
    pairs
        Pieces with two sensitive columns by gamma.
    publishing
        Seconds of one release by gamma.
    """

    table: StudyTable
    releases: dict[str, list[Piece]] = field(default_factory=dict)
    others: list[Piece] = field(default_factory=list)
    by_gamma: dict[tuple[str, int], list[Piece]] = field(default_factory=dict)
    others_by_gamma: dict[int, list[Piece]] = field(default_factory=dict)
    by_rows: dict[tuple[str, int], list[Piece]] = field(default_factory=dict)
    others_by_rows: dict[int, list[Piece]] = field(default_factory=dict)
    pairs: dict[int, list[Piece]] = field(default_factory=dict)
    publishing: dict[int, Piece] = field(default_factory=dict)


@dataclass(frozen=True)
class _Job:
    parameters: dict[str, object]
    compute: Callable[[], Piece]
    keep: Callable[[Piece], None]


def run(
    tables: Sequence[StudyTable],
    level: Level,
    sources: Sources,
    *,
    printed: Printed | None = None,
    folder: Path | None = None,
    common: Mapping[str, object] | None = None,
    progress: Callable[[int, int], None] = lambda done, whole: None,
) -> list[Results]:
    """Compute every piece of a study.

    Parameters
    ----------
    tables
        What to study.
    level
        How much.
    sources
        Where random integers come from, by name.
    printed
        The printed iteration, if there is one.
    folder
        The report folder, in which finished pieces are kept and found.
    common
        What else distinguishes this study's pieces: its seed.
    progress
        Called with the number of pieces done and of all.
    """
    store = Pieces(folder, {**(common or {}), "printed": printed is not None})
    results = [Results(table) for table in tables]
    jobs = [job for found in results for job in _jobs(found, level, sources, printed)]
    for number, job in enumerate(jobs):
        progress(number, len(jobs))
        job.keep(store.get(job.parameters, job.compute))
    progress(len(jobs), len(jobs))
    return results


def _jobs(results: Results, level: Level, sources: Sources, printed: Printed | None) -> list[_Job]:
    table = results.table
    bench = Bench(table, pools(table, level), sources, printed)
    jobs: list[_Job] = []
    for plan, count in level.releases:
        kept = results.releases.setdefault(plan, [])
        jobs += [_release(bench, SpluGen(table.gamma, plan=plan), number, kept) for number in range(count)]
    jobs += [_others(bench, table.gamma, number, results.others) for number in range(level.others)]
    small = Bench(table, pools(table, level, large=False), sources, printed)
    for gamma in _gammas(table, level):
        for plan in SWEPT:
            kept = results.by_gamma.setdefault((plan, gamma), [])
            mechanism = SpluGen(gamma, plan=plan)
            jobs += [_release(small, mechanism, number, kept) for number in range(level.others)]
        kept = results.others_by_gamma.setdefault(gamma, [])
        jobs += [_others(small, gamma, number, kept) for number in range(level.others)]
    for part in (*level.parts, Fraction(1)):
        jobs += _part(results, part, level, sources, printed)
    if table.second is not None:
        pair = PairBench(table, level.pair_queries, sources, printed)
        most = min(largest_gamma(np.bincount(column)) for column in (table.values, table.second))
        for size in level.pair_gammas:
            if size <= most:
                kept = results.pairs.setdefault(size, [])
                jobs += [_pair(pair, Gamma(size), number, kept) for number in range(level.others)]
    for gamma in _gammas(table, level):
        jobs.append(_publishing(bench, gamma, results.publishing))
    return jobs


def _gammas(table: StudyTable, level: Level) -> list[Gamma]:
    """Return the level's group sizes that the table allows, and its own."""
    most = largest_gamma(np.bincount(table.values))
    return [Gamma(size) for size in sorted({*level.gammas, int(table.gamma)}) if size <= most]


def _part(
    results: Results, part: Fraction, level: Level, sources: Sources, printed: Printed | None
) -> list[_Job]:
    """Return the pieces of a random part of the table, if it allows the table's group size."""
    table = results.table
    count = int(part * table.rows)
    sample = table
    if part < 1:
        order = sources(f"{table.name}/part/{count}").permutation(table.rows)
        sample = table.take(np.sort(order[:count]))
    if largest_gamma(np.bincount(sample.values)) < table.gamma:
        return []
    bench = Bench(sample, pools(sample, level, small=False), sources, printed)
    jobs = []
    for plan in SWEPT:
        kept = results.by_rows.setdefault((plan, count), [])
        mechanism = SpluGen(table.gamma, plan=plan)
        jobs += [_release(bench, mechanism, number, kept) for number in range(level.others)]
    kept = results.others_by_rows.setdefault(count, [])
    return jobs + [_others(bench, table.gamma, number, kept) for number in range(level.others)]


def _key(kind: str, bench: Bench | PairBench, gamma: Gamma, number: int, **more: object) -> dict[str, object]:
    return {
        "piece": kind,
        "table": bench.table.digest,
        "name": bench.table.name,
        "pools": [[pool.least, pool.end, pool.size] for pool in bench.pools],
        "gamma": int(gamma),
        "number": number,
        **more,
    }


def _release(bench: Bench, mechanism: SpluGen, number: int, kept: list[Piece]) -> _Job:
    key = _key("release", bench, mechanism.gamma, number, plan=mechanism.plan)
    return _Job(key, lambda: bench.release(mechanism, number), kept.append)


def _others(bench: Bench, gamma: Gamma, number: int, kept: list[Piece]) -> _Job:
    return _Job(_key("others", bench, gamma, number), lambda: bench.others(gamma, number), kept.append)


def _pair(bench: PairBench, gamma: Gamma, number: int, kept: list[Piece]) -> _Job:
    return _Job(_key("pair", bench, gamma, number), lambda: bench.release(gamma, number), kept.append)


def _publishing(bench: Bench, gamma: Gamma, kept: dict[int, Piece]) -> _Job:
    def keep(piece: Piece) -> None:
        kept[gamma] = piece

    return _Job(_key("publishing", bench, gamma, 0), lambda: bench.publishing(gamma), keep)
