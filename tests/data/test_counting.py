"""A table counted in parts answers as the table itself: same values, same counts, same refusals."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from splu_ref.channels.parameters import DataError, InputError
from splu_ref.data import Microdata, counting, embedded_table, limits, parts, read_table
from splu_ref.data.counting import TooManyCombinationsError, count_records
from splu_ref.data.record_counts import RecordCounts
from splu_ref.estimators import Query
from splu_ref.estimators.queries.counting import Columns, SensitiveCounts
from tests.pace import TWO_THREADS

ODD = pl.DataFrame(
    {
        "a": ["x", "", 'say "y"', "é, ö", "x", "two\nlines", "\ufeffx", "x"] * 9,
        "b": list("pqpqrrpp") * 9,
        "unasked": [f"cell {number}" for number in range(72)],
    }
)


def _counted(path: Path, *columns: str) -> RecordCounts:
    [(_, found)] = count_records(path, [columns])
    return found


def _combinations(records: Microdata | RecordCounts, columns: tuple[str, ...]) -> Counter[tuple[str, ...]]:
    coded = [records.categories(column) for column in columns]
    times = np.ones(records.row_count, dtype=np.int64) if records.counts is None else records.counts
    found: Counter[tuple[str, ...]] = Counter()
    for row, count in enumerate(times.tolist()):
        found[tuple(each.values[each.codes[row]] for each in coded)] += count
    return found


def _small_parts(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(parts, "PART_BYTES", size)


@pytest.mark.parametrize("size", [1, 7, 64, 1 << 20])
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet"])
def test_parts_hold_what_the_whole_table_holds(
    name: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _small_parts(monkeypatch, size)
    text = ODD.write_csv().replace("\n", "\r\n") if size == 7 else ODD.write_csv()
    if name.endswith("csv"):
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" * (size == 64) + text.encode())
    elif name.endswith("gz"):
        (tmp_path / name).write_bytes(gzip.compress(text.encode()))
    else:
        ODD.write_parquet(tmp_path / name)
    table, found = read_table(tmp_path / name), _counted(tmp_path / name, "a", "b")
    assert found.columns == table.columns
    assert found.row_count == table.row_count
    assert found.values("a") == table.values("a")  # in the order in which they first occur
    assert _combinations(found, ("a", "b")) == _combinations(table, ("a", "b"))


def test_cells_of_parquet_are_counted_by_their_canonical_texts(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"n": [1.0, None, 2.5, 1.0], "d": [True, False, None, True], "s": ["", None, "a", ""]}
    )
    frame.write_parquet(tmp_path / "t.parquet")
    found = _counted(tmp_path / "t.parquet", "n", "d", "s")
    assert _combinations(found, ("n", "d", "s")) == {
        ("1.0", "True", ""): 2,
        ("", "False", ""): 1,
        ("2.5", "", "a"): 1,
    }


@pytest.mark.parametrize("kind", [pl.Float64, pl.Float32])
def test_equal_numbers_with_other_texts_are_distinguished(kind: type[pl.DataType], tmp_path: Path) -> None:
    cells = [-0.0, 0.0, None, float("nan"), 1.5, 0.0, float("-inf")]
    pl.DataFrame({"n": pl.Series(cells, dtype=kind)}).write_parquet(tmp_path / "t.parquet")
    table, found = read_table(tmp_path / "t.parquet"), _counted(tmp_path / "t.parquet", "n")
    assert found.values("n") == table.values("n") == ("-0.0", "0.0", "", "1.5", "-inf")
    assert _combinations(found, ("n",)) == _combinations(table, ("n",))


@pytest.mark.parametrize(
    "data",
    [
        b"a,b\n1,2\n3,4\n5\n",
        b"a,b\n1,2\n3,4,5\n",
        b"a,b\n1,2\n\n3,4\n",
        b"a\n1\n\n",
        b'a,b\n1,2\n3,x"y\n',
        b'a,b\n1,2\n"3" ,4\n',
        b'a,b\n1,2\n3,"4\n5,6\n',
        b"a,b\n1,2\n3,4\r5\n",
        b"a,b\n1,2\n3,\0\n",
        b"a,b\n1,2\n3,\xff\n",
        b"a,b\n",
        b"a,b",
        b"",
        b"\n1\n",
        b"a,a\n1,2\n",
        b"a;b\n1;2\n3,4\n",
    ],
)
@pytest.mark.parametrize("size", [4, 1 << 20])
def test_a_fault_is_refused_in_the_words_of_the_whole_table(
    data: bytes, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _small_parts(monkeypatch, size)
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    with pytest.raises(DataError) as whole:
        read_table(path)
    with pytest.raises(DataError) as part:
        list(count_records(path, [()]))
    assert str(part.value) == str(whole.value)


@pytest.mark.parametrize(
    ("read", "rows", "text"),
    [(pl.DataFrame({"a": ["a", "1"], "b": ["b", "22"]}), 1, 3),
     (pl.DataFrame({"a": ["a", "1", "3"], "b": ["b", "22", "4"]}), 2, 5)],
    ids=["a row less", "a byte less"],
)  # fmt: skip
def test_what_is_read_otherwise_than_it_was_checked_is_refused(
    read: pl.DataFrame, rows: int, text: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Polars and the check of structure may have faults, but hardly the same ones."""
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,22\n3,44\n")
    message = (
        f"{path}: 2 rows with 6 bytes of text were read as {rows} rows with {text}: please report this file"
    )
    monkeypatch.setattr(pl, "read_csv", lambda *_, **__: read)
    for reading in (lambda: read_table(path), lambda: _counted(path, "a", "b")):
        with pytest.raises(DataError) as error:
            reading()
        assert str(error.value) == message
    monkeypatch.setattr(pl, "read_csv", lambda *_, **__: read[["a"]])
    if rows == 1:  # of some columns, rows are counted alone
        with pytest.raises(DataError, match="with 6 bytes of text were read as 1 rows with 6"):
            _counted(path, "a")
    else:
        assert _counted(path, "a").row_count == 2


