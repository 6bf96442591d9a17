"""One perturbed record of each group: blind groups, their ranges, one law under other names, refusals."""

from __future__ import annotations

import hashlib
import random
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import splu_ref as sr
from splu_ref.channels.parameters import DataError, ParameterError
from splu_ref.data import Microdata
from splu_ref.mechanisms import PerturbedGeneralization, RetentionReplacement, number_columns
from splu_ref.randomness import Key, KeyedSource, SeededSource, TapeSource, exact_law


def _frame(records: int, seed: int, *, turned: bool = False) -> pl.DataFrame:
    chance = random.Random(seed)
    rows = [(chance.randrange(8, 13), chance.choice("abc"), chance.choice("xyz")) for _ in range(records)]
    values = [value for _, _, value in rows]
    if turned:
        chance.shuffle(values)
    return pl.DataFrame({"n": [n for n, _, _ in rows], "t": [t for _, t, _ in rows], "s": values})


def _mechanism(least: int, keep: str = "2/3") -> PerturbedGeneralization:
    return PerturbedGeneralization("s", "xyz", ["n", "t"], least, keep, numbers=["n"])


@pytest.mark.parametrize("least", [1, 3, 10])
def test_groups_are_large_enough_alike_and_blind(least: int) -> None:
    table = Microdata.from_frame(_frame(200, 5))
    groups = _mechanism(least).groups(table)
    assert np.bincount(groups).min() >= least
    assert len(set(groups.tolist())) == groups.max() + 1
    alike: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    for number, text, group in zip(table.cells("n"), table.cells("t"), groups.tolist(), strict=True):
        alike[number, text].add(group)
    assert all(len(one) == 1 for one in alike.values()), "records that agree stand in two groups"
    if least == 1:
        assert groups.max() + 1 == len(alike)
    blind = _mechanism(least).groups(Microdata.from_frame(_frame(200, 5, turned=True)))
    assert blind.tolist() == groups.tolist()


def test_numbers_are_cut_by_size_and_reported_as_ranges() -> None:
    frame = pl.DataFrame({"n": ["9", "9", "10", "10", "11", "100"], "s": list("xyxyxy")})
    by_size = PerturbedGeneralization("s", "xy", ["n"], 2, "1/2", numbers=["n"])
    table = by_size.publish(frame, "s", SeededSource(1)).table
    assert sorted(zip(table.cells("n"), table.cells("group_size"), strict=True)) == [
        ("10", "2"), ("11..100", "2"), ("9", "2"),
    ]  # fmt: skip
    as_text = PerturbedGeneralization("s", "xy", ["n"], 3, "1/2").publish(frame, "s", SeededSource(1)).table
    assert sorted(as_text.cells("n")) == ["10..100", "11..9"]
    assert number_columns(Microdata.from_frame(frame), ["s", "n"]) == ("n",)


def test_what_is_seen_of_a_group_by_all_outcomes() -> None:
    mechanism = PerturbedGeneralization("s", "xyz", ["q"], 1, "2/5")
    law = exact_law(
        lambda draws: tuple(
            mechanism.publish_groups(np.array([0, 2, 2]), np.array([1, 0, 1]), draws).published.tolist()
        )
    )
    unexpected, keep = Fraction(1, 5), Fraction(2, 5)
    second = {0: keep / 2 + unexpected, 1: unexpected, 2: keep / 2 + unexpected}
    assert law == {
        (first, other): (keep * (first == 2) + unexpected) * chance
        for first in range(3)
        for other, chance in second.items()
    }


def test_groups_of_one_are_retention_replacement() -> None:
    alone = PerturbedGeneralization("s", "abc", ["q"], 1, "2/5")
    other = RetentionReplacement("2/5", {"sensitive": "abc"})
    codes = np.array([2, 0])
    assert exact_law(
        lambda draws: tuple(alone.publish_groups(codes, np.arange(2), draws).published.tolist())
    ) == exact_law(lambda draws: tuple(other.publish_codes(codes, 3, draws).published.tolist()))


def test_integers_are_drawn_for_the_chosen_records_alone() -> None:
    mechanism = PerturbedGeneralization("s", "xyz", ["q"], 1, "2/5")
    # Four bytes a record decide the order within the groups: the second record stands before the first.
    order = bytes([255] * 4) + bytes(4) + bytes(4)
    tape = TapeSource(order + bytes([6, 5]))
    done = mechanism.publish_groups(np.array([0, 1, 2]), np.array([0, 0, 1]), tape)
    assert done.rows.tolist() == [1, 2]
    assert done.published.tolist() == [0, 2]  # below 15: 6 is replaced by 6 mod 3, 5 keeps


