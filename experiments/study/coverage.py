"""Coverage and errors by class of the true count, for every setting, and the worst of them.

The intervals of a class are held to `LEAST` by a bet with one outcome for each release, as in `criteria`: the
queries of one release depend on each other, releases do not.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from statistics import fmean

from experiments.study.bench import Sources
from experiments.study.criteria import e_value
from experiments.study.judging import CLASSES, Judgement, asked, judged
from experiments.study.pieces import Piece, Pieces
from experiments.study.settings import Setting

LEAST = 0.9
"""Coverage that no class may fall below."""
INTERVALS = (Judgement("shrunk"), Judgement("shrunk", "average"), Judgement("exact"))
"""What is judged."""
HOLDING = ("shrunk",)
"""Those of them that promise to hold whatever the predicate and the count are."""
LEVEL = 1e-6
"""Probability that the test rejects any class of a study if all have that coverage."""


@dataclass(frozen=True)
class CoverageLevel:
    """How much is judged: queries of each class, and releases."""

    queries: int
    releases: int


COVERAGE_LEVELS = {"quick": CoverageLevel(60, 3), "full": CoverageLevel(100, 20)}


@dataclass(frozen=True)
class Cell:
    """A class of a setting, by one kind of intervals.

    Attributes
    ----------
    setting, tuned, rows
        Its name, whether the estimators may be tuned on it, and N.
    interval
        What was judged.
    part
        The class.
    queries, releases
        How many.
    coverage
        Share of intervals that held the true count; None where none is offered.
    e_value
        Against a coverage of `LEAST` in each release; None likewise.
    length
        Mean length of the intervals.
    error
        Root mean square error of the estimates.
    ratio, best
        That error over the least of all methods, and whose that is.
    """

    setting: str
    tuned: bool
    rows: int
    interval: str
    part: str
    queries: int
    releases: int
    coverage: float | None
    e_value: float | None
    length: float | None
    error: float
    ratio: float
    best: str


def coverage(
    settings: Sequence[Setting],
    data: Path | None,
    level: CoverageLevel,
    sources: Sources,
    *,
    intervals: Sequence[Judgement] = INTERVALS,
    report: Path | None = None,
    common: Mapping[str, object] | None = None,
    progress: Callable[[int, int], None] = lambda done, whole: None,
) -> list[Cell]:
    """Judge settings, one after another.

    Parameters
    ----------
    settings, level
        What is judged, and how much.
    data
        Where tables are that the package lacks.
    sources
        Where random integers come from, by name.
    intervals
        Of which methods. Those that cannot answer for two columns are left out there.
    report, common
        The report folder, in which finished pieces are kept and found, and what else distinguishes them.
    progress
        Called with the number of settings done and of all.
    """
    store = Pieces(report, common or {})
    found: list[Cell] = []
    for number, setting in enumerate(settings):
        progress(number, len(settings))
        key = {
            "piece": "coverage",
            "setting": setting.name,
            "table": setting.read(data).digest,
            "left out": setting.left_out,
            "level": asdict(level),
            "intervals": [interval.name for interval in intervals],
        }
        piece = store.get(key, partial(_judge, setting, data, level, intervals, sources))
        found += [Cell(**cell) for cell in piece["cells"]]
    progress(len(settings), len(settings))
    return found


def available(settings: Iterable[Setting], data: Path | None) -> list[Setting]:
    """Return the settings whose tables can be read: without a folder the embedded and the generated ones."""
    return [setting for setting in settings if data is not None or not setting.is_file]


def _judge(
    setting: Setting,
    data: Path | None,
    level: CoverageLevel,
    intervals: Sequence[Judgement],
    sources: Sources,
) -> Piece:
    table, name = setting.read(data), f"coverage/{setting.name}"
    if setting.second is not None:
        intervals = [each for each in intervals if each.answers_several]
    questions = asked(table, level.queries, lambda part: sources(f"{name}/queries/{part}"))
    releases = [sources(f"{name}/{number}") for number in range(level.releases)]
    found = judged(table, setting.mechanism, intervals, questions, releases)
    cells = []
    for part in CLASSES:
        where = questions.classes[part]
        for interval in [interval.name for interval in intervals] if len(where) else []:
            shares = found.coverage(interval, part).tolist() if interval in found.covered else []
            errors = {method: found.error(method, part) for method in found.squares}
            best = min(errors, key=lambda method: errors[method])
            cells.append(
                Cell(
                    setting=setting.name,
                    tuned=setting.tuned,
                    rows=table.rows,
                    interval=interval,
                    part=part,
                    queries=len(where),
                    releases=level.releases,
                    coverage=fmean(shares) if shares else None,
                    e_value=e_value(shares, LEAST) if shares else None,
                    length=float(found.length[interval][:, where].mean()) if shares else None,
                    error=errors[interval],
                    ratio=errors[interval] / errors[best] if errors[best] else 1.0,
                    best=best,
                )
            )
    return {"cells": [asdict(cell) for cell in cells]}


@dataclass(frozen=True)
class Line:
    """A setting, by one kind of intervals.

    Attributes
    ----------
    cells
        Its classes.
    """

    cells: tuple[Cell, ...]

    @property
    def worst(self) -> Cell | None:
        """The class that is covered least; None where no interval is offered."""
        offered = [cell for cell in self.cells if cell.coverage is not None]
        return min(offered, key=lambda cell: cell.coverage or 0.0, default=None)

    @property
    def farthest(self) -> Cell:
        """The class in which the error is the largest multiple of the best."""
        return max(self.cells, key=lambda cell: cell.ratio)

    @property
    def ratio(self) -> float:
        """The mean of the ratios of errors over the classes."""
        return fmean(cell.ratio for cell in self.cells)


def lines(cells: Sequence[Cell]) -> list[Line]:
    """Return the settings, each once for each kind of intervals, in order."""
    found: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        found.setdefault((cell.setting, cell.interval), []).append(cell)
    return [Line(tuple(group)) for group in found.values()]


def refuted(cells: Sequence[Cell]) -> list[Cell]:
    """Return the classes whose coverage is shown to be below `LEAST`, by intervals that promise it."""
    evidence = [(cell, cell.e_value) for cell in cells if cell.interval in HOLDING]
    tested = [(cell, value) for cell, value in evidence if value is not None]
    return [cell for cell, value in tested if value * LEVEL >= len(tested)]


def as_csv(cells: Sequence[Cell]) -> str:
    """Return all cells as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [field.name for field in fields(Cell)]
    writer.writerow(names)
    for cell in cells:
        values = asdict(cell)
        writer.writerow([_written(values[name]) for name in names])
    return text.getvalue()


def _written(value: object) -> object:
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else value


def as_markdown(cells: Sequence[Cell], interval: str) -> str:
    """Return the coverage of one kind of intervals as a table, a row for each setting."""
    head = ["release", "N", *CLASSES, "worst", "error, mean", "error, worst"]
    rows = [head, ["---"] * len(head)]
    for line in lines([cell for cell in cells if cell.interval == interval]):
        by_part, worst = {cell.part: cell for cell in line.cells}, line.worst
        first, far = line.cells[0], line.farthest
        told = [_covered(by_part[part].coverage) if part in by_part else "–" for part in CLASSES]
        rows.append(
            [
                f"{first.setting}{' (tuned)' if first.tuned else ''}",
                f"{first.rows:,}",
                *told,
                "no interval" if worst is None else f"{worst.part} {_covered(worst.coverage)}",
                f"{line.ratio:.2f}",
                f"{far.part} {far.ratio:.2f}",
            ]
        )
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


def _covered(share: float | None) -> str:
    return "none" if share is None else f"{share:.3f}".removeprefix("0")
