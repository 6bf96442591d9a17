"""The whole of a study: figures, costs and criteria, and the files they make."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from experiments.study.criteria import Criterion, criteria
from experiments.study.drawing import drawings
from experiments.study.exhibits import Figure
from experiments.study.experiments import Results
from experiments.study.figures import figures
from experiments.study.pieces import Piece
from splu_ref.data.folders import check_folder, make_folder, write_folder

NUMBERS = "study.json"


@dataclass(frozen=True)
class Summary:
    """What a study found.

    Attributes
    ----------
    tables
        Facts and costs of each table.
    figures
        All figures.
    criteria
        All requirements.
    """

    tables: tuple[Piece, ...]
    figures: tuple[Figure, ...]
    criteria: tuple[Criterion, ...]

    @property
    def holds(self) -> bool:
        """Whether no requirement fails."""
        return all(one.holds is not False for one in self.criteria)

    def as_json(self) -> dict[str, object]:
        """Return everything as one object."""
        return {
            "holds": self.holds,
            "criteria": [one.as_json() for one in self.criteria],
            "tables": list(self.tables),
            "figures": [figure.as_json() for figure in self.figures],
        }


def summary(results: Sequence[Results]) -> Summary:
    """Return figures, costs and criteria of a study's pieces."""
    return Summary(
        tuple(_facts(one) for one in results),
        tuple(figure for one in results for figure in figures(one)),
        tuple(criteria(results)),
    )


def _facts(results: Results) -> Piece:
    table = results.table
    mixed = results.releases["mixed"]
    per_query = {
        name: fmean(piece["seconds"][name] / max(piece["queries"], 1) for piece in mixed)
        for name in mixed[0]["seconds"]
    }
    return {
        "name": table.name,
        "rows": table.rows,
        "sensitive": table.recipe.sensitive,
        "values": table.domain_size,
        "gamma": int(table.gamma),
        "columns": list(table.columns),
        "queries": mixed[0]["queries"],
        "seconds_per_query": per_query,
        "printed_steps": {
            f"{plan} plan, {kind} counts": _steps(pieces, large=kind == "large")
            for plan, pieces in results.releases.items()
            for kind in ("small", "large")
        },
    }


def _steps(pieces: Sequence[Piece], *, large: bool) -> dict[str, float] | None:
    """Return the printed iteration's steps: medians, means and the most, over classes and releases."""
    rows = [
        (row["queries"], row["steps"])
        for piece in pieces
        for row in piece["classes"]
        if (row["class"] > 0) is large and row["steps"]
    ]
    if not rows:
        return None
    queries = sum(count for count, _ in rows)
    return {
        "median": fmean(steps["median"] for _, steps in rows),
        "mean": sum(count * steps["mean"] for count, steps in rows) / queries,
        "most": max(steps["most"] for _, steps in rows),
    }


def prepare(folder: Path, *, force: bool) -> None:
    """Create a report folder, or raise if the report cannot be written there; for use before the work.

    Raises
    ------
    InputError
        As `splu_ref.data.folders.make_folder`, or if a finished study is there and ``force`` is false.
    """
    check_folder(folder, [NUMBERS], force=force)
    make_folder(folder)


def write_study(found: Summary, more: Mapping[str, object], folder: Path, *, force: bool) -> list[Path]:
    """Write the numbers as JSON, and each figure as CSV, SVG and PNG; return the paths.

    Without matplotlib there are no pictures.

    Raises
    ------
    InputError
        As `splu_ref.data.folders.write_folder`.
    """
    text = json.dumps({**more, **found.as_json()}, ensure_ascii=False, indent=1) + "\n"
    contents = {NUMBERS: text.encode()}
    for figure in found.figures:
        contents[f"{figure.id}.csv"] = figure.as_csv().encode()
        contents |= {f"{figure.id}{suffix}": data for suffix, data in drawings(figure).items()}
    return write_folder(folder, contents, force=force)
