"""Figures 7 to 12 of Fu et al. 2014 from the pieces of a study."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from experiments.study.exhibits import Figure, Panel, Point, Series
from experiments.study.experiments import Results
from experiments.study.level import PAIR_CLASSES, selectivities
from experiments.study.pieces import Piece

ERROR = "mean relative error"
OTHERS = ("two tables", "DBR", "Laplace ln 3", "Laplace ln 2", "two tables less decoys")
NAMES = {"two tables": "Anatomy"}
PAPER = ("anatomy", "printed")
"""What the paper calls SPLU-Gen: Anatomy's groups and the printed iteration."""
_PAIR_ORDER = ("printed", "published count", "n f'g'/N²", "em", "inversion", "shrunk")


def figures(results: Results) -> list[Figure]:
    """Return the figures of one table."""
    found = [_small(results), _large(results)]
    if len({rows for _, rows in results.by_rows}) > 1:
        found.append(_by_rows(results))
    if results.pairs:
        found.append(_pairs(results))
    shown = [
        replace(figure, panels=tuple(panel for panel in figure.panels if panel.series))
        for figure in [*found, _publishing(results)]
    ]
    return [figure for figure in shown if figure.panels]


def error_points(
    pieces: Sequence[Piece], method: str, labels: dict[int, tuple[float, str]]
) -> tuple[Point, ...]:
    """Return the mean relative errors of a method by class, for the classes in ``labels``."""
    points = []
    for number, (x, label) in labels.items():
        rows = [row for piece in pieces for row in piece["classes"] if row["class"] == number]
        values = [row["errors"][method] for row in rows if method in row["errors"]]
        if values and len(values) == len(rows):
            points.append(Point.of(x, label, values, rows[0]["queries"]))
    return tuple(points)


def class_labels(bounds: Sequence[Fraction], first: int) -> dict[int, tuple[float, str]]:
    """Return, for each class of selectivity, its middle in percent and its name."""
    return {
        number: (float(low + high) / 2, f"{float(low):g}–{float(high):g} %")
        for number, (low, high) in enumerate(pairwise(bounds), start=first)
    }


def methods(pieces: Sequence[Piece]) -> list[str]:
    """Return the methods that answered, in order."""
    return list(dict.fromkeys(name for piece in pieces for row in piece["classes"] for name in row["errors"]))


def _line(name: str, points: Iterable[Point], *, drawn: bool) -> Series:
    return Series(name, tuple(points), drawn)


def _kept(lines: Iterable[Series]) -> tuple[Series, ...]:
    return tuple(line for line in lines if line.points)


def _small(results: Results) -> Figure:
    drawn = {("mixed", "exact"), ("mixed", "shrunk"), ("mixed", "published count"), PAPER}
    small = (0, "counts 1 to 10")
    lines = []
    for plan in dict.fromkeys(plan for plan, _ in results.by_gamma):
        gammas = [gamma for other, gamma in results.by_gamma if other == plan]
        named = methods([piece for gamma in gammas for piece in results.by_gamma[plan, gamma]])
        for method in named:
            points = [
                point
                for gamma in gammas
                for point in error_points(results.by_gamma[plan, gamma], method, {0: (gamma, small[1])})
            ]
            lines.append(_line(f"{plan} plan, {method}", points, drawn=(plan, method) in drawn))
    for method in OTHERS:
        points = [
            point
            for gamma, pieces in results.others_by_gamma.items()
            for point in error_points(pieces, method, {0: (gamma, small[1])})
        ]
        lines.append(_line(NAMES.get(method, method), points, drawn=method != "two tables less decoys"))
    number = results.table.recipe.small_figure
    return Figure(
        id=f"{results.table.name}-figure-{number}",
        title=f"Figure {number}: small counts, {results.table.name}",
        caption="Queries with a true count from 1 to 10. The paper's SPLU-Gen is the line of the anatomy "
        "plan with the printed iteration. An answer of 0 to every query has the error 1.",
        x_label="γ",
        y_label=ERROR,
        panels=(Panel("counts 1 to 10", _kept(lines)),),
    )


