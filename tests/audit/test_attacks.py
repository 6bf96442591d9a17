"""Predictions of attacks against every outcome of the shipped code, and what is measured against them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product
from math import comb

import numpy as np
import polars as pl
import pytest

from splu_ref.audit.attacks.corruption import conditional_weights, corruption
from splu_ref.audit.attacks.outcome import AttackOutcome
from splu_ref.audit.attacks.presence import (
    pair_weights,
    presence,
    proof_of_presence,
    shared_value,
    shown_laws,
)
from splu_ref.audit.attacks.table_attack import Victims, attack_table
from splu_ref.audit.attacks.view import Score, View, best_guess, eliminated
from splu_ref.audit.e_values import sum_of_bounded
from splu_ref.audit.enumeration import codes_of
from splu_ref.channels.parameters import DataError, ParameterError
from splu_ref.data import Microdata, embedded_table
from splu_ref.mechanisms import Anatomy, DistributionBased, RetentionReplacement, SpluGen, Swapping
from splu_ref.randomness import Draws, SeededSource, SystemSource, outcomes
from tests.rounding import near

AB = {"v": ("a", "b", "c")}
MECHANISMS = [
    (SpluGen(2, None, "anatomy"), (2, 1, 1)),
    (SpluGen(2, "2/3", "anatomy"), (2, 2)),
    (SpluGen(3, None, "cyclic"), (1, 1, 1)),
    (SpluGen(2, None, "anatomy", "capped:1"), (2, 1, 1)),
    (SpluGen(2, None, "anatomy", "all-or-none:1"), (2, 1, 1)),
    (Anatomy(2), (2, 1, 1)),
    (DistributionBased(), (2, 1)),
    (RetentionReplacement("1/2", AB), (2, 1, 0)),
    (RetentionReplacement("1/2", AB, replacing="identity"), (2, 1, 0)),
    (Swapping("1/3"), (2, 1, 1)),
]
"""With a histogram of each."""
SCORES: list[Score] = [best_guess, eliminated(0), eliminated(1)]


def _table(histogram: tuple[int, ...]) -> Microdata:
    values = [("a", "b", "c", "d", "e")[code] for code in codes_of(histogram).tolist()]
    return Microdata.from_frame(pl.DataFrame({"v": values}))


def _victims(mechanism: object, histogram: tuple[int, ...], seed: int = 1, releases: int = 1) -> Victims:
    table = _table(histogram)
    if isinstance(mechanism, RetentionReplacement):
        table = mechanism.declared(table)
    assert isinstance(mechanism, SpluGen | Anatomy | DistributionBased | RetentionReplacement | Swapping)
    return Victims(table, ("v",), "v", mechanism, SeededSource(seed), releases)


def _shown(mechanism: object, histogram: tuple[int, ...]) -> Iterator[tuple[list[object], Fraction]]:
    """Yield what every record shows, for each outcome of the mechanism's choices, with its probability."""
    codes = codes_of(histogram)

    def run(draws: Draws) -> list[object]:
        labels: list[object] = [None] * len(codes)
        if isinstance(mechanism, Anatomy):
            tables = mechanism.publish_codes(codes, len(histogram), draws)
            for row, values in zip(tables.rows.tolist(), tables.published.tolist(), strict=True):
                labels[row] = tuple(values)
            return labels
        assert isinstance(mechanism, SpluGen | DistributionBased | RetentionReplacement | Swapping)
        done = mechanism.publish_columns({"v": codes}, {"v": len(histogram)}, lambda _: draws)
        for row, code in zip(done.rows.tolist(), done.published["v"].tolist(), strict=True):
            labels[row] = code
        return labels

    yield from outcomes(run)


