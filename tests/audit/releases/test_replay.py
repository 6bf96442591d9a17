"""Releases that are made again: what decides, and what is compared with uniform draws."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import polars as pl
import pytest

from splu_ref.audit.releases.audit import audit_release
from splu_ref.audit.releases.claims import SpluGenClaim
from splu_ref.audit.releases.findings import ReleaseAudit
from splu_ref.audit.releases.record_linkage import Original
from splu_ref.audit.releases.recorded_draws import in_contexts, recorded_evidence
from splu_ref.audit.releases.replay import RecordedRandomness, Replay
from splu_ref.channels.parameters import DataError, ParameterError
from splu_ref.data import Microdata
from splu_ref.mechanisms import Release, SpluGen, Transcript, transcribed
from splu_ref.randomness import (
    ByteSource,
    EnumerationSource,
    IntArray,
    Key,
    KeyedSource,
    Randomness,
    RecordingSource,
    SeededSource,
    TapeSource,
    outcomes,
)

KEY, OTHER = (Key(hashlib.sha256(name).digest()) for name in (b"one", b"other"))
ROWS = 2000
FRAME = pl.DataFrame(
    {
        "id": range(ROWS),
        "age": [20 + row * 7 % 50 for row in range(ROWS)],
        "job": [f"j{row * 5 // 3 % 8}" for row in range(ROWS)],
        "town": [f"t{row % 9}" for row in range(ROWS)],
    }
)
GEN = SpluGen(3)
COLUMNS = ("job", "town")
ORIGINAL = Microdata.from_frame(FRAME)
LEVEL = Fraction(1, 10**10)
pytestmark = pytest.mark.slow


def _audited(replay: Replay, published: Microdata, claimed: SpluGenClaim | None = None) -> ReleaseAudit:
    mechanism = replay.mechanism
    assert isinstance(mechanism, SpluGen)
    return audit_release(
        published,
        replay.release.sensitive,
        claimed or SpluGenClaim(mechanism.count_law, mechanism.plan),
        original=Original(replay.original, replay.release.sensitive),
        replay=replay,
    )


@pytest.fixture(scope="module")
def honest() -> tuple[Release, Transcript]:
    return transcribed(GEN, ORIGINAL, COLUMNS)


def test_an_honest_release_is_consistent(honest: tuple[Release, Transcript]) -> None:
    release, transcript = honest
    found = _audited(Replay.of_transcript(transcript, ORIGINAL), release.table)
    assert found.verdict == "consistent"
    names = [(check.name, check.column) for check in found.checks]
    for name in (
        ("recomputed", None),
        ("draws", "job"),
        ("draws", "town"),
        ("orders", None),
        ("bytes", None),
    ):
        assert names.count(name) == 1
    assert found.recomputed == "transcript (system randomness)"
    assert "draws until a count fits," in found.not_shown[0]
    statistical = [check for check in found.checks if check.level is not None]
    assert {check.level for check in statistical} == {Fraction(1, 10**9 * len(statistical))}
    assert all(check.power for check in statistical)


def test_a_keyed_release_is_made_again_with_and_without_its_key() -> None:
    release, transcript = transcribed(GEN, ORIGINAL, COLUMNS, KeyedSource(KEY), id_column="id")
    for replay in (
        Replay.of_transcript(transcript, ORIGINAL),
        Replay.of_transcript(transcript, ORIGINAL, KEY),
        Replay.of_key(KEY, ORIGINAL, GEN, COLUMNS, "id"),
    ):
        found = _audited(replay, release.table)
        assert found.verdict == "consistent"
        assert "bytes" not in {check.name for check in found.checks}
        assert found.recomputed == f"{replay.origin} (keyed randomness)"
    for wrong in (
        Replay.of_key(OTHER, ORIGINAL, GEN, COLUMNS, "id"),
        Replay.of_key(KEY, ORIGINAL, SpluGen(3, plan="cyclic"), COLUMNS, "id"),
    ):
        found = _audited(wrong, release.table)
        assert found.verdict == "inconsistent"
        assert "another key, id column or original, no key, or a table" in _detail(found)
        drawn = [(each.name, each.column) for each in found.not_checked if "do not give" in each.reason]
        assert drawn == [("draws", "job"), ("draws", "town"), ("orders", None)]
        assert not {"draws", "orders"} & {check.name for check in found.checks}
    unnamed = _audited(Replay.of_key(KEY, ORIGINAL, GEN, COLUMNS), release.table)
    assert unnamed.verdict == "inconclusive"  # the release may have been made with an id column
    changed = release.table.to_frame().with_columns(pl.lit("?").alias(COLUMNS[0]))
    found = _audited(Replay.of_key(KEY, ORIGINAL, GEN, COLUMNS), Microdata.from_frame(changed))
    assert found.verdict == "inconsistent"  # by other checks
    release, _ = transcribed(GEN, ORIGINAL, COLUMNS, KeyedSource(KEY))
    first, *others = release.table.cells("job")
    edited = release.table.to_frame().with_columns(job=pl.Series(["j1" if first == "j0" else "j0", *others]))
    found = _audited(Replay.of_key(KEY, ORIGINAL, GEN, COLUMNS), Microdata.from_frame(edited))
    assert found.verdict == "inconsistent"  # the other rows share the draws of the key
    assert "(1 cell differs)" in _detail(found)


def _detail(found: ReleaseAudit) -> str:
    (check,) = (check for check in found.checks if check.name == "recomputed")
    return check.detail


def test_a_changed_cell_is_named(honest: tuple[Release, Transcript]) -> None:
    release, transcript = honest
    rows = release.frame.with_columns(
        pl.when(pl.int_range(pl.len()) == 16).then(pl.lit("t" * 50)).otherwise("town").alias("town")
    ).with_columns(pl.when(pl.int_range(pl.len()) > 15).then(pl.lit(7)).otherwise("age").alias("age"))
    found = Replay.of_transcript(transcript, ORIGINAL).check(Microdata.from_frame(rows))
    assert not found.passed
    changed = int((rows["age"] != release.frame["age"]).sum()) + 1
    drawn = release.frame["age"][16]
    assert drawn != 7
    assert found.detail == (
        f"row 17, column 'age': '7' stands here, '{drawn}' was drawn ({changed} cells differ); "
        "the transcript agrees with itself: the table is another or was changed"
    )
    town = release.frame.with_columns(
        pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("t" * 50)).otherwise("town").alias("town")
    )
    reported = Replay.of_transcript(transcript, ORIGINAL).check(Microdata.from_frame(town)).detail
    assert reported.startswith(f"row 1, column 'town': '{'t' * 37}...' stands here, ")
    assert "(1 cell differs)" in reported


def test_rows_and_columns_in_another_order_are_another_table(honest: tuple[Release, Transcript]) -> None:
    release, transcript = honest
    replay = Replay.of_transcript(transcript, ORIGINAL)
    frame: pl.DataFrame = release.frame
    reordered = replay.check(Microdata.from_frame(frame[::-1]))
    assert not reordered.passed
    assert "cells differ); the same rows stand in another order" in reordered.detail
    assert reordered.hint.startswith("the same rows stand in another order: give the original")
    other = replay.check(Microdata.from_frame(frame[::-1].with_columns(town=frame["town"])))
    assert "another order" not in other.detail + other.hint
    assert (
        "900 rows stand here, 1998 were drawn" in replay.check(Microdata.from_frame(frame.head(900))).detail
    )
    swapped = frame.select("age", "id", "job", "town")
    assert replay.check(Microdata.from_frame(swapped)).detail.startswith("the columns, or their order")
    texts = frame.with_columns(pl.col("id", "age").cast(pl.String))
    assert replay.check(Microdata.from_frame(texts)).passed  # as in a CSV file


def test_a_transcript_of_something_else_is_refused(honest: tuple[Release, Transcript]) -> None:
    release, transcript = honest
    half = len(transcript.drawn) // 2
    for changed, message in (
        (replace(transcript, original="0" * 64), "not the original of the transcript"),
        (replace(transcript, drawn=transcript.drawn[:half]), "breaks off"),
        (replace(transcript, drawn=transcript.drawn + b"\0"), "1 bytes that are not drawn"),
    ):
        with pytest.raises(DataError, match=message):
            Replay.of_transcript(changed, ORIGINAL)
    with pytest.raises(DataError, match="names another published table"):
        Replay.of_transcript(replace(transcript, published="0" * 64), ORIGINAL).check(release.table)
    for other in (FRAME[::-1], FRAME.head(ROWS - 1), FRAME.with_columns(town=pl.col("job"))):
        with pytest.raises(DataError, match="cell by cell and row by row"):
            Replay.of_transcript(transcript, Microdata.from_frame(other))
    with pytest.raises(ParameterError, match="without a key"):
        Replay.of_transcript(transcript, ORIGINAL, KEY)


def test_a_changed_draw_changes_a_cell(honest: tuple[Release, Transcript]) -> None:
    release, transcript = honest
    drawn = bytearray(transcript.drawn)
    drawn[-4 * 1998] ^= 255  # a key of the shuffle: the same number of bytes, another order
    replay = Replay.of_transcript(replace(transcript, drawn=bytes(drawn)), ORIGINAL)
    found = replay.check(release.table)
    assert not found.passed
    assert found.detail.endswith("the transcript does not agree with itself: it was changed")


def test_the_commitment_binds_the_key() -> None:
    _, transcript = transcribed(GEN, ORIGINAL, "job", KeyedSource(KEY))
    with pytest.raises(DataError, match="not the one to which the transcript commits"):
        Replay.of_transcript(transcript, ORIGINAL, OTHER)
    forged = replace(transcript, drawn=OTHER.secret)
    with pytest.raises(DataError, match="not made of the secret key"):
        Replay.of_transcript(forged, ORIGINAL, KEY)


def test_the_claim_must_be_that_of_the_transcript(honest: tuple[Release, Transcript]) -> None:
    release, transcript = honest
    replay = Replay.of_transcript(transcript, ORIGINAL)
    for claimed in (
        SpluGenClaim(SpluGen(4).count_law, "mixed"),
        SpluGenClaim(SpluGen(3, "1/2").count_law, "mixed"),
        SpluGenClaim(GEN.count_law, "cyclic"),
    ):
        with pytest.raises(ParameterError, match="other parameters or columns than claimed"):
            _audited(replay, release.table, claimed)
    assert _audited(replay, release.table, SpluGenClaim(GEN.count_law)).verdict == "consistent"
    with pytest.raises(ParameterError, match="from the original that it is audited with"):
        audit_release(release.table, COLUMNS, SpluGenClaim(GEN.count_law), replay=replay)
    other = Original(Microdata.from_frame(FRAME), COLUMNS)
    with pytest.raises(ParameterError, match="from the original that it is audited with"):
        audit_release(release.table, COLUMNS, SpluGenClaim(GEN.count_law), original=other, replay=replay)


# The laws of what is drawn


def _replay(
    source: Randomness,
    mechanism: SpluGen = GEN,
    original: Microdata = ORIGINAL,
    columns: tuple[str, ...] = COLUMNS,
) -> Replay:
    """Return a release by a source that need not be sound."""
    watched = RecordedRandomness(source)
    release = mechanism.publish(original, columns, watched)
    return Replay(
        origin="transcript",
        mechanism=mechanism,
        original=original,
        release=release,
        randomness="system",
        columns=watched.columns,
    )


def test_evidence_is_one_on_average_in_contexts() -> None:
    """Whatever the contexts: here a place's, and the item before, which ends a sequence of random length."""
    law = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
    for contexts in (lambda items: np.arange(4) % 2, lambda items: np.append(0, items[:-1])):
        mean = 0.0
        for items in product(range(3), repeat=4):
            chance = float(np.prod([float(law[item]) for item in items]))
            mean += chance * 10 ** in_contexts(np.array(items), contexts(np.array(items)), law).log10
        assert mean == pytest.approx(1, abs=1e-9)


