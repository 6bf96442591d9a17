"""The composition of a predicate against linear algebra written out, and what its intervals promise."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom

from splu_ref.channels import PublishedCount
from splu_ref.channels.parameters import Gamma
from splu_ref.data import Microdata, embedded_table
from splu_ref.estimators import Interval, Query, QueryEstimate, QueryEstimator, two_state_estimates
from splu_ref.estimators.linear.transition import value_matrix
from splu_ref.estimators.shrinkage.composition import Composition, noise
from splu_ref.estimators.shrinkage.conjunction_interval import ConjunctionStates
from splu_ref.estimators.shrinkage.limited_translation import COST, allowed_cost, translate
from splu_ref.estimators.shrinkage.shrinkage import Shrinkage
from splu_ref.mechanisms import FloatArray, Release, SpluGen, expected_co_occurrence, expected_pairs
from splu_ref.randomness import SeededSource
from tests.estimators.answer_parts import ends
from tests.rounding import near

LAW = PublishedCount.of(3, "1/2")
FREQUENCIES = np.array([50, 50, 50, 80, 80, 120, 200, 30, 30, 0, 0], dtype=np.float64)
OCCURRING = 9


@pytest.fixture(scope="module")
def composition() -> Composition:
    return Composition(expected_pairs(FREQUENCIES, Gamma(3)), LAW)


@pytest.fixture(scope="module")
def transition() -> FloatArray:
    return value_matrix(expected_co_occurrence(FREQUENCIES, Gamma(3)), LAW)[:OCCURRING, :OCCURRING]


def test_kinds_of_values_have_the_co_occurrence_of_the_values() -> None:
    for frequencies, gamma in ((FREQUENCIES, 3), (np.array([40, 40, 30, 30, 20]), 4), (np.full(5, 8), 5)):
        pairs = expected_pairs(frequencies, Gamma(gamma))
        expected = expected_co_occurrence(frequencies, Gamma(gamma))
        occurring = np.flatnonzero(frequencies)
        found = pairs.together[np.ix_(pairs.kind[occurring], pairs.kind[occurring])]
        np.fill_diagonal(found, pairs.frequency[pairs.kind[occurring]])
        assert found == pytest.approx(expected[np.ix_(occurring, occurring)], abs=1e-6)
        assert (pairs.kind >= 0).tolist() == (frequencies > 0).tolist()


def test_transmitting_is_the_transition(composition: Composition, transition: FloatArray) -> None:
    random = np.random.default_rng(1)
    counts, members = np.zeros((4, 11)), np.zeros((4, 11))
    counts[:, :OCCURRING] = random.integers(0, 30, (4, OCCURRING))
    members[:, :OCCURRING] = random.integers(0, 2, (4, OCCURRING))
    assert composition.expected_counts(counts)[:, :OCCURRING] == near(counts[:, :OCCURRING] @ transition)
    assert composition.published(members)[:, :OCCURRING] == near(members[:, :OCCURRING] @ transition.T)


def test_means_and_variances_are_those_of_the_normal_law(
    composition: Composition, transition: FloatArray
) -> None:
    published = np.zeros((3, 11))
    published[:, :OCCURRING] = np.random.default_rng(2).integers(0, 14, (3, OCCURRING))
    learned = composition.learn(published)
    phi = FREQUENCIES[:OCCURRING] / FREQUENCIES.sum()
    psi = phi**1.5 * np.sqrt(np.sum(phi * phi))
    deviations = np.diag(psi) - np.outer(psi, psi) / psi.sum()
    chance = np.diag(phi) - np.outer(phi, phi)
    sums = np.random.default_rng(3).normal(size=(1, 11))
    sums[:, OCCURRING:] = 0
    for number in range(3):
        n = published[number].sum()
        outside = 1 - n / FREQUENCIES.sum()
        residual = published[number, :OCCURRING] - n * phi
        mean, variance, weights = np.zeros(OCCURRING), np.zeros((OCCURRING, OCCURRING)), np.zeros(OCCURRING)
        for tau, share in zip(composition.taus, learned.posterior[:, number], strict=True):
            prior = n**2 * tau**2 * deviations + n * outside * chance
            total = n**2 * tau**2 * transition.T @ deviations @ transition + n * outside * chance
            gain = prior @ transition @ np.linalg.pinv(total, rcond=1e-12)
            mean += share * (n * phi + gain @ residual)
            variance += share * (prior - gain @ transition.T @ prior)
            weights += share * (gain.T @ sums[0, :OCCURRING])
        assert learned.mean[number, :OCCURRING] == pytest.approx(mean, abs=1e-6)
        assert learned.variance[number, :OCCURRING] == pytest.approx(np.diag(variance), abs=1e-6)
        assert mean.sum() == near(n)
        coordinates = composition.coordinates(sums)
        found, pushed = composition.published_weights(learned, np.array([number]), coordinates)
        assert found[0, :OCCURRING] @ residual == near(weights @ residual)
        assert pushed == near(composition.published(found))
        assert learned.posterior[:, number].sum() == near(1)


def test_a_predicate_of_one_value_is_not_taken_for_a_mixture(composition: Composition) -> None:
    """The grid of tau has room for it: half of the records show, and the others are as decoys are."""
    one = np.zeros((1, 11))
    one[0, 7] = 28.0
    published = composition.expected_counts(one)
    assert composition.learn(published).mean[0, 7] > 20


def test_noise_is_that_of_independent_records(composition: Composition, transition: FloatArray) -> None:
    counts, weights = np.zeros((1, 11)), np.zeros((1, 11))
    counts[0, :OCCURRING], weights[0, :OCCURRING] = (
        np.arange(OCCURRING),
        np.random.default_rng(4).normal(size=OCCURRING),
    )
    found = noise(counts, composition.expected_counts(counts), weights, composition.published(weights))
    w = weights[0, :OCCURRING]
    each = [row @ w**2 - (row @ w) ** 2 for row in transition]
    assert found == near([np.arange(OCCURRING) @ each])


def test_bending_costs_what_it_may_if_the_prior_is_right() -> None:
    random = np.random.default_rng(5)
    size, variance = 400_000, 9.0
    for ratio in (0.05, 0.3, 0.7):
        prior = variance * ratio / (1 - ratio)
        truth = np.sqrt(prior) * random.normal(size=size)
        solved = truth + np.sqrt(variance) * random.normal(size=size)
        shrunk, distance = (1 - ratio) * 0 + ratio * solved, np.abs(solved) / np.sqrt(prior + variance)
        part = np.full(size, prior / (prior + variance))
        found = translate(solved, np.full(size, variance), shrunk, part, distance, COST * part)
        least = prior * variance / (prior + variance)
        assert np.mean((shrunk - truth) ** 2) == near(least, rel=0.02)
        assert np.mean((found.value - truth) ** 2) < least * (1 + 3 * COST)


def test_a_wrong_prior_costs_a_few_standard_errors_at_most() -> None:
    wrong = np.linspace(0, 40, 401)
    ratio = np.full(401, 0.02)
    found = translate(wrong, np.ones(401), ratio * wrong, ratio, wrong * np.sqrt(1 - ratio), COST * ratio)
    assert np.abs(found.value - wrong).max() < 3.5
    assert found.value[wrong > 5] == near(wrong[wrong > 5])


def test_more_is_spent_on_spikes_and_in_small_predicates() -> None:
    ratio, surplus, total = (
        np.full(4, 0.1),
        np.array([0.0, 0.0, 20.0, 40.0]),
        np.array([5.0, 1e4, 100.0, 100.0]),
    )
    few, usual, half, spike = allowed_cost(ratio, surplus, total).tolist()
    assert usual == pytest.approx(0.1 * COST, abs=1e-4)
    assert few > 1 > spike > half > usual


@pytest.mark.parametrize(("gamma", "n"), [(2, 6), (5, 9), (10, 12)])
def test_a_small_group_of_one_value_is_not_estimated_as_mixed(gamma: int, n: int) -> None:
    """Each value in turn is that of all n records: root mean square errors, against the closed form."""
    values, law, random = 40, PublishedCount.of(gamma), np.random.default_rng(gamma)
    frequency, rows = np.full(values, 500.0), 500 * values
    shrinkage = Shrinkage(frequency, rows, law)
    chances = shrinkage.composition.expected_counts(np.eye(values))
    published = random.multinomial(n, chances).astype(np.float64)
    found = shrinkage.answer(published, np.arange(values), np.eye(values))
    exact, _ = two_state_estimates(np.diag(published), n, frequency, rows, law)
    error, other = (np.sqrt(np.mean((value - n) ** 2)) for value in (found.value, exact))
    assert error < 1.2 * other


def _states(both: FloatArray, n: float, f: float, kept: float, taken: float) -> ConjunctionStates:
    predicate, frequency, b, a = (np.full(len(both), part) for part in (n, f, kept, taken))
    return ConjunctionStates(both, predicate, frequency, 10_000, b, a, np.zeros(len(both)), b)


@pytest.mark.parametrize(("kept", "taken"), [(0.2, 0.001), (0.2, 0.05), (0.5, 0.02), (0.1, 0.08)])
@pytest.mark.parametrize("n", [3, 20, 200])
@pytest.mark.parametrize(("share", "spread"), [(0.0, np.inf), (0.0, 0.1), (0.3, 0.1), (1.0, 0.1)])
def test_score_intervals_hold_every_count_of_independent_records(
    kept: float, taken: float, n: int, share: float, spread: float
) -> None:
    """The sum of the probabilities of all published counts whose interval holds x: each x, any prior."""
    states = _states(np.arange(n + 1.0), n, 1.0, kept, taken)
    prior, variance, most = (np.full(n + 1, part) for part in (share * n, spread * n, n))
    ends = np.array(states.interval(prior, variance, most))
    for x in range(0, n + 1, max(1, n // 10)):
        own, others = (
            np.asarray(binom.pmf(range(size + 1), size, chance))
            for size, chance in ((x, kept), (n - x, taken))
        )
        law = np.convolve(own, others)
        assert law @ ((ends[0] - 1e-6 <= x) & (x <= ends[1] + 1e-6)) > 0.93


def test_a_prior_shortens_the_intervals_near_it() -> None:
    """With 100 of 1,000 records: by an eighth if the prior is right, and it may not lengthen them by more."""
    n, mean = 1000, 100 * 0.5 + 900 * 0.1
    states = _states(mean + np.linspace(-20, 20, 9), n, 1.0, 0.5, 0.1)

    def length(prior: float, spread: float) -> float:
        low, high = states.interval(*(np.full(9, part) for part in (prior, spread, n)))
        return float(np.mean(high - low))

    equal = length(100.0, np.inf)
    assert length(100.0, 1.0) < 0.89 * equal
    assert length(100.0, 1e9) == near(equal)
    for wrong in (0.0, 1000.0):
        assert length(wrong, 1.0) < 1.11 * equal


def test_a_count_that_may_be_all_records_of_the_value_has_no_longer_tail_below_a_prior() -> None:
    """Its frequency of 100, at most 110, bounds it as well: a larger prior mean must not move the tails."""

    states = _states(np.arange(100.0, 180.0), 1000, 100, 0.5, 0.1)

    def contained(count: int, prior: float, spread: float, most: float) -> list[bool]:
        low, high = states.interval(*(np.full(80, part) for part in (prior, spread, most)))
        return [bool(each) for each in (low <= count) & (count <= high)]

    equal = contained(100, 0.0, np.inf, 110)
    assert contained(100, 300.0, 5.0, 110) == equal != contained(100, 300.0, 5.0, 1000)
    assert contained(100, 20.0, 5.0, 110) == contained(100, 20.0, 5.0, 1000) != equal
    assert contained(80, 300.0, 5.0, 110) == contained(80, 300.0, 5.0, 1000)


def _estimator(release: Release, column: str, gamma: int) -> QueryEstimator:
    domains = release.manifest.domains
    return QueryEstimator(release.table, [column], SpluGen(gamma), domains=domains)


@pytest.mark.slow
def test_a_column_that_gives_the_rarest_value_away_is_covered() -> None:
    frame: pl.DataFrame = embedded_table().to_frame()
    frame = frame.with_columns(armed=pl.col("occupation") == "Armed-Forces")
    table = Microdata.from_frame(frame.with_columns(pl.col("armed").cast(pl.String)))
    query = Query.of({"armed": "true", "occupation": "Armed-Forces"})
    covered = 0
    for seed in range(12):
        release = SpluGen(7).publish(table, "occupation", SeededSource(seed))
        [found] = _estimator(release, "occupation", 7).estimate([query])
        covered += ends(found)[0] <= found.predicate_count <= ends(found)[1]
    assert covered >= 11


def test_no_part_is_larger_than_the_whole() -> None:
    release = SpluGen(2).publish(embedded_table(), "relationship", SeededSource(3))
    estimator = _estimator(release, "relationship", 2)
    married = {"marital_status": "Married-civ-spouse", "relationship": "Wife"}
    part, whole = (
        estimator.estimate([Query.of(where)], None)[0] for where in (married, {"relationship": "Wife"})
    )
    assert ends(part)[0] <= 1425 <= ends(part)[1]
    assert ends(part)[1] <= ends(whole)[1]
    assert part.estimate <= ends(whole)[1]


def _world(seed: int, concentrated: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """A published predicate with its true counts: of one value and a few, or of all as they come."""
    random = np.random.default_rng(seed)
    f = np.round(np.geomspace(100, 1600, 16)).astype(np.int64)
    f[-1] += -int(f.sum()) % 5
    codes = np.repeat(np.arange(16), f)
    done = SpluGen(5).publish_codes(codes, 16, SeededSource(seed))
    kept, published = np.asarray(done.rows), np.asarray(done.published)
    true = codes[kept]
    chance = np.where(true == seed % 16, 0.6, 0.02) if concentrated else np.full(len(true), 0.05)
    inside = random.random(len(true)) < chance
    return (
        np.bincount(true[inside], minlength=16),
        np.bincount(published[inside], minlength=16),
        np.bincount(published, minlength=16),
        len(true),
    )


@pytest.mark.slow
@pytest.mark.parametrize("concentrated", [False, True])
def test_estimates_are_near_the_best_and_intervals_hold_each_value(concentrated: bool) -> None:
    law, errors = PublishedCount.of(5), {"shrunk": 0.0, "exact": 0.0, "expected": 0.0, "published": 0.0}
    covered: dict[Interval, list[float]] = {"each": [], "average": []}
    for seed in range(48):
        x, published, f, rows = _world(seed, concentrated)
        n = published.sum()
        shrinkage = Shrinkage(f.astype(np.float64), rows, law)
        predicates = shrinkage.learn(published[None].astype(np.float64))
        found = shrinkage.estimate(predicates, np.zeros(16, dtype=np.int64), np.eye(16))
        for kind, shares in covered.items():
            low, high = found.interval(kind)
            shares.append(float(np.mean((low <= x) & (x <= high))))
        exact, _ = two_state_estimates(published, n, f, rows, law)
        for name, value in (
            ("shrunk", found.value),
            ("exact", exact),
            ("expected", n * f / rows),
            ("published", published),
        ):
            errors[name] += float(np.sum((value - x) ** 2))
    assert np.mean(covered["each"]) > 0.93
    assert np.mean(covered["average"]) > (0.85 if concentrated else 0.93)
    assert errors["shrunk"] < 1.35**2 * min(errors[name] for name in errors if name != "shrunk")


@pytest.mark.parametrize("likelier", [0.8, 0.05])
def test_intervals_hold_beside_a_value_in_nearly_every_group(likelier: float) -> None:
    """2,790 of 9,000 records share a value, gamma is 3; a predicate has far more or fewer than its part.

    No published count shows how many of them it has, and the other values, of which it has a random sample,
    are not informative about. What is published of them depends on it.
    """
    f = np.array([2790, *np.round(np.geomspace(60, 760, 22))], dtype=np.int64)
    f[-1] += 9000 - f.sum()
    codes, law = np.repeat(np.arange(len(f)), f), PublishedCount.of(3)
    inside = np.random.default_rng(1).random(len(codes)) < np.where(codes == 0, likelier, 0.3)
    x, covered = np.bincount(codes[inside], minlength=len(f)), []
    for seed in range(12):
        done = SpluGen(3).publish_codes(codes, len(f), SeededSource(seed))
        published = np.asarray(done.published)
        y = np.bincount(published[inside[np.asarray(done.rows)]], minlength=len(f))[None]
        shrinkage = Shrinkage(np.bincount(published, minlength=len(f)).astype(np.float64), len(codes), law)
        found = shrinkage.answer(y.astype(np.float64), np.zeros(len(f), dtype=np.int64), np.eye(len(f)))
        low, high = found.interval("each")
        covered.append((low <= x) & (x <= high))
    common = np.argsort(f)[-10:]
    assert np.mean(np.array(covered)[:, common]) > 0.92
    assert np.mean(covered) > 0.93


def test_a_contradicted_prior_is_reported() -> None:
    """All 400 records of a group share a rare value, and every other group is as the table."""
    random = np.random.default_rng(6)
    values = np.repeat(
        [f"v{number}" for number in range(20)], np.round(np.geomspace(400, 4000, 20)).astype(int)
    )
    group = np.where(values == "v0", "pure", random.choice(["a", "b", "c"], len(values)))
    table = Microdata.from_frame(pl.DataFrame({"s": values, "group": group}))
    release = SpluGen(5).publish(table, "s", SeededSource(2))
    estimator = _estimator(release, "s", 5)
    found: list[QueryEstimate] = estimator.estimate(
        [Query.of({"group": name, "s": "v0"}) for name in ("pure", "a")]
    )
    assert "standard deviations" in str(found[0].note) or abs(found[0].estimate - 400) < 80
    least, most = ends(found[0])
    assert least <= 400 <= most
    assert "standard deviations" not in str(found[1].note)
