from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from splu_ref.channels.parameters import Concept, DataError
from splu_ref.data import Microdata

ROWS = np.array([3, 0, 0, 2])


def pandas_frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "text": ["b", "a", "é", "a"],
            "object": np.array(["q", "p", "q", "r"], dtype=object),
            "category": pd.Categorical(["x", "y", "x", "y"], categories=["y", "x", "unused"]),
            "ordered": pd.Categorical(["x", "y", "x", "y"], categories=["y", "x", "w"], ordered=True),
            "numbers": pd.Categorical([10, 9, 10, 9]),
            "nullable": pd.array([2, 10, 2, 1], dtype="Int8"),
            "integer": np.array([2, 10, 2, 1], dtype=np.int32),
            "real": [0.5, 2.0**60, 0.5, -1.0],
            "truth": [True, False, True, True],
            "arrow": pd.array(["b", "a", "c", "a"], dtype="string[pyarrow]"),
        },
        index=[7, 3, 3, 1],
    )


def polars_frame() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "text": ["b", "a", "é", "a"],
            "category": pl.Series(["x", "y", "x", "y"], dtype=pl.Categorical),
            "enum": pl.Series(["x", "y", "x", "y"], dtype=pl.Enum(["y", "x", "w"])),
            "integer": pl.Series([2, 10, 2, 1], dtype=pl.UInt8),
            "real": pl.Series([0.5, 2.0**60, 0.5, -1.0], dtype=pl.Float32),
            "truth": [True, False, True, True],
            "decimal": pl.Series([Decimal("1.50"), Decimal(2), Decimal("1.50"), Decimal(0)]),
            "day": [dt.date(2024, 2, 29), dt.date(1999, 1, 1), dt.date(2024, 2, 29), dt.date(1, 1, 1)],
            "moment": pl.Series([5, 0, 5, -1]).cast(pl.Datetime("ns", "UTC")),
        }
    )


def arrow_table() -> pa.Table:
    return pa.table(
        {
            "text": pa.array(["b", "a", "é", "a"]),
            "large": pa.array(["b", "a", "c", "a"], type=pa.large_string()),
            "dictionary": pa.array(["x", "y", "x", "y"]).dictionary_encode(),
            "integer": pa.array([2, 10, 2, 1], type=pa.int16()),
            "real": pa.array([0.5, 2.0**60, 0.5, -1.0]),
            "truth": pa.array([True, False, True, True]),
        }
    )


FRAMES = [pandas_frame, polars_frame, arrow_table]


def columns_of(frame: Any) -> dict[str, tuple[str, list[object]]]:
    """Each column's type, as the library prints it, and its cells."""
    if isinstance(frame, pd.DataFrame):
        return {str(name): (repr(frame[name].dtype), frame[name].tolist()) for name in frame.columns}
    if isinstance(frame, pa.Table):
        names = frame.column_names
        return {name: (str(frame.schema.field(name).type), frame[name].to_pylist()) for name in names}
    return {name: (str(frame.schema[name]), frame[name].to_list()) for name in frame.columns}


@pytest.mark.parametrize("make", FRAMES)
def test_the_same_kind_of_frame_comes_back_with_every_type_kept(make: Any) -> None:
    original = columns_of(make())
    table = Microdata.from_frame(make())
    taken = table.take(ROWS)
    assert type(taken.to_frame()) is type(make())
    for column in table.columns:
        kind, cells = original[column]
        assert columns_of(table.to_frame())[column] == (kind, cells)
        assert columns_of(taken.to_frame())[column] == (kind, [cells[row] for row in ROWS])
        codes = table.codes(column)[::-1]
        replaced = columns_of(table.with_codes(column, codes).to_frame())
        assert replaced[column] == (kind, cells[::-1])
        assert {name: replaced[name] for name in replaced if name != column} == {
            name: original[name] for name in original if name != column
        }
        again = columns_of(taken.with_codes(column, codes, domain_of=table).to_frame())
        assert again[column] == (kind, cells[::-1])


@pytest.mark.parametrize("make", FRAMES)
def test_codes_index_the_ascending_domain(make: Any) -> None:
    table = Microdata.from_frame(make())
    assert table.domain("text") == ("a", "b", "é")
    assert table.domain("integer") == (1, 2, 10)
    assert table.domain("real") == (-1.0, 0.5, 2.0**60)
    assert table.domain("truth") == (False, True)
    assert table.codes("text").tolist() == [1, 0, 2, 0]
    assert table.codes("text").dtype == np.int64
    assert table.histogram("integer").tolist() == [1, 2, 1]
    assert table.histogram("integer").dtype == np.int64


