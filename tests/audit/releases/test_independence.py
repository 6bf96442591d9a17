"""How much memory the divisions of the rows take."""

from __future__ import annotations

import tracemalloc

import numpy as np
import polars as pl

from splu_ref.audit.releases.claims import SpluGenClaim
from splu_ref.audit.releases.record_linkage import Match, Original
from splu_ref.audit.releases.retention import independence_evidence
from splu_ref.data import Microdata
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import SeededSource

ROWS, GAMMA = 3999, 3


def test_no_more_than_one_division_of_the_rows_is_kept_at_a_time() -> None:
    jobs = [f"job {n}" for n in np.random.default_rng(5).integers(0, 24, ROWS)]
    numbers = [str(n if n % 9 else n // 90) for n in range(ROWS)]
    table = Microdata.from_frame(pl.DataFrame({"number": numbers, "job": jobs}))
    published = SpluGen(GAMMA).publish(table, "job", SeededSource(1)).table
    match, claimed = Match.of(Original(table, ["job"]), published), SpluGenClaim.of(SpluGen(GAMMA))
    independence_evidence(match, "job", claimed)  # what is computed once is there
    tracemalloc.start()
    try:
        found = independence_evidence(match, "job", claimed)
        largest = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found is not None
    divisions = int(found.detail.split()[-5])
    assert divisions > 100
    assert largest < 8 * ROWS * divisions / 4
