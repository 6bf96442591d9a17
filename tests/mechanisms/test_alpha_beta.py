"""The alpha-beta algorithm: its law over every outcome, drawn both ways, and its tables and refusals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import splu_ref as sr
from splu_ref.channels.parameters import DataError, ParameterError
from splu_ref.mechanisms import AlphaBeta
from splu_ref.mechanisms import alpha_beta as module
from splu_ref.randomness import Key, KeyedSource, SeededSource, TapeSource, outcomes

DOMAIN = {"sex": ["F", "M"], "job": ["a", "b", "c"]}
FRAME = pl.DataFrame({"sex": ["F", "F", "M"], "job": ["a", "c", "b"], "id": [1, 2, 3]})
CHANCES = [("1/3", "1/3"), ("1/2", "1/4"), ("1", "0"), ("1/2", "1/2"), ("1/2", "0")]

Law = dict[frozenset[int], Fraction]


def declared(members: frozenset[int], size: int, mechanism: AlphaBeta) -> Law:
    """Return the law as it is said: each tuple by itself."""
    found: Law = {}
    for bits in product((False, True), repeat=size):
        chance = Fraction(1)
        for number, seen in enumerate(bits):
            own = mechanism.beta + (mechanism.alpha if number in members else 0)
            chance *= own if seen else 1 - own
        if chance:
            found[frozenset(number for number in range(size) if bits[number])] = chance
    return found


def enumerated(members: frozenset[int], size: int, mechanism: AlphaBeta, *, eager: bool) -> Law:
    """Return the law of the code, on every outcome."""
    law: Law = defaultdict(Fraction)
    numbers = np.array(sorted(members), dtype=np.int64)
    for published, chance in outcomes(
        lambda source: mechanism.publish_tuples(numbers, size, source, eager=eager).tolist()
    ):
        assert len(set(published)) == len(published)
        law[frozenset(published)] += chance
    return dict(law)


def worlds(largest: int) -> Iterator[tuple[frozenset[int], int]]:
    for size in range(2, largest + 1):
        for count in range(size + 1):
            for members in combinations(range(size), count):
                yield frozenset(members), size


@pytest.mark.slow
@pytest.mark.parametrize("eager", [True, False])
@pytest.mark.parametrize(("alpha", "beta"), CHANCES)
def test_the_law_up_to_five_tuples(alpha: str, beta: str, eager: bool) -> None:
    mechanism = AlphaBeta(alpha, beta, DOMAIN)
    for members, size in worlds(5 if eager else 4):
        wanted = declared(members, size, mechanism)
        assert enumerated(members, size, mechanism, eager=eager) == wanted
    if not eager:
        for members in (frozenset({1, 3}), frozenset({0, 4}), frozenset({2})):
            assert enumerated(members, 5, mechanism, eager=False) == declared(members, 5, mechanism)


@settings(max_examples=20)
@given(st.sets(st.integers(0, 3)), st.integers(1, 12), st.integers(0, 12))
def test_alpha_1_publishes_the_original_and_a_small_alpha_nearly_nothing_of_it(
    members: set[int], above: int, below: int
) -> None:
    own, size = frozenset(members), 4
    assert enumerated(own, size, AlphaBeta(1, 0, DOMAIN), eager=False) == {own: Fraction(1)}
    # The laws of two originals differ by the coins of the tuples that are in one of them: alpha each.
    alpha, beta = Fraction(above, 10**6), Fraction(below, 13)  # the law itself is enumerated above
    mechanism = AlphaBeta(alpha, beta, DOMAIN)
    law, empty = (declared(each, size, mechanism) for each in (own, frozenset[int]()))
    distance = sum(abs(law.get(each, 0) - empty.get(each, Fraction(0))) for each in {*law, *empty}) / 2
    assert distance <= alpha * len(own)
    assert (distance == 0) == (not own)


def _keys(*keys: int) -> bytes:
    return b"".join(key.to_bytes(4, "big") for key in keys)


def test_a_tape_decides_in_the_order_of_the_domain() -> None:
    # alpha + beta = 3/4 and beta = 1/4: below 4, where 0, 1, 2 publish a member, and 0 any other tuple.
    mechanism = AlphaBeta("1/2", "1/4", DOMAIN)
    tape = TapeSource(bytes([0, 1, 2, 2, 3, 0]) + _keys(3, 2, 1, 4))
    assert mechanism.publish_tuples(np.array([1, 3]), 6, tape, eager=True).tolist() == [3, 1, 0, 5]


def test_a_tape_decides_coins_number_and_fakes() -> None:
    # Coins 3 and 0 keep the second member. 200/256 lies between Pr(K <= 1) = 189/256 and 243/256: two fakes.
    # Floyd's rule takes the ranks 2 and 1 among the others 0, 2, 4, 5, which are the tuples 4 and 2.
    mechanism = AlphaBeta("1/2", "1/4", DOMAIN)
    tape = TapeSource(bytes([3, 0, 200, 2, 1]) + _keys(9, 8, 7))
    assert mechanism.publish_tuples(np.array([1, 3]), 6, tape, eager=False).tolist() == [4, 2, 3]


def test_a_rank_that_is_taken_gives_way_to_the_last() -> None:
    mechanism = AlphaBeta("1/2", "1/4", DOMAIN)
    tape = TapeSource(bytes([3, 3, 200, 1, 1]) + _keys(1, 2))
    assert mechanism.publish_tuples(np.array([1, 3]), 6, tape, eager=False).tolist() == [2, 5]


@pytest.mark.parametrize("kind", [pl.DataFrame, pd.DataFrame, pa.table])
def test_tuples_of_the_domain_in_the_columns_types(kind: Any) -> None:
    frame = kind({"job": ["a", "b"], "age": [30, 31], "name": ["x", "y"]})
    mechanism = AlphaBeta("1/2", "1/2", {"age": ["9", "30", "31"], "job": ["a", "b", "z"]})
    release = mechanism.publish(frame, ["job", "age"], SeededSource(1))
    table = pl.from_pandas(release.frame) if kind is pd.DataFrame else pl.DataFrame(release.frame)
    assert table.columns == ["job", "age"]
    assert {("a", 30), ("b", 31)} <= set(table.iter_rows())  # alpha + beta = 1
    assert table["age"].dtype.is_integer()
    assert len(set(table.iter_rows())) == len(table) == release.manifest.rows
    assert (release.rows_in, release.suppressed) == (2, 0)
    assert release.domains == {"age": ("9", "30", "31"), "job": ("a", "b", "z")}


def test_every_tuple_is_published_where_beta_is_nearly_1() -> None:
    release = AlphaBeta("1e-9", "0.999999999", DOMAIN).publish(FRAME, ["sex", "job"], SeededSource(3))
    assert set(pl.DataFrame(release.frame).iter_rows()) == set(product("FM", "abc"))


def test_the_release_is_shuffled() -> None:
    frame = pl.DataFrame({"x": [f"{i:03}" for i in range(200)], "y": ["a"] * 200})
    domain = {"x": [f"{i:03}" for i in range(200)], "y": ["a", "b"]}
    release = AlphaBeta(1, 0, domain).publish(frame, ["x", "y"], SeededSource(5))
    order = pl.DataFrame(release.frame)["x"].to_list()
    assert sorted(order) == frame["x"].to_list() != order


def test_an_empty_release_is_a_table_without_rows(tmp_path: Path) -> None:
    mechanism = AlphaBeta("1/1000000", 0, DOMAIN)
    release = mechanism.publish(FRAME, ["sex", "job"], SeededSource(3))
    release.write(tmp_path / "p.csv")
    assert (tmp_path / "p.csv").read_text() == "sex,job\n"


def test_repeated_rows_are_counted_refused_or_dropped() -> None:
    frame = pl.concat([FRAME, FRAME[:2], FRAME[:1]])
    with pytest.raises(DataError, match="3 of 6 rows repeat another"):
        AlphaBeta("1/2", "1/10", DOMAIN).publish(frame, ["sex", "job"], SeededSource(1))
    mechanism = AlphaBeta(1, 0, DOMAIN, distinct=True)
    release = mechanism.publish(frame, ["sex", "job"], SeededSource(1))
    assert (release.rows_in, release.suppressed, release.table.row_count) == (6, 3, 3)


@pytest.mark.parametrize(
    ("alpha", "beta", "reason"),
    [
        ("0", "1/2", "alpha must be greater than 0"),
        ("1/2", "-1/2", "beta is a probability"),
        ("1/2", "2/3", "alpha \\+ beta is 7/6"),
    ],
)
def test_chances_out_of_range(alpha: str, beta: str, reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        AlphaBeta(alpha, beta, DOMAIN)


def test_what_cannot_be_published() -> None:
    mechanism = AlphaBeta("1/2", "1/4", DOMAIN)
    with pytest.raises(ParameterError, match="declare the values of each"):
        mechanism.publish(FRAME, ["sex", "job", "id"])
    with pytest.raises(ParameterError, match="tuples are published, not records"):
        mechanism.publish(FRAME, ["sex", "job"], id_column="id")
    with pytest.raises(DataError, match="row 3, which is not in the declared"):
        AlphaBeta("1/2", "1/4", {"sex": ["F", "X"], "job": ["a", "b", "c"]}).publish(FRAME, ["sex", "job"])
    with pytest.raises(ParameterError, match="no column has a domain"):
        AlphaBeta("1/2", "1/4", {})
    digits = AlphaBeta("0." + "3" * 30, "1/4", DOMAIN)
    with pytest.raises(ParameterError, match="too many digits"):
        digits.publish(FRAME, ["sex", "job"])


def test_too_many_fakes_are_refused_unless_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_FAKES", 1)
    with pytest.raises(ParameterError, match="2 fakes are to be expected"):
        AlphaBeta("1/4", "2/3", DOMAIN).publish(FRAME, ["sex", "job"], SeededSource(1))
    AlphaBeta("1/4", "2/3", DOMAIN, large=True).publish(FRAME, ["sex", "job"], SeededSource(1))


def test_a_key_repeats_a_release_and_another_table_has_an_independent_one() -> None:
    source = KeyedSource(Key.generate())
    domain = {"x": [str(i) for i in range(3000)], "y": ["a", "b"]}
    frame = pl.DataFrame({"x": [str(i) for i in range(2000)], "y": ["a"] * 2000})
    mechanism = AlphaBeta("1/2", "1/4", domain)
    once, again, other = (
        mechanism.publish(table, ["x", "y"], source).frame for table in (frame, frame.reverse(), frame[:-1])
    )
    assert once.equals(again)
    both = set(once.iter_rows()) & set(other.iter_rows())
    assert len(both) < 0.8 * len(once)  # about 5/8 are in both, by chance


def test_the_manifest_gives_the_mechanism_back(tmp_path: Path) -> None:
    mechanism = AlphaBeta("1/2", "1/4", DOMAIN)
    release = mechanism.publish(FRAME, ["sex", "job"], SeededSource(2))
    release.write(tmp_path / "p.csv", manifest=tmp_path / "m.json")
    again = sr.read_release(tmp_path / "p.csv", tmp_path / "m.json")
    assert again.mechanism == mechanism
    reported = (tmp_path / "m.json").read_text()
    assert '"method": "alpha-beta"' in reported
    (tmp_path / "m.json").write_text(reported.replace('"c"', '"d"'))
    with pytest.raises(DataError, match="not the digest of the domains"):
        sr.read_manifest(tmp_path / "m.json")


@pytest.mark.slow
def test_ten_columns_of_a_real_table() -> None:
    table = sr.embedded_table()
    columns = {
        column: sorted({cell or "?" for cell in table.cells(column)} | {"?"}) for column in table.columns
    }
    original = sr.Microdata.from_frame(table.to_frame(), "?")
    mechanism = AlphaBeta("1/2", Fraction(1, 10**6), columns, distinct=True, large=True)
    assert mechanism.size > 10**10
    genuine, fakes = mechanism.expected(original.row_count)
    release = mechanism.publish(original, list(columns), SeededSource(7))
    rows = set(pl.DataFrame(release.frame).cast(pl.String).iter_rows())
    assert len(rows) == release.table.row_count
    true = {
        tuple(cell or "?" for cell in row)
        for row in zip(*(original.cells(column) for column in columns), strict=True)
    }
    kept, made_up = len(rows & true), len(rows - true)
    distinct = len(true)
    assert abs(kept - distinct * (mechanism.alpha + mechanism.beta)) < 6 * (distinct / 4) ** 0.5
    assert abs(made_up - fakes) < 6 * float(fakes) ** 0.5
    assert genuine > kept  # of all rows, before repeated ones are dropped
