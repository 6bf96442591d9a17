"""Rows gathered and columns replaced, without a change of any column's type."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from splu_ref.microdata.encoding import Encoding
from splu_ref.model import DataError


def gather(frame: nw.DataFrame[Any], rows: NDArray[np.int64] | None) -> nw.DataFrame[Any]:
    """Return the given rows, or all; a pandas index starts again from 0."""
    return nw.maybe_reset_index(frame if rows is None else frame[rows])


def replaced(
    series: nw.Series[Any], encoding: Encoding, codes: NDArray[np.int64], missing: str | None
) -> nw.Series[Any]:
    """Return the values with the given codes as a column like ``series``.

    Each value is gathered from a row of ``series`` that holds it, which keeps the type, the categories and
    the order of categories. Only a text that stands for cells without content may have no such row.

    Raises
    ------
    DataError
        If the type of ``series`` does not admit the text ``missing``.
    """
    gathered = nw.maybe_reset_index(series[encoding.rows[codes]])
    filled = np.flatnonzero(codes == encoding.filler)
    if not filled.size:
        return gathered
    dtype = gathered.dtype
    texts = [missing] * len(filled)
    if dtype not in (nw.Categorical, nw.Enum):
        return gathered.scatter(filled.tolist(), texts)
    refusal = DataError(
        f"column {series.name!r} of type {dtype} does not admit the text {missing!r}: "
        "add it to the categories, or convert the column to text"
    )
    try:
        cast = gathered.cast(nw.String).scatter(filled.tolist(), texts).cast(dtype)
    except Exception as error:  # every data frame library has its own
        raise refusal from error
    if cast.is_null().any():  # pandas makes a text that is no category null, without an error
        raise refusal
    return cast
