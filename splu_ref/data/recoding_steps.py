"""Steps of recoding: applied in their order, traced back to their inputs, and read from a manifest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from splu_ref.channels import integer
from splu_ref.data.recoding import Bins, Cross, Dropped, Hashed, Rare, with_missing_as_text
from splu_ref.data.table import Microdata, Recoding


def prepare_table(
    table: Microdata,
    steps: Sequence[Recoding],
    domains: Mapping[str, Sequence[str]],
    sensitive: Sequence[str] = (),
) -> Microdata:
    """Prepare a table for publication: recode or drop columns, and declare domains.

    Parameters
    ----------
    table
        The original.
    steps
        The recodings, in this order.
    domains
        Declared domains by column.
    sensitive
        The sensitive columns that are known: see `with_missing_as_text`.

    Raises
    ------
    DataError
        If a recoding fails, a cell lies outside its domain, or a column does not exist.
    """
    changed, taken = apply_recodings(table, steps, publishing=True)
    changed = with_missing_as_text(changed, sensitive)
    for column, values in domains.items():
        changed = changed.with_domain(column, values)
    return changed.with_recodings(taken, table) if taken else changed


def apply_recodings(
    table: Microdata, steps: Sequence[Recoding], *, publishing: bool = False
) -> tuple[Microdata, tuple[Recoding, ...]]:
    """Apply recodings in order; return the table and the recodings as recorded in a manifest.

    Raises
    ------
    DataError
        If a recoding fails, or with ``publishing`` would group a single value, which only renames it.
    """
    applied: list[Recoding] = []
    original = table
    for step in steps:
        recoding = step.fitted(original) if isinstance(step, Hashed) else step
        if publishing and isinstance(recoding, Rare):
            recoding.require_several(table)
        table = recoding.apply(table)
        applied.append(recoding)
    return table, tuple(applied)


def sources(steps: Sequence[Recoding], column: str) -> tuple[str, ...]:
    """Return the columns of the original from which a column was recoded; the column itself if unchanged."""
    names = [column]
    for step in reversed(steps):
        if isinstance(step, Cross) and step.column in names:
            names = [name for each in names for name in (step.parts if each == step.column else (each,))]
    return tuple(dict.fromkeys(names))


def earlier_forms(table: Microdata, column: str) -> Iterator[tuple[str, tuple[Microdata, str]]]:
    """Yield what a recoded column was before each step: a name for it, and its column in an earlier table.

    A part of a crossing has its own name. Hashes are left out, as they have the same groups of equal cells.
    """
    names, steps = {column}, list[Recoding]()
    for step in reversed(table.recoded):
        if step.column in names and type(step) in _KINDS:
            names |= set(_inputs(step))
            steps.insert(0, step)
    earlier = table.unrecoded.select(sources(table.recoded, column)) if steps else table
    for step in steps:
        for name in _inputs(step):
            is_part = isinstance(step, Cross) and name not in table.columns
            label = name if is_part else f"{name} before {_KINDS[type(step)]}"
            yield label, (with_missing_as_text(earlier, [name]), name)
        earlier = step.apply(earlier)


def _inputs(step: Recoding) -> tuple[str, ...]:
    return step.parts if isinstance(step, Cross) else (step.column,)


_KINDS: Mapping[type[Recoding], str] = {Bins: "bins", Cross: "crossing", Rare: "grouping"}


def read_steps(entries: object, secret: bytes | None = None) -> tuple[Recoding, ...]:
    """Return the recodings recorded in a manifest.

    Raises
    ------
    TypeError, ValueError, KeyError
        If an entry is malformed.
    """
    if not isinstance(entries, list):
        raise TypeError
    return tuple(_read(entry, secret) for entry in entries)


def _read(entry: Any, secret: bytes | None) -> Recoding:
    kinds: Mapping[frozenset[str], Callable[[Any], Recoding]] = {
        frozenset({"column", "bins"}): lambda each: Bins.parse(f"{each['column']}={each['bins']}"),
        frozenset({"column", "bins", "whole"}): lambda each: replace(
            Bins.parse(f"{each['column']}={each['bins']}"), whole=_truth(each["whole"])
        ),
        frozenset({"column", "cross"}): lambda each: Cross.parse(
            f"{each['column']}={','.join(_named(part) for part in each['cross'])}"
        ),
        frozenset({"column", "grouped_below"}): lambda each: Rare(
            each["column"], integer(each["grouped_below"], "grouped_below", 2)
        ),
        frozenset({"column", "dropped"}): lambda each: Dropped(each["column"]),
        frozenset({"column", "hashed"}): lambda each: Hashed(each["column"], secret, None),
        frozenset({"column", "hashed", "salt"}): lambda each: Hashed(
            each["column"], secret, _named(each["salt"])
        ),
    }
    if not isinstance(entry, dict) or not isinstance(entry["column"], str):
        raise TypeError
    step = kinds[frozenset(entry)](entry)
    if step.facts() != entry:
        raise ValueError
    return step


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _named(part: object) -> str:
    if not isinstance(part, str):
        raise TypeError
    if not part:
        raise ValueError
    return part
