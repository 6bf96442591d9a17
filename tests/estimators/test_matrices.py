from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from splu_ref.channels import PublishedCount, coarsen, decoy_groups, two_state
from splu_ref.channels.parameters import Gamma, InputError, ParameterError
from splu_ref.estimators import Inversion, apply_by_mode, published_co_occurrence, set_matrix, value_matrix
from splu_ref.estimators.linear import transition
from splu_ref.estimators.linear.inversion import LinearVariance
from splu_ref.estimators.linear.transition import (
    decoy_probability,
    gain_probability,
    inverses,
    transposed,
    two_state_matrices,
)
from splu_ref.estimators.linear.two_state import TwoState
from splu_ref.mechanisms import FloatArray, SpluGen, anatomy, co_occurrence, cyclic
from splu_ref.randomness import EnumerationSource, IntArray, SeededSource, outcomes
from tests.rounding import near

HISTOGRAM = np.array([3, 2, 2, 1, 1])


def _counted(histogram: IntArray, gamma: int) -> FloatArray:
    counts = co_occurrence(anatomy(histogram, Gamma(gamma)))
    return np.array([counts.row(v) for v in range(len(histogram))], dtype=float)


@pytest.mark.parametrize("keep", [None, "1/2"])
def test_the_value_matrix_is_the_law_of_every_outcome(keep: str | None) -> None:
    histogram, gamma = np.array([2, 1, 1]), Gamma(2)
    codes: IntArray = np.repeat(np.arange(3), histogram)

    def run(source: EnumerationSource) -> tuple[int, ...]:
        release = SpluGen(gamma, retention=keep, plan="anatomy").publish_codes(codes, 3, source)
        published = np.empty(4, dtype=np.int64)
        published[release.rows] = release.published
        return tuple(published.tolist())

    seen = np.zeros((3, 3))
    for published, chance in outcomes(run):
        for record, value in enumerate(published):
            seen[codes[record], value] += float(chance) / histogram[codes[record]]
    assert value_matrix(_counted(histogram, 2), PublishedCount.of(2, keep)) == near(seen)


@pytest.mark.parametrize("keep", [None, "2/3"])
def test_matrices_keep_the_mean_and_their_rows_sum_to_one(keep: str | None) -> None:
    counts = _counted(HISTOGRAM, 3)
    matrix = value_matrix(counts, PublishedCount.of(3, keep))
    assert matrix.sum(axis=1) == near(1)
    assert HISTOGRAM @ matrix == near(HISTOGRAM)
    for size in (1, 2, 3):
        for chosen in combinations(range(5), size):
            members = np.isin(np.arange(5), chosen).astype(float)
            states = np.array([9 - HISTOGRAM @ members, HISTOGRAM @ members])
            pair = set_matrix(counts, members, PublishedCount.of(3, keep))
            assert states @ pair == near(states)
            if size == 1:
                assert pair[1, 1] == near(float(Fraction(keep or "1/3")))


@pytest.mark.parametrize("keep", [None, "2/3", "1/7", "1"])
def test_entries_in_floating_point_are_those_of_the_exact_channel(keep: str | None) -> None:
    """What is vectorized is held, entry by entry, to what `splu_ref.channels` computes in fractions."""
    law = PublishedCount.of(3, keep)
    assert decoy_probability(law) == near(float(law.decoy), rel=1e-12, size=1)
    counted = co_occurrence(anatomy(HISTOGRAM, law.gamma)).counts()
    exact = decoy_groups(counted, law)
    assert exact.inputs == exact.outputs == tuple(range(5))
    matrix = value_matrix(_counted(HISTOGRAM, 3), law)
    assert matrix == pytest.approx(np.array(exact.as_floats()), rel=1e-14, abs=1e-300)
    with_nothing = np.pad(_counted(HISTOGRAM, 3), (0, 1))
    assert value_matrix(with_nothing, law)[5].tolist() == decoy_groups({**counted, 5: {}}, law).as_floats()[5]
    for size in (1, 2, 3, 4):
        for chosen in combinations(range(5), size):
            inside = [value in chosen for value in range(5)]
            pairs = coarsen(exact, dict(enumerate(inside)), dict(enumerate(HISTOGRAM.tolist())))
            found = set_matrix(_counted(HISTOGRAM, 3), np.array(inside, dtype=float), law)
            wanted = [[float(pairs.probability(u, v)) for v in (False, True)] for u in (False, True)]
            assert found == near(np.array(wanted), rel=1e-12)


