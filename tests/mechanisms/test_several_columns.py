"""Several sensitive columns of one table: each has draws of its own, from every source."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from hashlib import sha256
from itertools import product

import numpy as np
import polars as pl
import pytest

from splu_ref.channels.parameters import DataError, ParameterError
from splu_ref.data import Microdata
from splu_ref.mechanisms import MECHANISMS, DistributionBased, RecordMechanism, SpluGen, SpluGenByColumn
from splu_ref.mechanisms.manifest import parse_manifest
from splu_ref.randomness import (
    Draws,
    EnumerationSource,
    Fact,
    IntArray,
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
from splu_ref.randomness.release_context import release_message

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


@pytest.mark.parametrize(
    ("publish", "records", "retention"),
    [
        (_by_record, 2, Fraction(1, 2)),
        (_by_record, 2, Fraction(2, 3)),
        (_of_codes, 2, Fraction(2, 3)),
        (_of_codes, 4, Fraction(1, 2)),
    ],
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
def test_each_column_is_requested_once(mechanism: RecordMechanism) -> None:
    requested: list[str] = []
    source = SeededSource(1)

    def draws_for(column: str) -> Draws:
        requested.append(column)
        return source

    codes = np.array([0, 1, 2, 0, 1])
    mechanism.publish_columns({"b": codes, "a": codes}, {"b": 3, "a": 3}, draws_for)
    assert requested == ["b", "a"]


class _Named:
    """Randomness that records the requested columns, with a separate stream for each."""

    name = "seeded"

    def __init__(self) -> None:
        self.requested: list[str] = []

    def for_release(self, context: ReleaseContext) -> ReleaseRandomness:
        return self

    def for_records(self, column: str, identities: Callable[[], Sequence[bytes]]) -> Draws:
        self.requested.append(column)
        return SeededSource(column.encode())


def test_the_draws_of_each_column_are_requested_once() -> None:
    source = _Named()
    SpluGen(2).publish(Microdata.from_frame(FRAME), ["two", "one"], source)
    assert source.requested == ["two", "one"]


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


BOTH = {"a": [3, 1, 0, 2], "b": [0, 1, 2, 3]}
OWN = {"a": SpluGen(2, plan="anatomy"), "b": SpluGen(4, plan="anatomy")}


def _law(mechanism: RecordMechanism) -> dict[tuple[tuple[int, ...], ...], Fraction]:
    """Return the law of both columns' published codes by record."""
    codes = {column: np.array(values) for column, values in BOTH.items()}

    def publish(source: EnumerationSource) -> tuple[tuple[int, ...], ...]:
        done = mechanism.publish_columns(codes, {"a": 4, "b": 4}, lambda _: source)
        found = np.zeros((2, 4), dtype=np.int64)
        for row, column in enumerate(codes):
            found[row, done.rows] = done.published[column]
        return tuple(map(tuple, found.tolist()))

    law: dict[tuple[tuple[int, ...], ...], Fraction] = defaultdict(Fraction)
    for found, probability in outcomes(publish):
        law[found] += probability
    return law


def test_with_gammas_of_their_own_columns_have_the_laws_of_their_own_mechanisms() -> None:
    """Every outcome of four records, gamma 2 and 4: the joint law is the product of the two alone."""
    law = _law(SpluGenByColumn(OWN))
    alone: dict[str, dict[tuple[int, ...], Fraction]] = {}
    for place, column in enumerate(BOTH):
        marginal: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
        for found, probability in law.items():
            marginal[found[place]] += probability
        codes, size = np.array(BOTH[column]), 4
        alone[column] = marginal
        expected: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)

        def publish(
            source: EnumerationSource, column: str = column, codes: np.ndarray = codes, size: int = size
        ) -> tuple[int, ...]:
            done = OWN[column].publish_columns({column: codes}, {column: size}, lambda _: source)
            return tuple(done.published[column][np.argsort(done.rows)].tolist())

        for cells, probability in outcomes(publish):
            expected[cells] += probability
        assert marginal == expected
    assert all(law[one, two] == alone["a"][one] * alone["b"][two] for one, two in product(*alone.values()))
    counts: dict[int, Fraction] = defaultdict(Fraction)
    for one, probability in alone["a"].items():
        counts[one.count(0)] += probability
    assert counts == {number: OWN["a"].count_law.law(1).get(number, 0) for number in counts}
    assert sum(probability for found, probability in alone["b"].items() if found[0] == 0) == Fraction(1, 4)


