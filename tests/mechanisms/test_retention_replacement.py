"""Retention replacement on tables: declared domains, draws, conversions, and what is refused."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import splu_ref as sr
from splu_ref.channels import amplification, diagonal
from splu_ref.channels.parameters import DataError, ParameterError
from splu_ref.mechanisms import RetentionReplacement, from_local_privacy, from_other_values
from splu_ref.randomness import Draws, Key, KeyedSource, SeededSource, SystemSource, TapeSource, outcomes
from tests.rounding import near

FRAME = pl.DataFrame({"sex": ["F", "M"] * 300, "job": list("aaabbc") * 100, "age": [30, 31, 33] * 200})
JOBS = {"job": ["a", "b", "c", "d"]}


def test_a_tape_decides_coin_and_value_at_once() -> None:
    # p = 1/2 and four values: below 8, of which 0 to 3 keep, and the rest is the replacement modulo 4.
    tape = bytes([3, 6, 4, 0])
    done = RetentionReplacement("1/2", {"sensitive": "abcd"}).publish_codes(
        np.array([0, 1, 2, 3]), 4, TapeSource(tape)
    )
    assert done.published.tolist() == [0, 2, 0, 3]
    assert done.rows.tolist() == [0, 1, 2, 3]
    assert done.suppressed.tolist() == []


@pytest.mark.parametrize("kind", [pl.DataFrame, pd.DataFrame, pa.table])
def test_values_that_no_record_has_are_published_in_the_columns_type(kind: Any) -> None:
    frame = kind({"job": ["a", "b"] * 40, "age": [30, 31] * 40})
    mechanism = RetentionReplacement(0, {"job": ["a", "b", "x"], "age": ["30", "31", "90"]})
    release = mechanism.publish(frame, ["job", "age"], SeededSource(1))
    table = pl.from_pandas(release.frame) if kind is pd.DataFrame else pl.DataFrame(release.frame)
    assert set(table["job"]) == {"a", "b", "x"}
    assert set(table["age"]) == {30, 31, 90}
    assert table["age"].dtype.is_integer()
    assert release.domains == {"job": ("a", "b", "x"), "age": ("30", "31", "90")}
    assert (release.suppressed, release.max_gamma) == (0, None)


def test_the_manifest_states_what_was_declared_and_not_what_occurs(tmp_path: Path) -> None:
    domain = [str(age) for age in range(17, 120)]
    release = RetentionReplacement("1/3", {"age": domain}).publish(FRAME, "age", SeededSource(2))
    release.write(tmp_path / "p.csv", manifest=tmp_path / "m.json")
    again = sr.read_release(tmp_path / "p.csv", tmp_path / "m.json")
    # Numbers stand by size, whatever the order in which they were declared.
    assert again.domains == {"age": tuple(domain)}
    assert again.mechanism == RetentionReplacement("1/3", {"age": domain[::-1]})
    reported = (tmp_path / "m.json").read_text()
    (tmp_path / "m.json").write_text(reported.replace('"119"', '"120"'))
    with pytest.raises(DataError, match="not the digest of the domains"):
        sr.read_release(tmp_path / "p.csv", tmp_path / "m.json")
    (tmp_path / "m.json").write_text(reported.replace('"uniform"', '"by rank"'))
    with pytest.raises(DataError, match="replacing is not uniform, given, identity"):
        sr.read_release(tmp_path / "p.csv", tmp_path / "m.json")


def test_estimates_are_unbiased_and_count_values_that_do_not_occur() -> None:
    mechanism = RetentionReplacement("2/5", JOBS)
    releases = [mechanism.publish(FRAME, "job", SeededSource(seed)) for seed in range(60)]
    for value, true in (("a", 200), ("d", 0)):
        found = [release.estimate(sex="F", job=value) for release in releases]
        assert found[0].method == "inversion"
        # f = (y - n (1-p)/m) / p
        assert found[0].estimate == near((found[0].published_count - 300 * 0.6 / 4) / 0.4)
        estimates = [one.estimate for one in found]
        assert np.mean(estimates) == pytest.approx(true, abs=5 * np.std(estimates) / 60**0.5)
    flat = RetentionReplacement(0, JOBS).publish(FRAME, "job", SeededSource(1))
    with pytest.raises(DataError, match="does not distinguish values of 'job'"):
        flat.estimate(job="a")


def test_a_key_gives_one_release_of_one_table_and_one_domain() -> None:
    key = KeyedSource(Key(hashlib.sha256(b"a test").digest()))

    def published(retention: str, domain: list[str], frame: pl.DataFrame = FRAME) -> list[str]:
        release = RetentionReplacement(retention, {"job": domain}).publish(frame, "job", key)
        jobs: list[str] = release.table.cells("job")
        return jobs

    once = published("1/5", ["a", "b", "c", "d"])
    assert published("1/5", ["d", "c", "b", "a"]) == once
    turned = published("1/5", ["a", "b", "c", "d"], FRAME.reverse())
    assert sorted(turned) == sorted(once)
    # Another value in the domain, at the same place: fresh draws, so a fresh set of records is kept.
    other = published("1/5", ["a", "b", "c", "e"])
    assert sum(one == another for one, another in zip(once, other, strict=True)) < 400


def test_a_key_draws_coin_and_replacement_independently() -> None:
    frame = pl.DataFrame({"row": range(4000), "job": list("abcd") * 1000})
    key = KeyedSource(Key(hashlib.sha256(b"another test").digest()))
    release = RetentionReplacement("1/2", JOBS).publish(frame, "job", key)
    shown = frame.with_columns(published=pl.Series(release.table.cells("job")))
    counts = shown.group_by("job", "published").len()
    # Each value stays in 625 of 1,000 rows (standard deviation 15.3), each other one takes 125 (10.5).
    for job, published, count in counts.iter_rows():
        assert abs(count - (625 if job == published else 125)) < 90, (job, published, count)
    assert len(counts) == 16


def test_a_retention_with_too_many_digits_is_refused() -> None:
    with pytest.raises(ParameterError, match="too many digits to draw by"):
        RetentionReplacement(f"0.{'7' * 19}", JOBS).publish(FRAME, "job")


def test_several_columns_have_draws_of_their_own() -> None:
    mechanism = RetentionReplacement("1/2", {"job": ["a", "b", "c", "d"], "copy": ["a", "b", "c", "d"]})
    twins = FRAME.with_columns(copy=pl.col("job"))
    for source in (SeededSource(1), SystemSource(), KeyedSource(Key(hashlib.sha256(b"a test").digest()))):
        release = mechanism.publish(twins, ["job", "copy"], source)
        agree = sum(
            one == other
            for one, other in zip(release.table.cells("job"), release.table.cells("copy"), strict=True)
        )
        # Independent: (5/8)^2 + 3 (1/8)^2 of 600 are 262.5; 450 lies 15 standard deviations above.
        assert agree < 450


def test_conversions() -> None:
    for values in (2, 3, 14):
        share = Fraction(2, 3)
        p = from_other_values(share, values)
        assert p + (1 - p) / values == share
        ratio = Fraction(5, 2)
        p = from_local_privacy(ratio, values)
        assert 1 + p * values / (1 - p) == ratio
        assert amplification(diagonal(range(values), p + (1 - p) / values)).ratio == ratio
    with pytest.raises(ParameterError, match="below 1/4"):
        from_other_values("0.2", 4)
    with pytest.raises(ParameterError, match="give 1 or more"):
        from_local_privacy("1/2", 4)


@pytest.mark.parametrize(
    ("retention", "domains", "remedy"),
    [
        (1, JOBS, "choose less than 1"),
        ("1.0", JOBS, "choose less than 1"),
        ("1/3", {}, "declare the values"),
    ],
)
def test_parameters_that_make_no_mechanism(retention: Any, domains: Any, remedy: str) -> None:
    with pytest.raises(ParameterError, match=remedy):
        RetentionReplacement(retention, domains)


@pytest.mark.parametrize(
    ("domains", "remedy"),
    [
        ({"job": ["a", "b"]}, "holds 'c' in row 6, which is not in the declared domain"),
        ({"job": ["a"]}, "at least two values"),
        ({"job": ["a", "b", "c", "c"]}, "each of them once"),
        ({"job": ["a", "b", "c"], "sex": ["F", "M"]}, "'sex' has a domain or is sensitive, and not both"),
        ({"age": ["30", "31", "33"]}, "'job' has a domain or is sensitive, and not both"),
        ({"nobody": ["a", "b"]}, "no column 'nobody'"),
    ],
)
def test_tables_that_do_not_fit(domains: Any, remedy: str) -> None:
    with pytest.raises((DataError, ParameterError), match=remedy):
        RetentionReplacement("1/3", domains).publish(FRAME, "job")


def test_a_domain_is_written_as_the_column_writes_it() -> None:
    for name in ("030", "x", "30.5"):
        with pytest.raises(DataError, match="write it as the column would"):
            RetentionReplacement("1/3", {"age": ["30", "31", "33", name]}).publish(FRAME, "age")
    category = pd.DataFrame({"job": pd.Categorical(["a", "b"] * 30)})
    with pytest.raises(DataError, match="add it to the categories"):
        RetentionReplacement(0, {"job": ["a", "b", "c"]}).publish(category, "job", SeededSource(1))


def test_shuffled_rows_are_the_same_rows() -> None:
    def run(draws: Draws) -> tuple[tuple[int, ...], tuple[int, ...]]:
        done = RetentionReplacement("1/2", {"sensitive": "ab"}, shuffled=True).publish_codes(
            np.array([0, 1]), 2, draws
        )
        return tuple(done.rows.tolist()), tuple(done.published.tolist())

    law: dict[object, Fraction] = {}
    for outcome, chance in outcomes(run, shuffle=True):
        law[outcome] = law.get(outcome, Fraction(0)) + chance
    kept = {True: Fraction(3, 4), False: Fraction(1, 4)}
    assert law == {
        (rows, published): kept[published[0] == rows[0]] * kept[published[1] == rows[1]] / 2
        for rows in ((0, 1), (1, 0))
        for published in product(range(2), repeat=2)
    }


def test_coin_and_value_are_an_integer_below_2_63_at_most() -> None:
    codes = np.array([0, 1])
    for wide, allowed in ((2**62, True), (2**62 + 1, False)):
        mechanism = RetentionReplacement(Fraction(1, wide), {"sensitive": ["a", "b"]})
        tape = TapeSource(b"\x00" * 8 + b"\x7f" + b"\xff" * 7)
        if allowed:
            assert mechanism.publish_codes(codes, 2, tape).published.tolist() == [0, 1]
        else:
            with pytest.raises(ParameterError, match="too many digits to draw by"):
                mechanism.publish_codes(codes, 2, tape)
            assert tape.consumed == 0


def test_a_given_law_is_drawn_by_its_whole_weights() -> None:
    # p = 1/2 and weights 1, 0, 3: below 8, of which 0 to 3 keep; the rest modulo 4 is a, or c three times.
    law = {"sensitive": {"a": "1/4", "b": "0", "c": "3/4"}}
    mechanism = RetentionReplacement("1/2", {"sensitive": "abc"}, replacing=law)
    done = mechanism.publish_codes(np.array([1, 1, 1, 1]), 3, TapeSource(bytes([3, 4, 5, 7])))
    assert done.published.tolist() == [1, 0, 2, 2]
    assert mechanism.amplification is None
    positive = RetentionReplacement("1/2", {"a": "xy"}, replacing={"a": {"x": "1/3", "y": "2/3"}})
    channel = positive.channel(np.array([1, 1]), SystemSource())
    assert channel.probability(0, 0) == Fraction(1, 2) + Fraction(1, 6)
    assert amplification(channel).ratio == positive.amplification == 4


def test_equal_shares_are_drawn_as_uniform_ones() -> None:
    codes = np.arange(4).repeat(30)
    law = {"sensitive": dict.fromkeys("abcd", "1/4")}
    given = RetentionReplacement("1/5", {"sensitive": "abcd"}, replacing=law)
    plain = RetentionReplacement("1/5", {"sensitive": "abcd"})
    first, second = (each.publish_codes(codes, 4, SeededSource(3)).published for each in (given, plain))
    assert first.tolist() == second.tolist()


def test_a_given_law_belongs_to_values_however_the_table_orders_them() -> None:
    # As numbers 9 stands before 10, as texts after it.
    law = {"age": {"10": 1, "9": 0}}
    release = RetentionReplacement(0, {"age": ["9", "10"]}, replacing=law).publish(
        pl.DataFrame({"age": [9, 10] * 20}), "age", SeededSource(1)
    )
    assert set(release.frame["age"]) == {10}


def test_one_coin_decides_for_all_values_of_a_record() -> None:
    # p = 1/2. a: below 4, of which 0 and 1 keep; b: its replacement alone, below 3.
    domains = {"a": "xy", "b": "uvw"}
    mechanism = RetentionReplacement("1/2", domains, compound=True)
    codes = {"a": np.array([0, 0]), "b": np.array([2, 2])}
    done = mechanism.publish_columns(
        codes, {"a": 2, "b": 3}, lambda column: TapeSource(bytes([1, 3] if column == "a" else [0, 1]))
    )
    assert {name: cells.tolist() for name, cells in done.published.items()} == {"a": [0, 1], "b": [2, 1]}
    assert mechanism.amplification == 7  # 1 + p m / (1 - p), m = 6
    law = {"a": {"x": "1/3", "y": "2/3"}, "b": {"u": "1/2", "v": "1/4", "w": "1/4"}}
    assert RetentionReplacement("1/2", domains, compound=True, replacing=law).amplification == 13


def test_conjunctions_of_a_compound_are_one_predicate_with_an_exact_interval() -> None:
    mechanism = RetentionReplacement("2/5", JOBS | {"sex": ["F", "M"]}, compound=True)
    releases = [mechanism.publish(FRAME, ["job", "sex"], SeededSource(seed)) for seed in range(60)]
    found = [release.estimate(job="a", sex="F") for release in releases]
    true = len(FRAME.filter(job="a", sex="F"))
    assert all(one.exact for one in found)
    # f = (y - n (1-p)/m) / p with m = 8
    assert found[0].estimate == near((found[0].published_count - 600 * 0.6 / 8) / 0.4)
    spread = np.std([one.estimate for one in found])
    assert np.mean([one.estimate for one in found]) == pytest.approx(true, abs=5 * spread / 60**0.5)
    assert sum(one.interval is None or not one.interval[0] <= true <= one.interval[1] for one in found) <= 9


def test_replacements_from_the_histogram_disclose_no_count(tmp_path: Path) -> None:
    mechanism = RetentionReplacement("1/3", JOBS, replacing="identity")
    assert mechanism.amplification is None
    release = mechanism.publish(FRAME, "job", SeededSource(2))
    assert "d" not in set(release.frame["job"])  # no record has it
    release.write(tmp_path / "p.csv", manifest=tmp_path / "m.json")
    assert sr.read_release(tmp_path / "p.csv", tmp_path / "m.json").mechanism == mechanism
    reported = json.loads((tmp_path / "m.json").read_text())
    assert {"100", "200", "300", 100, 200, 300}.isdisjoint(map(str, reported.values()))
    assert reported["replacing"] == "identity"


@pytest.mark.parametrize(
    "options",
    [
        {"replacing": {"job": {"a": "1/2", "b": "1/4", "c": "1/4", "d": 0}}},
        {"compound": True},
        {"replacing": "identity", "shuffled": True},
    ],
)
def test_manifests_state_laws_and_coins(options: dict[str, Any], tmp_path: Path) -> None:
    mechanism = RetentionReplacement("1/3", JOBS, **options)
    mechanism.publish(FRAME, "job", SeededSource(2)).write(tmp_path / "p.csv", manifest=tmp_path / "m.json")
    assert sr.read_release(tmp_path / "p.csv", tmp_path / "m.json").mechanism == mechanism
    reported = (tmp_path / "m.json").read_text()
    faults = (
        ('1/4\\"', '1/5\\"'), ('"unit": "record"', '"unit": "row"'), ("laws", "law"),
        ('\\"0\\"]]', '\\"0\\"], []]'), ('\\"0\\"]]', '\\"0\\", \\"0\\"]]'),
    )  # fmt: skip
    for fact, other in faults:
        if fact in reported:
            (tmp_path / "m.json").write_text(reported.replace(fact, other))
            with pytest.raises(DataError, match=r"ask the publisher|add up to|manifest"):
                sr.read_release(tmp_path / "p.csv", tmp_path / "m.json")


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        ({"replacing": "given"}, "replacing by given"),
        ({"replacing": "rank"}, "replacing by rank"),
        ({"replacing": "identity", "compound": True}, "laws that do not come from the table"),
        ({"replacing": {"sex": {"F": 1, "M": 0}}}, "one for each column with a domain"),
        ({"replacing": {"job": {"a": 1}}}, "'b' is in the domain or has a probability, and not both"),
        ({"replacing": {"job": dict.fromkeys("abcd", "1/5")}}, "add up to 4/5"),
        ({"replacing": {"job": {"a": 2, "b": -1, "c": 0, "d": 0}}}, "or one is negative"),
        ({"replacing": {"job": dict.fromkeys("abcd", 0.25)}}, "0.25"),
    ],
)
def test_laws_that_are_refused(options: dict[str, Any], remedy: str) -> None:
    with pytest.raises(ParameterError, match=remedy):
        RetentionReplacement("1/3", JOBS, **options)
