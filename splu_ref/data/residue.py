"""Removal of everything but the cells from a data frame before publication.

A frame contains more than its visible cells: unused categories and their order, dictionaries of PyArrow
columns, metadata of schemas and fields, the ``attrs`` and index names of pandas, values under nulls, and
buffers shared with rows that were filtered out. A recipient of the frame can read them. So each column is
rebuilt from its cells, and categories from the values that occur.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from splu_ref.channels import DataError
from splu_ref.data.cell_values import Frame
from splu_ref.data.coding import Coding, code_column


def bare(frame: Frame, codings: Mapping[str, Coding] | None = None, done: Collection[str] = ()) -> Frame:
    """Return the cells of a frame as a new frame of the same library.

    Types are preserved, except that categories are those that occur, in ascending order (ordered only in the
    Enum of Polars, which always is), that categories inside lists and structures become text, and that an
    extension type becomes its storage type.
    """
    native: Any = frame.to_native()
    if frame.implementation.is_polars():
        bared: Any = bare_polars(native, codings, done)
    elif frame.implementation.is_pyarrow():
        bared = _bare_arrow(native)
    elif frame.implementation.is_pandas():
        bared = _bare_pandas(native)
    else:
        raise DataError(f"a {type(native).__name__} cannot be published: make it a pandas data frame")
    rebuilt: Frame = nw.from_native(bared, eager_only=True)
    return rebuilt


def bare_polars(
    frame: pl.DataFrame, codings: Mapping[str, Coding] | None = None, done: Collection[str] = ()
) -> pl.DataFrame:
    """Return the cells of a Polars frame; as `bare`."""

    def column(series: pl.Series) -> pl.Series:
        return _polars_column(series, (codings or {}).get(series.name))

    return pl.DataFrame(
        [frame[name] if name in done else _rebuilt(name, frame[name], column) for name in frame.columns]
    )


def bare_rows(column: pl.Series, rows: NDArray[np.int64], coding: Coding | None) -> pl.Series | None:
    """Return rows of a column as `bare` makes them, None if a column of this type has to be rebuilt.

    ``coding`` is that of these rows, if it is known.
    """
    dtype = column.dtype
    if dtype == pl.String and coding is not None:  # gathered texts share buffers with the distinct ones
        return pl.Series(column.name, coding.texts.to_list(), dtype=dtype).gather(coding.codes)
    numbers = dtype.is_numeric() or dtype.is_temporal() or dtype == pl.Boolean
    return column.gather(rows) if numbers else None


def _bare_arrow(table: Any) -> Any:
    pa: Any = import_module("pyarrow")
    columns = [_rebuilt(name, table[name], _arrow_column) for name in table.column_names]
    fields = [
        pa.field(field.name, column.type, nullable=field.nullable)
        for field, column in zip(table.schema, columns, strict=True)
    ]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def _bare_pandas(frame: Any) -> Any:
    pd: Any = import_module("pandas")
    return pd.DataFrame(
        {str(name): _rebuilt(str(name), frame[name], _pandas_column) for name in frame.columns}
    )


def _rebuilt(name: str, column: Any, rebuild: Callable[[Any], Any]) -> Any:
    try:
        return rebuild(column)
    except MemoryError:
        raise
    except Exception as error:  # every data frame library has its own
        reason = str(error).partition("\n")[0]
        raise DataError(
            f"column {name!r} cannot be published without what it holds besides its cells ({reason}): "
            "convert it to text"
        ) from error


def _polars_column(column: pl.Series, coding: Coding | None = None) -> pl.Series:
    dtype = column.dtype
    if isinstance(dtype, getattr(pl, "BaseExtension", ())):
        return _polars_column(column.ext.storage())
    if dtype.is_nested():  # a gathered list keeps what all lists held; Parquet has nothing under nulls
        buffer = io.BytesIO()
        column.cast(_without_categories(dtype)).to_frame().write_parquet(buffer)
        buffer.seek(0)
        return pl.read_parquet(buffer).to_series()
    if isinstance(dtype, pl.Enum | pl.Categorical):
        texts = column.cast(
            pl.String
        ).to_list()  # Python's texts: those of Polars share what holds all categories
        ascending = pl.Enum(sorted({each for each in texts if each is not None}))
        return pl.Series(
            column.name, texts, dtype=ascending if isinstance(dtype, pl.Enum) else pl.Categorical
        )
    if dtype == pl.Binary:
        return pl.Series(column.name, column.to_list(), dtype=dtype)
    rows = np.arange(len(column))
    if dtype == pl.String and coding is None:
        coding = code_column(nw.from_native(column, series_only=True))
    found = bare_rows(column, rows, coding)
    return column.gather(rows) if found is None else found


def _without_categories(dtype: Any) -> Any:
    """Return a type of Polars with text in place of categories, at any depth."""
    if isinstance(dtype, pl.List):
        return pl.List(_without_categories(dtype.inner))
    if isinstance(dtype, pl.Array):
        return pl.Array(_without_categories(dtype.inner), dtype.size)
    if isinstance(dtype, pl.Struct):
        return pl.Struct({field.name: _without_categories(field.dtype) for field in dtype.fields})
    return pl.String if isinstance(dtype, pl.Enum | pl.Categorical) else dtype


def _arrow_column(column: Any) -> Any:
    pa: Any = import_module("pyarrow")
    pc: Any = import_module("pyarrow.compute")
    dtype = column.type
    if isinstance(dtype, pa.BaseExtensionType):
        storage = [chunk.storage for chunk in column.chunks]
        return _arrow_column(pa.chunked_array(storage, type=dtype.storage_type))
    if pa.types.is_nested(dtype):
        return pa.chunked_array([pa.array(column.to_pylist(), type=_arrow_cells(dtype))])
    if not pa.types.is_dictionary(dtype):
        return column.take(pa.array(np.arange(len(column))))
    if pa.types.is_nested(dtype.value_type):
        return _arrow_column(column.cast(dtype.value_type))
    cells = column.cast(dtype.value_type).combine_chunks()
    distinct = cells.unique().drop_null()
    categories = distinct.take(pc.array_sort_indices(distinct))
    codes = pc.index_in(cells, value_set=categories).cast(dtype.index_type)
    return pa.chunked_array([pa.DictionaryArray.from_arrays(codes, categories)])


def _arrow_cells(dtype: Any) -> Any:
    """Return a type of PyArrow with values in place of dictionaries and without metadata, at any depth."""
    pa: Any = import_module("pyarrow")
    types: Any = pa.types
    if isinstance(dtype, pa.BaseExtensionType):
        cells = _arrow_cells(dtype.storage_type)
    elif types.is_dictionary(dtype):
        cells = _arrow_cells(dtype.value_type)
    elif types.is_struct(dtype):
        cells = pa.struct([pa.field(each.name, _arrow_cells(each.type)) for each in dtype])
    elif types.is_map(dtype):
        cells = pa.map_(_arrow_cells(dtype.key_type), _arrow_cells(dtype.item_type))
    elif types.is_fixed_size_list(dtype):
        cells = pa.list_(_arrow_cells(dtype.value_type), dtype.list_size)
    elif types.is_list(dtype) or types.is_large_list(dtype):
        make = pa.list_ if types.is_list(dtype) else pa.large_list
        cells = make(_arrow_cells(dtype.value_type))
    elif types.is_nested(dtype):
        raise TypeError(f"the type {dtype} is not known")
    else:
        cells = dtype
    return cells


def _pandas_column(column: Any) -> Any:
    pd: Any = import_module("pandas")
    dtype, cells = column.dtype, column.array
    if isinstance(dtype, pd.CategoricalDtype):
        cells = cells.remove_unused_categories()
        used = list(cells.categories)
        try:
            used.sort()
        except TypeError:  # of several types
            used.sort(key=str)
        categories = pd.Index(used, dtype=dtype.categories.dtype)
        return pd.Series(cells.set_categories(categories, ordered=False))
    if isinstance(dtype, pd.ArrowDtype):
        pa: Any = import_module("pyarrow")
        arrow = cells.__arrow_array__()
        chunked = arrow if isinstance(arrow, pa.ChunkedArray) else pa.chunked_array([arrow])
        return pd.Series(pd.arrays.ArrowExtensionArray(_arrow_column(chunked)))
    if isinstance(cells, pd.arrays.IntegerArray | pd.arrays.FloatingArray | pd.arrays.BooleanArray):
        missing = np.array(cells.isna())
        seen = np.array(cells.to_numpy(dtype=dtype.numpy_dtype, na_value=dtype.numpy_dtype.type(0)))
        return pd.Series(type(cells)(seen, missing))
    if isinstance(dtype, np.dtype):  # which may have metadata
        plain = np.empty(len(column), dtype=dtype.str)
        plain[:] = column.to_numpy()
        return pd.Series(plain, dtype=plain.dtype)  # pandas does not read the name of objects, "|O"
    if isinstance(dtype, pd.StringDtype | pd.DatetimeTZDtype | pd.PeriodDtype | pd.IntervalDtype):
        return pd.Series(cells.take(np.arange(len(cells))))
    raise TypeError(f"the type {dtype} is not known")
