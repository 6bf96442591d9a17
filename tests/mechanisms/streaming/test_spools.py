"""What stands on disk while a table is published: rows by part, numbers of records, and a sample of rows."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from splu_ref.channels.parameters import InputError
from splu_ref.data import Microdata
from splu_ref.mechanisms.streaming import content
from splu_ref.mechanisms.streaming import content as numbers
from splu_ref.mechanisms.streaming.files import FrameSpool, RecordSpool, Sink, private_folder

PARTS = [np.array([3, 0, 3, 3, 0]), np.array([0, 3])]


def test_rows_of_frames_come_back_by_part_in_their_order(tmp_path: Path) -> None:
    spool = FrameSpool(tmp_path / "s", 5)
    assert spool.add(pl.DataFrame({"a": [1, 2, 3, 4, 5]}), PARTS[0]).tolist() == [0, 0, 1, 2, 1]
    assert spool.add(pl.DataFrame({"a": [6, 7]}), PARTS[1]).tolist() == [2, 3]
    assert spool.sizes.tolist() == [3, 0, 0, 4, 0]
    files = sorted((tmp_path / "s").iterdir())
    assert len(files) == 2
    assert spool.written == sum(file.stat().st_size for file in files)
    assert (tmp_path / "s").stat().st_mode & 0o777 == 0o700
    assert [piece["a"].to_list() for piece in spool.pieces(3, keep=True)] == [[1, 3, 4], [7]]
    assert spool.part(3, keep=True)["a"].to_list() == [1, 3, 4, 7]
    assert list(spool.pieces(1)) == []
    assert len(list((tmp_path / "s").iterdir())) == 2
    assert spool.part(3)["a"].to_list() == [1, 3, 4, 7]
    assert spool.part(0)["a"].to_list() == [2, 5, 6]
    assert list((tmp_path / "s").iterdir()) == []


def test_records_come_back_by_part_in_their_order(tmp_path: Path) -> None:
    kind = np.dtype([("a", np.uint16), ("b", np.int64)])
    spool = RecordSpool(tmp_path / "s", 5, kind)
    given = np.array([(number, -number) for number in range(1, 8)], dtype=kind)
    spool.add(given[:5], PARTS[0])
    spool.add(given[5:], PARTS[1])
    assert spool.sizes.tolist() == [3, 0, 0, 4, 0]
    assert spool.written == 7 * 10
    assert spool.part(3, keep=True).tolist() == [(1, -1), (3, -3), (4, -4), (7, -7)]
    assert (spool.part(1).dtype, spool.part(1).tolist()) == (kind, [])
    assert (tmp_path / "s").stat().st_mode & 0o777 == 0o700
    assert len(list((tmp_path / "s").iterdir())) == 2
    assert [piece["a"].tolist() for piece in spool.pieces(3, 3)] == [[1, 3, 4], [7]]
    assert [piece["a"].tolist() for piece in spool.pieces(2, 3)] == []
    assert spool.part(0)["a"].tolist() == [2, 5, 6]
    assert list((tmp_path / "s").iterdir()) == []


def test_a_folder_that_cannot_be_made_or_filled_is_reported_with_its_place(tmp_path: Path) -> None:
    with private_folder(tmp_path / "t.csv") as folder:
        assert folder.parent == tmp_path
        assert folder.stat().st_mode & 0o777 == 0o700
    assert not folder.exists()
    missing = tmp_path / "none" / "t.csv"
    with pytest.raises(InputError) as error, private_folder(missing):
        pass
    assert str(error.value) == (
        f"{missing.parent} cannot hold what is sorted there: No such file or directory: choose another place"
    )
    with pytest.raises(InputError) as error, private_folder(tmp_path / "t.csv"):
        raise OSError(28, "No space left on device")
    assert str(error.value) == (
        f"{tmp_path} cannot hold what is sorted there: No space left on device: free some space, or choose "
        "another place"
    )
    assert list(tmp_path.iterdir()) == []


def test_an_error_of_the_system_within_one_of_polars_stays_one(tmp_path: Path) -> None:
    error = Sink(tmp_path / "o.parquet", tmp_path)._unfit(
        pl.exceptions.ComputeError("it broke (os error 28)")
    )
    assert isinstance(error, OSError)
    assert error.errno == 28
    assert error.strerror == "No space left on device"


@pytest.mark.parametrize("parts", [1, 3])
def test_records_are_numbered_among_those_alike(
    parts: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Digests differ in the lowest bits of a word or the highest, and pieces end within those alike."""
    monkeypatch.setattr(numbers, "PART_ENTRIES", 7)
    monkeypatch.setattr(numbers, "_ROWS", 5)
    kinds = [bytes([first]) + b"\xa5" * 30 + bytes([last]) for first in (0, 1, 9) for last in (0, 1, 7)]
    digests = [kinds[number * number * 5 % 23 % 9] for number in range(61)]
    made = numbers.DuplicateNumbers(tmp_path / "n", parts)
    assert made.written == 0
    for begin, end in pairwise((0, 1, 20, 61)):
        made.add(digests[begin:end])
    seen: Counter[bytes] = Counter()
    expected = []
    for digest in digests:
        expected.append(seen[digest])
        seen[digest] += 1
    assert made.written == 61 * 40
    found = [made.of(begin, end - begin).tolist() for begin, end in pairwise((0, 3, 10, 13, 14, 61))]
    assert [number for each in found for number in each] == expected
    assert made.written == 61 * 40 + 16 * sum(number > 0 for number in expected)
    assert made.of(5, 0).tolist() == []


@pytest.mark.parametrize("limit", [1000, 999, 510, 270, 140, 139, 9])
def test_rows_in_their_order_are_divided_by_a_sample_of_all(
    limit: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows 0, 1, ... have places of their own: multiples of the golden section, of which the lowest count.

    The share of them that counts is halved for as long as those that do are too many, unless one is left.
    They divide all rows, which come ascending here, into parts of about the same size.
    """
    monkeypatch.setattr(content, "_SAMPLE_BYTES", limit)
    cells = [f"{number:02}" for number in range(100)]
    tables = [Microdata.from_frame(pl.DataFrame({"a": each})) for each in (cells[:37], cells[37:])]
    records = [record for table in tables for record in table.content_records()]
    assert {len(record) for record in records} == {10}
    rows = content.Content(tmp_path / "c", ["a"], 4)
    for table in tables:
        rows.add(table)
    assert rows.written > 100
    whole = Microdata.from_frame(pl.DataFrame({"a": cells}))
    before = rows.written
    assert rows.digest() == whole.content_digest()
    places = [number * 0x9E3779B97F4A7C15 % 2**64 for number in range(100)]
    below = 1 << 64
    while (count := sum(place < below for place in places)) > max(1, limit // 10):
        below >>= 1
    sample = sorted(record for record, place in zip(records, places, strict=True) if place < below)
    borders = sorted({sample[len(sample) * part // 4] for part in (1, 2, 3)})
    sizes = Counter(bisect_right(borders, record) for record in records)
    assert rows._spool is not None
    assert rows._spool.sizes.tolist() == [sizes[part] for part in range(len(borders) + 1)]
    assert rows.written == before + rows._spool.written
    if count > 9:
        assert max(sizes.values()) < 50