def _mean(name: str, original: Microdata, mechanism: SpluGen, *, shuffle: bool) -> Fraction:
    """Return the expectation of the evidence of a check over every outcome of a release."""

    def evidence(source: EnumerationSource) -> float:
        replay = _replay(source, mechanism, original, ("a",))
        return next(found for found in recorded_evidence(replay) if found.name == name).e_value.log10

    reported = outcomes(evidence, shuffle=shuffle)
    return sum((chance * Fraction(10**log10) for log10, chance in reported), Fraction(0))


def test_the_evidence_of_every_outcome_is_one_on_average() -> None:
    four = Microdata.from_frame(pl.DataFrame({"a": list("xxyz"), "b": list("wwvv")}))
    three = Microdata.from_frame(pl.DataFrame({"a": list("xyz"), "b": list("www")}))
    draws = _mean("draws", four, SpluGen(2, Fraction(1, 3), "anatomy"), shuffle=False)
    assert 1 - 1e-6 < draws <= 1
    orders = _mean("orders", three, SpluGen(2, plan="cyclic"), shuffle=True)
    assert 1 - 1e-6 < orders <= 1
    two = Microdata.from_frame(pl.DataFrame({"a": list("xy"), "b": list("wv")}))
    for law in ("capped:1", "all-or-none:1"):
        groups = _mean("draws", two, SpluGen(2, plan="cyclic", draws=law), shuffle=False)
        assert 1 - 1e-6 < groups <= 1


