"""What a release on files tells while it is made and afterwards, and what its file cannot hold."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from splu_ref.engines.streaming import publish
from splu_ref.engines.streaming.sink import Sink
from splu_ref.mechanisms import SpluGen
from splu_ref.microdata import Microdata
from splu_ref.microdata.reading import separated_by
from splu_ref.model import DataError


def test_what_a_file_cannot_hold_is_refused_with_its_name(tmp_path: Path) -> None:
    sink = Sink(tmp_path / "o.csv", tmp_path)
    with pytest.raises(DataError, match=r"o\.csv cannot be written: .*NUL"), sink.opened():
        sink.add(Microdata.from_frame(pl.DataFrame({"a": ["\0"]})))
    error = Sink(tmp_path / "o.parquet", tmp_path)._unfit(pl.exceptions.ComputeError("of it\nand more"))
    assert str(error) == (
        f"{tmp_path / 'o.parquet'} cannot be written: a column does not fit into Parquet (of it): convert it "
        "to text"
    )


def test_how_far_it_is_and_what_it_took_is_told(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("v\n" + "".join(f"{n % 5}\n" for n in range(1001)))
    told: list[tuple[str, int, int]] = []
    release = publish(
        table, tmp_path / "o.csv", "v", SpluGen(2), progress=lambda *each: told.append(each), missing="none"
    )
    steps = list(dict.fromkeys(step for step, _, _ in told))
    assert steps == ["reading", "distributing", "drawing", "writing"]
    for step, last, whole in (
        ("reading", 1001, 0),
        ("distributing", 1001, 1001),
        ("drawing", 2001, 2002),
        ("writing", 1000, 1001),
    ):
        done = [rows for name, rows, of in told if (name, of) == (step, whole)]
        assert done == sorted(done)
        assert done[-1] == last
        assert done[0] > 0
    assert list(release.seconds) == ["reading", "distributing", "drawing", "writing", "digesting"]
    assert all(0 < each < 60 for each in release.seconds.values())
    assert release.disk > 8 * 1001  # a record's key alone
    assert (release.rows_in, release.suppressed, release.max_gamma) == (1001, 1, 4)
    assert release.randomness == "system"
    assert release.domains == {"v": ("0", "1", "2", "3", "4")}


def test_what_divides_cells_and_stands_for_missing_ones_is_heard(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;b\n" + "1,2;\nx;y\n" * 4)
    with separated_by("semicolon"):
        release = publish(tmp_path / "t.csv", tmp_path / "o.csv", "b", SpluGen(2), missing="none")
    assert release.domains == {"b": ("none", "y")}
    assert sorted(line.rpartition(",")[0] for line in (tmp_path / "o.csv").read_text().split()[1:]) == [
        *['"1,2"'] * 4,
        *["x"] * 4,
    ]
