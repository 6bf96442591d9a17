"""``splu-ref estimate --by``: an estimated table, printed, written or drawn."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from splu_ref.channels import InputError, ParameterError
from splu_ref.cli.output import MOST_LINES
from splu_ref.data import listed, number, refuse_existing, write_all
from splu_ref.estimators import (
    MEASURES,
    MISSING,
    NO_JOINT_ERROR,
    PICTURES,
    AnswerQueries,
    Cell,
    Condition,
    Query,
    ShrinkageMethod,
    Table,
    count_table,
    measure_table,
    picture,
    table_columns,
    table_object,
)
from splu_ref.mechanisms import ReleaseData
from splu_ref.output import can_draw, draw, say, say_json, visible

FORMS = (".csv", ".csv.gz", ".parquet", ".json")
"""Suffixes of files with tables."""
NARROW = 80
"""Columns of a terminal for which the room for rows is computed."""
ALL, BLANK = "all", "(no content)"
"""Labels of all values of a column together, and of empty cells."""
NOTHING_KNOWN = "note    none: the release says nothing about the mean of such a group"


class TableOptions(NamedTuple):
    """Options of an estimated table."""

    by: Sequence[str] | None  # texts that name its columns
    # total, mean: the numeric column that is summed or averaged, if records are not counted
    total: str | None
    mean: str | None
    # output, picture: files for the table and its picture
    output: Path | None
    picture: Path | None
    force: bool  # whether existing files may be overwritten
    every: bool  # whether all rows are printed

    def require(self) -> None:
        """Raise unless the files can be written; for use before long work."""
        if self.total is not None and self.mean is not None:
            raise ParameterError("a table has sums with --sum or means with --mean: drop one")
        if not self.by and (self.total is not None or self.mean is not None):
            raise ParameterError("--sum and --mean are for a table: name its columns with --by COLUMN")
        for option, path, forms in (("output", self.output, FORMS), ("picture", self.picture, PICTURES)):
            if path is None:
                continue
            if not self.by:
                raise ParameterError(
                    f"--{option} is for a table: add --by COLUMN,COLUMN, or leave out --{option}"
                )
            if not path.name.endswith(forms):
                raise ParameterError(f"--{option} {path}: end its name in {', '.join(forms)}")
            refuse_existing(path, force=self.force)
        if self.picture is not None and not can_draw():
            raise InputError(f"--picture: {MISSING}")

    @property
    def named(self) -> tuple[str, ...]:
        """Texts that name columns; those of ``by`` may name several."""
        return tuple(text for text in (*(self.by or ()), self.total, self.mean) if text is not None)

    def columns(self, release: ReleaseData) -> tuple[str, ...]:
        """Return the columns of the table: a text with commas is several, unless a column has that name."""
        there = release.table.columns
        return tuple(
            name
            for text in self.by or ()
            for name in ([text] if text in there else map(str.strip, text.split(",")))
        )


def values_of(release: ReleaseData) -> Callable[[str], Sequence[str] | None]:
    """Return a function from a column's name to its values, or to None if the release has no such column."""

    @cache
    def values(column: str) -> Sequence[str] | None:
        if column not in (*release.table.columns, *release.domains):  # two tables share out their columns
            return None
        return release.domains.get(column) or release.table.values(column)

    return values


def make_table(
    release: ReleaseData,
    ask: AnswerQueries,
    where: Sequence[tuple[str, Condition]],
    options: TableOptions,
    method: str | None = None,
    *,
    as_json: bool,
) -> Table:
    """Estimate a table, print or write it, and return it."""
    by = options.columns(release)
    measured = options.total if options.mean is None else options.mean
    if measured is None:
        table = count_table(release, ask, by, where, method)
    elif method is not None:
        raise ParameterError("sums and means are estimated by inversion alone: leave --method out")
    else:
        table = measure_table(release, "sum" if options.mean is None else "mean", measured, by, where)
    files = []
    if options.output is not None:
        files.append((options.output, _bytes(table, options.output)))
    if options.picture is not None:
        files.append((options.picture, picture(table, options.picture.suffix)))
    write_all(files, force=options.force)
    if as_json:
        say_json(table_object(table), indent=2)
    elif options.output is None:
        _show(table, release, every=options.every, without=_without_number(release, measured))
    for path, _ in files if not as_json else ():
        say(f"written {path}: {len(table.cells)} lines of {' by '.join(table.by)}")
    return table


