"""What studies of small tables find, whole, as the files in the folder ``whole`` hold it.

``python -m tests.experiments.study.documents`` writes the files anew, for whoever changes a number or a
figure: the difference is to be read before it is kept. Every clock ticks a second a look.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import asdict, replace
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
from matplotlib.figure import Figure as MplFigure

from experiments.commands import study as command
from experiments.commands import study_coverage
from experiments.commands.study_figures import show_figures
from experiments.study import LEVELS, RECIPES, SETTINGS, Figure, Level, Recipe, Setting, as_csv, as_markdown
from experiments.study import bench as clock_of_releases
from experiments.study import methods as clock_of_methods
from experiments.study.experiments import Results, run
from experiments.study.generated import GENERATED
from experiments.study.methods import FloatArray
from experiments.study.olap import OLAP_LEVELS, OlapLevel, adult
from experiments.study.olap import experiments as olap
from experiments.study.pieces import FOLDER as PIECES
from experiments.study.tables import StudyTable, study_table
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
    """Return the pieces of a study, by which parameters they are found again, and the progress told."""
    told: list[tuple[int, int]] = []
    with ticking(), TemporaryDirectory() as folder:
        [found] = run(
            [towns("census_kdd_workers")], LEVEL, sources, printed=printed, folder=Path(folder),
            common={"seed": 7}, progress=lambda done, whole: told.append((done, whole)),
        )  # fmt: skip
        kept = [json.loads(path.read_text("utf-8")) for path in (Path(folder) / PIECES).iterdir()]
    keys = [{name: each for name, each in piece["parameters"].items() if name != "code"} for piece in kept]
    return found, sorted(keys, key=str), told


def _study() -> object:
    found, keys, told = results()
    shown = {
        "releases": found.releases,
        "others": found.others,
        "by rows": {str(key): len(pieces) for key, pieces in found.by_rows.items()},
        "pairs": found.pairs,
    }
    return [shown, keys, told]


def _summary() -> object:
    return summaries.summary([results()[0]]).as_json()


def _lines() -> str:
    found = summaries.summary([results()[0]])
    unknown = [replace(one, holds=None) for one in found.criteria[:1]]
    other = replace(found, criteria=(*unknown, *found.criteria[1:]))
    lines = [f"{name}: {told}\n" for name, told in command._lines(other)]
    with redirect_stdout(StringIO()) as out:
        show_figures(found.figures[:2])
    screen = [" ".join(line.split()) + "\n" for line in out.getvalue().splitlines()]
    return "".join([*lines, *screen])


def _coverage() -> str:
    level = judging.CoverageLevel(3, 2)
    told: list[tuple[int, int]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(GENERATED, "towns", towns)
        found = judging.coverage(JUDGED, None, level, sources, progress=lambda *each: told.append(each))
    wrong = [replace(found[0], coverage=0.5), replace(found[1], coverage=0.25)]
    lines = [f"{name}: {line}\n" for each in ([], wrong) for name, line in study_coverage._told(found, each)]
    tables = [as_markdown(found, judged.name) for judged in judging.INTERVALS]
    return "".join([as_csv(found), *tables, *lines, f"{told}\n"])


def _olap() -> object:
    whole = adult()
    assert whole.labels is not None
    part = replace(whole, values=whole.values[:, :400], labels=whole.labels[:400])
    told: list[tuple[int, int]] = []
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setattr(olap, "RHO1", (Fraction(1, 2),))
        patch.setattr(olap, "library_version", lambda: None)
        figures = olap.run(
            part, OLAP_LEVEL, sources, folder=Path(folder), common={"seed": 7},
            progress=lambda *each: told.append(each),
        )  # fmt: skip
        kept = [json.loads(path.read_text("utf-8")) for path in (Path(folder) / PIECES).iterdir()]
    keys = [{name: each for name, each in piece["parameters"].items() if name != "code"} for piece in kept]
    return [[figure.as_json() for figure in figures], sorted(keys, key=str), told]


def _tables() -> object:
    embedded = study_table("adult_demo")
    read = [embedded, embedded.joint(), *(made() for made in GENERATED.values())]
    return {
        "tables": [[each.name, each.columns, each.rows, each.sizes, each.digest] for each in read],
        "levels": [asdict(each) for each in LEVELS.values()],
        "olap": [asdict(each) for each in OLAP_LEVELS.values()],
        "recipes": {name: asdict(each) for name, each in RECIPES.items()},
        "settings": [each.name for each in SETTINGS],
        "remainder": Setting("one hundred", "s", 7).read(None).digest,
    }


def _drawn(figure: Figure) -> list[object]:
    """Return what a figure draws: what stands on each pair of axes, where, and in which look."""
    found: list[tuple[MplFigure, str, object]] = []

    def kept(shown: MplFigure, form: str, *, dpi: object) -> bytes:
        found.append((shown, form, dpi))
        return b""

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing, "figure_bytes", kept)
        files = list(drawing.drawings(figure))
    shown = found[0][0]
    axes = []
    for each in shown.axes:
        legend = each.get_legend()
        bars = [holder for holder in each.containers if hasattr(holder, "lines")]
        looks = [
            [line.get_xdata(), line.get_ydata(), line.get_color(), line.get_marker(), line.get_linestyle(),
             line.get_markersize(), line.get_linewidth()]
            for line in each.lines
        ]  # fmt: skip
        scatter = [
            [segment.get_linewidth(), [path.vertices for path in segment.get_paths()]]
            for bar in bars
            for segment in bar.lines[2]
        ]
        axis = [
            [one.get_label_text(), one.get_scale(), one.get_view_interval(), one.get_ticklocs(),
             [tick.label1.get_visible() for tick in one.get_major_ticks()[:1]],
             one.get_major_formatter()(10.0, 0) if one.get_scale() == "log" else "",
             one.get_minor_formatter()(2.0, 0) if one.get_scale() == "log" else ""]
            for one in (each.xaxis, each.yaxis)
        ]  # fmt: skip
        axes.append({
            "title": [each.get_title(), each.title.get_fontsize()],
            "shown": each.axison,
            "spines": {name: spine.get_visible() for name, spine in each.spines.items()},
            "lines": looks,
            "names": [bar.get_label() for bar in bars],
            "scatter": scatter,
            "axis": axis,
            "legend": None if legend is None else [
                [text.get_text() for text in legend.get_texts()], legend.get_frame_on(),
                legend.get_texts()[0].get_fontsize(),
            ],
        })  # fmt: skip
    title = shown._suptitle  # type: ignore[attr-defined]  # matplotlib has no other name for it
    look = [title.get_text(), title.get_fontsize(), shown.get_size_inches()]
    return [files, [(form, dpi) for _, form, dpi in found], look, axes]


def _pictures() -> object:
    found = summaries.summary([results()[0]]).figures
    small, large, _, pairs, _ = found
    few = replace(large, panels=tuple(replace(panel, series=panel.series[:4]) for panel in large.panels))
    alike = replace(few, panels=(few.panels[1],) * 4, log=True, title="a\x1bb")
    return [_drawn(each) for each in (small, few, pairs, alike)]


DOCUMENTS: dict[str, Callable[[], object]] = {
    "study.json": _study,
    "summary.json": _summary,
    "lines.txt": _lines,
    "coverage.txt": _coverage,
    "olap.json": _olap,
    "tables.json": _tables,
    "pictures.json": _pictures,
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
