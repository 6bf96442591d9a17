"""``python -m experiments study --coverage``: intervals and errors by class of the true count."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from experiments.study import (
    COVERAGE_LEVELS,
    LEAST,
    SETTINGS,
    Cell,
    as_csv,
    available,
    coverage,
    lines,
    refuted,
)
from splu_ref.cli.output import note, show
from splu_ref.cli.progress import counted
from splu_ref.data.folders import check_folder, make_folder, write_folder
from splu_ref.randomness import SeededSource

FILE = "coverage.csv"


def judge_coverage(
    level: str, data: Path | None, report: Path | None, seed: int, *, force: bool, as_json: bool
) -> int:
    """Judge the settings whose tables are there; return 1 if a coverage is shown to be too small."""
    settings = available(SETTINGS, data)
    if len(settings) < len(SETTINGS):
        note(f"{len(SETTINGS) - len(settings)} releases need tables that are not part of the package")
    if report is not None:
        check_folder(report, [FILE], force=force)
        make_folder(report)
    with counted("judging") as progress:
        cells = coverage(
            settings,
            data,
            COVERAGE_LEVELS[level],
            lambda name: SeededSource(f"{seed}/{name}".encode()),
            report=report,
            common={"seed": seed},
            progress=progress,
        )
    if report is not None:
        for path in write_folder(report, {FILE: as_csv(cells).encode()}, force=force):
            note(f"wrote {path}")
    wrong = refuted(cells)
    show(
        {
            "level": level,
            "seed": seed,
            "holds": not wrong,
            "below": [asdict(cell) for cell in wrong],
            "cells": [asdict(cell) for cell in cells],
        },
        _lines(cells, wrong),
        as_json=as_json,
    )
    return 1 if wrong else 0


def _lines(cells: list[Cell], wrong: list[Cell]) -> list[tuple[str, str]]:
    found = []
    for line in lines(cells):
        first, worst, far = line.cells[0], line.worst, line.farthest
        covered = (
            "no interval" if worst is None else f"least coverage {worst.coverage:.3f} ({worst.part} counts)"
        )
        errors = f"error {line.ratio:.2f} × the best on average, {far.ratio:.2f} × at most ({far.part})"
        name = f"{first.setting}{' (tuned)' if first.tuned else ''}"
        found.append((first.interval, f"{name}: {covered}; {errors}"))
    classes = "; ".join(f"{one.setting}, {one.interval}: {one.part} {one.coverage:.3f}" for one in wrong)
    verdict = f"shown for {classes}" if wrong else "shown for no class"
    return [*found, (f"below {LEAST}", verdict)]
