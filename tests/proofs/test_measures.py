"""What the proofs measure with: the law, the printed forms, witnesses, and the figures' data."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb

import pytest

from splu_proofs import LEDGER
from splu_proofs.arithmetic.law import (
    at_least,
    at_most,
    beyond,
    error,
    error_beyond,
    probability_mass,
    trial_weight,
    window,
)
from splu_proofs.evidence import EvidenceError
from splu_proofs.splu.figure4 import true_at_least
from splu_proofs.witness import decimal, readable
from splu_proofs.worlds.histograms import greedy_groups, histograms


@pytest.mark.parametrize(("gamma", "f"), [(2, 1), (2, 3), (3, 2), (4, 1), (5, 1)])
def test_the_law_by_every_outcome_of_every_trial(gamma: int, f: int) -> None:
    counts = [0] * (gamma * f + 1)
    for draws in product(range(gamma), repeat=gamma * f):
        counts[draws.count(0)] += 1
    law = [Fraction(count, gamma ** (gamma * f)) for count in counts]
    assert law == [probability_mass(gamma, f, k) for k in range(gamma * f + 1)]
    for k in range(-1, gamma * f + 3):
        assert at_least(gamma, f, k) == sum(law[max(k, 0) :], Fraction(0))
        assert at_most(gamma, f, k) == sum(law[: max(k + 1, 0)], Fraction(0))


def test_windows_and_tails_make_one() -> None:
    for gamma, f, distance in product((2, 3, 7), (1, 2, 9), (1, 2, 3, 12)):
        assert window(gamma, f, distance) + beyond(gamma, f, distance) == 1
    assert trial_weight(3, 4, -1) == trial_weight(3, 4, 5) == 0


def test_errors_at_exactly_epsilon_f_count_in_one_form_alone() -> None:
    assert error(10, Fraction(3, 10), 10) - error_beyond(10, Fraction(3, 10), 10) == (
        probability_mass(10, 10, 7) + probability_mass(10, 10, 13)
    )
    assert error_beyond(10, Fraction(3, 10), 1) == 1 - Fraction(9, 10) ** 9


def test_the_printed_forms_are_as_printed() -> None:
    bound, threshold = LEDGER.printed["splu.T3"], LEDGER.printed["splu.L1"]
    assert bound(3, Fraction(1), 1) == Fraction(1, 3)
    assert bound(10, Fraction(1, 100), 900) == Fraction(1, 810)
    for t_f in (1, 7, 100, 900):
        t_e = bound(10, Fraction(1, 100), t_f)
        assert threshold(10, Fraction(1, 100), t_e) == t_f
        assert threshold(10, Fraction(1, 100), t_e * Fraction(99999, 100000)) == t_f + 1
    with pytest.raises(KeyError):
        LEDGER.printed["splu.T2"]


def test_the_witness_of_theorem_3() -> None:
    witness = LEDGER.get("splu.T3").witness
    assert witness is not None
    assert (witness.printed, witness.true) == (Fraction(1, 3), Fraction(5, 9))
    assert list(witness.smaller()) == [(2, 1, Fraction(1)), (2, 1, Fraction(2))]
    assert "the 2 smaller cases hold" in witness.check(LEDGER.get("splu.T3").hypotheses)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"true": Fraction(4, 9)}, "the values at the witness are"),
        (
            {"allowed": lambda *_: 0, "printed": Fraction(0)},
            r"not the smallest: \(2, 1, Fraction\(1, 1\)\) fails too",
        ),
        ({"allowed": lambda *_: 1, "printed": Fraction(1)}, "does not contradict"),
        ({"parameters": {"gamma": 1, "f": 1, "epsilon": 1}}, "does not meet the hypotheses"),
        ({"premises": ()}, "speaks of 0 of 3 hypotheses"),
        ({"premises": ("", "", "")}, "does not say how"),
        ({"smaller": tuple, "count": 0}, "says why there are none"),
        ({"smaller": lambda: [(3, 1, Fraction(1))]}, "stands among the smaller cases"),
        ({"smaller": lambda: [(2, 1)]}, "is no case of the parameters"),
        ({"actual": lambda *_: Fraction(5, 9)}, "not the smallest|does not change"),
        ({"perturbed": "a => b"}, "needs the perturbation of a function"),
        ({"perturbed": "splu_proofs.arithmetic.law:none larger"}, "there is no function"),
    ],
)
def test_a_wrong_witness_is_refused(change: dict[str, object], complaint: str) -> None:
    witness = LEDGER.get("splu.T3").witness
    assert witness is not None
    with pytest.raises(EvidenceError, match=complaint):
        replace(witness, **change).check(LEDGER.get("splu.T3").hypotheses)  # type: ignore[arg-type]  # the point is what it holds


def test_figure_4_prints_less_than_the_truth_everywhere() -> None:
    data = LEDGER.figures["splu.F4"]()
    assert [series["epsilon"] for series in data["series"]] == [Fraction(k, 100) for k in (1, 3, 5, 7, 9)]
    for series in data["series"]:
        assert len(series["frequencies"]) == len(series["printed"]) == len(series["true"]) == 81
        assert all(printed < true for printed, true in zip(series["printed"], series["true"], strict=True))


@pytest.mark.parametrize(("percent", "f"), [(1, 100), (9, 300), (7, 900)])
def test_the_directed_truth_of_figure_4(percent: int, f: int) -> None:
    epsilon = Fraction(percent, 100)
    n, distance = 10 * f, -(-epsilon * f // 1)
    within = sum(comb(n, k) * 9 ** (n - k) for k in range(f - distance + 1, f + distance))
    assert 0 <= 1 - Fraction(within, 10**n) - true_at_least(epsilon, f) < Fraction(1, 2**64)


def test_figure_5_is_the_sawtooth_of_the_paper() -> None:
    data = LEDGER.figures["splu.F5"]()
    assert [series["gamma"] for series in data["series"]] == [5, 10, 20]
    ten = data["series"][1]
    assert ten["frequencies"] == list(range(1, 11))
    assert ten["printed"][0] == 1 - Fraction(9, 10) ** 9
    assert decimal(ten["printed"][4], 6) == "0.480067..."
    assert ten["printed"][:9] == ten["true"][:9]
    assert ten["printed"][9] < ten["true"][9]


def test_histograms_and_groups() -> None:
    assert len(list(histograms(6))) == 2**5
    assert greedy_groups((2, 1, 1), 2) == [(0, 1), (0, 2)]
    with pytest.raises(ValueError, match="fewer than gamma"):
        greedy_groups((3, 1), 2)


def test_numbers_for_readers() -> None:
    assert decimal(Fraction(2, 3), 4) == "0.6666..."
    assert decimal(Fraction(5, 4), 2) == "1.25"
    assert readable(Fraction(5, 9)) == "5/9"
    assert readable(Fraction(1, 3**40), 12) == "0.000000000000..."
