"""One sensitive column of a table that is published part by part.

Records come in any order and leave with their published values, as the rows of the shuffled table's parts.
In between they are sorted twice by distribution, without their cells: by entry, which tells the part of the
plan, and by the part of the plan, which tells what they are published with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from splu_ref.mechanisms.plans.cyclic import MOST_GROUPS
from splu_ref.mechanisms.splu_gen import SpluGen
from splu_ref.mechanisms.streaming.choices import BEGINNINGS, Choices, Keys
from splu_ref.mechanisms.streaming.files import PART_ENTRIES, RecordSpool
from splu_ref.randomness import IntArray

Deleted = Mapping[int, IntArray]
"""By part of the table the rows that are deleted, ascending."""
_ADDRESS = [("part", np.uint32), ("row", np.uint32)]
_SHOWN = np.dtype([("row", np.uint32), ("code", np.uint32)])


class StreamedColumn:
    """A sensitive column on its way through a release.

    Parameters
    ----------
    column
        Its name.
    mechanism
        How it is published.
    histogram
        How often each value occurs, before the deletion, shape (values,).
    choices
        The release's random choices.
    folder
        A folder of its own, which is made.
    """

    def __init__(
        self, column: str, mechanism: SpluGen, histogram: IntArray, choices: Choices, folder: Path
    ) -> None:
        folder.mkdir(mode=0o700)
        self.column = column
        self._mechanism = mechanism
        self._histogram = histogram
        self._starts = np.cumsum(histogram) - histogram
        self._choices = choices
        self._folder = folder
        kind = np.dtype([("code", np.uint32), ("draw", np.uint32), ("key", choices.kind), *_ADDRESS])
        parts = 1 + int(histogram.sum()) // PART_ENTRIES
        self._records = RecordSpool(folder / "records", parts, kind)
        self.written = 0

    def add(self, codes: IntArray, keys: Keys, draws: IntArray, parts: IntArray, rows: IntArray) -> None:
        """Add records, each with its code, key and draw, and the part and row of the table that it became."""
        records = np.empty(len(codes), dtype=self._records.kind)
        records["code"], records["draw"], records["key"] = codes, draws, keys
        records["part"], records["row"] = parts, rows
        # About where the record stands among those sorted by value and key: what decides ascends with both.
        about = self._starts[codes] + (self._histogram[codes] * self._choices.beginnings(keys)) // BEGINNINGS
        self._records.add(records, about // PART_ENTRIES)

    def publish(
        self, deleted: Deleted, gone: IntArray, table_parts: int, progress: Callable[[int, int], None]
    ) -> RecordSpool:
        """Return what the records are published with, by part of the table, the rows in any order.

        Parameters
        ----------
        deleted
            The rows that are deleted.
        gone
            How many of them have each code, shape (values,).
        table_parts
            Number of parts of the table.
        progress
            Called with the work done and the whole: each record is looked at twice.
        """
        whole = 2 * int(self._records.sizes.sum())
        looked = 0
        plan = self._mechanism.parts(self._histogram - gone)
        together = max(1, PART_ENTRIES // (MOST_GROUPS * plan.gamma))
        kind = np.dtype([("entry", np.int64), ("draw", np.uint32), *_ADDRESS])
        entries = RecordSpool(self._folder / "entries", -(-plan.count // together), kind)
        first = 0
        for part in range(len(self._records.sizes)):
            records = self._records.part(part)
            records = records[_kept(records["part"], records["row"], deleted)]
            order = self._choices.order_within(records["code"].astype(np.int64), records["key"])
            placed = np.empty(len(records), dtype=kind)
            for name in ("draw", "part", "row"):
                placed[name] = records[name][order]
            placed["entry"] = np.arange(first, first + len(records))
            first += len(records)
            entries.add(placed, plan.part_of(placed["entry"]) // together)
            looked += int(self._records.sizes[part])
            progress(looked, whole)
        shown = RecordSpool(self._folder / "shown", table_parts, _SHOWN)
        secret = self._choices.plan_secret(self.column)
        for some in range(len(entries.sizes)):
            records = entries.part(some)
            own = plan.part_of(records["entry"])
            order = np.lexsort((records["entry"], own))
            begin = 0
            for number in range(some * together, min((some + 1) * together, plan.count)):
                end = begin + plan.gamma * plan.size(number)
                members = records[order[begin:end]]
                done = np.empty(len(members), dtype=_SHOWN)
                done["row"] = members["row"]
                done["code"] = plan.published(number, secret, members["draw"].astype(np.int64))
                shown.add(done, members["part"].astype(np.int64))
                begin = end
            looked += len(records)
            progress(looked, whole)
        self.written = self._records.written + entries.written + shown.written
        return shown


def _kept(parts: IntArray, rows: IntArray, deleted: Deleted) -> IntArray:
    """Return the places of the records that are not deleted."""
    kept = np.ones(len(parts), dtype=np.bool_)
    for part, gone in deleted.items():
        kept &= (parts != part) | ~np.isin(rows, gone)
    return np.flatnonzero(kept)
