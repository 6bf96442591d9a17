"""Domains of the parts of a table: declared in a file, or the values that occur."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from splu_ref.channels import DataError
from splu_ref.cli.domains import MOST_VALUES, domain_values, read_object
from splu_ref.cli.output import note
from splu_ref.data import Microdata

_FORM = '{"job": [{"where": {"sex": "F"}, "values": ["nurse", "clerk"]}, …]}'
_MOST_PARTS = 100_000
_MOST_PART_VALUES = 500_000
"""Largest number of values of all parts together."""
_NAMED = 3
"""Number of parts that a note names."""


class SubDomains(NamedTuple):
    """The sensitive column, the columns that divide the table, and the values of each part by its cells."""

    column: str
    by: tuple[str, ...]
    domains: Mapping[tuple[str, ...], tuple[str, ...]]


def read_sub_domains(path: Path) -> SubDomains:
    """Return the sub-domains that a file declares."""
    document = read_object(path, _FORM, "sub-domains")
    [(column, parts), *others] = document.items()
    if others or not isinstance(parts, list) or not 1 <= len(parts) <= _MOST_PARTS:
        raise DataError(f"{path}: one column has a list of parts: write {_FORM}")
    by: tuple[str, ...] = ()
    listed = 0
    domains: dict[tuple[str, ...], tuple[str, ...]] = {}
    for number, part in enumerate(parts, start=1):
        place = f"{path}: part {number} of column {column!r}"
        where = _where(part, place)
        by = by or tuple(where)
        if set(where) != set(by):
            raise DataError(
                f"{place}: the part is defined by other columns than the first: name {', '.join(by)}"
            )
        cells = tuple(where[name] for name in by)
        if cells in domains:
            raise DataError(f"{place}: the part {', '.join(cells)} is repeated: keep one")
        domains[cells] = domain_values(part["values"], place)
        listed += len(domains[cells])
        if listed > _MOST_PART_VALUES:
            raise DataError(
                f"{place}: the parts up to this one have more than {_MOST_PART_VALUES} values: group them"
            )
    return SubDomains(column, by, domains)


def observed_sub_domains(table: Microdata, column: str, by: Sequence[str]) -> SubDomains:
    """Return the values that occur in each part, and warn of the values that this rules out."""
    domains: dict[tuple[str, ...], set[str]] = {}
    shown = table.read(column)
    for value, *cells in zip(shown, *(table.cells(name) for name in by), strict=True):
        domains.setdefault(tuple(cells), set()).add(value)
    for part, found in domains.items():
        if len(found) < 2 and column not in by:  # the mechanism refuses parts by the sensitive column
            where = ", ".join(f"{name} = {cell!r}" for name, cell in zip(by, part, strict=True))
            raise DataError(
                f"in the part {where} column {column!r} has the single value {next(iter(found))!r}: declare "
                "its values with --domain, or divide by fewer columns"
            )
    values = len(set(shown))
    if values > MOST_VALUES:
        raise DataError(f"column {column!r} has more than {MOST_VALUES} values: group them first")
    missing = sorted((len(found) - values, cells) for cells, found in domains.items() if len(found) < values)
    listed = "; ".join(f"{', '.join(cells)}: {-lacking}" for lacking, cells in missing[:_NAMED])
    more = f"; and {len(missing) - _NAMED} more parts" if len(missing) > _NAMED else ""
    if missing:
        note(
            f"the release discloses that some of the {values} values do not occur in a part; missing values: "
            f"{listed}{more}"
        )
    return SubDomains(column, tuple(by), {cells: tuple(sorted(found)) for cells, found in domains.items()})


def _where(part: Any, place: str) -> dict[str, str]:
    """Return the cells of a part by column."""
    if not isinstance(part, dict) or set(part) != {"where", "values"}:
        raise DataError(f"{place}: a part has where and values: write {_FORM}")
    where = part["where"]
    if not isinstance(where, dict) or not where or not all(isinstance(cell, str) for cell in where.values()):
        raise DataError(f"{place}: where has a text for each column that divides the table: write {_FORM}")
    return where