class _Faulty(SeededSource):
    """A stream whose draws of step 3 are made by a fault."""

    def __init__(self, fault: Callable[[IntArray], IntArray]) -> None:
        super().__init__(8)
        self._fault = fault

    def below(self, bound: int, size: int) -> IntArray:
        drawn = super().below(bound, size)
        return self._fault(drawn) if (bound, size) == (3, ROWS - 2) else drawn


def _failed(replay: Replay) -> list[tuple[str, str | None]]:
    return [(found.name, found.column) for found in recorded_evidence(replay) if found.e_value.rejects(LEVEL)]


def _one_value(drawn: IntArray) -> IntArray:
    """Publish the true value of every young record."""
    return np.where(np.arange(len(drawn)) * 7 % 50 < 5, 0, drawn)


@pytest.mark.parametrize(
    "fault",
    [
        lambda drawn: drawn * 0,
        lambda drawn: np.arange(len(drawn)) % 3,
        np.sort,
        lambda drawn: np.where(np.arange(len(drawn)) < 200, 0, drawn),
        lambda drawn: np.where(drawn == 2, 1, drawn),
        lambda drawn: np.repeat(drawn, 2)[: len(drawn)],
        lambda drawn: np.where(np.arange(len(drawn)) % 13 == 0, 0, drawn),
        _one_value,
    ],
    ids=["kept", "counter", "sorted", "first rows", "two of three", "twice", "every 13th", "young"],
)
def test_draws_that_are_not_drawn_are_found(fault: Callable[[IntArray], IntArray]) -> None:
    assert ("draws", "job") in _failed(_replay(_Faulty(fault)))


