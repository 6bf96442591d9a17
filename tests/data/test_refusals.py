"""What is refused, word by word: each number, place and remedy of a message.

``refused.txt`` holds the messages: lines that were read. Where one ought to change, read the new one.
"""

from __future__ import annotations

import datetime
import gzip
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from splu_ref.channels.parameters import InputError
from splu_ref.data import (
    Bins,
    Cross,
    Hashed,
    Microdata,
    Rare,
    as_table,
    prepare_table,
    read_table,
    require_suffix,
    write_table,
)
from splu_ref.data.coding import code_values
from splu_ref.data.counting import count_records
from splu_ref.data.csv_structure import check_structure
from splu_ref.data.encoding import encode, encode_declared
from splu_ref.data.limits import cell_count_error, expansion_error
from splu_ref.data.parquet import damaged_file_error
from splu_ref.data.parts import TableParts
from splu_ref.data.reading import use_separator
from splu_ref.data.record_counts import require_columns, require_in_domain
from splu_ref.data.table import Recoding

READ = Path(__file__).with_name("refused.txt").read_text("utf-8").splitlines()
REFUSED = dict(line.split(" :: ", 1) for line in READ)


def _csv(text: str) -> Callable[[], object]:
    return lambda: check_structure(text.encode("utf-8", "surrogateescape"), "t.csv")


def _frame(**columns: object) -> Microdata:
    return Microdata.from_frame(pl.DataFrame(columns, strict=False))


def _recoded(step: Callable[[], Recoding], cells: list[object], **more: object) -> Callable[[], object]:
    return lambda: prepare_table(_frame(x=cells, **more), [step()], {})


def _missing(*cells: object, declared: str | None = None) -> Callable[[], object]:
    return lambda: Microdata.from_frame(pl.DataFrame({"x": cells}, strict=False), declared).domain("x")


def _declared(cells: list[object], *domain: str) -> Callable[[], object]:
    return lambda: encode_declared("x", encode("x", code_values(cells), None), domain)  # type: ignore[arg-type]  # some are no values


def _written(suffix: str, frame: object) -> Callable[[], object]:
    return lambda: write_table(Microdata.from_frame(frame), f"u{suffix}")  # type: ignore[arg-type]  # any frame


def _divided(text: str, separator: str) -> None:
    Path("d.csv").write_text(text)
    read_table("d.csv", separator=separator)


def _read(name: str, data: bytes) -> Callable[[], object]:
    def read() -> object:
        Path(name).write_bytes(data)
        return read_table(name)

    return read


def _under(separator: str) -> object:
    with use_separator(separator):
        return None


