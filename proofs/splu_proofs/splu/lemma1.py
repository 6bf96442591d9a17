"""splu.L1: the printed threshold T_f falls with Theorem 3."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ..arithmetic.law import beyond, window
from ..printed.lemma1 import threshold
from ..printed.theorem3 import error_bound
from ..terms import Case, Claim, Comparisons, Derivation, Grade, Identity, Status, Witness

L1 = Claim(
    id="splu.L1",
    module=__name__,
    source="Fu et al. 2014, §4.1, Lemma 1",
    title="the printed threshold",
    statement=r"T_f = (\gamma\varepsilon^2 T_E)^{-1/2} \text{ gives } (\varepsilon,T_E,T_f)\text{ utility}",
    words=(
        "False, because it is Theorem 3 solved for f. Its smallest counterexample is the theorem's: gamma = "
        "3, epsilon = 1, T_E = 1/3 gives T_f = 1, where the error probability is 5/9. At gamma = 10, epsilon "
        "= 1/100 and f = 900 it promises an error probability of 1/810 = 0.00123...; the truth is 0.7652..."
    ),
    hypotheses=(r"\gamma \ge 2", r"\varepsilon > 0", r"0 < T_E \le 1"),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("splu.D1", "splu.T3"),
    corrected_by="splu.L1c",
    topples=("splu.F4", "splu.F4s"),
    tests=("tests/docs/test_witnesses.py::test_lemma_1",),
)


@L1.refutation
def smallest_counterexample() -> Witness:
    """At gamma = 3, epsilon = 1, T_E = 1/3: printed T_f = 1, where the error probability is 5/9."""
    return Witness(
        parameters={"gamma": 3, "epsilon": Fraction(1), "T_E": Fraction(1, 3), "f": 1},
        premises=(
            lambda gamma, _epsilon, _t_e, _f: gamma >= 2,
            lambda _gamma, epsilon, _t_e, _f: epsilon > 0,
            lambda _gamma, _epsilon, t_e, _f: 0 < t_e <= 1,
        ),
        allowed=lambda gamma, epsilon, t_e, f: t_e if threshold(gamma, epsilon, t_e) <= f else Fraction(1),
        actual=lambda gamma, epsilon, _t_e, f: beyond(gamma, f, int(epsilon * f)),
        printed=Fraction(1, 3),
        true=Fraction(5, 9),
        smaller=cases_before_the_witness,
        count=2,
        order=(
            "gamma f at the count f that breaks the promise; then d over the step points epsilon = d/f. For "
            "given gamma, epsilon and f the smallest T_E whose printed T_f is at most f is 1/(gamma "
            "epsilon^2 f^2), so the promise breaks at f exactly when Theorem 3 does"
        ),
        perturbed="splu_proofs.arithmetic.law:at_most larger",
        by_hand="T_f = (3 * 1 * 1/3)^(-1/2) = 1. At f = 1 the error probability is 1 - 4/9 = 5/9 > 1/3.",
    )


def cases_before_the_witness() -> Iterator[Case]:
    """Generate gamma = 2, f = 1, the only case with gamma f < 3, at every step point of epsilon."""
    for distance in (1, 2):
        yield 2, Fraction(distance), error_bound(2, Fraction(distance), 1), 1


@L1.flaw
def it_is_theorem_3_solved_for_f() -> Derivation:
    """Set the printed bound equal to T_E and get the printed T_f."""
    return Derivation(
        setting="S = T_f^2 = 1/(gamma epsilon^2 T_E).",
        steps=(
            Identity(
                name="the sign at f",
                says="T_E - 1/(gamma epsilon^2 f^2) = T_E (f^2 - S)/f^2: at least 0 exactly from f^2 = S on.",
                variables={"gamma": 2, "epsilon": 1, "t_e": 1, "f": 1},
                left=lambda gamma, epsilon, t_e, f: t_e - 1 / (gamma * epsilon**2 * f**2),
                right=lambda gamma, epsilon, t_e, f: t_e * (f**2 - 1 / (gamma * epsilon**2 * t_e)) / f**2,
            ),
        ),
        conclusion="Nothing is wrong with the step; what it starts from, splu.T3, is false.",
    )


@L1.computation(cases=4, perturbed="splu_proofs.arithmetic.law:window larger")
def the_example_of_figure_4() -> Comparisons:
    """At gamma = 10, epsilon = 1/100, f = 900: printed 1/810, true between 0.7652 and 0.7653."""
    gamma, epsilon, f = 10, Fraction(1, 100), 900
    promised = error_bound(gamma, epsilon, f)
    truth = 1 - window(gamma, f, 9)
    yield (promised, "=", Fraction(1, 810), "the printed bound is not 1/810")
    yield (threshold(gamma, epsilon, promised), "=", f, "the printed threshold is not 900")
    yield (Fraction("0.7652"), "<", truth, "the true error probability is not 0.7652...")
    yield (truth, "<", Fraction("0.7653"), "the true error probability is not 0.7652...")
