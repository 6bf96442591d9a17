"""splu.FRONT: what T_f costs T_P when groups contribute independently and blindly to a count."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import factorial

from ..arithmetic.law import error
from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Inequality, Status, Witness, decimal

FRONT = Claim(
    id="splu.FRONT",
    module=__name__,
    source="new; on Fu et al. 2014, §4.2, Definitions 1 and 2",
    title="the frontier of blind draws, read as an inequality",
    statement=r"T_f \ge z^2 \alpha\, T_P,\quad \Pr(|Z| \ge z) = T_E,\ Z \text{ normal}",
    words=(
        "If each group adds to a count by the same law, independently and without knowing the count, "
        "Chebyshev at alpha and the central limit at T_f suggest T_f >= z^2 alpha T_P, for one epsilon in "
        "both. As an inequality it is false, and SPLU-Gen itself shows it: the tails of a bounded sum are "
        "lighter than normal ones. With gamma = 2, epsilon = 0.9, alpha = 1: T_P = 1/2, and from f = 6 on "
        "the count errs with at most T_E = 1/2048, for which z^2 / 2 is above 6.05."
    ),
    hypotheses=("groups that contribute independently, by one law, blind to counts", r"E\,k = 1"),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("splu.B",),
    corrected_by="splu.FRONTc",
)
_PI = (Fraction(333, 106), Fraction(355, 113))
"""Bounds of pi."""


def _two_tails(square: int, *, upper: bool) -> Fraction:
    """Return a bound of Pr(|Z| >= sqrt(square)): sqrt(2/pi) e^(-x^2/2) 2 / (x + sqrt(x^2 + b)).

    With b = 4 it is a lower bound, and with b = 8/pi an upper one (Birnbaum 1942, Sampford 1953).
    """
    terms = [Fraction(square, 2) ** i / factorial(i) for i in range(60)]
    growth = sum(terms, Fraction(0)) + (Fraction(0) if upper else 2 * terms[-1])
    pi, other = _PI if upper else _PI[::-1]
    inner = 8 / other if upper else Fraction(4)
    below = _root(Fraction(square), up=not upper) + _root(square + inner, up=not upper)
    return _root(2 / pi, up=upper) * 2 / (growth * below)


def _root(value: Fraction, *, up: bool) -> Fraction:
    """Return a bound of a square root, 10^-6 apart at most."""
    scale = 10**6
    low, high = 0, scale * (int(value) + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle * middle <= value * scale**2 else (low, middle)
    return Fraction(high if up else low, scale)


def _errs(f: int) -> Fraction:
    """Return the largest error at f or above, gamma = 2, epsilon = 0.9; from f + 20 on it is 2 e^(-.81 f)."""
    return max(error(2, Fraction(9, 10), g) for g in range(f, f + 20))


@FRONT.refutation
def lighter_tails_than_normal_ones() -> Witness:
    """Gamma = 2, epsilon = 0.9, alpha = 1: at T_E = 1/2048 the threshold 6 is below z^2 / 2."""
    return Witness(
        parameters={"gamma": 2, "epsilon": Fraction(9, 10), "alpha": 1, "T_f": 6},
        premises=("the draws of SPLU-Gen are such groups", "the mean of a group's count is 1"),
        allowed=lambda _gamma, _epsilon, _alpha, f: _errs(f),
        actual=lambda _gamma, _epsilon, _alpha, f: _two_tails(2 * f, upper=False),
        above=lambda _gamma, _epsilon, _alpha, f: _two_tails(2 * f, upper=True),
        printed=Fraction(1, 2048),
        true=_two_tails(12, upper=False),
        smaller=lambda: ((2, Fraction(9, 10), 1, f) for f in range(1, 6)),
        count=5,
        order="f, at gamma = 2, epsilon = 9/10 and alpha = 1, with T_E the error at f",
        perturbed="splu_proofs.splu.draws_frontier:_root larger",
        by_hand=(
            "f' is Bin(12, 1/2) at f = 6 and off by 5.4 or more at 0 and 12 only: 2 / 4096 = 1/2048; at f = "
            "1 it is wrong at 0 and 2: T_P = 1/2. The inequality T_f >= z^2 alpha T_P says z^2 <= 12, so "
            "that a normal variable is beyond sqrt(12) with at most T_E = 0.000488. It is with 0.00053."
        ),
    )


FRONTC = Claim(
    id="splu.FRONTc",
    module=__name__,
    source="corrects the inequality of splu.FRONT",
    title="the frontier of blind draws",
    statement=(
        r"\operatorname{Var} f' \ge \varepsilon^2\alpha\,T_P\,f,\qquad "
        r"T_f \ge \frac{\alpha\,T_P}{1 + (\gamma-1)^2\,T_E/\varepsilon^2}"
    ),
    words=(
        "If each group adds k to a count by one law with mean 1, independently and blind to the count, then "
        "small-sum privacy has a price in every large count: no count with an error of at most T_E is below "
        "about alpha T_P. SPLU-Gen's variance is 3.07, 3.15 and 3.19 times the bound at epsilon = 0.3, alpha "
        "= 10 and gamma = 5, 10, 20. Draws by a cap are not blind: their flags count."
    ),
    hypotheses=(
        "groups that contribute independently, by one law, blind to counts",
        r"E\,k = 1",
        r"0 \le k \le \gamma",
        r"\gamma \ge 2",
        r"0 < \varepsilon < 1",
    ),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.B",),
)


@FRONTC.derivation
def chebyshev_at_both_counts() -> Derivation:
    """Bound the variance from below at alpha, and from above at a count that seldom errs."""
    return Derivation(
        setting=(
            "f' is the sum of f independent k, so Var f' = E (f' - f)^2 = f Var k, and v = Var k. Of one "
            "outcome at a count f: d = |f' - f|, and e = epsilon f. T is the chance of d >= e at f."
        ),
        steps=(
            Inequality(
                name="an error counts at least e^2",
                says="d >= e >= 0 gives d^2 >= e^2.",
                variables=("d", "e"),
                given=lambda d, e: (d - e, e),
                slack=lambda more, e: (e + more, e),
                then=lambda d, e: d**2 - e**2,
            ),
            Identity(
                name="the variance at alpha",
                says="alpha v - (epsilon alpha)^2 T_P, at least 0, is alpha (v - epsilon^2 alpha T_P).",
                variables={"alpha": 0, "v": 0, "epsilon": 0, "T": 0},
                left=lambda alpha, v, epsilon, t: alpha * v - (epsilon * alpha) ** 2 * t,
                right=lambda alpha, v, epsilon, t: alpha * (v - epsilon**2 * alpha * t),
            ),
            Identity(
                name="a group is off by at most gamma - 1",
                says="(gamma-1)^2 - (k-1)^2 = (gamma - k)((gamma - 2) + k), both at least 0.",
                variables={"gamma": 2, "k": 0},
                left=lambda gamma, k: (gamma - 1) ** 2 - (k - 1) ** 2,
                right=lambda gamma, k: (gamma - k) * ((gamma - 2) + k),
            ),
            Identity(
                name="a count that seldom errs",
                says=(
                    "From f v <= (epsilon f)^2 + ((gamma-1) f)^2 T, divided by f: v <= f (epsilon^2 + "
                    "(gamma-1)^2 T)."
                ),
                variables={"f": 1, "epsilon": 0, "gamma": 2, "T": 0},
                left=lambda f, epsilon, gamma, t: ((epsilon * f) ** 2 + ((gamma - 1) * f) ** 2 * t) / f,
                right=lambda f, epsilon, gamma, t: f * (epsilon**2 + (gamma - 1) ** 2 * t),
            ),
            Identity(
                name="the bound of T_f",
                says="epsilon^2 alpha T_P / (epsilon^2 + (gamma-1)^2 T) is the bound as stated.",
                variables={"alpha": 1, "epsilon": 1, "gamma": 2, "P": 0, "T": 0},
                left=lambda alpha, epsilon, gamma, p, t: (
                    epsilon**2 * alpha * p / (epsilon**2 + (gamma - 1) ** 2 * t)
                ),
                right=lambda alpha, epsilon, gamma, p, t: alpha * p / (1 + (gamma - 1) ** 2 * t / epsilon**2),
            ),
        ),
        conclusion=(
            "Averaged over the outcomes at alpha, where d >= e has a chance of at least T_P, the first step "
            "is Chebyshev's inequality, and f v >= epsilon^2 alpha T_P f is the first part. At f an outcome "
            "without an error has d^2 <= e^2, and one with an error d^2 <= ((gamma-1) f)^2: so v is at most "
            "f (epsilon^2 + (gamma-1)^2 T_E) and at least epsilon^2 alpha T_P at every f from T_f on."
        ),
    )


def _sums(law: Sequence[Fraction], most: int) -> list[list[Fraction]]:
    """Return the laws of the sums of 0 .. most independent k."""
    laws = [[Fraction(1)]]
    for _ in range(most):
        grown = [Fraction(0)] * (len(laws[-1]) + len(law) - 1)
        for at, chance in enumerate(laws[-1]):
            for k, part in enumerate(law):
                grown[at + k] += chance * part
        laws.append(grown)
    return laws


def _errors(law: Sequence[Fraction], epsilon: Fraction, most: int) -> list[Fraction]:
    """Return Pr(|f' - f| >= epsilon f) for f = 1 .. most."""
    return [
        sum((part for k, part in enumerate(each) if abs(k - f) >= epsilon * f), Fraction(0))
        for f, each in enumerate(_sums(law, most))
        if f
    ]


@FRONTC.computation(
    cases=10530,
    perturbed=(
        "splu_proofs.splu.draws_frontier:_errors larger",
        "splu_proofs.splu.draws_frontier:_sums larger",
        "bound = alpha * t_p / => bound = 100 * alpha * t_p /",
    ),
)
def all_laws_on_a_grid() -> Comparisons:
    """Hold both inequalities to laws of k with mean 1 for gamma = 2 and 3, with counts up to 12."""
    laws: list[list[Fraction]] = []
    for twos, threes in product(range(9), repeat=2):
        high = [Fraction(twos, 16), Fraction(threes, 24)]
        rest = 1 - 2 * high[0] - 3 * high[1]
        law = [1 - rest - sum(high), rest, *high]
        if min(law) >= 0:
            laws.append(law if threes else law[:3])
    for law in laws:
        gamma = len(law) - 1
        spread = sum(((k - 1) ** 2 * part for k, part in enumerate(law)), Fraction(0))
        for epsilon in (Fraction(3, 10), Fraction(1, 2), Fraction(9, 10)):
            errors = _errors(law, epsilon, 12)
            for alpha in range(1, 7):
                t_p = min(errors[:alpha])
                yield (spread, ">=", epsilon**2 * alpha * t_p, f"{law}, {epsilon}, {alpha}: the variance")
                for f, wrong in enumerate(errors, 1):
                    bound = alpha * t_p / (1 + (gamma - 1) ** 2 * wrong / epsilon**2)
                    yield (f, ">=", bound, f"{law}, {epsilon}, {alpha}: error {wrong} at {f}")


@FRONTC.computation(cases=3, perturbed="splu_proofs.arithmetic.law:error larger")
def how_far_splu_gen_is_from_it() -> Comparisons:
    """Compare SPLU-Gen's variance with the bound at epsilon = 0.3, alpha = 10."""
    epsilon, alpha = Fraction(3, 10), 10
    for gamma, expected in ((5, "3.07"), (10, "3.15"), (20, "3.19")):
        level = min(error(gamma, epsilon, f) for f in range(1, alpha + 1))
        ratio = Fraction(gamma - 1, gamma) / (epsilon**2 * alpha * level)
        yield (decimal(ratio, 2), "=", f"{expected}...", f"gamma = {gamma}: {decimal(ratio, 4)}")
