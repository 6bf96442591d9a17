"""Attacks on releases that somebody else made, against every outcome of the shipped code, and duplicates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from splu_ref.audit.attacks.duplicate import duplicates, duplicates_in, reading_named
from splu_ref.audit.attacks.outcome import LEVEL, point_tested
from splu_ref.audit.attacks.release_attack import AttackedRelease, attack_release, presence_in
from splu_ref.audit.attacks.view import Score, best_guess, eliminated
from splu_ref.audit.e_values import counts_point
from splu_ref.channels.parameters import DataError, ParameterError
from splu_ref.data import Microdata
from splu_ref.mechanisms import (
    AlphaBeta,
    Anatomy,
    DistributionBased,
    PublishedTable,
    RecordMechanism,
    RetentionReplacement,
    SpluGen,
    Swapping,
)
from splu_ref.randomness import Draws, SeededSource, outcomes

ABC = {"v": ("a", "b", "c")}
FRAME = pl.DataFrame({"id": ["1", "2", "3", "3"], "v": ["a", "a", "b", "a"]})
"""The last two records are alike but for the value, so that their rows show nothing of it."""
LAW = {"v": {"a": "1/2", "b": "1/2", "c": "0"}}
MECHANISMS: list[RecordMechanism] = [
    RetentionReplacement("1/2", ABC),
    RetentionReplacement("1/3", ABC, replacing=LAW),
    RetentionReplacement("1/2", {"v": ("a", "b")}, replacing="identity"),
    DistributionBased(),
    Swapping("1/3"),
]


def _releases(mechanism: RecordMechanism, frame: pl.DataFrame) -> Iterator[tuple[PublishedTable, Fraction]]:
    """Yield every release that the mechanism's draws lead to, in the original order, and its probability."""
    table = mechanism.declared(Microdata.from_frame(frame))
    domain = tuple(map(str, table.domain("v")))

    def run(draws: Draws) -> tuple[int, ...]:
        done = mechanism.aligned({"v": domain}).publish_columns(
            {"v": table.codes("v")}, {"v": len(domain)}, lambda _: draws
        )
        return tuple(done.published["v"][np.argsort(done.rows)].tolist())

    law: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for codes, chance in outcomes(run):
        law[codes] += chance
    for codes, chance in law.items():
        published = frame.with_columns(pl.Series("v", [domain[code] for code in codes]))
        yield (
            PublishedTable(table=Microdata.from_frame(published), mechanism=mechanism, domains={"v": domain}),
            chance,
        )


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda each: f"{each.name} {each.facts()}"[:50])
def test_what_is_predicted_is_the_mean_over_every_release(mechanism: RecordMechanism) -> None:
    original, releases = Microdata.from_frame(FRAME), list(_releases(mechanism, FRAME))
    scores: tuple[Score, ...] = (best_guess, eliminated(1))
    for score in scores:
        mean, predicted = Fraction(0), set()
        for release, chance in releases:
            found = attack_release("attack", AttackedRelease(release, "v", original), score, "says")
            assert found.success is not None
            assert found.attacked == 2  # of four rows
            mean += chance * found.success
            predicted.add(found.predicted)
        assert predicted == {mean}


@pytest.mark.parametrize("plan", ["cyclic", "anatomy"])
def test_the_shown_value_is_the_best_guess_whatever_the_plan(plan: str) -> None:
    mechanism, original = SpluGen(2, "2/3", plan), Microdata.from_frame(FRAME[[0, 2, 3, 2]])
    frame = FRAME[[0, 2, 3, 2]]  # a b a b, the last three with one identity
    mean = Fraction(0)
    for release, chance in _releases(mechanism, frame):
        found = attack_release("homogeneity", AttackedRelease(release, "v", original), best_guess, "says")
        assert (found.predicted, found.baseline, found.attacked) == (Fraction(2, 3), Fraction(1, 2), 1)
        assert found.success is not None
        mean += chance * found.success
    assert mean == Fraction(2, 3)
    alone = attack_release("homogeneity", AttackedRelease(release, "v"), best_guess, "says")
    assert (alone.success, alone.predicted, alone.believed) == (None, Fraction(2, 3), Fraction(2, 3))
    with pytest.raises(ParameterError, match="the decoy plan, which is secret"):
        attack_release("elimination", AttackedRelease(release, "v", original), eliminated(1), "says")
    low = PublishedTable(table=release.table, mechanism=SpluGen(2, "1/3"), domains=release.domains)
    with pytest.raises(ParameterError, match="the decoy plan, which is secret"):
        attack_release("homogeneity", AttackedRelease(low, "v"), best_guess, "says")


