"""Swapping on tables: what it leaves alone, its law, its estimates, and what is refused."""

from __future__ import annotations

import hashlib
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import splu_ref as sr
from splu_ref.audit.declared_law import declared_rows, enumerate_declared
from splu_ref.channels.parameters import DataError, ParameterError
from splu_ref.data import Microdata
from splu_ref.estimators import ChannelEstimator, Query
from splu_ref.mechanisms import PublishedTable, RecordMechanism, RetentionReplacement, Swapping
from splu_ref.randomness import Draws, Key, KeyedSource, SeededSource, TapeSource, outcomes
from tests.rounding import near

FRAME = pl.DataFrame({"sex": ["F", "M"] * 300, "job": list("aaabbc") * 100, "age": [30, 31, 33] * 200})


def test_a_tape_decides_coins_and_the_order_of_released_cells() -> None:
    # p = 1/2: coins 1, 0, 1, 1 release the records 0, 2 and 3. Keys order them as 3, 0, 2 and 0, 2, 3.
    keys = [5, 7, 1, 1, 2, 3]
    tape = bytes([1, 0, 1, 1]) + b"".join(key.to_bytes(4, "big") for key in keys)
    source = TapeSource(tape)
    done = Swapping("1/2").publish_codes(np.array([0, 1, 2, 3]), 4, source)
    assert done.published.tolist() == [3, 1, 0, 2]
    assert done.rows.tolist() == [0, 1, 2, 3]
    assert source.consumed == len(tape)


@pytest.mark.parametrize("seed", range(5))
def test_columns_keep_their_counts_and_rows_their_places(seed: int) -> None:
    release = Swapping("1/3").publish(FRAME, ["job", "age"], SeededSource(seed))
    for column in FRAME.columns:
        assert Counter(release.frame[column]) == Counter(FRAME[column])
    assert release.frame["sex"].equals(FRAME["sex"])
    assert not release.frame["job"].equals(FRAME["job"])
    assert (release.suppressed, release.max_gamma) == (0, None)
    assert release.estimate(job="a").interval == (300, 300)
    assert release.estimate(job="a").exact


@pytest.mark.parametrize("keep", ["0", "1/2", "2/3"])
def test_its_code_has_the_law_that_it_declares(keep: str) -> None:
    assert all(row.holds for row in declared_rows([(Swapping(keep), 2)], largest=4))
    assert enumerate_declared(Swapping(keep), (3, 1)).holds


def _moments(
    mechanism: RecordMechanism, cells: dict[str, str], where: dict[str, list[str]], aside: str = ""
) -> tuple[Fraction, Fraction, Fraction]:
    """Return mean and variance of the estimate, and the mean of its estimated variance, over all outcomes."""
    domains = {name: tuple(sorted({*column})) for name, column in cells.items()}
    codes = {name: np.array([domains[name].index(cell) for cell in column]) for name, column in cells.items()}
    sizes = {name: len(domain) for name, domain in domains.items()}

    def run(draws: Draws) -> tuple[tuple[int, ...], ...]:
        done = mechanism.publish_columns(codes, sizes, lambda _: draws)
        return tuple(tuple(done.published[name].tolist()) for name in cells)

    law: dict[tuple[tuple[int, ...], ...], Fraction] = {}
    for published, chance in outcomes(run):
        law[published] = law.get(published, Fraction(0)) + chance
    mean, square, reported = Fraction(0), Fraction(0), Fraction(0)
    for published, chance in law.items():
        frame = {
            name: [domains[name][code] for code in column]
            for name, column in zip(cells, published, strict=True)
        }
        table = Microdata.from_frame(pl.DataFrame(frame | ({"aside": list(aside)} if aside else {})))
        release = PublishedTable(table=table, mechanism=mechanism, domains=domains)
        [answer] = ChannelEstimator(release)([Query.of(where)], None)
        estimate = Fraction(answer.estimate).limit_denominator(10**6)
        assert answer.variance_estimate is not None
        mean, square = mean + chance * estimate, square + chance * estimate**2
        reported += chance * answer.variance_estimate
    return mean, square - mean**2, reported


