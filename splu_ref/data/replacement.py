"""Selection of rows and replacement of columns that preserve the types of columns."""

from __future__ import annotations

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import DataError
from splu_ref.data.cell_values import Column, Frame, text
from splu_ref.data.encoding import Encoding


def gather(frame: Frame, rows: NDArray[np.int64] | None) -> Frame:
    """Return the given rows, or all; a pandas index starts again from 0."""
    if rows is None:
        return nw.maybe_reset_index(frame)
    try:
        return nw.maybe_reset_index(frame[rows])
    except NotImplementedError:  # column by column, to name the one at fault
        return frame.select(_gathered(frame[column], rows) for column in frame.columns)


def replace_values(series: Column, encoding: Encoding, codes: NDArray[np.int64]) -> Column:
    """Return the values with the given codes as a column like ``series``.

    Each value is copied from a row of ``series`` with this value, which preserves the type, the categories
    and their order. Values without a row are converted.
    """
    gathered = nw.maybe_reset_index(_gathered(series, encoding.rows[codes]))
    if not encoding.absent_values:
        return gathered
    filled = np.flatnonzero(np.isin(codes, list(encoding.absent_values))).tolist()
    if not filled:
        return gathered
    new = [encoding.domain[code] for code in codes[filled].tolist()]
    try:
        if gathered.implementation.is_pandas():  # refuses a text that is no category
            return gathered.scatter(filled, new)
        written = gathered.cast(nw.String).scatter(filled, list(map(text, new))).to_native()
        native = gathered.to_native()  # its own type: that of narwhals leaves out the width of the indices
        cast = written.cast(native.type if gathered.implementation.is_pyarrow() else native.dtype)
    except MemoryError:
        raise
    except Exception as error:  # every data frame library has its own
        raise DataError(
            f"column {series.name!r} of type {gathered.dtype} does not admit the value {new[0]!r}: "
            "add it to the categories, or convert the column to text"
        ) from error
    published: Column = nw.from_native(cast, series_only=True).alias(series.name)
    return published


def _gathered(series: Column, rows: NDArray[np.int64]) -> Column:
    try:
        gathered: Column = series[rows]
    except NotImplementedError as error:  # PyArrow, for types such as string_view
        raise DataError(
            f"column {series.name!r} cannot be reordered ({error}): cast it to a common type, such as string"
        ) from error
    return gathered