def _published(values: str, mechanism: RecordMechanism, domain: str = "abc") -> PublishedTable:
    frame = pl.DataFrame({"id": [str(row) for row in range(len(values))], "v": list(values)})
    return PublishedTable(
        table=Microdata.from_frame(frame), mechanism=mechanism, domains={"v": tuple(domain)}
    )


def test_without_the_original_the_attacker_takes_estimates_for_true_counts() -> None:
    # p = 1/2: 6, 3, 3 shown of 12 are 8, 2, 2; who shows a has it with 8 (4/6) of 8 (4/6) + 4 (1/6)
    release = _published("a" * 6 + "b" * 3 + "c" * 3, RetentionReplacement("1/2", ABC))
    found = attack_release("homogeneity", AttackedRelease(release, "v"), best_guess, "says")
    assert (found.success, found.predicted, found.e_value, found.attacked) == (None, None, None, 12)
    shown = {"a": max(8 * 4, 2), "b": max(8, 2 * 4), "c": max(8, 2 * 4)}
    assert found.believed == Fraction(sum(shown.values()), 6 * 12)
    assert found.baseline == Fraction(8, 12)
    # an estimate below 0 is 0: of 12 all a, and of the others none
    release = _published("a" * 12, RetentionReplacement("1/2", ABC))
    assert attack_release("homogeneity", AttackedRelease(release, "v"), best_guess, "says").believed == 1
    # what is replaced from a histogram, or swapped, has the histogram that is published
    for mechanism in (DistributionBased(), Swapping("1/3")):
        view = AttackedRelease(_published("aab", mechanism, "ab"), "v").view
        assert view.counts == {0: 2, 1: 1}


def test_a_release_that_is_not_protected_contradicts_the_prediction() -> None:
    values = "abc" * 40
    for mechanism in (SpluGen(3), RetentionReplacement("1/5", ABC), Swapping("1/5")):
        release = _published(values * (1 if mechanism.name != "swapping" else 4), mechanism)
        found = attack_release(
            "homogeneity", AttackedRelease(release, "v", release.table), best_guess, "says"
        )
        assert found.success == 1
        assert found.contradicted
        assert found.detectable is not None
        assert found.detectable < Fraction(4, 5)


def test_a_value_that_cannot_be_shown_is_infinite_evidence() -> None:
    never = RetentionReplacement("1/5", ABC, replacing=LAW)
    original = _published("aabb", never).table
    found = attack_release("h", AttackedRelease(_published("aabc", never), "v", original), best_guess, "says")
    assert found.contradicted
    assert found.e_value is not None
    assert found.e_value.decimal == "inf"


def test_what_a_value_that_is_shown_proves() -> None:
    mechanism, original = SpluGen(2, None, "anatomy"), _published("aabb", SpluGen(2)).table
    shown, hidden = _published("abab", mechanism, "ab"), _published("aaaa", mechanism, "ab")
    proved = presence_in(AttackedRelease(shown, "v", original), "b")
    assert proved.success == proved.largest == 1
    assert proved.predicted == Fraction(15, 16)
    assert "so some record has it:" in proved.measure
    assert presence_in(AttackedRelease(shown, "v"), "b").success is None
    nothing = presence_in(AttackedRelease(hidden, "v", original), "b")
    assert nothing.success == 0
    assert nothing.largest is None
    assert "not published" in nothing.measure
    declared = presence_in(AttackedRelease(_published("aabb", RetentionReplacement("1/2", ABC)), "v"), "b")
    assert declared.largest is None
    assert "proves nothing: values without records" in declared.measure
    with pytest.raises(ParameterError, match="has no value 'x'"):
        presence_in(AttackedRelease(shown, "v"), "x")
    with pytest.raises(ParameterError, match="no record of the original has the value"):
        presence_in(AttackedRelease(_published("aabb", DistributionBased()), "v", original), "c")


def test_what_cannot_be_attacked_is_refused() -> None:
    release = _published("aabb", RetentionReplacement("1/2", ABC))
    with pytest.raises(ParameterError, match="column 'id' is not sensitive in the release"):
        AttackedRelease(release, "id")
    anatomy = PublishedTable(table=release.table, mechanism=Anatomy(2), domains=release.domains)
    with pytest.raises(ParameterError, match="has no value for a record: attack the table,"):
        AttackedRelease(anatomy, "v")
    for frame, message in (
        (pl.DataFrame({"id": ["0", "1"], "v": ["a", "b"]}), "has 4 rows, and the original 2"),
        (pl.DataFrame({"id": list("0123"), "v": list("aabx")}), "the original has the value 'x'"),
        (pl.DataFrame({"no": list("0123"), "v": list("aabb")}), "one of the tables has no column 'id'"),
        (
            pl.DataFrame({"id": list("4567"), "v": list("aabb")}),
            "no published row can be linked to the original",
        ),
    ):
        with pytest.raises(DataError, match=message):
            attack_release(
                "h", AttackedRelease(release, "v", Microdata.from_frame(frame)), best_guess, "says"
            )