@pytest.mark.parametrize(
    ("cells", "where", "aside", "true"),
    [
        ({"a": "xxyz"}, {"a": ["x"], "aside": ["1"]}, "1122", 2),
        ({"a": "xxyz"}, {"a": ["x", "z"], "aside": ["1"]}, "1212", 1),
        ({"a": "xyx", "b": "uvv"}, {"a": ["x"], "b": ["v"]}, "", 1),
        ({"a": "xyx", "b": "uvv"}, {"a": ["y"], "b": ["u"], "aside": ["1"]}, "112", 0),
    ],
)
def test_variances_are_unbiased_though_records_depend(
    cells: dict[str, str], where: dict[str, list[str]], aside: str, true: int
) -> None:
    mean, variance, reported = _moments(Swapping("1/2"), cells, where, aside)
    assert mean == true
    assert reported == pytest.approx(variance, abs=1e-9)
    assert variance > 0


def test_a_column_alone_is_reported_exactly() -> None:
    mean, variance, reported = _moments(Swapping("1/2"), {"a": "xxyz"}, {"a": ["x", "y"]})
    assert (mean, variance, reported) == (Fraction(3), Fraction(0), Fraction(0))


@pytest.mark.parametrize("cells", ["xxyz", "xyzz"])
def test_a_histogram_that_is_learned_leaves_estimates_unbiased(cells: str) -> None:
    mechanism = RetentionReplacement("1/2", {"a": "xyz"}, replacing="identity")
    mean, variance, reported = _moments(mechanism, {"a": cells}, {"a": ["x"], "aside": ["1"]}, "1122")
    assert mean == cells[:2].count("x")
    # Four records: the plugged-in share is far off, and the variance is still accurate within a tenth.
    assert reported == near(variance, rel=0.1, size=len(cells))


def test_estimates_spread_as_they_say() -> None:
    releases = [Swapping("2/5").publish(FRAME, ["job", "age"], SeededSource(seed)) for seed in range(60)]
    for where, true in (({"job": "a", "sex": "F"}, 200), ({"job": "c", "age": 33}, 100)):
        found = [release.estimate(where) for release in releases]
        spread = np.std([one.estimate for one in found])
        assert np.mean([one.estimate for one in found]) == pytest.approx(true, abs=5 * spread / 60**0.5)
        assert np.mean([one.standard_error for one in found]) == near(spread, rel=0.3)


def test_a_key_gives_one_release_wherever_records_stand() -> None:
    key = KeyedSource(Key(hashlib.sha256(b"a test").digest()))
    frame = pl.DataFrame({"row": range(600), "job": list("aaabbc") * 100})
    once = Swapping("1/5").publish(frame, "job", key, id_column="row").frame
    turned = Swapping("1/5").publish(frame.reverse(), "job", key, id_column="row").frame
    assert turned.reverse().equals(once)
    assert not once["job"].equals(frame["job"])


def test_the_manifest_states_the_retention_alone(tmp_path: Path) -> None:
    release = Swapping("0.2").publish(FRAME, "job", SeededSource(2))
    release.write(tmp_path / "p.csv", manifest=tmp_path / "m.json")
    again = sr.read_release(tmp_path / "p.csv", tmp_path / "m.json")
    assert again.mechanism == Swapping("1/5")
    assert again.mechanism.facts() == {"retention": "1/5"}
    assert again.estimate(job="a", sex="F").estimate == release.estimate(job="a", sex="F").estimate


@pytest.mark.parametrize(
    ("retention", "remedy"),
    [(1, "choose less than 1"), ("1.5", "between 0 and 1"), (f"0.{'7' * 20}", "too many digits to draw by")],
)
def test_parameters_that_make_no_mechanism(retention: Any, remedy: str) -> None:
    with pytest.raises(ParameterError, match=remedy):
        Swapping(retention)


def test_what_cannot_be_swapped_or_reported() -> None:
    with pytest.raises(ParameterError, match="give at least two"):
        Swapping("1/2").publish_codes(np.array([0]), 2, SeededSource(1))
    flat = Swapping(0).publish(FRAME, "job", SeededSource(1))
    with pytest.raises(DataError, match="does not distinguish values of 'job'"):
        flat.estimate(job="a", sex="F")
    wide = pl.DataFrame({name: ["u", "v"] * 20 for name in "abcdefghijk"})
    release = Swapping("1/2").publish(wide, list("abcdefghijk"), SeededSource(1))
    with pytest.raises(ParameterError, match="names 11 sensitive columns: name one to 10"):
        release.estimate(dict.fromkeys("abcdefghijk", "u"))