CAPPED = SpluGen(3, draws="capped:50")


@pytest.mark.parametrize("mechanism", [CAPPED, SpluGen(3, draws="all-or-none:230")])
def test_groups_that_draw_are_made_again(mechanism: SpluGen) -> None:
    for source, id_column in ((SeededSource(4), None), (KeyedSource(KEY), "id")):
        release, transcript = transcribed(mechanism, ORIGINAL, COLUMNS, source, id_column=id_column)
        replay = Replay.of_transcript(transcript, ORIGINAL)
        assert replay.check(release.table).passed
        assert not _failed(replay)
    assert Replay.of_key(KEY, ORIGINAL, mechanism, COLUMNS, "id").check(release.table).passed
    assert not Replay.of_key(KEY, ORIGINAL, GEN, COLUMNS, "id").check(release.table).passed


@pytest.mark.parametrize(
    "fault",
    [
        lambda drawn: drawn * 0,
        lambda drawn: np.arange(len(drawn)) % 3,
        np.sort,
        lambda drawn: np.where(drawn == 2, 1, drawn),
        lambda drawn: np.repeat(drawn, 2)[: len(drawn)],
    ],
    ids=["first", "counter", "sorted", "two of three", "twice"],
)
def test_groups_that_do_not_draw_are_found(fault: Callable[[IntArray], IntArray]) -> None:
    assert ("draws", "job") in _failed(_replay(_Faulty(fault), CAPPED))


def test_one_draw_for_two_columns_is_found() -> None:
    drawn: list[IntArray] = []

    def shared(values: IntArray) -> IntArray:
        drawn.append(values)
        return drawn[0]

    failed = [
        found.column for found in recorded_evidence(_replay(_Faulty(shared))) if found.e_value.rejects(LEVEL)
    ]
    assert set(failed) >= {"job", "town"}


