"""Mechanisms as values: their parameters, declared channels and manifests."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from splu_ref.channels.parameters import DataError, Exact, ParameterError
from splu_ref.data import Microdata, read_table
from splu_ref.mechanisms import (
    LN_2,
    MECHANISMS,
    AlphaBeta,
    Anatomy,
    Budget,
    DistributionBased,
    LaplaceCounts,
    Operator,
    PerturbedGeneralization,
    Release,
    RetentionReplacement,
    SmallDomainRandomization,
    SpluGen,
    SpluGenByColumn,
    Swapping,
    TwoTablesRelease,
    anatomy,
    cyclic,
    mixed,
    read_release,
)
from splu_ref.mechanisms.interfaces import Mechanism, Randomizer
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
    with pytest.raises(DataError, match="rename those of the input"):
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
        Swapping("1/3"),
        Operator("value", "xyz", [["1/2", "1/4", "1/4"], ["0", "1/3", "2/3"], ["1", "0", "0"]]),
        SmallDomainRandomization("value", ["name"], {(name,): "wxyz" for name in "abcdef"}, "9/2"),
        PerturbedGeneralization("value", "wxyz", ["name"], 2, "2/3"),
    ]
    others = {AlphaBeta.name, SpluGenByColumn.name}  # of tuples, and of several columns
    assert {value.name for value in values} | others == set(MECHANISMS)
    for value in values:
        release = value.publish(TABLE, "value", SeededSource(1))
        path, facts, second = (tmp_path / f"{value.name}.{part}" for part in ("csv", "json", "parquet"))
        if isinstance(release, TwoTablesRelease):
            release.write(path, manifest=facts, sensitive_table=second)
            again = read_release(path, facts, second)
        else:
            release.write(path, manifest=facts)
            again = read_release(path, facts)
        assert again.mechanism == value
        assert again.manifest == release.manifest


@pytest.mark.parametrize(
    ("mechanism", "suppressed", "max_gamma", "rows"),
    [
        (SpluGen(3), 1, 3, 12),
        (SpluGen(2, "3/4", "cyclic"), 1, 3, 12),
        (Anatomy(3), 1, 3, 12),
        (DistributionBased(), 0, None, 13),
        (RetentionReplacement("1/2", {"value": "wxyz"}), 0, None, 13),
        (LaplaceCounts(LN_2), 0, None, 4),
    ],
)
def test_what_is_reported_to_the_publisher(
    mechanism: Mechanism[Release], suppressed: int, max_gamma: int | None, rows: int
) -> None:
    frame = pl.DataFrame({"name": [f"n{row}" for row in range(13)], "value": list("wxyzwxyzwxyzw")})
    release = mechanism.publish(frame, "value", SeededSource(1))
    assert (release.rows_in, release.suppressed, release.randomness) == (13, suppressed, "seeded")
    assert release.max_gamma == max_gamma  # 13 // 4: the most frequent value has 4 of 13 records
    assert (release.table.row_count, release.mechanism) == (rows, mechanism)
    assert release.domains == {"value": tuple("wxyz")}
    assert (release.sensitive, release.attached_manifest) == (("value",), None)
    assert mechanism.publish(frame, "value").randomness == "system"
    reported = release.manifest
    assert (reported.mechanism, reported.rows, reported.batches) == (mechanism, rows, ())
    assert release.manifest is reported  # it is dated at the first access


def test_what_no_mechanism_is_given() -> None:
    frame = pl.DataFrame({"id": list("abcd"), "value": list("xyxy"), "group": list("abab")})
    for sensitive, id_column, message in (
        ([], None, "name at least one sensitive column, and each of them once"),
        (["value", "value"], None, "name at least one sensitive column, and each of them once"),
        ("value", "value", "column 'value' is sensitive: it cannot identify the records as well"),
    ):
        with pytest.raises(ParameterError, match=message):
            SpluGen(2).publish(frame, sensitive, SeededSource(1), id_column=id_column)
    for mechanism, message in (
        (Anatomy(2), "Anatomy publishes one sensitive column: name one"),
        (LaplaceCounts(LN_2), "counts are published of one sensitive column: name one"),
    ):
        with pytest.raises(ParameterError, match=message):
            mechanism.publish(frame, ["value", "group"], SeededSource(1))
    for given, column in ((frame, "value"), (frame, "group"), (frame.rename({"value": "count"}), "count")):
        with pytest.raises(
            DataError, match="columns 'group' and 'count' of their own: rename those of the input"
        ):
            Anatomy(2).publish(given, column, SeededSource(1))
    assert Anatomy(2).publish(frame.rename({"group": "count"}), "value", SeededSource(1)).table.columns == (
        "id", "count", "group",
    )  # fmt: skip
    with pytest.raises(ParameterError, match="noise belongs to counts, not to records"):
        LaplaceCounts(LN_2).publish(frame, "value", KeyedSource(Key(bytes(range(31)) + b"!")))


def test_a_gamma_that_is_too_large_names_the_value_and_the_remedy() -> None:
    for values, reported in (
        ("xxxxyyyz", "the value 'x' occurs 4 times among 8 records; the largest feasible gamma is 2"),
        ("xxxxxyzw", "the value 'x' occurs 5 times among 8 records; no gamma is feasible: group or drop"),
    ):
        frame = pl.DataFrame({"value": list(values), "other": list("abcdefgh")})
        for mechanism in (SpluGen(3), Anatomy(3)):
            with pytest.raises(DataError, match=f"column 'value' does not allow gamma = 3: {reported}"):
                mechanism.publish(frame, "value", SeededSource(1))
        with pytest.raises(DataError, match="column 'value' does not allow gamma = 3"):
            SpluGen(3).publish(frame, ["other", "value"], SeededSource(1))
    two = pl.DataFrame({"value": list("xxxyyyzz"), "other": list("abcdefgh")})
    assert SpluGen(2).publish(two, ["other", "value"], SeededSource(1)).max_gamma == 2


def test_the_query_of_a_release_must_be_given_once() -> None:
    release = SpluGen(3).publish(TABLE, "value", SeededSource(1))
    for queries, where in ((None, {}), ({"value": "x"}, {"value": "x"})):
        with pytest.raises(ParameterError, match="say what to count"):
            release.estimate(queries, **where)
    assert release.estimate({"value": "x"}) == release.estimate(value="x")
