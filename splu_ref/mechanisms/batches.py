"""Publishing a table that grows: new records are published once, among themselves, and join the old rows.

No record is drawn for twice, so that releases of the growing table have nothing to average: see claims
splu.BAT and splu.BATc.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from math import lcm
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.typing import IntoDataFrame
from numpy.typing import NDArray

from splu_ref.channels import DataError, Gamma
from splu_ref.data import Microdata, Value, as_table, text
from splu_ref.mechanisms.manifest import Manifest, Origin
from splu_ref.mechanisms.plans.eligibility import surplus
from splu_ref.mechanisms.release import PublishedTable, Release
from splu_ref.mechanisms.splu_gen_by_column import splu_gen_of
from splu_ref.randomness import Randomness, ReleaseContext, SystemSource


@dataclass(frozen=True, kw_only=True)
class JoinedRelease(Release):
    """An earlier release with a batch of new records; what concerns the publisher is that of the batch.

    Attributes
    ----------
    batch
        The published rows of the new records alone.
    earlier
        The table that they joined.
    """

    batch: Microdata
    earlier: Microdata


def append(
    release: PublishedTable,
    table: Microdata | IntoDataFrame | str | os.PathLike[str],
    randomness: Randomness | None = None,
    *,
    id_column: str | None = None,
    missing: str | None = None,
) -> JoinedRelease:
    """Publish new records as a batch of their own, with the mechanism of a release, and join them to it.

    Parameters
    ----------
    release
        The earlier release, which may consist of batches itself.
    table
        The new records, with the columns of the release.
    randomness, id_column, missing
        As for `splu_ref.mechanisms.Mechanism.publish`. With an id column, no record of the batch may have an
        id of the release.

    Returns
    -------
    JoinedRelease
        The old rows as they were and the new ones, in one random order.

    Raises
    ------
    DataError
        If the release is by another mechanism than SPLU-Gen, the columns differ, a record is in the release
        already, or the batch is not eligible; the message says how many of its records must wait.
    """
    new, source = as_table(table, missing), SystemSource() if randomness is None else randomness
    mechanism = splu_gen_of(release.manifest)
    _require_columns(release.table, new)
    if id_column is not None:
        _require_new(release.table.cells(id_column), new.cells(id_column))
    sizes = {column: mechanism.for_column(column).gamma for column in release.sensitive}
    for column, gamma in sizes.items():
        _require_eligible(new, column, gamma, lcm(*sizes.values()))
    batch = mechanism.publish(new, release.sensitive, source, id_column=id_column)
    rows = _joined(release.table, batch.table)
    context = ReleaseContext(
        method="batches",
        facts={},
        sensitive=(),
        id_column=None,
        missing=None,
        columns=rows.columns,
        records=rows.records,
    )
    order = source.for_release(context).for_records("", rows.identities).permutation(rows.row_count)
    joined = rows.take(order).bare()
    domains = {
        column: _united(known, new.domain(column), batch.domains[column])
        for column, known in release.domains.items()
    }
    batches = (*(release.manifest.batches or (release.table.row_count,)), batch.table.row_count)
    return JoinedRelease(
        table=joined,
        mechanism=mechanism,
        domains=domains,
        told=Manifest(
            mechanism, joined.row_count, domains, Origin.now(joined), batches, release.manifest.recoded
        ),
        recoded=release.manifest.recoded,
        rows_in=batch.rows_in,
        suppressed=batch.suppressed,
        max_gamma=batch.max_gamma,
        randomness=batch.randomness,
        batch=batch.table,
        earlier=release.table,
    )


def _require_columns(earlier: Microdata, new: Microdata) -> None:
    if earlier.columns != new.columns:
        raise DataError(
            f"the columns of the batch are {', '.join(new.columns)}, those of the release "
            f"{', '.join(earlier.columns)}: give both the same columns in the same order"
        )


def _require_new(published: Sequence[str], cells: Sequence[str]) -> None:
    again = sorted(set(published) & set(cells))
    if again:
        raise DataError(
            f"{len(again)} records of the batch are in the release already, such as {again[0]!r}: leave them "
            "out, because no record may be published twice"
        )


def _require_eligible(new: Microdata, column: str, gamma: Gamma, divisor: int) -> None:
    """Raise unless a column allows gamma, whichever records are deleted down to a multiple of ``divisor``."""
    if new.row_count < divisor:
        raise DataError(
            f"the batch has {new.row_count} records, and at least {divisor} fill groups of every sensitive "
            f"column: all {new.row_count} records must wait for a later one"
        )
    histogram = new.histogram(column)
    waiting = surplus(histogram, gamma)
    while not _fits(histogram - waiting, gamma, divisor):
        waiting[int((histogram - waiting).argmax())] += 1
    if not waiting.any():
        return
    total = int(waiting.sum())
    if total == new.row_count:
        raise DataError(
            f"column {column!r} has fewer than gamma = {gamma} values in this batch: all {total} records "
            "must wait for a later one"
        )
    shares = [
        f"{count} of {text(value)!r}"
        for value, count in zip(new.domain(column), waiting.tolist(), strict=True)
        if count
    ]
    raise DataError(
        f"column {column!r} does not allow gamma = {gamma} in this batch: {total} of its {new.row_count} "
        f"records must wait for a later one ({', '.join(shares)})"
    )


def _fits(histogram: NDArray[np.int64], gamma: Gamma, divisor: int) -> bool:
    records = int(histogram.sum())
    return gamma * int(histogram.max()) <= records - records % divisor


def _joined(earlier: Microdata, batch: Microdata) -> Microdata:
    frames = [nw.from_native(each.to_frame(), eager_only=True) for each in (earlier, batch)]
    first, second = frames
    if first.implementation is second.implementation and first.schema == second.schema:
        try:
            rows = nw.concat(frames, how="vertical")
        except Exception:
            rows = first.head(0)
        if len(rows) == len(first) + len(second) and rows.schema == first.schema:
            return Microdata.from_frame(rows.to_native())
    raise DataError(
        "the columns of the batch and of the release have different types: read both from files of one "
        "format, or convert them to text"
    )


_READ: dict[type[Value], Callable[[str], Any]] = {
    str: str,
    bool: "True".__eq__,
    int: int,
    float: float,
    Decimal: Decimal,
    date: date.fromisoformat,
}
"""What makes a value of its canonical text, by the type of a column's values."""


def _united(known: Sequence[str], values: Sequence[Value], shown: Sequence[str]) -> tuple[str, ...]:
    """Return all values of a column as texts, in the order of a domain."""
    try:
        return tuple(sorted({*known, *shown}, key=_READ[type(values[0])]))
    except (ValueError, ArithmeticError):
        raise DataError(
            "the manifest of the release names values of another type than the batch holds: give the files "
            "of one release"
        ) from None