def test_how_likely_a_value_is_gained_is_that_of_the_exact_channel() -> None:
    cases = [(keep, f, rows) for keep in ("1/5", "1/2", "1") for rows in (60, 1001) for f in (0, 1, 7, 29)]
    for keep, f, rows in cases:
        exact = np.array(two_state(keep, f, rows).as_floats())
        kept = np.array(float(Fraction(keep)))
        taken = gain_probability(np.array(float(f)), rows, kept)
        assert two_state_matrices(taken, kept) == pytest.approx(exact, rel=1e-14, abs=1e-300)
        assert TwoState.of(np.array(float(f)), rows, kept).contrast == near(exact[1, 1] - exact[0, 1])


def test_a_plan_is_made_of_the_published_histogram() -> None:
    f_published = np.array([40, 30, 20, 10, 0])
    for plan, method in (("anatomy", anatomy), ("cyclic", cyclic)):
        histogram = np.array([33, 31, 23, 12, 0])
        direct = co_occurrence(method(histogram, Gamma(3)))
        found = published_co_occurrence(histogram, SpluGen(3, plan=plan))
        assert found.tolist() == [direct.row(value).tolist() for value in range(5)]
        lowered = published_co_occurrence(np.array([50, 22, 18, 9]), SpluGen(3, plan=plan))
        assert lowered.diagonal().max() == 33
        assert lowered.diagonal().sum() == 99
    mixed = published_co_occurrence(f_published, SpluGen(2))
    assert mixed.sum(axis=1) == near(2 * mixed.diagonal())
    assert mixed[0, 3] / mixed[0, 1] == near(1 / 3, rel=0.25)
    with pytest.raises(ParameterError, match="choose one of anatomy"):
        published_co_occurrence(f_published, SpluGen(2, plan="magic"))


def test_a_kronecker_product_is_applied_without_being_formed() -> None:
    generator = np.random.default_rng(1)
    factors = [generator.dirichlet(np.ones(d), size=d) for d in (2, 3, 4)]
    whole = np.kron(np.kron(factors[0], factors[1]), factors[2])
    vectors = generator.random((5, 2, 3, 4))
    flat = vectors.reshape(5, 24)
    assert apply_by_mode(vectors, factors).reshape(5, 24) == near(flat @ whole)
    assert apply_by_mode(vectors, transposed(factors)).reshape(5, 24) == near(flat @ whole.T)
    assert apply_by_mode(apply_by_mode(vectors, factors), inverses(factors)) == near(vectors)
    own = np.stack([factors[0]] * 5)
    assert apply_by_mode(vectors, [own, *factors[1:]]) == near(apply_by_mode(vectors, factors))


@pytest.mark.parametrize("keep", [None, "3/5"])
def test_inversion_is_unbiased_for_every_predicate_with_the_true_matrix(keep: str | None) -> None:
    """Walk every outcome: whatever the predicate has to do with the values, the mean is the true count."""
    histogram, gamma = np.array([2, 1, 1]), Gamma(2)
    codes: IntArray = np.repeat(np.arange(3), histogram)
    law = PublishedCount.of(2, keep)
    inverse = np.linalg.inv(value_matrix(_counted(histogram, 2), law)) if keep else None

    def run(source: EnumerationSource) -> tuple[int, ...]:
        release = SpluGen(gamma, retention=keep, plan="anatomy").publish_codes(codes, 3, source)
        published = np.empty(4, dtype=np.int64)
        published[release.rows] = release.published
        return tuple(published.tolist())

    if inverse is None:  # with p = 1/2 the groups {0, 1} and {0, 2} leave the matrix singular
        with pytest.raises(InputError, match="cannot be inverted"):
            Inversion(_counted(np.array([2, 2, 2, 2]), 2), histogram, law)
        return
    inversion = Inversion(_counted(histogram, 2), histogram, law)
    assert inversion.weights == near(inverse)
    laws = list(outcomes(run))
    for predicate in ([0], [0, 2], [1, 2, 3], [2, 3]):
        mean = np.zeros(3)
        for published, chance in laws:
            y = np.bincount([published[i] for i in predicate], minlength=3).astype(float)
            mean += float(chance) * inversion.estimates(y[None])[0]
        assert mean == near(np.bincount(codes[predicate], minlength=3))


