"""Tables that grow: batches are published among themselves and join the rows that were published before."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_ref.channels import probability_mass
from splu_ref.channels.parameters import DataError, Gamma
from splu_ref.data import Microdata, RowRange
from splu_ref.data.cell_values import text
from splu_ref.mechanisms import (
    DistributionBased,
    JoinedRelease,
    PublishedTable,
    SpluGen,
    append,
    largest_gamma,
    read_manifest,
    read_release,
    surplus,
)
from splu_ref.mechanisms.manifest import Manifest
from splu_ref.randomness import Key, KeyedSource, SeededSource, SystemSource, outcomes
from splu_ref.spec.errors import Refused
from splu_ref.spec.manifests import read_manifest as spec_manifest

KEY = KeyedSource(Key(hashlib.sha256(b"a key").digest()))


def frame(first: int, values: str) -> pl.DataFrame:
    return pl.DataFrame({"id": [f"r{first + row}" for row in range(len(values))], "value": list(values)})


OLD, NEW = frame(0, "aabbccdd" * 4), frame(100, "abce" * 5)


def first_release() -> PublishedTable:
    return SpluGen(4).publish(OLD, "value", SeededSource(1))


def test_old_rows_stay_and_new_ones_follow(tmp_path: Path) -> None:
    old = first_release()
    joined = append(old, NEW, SeededSource(2))
    assert isinstance(joined, JoinedRelease)
    assert (joined.rows_in, joined.suppressed, joined.table.row_count) == (20, 0, 52)
    rows = joined.frame.rows()
    assert rows == old.frame.rows() + joined.batch.to_frame().rows()
    assert joined.batch.to_frame().sort("id")["id"].equals(NEW.sort("id")["id"])
    assert joined.domains == {"value": ("a", "b", "c", "d", "e")}
    assert joined.manifest.batches == (32, 20)
    joined.write(tmp_path / "joined.csv", tmp_path / "m.json")
    again = read_release(tmp_path / "joined.csv", tmp_path / "m.json")
    third = append(again, frame(200, "abcd"), SeededSource(3))
    assert third.manifest.batches == (32, 20, 4)
    assert third.manifest.batch_tables[:2] == joined.manifest.batch_tables
    assert third.manifest.batch_rows(third.table) == (range(32), range(32, 52), range(52, 56))
    assert sum(third.frame["value"].value_counts()["count"]) == 56


def test_rows_of_batches_that_were_put_in_another_order_are_not_taken_for_theirs() -> None:
    joined = append(first_release(), NEW, SeededSource(2))
    for rows, known in ((np.arange(52)[::-1], False), (np.r_[np.arange(32)[::-1], 32:52], True)):
        table = joined.table.take(rows.copy())
        joined.manifest.require(table)
        assert (joined.manifest.batch_rows(table) is not None) == known
        mixed = replace(joined, table=table)
        third = append(mixed, frame(200, "abcd"), SeededSource(3))
        assert third.manifest.batches == (32, 20, 4)
        assert bool(third.manifest.batch_tables) == known
    assert replace(joined.manifest, batch_tables=()).batch_rows(joined.table) is None
    assert joined.manifest.batch_rows(RowRange(joined.table, range(52))) is None  # no table in memory
    assert first_release().manifest.batch_rows(first_release().table) == ()


def test_a_batch_that_is_in_the_release_already_is_refused() -> None:
    old, again = SpluGen(4).publish(OLD.drop("id"), "value", KEY), NEW.drop("id")
    with pytest.raises(DataError, match="in the release already, as its batch 1:"):
        append(old, OLD.drop("id"), KEY)
    two = append(old, again, KEY)
    three = append(two, again[:16], KEY)
    assert three.manifest.batches == (32, 20, 16)
    with pytest.raises(DataError, match="in the release already, as its batch 2:"):
        append(three, again, KEY)
    # Where the order of the rows is lost, the manifest still has the digests.
    turned = replace(two, table=two.table.take(np.arange(52)[::-1].copy()))
    with pytest.raises(DataError, match="as its batch 2:"):
        append(turned, again, KEY)
    # Fresh draws that agree by chance must stay: else their law would be another.
    tiny = pl.DataFrame({"value": list("abcd")})
    first = SpluGen(4, 1).publish(tiny, "value", SystemSource())
    assert append(first, tiny, SystemSource()).manifest.batches == (4, 4)


@pytest.mark.parametrize("digests", [["0" * 64], ["0" * 64, "x"], "0", [1, 2], {}])
def test_digests_of_batches_that_cannot_be_are_refused(digests: object, tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    document = json.loads(append(first_release(), NEW, SeededSource(2)).manifest.to_json())
    path.write_text(json.dumps(document | {"batch_tables": digests}))
    with pytest.raises(DataError, match="batch_tables"):
        read_manifest(path)
    with pytest.raises(Refused):
        spec_manifest(path.read_bytes())


def test_under_a_key_the_joined_release_repeats() -> None:
    old = SpluGen(4).publish(OLD, "value", KEY, id_column="id")
    one = append(old, NEW, KEY, id_column="id")
    assert append(old, NEW[::-1], KEY, id_column="id").frame.equals(one.frame)
    # A batch is published the same whatever it joins: its draws are its own.
    other = append(SpluGen(4).publish(OLD[:16], "value", KEY, id_column="id"), NEW, KEY, id_column="id")
    assert other.batch.to_frame().equals(one.batch.to_frame())


def test_the_law_of_a_count_over_all_batches_is_binomial() -> None:
    """Every outcome of two batches of a small world; that the rows join adds the counts."""
    gamma, batches = 2, ([0, 1, 0, 1], [1, 0, 2, 1])
    laws: list[dict[int, Fraction]] = []
    for codes in batches:
        law: dict[int, Fraction] = {}
        own = np.array(codes)
        publish = partial(SpluGen(gamma, plan="cyclic").publish_codes, own, 3)
        for done, chance in outcomes(publish):
            count = int((done.published == 1).sum())
            law[count] = law.get(count, Fraction(0)) + chance
        laws.append(law)
    joint: dict[int, Fraction] = {}
    for (one, p), (two, q) in product(laws[0].items(), laws[1].items()):
        joint[one + two] = joint.get(one + two, Fraction(0)) + p * q
    frequency = sum(codes.count(1) for codes in batches)
    trials = gamma * frequency
    assert joint == {k: probability_mass(trials, k, Fraction(1, gamma)) for k in range(trials + 1)}


@given(st.lists(st.integers(0, 40), min_size=1, max_size=7), st.integers(2, 6))
def test_the_surplus_is_the_least_that_makes_a_batch_eligible(histogram: list[int], gamma: int) -> None:
    counts = np.array(histogram)
    waiting = surplus(counts, Gamma(gamma))
    left = counts - waiting
    assert (waiting >= 0).all()
    assert (left >= 0).all()
    assert int(left.max()) * gamma <= int(left.sum())
    # One record less would leave some cap c + 1 that is too high: no eligible table has more records.
    for cap in range(max(histogram) + 1):
        cut = np.minimum(counts, cap)
        if int(cut.max()) * gamma <= int(cut.sum()):
            assert int(cut.sum()) <= int(left.sum())
    if int(counts.sum()) and gamma <= largest_gamma(counts):
        assert not waiting.any()


def test_a_batch_that_is_not_eligible_says_how_many_records_must_wait() -> None:
    old = first_release()
    with pytest.raises(DataError, match=r"4 of its 12 records must wait .*\(3 of 'a', 1 of 'b'\)"):
        append(old, frame(100, "aaaaabbbccdd"), SeededSource(2))
    with pytest.raises(
        DataError, match=r"fewer than gamma = 4 values in this batch: all 6 records must wait"
    ):
        append(old, frame(100, "aabbcc"), SeededSource(2))


def test_what_cannot_be_joined_is_refused() -> None:
    old = first_release()
    with pytest.raises(
        DataError, match=r"columns of the batch are value, id, those of the release id, value"
    ):
        append(old, NEW.select("value", "id"), SeededSource(2))
    with pytest.raises(DataError, match="different types"):
        append(old, NEW.with_columns(pl.col("id").cast(pl.Categorical)), SeededSource(2))
    with pytest.raises(DataError, match="different types"):
        append(old, NEW.to_pandas(), SeededSource(2))
    with pytest.raises(DataError, match=r"2 records of the batch are in the release already, such as 'r0'"):
        append(old, pl.concat([NEW, frame(0, "dc")]), KEY, id_column="id")
    flat = DistributionBased().publish(OLD, "value", SeededSource(1))
    with pytest.raises(DataError, match="a release by DBR"):
        append(flat, NEW, SeededSource(2))


def test_domains_are_united_in_the_order_of_values() -> None:
    old = SpluGen(2).publish(pl.DataFrame({"v": [2, 10, 2, 10]}), "v", SeededSource(1))
    joined = append(old, pl.DataFrame({"v": [9, 10, 100, 9]}), SeededSource(2))
    assert joined.domains == {"v": ("2", "9", "10", "100")}
    damaged = PublishedTable(table=old.table, mechanism=old.mechanism, domains={"v": ("two", "10")})
    with pytest.raises(DataError, match="values of another type"):
        append(damaged, pl.DataFrame({"v": [9, 10, 100, 9]}), SeededSource(2))


@pytest.mark.parametrize("batches", [[52], [32, 19], [31, 21], [], "32", [52, 0]])
def test_batches_that_cannot_be_are_refused(batches: object, tmp_path: Path) -> None:
    joined = append(first_release(), NEW, SeededSource(2))
    path = tmp_path / "m.json"
    path.write_bytes(joined.manifest.to_json())
    assert isinstance(read_manifest(path), Manifest)
    assert read_manifest(path).batches == (32, 20)
    document = json.loads(path.read_bytes())
    path.write_text(json.dumps(document | {"batches": batches}))
    with pytest.raises(DataError, match=r"m\.json: .*(batches|no multiple)"):
        read_manifest(path)


@pytest.mark.parametrize(
    ("old", "new", "domain"),
    [
        ([10, 2, -3, 2], [100, 9, 10, -30], ("-30", "-3", "2", "9", "10", "100")),
        ([1.5, 10.0, 2.0, 10.0], [-1.0, 9.25, 1e21, 2.0], None),
        ([Decimal("1.50"), Decimal("10.00")] * 2, [Decimal("9.00"), Decimal("-2.25")] * 2, None),
        ([date(2024, 2, 29), date(999, 1, 1)] * 2, [date(2023, 12, 31), date(2024, 10, 1)] * 2, None),
        ([True, True, False, False], [False, True, True, False], ("False", "True")),
        (["10", "2", "10", "2"], ["9", "-3", "9", "-3"], ("-3", "10", "2", "9")),
    ],
)
def test_the_domain_of_all_batches_is_in_the_order_of_its_values(
    old: list[Any], new: list[Any], domain: tuple[str, ...] | None
) -> None:
    """As the domain of one table that holds them all."""
    first = SpluGen(2).publish(pl.DataFrame({"v": old}), "v", SeededSource(1))
    joined = append(first, pl.DataFrame({"v": new}), SeededSource(2))
    whole = Microdata.from_frame(pl.DataFrame({"v": [*old, *new]}))
    together = tuple(map(text, whole.domain("v")))
    assert joined.domains["v"] == joined.manifest.domains["v"] == together
    assert domain in (None, together)
