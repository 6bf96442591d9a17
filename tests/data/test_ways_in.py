"""Where a table may come from: standard input of each kind, other separators, or a table already."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import polars as pl
import pytest

from splu_ref.channels.parameters import DataError, InputError, ParameterError
from splu_ref.data import Microdata, as_table, parquet, read_table, reading, write_table
from splu_ref.data.reading import current_separator, file_separator, use_separator

MAGIC = "it does not begin and end with PAR1"


class Pipe:
    """Takes the place of the standard input."""

    def __init__(self, data: bytes, *, screen: bool = False) -> None:
        self.buffer, self._screen = io.BytesIO(data), screen

    def isatty(self) -> bool:
        return self._screen


def _parquet() -> bytes:
    buffer = io.BytesIO()
    pl.DataFrame({"a": ["1"], "b": ["2"]}).write_parquet(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "data", [b"a,b\n1,2\n", gzip.compress(b"a,b\n1,2\n"), _parquet()], ids=["csv", "gzip", "parquet"]
)
def test_the_kind_of_standard_input_is_reported_by_how_it_begins(
    data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "_parquet_fault", lambda _: "")  # no process, which takes seconds
    monkeypatch.setattr(sys, "stdin", Pipe(data))
    assert read_table("-").to_frame().rows() == [("1", "2")]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "standard input is empty: it needs a header line and rows"),
        (b"a,b\n\n", "standard input: row 1 (line 2) is blank: remove it"),
        (b"\x1f\x8b", "standard input is a gzip file that breaks off: fetch or write it again"),
        (b"PAR1", f"standard input is not an intact Parquet file ({MAGIC}): write it again"),
    ],
    ids=["empty", "blank", "gzip", "parquet"],
)
def test_standard_input_is_named_in_messages(
    data: bytes, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Pipe(data))
    with pytest.raises(DataError) as error:
        read_table("-")
    assert str(error.value) == message


def test_standard_input_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "ALWAYS_READ", 8)
    monkeypatch.setattr(sys, "stdin", Pipe(b"a,b\n1,2\n"))
    assert read_table("-").row_count == 1
    monkeypatch.setattr(sys, "stdin", Pipe(b"a,b\n1,22\n"))
    with pytest.raises(InputError) as error:
        read_table("-")
    assert str(error.value) == "standard input has more than 8 bytes: save it in a file and name that"
    for absent in (None, Pipe(b"a,b\n1,2\n", screen=True)):
        monkeypatch.setattr(sys, "stdin", absent)
        with pytest.raises(InputError) as error:
            read_table("-")
        assert str(error.value) == (
            "- is what another program writes, and none does: name a file, or pipe one in"
        )


def test_cells_may_be_divided_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "t.CSV"
    for name, character in (("semicolon", ";"), ("tab", "\t"), ("bar", "|"), ("comma", ",")):
        path.write_text(f'a{character}b\n"1{character}0"{character}2.5\n')
        for separator in (name, character):
            assert read_table(path, separator=separator).to_frame().rows() == [(f"1{character}0", "2.5")]
            with use_separator(separator):
                assert current_separator() == name
                assert read_table(path).columns == ("a", "b")
        assert current_separator() is None
    path.write_text("a\n1;2\n")
    assert read_table(path).cells("a") == ["1;2"]
    with use_separator("semicolon"):
        assert (
            file_separator(b"a,b\n;"),
            file_separator(b"a,b;\n"),
            file_separator(b"a\n,"),
            file_separator(b"a;b"),
        ) == (
            ",",
            ";",
            ";",
            ";",
        )
        with use_separator(None):
            assert file_separator(b"a;b") == ","
            assert current_separator() is None
        assert current_separator() == "semicolon"
    (tmp_path / "t.parquet").write_bytes(_parquet())
    with pytest.raises(ParameterError) as error:
        read_table(tmp_path / "t.parquet", separator="tab")
    assert str(error.value).endswith(
        "t.parquet is a Parquet file, which has no separator: leave out separator"
    )


def test_a_table_without_rows_is_one_where_that_is_said(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n")
    frame = pl.DataFrame({"a": [], "b": []}, schema={"a": pl.String, "b": pl.String})
    for given in (path, str(path), frame):
        assert as_table(given, empty=True).columns == ("a", "b")
        with pytest.raises(DataError, match="nothing to read"):
            as_table(given)
    path.write_text('a\n""\n')
    assert as_table(path, "?").domain("a") == ("?",)
    assert as_table(pl.DataFrame({"a": [""]}), "?").missing == "?"
    table = Microdata.from_frame(frame, empty=True)
    assert as_table(table) is table


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet"])
def test_each_kind_of_file_is_reported_missing_cells_and_may_be_empty(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "_parquet_fault", lambda _: "")  # as above
    write_table(Microdata.from_frame(pl.DataFrame({"a": ["", "x"], "b": ["1", "2"]})), tmp_path / name)
    table = read_table(tmp_path / name, "?")
    assert (table.missing, table.domain("a"), table.cells("b")) == ("?", ("?", "x"), ["1", "2"])
    assert read_table(tmp_path / name).missing is None
    none = pl.DataFrame({"a": [], "b": []}, schema={"a": pl.String, "b": pl.String})
    write_table(Microdata.from_frame(none, empty=True), tmp_path / name, force=True)
    assert (read_table(tmp_path / name, empty=True).columns, table.row_count) == (("a", "b"), 2)
    with pytest.raises(DataError, match="there is nothing to read"):
        read_table(tmp_path / name)
