"""The complete results of studies of small tables, compared with the files in the folder ``whole``.

``python -m tests.experiments.study.documents`` writes the files again after a change of the numbers; read the
difference before you commit it. Each reading of a clock advances it by one second.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from fractions import Fraction
from functools import cache
from importlib import import_module
from io import StringIO
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from experiments.commands import study as command
from experiments.commands import study_coverage
from experiments.commands.study_figures import show_figures
from experiments.study import Level, Recipe, Setting, as_csv, as_markdown
from experiments.study import bench as clock_of_releases
from experiments.study import methods as clock_of_methods
from experiments.study.experiments import Results, run
from experiments.study.generated import GENERATED
from experiments.study.methods import FloatArray
from experiments.study.olap import OlapLevel, adult
from experiments.study.olap import experiments as olap
from experiments.study.pieces import FOLDER as PIECES
from experiments.study.tables import StudyTable
from splu_ref.randomness import IntArray, SeededSource
from tests.report.documents import laid_out

# The room has functions of these modules' names.
judging, drawing, summaries = (
    import_module(f"experiments.study.{name}") for name in ("coverage", "drawing", "summary")
)
FOLDER = Path(__file__).with_name("whole")
LEVEL = Level(
    "quick", small=14, rare=6, large=18, releases=(("mixed", 2), ("anatomy", 1)), others=1, gammas=(2, 4, 40),
    parts=(Fraction(1, 100), Fraction(2, 3)), pair_queries=8, pair_gammas=(2, 40),
)  # fmt: skip
OLAP_LEVEL = OlapLevel("quick", 2, (Fraction(1, 2), Fraction(9, 10)), (Fraction(1, 2),), (1, 2), (300, 500))
JUDGED = (
    Setting("one hundred", "s", 4, tuned=True),
    Setting("one hundred", "s", 3, retention=Fraction(1, 2), plan="anatomy"),
    Setting("towns", "illness", 3, second="age", draws="capped:30"),
)


def sources(name: str) -> SeededSource:
    """Return a source that follows from its name."""
    return SeededSource(name.encode())


def towns(name: str = "towns") -> StudyTable:
    """Return 4000 records with a second sensitive column."""
    source = SeededSource(b"towns")
    sizes = {"town": 6, "ward": 4, "age": 4, "sex": 2}
    codes = np.stack([source.below(size, 4000) for size in sizes.values()]).astype(np.int32)
    illness = (codes[0] + source.below(5, 4000) * source.below(3, 4000)) % 8
    recipe = Recipe("illness", gamma=3, second="age", small_figure=10, large_figure=11)
    return StudyTable(name, recipe, tuple(sizes), codes, illness, codes[2].astype(np.int64))


def printed(states: FloatArray, gamma: int) -> tuple[FloatArray, IntArray]:
    """Return what stands for the printed iteration: counts less gamma, after steps by the last count."""
    last = (states[:, 1, 1] if states.ndim == 3 else states[:, 1, 1, 1]).astype(np.int64)
    return states - gamma, last % 23 + gamma


@contextmanager
def ticking() -> Iterator[None]:
    """Let each look at a clock be a second after the last."""
    clock = count()
    with pytest.MonkeyPatch.context() as patch:
        for module in (clock_of_releases, clock_of_methods):
            patch.setattr(module, "perf_counter", lambda: float(next(clock)))
        yield


@cache
def results() -> tuple[Results, list[dict[str, Any]], list[tuple[int, int]]]:
    """Return the pieces of a study, their parameters, and the calls of the progress bar."""
    calls: list[tuple[int, int]] = []
    with ticking(), TemporaryDirectory() as folder:
        [found] = run(
            [towns("census_kdd_workers")], LEVEL, sources, printed=printed, folder=Path(folder),
            common={"seed": 7}, progress=lambda done, whole: calls.append((done, whole)),
        )  # fmt: skip
        kept = [json.loads(path.read_text("utf-8")) for path in (Path(folder) / PIECES).iterdir()]
    keys = [{name: each for name, each in piece["parameters"].items() if name != "code"} for piece in kept]
    return found, sorted(keys, key=str), calls


def _study() -> object:
    found, keys, calls = results()
    shown = {
        "releases": found.releases,
        "others": found.others,
        "by rows": {str(key): len(pieces) for key, pieces in found.by_rows.items()},
        "pairs": found.pairs,
    }
    return [shown, keys, calls]


def _lines() -> str:
    found = summaries.summary([results()[0]])
    unknown = [replace(one, holds=None) for one in found.criteria[:1]]
    other = replace(found, criteria=(*unknown, *found.criteria[1:]))
    lines = [f"{name}: {line}\n" for name, line in command._lines(other)]
    with redirect_stdout(StringIO()) as out:
        show_figures(found.figures[:2])
    screen = [" ".join(line.split()) + "\n" for line in out.getvalue().splitlines()]
    return "".join([*lines, *screen])


def _coverage() -> str:
    level = judging.CoverageLevel(3, 2)
    calls: list[tuple[int, int]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(GENERATED, "towns", towns)
        found = judging.coverage(JUDGED, None, level, sources, progress=lambda *each: calls.append(each))
    wrong = [replace(found[0], coverage=0.5), replace(found[1], coverage=0.25)]
    lines = [f"{name}: {line}\n" for each in ([], wrong) for name, line in study_coverage._lines(found, each)]
    tables = [as_markdown(found, judged.name) for judged in judging.INTERVALS]
    return "".join([as_csv(found), *tables, *lines, f"{calls}\n"])


def _olap() -> object:
    whole = adult()
    assert whole.labels is not None
    part = replace(whole, values=whole.values[:, :400], labels=whole.labels[:400])
    calls: list[tuple[int, int]] = []
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setattr(olap, "RHO1", (Fraction(1, 2),))
        patch.setattr(olap, "library_version", lambda: None)
        figures = olap.run(
            part, OLAP_LEVEL, sources, folder=Path(folder), common={"seed": 7},
            progress=lambda *each: calls.append(each),
        )  # fmt: skip
        kept = [json.loads(path.read_text("utf-8")) for path in (Path(folder) / PIECES).iterdir()]
    keys = [{name: each for name, each in piece["parameters"].items() if name != "code"} for piece in kept]
    return [[figure.as_json() for figure in figures], sorted(keys, key=str), calls]


DOCUMENTS: dict[str, Callable[[], object]] = {
    "study.json": _study,
    "lines.txt": _lines,
    "coverage.txt": _coverage,
    "olap.json": _olap,
}


def document(name: str) -> str:
    """Return a document as its file holds it."""
    found = DOCUMENTS[name]()
    return found if isinstance(found, str) else f"{laid_out(_stable(found))}\n"


def _stable(value: Any) -> Any:
    """Return a value as JSON, numbers to seven digits: what is the same on every machine."""
    if isinstance(value, float | np.floating):
        return float(f"{round(float(value), 9):.7g}")
    if isinstance(value, dict):
        return {str(name): _stable(each) for name, each in value.items()}
    if isinstance(value, np.ndarray):
        return _stable(value.tolist())
    if isinstance(value, list | tuple):
        return [_stable(each) for each in value]
    return value if value is None or isinstance(value, int) else str(value)


def _write() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in DOCUMENTS:
        (FOLDER / name).write_text(document(name), "utf-8")


if __name__ == "__main__":
    _write()
