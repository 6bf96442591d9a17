"""A domain for each part: the law of records together, one law under other names, and what is refused."""

from __future__ import annotations

import hashlib
from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import splu_ref as sr
from splu_ref.channels import retention
from splu_ref.channels.parameters import DataError, ParameterError
from splu_ref.mechanisms import RetentionReplacement, SmallDomainRandomization
from splu_ref.randomness import Draws, Key, KeyedSource, SeededSource, TapeSource, exact_law

PARTS: dict[tuple[str, ...], tuple[str, ...]] = {("F",): ("a", "b", "c"), ("M",): ("b", "d")}
FRAME = pl.DataFrame(
    {"sex": list("FFMM") * 150, "age": [30, 40] * 300, "job": [*"abbdcabd"] * 75},
    schema_overrides={"age": pl.Int64},
)


def _mechanism(*, shuffled: bool = False) -> SmallDomainRandomization:
    return SmallDomainRandomization("job", ["sex"], PARTS, 3, shuffled=shuffled)


def test_records_of_several_parts_have_the_law_of_their_own() -> None:
    """All three together, over every outcome of the code's choices."""
    mechanism, codes, parts = _mechanism(), np.array([2, 3, 0]), np.array([0, 1, 0])
    assert mechanism.values == ("a", "b", "c", "d")
    domains = mechanism.coded(mechanism.values)

    def run(draws: Draws) -> tuple[int, ...]:
        return tuple(mechanism.publish_parts(codes, parts, domains, draws).published.tolist())

    law = exact_law(run)
    assert (mechanism.retention(3), mechanism.retention(2)) == (Fraction(2, 5), Fraction(1, 2))
    larger = retention("2/5", dict.fromkeys((0, 1, 2), Fraction(1, 3)))
    smaller = retention("1/2", dict.fromkeys((1, 3), Fraction(1, 2)))
    assert law == {
        (u, v, w): larger.probability(2, u) * smaller.probability(3, v) * larger.probability(0, w)
        for u, v, w in product((0, 1, 2), (1, 3), (0, 1, 2))
    }


def test_one_part_is_retention_replacement() -> None:
    alone = SmallDomainRandomization("sensitive", ["of"], {("x",): "abc"}, 3)
    other = RetentionReplacement("2/5", {"sensitive": "abc"})
    codes, nothing = np.array([2, 0]), np.array([0, 0])
    assert exact_law(
        lambda draws: tuple(alone.publish_parts(codes, nothing, [np.arange(3)], draws).published.tolist())
    ) == exact_law(lambda draws: tuple(other.publish_codes(codes, 3, draws).published.tolist()))


def test_integers_are_drawn_part_by_part() -> None:
    mechanism = _mechanism()
    codes, parts = np.array([3, 0, 1]), np.array([1, 0, 1])
    # Below 15 for the record of F: 6 and more replaces; below 4 for those of M, in their order: 2 and more.
    tape = TapeSource(bytes([8, 2, 1]))
    done = mechanism.publish_parts(codes, parts, mechanism.coded("abcd"), tape)
    assert done.published.tolist() == [1, 2, 1]
    assert done.rows.tolist() == [0, 1, 2]