def test_a_release_with_its_manifest(tmp_path: Path) -> None:
    mechanism = _mechanism(5)
    frame = _frame(200, 5).with_columns(pl.lit("here").alias("town"))
    release = mechanism.publish(frame, "s", SeededSource(1))
    assert release.table.columns == ("n", "t", "s", "group_size")
    sizes = [int(size) for size in release.table.cells("group_size")]
    assert (sum(sizes), release.rows_in, release.suppressed) == (200, 200, 0)
    assert sizes == np.bincount(mechanism.groups(Microdata.from_frame(frame))).tolist()
    release.write(tmp_path / "p.csv", tmp_path / "m.json")
    read = sr.read_release(tmp_path / "p.csv", tmp_path / "m.json")
    assert read.mechanism == mechanism
    reported = (tmp_path / "m.json").read_text()
    for old, new, words in (
        ('"domains": "', '"domains": "0', "not the digest of the domains"),
        ('"least": 5', '"least": 0', "least"),
        ('[\\"n\\", \\"number\\"]', '[\\"n\\", \\"size\\"]', "quasi is not a list of columns"),
        ('[\\"n\\", \\"number\\"]', '[\\"t\\", \\"text\\"]', "quasi names a column twice"),
        ('[[\\"n\\"', '[\\"n\\"', "quasi is not a list of columns"),
        ('"retention": "2/3"', '"retention": "1"', "less than 1"),
    ):
        assert old in reported
        (tmp_path / "m.json").write_text(reported.replace(old, new))
        with pytest.raises(DataError, match=words):
            sr.read_release(tmp_path / "p.csv", tmp_path / "m.json")


def test_a_key_gives_one_release_and_every_member_its_chance() -> None:
    key = KeyedSource(Key(hashlib.sha256(b"a test").digest()))
    frame = pl.DataFrame({"q": [i // 2 for i in range(800)], "s": ["x", "y"] * 400})
    mechanism = PerturbedGeneralization("s", "xy", ["q"], 2, "9/10", numbers=["q"])
    published = [mechanism.publish(frame, "s", key).table.cells("s") for _ in range(2)]
    assert published[0] == published[1]
    assert 140 < published[0].count("x") < 260  # of 400 groups with one of each: six standard deviations


@pytest.mark.parametrize(
    ("column", "domain", "quasi", "least", "keep", "words"),
    [
        ("s", "xy", [], 1, "1/2", "columns to group by"),
        ("s", "xy", ["s"], 1, "1/2", "different ones"),
        ("s", "xy", ["n", "n"], 1, "1/2", "different ones"),
        ("s", "xy", ["group_size"], 1, "1/2", "'group_size'"),
        ("s", "xy", ["n"], 0, "1/2", "least group"),
        ("s", "xy", ["n"], 1, "1", "greater than 0 and less than 1"),
        ("s", "xy", ["n"], 1, "0", "greater than 0 and less than 1"),
        ("s", "x", ["n"], 1, "1/2", "number of values"),
        ("s", "xy", ["n"], 1, f"1/{10**20}", "too many digits to draw by"),
    ],
)
def test_what_is_no_mechanism(
    column: str, domain: str, quasi: list[str], least: int, keep: str, words: str
) -> None:
    with pytest.raises(ParameterError, match=words):
        PerturbedGeneralization(column, domain, quasi, least, keep)


def test_what_cannot_be_published() -> None:
    frame = _frame(5, 1)
    with pytest.raises(ParameterError, match="no group of 6"):
        _mechanism(6).publish(frame, "s")
    with pytest.raises(ParameterError, match="column 's' and of no other"):
        _mechanism(1).publish(frame, "t")
    with pytest.raises(ParameterError, match="some of those that are generalized"):
        PerturbedGeneralization("s", "xyz", ["n"], 1, "1/2", numbers=["t"])
    with pytest.raises(DataError, match="'t' holds 'a', which is no number"):
        PerturbedGeneralization("s", "xyz", ["t"], 1, "1/2", numbers=["t"]).publish(
            frame.with_columns(pl.lit("a").alias("t")), "s"
        )
    for value in ("1..2", "a.", ".b"):
        with pytest.raises(DataError, match="could be read as a range"):
            _mechanism(1).publish(frame.with_columns(pl.lit(value).alias("t")), "s")
