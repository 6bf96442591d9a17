"""Publishing by a matrix: the law of every record, one law under two names, and what is refused."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import splu_ref as sr
from splu_ref.channels import from_matrix, inverse
from splu_ref.channels.parameters import DataError, ParameterError
from splu_ref.mechanisms import Operator, RecordMechanism, RetentionReplacement
from splu_ref.randomness import Draws, IntArray, Key, KeyedSource, SeededSource, TapeSource, outcomes
from tests.rounding import near

ROWS = (("1/2", "1/3", "1/6"), (0, "1/4", "3/4"), ("1/5", 0, "4/5"))
FRAME = pl.DataFrame({"sex": list("FM") * 300, "job": list("abc") * 200})
SINGULAR = (("1/2", "1/2", 0), ("1/4", "3/4", 0), ("3/8", "5/8", 0))


def test_one_law_with_uniform_perturbation_under_another_name() -> None:
    """Of two records together, over every outcome of the code's choices."""
    keep = Fraction(1, 4)

    def published(mechanism: RecordMechanism, draws: Draws) -> IntArray:
        return mechanism.publish_codes(codes, 3, draws).published

    uniform = [[(1 - keep) / 3 + keep * (own == each) for each in range(3)] for own in range(3)]
    codes = np.array([2, 0])
    laws = []
    for mechanism in (
        Operator("sensitive", "abc", uniform), RetentionReplacement(keep, {"sensitive": "abc"}),
    ):  # fmt: skip
        law: dict[tuple[int, ...], Fraction] = {}
        for shown, chance in outcomes(partial(published, mechanism)):
            pair = tuple(shown.tolist())
            law[pair] = law.get(pair, Fraction(0)) + chance
        laws.append(law)
    assert laws[0] == laws[1]
    assert len(laws[0]) == 9


def test_integers_become_values_in_the_order_of_the_row() -> None:
    mechanism = Operator("sensitive", "abc", ROWS)
    # Below 6 for the records of a: 0 1 2 stand for a, 3 4 for b, 5 for c; below 4 for those of b.
    for byte, value in ((0, 0), (2, 0), (3, 1), (4, 1), (5, 2)):
        published = mechanism.publish_codes(np.array([0]), 3, TapeSource(bytes([byte]))).published
        assert published.tolist() == [value]
    tape = TapeSource(bytes([5, 2, 0, 1]))
    # The records of a draw first, then that of b.
    assert mechanism.publish_codes(np.array([1, 0, 0]), 3, tape).published.tolist() == [1, 2, 0]


def test_the_manifest_states_the_matrix_and_the_estimate_uses_it(tmp_path: Path) -> None:
    mechanism = Operator("job", "cab", [[ROWS["abc".index(u)]["abc".index(v)] for v in "cab"] for u in "cab"])
    assert mechanism == Operator("job", "abc", ROWS)
    release = mechanism.publish(FRAME, "job", SeededSource(1))
    assert (release.table.cells("sex"), release.rows_in) == (FRAME["sex"].to_list(), 600)
    release.write(tmp_path / "p.csv", tmp_path / "m.json")
    read = sr.read_release(tmp_path / "p.csv", tmp_path / "m.json")
    assert read.mechanism == mechanism
    counts = {value: read.table.cells("job").count(value) for value in "abc"}
    expected = inverse(from_matrix("abc", ROWS, "abc")).estimate(counts)
    for value in "abc":
        assert read.estimate(job=value).estimate == near(float(expected[value]))
    reported = (tmp_path / "m.json").read_text()
    for old, new, words in (
        ('"order": "kept"', '"order": "odd"', "order is neither kept nor shuffled"),
        ('"domains": "', '"domains": "0', "not the digest of the domains"),
        ('[\\"1/2\\", \\"1/3\\", \\"1/6\\"]', "5", "matrix is not a list of rows"),
        ('[\\"1/2\\", \\"1/3\\", \\"1/6\\"]', '[\\"1/2\\", \\"1/3\\", \\"1/7\\"]', "is not a law"),
    ):
        assert old in reported
        (tmp_path / "m.json").write_text(reported.replace(old, new))
        with pytest.raises(DataError, match=words):
            sr.read_release(tmp_path / "p.csv", tmp_path / "m.json")


