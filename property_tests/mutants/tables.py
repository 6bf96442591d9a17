"""Faults in the publication of tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import polars as pl

from property_tests.mutants.mutant import mutant
from splu_ref.data import Microdata
from splu_ref.mechanisms import ColumnsRelease, PlaceOrder, Release, SpluGen
from splu_ref.randomness import Draws, IntArray, Randomness


def _altered(done: Release, frame: pl.DataFrame) -> Release:
    return replace(done, table=Microdata.from_frame(frame))


def _column_shifted(
    mechanism: SpluGen,
    table: Microdata,
    sensitive: str | Sequence[str],
    randomness: Randomness | None = None,
    *,
    id_column: str | None = None,
) -> Release:
    done = mechanism.publish(table, sensitive, randomness, id_column=id_column)
    frame = done.table.to_frame()
    column = next(name for name in frame.columns if name not in (sensitive, "id"))
    shifted = pl.concat([frame[column].tail(1), frame[column].head(len(frame) - 1)])
    return _altered(done, frame.with_columns(shifted.alias(column)))


def _cells_stripped(
    mechanism: SpluGen,
    table: Microdata,
    sensitive: str | Sequence[str],
    randomness: Randomness | None = None,
    *,
    id_column: str | None = None,
) -> Release:
    done = mechanism.publish(table, sensitive, randomness, id_column=id_column)
    frame = done.table.to_frame()
    return _altered(done, frame.with_columns(pl.col(pl.String).str.strip_chars()))


class _OneColumnsDraws(SpluGen):
    """Draws for every column what it draws for the first."""

    def publish_columns(
        self,
        codes: Mapping[str, IntArray],
        domain_sizes: Mapping[str, int],
        draws_for: Callable[[str], Draws],
        *,
        order: PlaceOrder = "random",
    ) -> ColumnsRelease:
        first = next(iter(codes))
        return super().publish_columns(codes, domain_sizes, lambda _: draws_for(first), order=order)


def _draws_shared(
    mechanism: SpluGen,
    table: Microdata,
    sensitive: str | Sequence[str],
    randomness: Randomness | None = None,
    *,
    id_column: str | None = None,
) -> Release:
    sharing = _OneColumnsDraws(mechanism.gamma, mechanism.retention, mechanism.decoys)
    return sharing.publish(table, sensitive, randomness, id_column=id_column)


mutant(
    "columns-share-draws",
    "table.columns",
    "Under a key, every sensitive column is published with the draws of the first.",
    publish=_draws_shared,
)
mutant(
    "non-sensitive-column-shifted",
    "table.cells",
    "One non-sensitive column is permuted against the others.",
    publish=_column_shifted,
)
mutant(
    "cells-stripped",
    "table.cells",
    "White space around a cell is lost.",
    publish=_cells_stripped,
)
