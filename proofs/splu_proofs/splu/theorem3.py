"""splu.T3: the printed bound of the error probability is false, for every (gamma, f) but one."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ..arithmetic.law import beyond, cumulative, probability_mass
from ..arithmetic.trials import MIX, MODE_FALLS, MODE_RISES, NEXT, PASCAL
from ..printed.theorem3 import error_bound
from ..terms import Case, Claim, Comparisons, Derivation, Grade, Identity, Kernel, Status, Witness, decimal

T3 = Claim(
    id="splu.T3",
    module=__name__,
    source="Fu et al. 2014, §4.1, Theorem 3",
    title="the printed error bound",
    statement=r"\Pr(|f'-f|\ge\varepsilon f)\le \frac{1}{\gamma\varepsilon^2f^2}",
    words=(
        "False. The printed proof divides the variance by the number of trials twice. At epsilon = 1/f the "
        "bound is 1/gamma, and the true probability exceeds it for every gamma >= 2 and f >= 1 except gamma "
        "= 2, f = 1; the smallest case is gamma = 3, f = 1, epsilon = 1, where 5/9 is printed to be at most "
        "1/3. The worst ratio of truth to print over all epsilon is about 0.38 (gamma - 1) f for gamma <= "
        "10, f <= 40, by computation; the normal approximation makes it 0.3314 (gamma - 1) f for large f."
    ),
    hypotheses=(r"\gamma \ge 2", r"f \ge 1", r"\varepsilon > 0"),
    status=Status.REFUTED,
    grade=Grade.KERNEL,
    rests_on=("splu.B",),
    corrected_by="splu.T3c",
    topples=("splu.L1", "splu.F4", "splu.F4s"),
    tests=(
        "tests/docs/test_witnesses.py::test_theorem_3",
        "tests/guarantees/test_count_error.py::test_the_count_that_refutes_the_printed_theorem_3",
    ),
    kernel=Kernel(
        theorems=(
            "PrintedErrorBound.printed_bound_refuted",
            "PrintedErrorBound.witness_probability",
            "PrintedErrorBound.witness_bound",
            "PrintedErrorBound.witness",
            "PrintedErrorBound.nothing_smaller",
            "PrintedErrorBound.fails_almost_everywhere",
        ),
        covers=(
            "The refutation: the two sides at the counterexample, that the printed bound holds for every "
            "epsilon where gamma f < 3, and that at epsilon = 1/f it fails for every gamma and f but "
            "gamma = 2, f = 1."
        ),
        leaves="How wrong the bound gets.",
    ),
)


@T3.refutation
def smallest_counterexample() -> Witness:
    """At gamma = 3, f = 1, epsilon = 1: the probability is 5/9, the printed bound 1/3."""
    return Witness(
        parameters={"gamma": 3, "f": 1, "epsilon": Fraction(1)},
        premises=(
            lambda gamma, _f, _epsilon: gamma >= 2,
            lambda _gamma, f, _epsilon: f >= 1,
            lambda _gamma, _f, epsilon: epsilon > 0,
        ),
        allowed=lambda gamma, f, epsilon: error_bound(gamma, epsilon, f),
        actual=lambda gamma, f, epsilon: beyond(gamma, f, int(epsilon * f)),
        printed=Fraction(1, 3),
        true=Fraction(5, 9),
        smaller=cases_before_the_witness,
        count=2,
        order=(
            "gamma f, the number of records that can publish the value; then d over the step points epsilon "
            "= d/f, which decide all epsilon"
        ),
        perturbed="splu_proofs.arithmetic.law:at_most larger",
        by_hand=(
            "X ~ Bin(3, 1/3). |X - 1| >= 1 unless X = 1, so the probability is 1 - 3 (1/3)(2/3)^2 = 1 - 4/9 "
            "= 5/9. The printed bound is 1/(3 * 1 * 1) = 1/3."
        ),
    )


def cases_before_the_witness() -> Iterator[Case]:
    """Generate everything with gamma f < 3, which is gamma = 2, f = 1.

    For fixed gamma and f the true probability is a step function of epsilon that falls only behind
    epsilon = d/f for whole d, while the bound falls everywhere. So within a step the bound is tightest at
    epsilon = d/f, and these points decide every epsilon. Beyond the largest distance that X can have from f
    the probability is 0. At gamma f = 3 the witness has d = 1, the first step point.
    """
    for trials in range(2, 3):
        for f in range(1, trials // 2 + 1):
            gamma, rest = divmod(trials, f)
            if rest == 0:
                yield from ((gamma, f, Fraction(distance, f)) for distance in range(1, trials + 1))


@T3.derivation
def it_fails_almost_everywhere() -> Derivation:
    """At epsilon = 1/f the bound is 1/gamma and the truth 1 - b(gamma f; f), which is more."""
    return Derivation(
        setting=(
            "b(m; a) is the probability of a successes in m trials of probability 1/gamma. At epsilon = 1/f "
            "the printed bound 1/(gamma epsilon^2 f^2) is 1/gamma, and the truth is Pr(X_f != f) = 1 - "
            "b(gamma f; f). At f = 1, b(gamma; 1) = (1-1/gamma)^(gamma-1), which is (1-1/gamma)^(gamma-2) "
            "times 1 - 1/gamma: less than that for gamma >= 3, and equal at gamma = 2."
        ),
        steps=(NEXT, MODE_RISES, MODE_FALLS, PASCAL, MIX),
        conclusion=(
            "For gamma >= 3: b(gamma f; f) <= b(gamma; 1) < 1 - 1/gamma, so the truth exceeds 1/gamma. For "
            "gamma = 2 and f >= 2: b(2f; f) <= b(4; 2) = 3/8 < 1/2. Left is gamma = 2, f = 1, where both "
            "are 1/2."
        ),
    )


@T3.computation(cases=2, perturbed="splu_proofs.arithmetic.law:beyond larger")
def it_fails_in_a_block_of_cases() -> Comparisons:
    """At gamma 2..12, f 1..30: the truth at epsilon = 1/f exceeds 1/gamma except at (2, 1)."""
    yield (probability_mass(2, 2, 2), "=", Fraction(3, 8), "b(4; 2) is not 3/8")
    holds = [
        (gamma, f)
        for gamma in range(2, 13)
        for f in range(1, 31)
        if beyond(gamma, f, 1) <= error_bound(gamma, Fraction(1, f), f)
    ]
    yield (holds, "=", [(2, 1)], f"at epsilon = 1/f the bound holds at {holds}")


@T3.computation(
    cases=3,
    perturbed=(
        "splu_proofs.splu.theorem3:_worst_ratio larger",
        "splu_proofs.arithmetic.law:cumulative doubled",
    ),
)
def how_wrong_it_gets() -> Comparisons:
    """Find the worst ratio of truth to print over gamma 2..10, f 1..40 and every epsilon.

    Only epsilon = d/f matter (see the witness). As f grows, (X - f)/sqrt(f) is nearly normal with variance
    v = (gamma-1)/gamma, and the ratio at d = z sqrt(v f) is nearly (gamma-1) f times z^2 Pr(|normal| >= z),
    whose largest value is 0.3314... at z = 1.19.
    """
    worst = max(_worst_ratio(gamma, f) for gamma in range(2, 11) for f in range(1, 41))
    ratio, gamma, f, _d = worst
    yield ((gamma, f), "=", (10, 40), f"the worst case is at gamma = {gamma}, f = {f}")
    per_unit = ratio / ((gamma - 1) * f)
    yield (Fraction(3, 10), "<", per_unit, f"the ratio is {decimal(per_unit, 4)} (gamma-1) f")
    yield (per_unit, "<", Fraction(2, 5), f"the ratio is {decimal(per_unit, 4)} (gamma-1) f")


def _worst_ratio(gamma: int, f: int) -> tuple[Fraction, int, int, int]:
    """Return the largest truth / print = gamma d^2 Pr(abs(X - f) >= d) over all d, with gamma, f and d."""
    n, below = gamma * f, cumulative(gamma, f)
    counts = (
        (d * d * (below[n] - below[min(f + d, n + 1) - 1] + (below[f - d] if d <= f else 0)), d)
        for d in range(1, n - f + 1)
    )
    most, distance = max(counts)
    return Fraction(most * gamma, gamma**n), gamma, f, distance


@T3.flaw
def the_variance_is_divided_twice() -> Derivation:
    """Divide p(1-p) by n = gamma f once, and see what the printed proof gets by dividing twice."""
    return Derivation(
        setting=(
            "p = 1/gamma, n = gamma f; the mean of the trials is f'/n and its distance from p is delta = "
            "epsilon p."
        ),
        steps=(
            Identity(
                name="what Chebyshev gives",
                says="p(1-p) / (n delta^2) = (gamma-1)/(gamma epsilon^2 f), which is splu.T3c.",
                variables={"gamma": 2, "f": 1, "epsilon": 1},
                left=lambda gamma, f, epsilon: (
                    (1 / gamma) * (1 - 1 / gamma) / (gamma * f * (epsilon / gamma) ** 2)
                ),
                right=lambda gamma, f, epsilon: (gamma - 1) / (gamma * epsilon**2 * f),
            ),
            Identity(
                name="divided once more",
                says=(
                    "p(1-p) / (n^2 delta^2) = ((gamma-1)/gamma) / (gamma epsilon^2 f^2); print drops "
                    "(gamma-1)/gamma."
                ),
                variables={"gamma": 2, "f": 1, "epsilon": 1},
                left=lambda gamma, f, epsilon: (
                    (1 / gamma) * (1 - 1 / gamma) / ((gamma * f) ** 2 * (epsilon / gamma) ** 2)
                ),
                right=lambda gamma, f, epsilon: (gamma - 1) / gamma / (gamma * epsilon**2 * f**2),
            ),
        ),
        conclusion=(
            "The factor n is divided out a second time, so the printed bound is too small by (gamma-1) f."
        ),
    )