class _Unshuffled(SeededSource):
    def __init__(self, order: Callable[[IntArray, IntArray], IntArray]) -> None:
        super().__init__(8)
        self._order = order
        self._drawn = np.array([0])

    def below(self, bound: int, size: int) -> IntArray:
        drawn = super().below(bound, size)
        if bound == 3:
            self._drawn = drawn
        return drawn

    def permutation(self, size: int) -> IntArray:
        return self._order(super().permutation(size), self._drawn)


@pytest.mark.parametrize(
    "order",
    [
        lambda rows, drawn: np.sort(rows),
        lambda rows, drawn: np.roll(np.sort(rows), 400),
        lambda rows, drawn: rows[np.argsort(drawn[rows], kind="stable")],
        lambda rows, drawn: np.argsort(FRAME["town"].to_numpy()[: len(rows)], kind="stable"),
    ],
    ids=["file", "rotated", "kept first", "by value"],
)
def test_rows_that_are_not_shuffled_are_found(order: Callable[[IntArray, IntArray], IntArray]) -> None:
    failed = [
        found.name for found in recorded_evidence(_replay(_Unshuffled(order))) if found.e_value.rejects(LEVEL)
    ]
    assert "orders" in failed


class _InFileOrder(SeededSource):
    def order_within(self, codes: IntArray) -> IntArray:
        return np.argsort(codes, kind="stable")


def test_places_in_the_order_of_the_file_are_found() -> None:
    failed = [
        found.name for found in recorded_evidence(_replay(_InFileOrder(1))) if found.e_value.rejects(LEVEL)
    ]
    assert failed == ["orders"]


class _Bytes(ByteSource):
    """A stream of bytes made by a rule from their places."""

    name = "system"

    def __init__(self, rule: Callable[[IntArray, bytes], IntArray]) -> None:
        self._rule = rule
        self._place = 0
        self._stream = SeededSource(3)

    def read(self, count: int) -> bytes:
        places = np.arange(self._place, self._place + count)
        self._place += count
        return (self._rule(places, self._stream.read(count)) & 255).astype(np.uint8).tobytes()


def _noise(data: bytes) -> IntArray:
    return np.frombuffer(data, np.uint8).astype(np.int64)


@pytest.mark.parametrize(
    "rule",
    [
        lambda places, data: places,
        lambda places, data: np.where(places % 4 == 0, 0, _noise(data)),
        lambda places, data: _noise(data) & 127,
        lambda places, data: (_noise(data) & 15) * 17,
        lambda places, data: places % 251 * 131 + (_noise(data) & 1),
        lambda places, data: np.repeat(_noise(data), 2)[: len(data)],
    ],
    ids=["counter", "short keys", "seven bits", "equal halves", "a walk", "twice"],
)
def test_bytes_that_are_not_uniform_are_found(rule: Callable[[IntArray, bytes], IntArray]) -> None:
    release, transcript = transcribed(GEN, ORIGINAL, COLUMNS, _Bytes(rule))
    found = _audited(Replay.of_transcript(transcript, ORIGINAL), release.table)
    assert "bytes" in {check.name for check in found.checks if not check.passed}


def test_long_tapes_are_counted_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    from splu_ref.audit.releases import recorded_draws  # noqa: PLC0415 - its constant is changed

    tape = SeededSource(2).read(1000)
    whole = recorded_draws._byte_counts(tape)
    monkeypatch.setattr(recorded_draws, "_PART", 64)
    for one, other in zip(whole, recorded_draws._byte_counts(tape), strict=True):
        assert np.array_equal(one, other)
    assert whole[1].sum() == 999
    assert whole[0][3][tape[3]] >= 1


@pytest.mark.parametrize("mechanism", [SpluGen(20), SpluGen(3, "999/1000"), SpluGen(2, "1/7", "cyclic")])
def test_other_parameters(mechanism: SpluGen) -> None:
    frame = pl.DataFrame({"v": [f"v{row % 30}" for row in range(3003)]})
    original = Microdata.from_frame(frame)
    recording = RecordingSource(SeededSource(6))
    release = mechanism.publish(original, "v", recording)
    release, transcript = transcribed(mechanism, original, "v", TapeSource(recording.recorded))
    found = _audited(Replay.of_transcript(transcript, original), release.table)
    assert found.verdict == "consistent"
