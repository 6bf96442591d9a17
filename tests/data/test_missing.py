from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from splu_ref.channels.parameters import Concept, DataError
from splu_ref.data import MISSING_MARKERS, Microdata


@pytest.mark.parametrize("cell", [None, "", "  ", *MISSING_MARKERS, " ?"])
def test_a_missing_cell_is_refused_with_its_row_and_a_remedy(cell: str | None) -> None:
    table = Microdata.from_frame(pl.DataFrame({"other": ["?", None, ""], "s": ["a", cell, "b"]}))
    shown = "empty" if not cell else repr(cell)
    value = cell if cell and cell.strip() else "?"
    expected = (
        f"column 's' is missing in row 2 (the cell is {shown}): "
        f"drop these rows or say missing={value!r} to publish it as a value"
    )
    for ask in (table.codes, table.domain, table.histogram):
        with pytest.raises(DataError) as raised:
            ask("s")
        assert str(raised.value) == expected


def test_the_first_missing_row_is_named_and_the_others_counted() -> None:
    table = Microdata.from_frame(pl.DataFrame({"s": ["a", "NA", "?", "b", "NA"]}))
    with pytest.raises(DataError, match=r"row 2 \(the cell is 'NA'\), as are 2 more of its cells: drop"):
        table.codes("s")
    table = Microdata.from_frame(pl.DataFrame({"s": [float("nan"), 1.0, None]}))
    with pytest.raises(DataError, match=r"row 1 \(the cell is empty\), as is 1 more of its cells: drop"):
        table.codes("s")


def test_words_that_merely_resemble_markers_are_values() -> None:
    values = ["-", "na", "None", "nan", "null", "unknown", "??"]
    assert Microdata.from_frame(pl.DataFrame({"s": values})).domain("s") == tuple(sorted(values))


def frames(cells: list[str | None]) -> list[Any]:
    categories = ["unused", *sorted({"?", *(cell for cell in cells if cell is not None)})]
    texts = pa.array(cells, type=pa.string())
    return [
        pl.DataFrame({"s": pl.Series(cells, dtype=pl.String)}),
        pl.DataFrame({"s": pl.Series(cells, dtype=pl.Categorical)}),
        pl.DataFrame({"s": pl.Series(cells, dtype=pl.Enum(categories))}),
        pd.DataFrame({"s": cells}),
        pd.DataFrame({"s": pd.Series(cells, dtype=object)}),
        pd.DataFrame({"s": pd.array(cells, dtype="string[pyarrow]")}),
        pd.DataFrame({"s": pd.Categorical(cells, categories=categories)}),
        pd.DataFrame({"s": pd.Categorical(cells, categories=categories, ordered=True)}),
        pa.table({"s": texts}),
        pa.table({"s": texts.cast(pa.large_string())}),
        pa.table({"s": texts.dictionary_encode()}),
        pa.table({"s": texts.cast(pa.dictionary(pa.int8(), pa.large_string()))}),
    ]


KINDS = range(len(frames(["a"])))


def type_of(frame: Any) -> Any:
    """The column type of its library, with categories, their order and index widths."""
    return frame.schema.field("s").type if isinstance(frame, pa.Table) else frame["s"].dtype


@pytest.mark.parametrize("stored", ["?", "b"], ids=["the text occurs", "the text does not occur"])
@pytest.mark.parametrize("kind", KINDS)
def test_cells_without_content_are_read_and_published_as_the_text_given(kind: int, stored: str) -> None:
    cells = ["a", "", None, stored, "NA", None]
    frame = frames(cells)[kind]
    table = Microdata.from_frame(frame, missing="?")
    read = ["a", "?", "?", stored, "NA", "?"]
    domain = sorted(set(read))
    assert table.domain("s") == tuple(domain)
    assert table.codes("s").tolist() == [domain.index(cell) for cell in read]
    assert table.histogram("s").sum() == 6
    order = np.array([5, 4, 3, 2, 1, 0])
    published = table.take(order).with_codes("s", table.codes("s")[order], domain_of=table)
    assert Microdata.from_frame(published.to_frame(), missing="?").codes("s").tolist() == [
        domain.index(cell) for cell in read[::-1]
    ]
    back = published.to_frame()["s"]
    back = back.to_pylist() if isinstance(back, pa.ChunkedArray) else back.to_list()
    assert back == read[::-1]
    assert type(published.to_frame()) is type(frame)


@pytest.mark.parametrize("kind", KINDS)
def test_the_column_type_is_kept(kind: int) -> None:
    frame = frames(["a", "", None, "b"])[kind]
    published = Microdata.from_frame(frame, missing="?").with_codes("s", np.array([0, 1, 2, 0])).to_frame()
    assert type_of(published) == type_of(frame)


def test_counts_read_cells_without_content_alike() -> None:
    cells = pl.DataFrame({"s": ["a", "", None, "?", "NA"]})
    table = Microdata.from_frame(cells, missing="?")
    counted = {value: table.count(Concept.of({"s": value})) for value in ("a", "?", "NA", "")}
    assert counted == {"a": 1, "?": 3, "NA": 1, "": 0}
    histogram = dict(zip(table.domain("s"), table.histogram("s").tolist(), strict=True))
    assert histogram == {"a": 1, "?": 3, "NA": 1}
    plain = Microdata.from_frame(cells)
    assert [plain.count(Concept.of({"s": value})) for value in ("?", "")] == [1, 1]


def test_the_empty_text_may_itself_be_the_value() -> None:
    table = Microdata.from_frame(pl.DataFrame({"s": ["a", "", None]}), missing="")
    assert table.domain("s") == ("", "a")
    assert table.with_codes("s", np.array([0, 0, 1])).to_frame()["s"].to_list() == ["", "", "a"]


def test_a_type_that_does_not_admit_the_text_is_refused() -> None:
    numbers = Microdata.from_frame(pl.DataFrame({"s": [1, None, 2]}), missing="?")
    with pytest.raises(DataError, match="column 's' does not hold text and row 2 is empty: convert"):
        numbers.codes("s")
    enums: list[Any] = [
        pl.DataFrame({"s": pl.Series(["x", None, "y"], dtype=pl.Enum(["x", "y"]))}),
        pd.DataFrame({"s": pd.Categorical(["x", None, "y"], ordered=True)}),
        pd.DataFrame({"s": pd.Categorical(["x", None, "y"])}),
    ]
    for enum in enums:
        table = Microdata.from_frame(enum, missing="?")
        assert table.domain("s") == ("?", "x", "y")
        with pytest.raises(
            DataError, match=r"column 's' of type (Enum|Cat).* does not admit the value '\?': add"
        ):
            table.with_codes("s", np.array([0, 1, 2]))
    wider = pl.DataFrame({"s": pl.Series(["x", None, "y"], dtype=pl.Enum(["x", "y", "?"]))})
    published = Microdata.from_frame(wider, missing="?").with_codes("s", np.array([0, 1, 2])).to_frame()
    assert published.schema == wider.schema
    assert published["s"].to_list() == ["?", "x", "y"]
    assert Microdata.from_frame(pl.DataFrame({"s": [1, 2]}), missing="?").domain("s") == (1, 2)