LONG = pl.DataFrame({"x": ["a" * 1000] * 3})
REQUESTED: dict[str, Callable[[], object]] = {
    # The structure of CSV files.
    "empty": _csv(""),
    "nul": _csv("a,b\nc,\0"),
    "latin": _csv("a,b\nä,\udce4"),
    "quote inside": _csv('a,b\nc,d\ne,f"g\n'),
    "quote between semicolons": _csv('a;b;c, d\n1;"e; f";2\n'),
    "text after a quote": _csv('a,b\n"c\nd"e,f\n'),
    "a quote and nothing else": _csv('"'),
    "open quote": _csv('a,b\nc,"d\n'),
    "lone return": _csv("a,b\nc,d\re,f\n"),
    "return at the end": _csv("a,b\nc,d\r"),
    "first of two faults": _csv('a,b\nc\rd,e\nf,g"h\n'),
    "blank header": _csv("\na,b\n"),
    "blank row": _csv("a,b\n1,2\n\n3,4\n"),
    "blank row of one column": _csv("a\n1\n\n3\n"),
    "blank row after quoted lines": _csv('a,b\r\n"1\r\n\r\n",2\r\n\r\n'),
    "too few": _csv("a,b,c\n1,2,3\n4\n"),
    "too many": _csv("a,b\n1,2,3\n"),
    "one column of several": _csv("a;b\n1;2,5\n"),
    "tabs": _csv("a\tb\n1\t2,5\n"),
    "bars": _csv("a|b\n1|2,5\n"),
    "no name": _csv("a,,b\n1,2,3\n"),
    "no first name": _csv(",a\n1,2\n"),
    "a name twice": _csv("a,b,a,a\n1,2,3,4\n"),
    "header alone": _csv("a,b\n"),
    # Columns that are not there, and values that are not declared.
    "no column": lambda: _frame(age=[1], sex=["F"]).domain("aeg"),
    "no column that is close": lambda: _frame(age=[1], sex=["F"]).domain("zzz"),
    "twenty columns": lambda: require_columns(["zz"], [f"c{n}" for n in range(20)]),
    "many columns": lambda: require_columns(["zz"], [f"c{n}" for n in range(21)]),
    "one column that is several": lambda: require_columns(["zz"], ["age;sex"]),
    "two columns of which one is several": lambda: require_columns(["zz"], ["age;sex", "b"]),
    "not stated": lambda: require_in_domain("x", ["a", "b", "c"], ["a", "d"]),
    "no column in a file": lambda: list(count_records("t.csv", [["a"], ["zz"]])),
    # Cells without content, and types.
    "missing": _missing("a", "", "b"),
    "missing twice": _missing("a", None, None, "b"),
    "missing thrice": _missing("?", "a", "?", "?"),
    "missing blanks": _missing("a", "  "),
    "missing marker": _missing("a", "b", " NA "),
    "Namibia": _missing("NA", "a", "", "NA"),
    "no text": _missing(1, None, declared="?"),
    "types": lambda: encode("x", code_values(["a", 1, 2.0]), None),
    "one value": lambda: _frame(x=["a", "a"]).codes("x"),
    "declared one": _declared(["a"], "a"),
    "declared twice": _declared(["a"], "a", "b", "a"),
    "declared without": _declared(["a", "b", "c", "b"], "a", "c"),
    "declared text": _declared([1, 2], "1", "2", "x"),
    "declared otherwise": _declared([1.5, 2.0], "1.5", "2.0", "3"),
    "declared dates": _declared([datetime.date(2024, 1, 2)], "2024-01-02", "2024-01-03"),
    "structures": lambda: _frame(x=[{"a": 1}, None]).domain("x"),
    "durations": lambda: _frame(x=[datetime.timedelta(1)]).cells("x"),
    "surrogates": lambda: Microdata.from_frame(pd.DataFrame({"x": ["\ud800"]}, dtype=object)).cells("x"),
    "a number as a name": lambda: Microdata.from_frame(pd.DataFrame({3: ["a"]})),
    "a name twice in a frame": lambda: Microdata.from_frame(pd.DataFrame([[1, 2]], columns=["a", "a"])),
    "no frame": lambda: Microdata.from_frame([1]),  # type: ignore[arg-type]  # refused
    "a batch": lambda: Microdata.from_frame(pa.record_batch({"a": [1]})),  # type: ignore[arg-type]  # refused
    "a lazy frame": lambda: Microdata.from_frame(pl.LazyFrame({"a": [1]})),  # type: ignore[arg-type]  # refused
    "no rows": lambda: Microdata.from_frame(pl.DataFrame({"a": []})),
    "codes of another length": lambda: _frame(x=["a", "b"]).with_codes("x", np.array([0])),
    "codes beyond": lambda: _frame(x=["a", "b"]).with_codes("x", np.array([0, 2])),
    # Records.
    "an empty identity": lambda: _frame(x=["a", ""]).identities("x"),
    "an identity twice": lambda: _frame(x=["a", "b", "c", "b"]).identities("x"),
    # Recoding.
    "bins without width": lambda: Bins.parse("x"),
    "bins of no width": lambda: Bins.parse("x=0"),
    "bins of a text": _recoded(lambda: Bins.parse("x=10"), ["1", "a", "a"]),
    "bins of a fraction": _recoded(lambda: Bins("x", "10", whole=True), ["1", "1.5"]),
    "bins of no date": _recoded(lambda: Bins.parse("x=year"), ["2024-01-01", "?", "2024"]),
    "a crossing of one": lambda: Cross.parse("ab=a"),
    "a crossing of nothing": lambda: Cross.parse("a,b"),
    "a crossing that is taken": _recoded(lambda: Cross.parse("z=x,y"), ["a"], y=["b"], z=["c"]),
    "a crossing of what joins": _recoded(lambda: Cross.parse("z=x,y"), ["a", "a / b"], y=["b", "c"]),
    "rare without number": lambda: Rare.parse("city"),
    "rare of less than two": lambda: Rare.parse("city=1"),
    "rare and other": _recoded(lambda: Rare.parse("x=2"), ["other", "a"]),
    "a hash without a key": _recoded(lambda: Hashed("x"), ["a"]),
    # Files.
    "another suffix": lambda: require_suffix("t.txt"),
    "a spreadsheet": lambda: read_table("my 'table'.XLSX"),
    "no file": lambda: read_table("absent.csv"),
    "an empty gzip file": _read("e.csv.gz", b""),
    "no gzip file": _read("n.csv.gz", b"abc"),
    "half a gzip file": _read("h.csv.gz", gzip.compress(b"a,b\n1,2\n", mtime=0)[:-6]),
    "an empty Parquet file": _read("e.parquet", b""),
    "no Parquet file": _read("n.parquet", b"abc"),
    "a separator": lambda: _divided("a,b\n", "colon"),
    "a separator for all": lambda: _under("colon"),
    "missing decided": lambda: as_table(_frame(x=["a"]), "?"),
    "parts of standard input": lambda: TableParts("-"),
    "no parts": lambda: TableParts("absent.csv").columns,
    "too much": lambda: _raise(expansion_error("t.gz", 2_000_000)),
    "too many cells": lambda: _raise(cell_count_error("t.parquet", 1000, 5_000_000)),
    "damage": lambda: _raise(damaged_file_error("t.parquet", "why")),
    "NUL written": _written(".csv", pl.DataFrame({"x": ["a\0"]})),
    "structures written": _written(".csv.gz", pl.DataFrame({"x": [[1]]})),
    "columns that mix": lambda: Microdata.from_frame(pd.DataFrame({"x": [1, "a"]})).domain("x"),
    "decimals": lambda: _frame(x=[Decimal("1.0")]).codes("x"),
    "written as another": lambda: write_table(_frame(x=["a"]), "t.txt"),
}


def _raise(error: Exception) -> None:
    raise error


@pytest.mark.parametrize("name", REQUESTED)
def test_messages_are_whole(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("a,b\n1,2\n")
    with pytest.raises((InputError, ValueError)) as error:
        REQUESTED[name]()
    assert str(error.value) == REFUSED[name]
    assert not list(Path().glob("u.*"))
