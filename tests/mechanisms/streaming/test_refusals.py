"""Each refusal of a release on files, in its whole words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from splu_ref.channels.parameters import DataError, ParameterError
from splu_ref.mechanisms import RetentionReplacement, SpluGen, Swapping
from splu_ref.mechanisms.streaming.publishing import publish
from splu_ref.mechanisms.streaming.scan import Scan
from splu_ref.randomness import Key

KEY = Key(bytes(range(1, 32)) + b"?")
DECLARED = RetentionReplacement("1/2", {"v": [*"01234"]})
SHUFFLED = RetentionReplacement("1/2", {"v": [*"01234"]}, shuffled=True)

Refused = Callable[..., str]


@pytest.fixture
def refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Refused:
    """Return why a table is not published; of a text, 1000 bytes are looked at at once."""
    monkeypatch.setattr("splu_ref.mechanisms.streaming.scan.BATCH_BYTES", 1000)
    monkeypatch.setattr("splu_ref.data.parts.fault_on_trial", lambda *_: "")  # which takes seconds
    monkeypatch.chdir(tmp_path)

    def run(table: str | pl.DataFrame, sensitive: Any, *given: Any, **options: Any) -> str:
        name = "t.csv" if isinstance(table, str) else "t.parquet"
        if isinstance(table, str):
            Path(name).write_text(table)
        else:
            table.write_parquet(name)
        with pytest.raises((DataError, ParameterError)) as error:
            publish(name, "o.csv", sensitive, *given, **options)
        assert [path.name for path in Path().iterdir()] == [name]
        return str(error.value)

    return run


def test_what_is_wrong_with_the_choice_of_columns(refused: Refused) -> None:
    text = "v,w\n" + "1,2\n2,3\n" * 9
    once = "name at least one sensitive column, and each of them once"
    for none in ([], ["v", "w", "v"], ()):
        assert refused(text, none, SpluGen(2)) == once
    assert refused(text, ["w", "v"], SpluGen(2), KEY, id_column="v") == (
        "column 'v' is sensitive: it cannot identify the records as well"
    )
    assert refused(text, "w", SpluGen(2), id_column="v") == (
        "an id column names records for keyed draws: give a key, or leave it out"
    )
    assert refused(text, "v", SpluGen(2), KEY, id_column="n").startswith("there is no column 'n'")
    assert refused(text, "v", Swapping("1/2")) == (
        "swapping needs the whole table in memory: publish it without --stream"
    )


@pytest.mark.parametrize("length", [60, 61])
def test_an_identity_that_occurs_twice_is_shown_shortened(length: int, refused: Refused) -> None:
    """Whichever of the batches it stands in: here the first and the last."""
    name = "x" * (length - 3) + "end"
    rows = [f"{number % 5},{'a' * 40}{number}" for number in range(90)]
    text = "\n".join(["v,id", f"1,{name}", *rows, f"2,{name}", ""])
    shown = name if length == 60 else "x" * 57 + "..."
    for mechanism in (SpluGen(2), DECLARED, SHUFFLED):
        assert refused(text, "v", mechanism, KEY, id_column="id") == (
            f"column 'id' cannot identify records: two of them hold '{shown}': choose a column without "
            "repeated values"
        )


def test_rows_are_counted_from_the_first_of_a_batch(refused: Refused) -> None:
    """Lines have two bytes each, the header as well: the second batch begins with row 500."""
    cells = [str(number % 5) for number in range(1001)]
    for row, words in (
        (499, "in row 499, {}"),
        (500, "in row 1, {} (rows counted from row 500 as the first)"),
        (1001, "in row 2, {} (rows counted from row 1000 as the first)"),
    ):
        text = "\n".join(["v", *cells[: row - 1], "x", *cells[row:], ""])
        assert refused(text, "v", DECLARED) == (
            f"column 'v' holds 'x' {words}".format(
                "which is not in the declared domain: add it, or drop the row"
            )
        )


def test_types_that_parts_do_not_share(refused: Refused) -> None:
    categories = pl.Series("v", ["a", "b"] * 9, dtype=pl.Enum(["a", "b"]))
    frame = pl.DataFrame([categories, pl.Series("w", [1, 2, 3] * 6)])
    assert refused(frame, "w", SpluGen(2)) == (
        "t.parquet: column 'v' holds categories, which parts of a table do not share: convert it to text"
    )
    assert refused(frame[["w"]], "w", SpluGen(2), missing="none") == (
        "--missing with --stream is for text, and column 'w' holds Int64: convert it to text, or leave one "
        "of them out"
    )


def test_a_table_of_another_length_is_another_one(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("v\n" + "1\n2\n3\n" * 50)
    scan = Scan(table, ["v"], None, None, None, tmp_path, lambda _: None)
    assert [rows.table.row_count for rows in scan.rows()] == [150]
    scan.row_count += 1
    with pytest.raises(DataError) as error:
        list(scan.rows())
    assert str(error.value) == f"{table} changed while it was read: publish a copy"


def test_many_batches_have_the_values_of_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What each batch adds to the values is put together, now and then and in the end."""
    monkeypatch.setattr("splu_ref.mechanisms.streaming.scan.BATCH_BYTES", 4)
    table = tmp_path / "t.csv"
    table.write_text("v\n" + "".join(f"{number // 20}\n" for number in range(139)))
    read: list[int] = []
    scan = Scan(table, ["v"], None, None, None, tmp_path, read.append)
    assert len(read) > 65
    assert read[-1] == scan.row_count == 139
    assert scan.domain("v") == tuple(map(str, range(7)))
    assert scan.histogram("v").tolist() == [*[20] * 6, 19]
    assert scan.histogram("v").dtype == "int64"
    assert [code for rows in scan.rows() for code in scan.codes(rows.table, "v").tolist()] == [
        number // 20 for number in range(139)
    ]
    assert scan.value_table("v").cells("v") == list(map(str, range(7)))
    assert (scan.disk, scan.columns, scan.missing, scan.id_column) == (0, ("v",), None, None)