def test_categories_are_sorted_by_their_text_and_unused_ones_left_out() -> None:
    assert Microdata.from_frame(pandas_frame()).domain("category") == ("x", "y")
    assert Microdata.from_frame(pandas_frame()).domain("ordered") == ("x", "y")
    assert Microdata.from_frame(pandas_frame()).domain("numbers") == (9, 10)
    assert Microdata.from_frame(polars_frame()).domain("category") == ("x", "y")
    assert Microdata.from_frame(polars_frame()).domain("enum") == ("x", "y")
    assert Microdata.from_frame(arrow_table()).domain("dictionary") == ("x", "y")


def test_text_is_sorted_by_code_point_and_distinguished_exactly() -> None:
    values = ["é", "e\u0301", "Z", "a", "10", "9", "𝄞", "\uffff", " a", "a "]
    table = Microdata.from_frame(pl.DataFrame({"s": values}))
    assert table.domain("s") == (" a", "10", "9", "Z", "a", "a ", "e\u0301", "é", "\uffff", "𝄞")


def test_a_pandas_index_starts_again_when_rows_are_taken() -> None:
    table = Microdata.from_frame(pandas_frame())
    assert table.to_frame().index.tolist() == [7, 3, 3, 1]
    assert table.take(ROWS).to_frame().index.tolist() == [0, 1, 2, 3]
    assert table.with_codes("text", table.codes("text")).to_frame().index.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("make", FRAMES)
def test_the_original_is_left_as_it_was_and_not_referred_to(make: Any) -> None:
    frame = make()
    table = Microdata.from_frame(frame)
    table.take(ROWS).with_codes("text", np.zeros(4, dtype=np.int64), domain_of=table)
    assert columns_of(frame) == columns_of(make())
    with pytest.raises(ValueError, match="read-only"):
        table.codes("text")[0] = 0


def test_a_value_that_is_not_taken_leaves_the_domain() -> None:
    table = Microdata.from_frame(pl.DataFrame({"s": ["a", "b", "c"]}))
    taken = table.take(np.array([1, 2]))
    assert taken.domain("s") == ("b", "c")
    assert taken.with_codes("s", np.array([0, 2]), domain_of=table).domain("s") == ("a", "c")
    with pytest.raises(ValueError, match="outside 0 to 1"):
        taken.with_codes("s", np.array([0, 2]))
    with pytest.raises(ValueError, match="outside 0 to 1"):
        taken.with_codes("s", np.array([0, -1]))
    with pytest.raises(ValueError, match="2 rows"):
        taken.with_codes("s", np.array([0]))


def test_unusable_frames_are_refused() -> None:
    refused: list[tuple[Any, str]] = [
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "names a column twice"),
        (pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), "names a column twice"),
        (pd.DataFrame([[1, 2]]), "a column named 0"),
        (pd.DataFrame({"": [1]}), "a column named ''"),
        (pl.DataFrame({"a": []}), "no rows"),
        (pl.DataFrame(), "no rows"),
        (pd.DataFrame(index=range(3)), "no columns"),
        (pl.DataFrame({"a": [1]}).lazy(), "LazyFrame is not a table"),
        ({"a": [1]}, "dict is not a table"),
        (
            pa.record_batch({"a": [1]}),
            r"RecordBatch is not a table: give pyarrow.Table.from_batches\(\[batch\]\)",
        ),
    ]
    for frame, fault in refused:
        with pytest.raises(DataError, match=fault):
            Microdata.from_frame(frame)


def test_a_column_that_pyarrow_cannot_reorder_is_named() -> None:
    views = pa.array(["a", "b", "a"], type=pa.string_view())
    table = Microdata.from_frame(pa.table({"x": [1, 2, 3], "v": views}))
    assert table.domain("v") == ("a", "b")
    fault = r"^column 'v' cannot be reordered .*string_view.*: cast it to a common type, such as string$"
    with pytest.raises(DataError, match=fault):
        table.take(np.array([1, 0]))
    with pytest.raises(DataError, match=fault):
        table.with_codes("v", np.array([0, 1, 1]))


def test_numpy_scalars_among_objects_are_values() -> None:
    cells = np.array([np.int64(10), np.int64(9), np.int64(10)], dtype=object)
    table = Microdata.from_frame(pd.DataFrame({"s": pd.Series(cells, dtype=object)}))
    assert table.domain("s") == (9, 10)
    assert [type(value) for value in table.domain("s")] == [int, int]
    assert table.count(Concept.of({"s": "10"})) == 2