@pytest.mark.parametrize(("mechanism", "histogram"), MECHANISMS)
@pytest.mark.parametrize("score", SCORES, ids=["best guess", "posterior", "one excluded"])
def test_the_expected_success_is_that_of_every_outcome(
    mechanism: object, histogram: tuple[int, ...], score: Score
) -> None:
    view, own = _victims(mechanism, histogram).view, codes_of(histogram).tolist()
    mean = sum(
        (
            chance * sum(score(code, view.weights((label,))) for code, label in zip(own, labels, strict=True))
            for labels, chance in _shown(mechanism, histogram)
        ),
        Fraction(0),
    )
    assert view.expected(score) == mean / len(own)
    best = max(view.largest(eliminated(0)), view.blind().largest(eliminated(0)))
    assert view.expected(best_guess) <= best <= 1


@pytest.mark.parametrize(("mechanism", "histogram"), [MECHANISMS[0], MECHANISMS[3], MECHANISMS[5]])
def test_two_releases_are_predicted_from_every_pair_of_outcomes(
    mechanism: object, histogram: tuple[int, ...]
) -> None:
    view, own = _victims(mechanism, histogram, releases=2).view, codes_of(histogram).tolist()
    laws: dict[tuple[int, object], Fraction] = defaultdict(Fraction)  # of one record
    for labels, chance in _shown(mechanism, histogram):
        for record, label in enumerate(labels):
            laws[record, label] += chance
    mean = sum(
        (
            first * second * best_guess(own[record], view.weights((one, two)))
            for ((record, one), first), ((other, two), second) in product(laws.items(), repeat=2)
            if record == other
        ),
        Fraction(0),
    )
    assert view.expected(best_guess) == mean / len(own)
    assert mean / len(own) >= View(view.counts, view.channels[:1]).expected(best_guess)


@pytest.mark.parametrize(
    ("mechanism", "histogram"),
    [(SpluGen(2, None, "cyclic"), (2, 2, 2)), (SpluGen(2, "2/3", "anatomy"), (3, 2, 1)), MECHANISMS[5],
     (Anatomy(2), (3, 2, 1)), (DistributionBased(), (2, 2))],
)  # fmt: skip
def test_the_posterior_of_two_who_share_a_value_is_that_of_every_outcome(
    mechanism: object, histogram: tuple[int, ...]
) -> None:
    victims, own = _victims(mechanism, histogram), codes_of(histogram).tolist()
    for code in (code for code, count in enumerate(histogram) if count > 1):
        both: dict[int, Fraction] = defaultdict(Fraction)
        for labels, chance in _shown(mechanism, histogram):
            shows = [code in label if isinstance(label, tuple) else label == code for label in labels]
            for one, two in permutations(range(len(own)), 2):
                if own[one] == own[two] and shows[one] and shows[two]:
                    both[own[one]] += chance
        weights = pair_weights(victims, code)
        assert {own: weight for own, weight in weights.items() if weight} == dict(both)
        assert shared_value(victims, code).predicted == both[code] / sum(both.values())