@pytest.mark.parametrize("draws", ["capped:2", "all-or-none:2"])
def test_columns_with_dependent_draws_do_not_affect_each_other(draws: str) -> None:
    """Given its own randomness each column is published as if it were alone, so the laws are independent."""
    own = {"a": SpluGen(3, draws=draws), "b": SpluGen(4, draws=draws)}
    codes = {"a": np.arange(48) % 11, "b": np.arange(48)[::-1] // 4}
    sizes, seeds = {"a": 11, "b": 12}, {"a": 5, "b": 6}
    done = SpluGenByColumn(own).publish_columns(codes, sizes, lambda column: SeededSource(seeds[column]))
    for column, seed in seeds.items():
        alone = own[column].publish_codes(codes[column], sizes[column], SeededSource(seed))
        together = done.published[column][np.argsort(done.rows)]
        assert together.tolist() == alone.published[np.argsort(alone.rows)].tolist()
        assert together.tolist() != codes[column].tolist()
    table = Microdata.from_frame(
        pl.DataFrame({name: [f"{code:02}" for code in values] for name, values in codes.items()})
    )
    release = SpluGenByColumn(own).publish(table, ["a", "b"], SeededSource(1))
    reported = parse_manifest(release.manifest.to_json(), "m", MECHANISMS).mechanism
    assert isinstance(reported, SpluGenByColumn)
    assert reported == SpluGenByColumn(own)
    assert (str(reported.draws), reported.facts()["draws"]) == (draws, draws)
    with pytest.raises(
        ParameterError, match="all columns must have the same dependent draws: give each the same"
    ):
        SpluGenByColumn(own | {"b": SpluGen(4)})


class _Deleting(SeededSource):
    """Randomness that notes how many records are deleted."""

    def subset(self, population: int, count: int) -> IntArray:
        self.deleted = (population, count)
        return super().subset(population, count)


def test_records_are_deleted_down_to_a_multiple_of_every_gamma() -> None:
    table = Microdata.from_frame(
        pl.DataFrame({"a": [str(row % 7) for row in range(47)], "b": [str(row % 9) for row in range(47)]})
    )
    mechanism, source = SpluGenByColumn({"b": SpluGen(6), "a": SpluGen(4)}), _Deleting(3)
    release = mechanism.publish(table, ["a", "b"], source)
    assert source.deleted == (47, 47 % 12)
    assert (release.table.row_count, release.suppressed) == (36, 11)
    assert release.max_gamma == {"a": 6, "b": 7}
    assert [int(mechanism.for_column(name).gamma) for name in "ab"] == [4, 6]
    one = SpluGenByColumn({"a": SpluGen(4), "b": SpluGen(4)}).publish(table, ["a", "b"], SeededSource(7))
    assert one.frame.equals(SpluGen(4).publish(table, ["a", "b"], SeededSource(7)).frame)


def test_a_value_too_common_for_what_is_left_is_refused_before_anything_is_drawn() -> None:
    """5 of 11 records allow gamma = 2; of the 6 that a gamma of 3 beside it leaves, 5 are too many."""
    codes = {"a": np.array([0] * 5 + [1] * 3 + [2] * 3), "b": np.arange(11) % 4}
    sizes, tape = {"a": 3, "b": 4}, TapeSource(b"")
    assert SpluGen(2).publish_columns({"a": codes["a"]}, sizes, lambda _: SeededSource(1)).rows.size == 10
    mechanism = SpluGenByColumn({"a": SpluGen(2), "b": SpluGen(3)})
    with pytest.raises(ParameterError, match="of 11 records 6 are left, a multiple of every column's gamma"):
        mechanism.publish_columns(codes, sizes, lambda _: tape)
    assert tape.consumed == 0
    frame = pl.DataFrame({name: [f"v{code}" for code in values] for name, values in codes.items()})
    with pytest.raises(DataError, match="choose gammas of which one divides the other"):
        mechanism.publish(frame, ["a", "b"])
    with pytest.raises(ParameterError, match="a gamma is given for a, b, and the sensitive columns are a:"):
        mechanism.publish(frame, ["a"])
    with pytest.raises(ParameterError, match="column 'c' has no gamma"):
        mechanism.for_column("c")
    with pytest.raises(ParameterError, match="at least one sensitive column"):
        SpluGenByColumn({})


def test_a_manifest_and_a_key_know_each_gamma() -> None:
    table = Microdata.from_frame(
        pl.DataFrame({"a": [str(row % 7) for row in range(48)], "b": [str(row % 9) for row in range(48)]})
    )
    key = KeyedSource(Key(bytes(range(31)) + b"!"))
    mechanism = SpluGenByColumn({"b": SpluGen(6), "a": SpluGen(4, "1/3")})
    facts: dict[str, Fact] = {
        "gamma": {"a": 4, "b": 6},
        "retention": {"a": "1/3", "b": "1/6"},
        "plan": {"a": "mixed", "b": "mixed"},
    }
    assert mechanism.facts() == facts
    release = mechanism.publish(table, ["a", "b"], key)
    reported = parse_manifest(release.manifest.to_json(), "m", MECHANISMS)
    assert reported.mechanism == mechanism
    document = json.loads(release.manifest.to_json())
    for change in ({"gamma": 4}, {"gamma": {"a": 4}}, {"gamma": {"a": 4, "c": 6}}, {"plan": "mixed"}):
        with pytest.raises(DataError, match=f"the manifest is damaged at {next(iter(change))!r}"):
            parse_manifest(json.dumps(document | change).encode(), "m", MECHANISMS)
    with pytest.raises(DataError, match="rows is no multiple of gamma"):
        parse_manifest(json.dumps(document | {"gamma": {"a": 4, "b": 9}}).encode(), "m", MECHANISMS)
    context = ReleaseContext(
        method=mechanism.name, facts=facts, sensitive=["a", "b"], id_column=None, missing=None,
        columns=table.columns, records=table.records,
    )  # fmt: skip
    message = release_message(key.key, context)
    for text in (b'[["a","4"],["b","6"]]', b'[["a","1/3"],["b","1/6"]]', b'[["a","mixed"],["b","mixed"]]'):
        assert len(text).to_bytes(8, "big") + text in message
    again = mechanism.publish(table.take(np.arange(48)[::-1].copy()), ["a", "b"], key)
    assert again.frame.equals(release.frame)
