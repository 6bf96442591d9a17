"""Several sensitive columns of one table: each has draws of its own, from every source."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from hashlib import sha256
from itertools import product

import numpy as np
import polars as pl
import pytest

from splu_ref.mechanisms import DistributionBased, RecordMechanism, SpluGen
from splu_ref.microdata import Microdata
from splu_ref.randomness import (
    Draws,
    EnumerationSource,
    Key,
    KeyedSource,
    Randomness,
    RecordingSource,
    ReleaseContext,
    ReleaseRandomness,
    SeededSource,
    TapeSource,
    outcomes,
)

Cells = tuple[str, ...]
Publish = Callable[[SpluGen, EnumerationSource, int], tuple[Cells, Cells]]
ONE, TWO = ["a", "b", "a", "b"], ["x", "y", "z", "w"]
FRAME = pl.DataFrame({"id": ["1", "2", "3", "4"], "one": ONE, "two": TWO})


def _by_record(mechanism: SpluGen, source: EnumerationSource, records: int) -> tuple[Cells, Cells]:
    """Publish the first records as a table, and return both columns in the order of the records."""
    done = mechanism.publish(Microdata.from_frame(FRAME.head(records)), ["one", "two"], source)
    rows = done.frame.sort("id")
    return tuple(rows["one"]), tuple(rows["two"])


def _of_codes(mechanism: SpluGen, source: EnumerationSource, records: int) -> tuple[Cells, Cells]:
    """The same by `publish_columns`."""
    cells = {"one": ONE[:records], "two": TWO[:records]}
    names = {column: sorted(set(values)) for column, values in cells.items()}
    done = mechanism.publish_columns(
        {column: np.array([names[column].index(cell) for cell in cells[column]]) for column in cells},
        {column: len(values) for column, values in names.items()},
        lambda _: source,
    )
    order = np.argsort(done.rows)
    one, two = (
        tuple(names[column][code] for code in done.published[column][order]) for column in ("one", "two")
    )
    return one, two


@pytest.mark.parametrize("publish", [_by_record, _of_codes])
@pytest.mark.parametrize(
    ("records", "retention"), [(2, Fraction(1, 2)), (2, Fraction(2, 3)), (4, Fraction(1, 2))]
)
def test_the_joint_law_of_two_columns_is_the_product(
    publish: Publish,
    records: int,
    retention: Fraction,
) -> None:
    """By every outcome of the random choices but the shuffle, which concerns whole rows."""
    law: dict[tuple[Cells, Cells], Fraction] = defaultdict(Fraction)
    mechanism = SpluGen(2, retention, "anatomy")
    for found, probability in outcomes(lambda source: publish(mechanism, source, records)):
        law[found] += probability
    each: tuple[dict[Cells, Fraction], ...] = (defaultdict(Fraction), defaultdict(Fraction))
    for found, probability in law.items():
        for column, cells in zip(each, found, strict=True):
            column[cells] += probability
    for one, two in product(*each):
        assert law[one, two] == each[0][one] * each[1][two]
    kept = sum(probability for (one, two), probability in law.items() if (one[0], two[0]) == (ONE[0], TWO[0]))
    assert kept == retention**2


def test_a_tape_gives_each_column_bytes_of_its_own() -> None:
    """Order and draws of one column, then of the other, then the shuffle: no byte serves twice."""
    codes = {"one": np.array([0, 1, 0, 1]), "two": np.array([0, 1, 2, 3])}
    keys = [bytes([0, 0, 0, place]) for place in range(4)]
    kept, other = bytes(4), bytes([1] * 4)
    tape = TapeSource(b"".join([*keys, kept, *keys, other, *keys]))
    done = SpluGen(2, plan="anatomy").publish_columns(codes, {"one": 2, "two": 4}, lambda _: tape)
    assert tape.consumed == 3 * 16 + 2 * 4
    assert done.rows.tolist() == [0, 1, 2, 3]
    assert done.published["one"].tolist() == [0, 1, 0, 1]
    assert done.published["two"].tolist() == [1, 0, 3, 2]


@pytest.mark.parametrize("mechanism", [SpluGen(2), SpluGen(2, plan="cyclic"), DistributionBased()])
def test_each_column_is_asked_for_once(mechanism: RecordMechanism) -> None:
    asked: list[str] = []
    source = SeededSource(1)

    def draws_for(column: str) -> Draws:
        asked.append(column)
        return source

    codes = np.array([0, 1, 2, 0, 1])
    mechanism.publish_columns({"b": codes, "a": codes}, {"b": 3, "a": 3}, draws_for)
    assert asked == ["b", "a"]


class _Named:
    """Randomness that notes for which columns it is asked, and gives each a stream of its own."""

    name = "seeded"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def for_release(self, context: ReleaseContext) -> ReleaseRandomness:
        return self

    def for_records(self, column: str, identities: Callable[[], Sequence[bytes]]) -> Draws:
        self.asked.append(column)
        return SeededSource(column.encode())


def test_a_table_asks_for_each_column_once() -> None:
    source = _Named()
    SpluGen(2).publish(Microdata.from_frame(FRAME), ["two", "one"], source)
    assert source.asked == ["two", "one"]


@pytest.mark.parametrize("columns", [("one", "two"), ("two", "one")])
def test_the_first_column_decides_about_whole_rows(columns: tuple[str, str]) -> None:
    """Which record is deleted, and where the others stand, does not depend on the other columns."""
    frame = pl.DataFrame({"id": [str(row) for row in range(13)], "one": list("abcd") * 3 + ["a"]})
    frame = frame.with_columns(two=pl.col("one") + pl.col("one"))
    both, alone = (
        SpluGen(2).publish(Microdata.from_frame(frame), named, _Named()).frame["id"].to_list()
        for named in (columns, columns[:1])
    )
    assert both == alone


def _kept_together(source: Randomness) -> Counter[tuple[bool, bool]]:
    """Publish two equal columns of 2,400 records, and count which of the two values each record kept."""
    values = [f"v{row % 6}" for row in range(2400)]
    frame = pl.DataFrame({"id": range(2400), "true": values, "one": values, "two": values})
    rows = SpluGen(3, plan="anatomy").publish(frame, ["one", "two"], source, id_column="id").frame
    kept = zip(rows["one"] == rows["true"], rows["two"] == rows["true"], strict=True)
    return Counter(kept)


def test_equal_columns_are_published_differently_by_a_key_a_seed_and_a_tape() -> None:
    """2,400 p² = 267 records keep both values, with a standard deviation of 15; shared draws keep 800."""
    seeded = RecordingSource(SeededSource(5))
    for source in (KeyedSource(Key(sha256(b"two columns").digest())), seeded):
        assert 190 < _kept_together(source)[True, True] < 345  # five deviations, of one fixed stream each
    again = _kept_together(TapeSource(seeded.recorded))
    assert again == _kept_together(SeededSource(5))
