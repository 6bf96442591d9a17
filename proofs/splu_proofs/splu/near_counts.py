"""splu.NEAR: the least noise at which neighboring counts cannot be distinguished."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import TypeAlias

from ..arithmetic.law import probability_mass
from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Status, decimal
from .draws_price import peak

Family: TypeAlias = Callable[[int], dict[int, Fraction]]
"""The law of what is published, by the count."""

NEAR = Claim(
    id="splu.NEAR",
    module=__name__,
    source="new; on splu.PRICE",
    title="the least noise at a given price",
    statement=(
        r"\frac1F\sum_{f=1}^F \operatorname{Var} P_f \ge \frac1{12}\Bigl(\frac1{(\theta+1/F)^2} - "
        r"1\Bigr),\quad \theta = \max_{1 \le f \le F} d_{TV}(P_f, P_{f-1})"
    ),
    words=(
        "Let a count f be published as a whole number with mean f by any law P_f, 0 <= f <= F, and let "
        "the laws of f and f - 1 have a total variation of at most theta. Then the mean of the variances has "
        "this bound, for mechanisms of every kind. Uniform noise on n whole numbers attains (n^2 - 1)/12 at "
        "theta = 1/n, F to infinity. The noise of a count's own flags, m (gamma - 1)/gamma at theta = the "
        "peak of Bin(gamma m, 1/gamma), is 1.91 times the bound for gamma = 5 and m = 10, 100, 400, and 6/pi "
        "= 1.91 times in the limit. So nothing that is unbiased, no other law of draws either, saves more "
        "than 28 % of that standard deviation at an equal price. What the flags of other values add to a "
        "count is not in this comparison."
    ),
    hypotheses=("whole numbers are published", r"E\,f' = f"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.PRICE",),
)


@NEAR.derivation
def the_mean_law_of_the_noise() -> Derivation:
    """Bound the density of the mean law of f' - f, and take the density of least variance."""
    return Derivation(
        setting=(
            "R is the mean over f = 1 .. F of the laws of f' - f; it has mean 0, and its variance is the "
            "mean of the variances. Moved by 1 it is the mean over f = 0 .. F-1 of the laws of P_(f+1) less "
            "f. With P_f in place of P_(f+1) that changes by at most theta, and then all but one of its F "
            "terms are those of R. So moving R by 1 changes it by at most t = theta + 1/F. The largest "
            "probability of a law on whole numbers is at most its total variation from itself moved by 1, "
            "since it rises from 0 to the peak and falls again. So R and an independent uniform number from "
            "-1/2 to 1/2 have together a density of at most t. Of all such densities the uniform one on a "
            "length L = 1/t has the least variance: any other has less inside and more outside."
        ),
        steps=(
            Identity(
                name="the least variance",
                says="The mean of x^2 from c - L/2 to c + L/2 is c^2 + L^2/12, so the variance is L^2/12.",
                variables={"c": 0, "L": 1},
                left=lambda c, length: ((c + length / 2) ** 3 - (c - length / 2) ** 3) / (3 * length),
                right=lambda c, length: c**2 + length**2 / 12,
            ),
            Identity(
                name="without the uniform number",
                says="Its variance is 1/12: the rest is 1/(12 t^2) - 1/12 = (1 - t^2)/(12 t^2).",
                variables={"t": 1},
                left=lambda t: 1 / (12 * t**2) - Fraction(1, 12),
                right=lambda t: (1 - t**2) / (12 * t**2),
            ),
        ),
        conclusion="The variance of R is at least (1/t^2 - 1)/12.",
    )


@NEAR.computation(
    cases=405,
    perturbed=("splu_proofs.splu.near_counts:_drawn larger", "splu_proofs.splu.near_counts:_rounded larger"),
)
def families_of_small_counts() -> Comparisons:
    """Hold the bound to families: noise added, rounding at random, two points, binomial draws, a cap."""
    most = 12
    for name, family in _families(most).items():
        laws = [family(f) for f in range(most + 1)]
        for f, law in enumerate(laws):
            yield (sum(k * part for k, part in law.items()), "=", f, f"{name}: {f}")
            yield (sum(law.values()), "=", 1, f"{name}: {f}")
        tau = max(
            sum(
                (abs(law.get(k, Fraction(0)) - after.get(k, Fraction(0))) for k in {*law, *after}),
                Fraction(0),
            )
            / 2
            for law, after in pairwise(laws)
        )
        spread = (
            sum(
                (sum((k - f) ** 2 * part for k, part in law.items()) for f, law in enumerate(laws) if f),
                Fraction(0),
            )
            / most
        )
        yield (12 * spread, ">=", 1 / (tau + Fraction(1, most)) ** 2 - 1, f"{name}: {spread} at {tau}")


def _families(most: int) -> dict[str, Family]:
    found: dict[str, Family] = {"two points": lambda f: {0: 1 - Fraction(f, most), most: Fraction(f, most)}}
    for reach in range(4):
        found[f"noise up to {reach}"] = partial(_uniform, reach)
    for step in (2, 3, 4, 6):
        found[f"multiples of {step}"] = partial(_rounded, step)
    for gamma in (2, 3):
        for cap in (1, 3, most):
            found[f"gamma = {gamma}, capped:{cap}"] = partial(_drawn, gamma, cap)
    return found


def _uniform(reach: int, f: int) -> dict[int, Fraction]:
    return {f + off: Fraction(1, 2 * reach + 1) for off in range(-reach, reach + 1)}


def _rounded(step: int, f: int) -> dict[int, Fraction]:
    below = f // step * step
    return {below: 1 - Fraction(f - below, step), below + step: Fraction(f - below, step)}


def _drawn(gamma: int, cap: int, f: int) -> dict[int, Fraction]:
    noisy = min(f, cap)
    return {f - noisy + k: probability_mass(gamma, noisy, k) for k in range(gamma * noisy + 1)}


@NEAR.computation(
    cases=35, perturbed=("splu_proofs.splu.draws_price:peak larger", "12 * spread => 6 * spread")
)
def how_far_a_cap_is_from_it() -> Comparisons:
    """Compare the noise of capped draws with the bound at their own price, for gamma = 5."""
    for m in (10, 100, 400):
        ratio = 12 * Fraction(4 * m, 5) / (1 / peak(5, m) ** 2 - 1)
        yield (Fraction(19, 10), "<", ratio, f"m = {m}: {decimal(ratio, 4)}")
        yield (ratio, "<", Fraction(193, 100), f"m = {m}: {decimal(ratio, 4)}")
    for n in range(1, 30):
        spread = Fraction(sum((2 * k - n + 1) ** 2 for k in range(n)), 4 * n)
        yield (12 * spread, "=", n * n - 1, f"uniform noise on {n} numbers")
