"""The records of a Spark table by their values: an aggregation, with a row for each combination."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from splu_ref.channels import DataError
from splu_ref.data import MOST_COMBINATIONS, CountedRecords, Microdata, require_columns
from splu_ref.mechanisms.interfaces import Mechanism
from splu_ref.mechanisms.release import CountedRelease
from splu_ref.mechanisms.spark.cells import quoted, require_texts


def count(
    frame: DataFrame,
    by: Sequence[str],
    mechanism: Mechanism[object],
    domains: Mapping[str, tuple[str, ...]],
) -> CountedRelease:
    """Count a published Spark table by its sensitive columns and others: what any estimate needs of it.

    Parameters
    ----------
    frame
        The published table.
    by
        The other columns that queries name.
    mechanism, domains
        How it was published, and the values of each sensitive column: those of the `SparkRelease`, or of the
        manifest.

    Raises
    ------
    DataError
        If there is no such column, one has no canonical text, or there are more combinations of values than
        are counted in one place.
    """
    names = list(dict.fromkeys([*domains, *by]))
    require_columns(names, frame.columns)
    require_texts(frame)
    grouped = frame.groupBy(*map(quoted, names)).agg(sf.count("*").alias("records"))
    found = grouped.limit(MOST_COMBINATIONS + 1).toArrow()
    if found.num_rows > MOST_COMBINATIONS:
        raise DataError(
            f"the columns {', '.join(names)} have more than {MOST_COMBINATIONS} combinations of values: name "
            "fewer of them at once, or count coarser values"
        )
    cells = Microdata.from_frame(found.select(range(len(names))))
    coded = {name: cells.categories(name) for name in names}
    table = CountedRecords(
        columns=tuple(frame.columns),
        counts=found.column(len(names)).to_numpy().astype(np.int64),
        codes={name: each.codes for name, each in coded.items()},
        distinct={name: each.values for name, each in coded.items()},
    )
    return CountedRelease(table=table, mechanism=mechanism, domains=domains)