@pytest.mark.parametrize(
    ("mechanism", "histogram"),
    [(SpluGen(2, "2/3", "anatomy"), (2, 1, 1)), (SpluGen(2, None, "anatomy", "capped:1"), (2, 1, 1)),
     (SpluGen(2, None, "cyclic", "all-or-none:1"), (2, 1, 1)), (RetentionReplacement("1/2", AB), (2, 1, 1)),
     (DistributionBased(), (2, 2))],
)  # fmt: skip
def test_the_records_shown_with_a_value_have_the_law_of_every_outcome(
    mechanism: object, histogram: tuple[int, ...]
) -> None:
    victims, own = _victims(mechanism, histogram), codes_of(histogram).tolist()
    laws: dict[tuple[int, int], dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for labels, share in _shown(mechanism, histogram):
        seen = Counter(zip(own, labels, strict=True))
        for value, code in product(range(len(histogram)), repeat=2):
            laws[value, code][seen[value, code]] += share
    for (value, code), law in laws.items():
        n, chance = shown_laws(victims, code)[value]
        binomial = {k: comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(n + 1)}
        assert dict(law) == {k: share for k, share in binomial.items() if share}


def test_pairs_of_another_law_contradict_the_posterior() -> None:
    victims = _victims(SpluGen(2), (200, 100, 100))
    assert not shared_value(victims, 0).contradicted
    victims.__dict__["shown"] = Counter({(0, (0,)): 195, (0, (1,)): 5, (1, (0,)): 50, (2, (0,)): 50})
    assert shared_value(victims, 0).contradicted


def test_a_known_record_of_the_same_value_changes_the_law_as_enumerated() -> None:
    mechanism, histogram = SpluGen(2, "2/3", "anatomy"), (3, 2, 1)
    own, [plan] = codes_of(histogram).tolist(), _victims(mechanism, histogram).plans
    assert plan is not None
    pairs: dict[tuple[int, object, object], Fraction] = defaultdict(Fraction)
    for labels, chance in _shown(mechanism, histogram):
        for one, two in permutations(range(len(own)), 2):
            if own[one] == own[two]:
                pairs[own[one], labels[one], labels[two]] += chance
    for value, seen in product(range(2), range(3)):
        known = sum(chance for (code, _, label), chance in pairs.items() if (code, label) == (value, seen))
        if not known:
            continue
        law = {label: pairs[value, label, seen] / known for label in range(3)}
        weights = conditional_weights(plan, value, mechanism, seen, 3)
        assert {label: weight / (histogram[value] - 1) for label, weight in weights.items()} == law


def test_records_of_different_values_are_independent_given_the_plan() -> None:
    # why a known record of another value shows nothing but how many are left
    mechanism, histogram = SpluGen(2, "2/3", "anatomy"), (2, 1, 1)
    own = codes_of(histogram).tolist()
    for one, two in permutations(range(len(own)), 2):
        if own[one] == own[two]:
            continue
        joint: dict[tuple[object, object], Fraction] = defaultdict(Fraction)
        single: list[dict[object, Fraction]] = [defaultdict(Fraction), defaultdict(Fraction)]
        for labels, chance in _shown(mechanism, histogram):
            joint[labels[one], labels[two]] += chance
            single[0][labels[one]] += chance
            single[1][labels[two]] += chance
        assert all(
            joint[first, second] == single[0][first] * single[1][second]
            for first, second in product(single[0], single[1])
        )


@pytest.mark.parametrize(("mechanism", "histogram"), MECHANISMS)
def test_presence_is_proved_as_often_as_enumerated(mechanism: object, histogram: tuple[int, ...]) -> None:
    assert isinstance(mechanism, SpluGen | Anatomy | DistributionBased | RetentionReplacement | Swapping)
    code, rows = 1, sum(histogram)
    proved = proof_of_presence(mechanism, histogram[code], rows)
    seen = sum(
        chance
        for labels, chance in _shown(mechanism, histogram)
        if any(code in label if isinstance(label, tuple) else label == code for label in labels)
    )
    # a value of the declared domain is shown whether somebody has it or not
    declared = isinstance(mechanism, RetentionReplacement) and mechanism.replacing == "uniform"
    assert proved == (0 if declared else seen)


def test_swapped_records_are_tested_against_a_bound_that_knows_of_their_dependence(adult: Microdata) -> None:
    victims = Victims(adult, ("occupation",), "occupation", Swapping("2/5"), SeededSource(1))
    found = attack_table("attack", victims, best_guess, "says")
    assert not found.contradicted
    assert found.detectable is not None
    independent = Victims(adult, ("occupation",), "occupation", DistributionBased(), SeededSource(1))
    least = attack_table("attack", independent, best_guess, "says").detectable
    assert least is not None
    assert 2 * least < found.detectable < 3 * least  # the root of 8
    for attack in (corruption, shared_value):
        with pytest.raises(ParameterError, match="swapped records depend on each other"):
            attack(victims, 3)


def test_a_value_that_is_never_drawn_proves_what_others_do_not() -> None:
    law = {"v": {"a": "1/2", "b": "1/2", "c": "0"}}
    with pytest.raises(ParameterError, match="only values of replacement probability 0"):
        proof_of_presence(RetentionReplacement("1/2", AB, replacing=law), 1, 4)


@pytest.fixture(scope="module")
def adult() -> Microdata:
    return embedded_table()


def test_what_is_measured_on_a_real_table_agrees(adult: Microdata) -> None:
    for seed, mechanism in enumerate((SpluGen(5), SpluGen(7, "2/5", "anatomy"), DistributionBased())):
        victims = Victims(adult, ("occupation",), "occupation", mechanism, SeededSource(seed))
        for score in SCORES:
            found = attack_table("attack", victims, score, "says")
            assert found.e_value is not None
            assert not found.contradicted
            assert found.detectable is not None
            assert found.detectable < Fraction(1, 40)
    anatomy = Victims(adult, ("occupation",), "occupation", Anatomy(5), SeededSource(1))
    found = attack_table("attack", anatomy, best_guess, "says")
    assert (found.success, found.predicted, found.e_value) == (Fraction(1, 5), Fraction(1, 5), None)
    assert attack_table("attack", anatomy, eliminated(4), "says").success == 1


def test_a_column_of_several_is_attacked_by_itself(adult: Microdata) -> None:
    columns = ("relationship", "occupation")
    for column in columns:
        victims = Victims(adult, columns, column, SpluGen(2), SeededSource(1))
        found = attack_table("attack", victims, best_guess, "says")
        assert (found.predicted, found.contradicted) == (Fraction(1, 2), False)
        assert {own for own, _ in victims.shown} == set(victims.counts)


def test_a_mechanism_that_keeps_more_than_it_declares_contradicts_its_prediction(
    adult: Microdata, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared = SpluGen(5)
    monkeypatch.setattr(SpluGen, "channel", lambda _, counts, secret: CHANNEL(declared, counts, secret))
    victims = Victims(adult, ("occupation",), "occupation", SpluGen(5, "1/4"), SeededSource(1))
    found = attack_table("attack", victims, best_guess, "says")
    assert found.contradicted
    assert found.success is not None
    assert found.predicted == Fraction(1, 5)
    assert found.success > Fraction(6, 25)


CHANNEL = SpluGen.channel


def test_corruption_gives_groups_away_and_nothing_else(adult: Microdata) -> None:
    def attacked(mechanism: SpluGen | Anatomy | DistributionBased, others: int) -> AttackOutcome:
        return corruption(Victims(adult, ("occupation",), "occupation", mechanism, SeededSource(1)), others)

    assert [attacked(Anatomy(5), known).success for known in range(5)] == [
        Fraction(1, left) for left in (5, 4, 3, 2, 1)
    ]
    none, four = attacked(SpluGen(5), 0), attacked(SpluGen(5), 4)
    assert none.success is not None
    assert four.success is not None
    assert abs(four.success - none.success) < Fraction(1, 1000)
    assert none.largest == Fraction(1, 5)
    assert four.largest is not None
    assert four.largest < Fraction(2001, 10_000)
    posterior = attack_table(
        "", Victims(adult, ("occupation",), "occupation", SpluGen(5), SeededSource(1)), eliminated(0), ""
    )
    assert none.success == posterior.success
    assert attacked(DistributionBased(), 4).predicted == attacked(DistributionBased(), 0).predicted
    with pytest.raises(ParameterError, match="a group of 5 has 4 other members: give no more"):
        attacked(Anatomy(5), 5)
    with pytest.raises(ParameterError, match="there are 14 values, one known record of each"):
        attacked(SpluGen(5), 15)


def test_what_cannot_be_attacked_is_refused(adult: Microdata) -> None:
    def victims(**changes: object) -> Victims:
        given = {"table": adult, "columns": ("occupation",), "column": "occupation", "mechanism": SpluGen(5),
                 "draws": SystemSource(), "releases": 1}  # fmt: skip
        return Victims(**{**given, **changes})  # type: ignore[arg-type]  # of one kind each

    for changes, message in (
        ({"column": "sex"}, "column 'sex' is not published by the mechanism: choose from occupation"),
        ({"releases": 0}, "0 releases: give 1 to 100"),
        ({"releases": 101}, "101 releases: give 1 to 100"),
        (
            {"mechanism": Anatomy(2), "columns": ("occupation", "age")},
            "Anatomy publishes one sensitive column",
        ),
    ):
        with pytest.raises(ParameterError, match=message):
            victims(**changes)
    many = Microdata.from_frame(pl.DataFrame({"v": [str(number) for number in range(301)]}))
    with pytest.raises(DataError, match="column 'v' has 301 values, above 300"):
        victims(table=many, columns=("v",), column="v")
    for attack in (corruption, shared_value):
        with pytest.raises(ParameterError, match="uses one release:"):
            attack(victims(releases=2), 0)
    with pytest.raises(DataError, match="does not allow gamma = 8"):
        attack_table("", victims(mechanism=SpluGen(8)), best_guess, "")


def test_values_that_nobody_or_one_has_are_refused() -> None:
    victims = _victims(RetentionReplacement("1/2", AB), (2, 1, 0))
    with pytest.raises(ParameterError, match="no published record has the value"):
        presence(victims, 2)
    with pytest.raises(ParameterError, match="fewer than two published records have the value"):
        shared_value(victims, 1)
    with pytest.raises(ParameterError, match="the exact probability has 100001 factors"):
        proof_of_presence(DistributionBased(), 1, 100_001)


def test_presence_says_what_so_few_releases_could_show() -> None:
    one, many = (presence(_victims(SpluGen(2), (1, 1), releases=number), 0) for number in (1, 100))
    assert one.predicted == many.predicted == Fraction(3, 4)
    assert one.detectable is None
    assert many.detectable is not None
    assert 0 < many.detectable < Fraction(1, 2)
    assert not many.contradicted
    proves_nothing = presence(_victims(RetentionReplacement("1/2", AB), (2, 1, 0)), 0)
    assert proves_nothing.success == proves_nothing.predicted == 0
    assert proves_nothing.e_value is None


def test_the_bound_of_a_sum_is_an_e_value() -> None:
    for trials, chance in ((1, Fraction(1, 2)), (6, Fraction(1, 10)), (9, Fraction(2, 3))):
        law = np.array([1.0])
        for _ in range(trials):
            law = np.convolve(law, [float(1 - chance), float(chance)])
        values = [10 ** sum_of_bounded(Fraction(k), trials * chance, trials).log10 for k in range(trials + 1)]
        assert float(np.dot(law, values)) <= 1 + 1e-9
    rises = [sum_of_bounded(Fraction(gap), Fraction(0), 100).log10 for gap in range(0, 101, 10)]
    assert rises == sorted(rises)
    assert sum_of_bounded(Fraction(-30), Fraction(0), 100).log10 == near(rises[3])
    assert rises[0] < 0 < rises[-1]


@pytest.mark.parametrize(("gamma", "histogram"), [(2, (2, 1, 1)), (3, (2, 2, 1, 1)), (4, (1, 1, 1, 1))])
def test_excluding_values_of_a_group_leaves_the_homogeneity_of_the_rest(
    gamma: int, histogram: tuple[int, ...]
) -> None:
    victims = _victims(Anatomy(gamma), histogram)
    for facts in range(gamma):
        rest = Fraction(1, gamma - facts)
        assert victims.view.expected(eliminated(facts)) == victims.view.largest(eliminated(facts)) == rest
        assert corruption(victims, facts).success == rest  # to know a member is to exclude its value
