"""A table of estimates for programs: columns of a data frame, or an object of JSON."""

from __future__ import annotations

from typing import Any

from splu_ref.estimators import Query
from splu_ref.model import ParameterError
from splu_ref.tables.cells import Cell, Table

MEASURES = ("estimate", "standard_error", "low", "high", "half_width")
"""Columns of numbers with a fraction."""
_NAMES = {*MEASURES, "approximation", "method", "published_count", "predicate_count"}


def table_columns(table: Table) -> dict[str, list[Any]]:
    """Return the lines of a table as columns: those of its values, then the numbers, without totals.

    Raises
    ------
    ParameterError
        If a column of the table has the name of a column of numbers.
    """
    for column in table.by:
        if column in _NAMES:
            raise ParameterError(
                f"the column {column!r} would stand beside the numbers of that name: rename it"
            )
    found: dict[str, list[Any]] = {
        column: [cell.values[place] for cell in table.cells] for place, column in enumerate(table.by)
    }
    ends = [cell.interval or (None, None) for cell in table.cells]
    numbers: dict[str, list[float | None]] = {
        "estimate": [cell.estimate for cell in table.cells],
        "standard_error": [cell.standard_error for cell in table.cells],
        "low": [low for low, _ in ends],
        "high": [high for _, high in ends],
        "half_width": [half_width(cell.interval) for cell in table.cells],
    }
    return (
        found
        | {name: [None if each is None else float(each) for each in some] for name, some in numbers.items()}
        | {
            "approximation": [cell.approximation for cell in table.cells],
            "method": [cell.method for cell in table.cells],
            "published_count": [cell.published_count for cell in table.cells],
            "predicate_count": [cell.predicate_count for cell in table.cells],
        }
    )


def table_object(table: Table) -> dict[str, Any]:
    """Return a table as an object of JSON, with its totals."""
    found: dict[str, Any] = {
        "quantity": table.quantity,
        "by": list(table.by),
        "where": str(Query(table.where)) if table.where else "",
        "rows": table.rows,
        "cells": [cell_object(table, cell) for cell in table.cells],
        "totals": [cell_object(table, cell) for cell in table.totals],
    }
    return found if table.warning is None else found | {"warning": table.warning}


def cell_object(table: Table, cell: Cell) -> dict[str, Any]:
    """Return a line of a table as an object of JSON; a value that stands for all is left out."""
    interval = None if cell.interval is None else [_number(end) for end in cell.interval]
    return {
        "values": {
            column: value for column, value in zip(table.by, cell.values, strict=True) if value is not None
        },
        "estimate": _number(cell.estimate),
        "standard_error": cell.standard_error,
        "interval": interval,
        "half_width": half_width(cell.interval),
        "approximation": cell.approximation,
        "method": cell.method,
        "published_count": cell.published_count,
        "predicate_count": cell.predicate_count,
    }


def half_width(interval: tuple[float, float] | None) -> float | int | None:
    """Return half the length of an interval, None without one."""
    return None if interval is None else _number((interval[1] - interval[0]) / 2)


def _number(value: float) -> float | int:
    """Return a whole number as an integer."""
    return int(value) if value == int(value) else value
