"""SPLU-Gen on files: the steps of `splu_ref.mechanisms.SpluGen` with sorting by distribution."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import lcm
from pathlib import Path

import numpy as np
import polars as pl

from splu_ref.data import Microdata
from splu_ref.mechanisms.plans.eligibility import require_feasible
from splu_ref.mechanisms.splu_gen_by_column import SpluGens
from splu_ref.mechanisms.streaming.choices import Choices
from splu_ref.mechanisms.streaming.columns import Deleted, StreamedColumn
from splu_ref.mechanisms.streaming.content import parts_of
from splu_ref.mechanisms.streaming.files import FrameSpool, RecordSpool
from splu_ref.mechanisms.streaming.scan import Scan
from splu_ref.mechanisms.streaming.steps import PublishedRows, Steps
from splu_ref.randomness import IntArray


def publish_in_groups(
    scan: Scan, choices: Choices, mechanism: SpluGens, columns: Sequence[str], folder: Path, steps: Steps
) -> PublishedRows:
    """Publish a table by groups; see `splu_ref.mechanisms.streaming.rows.publish_by_row` for parameters."""
    own = {column: mechanism.for_column(column) for column in columns}
    remainder = scan.row_count % lcm(*(each.gamma for each in own.values()))
    for column, each in own.items():
        require_feasible(scan.histogram(column), each.gamma, scan.row_count - remainder)
    streamed = {
        column: StreamedColumn(column, each, scan.histogram(column), choices, folder / f"column-{number}")
        for number, (column, each) in enumerate(own.items())
    }
    parts = parts_of(scan.bytes)
    table = _Table(FrameSpool(folder / "rows", parts), RecordSpool(folder / "keys", parts, choices.kind))
    with steps.timed("distributing"):
        done = 0
        for rows, identities in scan.rows():
            drawn = {
                column: choices.draw(column, each, rows.row_count, identities) for column, each in own.items()
            }
            keys = drawn[columns[0]][0]
            to = choices.part_of_shuffle(keys, parts)
            places = table.frames.add(rows.to_frame(), to)
            table.keys.add(keys, to)
            for column, streamer in streamed.items():
                streamer.add(scan.codes(rows, column), *drawn[column], to, places)
            done += rows.row_count
            steps.report("distributing", done, scan.row_count)
    with steps.timed("drawing"):
        deleted, gone = table.deleted(scan, choices, remainder, columns)
        published = {}
        for number, (column, streamer) in enumerate(streamed.items()):

            def report(done: int, total: int, before: int = number) -> None:
                steps.report("drawing", before * total + done, len(streamed) * total)

            published[column] = streamer.publish(deleted, gone[column], parts, report)

    def written() -> int:
        of_columns = sum(streamer.written for streamer in streamed.values())
        return table.frames.written + table.keys.written + of_columns

    return PublishedRows(table.published(scan, choices, deleted, published), remainder, True, written)


@dataclass(frozen=True)
class _Table:
    """The original's rows by part of the shuffled table, and the sort keys of the first sensitive column."""

    frames: FrameSpool
    keys: RecordSpool

    def deleted(
        self, scan: Scan, choices: Choices, remainder: int, columns: Sequence[str]
    ) -> tuple[Deleted, dict[str, IntArray]]:
        """Return the last rows of the shuffle, which are deleted, by part, and their counts by code."""
        deleted: dict[int, IntArray] = {}
        gone = {column: np.zeros_like(scan.histogram(column)) for column in columns}
        part = len(self.frames.sizes)
        while remainder:
            part -= 1
            order = choices.shuffle(self.keys.part(part, keep=True), self.frames.part(part, keep=True))
            last = np.sort(order[max(0, len(order) - remainder) :])
            remainder -= len(last)
            if len(last):
                deleted[part] = last
                rows = Microdata.from_frame(self.frames.part(part, keep=True)[last], scan.missing)
                for column in columns:
                    np.add.at(gone[column], scan.codes(rows, column), 1)
        return deleted, gone

    def published(
        self, scan: Scan, choices: Choices, deleted: Deleted, spools: Mapping[str, RecordSpool]
    ) -> Iterator[Microdata]:
        """Yield the published table, part by part."""
        for part, size in enumerate(self.frames.sizes.tolist()):
            kept = np.delete(np.arange(size), deleted.get(part, np.zeros(0, dtype=np.int64)))
            if not len(kept):
                continue
            rows: pl.DataFrame = self.frames.part(part)
            some = rows if len(kept) == size else rows[kept]
            order = kept[choices.shuffle(self.keys.part(part)[kept], some)]
            table = Microdata.from_frame(rows[order], scan.missing)
            del rows, some
            for column, spool in spools.items():
                records = spool.part(part)
                codes = np.empty(size, dtype=np.int64)
                codes[records["row"]] = records["code"]
                table = table.with_codes(column, codes[order], domain_of=scan.value_table(column))
            yield table.bare()
