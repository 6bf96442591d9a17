"""Progress and wall times of a release on files, and cells that its format does not support."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from splu_ref.channels.parameters import DataError
from splu_ref.data import Microdata
from splu_ref.data.reading import use_separator
from splu_ref.mechanisms import RecordMechanism, RetentionReplacement, SpluGen
from splu_ref.mechanisms.streaming.files import FrameSpool, RecordSpool, Sink
from splu_ref.mechanisms.streaming.publishing import publish
from splu_ref.randomness import Key

KEY = Key(bytes(range(1, 32)) + b"?")
DOMAIN = {"v": [*"01234"]}


def test_what_a_file_cannot_hold_is_refused_with_its_name(tmp_path: Path) -> None:
    sink = Sink(tmp_path / "o.csv", tmp_path)
    with pytest.raises(DataError, match=r"o\.csv cannot be written: .*NUL"), sink.writing():
        sink.add(Microdata.from_frame(pl.DataFrame({"a": ["\0"]})))
    error = Sink(tmp_path / "o.parquet", tmp_path)._unfit(pl.exceptions.ComputeError("of it\nand more"))
    assert str(error) == (
        f"{tmp_path / 'o.parquet'} cannot be written: a column does not fit into Parquet (of it): convert it "
        "to text"
    )


def test_how_far_it_is_and_what_it_took_is_reported(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("v\n" + "".join(f"{n % 5}\n" for n in range(1001)))
    reported: list[tuple[str, int, int]] = []
    release = publish(
        table,
        tmp_path / "o.csv",
        "v",
        SpluGen(2),
        progress=lambda *each: reported.append(each),
        missing="none",
    )
    steps = list(dict.fromkeys(step for step, _, _ in reported))
    assert steps == ["reading", "distributing", "drawing", "writing"]
    for step, last, whole in (
        ("reading", 1001, 0),
        ("distributing", 1001, 1001),
        ("drawing", 2001, 2002),
        ("writing", 1000, 1001),
    ):
        done = [rows for name, rows, of in reported if (name, of) == (step, whole)]
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
    with use_separator("semicolon"):
        release = publish(tmp_path / "t.csv", tmp_path / "o.csv", "b", SpluGen(2), missing="none")
    assert release.domains == {"b": ("none", "y")}
    assert sorted(line.rpartition(",")[0] for line in (tmp_path / "o.csv").read_text().split()[1:]) == [
        *['"1,2"'] * 4,
        *["x"] * 4,
    ]


BATCHES = [499, 999, 1001]
"""Rows of two bytes after a header of two that were read with 1000, 2000, and all bytes."""


@pytest.mark.parametrize("key", [None, KEY])
@pytest.mark.parametrize(
    ("mechanism", "steps"),
    [
        (SpluGen(2), {"distributing": BATCHES, "drawing": [1001, 2001], "writing": [1000]}),
        (RetentionReplacement("1/2", DOMAIN, shuffled=True), {"distributing": BATCHES, "writing": [1001]}),
        (RetentionReplacement("1/2", DOMAIN), {"writing": BATCHES}),
    ],
    ids=["groups", "shuffled", "in order"],
)
def test_each_batch_of_each_step_is_reported(
    mechanism: RecordMechanism,
    steps: dict[str, list[int]],
    key: Key | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("splu_ref.mechanisms.streaming.scan.BATCH_BYTES", 1000)
    squares = (number * number for number in count())
    monkeypatch.setattr("splu_ref.mechanisms.streaming.steps.perf_counter", lambda: next(squares))
    (tmp_path / "t.csv").write_text("v\n" + "".join(f"{n % 5}\n" for n in range(1001)))
    reported: list[tuple[str, int, int]] = []
    release = publish(
        tmp_path / "t.csv",
        tmp_path / "o.csv",
        "v",
        mechanism,
        key,
        progress=lambda *each: reported.append(each),
    )
    assert reported == [
        *(("reading", done, 0) for done in BATCHES),
        *((step, done, 2002 if step == "drawing" else 1001) for step in steps for done in steps[step]),
    ]
    timed = ["reading", *steps, "digesting"]
    assert release.seconds == {step: 4 * place + 1 for place, step in enumerate(timed)}
    assert release.randomness == ("system" if key is None else "keyed")


@pytest.mark.parametrize(
    ("mechanism", "options", "expected"),
    [
        (SpluGen(2), {}, 11),
        (RetentionReplacement("1/2", DOMAIN, shuffled=True), {}, 5),
        (RetentionReplacement("1/2", DOMAIN), {"id_column": "id"}, 4),
    ],
    ids=["groups", "shuffled", "identified"],
)
def test_every_temporary_byte_is_counted(
    mechanism: RecordMechanism,
    options: dict[str, Any],
    expected: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spools: list[FrameSpool | RecordSpool] = []
    for kind in (FrameSpool, RecordSpool):

        def begun(self: Any, *rest: Any, begin: Callable[..., None] = kind.__init__) -> None:
            begin(self, *rest)
            spools.append(self)

        monkeypatch.setattr(kind, "__init__", begun)
    (tmp_path / "t.csv").write_text(
        "v,w,id\n" + "".join(f"{n % 5},{n % 3},{n if options else 0}\n" for n in range(300))
    )
    columns = ["v", "w"] if isinstance(mechanism, SpluGen) else "v"
    release = publish(tmp_path / "t.csv", tmp_path / "o.csv", columns, mechanism, KEY, **options)
    assert len(spools) == expected
    assert all(spool.written > 0 for spool in spools)
    assert release.disk == sum(spool.written for spool in spools)
