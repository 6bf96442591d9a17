"""A mechanism is a value: what it holds, what it declares, and what a manifest tells of it."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from splu_ref.decoys import anatomy, cyclic, mixed
from splu_ref.interfaces import Mechanism, Randomizer
from splu_ref.mechanisms import (
    LN_2,
    MECHANISMS,
    Anatomy,
    Budget,
    DistributionBased,
    LaplaceCounts,
    Release,
    RetentionReplacement,
    SpluGen,
    read_release,
)
from splu_ref.microdata import Microdata, read_table
from splu_ref.model import DataError, Exact, ParameterError
from splu_ref.randomness import Key, KeyedSource, SeededSource, outcomes

CODES = np.array([0, 1, 2, 0, 1, 2], dtype=np.int64)
TABLE = Microdata.from_frame(pl.DataFrame({"name": list("abcdef"), "value": list("xyzxyz")}))


def test_equal_parameters_are_equal_values() -> None:
    given: list[Exact | None] = [None, "0.2", Fraction(1, 5)]
    assert len({SpluGen("5", retention) for retention in given}) == 1
    assert SpluGen(5, plan=mixed) == SpluGen(5) != SpluGen(5, plan=anatomy) == SpluGen(5, plan="anatomy")
    assert SpluGen(5, plan=lambda histogram, size, _: cyclic(histogram, size)).plan == "another"
    with pytest.raises(FrozenInstanceError):
        SpluGen(5).gamma = 3  # type: ignore[misc, assignment]  # the assignment is what is tested


@pytest.mark.parametrize(
    ("gamma", "retention", "plan", "message"),
    [
        (1, None, "mixed", "gamma must be"),
        (2, 0, "mixed", "retention must be"),
        (2, None, "mixd", "plan 'mixd' is unknown"),
    ],
)
def test_a_value_cannot_be_invalid(gamma: int, retention: Exact | None, plan: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        SpluGen(gamma, retention, plan)


@pytest.mark.parametrize("mechanism", [SpluGen(3, "1/2", "anatomy"), DistributionBased()])
def test_every_record_is_published_with_the_declared_law(mechanism: SpluGen | DistributionBased) -> None:
    randomizer: Randomizer[Release] = mechanism
    declared = randomizer.channel(np.bincount(CODES[:3]), SeededSource(1))
    law = {code: dict.fromkeys(range(3), Fraction(0)) for code in range(3)}
    for done, chance in outcomes(lambda draws: mechanism.publish_codes(CODES[:3], 3, draws)):
        for row, published in zip(done.rows.tolist(), done.published.tolist(), strict=True):
            law[int(CODES[row])][published] += chance
    assert {code: dict(each) for code, each in law.items()} == {
        code: {published: declared.probability(code, published) for published in range(3)}
        for code in range(3)
    }


def test_tables_and_codes_are_published_alike() -> None:
    for mechanism in (SpluGen(3), DistributionBased()):
        release = mechanism.publish(TABLE, "value", SeededSource(4))
        done = mechanism.publish_codes(TABLE.codes("value"), 3, SeededSource(4))
        frame = release.table.to_frame()
        assert frame["name"].to_list() == [list("abcdef")[row] for row in done.rows.tolist()]
        assert frame["value"].to_list() == ["xyz"[code] for code in done.published.tolist()]


def test_facts_make_the_mechanism_again() -> None:
    values: list[Mechanism[Release]] = [SpluGen(5, "3/10", "cyclic"), DistributionBased()]
    assert [value.facts() for value in values] == [
        {"gamma": 5, "retention": "3/10", "plan": "cyclic"},
        {},
    ]
    assert Anatomy("3").facts() == {"gamma": 3, "plan": "anatomy"}
    assert LaplaceCounts(LN_2).facts() == {"budget": "ln 2"}
    assert LaplaceCounts(Budget.of("0.1")).facts() == {"budget": "1/10"}


def test_two_tables_of_a_table(tmp_path: Path) -> None:
    release = Anatomy(3).publish(TABLE, "value", SeededSource(4))
    done = Anatomy(3).publish_codes(TABLE.codes("value"), 3, SeededSource(4))
    assert release.frame.rows() == [
        ("abcdef"[row], group) for row, group in zip(done.rows.tolist(), done.groups.tolist(), strict=True)
    ]
    assert release.sensitive_table.to_frame().rows() == [
        (group, "xyz"[value], count) for group, value, count in done.sensitive_table().tolist()
    ]
    release.write(tmp_path / "one.csv", sensitive_table=tmp_path / "two.parquet")
    assert read_table(tmp_path / "two.parquet").content_digest() == release.sensitive_table.content_digest()
    assert release.max_gamma == 3
    with pytest.raises(ParameterError, match="one sensitive column"):
        Anatomy(3).publish(TABLE, ["value", "name"])
    with pytest.raises(DataError, match="rename yours"):
        Anatomy(3).publish(TABLE.to_frame().rename({"name": "group"}), "value")
    with pytest.raises(DataError, match="does not allow gamma = 4"):
        Anatomy(4).publish(TABLE, "value")


def test_noisy_counts_of_a_table() -> None:
    release = LaplaceCounts(LN_2).publish(TABLE, "value", SeededSource(4))
    counts = LaplaceCounts(LN_2).publish_counts([2, 2, 2], SeededSource(4))
    assert release.frame.rows() == list(zip("xyz", counts, strict=True))
    with pytest.raises(ParameterError, match="without a key"):
        LaplaceCounts(LN_2).publish(TABLE, "value", KeyedSource(Key(bytes(31) + b"!")))


def test_each_mechanism_is_read_from_its_manifest(tmp_path: Path) -> None:
    values: list[Mechanism[Release]] = [
        SpluGen(3, "1/2", "cyclic"),
        DistributionBased(),
        Anatomy(3, "cyclic"),
        LaplaceCounts(LN_2),
        RetentionReplacement("1/3", {"value": ["z", "x", "w", "y"]}),
    ]
    assert {value.name for value in values} == set(MECHANISMS)
    for value in values:
        release = value.publish(TABLE, "value", SeededSource(1))
        release.write(tmp_path / f"{value.name}.csv", manifest=tmp_path / f"{value.name}.json")
        again = read_release(tmp_path / f"{value.name}.csv", tmp_path / f"{value.name}.json")
        assert again.mechanism == value
        assert again.manifest == release.manifest