# ---- duplicates -------------------------------------------------------------------------------------

TUPLES = AlphaBeta("1/2", "1/4", {"x": ("0", "2"), "y": ("0", "1")})
GENUINE = pl.DataFrame({"x": ["0", "2", "2"], "y": ["1", "0", "0"]})


@pytest.mark.parametrize(("reading", "wanted"), [("set", Fraction(0)), ("bag", Fraction(3, 16))])
def test_a_share_of_the_table_stands_twice_on_average(reading: str, wanted: Fraction) -> None:
    table, mean = Microdata.from_frame(GENUINE), Fraction(0)
    for found, chance in outcomes(lambda draws: duplicates(TUPLES, table, reading_named(reading), draws)):
        assert found.success is not None
        assert (found.predicted, found.attacked) == (wanted, 2)
        mean += chance * found.success
    assert mean == wanted
    with pytest.raises(ParameterError, match="--reading heap: choose set or bag"):
        reading_named("heap")


def _bag(rows: list[tuple[str, str]]) -> PublishedTable:
    table = Microdata.from_frame(pl.DataFrame(rows, schema=["x", "y"], orient="row"))
    return PublishedTable(table=table, mechanism=TUPLES, domains=dict(TUPLES.domains))


def test_duplicates_of_a_release_are_genuine_or_contradict_what_is_said_of_it() -> None:
    release, original = _bag([("0", "1"), ("2", "1"), ("0", "1")]), Microdata.from_frame(GENUINE)
    reported = duplicates_in(release, "bag", original)
    assert [reported.success, reported.predicted, reported.largest] == [Fraction(1, 2), Fraction(3, 16), 1]
    assert not reported.contradicted
    as_set = duplicates_in(release, "set", original)
    assert [as_set.success, as_set.predicted, as_set.contradicted] == [Fraction(1, 2), 0, True]
    alone = duplicates_in(release, "bag")
    assert [alone.success, alone.attacked, alone.largest, alone.contradicted] == [None, 1, 1, False]
    assert "each is certainly genuine" in alone.measure
    odd = duplicates_in(release, "set")
    assert odd.contradicted
    assert "the release is not by this reading" in odd.measure
    none = duplicates_in(_bag([("0", "1"), ("2", "1")]), "bag")
    assert (none.attacked, none.largest) == (0, None)
    assert "the attack exposes none" in none.measure
    with pytest.raises(ParameterError, match="1 tuples occur twice and are not in the original"):
        duplicates_in(_bag([("2", "1"), ("2", "1")]), "bag", original)
    with pytest.raises(ParameterError, match="publishes no set of tuples"):
        duplicates_in(_published("ab", DistributionBased(), "ab"), "set")


@pytest.mark.parametrize("trials", [1, 30, 120])
def test_the_least_contradiction_of_a_count(trials: int) -> None:
    for rate in (Fraction(1, 2), Fraction(1, 40), Fraction(9, 10)):
        odd = [
            abs(Fraction(found, trials) - rate)
            for found in range(trials + 1)
            if counts_point(trials, found, rate).rejects(LEVEL)
        ]
        assert point_tested(0, trials, rate)[1] == min(odd, default=None)
    assert point_tested(trials, trials, Fraction(1)) == (None, None)
    e_value, detectable = point_tested(1, trials, Fraction(0))
    assert e_value is not None
    assert (e_value.decimal, detectable) == ("inf", Fraction(1, trials))
    assert point_tested(0, 0, Fraction(1, 2)) == (None, None)


def test_a_seeded_bag_of_many_tuples_agrees() -> None:
    mechanism = AlphaBeta("5/8", "1/6", {"x": [str(each) for each in range(600)], "y": ("0", "1")})
    frame = pl.DataFrame({"x": [str(each) for each in range(600)], "y": ["0"] * 600})
    found = duplicates(mechanism, Microdata.from_frame(frame), "bag", SeededSource(3))
    assert found.predicted == Fraction(19, 144)
    assert not found.contradicted
    assert found.detectable is not None
    assert 0 < found.detectable < Fraction(1, 10)