def _bytes(table: Table, path: Path) -> bytes:
    columns = table_columns(table)  # which refuses names that stand for numbers
    if path.name.endswith(".json"):
        return (json.dumps(table_object(table), indent=2) + "\n").encode()
    import polars as pl  # noqa: PLC0415  a table on the terminal need not load them

    from splu_ref.data import Microdata, table_bytes  # noqa: PLC0415

    kinds = dict.fromkeys(MEASURES, pl.Float64) | dict.fromkeys(table.by, pl.String)
    return table_bytes(Microdata.from_frame(pl.DataFrame(columns, schema_overrides=kinds)), path)


def _without_number(release: ReleaseData, measured: str | None) -> str:
    """Return what to say of records that are in no sum or mean, if their number is not public."""
    if measured is None or all(number(value) is not None for value in release.domains.get(measured, ())):
        return ""
    return f", except those whose true {measured} is no number: how many is not published"


def _show(table: Table, release: ReleaseData, *, every: bool, without: str) -> None:
    """Print a table with the notes on it; without ``every`` as many rows as leave room for these.

    ``without`` names the records that are left out, in addition to those that ``table.rows`` leaves out.
    """
    from rich.table import Table as Grid  # noqa: PLC0415 - JSON needs neither
    from rich.text import Text  # noqa: PLC0415

    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in table.by:
        grid.add_column(Text(visible(column)), overflow="fold")
    qualified = table.warning is not None and any(cell.interval for cell in table.cells)
    level = "interval" if qualified else "95 % interval"  # the warning says which it is
    rows = release.table.row_count
    for name in (table.quantity, "standard error", level):
        grid.add_column(Text(visible(name)), justify="right", overflow="fold")
    lines = (*table.cells, *table.totals)
    methods = ", ".join(dict.fromkeys(cell.method for cell in lines))
    accuracy = {cell.approximation for cell in table.cells}
    accuracy |= {cell.approximation for cell in table.totals} - {"exact"}
    joint = len({*table.by, *dict(table.where)} & set(release.domains)) > 1
    unknown = any(cell.is_known and cell.standard_error is None and cell.interval for cell in lines)
    known = [cell for cell in lines if cell.is_known]
    reasons = dict.fromkeys(cell.warning for cell in known if cell.warning is not None)
    has_average = any(cell.method == ShrinkageMethod.name and cell.standard_error for cell in lines)
    averaged = "; standard errors of shrunk: on average over the values" if has_average else ""
    mark = "*: " if reasons else ""
    more = f"; and {len(reasons) - 1} more (--json)" if len(reasons) > 1 else ""
    warnings = [reason for reason in (table.warning, *reasons) if reason is not None][:1]
    notes = [
        *([f"where   {Query(table.where)}"] if table.where else []),
        f"method  {methods}; intervals: {', '.join(sorted(accuracy))}{averaged}",
        f"among   {table.rows} of the {rows} records of the release, with their true values{without}",
        *([f"note    {NO_JOINT_ERROR}"] if joint and unknown else []),
        *([NOTHING_KNOWN] if len(known) < len(lines) else []),
        *(f"warning {mark}{reason}{more}" for reason in warnings),
    ]
    room = len(lines) if every else MOST_LINES - 2 - sum(1 + len(note) // NARROW for note in notes)
    shown = len(lines) if len(lines) <= room + 1 else room
    for cell in lines[:shown]:
        grid.add_row(*(Text(visible(text)) for text in _texts(cell)))
    draw(grid)
    if lines[shown:]:
        say(f"rest    {len(lines) - shown} more of {len(lines)} lines: add --explain, or write all: -o FILE")
    for note in notes:
        say(note)


def _texts(cell: Cell) -> list[str]:
    texts = [ALL if value is None else listed(value) or BLANK for value in cell.values]
    estimate = _shown(cell.estimate) if cell.is_known else "none"
    error = "none" if cell.standard_error is None or not cell.is_known else _shown(cell.standard_error)
    if cell.interval is None:
        return [*texts, estimate, error, "none"]
    low, high = cell.interval
    mark = "" if cell.warning is None or not cell.is_known else " *"
    return [*texts, estimate, error, f"{_shown(low)} to {_shown(high)}{mark}"]


def _shown(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
