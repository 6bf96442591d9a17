"""splu.F4: figure 4 is drawn from Theorem 3 and is wrong at every plotted point."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from ..arithmetic.law import beyond, window
from ..printed.theorem3 import error_bound
from ..terms import Claim, Comparisons, Grade, Status, Witness, decimal

F4 = Claim(
    id="splu.F4",
    module=__name__,
    source="Fu et al. 2014, §4.1, Figure 4",
    title="figure 4",
    statement=(
        r"\gamma=10:\quad T_E = \frac{1}{\gamma\varepsilon^2 T_f^2},\quad 100\le T_f\le 900,\ "
        r"\varepsilon\in\{.01,.03,.05,.07,.09\}"
    ),
    words=(
        "Every point of the figure promises a smaller error probability than the true one. The first, "
        "epsilon = 1/100 at 100, promises 0.1 where the truth is 0.9579...; at the last, epsilon = 9/100 "
        "at 900, the truth is more than 300 times the promise."
    ),
    hypotheses=(r"\gamma = 10",),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("splu.T3", "splu.L1"),
    topples=("splu.F4s",),
    corrected_by="splu.L1c",
    tests=("tests/proofs/test_measures.py::test_figure_4_prints_less_than_the_truth_everywhere",),
)

GAMMA = 10
EPSILONS = tuple(Fraction(k, 100) for k in (1, 3, 5, 7, 9))
FREQUENCIES = range(100, 901)
_UNIT = 1 << 80


@F4.refutation
def first_plotted_point() -> Witness:
    """At epsilon = 1/100, f = 100: printed 1/10, true 1 - b(1000; 100)."""
    return Witness(
        parameters={"gamma": 10, "epsilon": Fraction(1, 100), "f": 100},
        premises=(lambda gamma, _epsilon, _f: gamma == GAMMA,),
        allowed=error_bound,
        actual=lambda gamma, epsilon, f: 1 - window(gamma, f, int(epsilon * f)),
        printed=Fraction(1, 10),
        true=1 - Fraction(comb(1000, 100) * 9**900, 10**1000),
        none_smaller="it is the first point of the figure",
        order="T_f, then epsilon, over the points of the figure; it is the first",
        perturbed="splu_proofs.arithmetic.law:window larger",
        by_hand=(
            "epsilon f = 1, so every published count but 100 is an error, with probability 1 - C(1000,100) "
            "9^900/10^1000 = 0.957... The figure has 1/(10 * 0.0001 * 10000) = 1/10."
        ),
    )


@F4.computation(
    cases=4006,
    perturbed=(
        "splu_proofs.splu.figure4:true_at_least smaller",
        "splu_proofs.printed.theorem3:error_bound larger",
    ),
)
def every_whole_point_of_every_curve() -> Comparisons:
    """Bound the true error from below at every whole T_f of the five curves; it always exceeds the print."""
    for epsilon in EPSILONS:
        for f in FREQUENCIES:
            ratio = true_at_least(epsilon, f) / error_bound(GAMMA, epsilon, f)
            yield (ratio, ">", 1, f"epsilon = {epsilon}, f = {f}: the printed value is not exceeded")
    last = true_at_least(EPSILONS[-1], 900) / error_bound(GAMMA, EPSILONS[-1], 900)
    yield (last, ">", 300, "the last point is less wrong than stated")


def true_at_least(epsilon: Fraction, f: int) -> Fraction:
    """Return Pr(abs(f' - f) >= epsilon f) at gamma = 10, rounded down by less than 2^-64.

    The window is summed in units of 2^-80, each term rounded up.
    """
    n = GAMMA * f
    first = -(-comb(n, f) * (GAMMA - 1) ** (n - f) * _UNIT // GAMMA**n)
    total = above = below = first
    for step in range(1, -(-epsilon * f // 1)):
        above = -(-above * (n - f - step + 1) // ((f + step) * (GAMMA - 1)))
        below = -(-below * (f - step + 1) * (GAMMA - 1) // (n - f + step))
        total += above + below
    return max(Fraction(0), 1 - Fraction(total, _UNIT))


def data(step: int = 10) -> dict[str, object]:
    """Return what figure 4 shows, and what it should show.

    Parameters
    ----------
    step
        Distance between neighboring T_f.

    Returns
    -------
    dict
        ``gamma``, and ``series``: for every epsilon a dict with ``epsilon`` (Fraction), ``frequencies``
        (T_f, int), ``printed`` (Theorem 3, Fraction) and ``true`` (Fraction, rounded down by less than
        2^-64).
    """
    frequencies = list(FREQUENCIES[::step])
    return {
        "gamma": GAMMA,
        "series": [
            {
                "epsilon": epsilon,
                "frequencies": frequencies,
                "printed": [error_bound(GAMMA, epsilon, f) for f in frequencies],
                "true": [true_at_least(epsilon, f) for f in frequencies],
            }
            for epsilon in EPSILONS
        ],
    }


F4S = Claim(
    id="splu.F4s",
    module=__name__,
    source="Fu et al. 2014, §6.6, with Figure 4",
    title="large sums of 100 or above",
    statement=(
        r"\gamma=10,\ f\ge100,\ \varepsilon\in\{.01,.03,.05,.07,.09\}:\quad "
        r"\Pr(|f'-f|\ge\varepsilon f)\le\frac{1}{\gamma\varepsilon^2 f^2}"
    ),
    words=(
        "False. Figure 4 is taken to show the utility of sums of 100 and more. At gamma = 10 and f = 100 it "
        "promises an error of at most .1, .0111, .004, .0020, .0012 for epsilon = .01, .03, .05, .07, .09; "
        "the true error is .957, .792, .635, .493 and .370. At epsilon = 3/10, where it is small, f = 100 is "
        "wrong with .0019. How large a sum must be for a wanted error is splu.L1c."
    ),
    hypotheses=(r"\gamma = 10",),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("splu.F4", "splu.T3"),
    corrected_by="splu.L1c",
)


@F4S.refutation
def sums_of_one_hundred() -> Witness:
    """At f = 100 and epsilon = 9/100, the mildest of the five: printed 1/810, true above 1/3."""
    return Witness(
        parameters={"gamma": 10, "epsilon": Fraction(9, 100), "f": 100},
        premises=(lambda gamma, _epsilon, _f: gamma == GAMMA,),
        allowed=error_bound,
        actual=lambda _gamma, epsilon, f: _far(f, int(epsilon * f)),
        printed=Fraction(1, 810),
        true=1 - window(GAMMA, 100, 9),
        none_smaller="f = 100 is the least of the figure",
        order="f; at its least f the claim fails at every epsilon of the figure, shown at the largest",
        perturbed="splu_proofs.arithmetic.law:at_most larger",
        by_hand="epsilon f = 9: published counts of 92 .. 108 are within, and hold 0.630 of the law.",
    )


def _far(f: int, distance: int) -> Fraction:
    """Return Pr(abs(X_f - f) >= distance) by its two tails, which the window is compared with."""
    return beyond(GAMMA, f, distance)


@F4S.computation(cases=7, perturbed="splu_proofs.arithmetic.law:beyond larger")
def the_five_errors_at_one_hundred() -> Comparisons:
    """Compute the errors in words: at f = 100 for the five epsilons of the figure, and for 3/10."""
    found = [beyond(GAMMA, 100, int(100 * epsilon)) for epsilon in EPSILONS]
    derived = [decimal(value, 3) for value in found]
    yield (derived, "=", ["0.957...", "0.792...", "0.635...", "0.493...", "0.370..."], f"{derived}")
    for value, e in zip(found, EPSILONS, strict=True):
        print_ = error_bound(GAMMA, e, 100)
        yield (value, ">", 9 * print_, f"epsilon = {e}: the error against nine times the printed bound")
    far = decimal(beyond(GAMMA, 100, 30), 4)
    yield (far, "=", "0.0019...", far)
