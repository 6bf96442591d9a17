"""Attacks that learn: posteriors by permanents against all assignments, and what is learned or cannot be."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import permutations
from math import factorial, prod
from typing import Any

import numpy as np
import polars as pl
import pytest

from experiments.attacks import LEARNING, LearningName, attack_by_learning
from experiments.attacks.assignment import LARGEST, _by_logarithms, assignment_posteriors
from experiments.attacks.learned import LearnedOutcome
from experiments.attacks.learning import Features, NaiveBayes, share_right, share_right_of_surest
from splu_ref.audit.attacks.assignment import exact_posteriors
from splu_ref.channels.parameters import DataError, ParameterError
from splu_ref.data import Microdata
from splu_ref.mechanisms import Anatomy, DistributionBased, RetentionReplacement, SpluGen
from splu_ref.randomness import SeededSource
from tests.rounding import near


@pytest.mark.parametrize("gamma", [1, 2, 3, 5])
def test_posteriors_are_those_of_all_assignments(gamma: int) -> None:
    random.seed(gamma)
    groups = [[[random.randint(1, 9) for _ in range(gamma)] for _ in range(gamma)] for _ in range(4)]
    found = assignment_posteriors(np.array(groups, dtype=np.float64))
    for group, posteriors in zip(groups, found, strict=True):
        weights = {
            order: Fraction(prod(group[record][value] for record, value in enumerate(order)))
            for order in permutations(range(gamma))
        }
        for record in range(gamma):
            for value in range(gamma):
                through = sum(weight for order, weight in weights.items() if order[record] == value)
                assert posteriors[record, value] == near(float(through / sum(weights.values())))


def test_equal_likelihoods_say_nothing_and_rows_may_be_scaled() -> None:
    even = assignment_posteriors(np.ones((2, 6, 6)))
    assert even == near(np.full((2, 6, 6), 1 / 6))
    random.seed(7)
    one = np.array([[[random.random() + 0.1 for _ in range(4)] for _ in range(4)]])
    scaled = one * np.array([1e-200, 1.0, 1e200, 3.0])[:, np.newaxis]
    assert assignment_posteriors(scaled) == near(assignment_posteriors(one))
    with pytest.raises(ParameterError, match="groups of at most 12"):
        assignment_posteriors(np.ones((1, LARGEST + 1, LARGEST + 1)))


@pytest.mark.parametrize("small", [1e-170, 1e-300])
def test_permanents_that_vanish_in_doubles_are_summed_all_the_same(small: float) -> None:
    alike = np.array([[[1.0, small, small]] * 3, [[1.0, 2.0, 3.0], [1.0, 1.0, 1.0], [2.0, 2.0, 1.0]]])
    found = assignment_posteriors(alike)
    assert found[0] == near(np.full((3, 3), 1 / 3))
    assert found[1] == near(assignment_posteriors(alike[1:])[0])
    assert found[1] == near(_by_logarithms(np.log(alike[1:]))[0])


def test_a_classifier_counts_each_record_once_and_one_more() -> None:
    features = Features(np.array([[0, 0, 1, 1]]), (2,))
    certain = np.eye(2)[[0, 0, 0, 1]]
    weights = NaiveBayes(features, certain).likelihoods(features)
    # value 0: prior 4/6, cells (3, 2)/5; value 1: prior 2/6, cells (1, 2)/3
    ratio = [(4 / 6 * 3 / 5) / (2 / 6 * 1 / 3), (4 / 6 * 2 / 5) / (2 / 6 * 2 / 3)]
    assert weights[:, 0] / weights[:, 1] == near([ratio[0], ratio[0], ratio[1], ratio[1]])


def _table(records: int) -> Microdata:
    """Return a table in which column a predicts the value in nine of ten records, and n names each record."""
    random.seed(3)
    values = [random.randrange(6) for _ in range(records)]
    posteriors = [value if random.random() < 0.9 else random.randrange(6) for value in values]
    frame = pl.DataFrame(
        {"n": [str(place) for place in range(records)], "a": [f"a{one}" for one in posteriors],
         "s": [f"s{one}" for one in values]},
    )  # fmt: skip
    return Microdata.from_frame(frame)


@pytest.mark.parametrize("name", ["foreground", "de-finetti"])
@pytest.mark.parametrize("mechanism", [Anatomy(3), SpluGen(3, "1/2")])
def test_the_prediction_by_a_column_is_learned_from_a_release(
    name: LearningName, mechanism: Anatomy | SpluGen
) -> None:
    found = attack_by_learning(name, mechanism, _table(1201), "s", ("n", "a"), SeededSource(1), runs=6)
    assert found.success.least > Fraction(3, 5), "a shown value or group alone is right with 1/2 at most"
    assert found.population > Fraction(4, 5)
    assert found.majority < Fraction(1, 4)
    assert found.surest.median > found.success.median


def test_likelihoods_of_many_columns_are_products_that_do_not_vanish() -> None:
    """A product of 300 factors of 2/901 is less than any double."""
    features = Features(np.array([[0, 1]] * 300), (900,) * 300)
    found = NaiveBayes(features, np.eye(2)).likelihoods(features)
    assert found == near(np.array([[1, 0.5**300], [0.5**300, 1]]))
    assert found[0, 1] == near(0.5**300)


def test_rounding_names_no_value_and_no_surest_record() -> None:
    last = np.nextafter(1.0, 2.0)
    weights = np.array([[1.0, last, 0.5], [last, 1.0, 0.5], [0.5, 1.0, last], [1.0, 1.0 + 1e-8, 0.5]])
    assert share_right(weights, np.array([0, 0, 1, 1])) == 1
    alike = np.array([[0.6, 0.4], [np.nextafter(0.6, 1.0), 0.4], [0.1, 0.9], [0.4, 0.6]])
    assert share_right_of_surest(alike, np.array([0, 1, 1, 0]), part=2) == 1


@pytest.mark.parametrize("name", ["foreground", "de-finetti"])
@pytest.mark.parametrize("mechanism", [DistributionBased(), SpluGen(3, "1/2")])
def test_no_figure_depends_on_how_linear_algebra_rounds(
    name: LearningName, mechanism: DistributionBased | SpluGen, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found() -> LearnedOutcome:
        return attack_by_learning(name, mechanism, _table(600), "s", ("a",), SeededSource(1), runs=2)

    expected, pinv = found(), np.linalg.pinv

    def rounded_otherwise(*given: Any, **named: Any) -> Any:
        inverse = pinv(*given, **named)
        signs = np.random.default_rng(1).integers(-1, 2, inverse.shape)
        return inverse + 1e-15 * signs * np.abs(inverse).max()

    monkeypatch.setattr(np.linalg, "pinv", rounded_otherwise)
    assert found() == expected


def test_nothing_is_learned_where_nothing_is_shown() -> None:
    table, source = _table(600), SeededSource(2)
    found = attack_by_learning("foreground", DistributionBased(), table, "s", ("a",), source, runs=6)
    first = Fraction(table.cells("s").count("s0"), 600)
    assert found.success.least == found.success.greatest == first, "all values are equal, the first is named"


def test_a_classifier_learns_from_published_values() -> None:
    pytest.importorskip("sklearn")
    mechanism = RetentionReplacement("1/2", {"s": tuple(f"s{one}" for one in range(6))})
    found = attack_by_learning("classifier", mechanism, _table(600), "s", ("a",), SeededSource(2), runs=6)
    assert found.success.least > Fraction(4, 5)
    with pytest.raises(ParameterError, match="choose de-finetti"):
        attack_by_learning("classifier", Anatomy(3), _table(600), "s", ("a",), SeededSource(2), runs=1)


def test_a_table_without_anything_to_learn_from_is_refused() -> None:
    for name in LEARNING:
        with pytest.raises(DataError, match=r"a tenth of the records: there is nothing to learn from"):
            attack_by_learning(name, SpluGen(3), _table(90), "s", ("n",), SeededSource(2), runs=1)


@pytest.mark.parametrize("compound", [False, True])
def test_one_of_several_replaced_columns_is_attacked_by_itself(compound: bool) -> None:
    domains = {"s": tuple(f"s{one}" for one in range(6)), "a": tuple(f"a{one}" for one in range(6))}
    given = {
        name: {value: f"{place + 1}/21" for place, value in enumerate(domain)}
        for name, domain in domains.items()
    }
    both = RetentionReplacement("1/2", domains, replacing=given, compound=compound)
    alone = RetentionReplacement("1/2", {"s": domains["s"]}, replacing={"s": given["s"]})
    assert both.for_column("s") == alone
    table = _table(600)
    outcomes = [
        attack_by_learning("foreground", one, table, "s", ("a",), SeededSource(2), runs=6)
        for one in (both, alone)
    ]
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("gamma", [1, 2, 3, 5])
def test_exact_posteriors_are_those_in_doubles_and_of_equal_likelihoods_uniform(gamma: int) -> None:
    alike = [[Fraction(2, 7)] * gamma for _ in range(gamma)]
    share = Fraction(1, gamma)
    permanent = factorial(gamma) * Fraction(2, 7) ** gamma
    assert exact_posteriors(alike) == (permanent, [[share] * gamma] * gamma)
    # Who does not have some of a group's values has each of those left with the same chance.
    for excluded in range(gamma):
        known = [[Fraction(value >= excluded) for value in range(gamma)], *alike[1:]]
        _, posteriors = exact_posteriors(known)
        assert posteriors is not None
        assert posteriors[0] == [Fraction(value >= excluded, gamma - excluded) for value in range(gamma)]
    draw = np.random.default_rng(gamma)
    weights = draw.integers(1, 50, (gamma, gamma))
    _, found = exact_posteriors([[Fraction(int(weight), 60) for weight in row] for row in weights])
    assert found is not None
    doubles = assignment_posteriors(weights[None] / 60)[0]
    assert np.abs(np.array(found, dtype=float) - doubles).max() < 1e-12
