"""Levels of conjunctive concepts, against every (y3, y1) tried with the estimators themselves."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import ceil, comb, floor
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pytest

from splu_proofs import LEDGER
from splu_proofs.printed.iteration import fixed_point
from splu_proofs.printed.reconstruction import lies_between
from splu_ref.audit import ConceptCase, concept_error, concept_minimum
from splu_ref.audit.mixed_concepts import best_mixed_concept, exact_lies_between
from splu_ref.audit.pure_concepts import best_pure_concept, pure_work
from splu_ref.channels import PublishedCount
from splu_ref.channels.binomial import left, one_budget
from splu_ref.channels.parameters import Gamma, InputError, ParameterError
from splu_ref.estimators import conjunction_estimate
from splu_ref.guarantees import error_probability, privacy_minimum

Counts: TypeAlias = npt.NDArray[np.int64]


def _mass(gamma: int, trials: int, k: int) -> Fraction:
    return Fraction(comb(trials, k) * (gamma - 1) ** (trials - k), gamma**trials)


def _error(gamma: int, epsilon: Fraction, case: ConceptCase) -> Fraction:
    """Pr(abs(estimate - x3) >= epsilon x3), asking the shipped estimator for every (y3, y1)."""
    x3 = case.concept_count
    inside = x3 + case.decoys_in_predicate
    outside = gamma * case.sensitive_count - inside
    wrong, law = Fraction(0), PublishedCount.of(gamma)
    for y3, y1 in product(range(inside + 1), range(outside + 1)):
        try:
            estimate = conjunction_estimate(y3, y3 + y1, case.predicate_count, case.rows, law)
            right = abs(estimate - x3) < epsilon * x3
        except ParameterError:
            raise
        except InputError:
            right = False
        if not right:
            wrong += _mass(gamma, inside, y3) * _mass(gamma, outside, y1)
    return wrong


def _cases(gamma: int, x3: int, f: int, rows: int) -> list[ConceptCase]:
    return [
        ConceptCase(n, x3, f, rows, decoys)
        for n in range(x3, rows + 1)
        for decoys in range(min(n - x3, (gamma - 1) * f) + 1)
        if rows - n >= gamma * f - x3 - decoys
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gamma", "epsilon", "alpha", "level"),
    [
        (5, "1/10", 5, Fraction(4, 5) ** 5),  # |P| = 5, all with the value, and none published with it
        (5, "3/10", 5, Fraction(4, 5) ** 6),  # five of six
        (5, "3/10", 7, Fraction(4, 5) ** 9),
        (10, "1/10", 11, Fraction(9, 10) ** 12),
        (2, "1/4", 2, Fraction(1, 4)),
    ],
)
def test_known_levels_of_the_closed_form(gamma: int, epsilon: str, alpha: int, level: Fraction) -> None:
    found = concept_minimum(gamma, epsilon, alpha, "exact")
    assert found.t_p == found.t_p_pure == level
    assert _error(gamma, Fraction(epsilon), found.worst) == level
    assert level < privacy_minimum(gamma, epsilon, alpha).t_p.exact()


def test_the_published_example_falls() -> None:
    found = concept_minimum(10, "0.3", 3, "exact")
    assert found.t_p == found.t_p_mixed == _error(10, Fraction(3, 10), found.worst)
    assert Fraction("0.5362") < found.t_p < Fraction("0.5363") < privacy_minimum(10, "0.3", 3).t_p.exact()
    assert not found.proved


@pytest.mark.parametrize("epsilon", ["1/10", "3/10", "1/2", "1"])
@pytest.mark.parametrize("gamma", [2, 3])
def test_pure_predicates_against_every_small_case(gamma: int, epsilon: str) -> None:
    ratio = Fraction(epsilon)
    for x3 in range(1, 4):
        least = min(
            _error(gamma, ratio, case)
            for f in (x3, x3 + 1)
            for rows in (gamma * f, 4 * gamma * f)
            for case in _cases(gamma, x3, f, rows)
            if case.predicate_count < (1 + ratio) * x3
        )
        n = ceil((1 + ratio) * x3) - 1
        level = sum((_mass(gamma, n, k) for k in range(floor((1 - ratio) * x3 / gamma) + 1)), Fraction(0))
        assert least >= level
        found = concept_minimum(gamma, epsilon, x3, "exact")
        assert found.t_p_pure <= level


@pytest.mark.slow
def test_every_last_count_of_a_step_is_enough() -> None:
    for gamma, hundredths, alpha in product((2, 5), (1, 10, 30, 99, 100), (1, 7, 40)):
        epsilon = Fraction(hundredths, 100)
        levels = []
        for x3 in range(1, alpha + 1):
            n, most = ceil((1 + epsilon) * x3) - 1, floor((1 - epsilon) * x3 / gamma)
            levels.append(sum((_mass(gamma, n, k) for k in range(most + 1)), Fraction(0)))
        assert best_pure_concept(Gamma(gamma), epsilon, alpha)[0] == min(levels)


@pytest.mark.parametrize(
    ("gamma", "epsilon", "limit"), [(2, "3/10", 3), (2, "1/10", 3), (3, "1/2", 2), (3, "1", 1), (2, "1", 2)]
)
def test_the_search_finds_what_trying_everything_finds(gamma: int, epsilon: str, limit: int) -> None:
    ratio = Fraction(epsilon)
    everything = min(
        _error(gamma, ratio, case)
        for x3 in range(1, limit + 1)
        for f in (x3, x3 + 1)
        for rows in (2 * gamma * f, 3 * gamma * f)
        for case in _cases(gamma, x3, f, rows)
        if case.predicate_count >= (1 + ratio) * x3
    )
    found = best_mixed_concept(Gamma(gamma), ratio, limit, (2, 3), None)
    assert found is not None
    assert found[0] == everything == _error(gamma, ratio, found[1])


def test_an_awkward_epsilon_changes_nothing() -> None:
    plain = best_mixed_concept(Gamma(3), Fraction(3, 10), 2, (4,), None)
    awkward = best_mixed_concept(Gamma(3), Fraction(3 * 10**30 + 1, 10**31), 2, (4,), None)
    assert plain is not None
    assert awkward is not None
    assert awkward[0] == _error(3, Fraction(3 * 10**30 + 1, 10**31), awkward[1])
    assert awkward[0] <= plain[0]


@pytest.mark.parametrize("case", [ConceptCase(7, 2, 3, 30, 2), ConceptCase(20, 1, 2, 24, 3)])
def test_the_comparison_is_that_of_the_estimator(case: ConceptCase) -> None:
    for epsilon in (Fraction(1, 10), Fraction(1), Fraction(5, 2)):
        assert concept_error(Gamma(3), epsilon, case) == _error(3, epsilon, case)
    y3, y1 = np.arange(4)[:, None], np.arange(3)[None, :]
    right = exact_lies_between(y3, y1, 7, 30, 3, Fraction(1), Fraction(3))
    for i, j in product(range(4), range(3)):
        assert right[i, j] == (1 < conjunction_estimate(i, i + j, 7, 30, PublishedCount.of(3)) < 3)


@pytest.mark.parametrize("epsilon", ["1/10", "3/10", "1", "3/2"])
def test_f_prime_as_the_estimate_is_worst_alone(epsilon: str) -> None:
    ratio = Fraction(epsilon)
    for gamma, alpha in product((2, 3), (1, 3)):
        least = min(
            sum(
                (_mass(gamma, gamma * f, k) for k in range(gamma * f + 1) if abs(k - x3) >= ratio * x3),
                Fraction(0),
            )
            for x3 in range(1, alpha + 1)
            for f in range(x3, x3 + 4)
        )
        found = concept_minimum(gamma, epsilon, alpha)
        assert (found.t_p, found.proved) == (least, True)
        assert error_probability(gamma, epsilon, found.worst.sensitive_count).exact() == least


def test_the_printed_reconstruction_breaks_theorem_4() -> None:
    found = concept_minimum(2, "2/5", 1, lies_between)
    assert (found.t_p, found.t_p_pure) == (Fraction(1, 4), Fraction(1, 2))
    assert found.worst == ConceptCase(32, 1, 1, 32, 1)
    assert concept_minimum(5, "0.3", 2, lies_between).t_p < privacy_minimum(5, "0.3", 2).t_p.exact()


def test_the_printed_comparison_is_where_the_iteration_ends() -> None:
    compared = 0
    for gamma, rows, n in ((2, 40, 9), (3, 60, 50), (5, 100, 15), (5, 100, 100)):
        for y3, y1 in product(range(1, 6), range(5)):
            if 2 * gamma * (y3 + y1) <= rows and y1 <= rows - n and gamma * y3 != n:
                x3 = fixed_point((rows - n - y1, y1, n - y3, y3), gamma)[3]
                low, high = (Fraction(round(x3 * 10**6) + shift, 10**6) for shift in (-1000, 1000))
                counts = np.array([y3]), np.array([y1])
                assert lies_between(*counts, n, rows, gamma, low, high)
                assert not lies_between(*counts, n, rows, gamma, high, high + n)
                assert not lies_between(*counts, n, rows, gamma, low - n, low)
                compared += 1
    assert compared > 30


def test_beyond_epsilon_one_reconstructions_promise_nothing() -> None:
    found = concept_minimum(5, "1.01", 3, "exact")
    assert found.t_p == 0
    assert found.proved
    assert found.t_p_mixed is None
    assert concept_error(Gamma(5), Fraction("1.01"), found.worst) == 0


@pytest.mark.slow
def test_long_fractions_are_compared_only_where_short_ones_leave_it_open() -> None:
    requested = {True: 0, False: 0}

    def counting(y3: Counts, y1: Counts, n: int, rows: int, gamma: int, low: Fraction, high: Fraction) -> Any:
        requested[low.denominator > 2**64] += np.broadcast(y3, y1).size
        return lies_between(y3, y1, n, rows, gamma, low, high)

    near = Fraction(1, 2) - Fraction(1, 10**300)
    found = concept_minimum(3, near, 4, counting)
    assert requested[True] < requested[False]
    for case in (ConceptCase(9, 4, 4, 192, 3), ConceptCase(17, 4, 4, 192, 5)):
        y3, y1 = np.arange(10)[:, None], np.arange(10)[None, :]
        retained = lies_between(y3, y1, case.predicate_count, 192, 3, 4 * (1 - near), 4 * (1 + near))
        wrong = sum(
            (_mass(3, inside, y3) * _mass(3, 12 - inside, y1))
            for inside in (case.concept_count + case.decoys_in_predicate,)
            for y3, y1 in product(range(inside + 1), range(13 - inside))
            if not retained[y3, y1]
        )
        assert concept_error(Gamma(3), near, case, lies_between) == wrong
    assert found.t_p_mixed is not None
    assert found.t_p_mixed <= wrong


def test_progress_is_reported_and_ends() -> None:
    reported: list[tuple[int, int]] = []
    concept_minimum(3, "0.3", 4, "exact", progress=lambda done, whole: reported.append((done, whole)))
    assert reported == [(1, 100), (9, 100), (36, 100), (100, 100)]


@pytest.mark.parametrize(
    ("gamma", "epsilon", "alpha", "method", "message"),
    [
        (1, "0.3", 3, "mle", "gamma"),
        (5, "0", 3, "exact", "epsilon must be greater"),
        (5, 0.3, 3, "exact", "float"),
        (5, "0.3", 0, "exact", "alpha"),
        (5, "0.3", 3, "printed", "give one of mle, exact"),
        (5, "0.3", 12_001, "exact", "at most 12000"),
    ],
)
def test_unusable_parameters_are_refused(
    gamma: int, epsilon: str, alpha: int, method: str, message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        concept_minimum(gamma, epsilon, alpha, method)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gamma", "alpha", "figure"),
    [(5, 1, ".591"), (5, 3, ".512"), (5, 5, ".263"), (5, 7, ".135"), (5, 20, ".099"),
     (10, 3, ".537"), (10, 5, ".430"), (10, 10, ".283")],
)  # fmt: skip
def test_the_figures_in_the_words_of_the_claim(gamma: int, alpha: int, figure: str) -> None:
    level = concept_minimum(gamma, "0.3", alpha, "exact").t_p
    assert Fraction(figure) - Fraction(1, 1000) < level <= Fraction(figure)
    assert figure in LEDGER.get("splu.T4c").words


def test_nearly_pure_predicates_cost_no_more_than_was_said() -> None:
    # errors far below the last bit of 1 are distinguished by themselves, and not by their complements
    gamma, epsilon = Gamma(2), Fraction(3, 10)
    with one_budget():
        before = left()
        best_pure_concept(gamma, epsilon, 8_000)
        assert before - left() < pure_work(gamma, epsilon, 8_000) / 4
