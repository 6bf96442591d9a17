"""Record counts of a Spark table by combinations of values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from splu_ref.channels import DataError
from splu_ref.data import MOST_COMBINATIONS, Microdata, RecordCounts, require_columns
from splu_ref.mechanisms.interfaces import Mechanism
from splu_ref.mechanisms.release import ReleaseData
from splu_ref.mechanisms.spark.cells import quote_name, require_texts


def count(
    frame: DataFrame,
    by: Sequence[str],
    mechanism: Mechanism[object],
    domains: Mapping[str, tuple[str, ...]],
) -> ReleaseData:
    """Count the records of a published Spark table by its sensitive columns and others, for estimates."""
    names = list(dict.fromkeys([*domains, *by]))
    require_columns(names, frame.columns)
    require_texts(frame)
    grouped = frame.groupBy(*map(quote_name, names)).agg(sf.count("*").alias("records"))
    counts = grouped.limit(MOST_COMBINATIONS + 1).toArrow()
    if counts.num_rows > MOST_COMBINATIONS:
        raise DataError(
            f"the columns {', '.join(names)} have more than {MOST_COMBINATIONS} combinations of values: name "
            "fewer of them at once, or count coarser values"
        )
    cells = Microdata.from_frame(counts.select(range(len(names))))
    categories = {name: cells.categories(name) for name in names}
    table = RecordCounts(
        columns=tuple(frame.columns),
        counts=counts.column(len(names)).to_numpy().astype(np.int64),
        codes={name: each.codes for name, each in categories.items()},
        distinct={name: each.values for name, each in categories.items()},
    )
    return ReleaseData(table=table, mechanism=mechanism, domains=domains)