def test_a_release_with_its_manifest(tmp_path: Path) -> None:
    mechanism = _mechanism()
    release = mechanism.publish(FRAME, "job", SeededSource(1))
    assert (release.rows_in, release.suppressed, release.max_gamma) == (600, 0, None)
    assert release.table.cells("age") == [str(age) for age in FRAME["age"]]
    shown = Counter(zip(release.table.cells("sex"), release.table.cells("job"), strict=True))
    assert set(shown) == {("F", "a"), ("F", "b"), ("F", "c"), ("M", "b"), ("M", "d")}
    release.write(tmp_path / "p.csv", tmp_path / "m.json")
    read = sr.read_release(tmp_path / "p.csv", tmp_path / "m.json")
    assert read.mechanism == mechanism
    assert read.domains == {"job": ("a", "b", "c", "d")}
    reported = (tmp_path / "m.json").read_text()
    for old, new, words in (
        ('"order": "kept"', '"order": "odd"', "order is neither kept nor shuffled"),
        ('"amplification": "3"', '"amplification": "1"', "keeps no value more often"),
        ('[[\\"F\\"], [\\"a\\", ', '[[\\"F\\"], [', "the domain does not hold the values of the parts"),
        ('[[\\"F\\"], ', '[\\"F\\", ', "by or parts does not hold texts"),
        ('[[[\\"F\\"]', '[\\"F\\", [[\\"F\\"]', "parts is not a list of cells and values"),
        ('[[\\"M\\"]', '[[\\"F\\"]', "parts names a part twice"),
        ('[\\"sex\\"]', "sex", "by or parts does not hold texts"),
    ):
        assert old in reported
        (tmp_path / "m.json").write_text(reported.replace(old, new))
        with pytest.raises(DataError, match=words):
            sr.read_release(tmp_path / "p.csv", tmp_path / "m.json")


def test_a_key_gives_one_release_and_an_order_is_drawn_last() -> None:
    key = KeyedSource(Key(hashlib.sha256(b"a test").digest()))
    published = [_mechanism().publish(FRAME, "job", key).table.cells("job") for _ in range(2)]
    assert published[0] == published[1]
    own = [one == other for one, other in zip(published[0], FRAME["job"], strict=True)]
    assert 0.6 < sum(own) / 600 < 0.75  # 2/5 + 1/5 and 3/4 in halves
    rows = FRAME.with_columns(pl.Series("age", range(600)))
    kept, turned = (
        _mechanism(shuffled=how).publish(rows, "job", SeededSource(4)).table for how in (False, True)
    )
    assert kept.cells("age") != turned.cells("age")
    cells = [dict(zip(each.cells("age"), each.cells("job"), strict=True)) for each in (kept, turned)]
    assert cells[0] == cells[1]


@pytest.mark.parametrize(
    ("by", "domains", "ratio", "words"),
    [
        ((), {(): "ab"}, 3, "one or more columns that are not sensitive"),
        (("job",), {("a",): "ab"}, 3, "one or more columns that are not sensitive"),
        (("sex", "sex"), {("a", "a"): "ab"}, 3, "one or more columns that are not sensitive"),
        (("sex",), {}, 3, "no part has a sub-domain"),
        (("sex",), {("F",): "ab"}, 1, "amplification = 1 keeps no value"),
        (("sex",), {("F",): "ab"}, 1.5, "1.5"),
        (("sex",), {("F", "M"): "ab"}, 3, "the part F, M has 2 cells, for 1 columns"),
        (("sex",), {("F",): "a"}, 3, "the part F must have at least two values"),
        (("sex",), {("F",): "aa"}, 3, "the part F must have at least two values"),
        (("sex",), {("F",): "ab"}, f"1{'0' * 20}1/{10**20}", "too many digits to draw by"),
    ],
)
def test_what_is_no_mechanism(
    by: tuple[str, ...], domains: dict[tuple[str, ...], str], ratio: str, words: str
) -> None:
    with pytest.raises(ParameterError, match=words):
        SmallDomainRandomization("job", by, domains, ratio)


def test_what_cannot_be_published() -> None:
    with pytest.raises(ParameterError, match="column 'job' and of no other"):
        _mechanism().publish(FRAME, "sex")
    with pytest.raises(DataError, match="row 3 is of the part sex = 'M', which has no sub-domain"):
        SmallDomainRandomization("job", ["sex"], {("F",): "abcd"}, 3).publish(FRAME, "job")
    with pytest.raises(DataError, match="'b' in row 3, which the sub-domain of its part M lacks"):
        SmallDomainRandomization("job", ["sex"], {("F",): "abc", ("M",): "ad"}, 3).publish(FRAME, "job")
    with pytest.raises(DataError, match="no column 'town'"):
        SmallDomainRandomization("job", ["town"], PARTS, 3).publish(FRAME, "job")
