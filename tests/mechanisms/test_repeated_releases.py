"""Disclosure by several releases under one key: the same as by several with fresh draws."""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from benchmarks.repeated_keys import SCENES, exposure, rows
from splu_ref.data import Microdata, embedded_table
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import Key, KeyedSource

DOCS = Path(__file__).parents[2] / "docs"
SOURCE = KeyedSource(Key(hashlib.sha256(b"a key").digest()))


def test_the_numbers_that_are_reported() -> None:
    """The table has the least and the largest share of several runs; one run is repeated here."""
    with (DOCS / "study/repeated-keys.csv").open(encoding="utf-8", newline="") as file:
        reported = {scene: ranges for scene, *ranges in csv.reader(file)}
    for scene, *shares in rows(runs=1):
        for share, ends in zip(shares, reported[scene], strict=True):
            least, _, most = ends.partition(" to ")
            assert least <= share <= (most or least)


@pytest.mark.parametrize(
    "scene", ["three under one key, a row less each", "two under one key, γ = 5 and γ = 7"]
)
def test_who_follows_records_learns_what_fresh_draws_disclose(scene: str) -> None:
    """Some 600 records or more keep one value, so that shares of them have a standard error of 0.02."""
    _, parts = SCENES[scene]
    keyed, fresh = (exposure(parts, 7, keyed=each) for each in (True, False))
    assert keyed.constant == pytest.approx(fresh.constant, abs=0.012)
    assert keyed.own == pytest.approx(fresh.own, abs=0.12)
    assert keyed.excluded is not None
    assert keyed.excluded == pytest.approx(fresh.excluded, abs=0.02)


def test_rows_of_two_releases_do_not_align_by_their_order() -> None:
    frame = embedded_table().to_frame().with_row_index("number")
    order = [
        SpluGen(5)
        .publish(Microdata.from_frame(table), "occupation", SOURCE, id_column="number")
        .table.to_frame()
        .select("number")
        .with_row_index(name)
        for name, table in (("first", frame), ("second", frame.head(len(frame) - 1)))
    ]
    places = order[0].join(order[1], on="number").select("first", "second").to_numpy()
    assert abs(np.corrcoef(places.T)[0, 1]) < 5 / np.sqrt(len(places))


def test_one_changed_cell_makes_another_release() -> None:
    """A record with a unique identity is still identified by its cells."""
    frame = pl.DataFrame({"id": range(400), "other": ["x"] * 400, "value": list("abcd") * 100})
    changed = frame.with_columns(other=pl.when(pl.col("id") == 7).then(pl.lit("y")).otherwise("other"))
    one, same, two = (
        SpluGen(4).publish(table, "value", SOURCE, id_column="id").frame
        for table in (frame, frame[::-1], changed)
    )
    assert one.equals(same)
    alike = one.join(two, on="id").select(pl.col("value") == pl.col("value_right")).to_series().mean()
    # Of two independent releases with draws from all four values, a quarter of the records agree.
    assert alike == pytest.approx(1 / 4, abs=5 * np.sqrt(3 / 16 / 400))