def test_a_table_is_shown_by_its_shape_not_its_cells() -> None:
    table = Microdata.from_frame(pl.DataFrame({"name": ["secret", "b"], "s": ["x", "y"]}))
    assert repr(table) == "Microdata(2 rows, columns name, s)"


def test_columns_that_cannot_be_coded_are_refused() -> None:
    mixed = Microdata.from_frame(
        pd.DataFrame({"m": pd.Series(["1", 1, True], dtype=object), "one": ["x"] * 3})
    )
    with pytest.raises(
        DataError, match="column 'm' mixes values of types bool, int, str: convert it to text"
    ):
        mixed.codes("m")
    with pytest.raises(
        DataError, match=r"column 'one' holds one value only \('x'\): nothing to hide it among"
    ):
        mixed.codes("one")
    assert mixed.histogram("one").tolist() == [3]
    half = pd.DataFrame({"m": pd.Series([1, ""], dtype=object)})
    with pytest.raises(DataError, match="column 'm' mixes values of types int, str: convert it to text"):
        Microdata.from_frame(half, missing="?").codes("m")
    nested = Microdata.from_frame(pl.DataFrame({"bytes": [b"x"], "time": [dt.time(1)]}))
    for column in nested.columns:
        with pytest.raises(DataError, match=f"column '{column}' of type .* has no canonical text"):
            nested.domain(column)
    surrogate = Microdata.from_frame(pd.DataFrame({"s": pd.Series(["\ud800"], dtype=object)}))
    with pytest.raises(DataError, match="column 's' holds a surrogate"):
        surrogate.identities()


def test_an_unknown_column_is_named_with_those_that_exist() -> None:
    table = Microdata.from_frame(pl.DataFrame({"occupation": ["a"], "age": ["1"]}))
    expected = (
        "there is no column 'ocupation': did you mean 'occupation'? the columns are 'occupation', 'age'"
    )
    for ask in (
        table.codes,
        table.domain,
        table.histogram,
        table.identities,
        lambda column: table.count(Concept.of({column: "a"})),
        lambda column: table.with_codes(column, np.array([0])),
    ):
        with pytest.raises(DataError) as raised:
            ask("ocupation")
        assert str(raised.value) == expected


def test_counts_compare_canonical_texts() -> None:
    table = Microdata.from_frame(polars_frame())
    for assignments, expected in [
        ({"text": "a"}, 2),
        ({"text": "a", "integer": "10"}, 1),
        ({"text": "b", "integer": "10"}, 0),
        ({"text": "A"}, 0),
        ({"integer": "2"}, 2),
        ({"integer": "2.0"}, 0),
        ({"real": "0.5"}, 2),
        ({"real": "1.152921504606847e+18"}, 1),
        ({"truth": "True"}, 3),
        ({"truth": "true"}, 0),
        ({"category": "x", "enum": "x"}, 2),
        ({"decimal": "1.50"}, 2),
        ({"day": "2024-02-29"}, 2),
        ({"moment": "1970-01-01T00:00:00.000000005Z"}, 2),
        ({"moment": "1969-12-31T23:59:59.999999999Z"}, 1),
    ]:
        assert table.count(Concept.of(assignments)) == expected, assignments


@pytest.mark.parametrize("zeros", [(-0.0, 0.0), (0.0, -0.0), (-0.0, -0.0)])
@pytest.mark.parametrize("kind", [pl.DataFrame, pa.table, pd.DataFrame])
def test_a_zero_is_written_without_a_sign(kind: Any, zeros: tuple[float, float]) -> None:
    table = Microdata.from_frame(kind({"x": [zeros[0], 1.5, zeros[1]]}))
    assert list(map(str, table.domain("x"))) == ["0.0", "1.5"]
    assert table.with_codes("x", np.array([0, 1, 0])).cells("x") == ["0.0", "1.5", "0.0"]


def test_equal_decimals_are_written_one_way_in_any_order() -> None:
    cells = [Decimal("1.0"), Decimal("2"), Decimal("1.00")]
    for ordered in (cells, cells[::-1]):
        table = Microdata.from_frame(pd.DataFrame({"x": pd.Series(ordered, dtype=object)}))
        assert list(map(str, table.domain("x"))) == ["1.00", "2"]
        assert table.with_codes("x", np.array([0, 1, 0])).cells("x") == ["1.00", "2", "1.00"]