def test_a_matrix_without_inverse_states_some_sums() -> None:
    release = Operator("job", "abc", SINGULAR).publish(FRAME, "job", SeededSource(1))
    with pytest.raises(DataError, match="does not distinguish values of 'job', those counted here"):
        release.estimate(job="a")
    everybody = release.estimate(sex="F", job=["a", "b", "c"])
    assert (everybody.estimate, everybody.standard_error) == (300, 0)
    # Values that are published alike are counted together.
    alike = Operator("job", "abc", (("3/4", "1/4", 0), ("1/4", "3/4", 0), ("1/4", "3/4", 0)))
    found = [alike.publish(FRAME, "job", SeededSource(seed)) for seed in range(40)]
    estimates = [each.estimate(job=["b", "c"]).estimate for each in found]
    assert np.mean(estimates) == pytest.approx(400, abs=5 * np.std(estimates) / 40**0.5)


def test_a_key_gives_one_release_and_each_record_its_own_draw() -> None:
    key = KeyedSource(Key(hashlib.sha256(b"a test").digest()))
    published = [Operator("job", "abc", ROWS).publish(FRAME, "job", key).table.cells("job") for _ in range(2)]
    assert published[0] == published[1]
    counts = pl.DataFrame({"own": FRAME["job"], "shown": published[0]}).group_by("own", "shown").len()
    # Of 200 records each; 45 are more than six standard deviations of the largest variance.
    shown = {(own, seen): count for own, seen, count in counts.iter_rows()}
    for own, row in zip("abc", ROWS, strict=True):
        for seen, chance in zip("abc", row, strict=True):
            expected = 200 * Fraction(str(chance))
            assert abs(shown.get((own, seen), 0) - expected) <= 45 * (expected > 0)


def test_rows_in_a_random_order() -> None:
    mechanism = Operator("job", "abc", [[1, 0, 0], [0, 1, 0], [0, 0, 1]], shuffled=True)
    table = mechanism.publish(FRAME, "job", SeededSource(1)).table
    assert table.cells("job") != FRAME["job"].to_list()
    assert sorted(table.cells("job")) == sorted(FRAME["job"].to_list())


@pytest.mark.parametrize(
    ("values", "rows", "words"),
    [
        ("a", [[1]], "at least two values"),
        ("ab", [[1, 0]], "2 rows of 2 entries"),
        ("ab", [["1/2", "1/3"], [0, 1]], "row 'a' is not a law"),
        ("ab", [["3/2", "-1/2"], [0, 1]], "row 'a' is not a law"),
        ("aa", [[1, 0], [0, 1]], "stands twice"),
        ("ab", [[f"1/{10**20}", f"{10**20 - 1}/{10**20}"], [0, 1]], "the row of 'a' .* too many digits"),
    ],
)
def test_what_is_no_operator(values: str, rows: list[list[str | int]], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        Operator("job", values, rows)


def test_what_cannot_be_published() -> None:
    mechanism = Operator("job", "abc", ROWS)
    with pytest.raises(ParameterError, match="for column 'job' and no other"):
        mechanism.publish(FRAME, "sex")
    with pytest.raises(DataError, match="job"):
        Operator("job", "ab", [[1, 0], [0, 1]]).publish(FRAME, "job")
    with pytest.raises(ParameterError, match="no records"):
        Operator("sensitive", "ab", [[1, 0], [0, 1]]).publish_codes(
            np.array([], dtype=np.int64), 2, SeededSource(1)
        )
    with pytest.raises(ParameterError, match="2 rows, for a domain of 3"):
        Operator("sensitive", "ab", [[1, 0], [0, 1]]).publish_codes(np.array([2]), 3, SeededSource(1))


def test_the_amplification_is_that_of_the_matrix() -> None:
    assert Operator("job", "ab", [["2/3", "1/3"], ["1/4", "3/4"]]).amplification == Fraction(8, 3)
    assert Operator("job", "abc", ROWS).amplification is None
