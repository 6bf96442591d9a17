"""Dependent draws: marked slots, source slots, and releases with them."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from math import comb

import numpy as np
import polars as pl
import pytest

from splu_ref.channels import GroupDraws
from splu_ref.channels.parameters import DataError, Gamma, ParameterError
from splu_ref.data import Microdata
from splu_ref.mechanisms import MECHANISMS, SpluGen, append, mixed, transcribed
from splu_ref.mechanisms import group_draws as dependent_draws
from splu_ref.mechanisms.group_draws import Marks, draw_source_slots, marked_slots, slot_kinds
from splu_ref.mechanisms.manifest import parse_manifest
from splu_ref.randomness import (
    Draws,
    IntArray,
    Key,
    KeyedRecords,
    KeyedSource,
    RecordingSource,
    SeededSource,
    TapeSource,
    UniformSource,
    outcomes,
)

ONE, TWO = GroupDraws("capped", 1), GroupDraws("capped", 2)
GROUPS = np.array([[0, 1], [0, 2], [0, 1]])
FRAME = pl.DataFrame({"n": list(range(14)), "job": list("aaaaabbbccddee")})
SLOT_1 = np.array([[False, True, False]])


def test_the_first_groups_of_each_value_in_a_uniform_order_are_marked() -> None:
    law: dict[tuple[tuple[bool, ...], ...], Fraction] = defaultdict(Fraction)
    for (marked,), chance in outcomes(lambda source: marked_slots([GROUPS], ONE, source)):
        law[tuple(map(tuple, marked.tolist()))] += chance
    # The first group of value 0 is any of three; that of value 1 is before or after the other.
    assert law == {
        ((True, True), (False, True), (False, False)): Fraction(1, 3),
        ((False, True), (True, True), (False, False)): Fraction(1, 6),
        ((False, False), (True, True), (False, True)): Fraction(1, 6),
        ((False, False), (False, True), (True, True)): Fraction(1, 3),
    }


def test_a_value_has_as_many_marked_slots_as_the_bound_says_in_all_blocks() -> None:
    histogram = np.array([9, 1, 6, 2, 5, 7])
    plan = mixed(histogram, Gamma(3), SeededSource(1), most=4)
    assert len(plan.blocks()) == 3
    for bound in (1, 2, 6, 9, 50):
        marked = marked_slots(plan.blocks(), GroupDraws("capped", bound), SeededSource(bound))
        assert [each.shape for each in marked] == [each.shape for each in plan.blocks()]
        found = np.bincount(plan.groups()[np.concatenate(marked)], minlength=6)
        assert found.tolist() == np.minimum(histogram, bound).tolist()
        rare = marked_slots(plan.blocks(), GroupDraws("all-or-none", bound), TapeSource(b""))
        assert (np.concatenate(rare) == (histogram <= bound)[plan.groups()]).all()


@pytest.mark.parametrize(
    ("marked", "draws", "expected"),
    [
        # Both are drawn as ever: two places among two slots.
        ((True, True), ONE, {(0, 0): 1, (0, 1): 1, (1, 0): 1, (1, 1): 1}),
        # The other slot has what is left.
        ((True, False), ONE, {(0, 0): 1, (0, 1): 1, (1, 0): 1, (1, 1): 1}),
        ((False, False), ONE, {(0, 1): 2, (1, 0): 2}),
        ((False, False), GroupDraws("all-or-none", 1), {(0, 1): 2, (1, 0): 2}),
        ((True, False), GroupDraws("all-or-none", 1), {(0, 0): 2, (1, 1): 2}),
        ((True, True), GroupDraws("all-or-none", 1), {(0, 0): 2, (1, 1): 2}),
    ],
)
def test_the_law_of_a_group_of_two(
    marked: tuple[bool, ...], draws: GroupDraws, expected: dict[tuple[int, ...], int]
) -> None:
    law: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for slots, chance in outcomes(lambda source: draw_source_slots(np.array([marked]), draws, source)):
        law[tuple(slots.tolist())] += chance
    assert law == {slots: Fraction(share, 4) for slots, share in expected.items()}


def test_the_remainder_and_the_deal_are_uniform_in_a_group_of_three() -> None:
    law: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    marked = np.array([[True, False, False]])
    for array, chance in outcomes(lambda source: draw_source_slots(marked, ONE, source)):
        law[tuple(array.tolist())] += chance
    times = defaultdict[tuple[int, ...], Fraction](Fraction)
    for slots, chance in law.items():
        counted = Counter(slots)
        times[counted[0], counted[1], counted[2]] += chance
        assert {law[order] for order in law if sorted(order) == sorted(slots)} == {chance}
    # Slot 0 has Bin(3, 1/3) places; the others share the rest, and one of them has the odd place.
    by_hand = {(k, *rest): Fraction(comb(3, k) * 2 ** (3 - k), 27 * ways) for k, rest, ways in (
        (0, (1, 2), 2), (0, (2, 1), 2), (1, (1, 1), 1), (2, (0, 1), 2), (2, (1, 0), 2), (3, (0, 0), 1)
    )}  # fmt: skip
    assert times == by_hand


def test_a_tape_gives_these_draws() -> None:
    # gamma = 3, one group, slot 1 is marked. Places 1, 1, 0: it keeps two of the three. Keys 5, 9, 2: slots 2
    # and 0 share, in this order, so the one place left goes to slot 2. Keys 3, 1, 2: member 1 takes the first
    # value, then members 2 and 0.
    keys = b"".join(key.to_bytes(4, "big") for key in (5, 9, 2, 3, 1, 2))
    tape = TapeSource(bytes([1, 3, 1, 0]) + keys)
    slots = draw_source_slots(SLOT_1, ONE, tape)
    assert slots.tolist() == [2, 1, 1]
    assert tape.consumed == 28
    tape = TapeSource(bytes([1]) + keys)
    assert draw_source_slots(SLOT_1, GroupDraws("all-or-none", 4), tape).tolist() == [1] * 3
    tape = TapeSource(bytes([2]) + keys)
    assert draw_source_slots(SLOT_1, GroupDraws("all-or-none", 4), tape).tolist() == [
        2,
        0,
        2,
    ]


def test_kinds_of_slots_by_hand() -> None:
    marked = np.array([[True, True], [False, True], [False, False]])
    assert slot_kinds([GROUPS[:1], GROUPS[1:]], [marked[:1], marked[1:]]) == {
        0: {(True, 2): 1, (False, 1): 1, (False, 0): 1},
        1: {(True, 2): 1, (False, 0): 1},
        2: {(True, 1): 1},
    }


def _published(mechanism: SpluGen, codes: IntArray, source: Draws) -> tuple[int, ...]:
    done = mechanism.publish_codes(codes, 3, source)
    return tuple(done.published[np.argsort(done.rows)].tolist())


@pytest.mark.parametrize("draws", ["capped:1", "capped:2", "all-or-none:1"])
def test_every_record_keeps_its_value_with_one_over_gamma(draws: str) -> None:
    codes = np.array([0, 0, 1, 2])
    law: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    run = partial(_published, SpluGen(2, plan="anatomy", draws=draws), codes)
    for published, chance in outcomes(run):
        law[published] += chance
    for record, code in enumerate(codes.tolist()):
        kept = sum(chance for published, chance in law.items() if published[record] == code)
        assert kept == Fraction(1, 2)
    counts = defaultdict[int, Fraction](Fraction)
    for published, chance in law.items():
        counts[published.count(0)] += chance
    quarter = Fraction(1, 4)
    assert (
        counts
        == {  # Bin(4, 1/2); one free group and the rest of one; twice Bin(2, 1/2)
            "capped:2": {0: quarter / 4, 1: quarter, 2: Fraction(3, 8), 3: quarter, 4: quarter / 4},
            "capped:1": {0: quarter / 4, 1: quarter, 2: Fraction(3, 8), 3: quarter, 4: quarter / 4},
            "all-or-none:1": {0: quarter, 2: 2 * quarter, 4: quarter},
        }[draws]
    )


def test_large_counts_have_no_noise_where_nothing_is_marked_beside_them() -> None:
    codes = np.repeat(np.arange(4), 500)
    for seed in range(3):
        done = SpluGen(4, plan="cyclic", draws="capped:1").publish_codes(codes, 4, SeededSource(seed))
        assert np.abs(np.bincount(done.published) - 500).max() <= 12  # at most 4 groups of 500 are noisy
        exact = SpluGen(4, plan="cyclic", draws="all-or-none:499").publish_codes(codes, 4, SeededSource(seed))
        assert np.bincount(exact.published).tolist() == [500] * 4


def test_the_law_is_read_and_tested_against_the_retention() -> None:
    assert SpluGen(5, draws="independent") == SpluGen(5)
    assert SpluGen(5, "1/5", draws="capped:7").draws == GroupDraws("capped", 7)
    assert SpluGen(5, draws=TWO).facts() == {
        "gamma": 5, "retention": "1/5", "plan": "mixed", "draws": "capped:2",
    }  # fmt: skip
    assert "draws" not in SpluGen(5).facts()
    with pytest.raises(ParameterError, match="draws capped:2 go with retention 1/gamma alone, not 1/4"):
        SpluGen(5, "1/4", draws=TWO)
    for wrong in ("capped", "capped:0", "none", "all-or-none:x"):
        with pytest.raises(ParameterError, match="draws"):
            SpluGen(5, draws=wrong)
    with pytest.raises(ParameterError, match="this is for independent draws: under draws capped:2 counts"):
        SpluGen(5, draws=TWO).count_law  # noqa: B018


def test_a_manifest_states_the_draws_and_is_read_again() -> None:
    release = SpluGen(2, draws="all-or-none:3").publish(Microdata.from_frame(FRAME), "job", SeededSource(1))
    written = release.manifest.to_json()
    assert b'"draws": "all-or-none:3"' in written
    assert parse_manifest(written, "m", MECHANISMS).mechanism == release.mechanism
    assert b"draws" not in SpluGen(2).publish(Microdata.from_frame(FRAME), "job").manifest.to_json()
    for law in (b"all-or-none", b"capped:-1", b"other:3"):
        with pytest.raises(DataError, match=r"m: .*draws"):
            parse_manifest(written.replace(b"all-or-none:3", law), "m", MECHANISMS)


def test_under_a_key_a_release_repeats_itself_and_each_law_has_draws_of_its_own() -> None:
    key, table = KeyedSource(Key(hashlib.sha256(b"one").digest())), Microdata.from_frame(FRAME)
    turned = Microdata.from_frame(FRAME.reverse())
    seen = set()
    for draws in ("independent", "capped:1", "capped:2", "capped:3", "all-or-none:2"):
        mechanism = SpluGen(2, draws=draws)
        release = mechanism.publish(table, "job", key, id_column="n").frame
        assert mechanism.publish(turned, "job", key, id_column="n").frame.equals(release)
        seen.add((tuple(release["n"]), tuple(release["job"])))
    assert len(seen) == 5


def test_kinds_under_a_key_are_those_of_the_release(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = np.repeat(np.arange(5), (40, 30, 20, 5, 5))
    source = KeyedRecords(Key(hashlib.sha256(b"two").digest()), "job", [b"%d" % row for row in range(100)])
    mechanism = SpluGen(2, draws="capped:3")
    kinds = mechanism.slot_kinds(np.bincount(codes), source)
    marked = {value: sum(n for (own, _), n in each.items() if own) for value, each in kinds.items()}
    assert marked == dict.fromkeys(range(5), 3)
    seen: list[object] = []

    def noted(blocks: Sequence[IntArray], draws: GroupDraws, stream: UniformSource) -> tuple[Marks, ...]:
        marks = marked_slots(blocks, draws, stream)
        seen.append(slot_kinds(blocks, marks))
        return marks

    monkeypatch.setattr(dependent_draws, "marked_slots", noted)
    mechanism.publish_codes(codes, 5, source)
    assert seen == [kinds]


def test_a_tape_and_a_transcript_replay_a_release() -> None:
    mechanism = SpluGen(2, draws="capped:2")
    codes = np.array([0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5, 0, 1, 0])
    recorder = RecordingSource(SeededSource(7))
    first = mechanism.publish_codes(codes, 6, recorder)
    tape = TapeSource(recorder.recorded)
    second = mechanism.publish_codes(codes, 6, tape)
    assert (first.published == second.published).all()
    assert tape.consumed == len(recorder.recorded)
    release, record = transcribed(mechanism, Microdata.from_frame(FRAME), "job", SeededSource(2))
    again = record.mechanism.publish(Microdata.from_frame(FRAME), "job", record.source())
    assert again.frame.equals(release.frame)


def test_a_batch_draws_by_itself() -> None:
    mechanism = SpluGen(2, draws="capped:1")
    earlier = mechanism.publish(Microdata.from_frame(FRAME), "job", SeededSource(1))
    joined = append(earlier, Microdata.from_frame(FRAME), SeededSource(2))
    assert joined.mechanism == mechanism
    assert joined.table.row_count == 28