def test_what_is_packed_is_refused_as_for_the_whole_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "ALWAYS_READ", 1000)
    packed = gzip.compress(ODD.write_csv().encode())
    for name, data in {
        "bomb.csv.gz": gzip.compress(b"a\n" + b"1\n" * 100_000),
        "broken.csv.gz": packed[:-20],
        "other.csv.gz": b"a,b\n1,2\n",
        "damaged.csv.gz": packed[:30] + b"\xff" * 9 + packed[39:],
        "short.parquet": b"PAR1",
        "torn.parquet": b"PAR1" + b"\0" * 30 + b"PAR1",
    }.items():
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(DataError) as whole:
            read_table(path)
        with pytest.raises(DataError) as part:
            list(count_records(path, [("a",)]))
        assert str(part.value) == str(whole.value), name


def test_a_damaged_page_is_found_on_trial(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    buffer = io.BytesIO()
    pl.DataFrame({"a": [str(number * 7919 % 1009) for number in range(4000)]}).write_parquet(buffer)
    data = bytearray(buffer.getvalue())
    data[40:300] = b"\xff" * 260
    path.write_bytes(bytes(data))
    with pytest.raises(DataError, match="is not an intact Parquet file"):
        list(count_records(path, [("a",)]))


def test_a_record_without_end_is_not_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _small_parts(monkeypatch, 64)
    monkeypatch.setattr(parts, "LONGEST_RECORD", 500)
    path = tmp_path / "t.csv"
    path.write_text('a,b\n1,2\n3,"' + "x\n" * 1000)
    with pytest.raises(DataError, match="the record that begins in line 3 has more than 500 bytes"):
        list(count_records(path, [("a",)]))


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    ODD.write_csv(tmp_path / "t.csv")
    with pytest.raises(DataError, match="there is no column 'c'"):
        list(count_records(tmp_path / "t.csv", [("a", "c")]))
    with pytest.raises(DataError, match="cannot be read"):
        list(count_records(tmp_path / "none.csv", [("a",)]))
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        list(count_records(tmp_path / "folder.csv", [("a",)]))


def test_sets_that_are_too_many_together_are_counted_one_reading_after_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _small_parts(monkeypatch, 256)
    path = tmp_path / "t.csv"
    ODD.write_csv(path)
    table = read_table(path)
    sets = [("unasked",), ("a", "b"), ("b",), ()]
    monkeypatch.setattr(counting, "_WAITING", 1)
    monkeypatch.setattr(counting, "MOST_COMBINATIONS", 80)
    done: list[int] = []
    found = dict(count_records(path, sets, ("a",), lambda part, _: done.append(part)))
    assert sum(one > other for one, other in pairwise(done)) >= 1, "one reading was enough"
    assert sorted(found) == [0, 1, 2, 3]
    for number, columns in enumerate(sets):
        assert _combinations(found[number], columns) == _combinations(table, columns)
        assert found[number].values("a") == table.values("a")
    monkeypatch.setattr(counting, "MOST_COMBINATIONS", 40)
    with pytest.raises(TooManyCombinationsError, match="the columns unasked have too many combinations"):
        list(count_records(path, sets))


def test_values_of_which_the_same_is_true_are_counted_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _small_parts(monkeypatch, 4)
    path = tmp_path / "t.csv"
    path.write_text("a,b\nx,p\nz,q\ny,p\nw,p\nx,q\nv,q\ny,p\nz,p\n")
    requested: list[str] = []

    def telling(values: Sequence[str]) -> NDArray[np.bool_]:
        """Say nine things of each value, of which they differ in the last alone."""
        requested.extend(values)
        return np.array([[True] * 8 + [value in {"x", "y", "v"}] for value in values])

    found = dict(
        count_records(path, [("a", "b"), ("b", "a"), ("a",)], (), predicates=[{"a": telling}, {}, {}])
    )
    assert requested == ["x", "z", "y", "w", "v"], "each value once, as it first occurs"
    assert _combinations(found[0], ("a", "b")) == {
        ("x", "p"): 3, ("z", "q"): 1, ("z", "p"): 2, ("x", "q"): 2,
    }  # fmt: skip
    table = read_table(path)
    assert _combinations(found[1], ("a", "b")) == _combinations(table, ("a", "b"))
    assert _combinations(found[2], ("a",)) == {("x",): 2, ("z",): 2, ("y",): 2, ("w",): 1, ("v",): 1}
    assert found[0].values("a") == ("x", "z", "y", "w", "v")


def test_a_combination_of_too_many_bits_is_refused(tmp_path: Path) -> None:
    names = [f"c{number}" for number in range(63)]
    pl.DataFrame({name: ["0", "1"] for name in names}).write_csv(tmp_path / "t.csv")
    assert _counted(tmp_path / "t.csv", *names[:62]).row_count == 2
    with pytest.raises(TooManyCombinationsError, match="of 62 bits"):
        _counted(tmp_path / "t.csv", *names)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=300),
    st.integers(1, 40),
)
def test_bitmaps_of_counted_rows_count_records(rows: list[tuple[int, int, int]], times: int) -> None:
    """Rows that stand for several records, of any binary digits, count as so many rows."""
    several = [row for number, row in enumerate(rows) for _ in range(1 + number * times % 23)]
    stored = Microdata.from_frame(
        pl.DataFrame([list(map(str, row)) for row in several], list("abs"), orient="row")
    )
    found = Counter(tuple(map(str, row)) for row in several)
    distinct = {name: stored.values(name) for name in "abs"}
    counted = RecordCounts(
        columns=stored.columns,
        counts=np.array(list(found.values())),
        codes={
            name: np.array([distinct[name].index(row[place]) for row in found])
            for place, name in enumerate("abs")
        },
        distinct=distinct,
    )
    queries: list[dict[str, object]] = [
        {"s": "0"},
        {"a": "1", "s": "0"},
        {"a": ["0", "2"], "b": "1", "s": "0"},
    ]
    predicates = [tuple(pair for pair in Query.of(where).conditions if pair[0] != "s") for where in queries]
    one, other = (SensitiveCounts(Columns(table, {}), "s") for table in (stored, counted))
    assert one.frequencies.tolist() == other.frequencies.tolist()
    pairs = sorted({row[:2] for row in found})
    assert Columns(counted, {}).groups("ab").tolist() == [pairs.index(row[:2]) for row in found]
    for predicate in predicates:
        if all(set(condition.values) <= set(distinct[name]) for name, condition in predicate):  # type: ignore[union-attr]  # values, no range
            assert one.by_value([predicate]).tolist() == other.by_value([predicate]).tolist()


