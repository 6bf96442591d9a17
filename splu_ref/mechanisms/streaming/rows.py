"""Row-wise mechanisms on files: records are published as they are read, part by part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from splu_ref.data import Microdata, text
from splu_ref.mechanisms.record_mechanism import RowMechanism
from splu_ref.mechanisms.streaming.choices import Choices, Keys
from splu_ref.mechanisms.streaming.content import parts_of
from splu_ref.mechanisms.streaming.files import FrameSpool, RecordSpool
from splu_ref.mechanisms.streaming.scan import Rows, Scan
from splu_ref.mechanisms.streaming.steps import PublishedRows, Steps


def publish_by_row(
    scan: Scan,
    choices: Choices,
    mechanism: RowMechanism,
    columns: Sequence[str],
    folder: Path,
    steps: Steps,
) -> PublishedRows:
    """Publish a table row by row, in random or original order: see `RowMechanism.shuffles`.

    ``columns`` are the sensitive columns in the order of publishing; ``folder`` is for temporary files.
    """
    aligned = mechanism.aligned({column: tuple(map(text, scan.domain(column))) for column in columns})
    histograms = {column: scan.histogram(column) for column in columns}
    parts = parts_of(scan.bytes)
    frames, keys = FrameSpool(folder / "rows", parts), RecordSpool(folder / "keys", parts, choices.kind)

    def published(rows: Rows) -> tuple[Microdata, Keys]:
        draws_for = choices.draws_for(rows.identities)
        codes = {column: scan.codes(rows.table, column) for column in columns}
        table = rows.table
        for column, own in aligned.publish_rows(codes, histograms, draws_for).items():
            table = table.with_codes(column, own, domain_of=scan.value_table(column))
        return table.bare(), choices.keys(draws_for(columns[0]), table.row_count)

    def in_original_order() -> Iterator[Microdata]:
        for rows in scan.rows():
            table, own = published(rows)
            if scan.id_column is not None:
                to = choices.part_of_shuffle(own, parts)
                keys.add(own, to)
                frames.add(table.to_frame().select(scan.id_column), to)
            yield table
        for part in np.flatnonzero(frames.sizes).tolist():
            choices.shuffle(keys.part(part), frames.part(part))  # raises for one identity in two batches

    def shuffled() -> Iterator[Microdata]:
        for part, size in enumerate(frames.sizes.tolist()):
            if size:
                rows = frames.part(part)
                yield Microdata.from_frame(rows[choices.shuffle(keys.part(part), rows)])

    if mechanism.shuffles:
        with steps.timed("distributing"):
            done = 0
            for rows in scan.rows():
                table, own = published(rows)
                to = choices.part_of_shuffle(own, parts)
                frames.add(table.to_frame(), to)
                keys.add(own, to)
                done += table.row_count
                steps.report("distributing", done, scan.row_count)
    tables = shuffled() if mechanism.shuffles else in_original_order()
    return PublishedRows(tables, 0, mechanism.shuffles, lambda: frames.written + keys.written)