def _large(results: Results) -> Figure:
    table = results.table
    labels = class_labels(selectivities(table), 1)
    by_plan = {
        plan: {method: error_points(pieces, method, labels) for method in methods(pieces)}
        for plan, pieces in results.releases.items()
    }
    others = [
        _line(
            NAMES.get(method, method),
            error_points(results.others, method, labels),
            drawn=method in OTHERS[:2],
        )
        for method in OTHERS
    ]
    paper = [
        _line("SPLU-Gen as printed (anatomy plan)", by_plan["anatomy"].get("printed", ()), drawn=True),
        _line("mixed plan, shrunk", by_plan["mixed"].get("shrunk", ()), drawn=True),
        *others,
    ]
    mixed = [
        _line(method, points, drawn=method != "inversion") for method, points in by_plan["mixed"].items()
    ]
    plans = [
        _line(f"{plan} plan, {method}", points, drawn=method == "exact")
        for plan, found in by_plan.items()
        for method, points in found.items()
    ]
    number = table.recipe.large_figure
    return Figure(
        id=f"{table.name}-figure-{number}",
        title=f"Figure {number}: large counts, {table.name}, γ = {table.gamma}",
        caption=f"Relative error by selectivity, {table.rows:,} records. "
        "Bars: standard deviation over releases.",
        x_label="selectivity (%)",
        y_label=ERROR,
        panels=(
            Panel("as in the paper", _kept(paper)),
            Panel("mixed plan, every estimate", _kept(mixed)),
            Panel("exact, every plan", _kept(plans)),
        ),
    )


def _by_rows(results: Results) -> Figure:
    labels = class_labels(selectivities(results.table), 1)
    chosen = {number: label for number, label in labels.items() if 2 <= number <= 6}
    sizes = list(dict.fromkeys(rows for _, rows in results.by_rows))

    def panel(title: str, found: dict[int, list[Piece]], method: str) -> Panel:
        lines = []
        for number, (_, name) in chosen.items():
            points = [
                point
                for rows in sizes
                for point in error_points(found[rows], method, {number: (rows / 1000, name)})
            ]
            lines.append(_line(name, points, drawn=True))
        return Panel(title, _kept(lines))

    mixed, anatomy = ({rows: results.by_rows[plan, rows] for rows in sizes} for plan in ("mixed", "anatomy"))
    panels = (
        panel("SPLU-Gen as printed", anatomy, "printed"),
        panel("Anatomy", results.others_by_rows, "two tables"),
        panel("DBR", results.others_by_rows, "DBR"),
        panel("mixed plan, exact", mixed, "exact"),
        panel("mixed plan, shrunk", mixed, "shrunk"),
    )
    return Figure(
        id=f"{results.table.name}-figure-9",
        title=f"Figure 9: size of the table, {results.table.name}, γ = {results.table.gamma}",
        caption="Relative error on random parts of the table, by selectivity.",
        x_label="thousand records",
        y_label=ERROR,
        panels=panels,
    )


def _pairs(results: Results) -> Figure:
    labels = class_labels(PAIR_CLASSES, 0)
    pieces = [piece for found in results.pairs.values() for piece in found]

    def panel(method: str) -> Panel:
        lines = []
        for number, (_, name) in labels.items():
            points = [
                point
                for gamma, found in results.pairs.items()
                for point in error_points(found, method, {number: (gamma, name)})
            ]
            lines.append(_line(name, points, drawn=True))
        return Panel(method, _kept(lines))

    table = results.table
    return Figure(
        id=f"{table.name}-figure-12",
        title=f"Figure 12: two sensitive columns, {table.name}",
        caption=f"Queries on {table.recipe.sensitive} and {table.recipe.second}, each published with a mixed "
        "plan. Lines that leave the picture are in the numbers.",
        x_label="γ",
        y_label=ERROR,
        panels=tuple(map(panel, sorted(methods(pieces), key=_PAIR_ORDER.index))),
        highest=1.2,
    )


def _publishing(results: Results) -> Figure:
    plans = list(dict.fromkeys(plan for piece in results.publishing.values() for plan in piece["seconds"]))
    lines = tuple(
        Series(
            f"{plan} plan",
            tuple(
                Point.of(gamma, f"{results.table.rows} records", [piece["seconds"][plan]], 0)
                for gamma, piece in results.publishing.items()
            ),
        )
        for plan in plans
    )
    return Figure(
        id=f"{results.table.name}-publishing-time",
        title=f"Section 6.5: time of one release, {results.table.name}",
        caption=f"{results.table.rows:,} records, one sensitive column, one core.",
        x_label="γ",
        y_label="seconds",
        panels=(Panel("publishing", lines),),
    )
