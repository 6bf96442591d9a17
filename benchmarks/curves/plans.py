"""What a release is made of: histograms, plans and draws."""

from __future__ import annotations

from functools import partial

import numpy as np
import polars as pl

from benchmarks.curves.tables import GAMMA, VALUES, codes, histogram
from benchmarks.growth import Curve, GrowthLimit, Pair
from splu_ref.data import Microdata
from splu_ref.mechanisms import mixed
from splu_ref.randomness import IntArray, SystemSource


def _counted(records: int) -> Pair:
    frame = pl.DataFrame({"value": codes(records)}).cast(pl.String)
    return Pair(
        lambda: Microdata.from_frame(frame).histogram("value"),
        frame["value"].value_counts,
    )


def _plan(counts: IntArray) -> Pair:
    slots = np.repeat(np.arange(len(counts)), counts)
    return Pair(
        lambda: mixed(counts, GAMMA, SystemSource()),
        lambda: np.random.default_rng(2).permutation(slots),
    )


def _plan_of_domain(values: int, records: int = 10**6) -> Pair:
    return _plan(histogram(records, values))


def _plan_of_table(records: int) -> Pair:
    return _plan(histogram(records, VALUES))


def _draws(number: int) -> Pair:
    return Pair(
        lambda: SystemSource().below(GAMMA, number),
        lambda: np.random.default_rng(2).integers(0, GAMMA, number),
    )


_ROWS = (10**4, 10**5, 10**6, 10**7)

PLANS = (
    Curve(
        name="histogram of a column of texts",
        unit="rows",
        baseline="the counts of its values, by Polars",
        sizes=_ROWS,
        largest=(10**8,),
        at=_counted,
        counted=GrowthLimit((2_500, 10_000, 40_000)),
    ),
    Curve(
        name="mixed plan, 50 values",
        unit="rows",
        baseline="one permutation of the rows, by NumPy",
        sizes=_ROWS,
        largest=(10**8,),
        at=_plan_of_table,
        counted=GrowthLimit((20_480, 81_920, 327_680)),
    ),
    Curve(
        name="mixed plan, a million rows",
        unit="values",
        baseline="one permutation of the rows, by NumPy",
        sizes=(10, 10**2, 10**3, 10**4, 10**5),
        at=_plan_of_domain,
        counted=GrowthLimit((250, 1_000, 4_000), at=partial(_plan_of_domain, records=20_000)),
    ),
    Curve(
        name="draws from the system's entropy",
        unit="draws",
        baseline="as many by NumPy's generator, whose seed determines them all",
        sizes=_ROWS,
        largest=(10**8,),
        at=_draws,
        counted=GrowthLimit((5_000, 20_000, 80_000)),
    ),
)
