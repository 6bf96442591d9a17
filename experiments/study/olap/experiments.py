"""Figures 4 to 14 of Agrawal, Srikant and Thomas 2005, from reconstructions of perturbed tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path

from experiments.study.exhibits import Figure, Panel, Point, Series
from experiments.study.olap.level import OlapLevel
from experiments.study.olap.library_tree import library_tree, library_version
from experiments.study.olap.reconstruction import errors
from experiments.study.pieces import Piece, Pieces
from splu_proofs.olap.exactly import (
    INTERVALS,
    cell_retention,
    condition,
    largest_relative,
    table_retention,
    theorem5_retention,
)
from splu_proofs.olap.tables import OlapTable, zipf
from splu_proofs.olap.tree import DEPTH, accuracies
from splu_ref.channels.breach import Levels
from splu_ref.randomness import UniformSource

LINES = ("randomized", "iterative", "inversion")
L1 = "ℓ₁ distance from the true shares"
CONDITION_COLUMNS = 10
RHO1 = tuple(Fraction(tenths, 10) for tenths in range(1, 10))
RHO2 = Fraction(95, 100)
TREE_RETENTIONS = (Fraction(1), *(Fraction(tenths, 10) for tenths in (8, 5, 3, 2)))
RARE = Fraction(1, 10)
Sources = Callable[[str], UniformSource]


@dataclass(frozen=True)
class _Bench:
    """What every experiment needs."""

    level: OlapLevel
    sources: Sources
    store: Pieces
    advance: Callable[[], None]

    def errors(self, table: OlapTable, keep: Fraction, sizes: Sequence[int]) -> Piece:
        """Return the errors of reconstruction, from the store if they are there."""
        name = f"{table.name}/{table.rows}/{keep}"
        key = {
            "piece": "olap",
            "table": table.digest,
            "retention": str(keep),
            "sizes": list(sizes),
            "runs": self.level.runs,
        }
        found = self.store.get(key, lambda: errors(table, keep, sizes, self.level.runs, self.sources(name)))
        self.advance()
        return found

    def trees(self, table: OlapTable, keep: Fraction) -> Piece:
        """Return the accuracies of trees, from the store if they are there."""
        key = {"piece": "olap trees", "table": table.digest, "retention": str(keep), "runs": self.level.runs}
        key["library"] = library_version() or "none"
        source = self.sources(f"{table.name}/tree/{keep}")
        learners = {} if library_version() is None else {"scikit-learn": library_tree}
        found = self.store.get(key, lambda: accuracies(table, keep, self.level.runs, source, learners))
        self.advance()
        return found


def run(
    adult: OlapTable,
    level: OlapLevel,
    sources: Sources,
    *,
    folder: Path | None = None,
    common: Mapping[str, object] | None = None,
    progress: Callable[[int, int], None] = lambda done, whole: None,
) -> list[Figure]:
    """Make all figures.

    Parameters
    ----------
    adult
        The table of figures 4, 5, 7, 8, 13 and 14.
    level
        How much.
    sources
        Where random integers come from, by name.
    folder
        The report folder, in which finished pieces are kept and found.
    common
        What else distinguishes this study's pieces: its seed.
    progress
        Called with the number of pieces done and of all.
    """
    size = len(adult.columns)
    sizes = level.zipf_columns
    settings = [*((rows, False) for rows in level.zipf_rows), (level.zipf_rows[-1], True)]
    tables = [zipf(rows, sizes[-1], sources(f"Zipf/{rows}/{half}"), half=half) for rows, half in settings]
    retentions = sorted({*level.retentions, *level.curves})
    whole, done = len(retentions) + len(tables) * len(level.curves) + len(TREE_RETENTIONS), 0

    def advance() -> None:
        nonlocal done
        done += 1
        progress(done, whole)

    progress(0, whole)
    bench = _Bench(level, sources, Pieces(folder, common or {}), advance)
    by_retention = {keep: bench.errors(adult, keep, range(1, size + 1)) for keep in retentions}
    curves = [{keep: bench.errors(table, keep, sizes) for keep in level.curves} for table in tables]
    return [
        *_by_retention(adult, by_retention, level),
        _condition(),
        *_by_columns(adult, by_retention, level),
        *_zipf(list(zip(tables, curves, strict=True)), level),
        *(_safe(adult, columns) for columns in (2, 3)),
        *([] if adult.labels is None else [_trees(bench, adult)]),
    ]


def _trees(bench: _Bench, table: OlapTable) -> Figure:
    found = {keep: bench.trees(table, keep) for keep in TREE_RETENTIONS}
    lines = [
        _series(name, ((float(keep), str(keep), found[keep][name], table.rows) for keep in TREE_RETENTIONS))
        for name in found[TREE_RETENTIONS[0]]
    ]
    return Figure(
        id="olap-tree",
        title=f"Decision trees ({table.name})",
        caption="Share of the held-out records whose class is said right; the class is an occupation in "
        f"management or a profession; {bench.level.runs} releases a point.",
        x_label="retention probability p",
        y_label="accuracy",
        panels=(Panel(f"{DEPTH} levels at most", tuple(lines)),),
        highest=1.0,
    )


def _series(name: str, found: Iterator[tuple[float, str, Sequence[float], int]]) -> Series:
    return Series(name, tuple(Point.of(x, label, values, queries) for x, label, values, queries in found))


def _exact(name: str, found: Iterator[tuple[float, Fraction | float]], *, drawn: bool = True) -> Series:
    """Return a line of numbers that are not sampled: from no release."""
    return Series(name, tuple(Point(x, f"{x:g}", float(y), None, 0, 1) for x, y in found), drawn)


def _by_retention(table: OlapTable, found: Mapping[Fraction, Piece], level: OlapLevel) -> Iterator[Figure]:
    for number, columns in ((4, 2), (5, 3)):
        names = " and ".join(str(column) for column in table.columns[:columns])
        key = str(columns)
        lines = [
            _series(name, ((float(p), str(p), found[p][key][name], 2**columns) for p in level.retentions))
            for name in LINES
        ]
        sampled = _series(
            "inversion",
            ((float(p), str(p), found[p][key]["inversion_l2"], 2**columns) for p in level.retentions),
        )
        exact = _exact(
            "inversion, exact expectation",
            ((float(p), found[p][key]["expected_l2"]) for p in level.retentions),
        )
        yield Figure(
            id=f"olap-figure-{number}",
            title=f"Reconstruction of {columns} columns ({table.name}, {table.rows} records)",
            caption=f"Figure {number}: {names}; {level.runs} releases a point.",
            x_label="retention probability p",
            y_label="error of the shares",
            panels=(
                Panel("ℓ₁ error", tuple(lines)),
                Panel("squared ℓ₂ error of the inversion", (sampled, exact)),
            ),
            log=True,
        )


def _condition() -> Figure:
    keeps = [Fraction(keep, 10) for keep in (2, 3, 5, 8)]
    panels = []
    for share in (Fraction(1, 2), Fraction(1, 10)):
        for norm in ("1- and ∞-norm", "2-norm"):
            lines = []
            for keep in keeps:
                one = condition(keep, share)
                base = one.two[0] if norm == "2-norm" else one.one
                numbers = ((float(k), base**k) for k in range(1, CONDITION_COLUMNS + 1))
                lines.append(_exact(f"p = {float(keep):g}", numbers))
            panels.append(Panel(f"{norm}, b = {float(share):g}", tuple(lines)))
    return Figure(
        id="olap-figure-6",
        title="Condition number of the transition matrix",
        caption="Figure 6: exact in the 1- and the ∞-norm, which agree; in the 2-norm rounded.",
        x_label="columns k",
        y_label="condition number",
        panels=tuple(panels),
        log=True,
    )


def _by_columns(table: OlapTable, found: Mapping[Fraction, Piece], level: OlapLevel) -> Iterator[Figure]:
    names = ", ".join(str(column) for column in table.columns)
    for number, method in ((7, "iterative"), (8, "inversion")):
        lines = [
            _series(
                f"p = {float(keep):g}",
                ((k, str(k), found[keep][str(k)][method], 2**k) for k in range(1, len(table.columns) + 1)),
            )
            for keep in level.curves
        ]
        yield Figure(
            id=f"olap-figure-{number}",
            title=f"Error by number of columns, {method} ({table.name}, {table.rows} records)",
            caption=f"Figure {number}: the first of {names}; {level.runs} releases a point.",
            x_label="columns k",
            y_label=L1,
            panels=(Panel(method, tuple(lines)),),
            log=True,
        )


def _zipf(found: Sequence[tuple[OlapTable, Mapping[Fraction, Piece]]], level: OlapLevel) -> Iterator[Figure]:
    sizes, most = level.zipf_columns, level.zipf_columns[-1]
    panels: dict[str, list[tuple[OlapTable, Mapping[Fraction, Piece]]]] = {}
    for table, pieces in found:
        panels.setdefault(table.name, []).append((table, pieces))

    def figure(number: int, title: str, x_label: str, lines: Mapping[str, Sequence[Series]]) -> Figure:
        return Figure(
            id=f"olap-figure-{number}",
            title=title,
            caption=f"Figure {number}: most likely counts; {level.runs} releases a point.",
            x_label=x_label,
            y_label=L1,
            panels=tuple(Panel(name, tuple(each)) for name, each in lines.items()),
            log=True,
        )

    def by_columns(name: str, piece: Piece) -> Series:
        return _series(name, ((k, str(k), piece[str(k)]["iterative"], 2**k) for k in sizes))

    def named(table: OlapTable) -> str:
        return f"n = {table.rows}, b = {float(table.columns[0].share):.2f}"

    yield figure(
        9,
        f"Error by number of columns, {named(found[len(level.zipf_rows) - 1][0]).partition(',')[0]}",
        "columns k",
        {
            name: [by_columns(f"p = {float(keep):g}", each[-1][1][keep]) for keep in level.curves]
            for name, each in panels.items()
        },
    )
    yield figure(
        10,
        f"Error by retention, {most} columns",
        "retention probability p",
        {
            name: [
                _series(
                    named(table),
                    (
                        (float(keep), str(keep), pieces[keep][str(most)]["iterative"], 2**most)
                        for keep in level.curves
                    ),
                )
                for table, pieces in each
            ]
            for name, each in panels.items()
        },
    )
    for number, keep in ((11, level.curves[0]), (12, level.curves[-1])):
        yield figure(
            number,
            f"Error by number of columns, p = {float(keep):g}",
            "columns k",
            {
                name: [by_columns(named(table), pieces[keep]) for table, pieces in each]
                for name, each in panels.items()
            },
        )


def _safe(table: OlapTable, columns: int) -> Figure:
    largest = largest_relative(table, columns)
    shares = [Fraction(1, INTERVALS)] * columns
    levels = [Levels(rho1, RHO2) for rho1 in RHO1]
    named = {
        f"s = {float(largest):.1f}, the largest": largest,
        "s = 1": Fraction(1),
        "s = 0.1": RARE,
    }
    lines = []
    for name, relative in named.items():
        prior = relative / INTERVALS**columns
        ways: dict[str, Callable[..., Fraction]] = {
            "Theorem 5": partial(theorem5_retention, relative, columns=columns),
            "exact, any other records": partial(_cell, prior, shares),
            "exact, this table": partial(table_retention, table, columns, relative=relative),
        }
        lines += [
            _exact(f"{name}: {way}", ((float(each.rho1), largest_p(levels=each)) for each in levels))
            for way, largest_p in ways.items()
        ]
    names = ", ".join(column.name for column in table.columns[:columns])
    return Figure(
        id=f"olap-figure-{11 + columns}",
        title=f"Largest p without a breach, {columns} columns ({table.name})",
        caption=f"Figure {11 + columns}: ρ₂ = 0.95; cells of ten intervals of each of {names}.",
        x_label="ρ₁",
        y_label="largest safe p",
        panels=(Panel(f"k = {columns}", tuple(lines)),),
        highest=1.0,
    )


def _cell(prior: Fraction, shares: Sequence[Fraction], levels: Levels) -> Fraction:
    return cell_retention(min(prior, levels.rho1), shares, levels)
