"""Anatomy's two tables, read back: the group of each record, and the values that each group shows."""

from __future__ import annotations

import numpy as np

from splu_ref.manifest import Manifest
from splu_ref.mechanisms.release import PublishedTable
from splu_ref.mechanisms.two_tables import COUNT, GROUP, Anatomy, PublishedTwoTables, TwoTables
from splu_ref.microdata import Microdata
from splu_ref.model import DataError, ParameterError

_OF_ONE = "give the two tables and the manifest of one release"


def with_sensitive_table(
    published: Microdata, told: Manifest, sensitive_table: Microdata | None
) -> PublishedTable:
    """Return a published table with its manifest, and with Anatomy's second table.

    Raises
    ------
    DataError
        If Anatomy's second table is missing, or is not the one that the manifest tells of.
    ParameterError
        If there is a second table of a release that has one.
    """
    if not isinstance(told.mechanism, Anatomy):
        if sensitive_table is not None:
            raise ParameterError(f"a release by {told.mechanism.name} is one table: leave the second out")
        return PublishedTable(table=published, mechanism=told.mechanism, domains=told.domains, told=told)
    if sensitive_table is None:
        raise DataError(
            "Anatomy publishes two tables, and the values of the groups stand in the second: give it as "
            "well, --sensitive-table"
        )
    require_sensitive_table(told, sensitive_table)
    return PublishedTwoTables(
        table=published,
        sensitive_table=sensitive_table,
        mechanism=told.mechanism,
        domains=told.domains,
        told=told,
    )


def require_sensitive_table(told: Manifest, sensitive_table: Microdata) -> None:
    """Raise DataError unless a table is Anatomy's second table of the release that the manifest describes."""
    if told.sensitive_table not in (None, sensitive_table.content_digest()):
        raise DataError(
            f"the sensitive table is not the one that the manifest was written for, or was changed: {_OF_ONE}"
        )
    [(column, domain)] = told.domains.items()
    if set(sensitive_table.columns) != {GROUP, column, COUNT}:
        raise DataError(
            f"the columns of the sensitive table are not {GROUP}, {column} and {COUNT}, but "
            f"{', '.join(sensitive_table.columns)}: {_OF_ONE}"
        )
    if set(sensitive_table.cells(COUNT)) != {"1"}:
        raise DataError(f"the sensitive table has a {COUNT} that is not 1: {_OF_ONE}")
    for value in dict.fromkeys(sensitive_table.cells(column)):
        if value not in domain:
            raise DataError(f"the sensitive table holds {value!r}, which the domain lacks: {_OF_ONE}")


def published_groups(release: PublishedTwoTables) -> TwoTables:
    """Return both tables by codes, records in the order of the quasi-identifier table.

    Raises
    ------
    DataError
        If the tables are not groups of gamma records with gamma different values of the domain.
    """
    assert isinstance(release.mechanism, Anatomy)
    gamma, [(column, domain)] = int(release.mechanism.gamma), release.domains.items()
    held = release.sensitive_table
    names, places = {}, {value: place for place, value in enumerate(domain)}
    values: list[list[int]] = []
    for group, value in zip(held.cells(GROUP), held.cells(column), strict=True):
        if group not in names:
            names[group] = len(values)
            values.append([])
        values[names[group]].append(places[value])
    cells = release.table.cells(GROUP)
    groups = np.array([names.get(cell, -1) for cell in cells], dtype=np.int64)
    if (groups < 0).any():
        odd = cells[int(np.argmin(groups))]
        raise DataError(f"a record is in the group {odd!r}, of which no value is told: {_OF_ONE}")
    sizes = np.bincount(groups, minlength=len(values)).tolist()
    for group, place in names.items():
        if not sizes[place] == len(values[place]) == len(set(values[place])) == gamma:
            raise DataError(
                f"the group {group!r} has {sizes[place]} records and {len(set(values[place]))} different "
                f"values in {len(values[place])} rows, and not {gamma} of each: {_OF_ONE}"
            )
    none = np.array([], dtype=np.int64)
    rows = np.arange(len(groups), dtype=np.int64)
    return TwoTables(rows, groups, np.sort(np.array(values, dtype=np.int64), axis=1), none, len(domain))