def test_the_variance_of_a_linear_estimate_is_that_of_every_outcome() -> None:
    """Where all decoys of a value are equally frequent, as here, nothing is approximate."""
    histogram, gamma = np.array([3, 1, 1, 1]), Gamma(2)
    codes: IntArray = np.repeat(np.arange(4), histogram)
    scatter = LinearVariance(_counted(histogram, 2), PublishedCount.of(2))
    weights = np.array([0.7, -0.4, 1.3, 0.2])
    totals: list[tuple[float, float]] = []

    def run(source: EnumerationSource) -> tuple[int, ...]:
        release = SpluGen(gamma, plan="anatomy").publish_codes(codes, 4, source)
        published = np.empty(6, dtype=np.int64)
        published[release.rows] = release.published
        return tuple(published.tolist())

    laws = list(outcomes(run))
    # The predicate is all records, so that no sampling of places is left either.
    for published, chance in laws:
        totals.append((float(weights[list(published)].sum()), float(chance)))
    mean = sum(value * chance for value, chance in totals)
    true = sum((value - mean) ** 2 * chance for value, chance in totals)
    found = scatter.variance(weights[:, None], 0 * weights[:, None], histogram[:, None].astype(float))
    assert found[0] == near(true)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.1, 0.6])
def test_errors_of_the_inversion_are_calibrated(share: float) -> None:
    generator = np.random.default_rng(5)
    histogram = np.array([900, 700, 500, 300, 250, 200, 100, 50])
    codes: IntArray = np.repeat(np.arange(8), histogram)
    holds = generator.random(3000) < share * np.array([1.5, 0.5, 1, 1, 1.2, 0.8, 1, 1])[codes]
    true = np.bincount(codes[holds], minlength=8)
    found = []
    source = SeededSource(8)
    for _ in range(120):
        release = SpluGen(3).publish_codes(codes, 8, source)
        published = np.empty(3000, dtype=np.int64)
        published[release.rows] = release.published
        f = np.bincount(published, minlength=8)
        y = np.bincount(published[holds], minlength=8)[None].astype(float)
        counts = published_co_occurrence(f, SpluGen(3))
        inversion = Inversion(counts, f.astype(float), PublishedCount.of(3))
        error = inversion.standard_errors(np.repeat(y, 8, axis=0), np.eye(8))
        found.append((inversion.estimates(y)[0] - true) / error)
    rms = np.sqrt(np.mean(np.square(found), axis=0))
    # The standard deviation of each of the eight is about 6.5 %.
    assert rms.min() > 0.7
    assert rms.max() < 1.3


def test_matrices_of_several_sets_are_those_of_each() -> None:
    counts = published_co_occurrence(np.array([90, 70, 50, 40, 0]), SpluGen(3))
    members = np.array([[1, 0, 1, 0, 0], [0, 0, 0, 0, 1], [1, 1, 1, 1, 1], [0, 1, 0, 0, 0]], dtype=float)
    for keep in (None, "2/3"):
        together = set_matrix(counts, members, PublishedCount.of(3, keep))
        for matrix, indicator in zip(together, members, strict=True):
            assert matrix == near(set_matrix(counts, indicator, PublishedCount.of(3, keep)), rel=1e-7)


def test_what_makes_no_matrix_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="2 values are published, fewer than gamma = 3"):
        published_co_occurrence(np.array([5, 0, 4, 0]), SpluGen(3))
    monkeypatch.setattr(transition, "MOST_VALUES", 4)
    with pytest.raises(InputError, match="the column has 5 values"):
        published_co_occurrence(np.ones(5, dtype=np.int64), SpluGen(5, plan="cyclic"))
