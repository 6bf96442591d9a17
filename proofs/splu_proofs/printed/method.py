"""The printed iteration as a method of the query estimator, for comparison only."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from splu_ref.estimators import Estimates, PublishedColumn, QueryBatch, count_moments

from .iteration import reconstruct


class PrintedIteration:
    """The paper's iteration, whose matrix changes at every step: see `splu_proofs.printed.iteration`."""

    name = "printed"
    summary = "the paper's iteration, for comparison only"
    answers_predicates = True
    joint = None

    def single(self, column: PublishedColumn, batch: QueryBatch) -> Estimates:
        """Iterate as printed; the error is that of the published count, which it mostly returns."""
        value, notes = batch.counted.copy(), []
        for number, (y3, n, f) in enumerate(
            zip(batch.counted, batch.predicate_count, batch.frequency, strict=True)
        ):
            y = [int(part) for part in (column.rows - n - f + y3, f - y3, n - y3, y3)]
            note = "for comparison only: biased, and the interval is that of the published count"
            try:
                value[number] = reconstruct(y, int(column.law.gamma))[0][3]
            except ArithmeticError as error:
                note = f"the printed iteration has no result ({error}): this is the published count"
            notes.append(note)
        moments = count_moments(value, batch.predicate_count, batch.frequency, column.rows, column.law)
        found = Estimates.normal(value, np.sqrt(moments.inside), batch.predicate_count)
        return replace(found, notes=notes)


METHOD = PrintedIteration()
