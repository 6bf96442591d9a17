"""Row-wise mechanisms on files: the records are published as they are read, part by part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from splu_ref.data import Microdata, text
from splu_ref.mechanisms.release import RowMechanism
from splu_ref.mechanisms.streaming.choices import Choices, Keys
from splu_ref.mechanisms.streaming.content import parts_of
from splu_ref.mechanisms.streaming.files import FrameSpool, RecordSpool
from splu_ref.mechanisms.streaming.scan import Rows, Scan
from splu_ref.mechanisms.streaming.steps import Published, Steps


def published_by_row(
    scan: Scan,
    choices: Choices,
    mechanism: RowMechanism,
    columns: Sequence[str],
    folder: Path,
    steps: Steps,
) -> Published:
    """Publish a table row by row, in shuffled order or in its own: see `RowMechanism.shuffles`.

    Parameters
    ----------
    scan
        The table.
    choices
        The release's random choices.
    mechanism
        How it is published.
    columns
        The sensitive columns, in the order of publishing.
    folder
        Where rows may be kept.
    steps
        The steps of the release.
    """
    aligned = mechanism.aligned({column: tuple(map(text, scan.domain(column))) for column in columns})
    histograms = {column: scan.histogram(column) for column in columns}
    parts = parts_of(scan.bytes)
    frames, keys = FrameSpool(folder / "rows", parts), RecordSpool(folder / "keys", parts, choices.kind)

    def published(rows: Rows) -> tuple[Microdata, Keys]:
        draws_for = choices.draws_for(rows.identities)
        codes = {column: scan.codes(rows.table, column) for column in columns}
        table = rows.table
        for column, own in aligned.published_rows(codes, histograms, draws_for).items():
            table = table.with_codes(column, own, domain_of=scan.held(column))
        return table.bare(), choices.keys(draws_for(columns[0]), table.row_count)

    def in_their_order() -> Iterator[Microdata]:
        for rows in scan.rows():
            table, own = published(rows)
            if scan.id_column is not None:
                to = choices.part_of_shuffle(own, parts)
                keys.add(own, to)
                frames.add(table.to_frame().select(scan.id_column), to)
            yield table
        for part in np.flatnonzero(frames.sizes).tolist():
            choices.shuffle(keys.part(part), frames.part(part))  # refuses the same identity in two batches

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
                steps.tell("distributing", done, scan.row_count)
    made = shuffled() if mechanism.shuffles else in_their_order()
    return Published(made, 0, mechanism.shuffles, lambda: frames.written + keys.written)
