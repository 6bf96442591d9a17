"""One sensitive column of a table that is published in parts.

Records are added in any order and returned with their published values by part of the shuffled table. They
are sorted twice by distribution, without their other cells: by entry of the plan, and by part of the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from splu_ref.mechanisms.plans.cyclic import MOST_GROUPS
from splu_ref.mechanisms.splu_gen import SpluGen
from splu_ref.mechanisms.streaming.choices import PREFIXES, Choices, Keys
from splu_ref.mechanisms.streaming.files import PART_ENTRIES, RecordSpool
from splu_ref.randomness import IntArray

Deleted = Mapping[int, IntArray]
"""Deleted rows by part of the table, ascending."""
_ADDRESS = [("part", np.uint32), ("row", np.uint32)]
_PUBLISHED = np.dtype([("row", np.uint32), ("code", np.uint32)])


class StreamedColumn:
    """A sensitive column during a release in parts.

    ``histogram`` has the frequencies before the deletion, shape (values,). ``folder`` is created for
    temporary files.
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
        """Add records by code, sort key and draw, with their part and row in the shuffled table."""
        records = np.empty(len(codes), dtype=self._records.kind)
        records["code"], records["draw"], records["key"] = codes, draws, keys
        records["part"], records["row"] = parts, rows
        # The approximate entry of the record; it is monotone in value and sort key.
        entries = self._starts[codes] + (self._histogram[codes] * self._choices.prefixes(keys)) // PREFIXES
        self._records.add(records, entries // PART_ENTRIES)

    def publish(
        self, deleted: Deleted, gone: IntArray, table_parts: int, progress: Callable[[int, int], None]
    ) -> RecordSpool:
        """Return the published codes by part of the table, the rows in any order.

        ``gone`` counts the deleted rows by code, shape (values,). ``progress`` is called with the work done
        and the total; each record is processed twice.
        """
        total = 2 * int(self._records.sizes.sum())
        processed = 0
        plan = self._mechanism.parts(self._histogram - gone)
        per_file = max(1, PART_ENTRIES // (MOST_GROUPS * plan.gamma))
        kind = np.dtype([("entry", np.int64), ("draw", np.uint32), *_ADDRESS])
        entries = RecordSpool(self._folder / "entries", -(-plan.count // per_file), kind)
        first = 0
        for part in range(len(self._records.sizes)):
            records = self._records.part(part)
            records = records[_remaining(records["part"], records["row"], deleted)]
            order = self._choices.order_within(records["code"].astype(np.int64), records["key"])
            ordered = np.empty(len(records), dtype=kind)
            for name in ("draw", "part", "row"):
                ordered[name] = records[name][order]
            ordered["entry"] = np.arange(first, first + len(records))
            first += len(records)
            entries.add(ordered, plan.part_of(ordered["entry"]) // per_file)
            processed += int(self._records.sizes[part])
            progress(processed, total)
        published = RecordSpool(self._folder / "published", table_parts, _PUBLISHED)
        secret = self._choices.plan_secret(self.column)
        for some in range(len(entries.sizes)):
            records = entries.part(some)
            order = np.lexsort((records["entry"], plan.part_of(records["entry"])))
            begin = 0
            for number in range(some * per_file, min((some + 1) * per_file, plan.count)):
                end = begin + plan.gamma * plan.size(number)
                members = records[order[begin:end]]
                done = np.empty(len(members), dtype=_PUBLISHED)
                done["row"] = members["row"]
                done["code"] = plan.published(number, secret, members["draw"].astype(np.int64))
                published.add(done, members["part"].astype(np.int64))
                begin = end
            processed += len(records)
            progress(processed, total)
        self.written = self._records.written + entries.written + published.written
        return published


def _remaining(parts: IntArray, rows: IntArray, deleted: Deleted) -> IntArray:
    """Return the indices of the records that are not deleted."""
    remaining = np.ones(len(parts), dtype=np.bool_)
    for part, gone in deleted.items():
        remaining &= (parts != part) | ~np.isin(rows, gone)
    return np.flatnonzero(remaining)