def test_categories_are_the_cells(tmp_path: Path) -> None:
    for table in (embedded_table(), Microdata.from_frame(ODD.to_pandas())):
        for column in table.columns:
            found = table.categories(column)
            assert [found.values[code] for code in found.codes.tolist()] == table.cells(column)
            assert found.values == tuple(dict.fromkeys(table.cells(column)))


@pytest.mark.slow
@pytest.mark.measured
@pytest.mark.skipif(sys.platform != "linux", reason="it reads the process information of Linux")
def test_two_million_rows_are_counted_in_bounded_memory(tmp_path: Path) -> None:
    """Another process counts 104 MB of CSV within 400 MiB; the whole table takes more than a gigabyte."""
    path = tmp_path / "t.csv"
    random = np.random.default_rng(1)
    with path.open("wb") as file:
        for number in range(8):
            pl.DataFrame(
                {
                    f"column {place}": pl.Series(random.integers(0, size, 250_000)).cast(pl.String)
                    for place, size in enumerate((2, 74, 5, 16, 50, 250, 10, 100_000))
                }
            ).write_csv(file, include_header=not number)
    program = rf"""
import pathlib, re
from splu_ref.data.counting import count_records
[(_, found)] = count_records({str(path)!r}, [["column 1", "column 4", "column 5"]])
# ru_maxrss would begin with the peak of the process that started this one
print(found.row_count, re.search(r"VmHWM:\s*(\d+)", pathlib.Path("/proc/self/status").read_text())[1])
"""
    threads = {**os.environ, **TWO_THREADS}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=threads
    )
    rows, peak = map(int, done.stdout.split())
    assert rows == 2_000_000
    assert peak < 400 * 1024
