"""Releases of a growing table: new records are published once, as a batch, and joined to the earlier rows.

No record is randomized twice, so averaging over the releases gains nothing: see claims splu.BAT and
splu.BATc.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from math import lcm
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import DataError, Gamma
from splu_ref.data import Dropped, Microdata, TableInput, Value, as_table, text
from splu_ref.mechanisms.manifest import Manifest, Origin, batch_digests
from splu_ref.mechanisms.plans.eligibility import surplus
from splu_ref.mechanisms.release import PublishedTable, Release
from splu_ref.mechanisms.splu_gen_by_column import splu_gen_of
from splu_ref.randomness import KeyedSource, Randomness, SystemSource


@dataclass(frozen=True, kw_only=True, repr=False)
class JoinedRelease(Release):
    """An earlier release joined with a batch of new records; the publisher's figures are of the batch."""

    batch: Microdata  #: the published rows of the new records
    earlier: Microdata  #: the table of the earlier release


def append(
    release: PublishedTable,
    table: TableInput,
    randomness: Randomness | None = None,
    *,
    id_column: str | None = None,
    missing: str | None = None,
) -> JoinedRelease:
    """Publish new records as a separate batch with the mechanism of a release, and join both.

    Parameters
    ----------
    release
        The earlier release, which may itself consist of batches.
    table
        The new records, with the columns of the release.
    randomness, id_column, missing
        As for `splu_ref.mechanisms.Mechanism.publish`. Under a key the id column is by default that of the
        release. With an id column, the ids of the batch and of the
        release must differ. If the release dropped that column, so does the batch, and they are not
        compared.

    Returns
    -------
    JoinedRelease
        The unchanged earlier rows, followed by the new ones, which are in a random order.

    Raises
    ------
    DataError
        If the mechanism is not SPLU-Gen, the columns differ, a record is already in the release, or the batch
        is not eligible; the message says how many of its records must wait. Also if a source that repeats
        its draws publishes the rows of an earlier batch again.
    """
    stated = release.manifest
    new = as_table(table, stated.missing if missing is None and not isinstance(table, Microdata) else missing)
    if None not in (stated.missing, new.missing) and new.missing != stated.missing:
        raise DataError(
            f"the release publishes missing cells as {stated.missing!r}: give the same text for the batch"
        )
    source = SystemSource() if randomness is None else randomness
    if id_column is None and isinstance(source, KeyedSource):
        id_column = stated.id_column
    mechanism = splu_gen_of(stated)
    public = new
    if id_column is not None and Dropped(id_column) in stated.recoded:
        public = Dropped(id_column).apply(new)
    _require_columns(release.table, public)
    if id_column in public.columns:
        _require_new(release.table.cells(id_column), new.cells(id_column))
    sizes = {column: mechanism.for_column(column).gamma for column in release.sensitive}
    for column, gamma in sizes.items():
        _require_eligible(new, column, gamma, lcm(*sizes.values()))
    batch = mechanism.publish(new, release.sensitive, source, id_column=id_column)
    added = batch.table.select(public.columns)
    joined = _concatenate(release.table, added).bare()
    domains = {
        column: _joined_domain(known, new.domain(column), batch.domains[column])
        for column, known in release.domains.items()
    }
    batches = (*(stated.batches or (release.table.row_count,)), added.row_count)
    distinguished = stated.batch_rows(release.table) is not None
    digests = batch_digests(joined, batches)
    if not isinstance(source, SystemSource):
        _require_other_rows(digests[-1], stated.batch_tables or digests[:-1])
    return JoinedRelease(
        table=joined,
        mechanism=mechanism,
        domains=domains,
        attached_manifest=Manifest(
            mechanism,
            joined.row_count,
            domains,
            Origin.now(joined),
            batches,
            stated.recoded,
            missing=stated.missing or new.missing,
            batch_tables=digests if distinguished else (),
            id_column=batch.id_column,
        ),
        id_column=batch.id_column,
        recoded=stated.recoded,
        missing=stated.missing or new.missing,
        rows_in=batch.rows_in,
        suppressed=batch.suppressed,
        max_gamma=batch.max_gamma,
        randomness=batch.randomness,
        batch=added,
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


def _require_other_rows(digest: str, earlier: Sequence[str]) -> None:
    """Raise if the rows of a batch are those of an earlier one.

    Only draws that are repeated show this. Fresh draws agree by chance alone, and refusing some of them would
    change their law.
    """
    if digest in earlier:
        raise DataError(
            f"the published rows of this batch are in the release already, as its batch "
            f"{earlier.index(digest) + 1}: give new records only, because no record may be published twice"
        )


def _require_eligible(new: Microdata, column: str, gamma: Gamma, divisor: int) -> None:
    """Raise unless gamma is feasible in a column for every choice of the records deleted as remainder."""
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


def _concatenate(earlier: Microdata, batch: Microdata) -> Microdata:
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


_PARSERS: dict[type[Value], Callable[[str], Any]] = {
    str: str,
    bool: "True".__eq__,
    int: int,
    float: float,
    Decimal: Decimal,
    date: date.fromisoformat,
}
"""Parser of a value's canonical text, by the type of a column's values."""


def _joined_domain(known: Sequence[str], values: Sequence[Value], texts: Sequence[str]) -> tuple[str, ...]:
    """Return the union of two domains as texts, in the order of a domain."""
    try:
        return tuple(sorted({*known, *texts}, key=_PARSERS[type(values[0])]))
    except (ValueError, ArithmeticError):
        raise DataError(
            "the manifest of the release names values of another type than the batch holds: give the files "
            "of one release"
        ) from None
