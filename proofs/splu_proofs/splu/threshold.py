"""splu.L1c: from which count on an error probability is kept, by Chebyshev and exactly."""

from __future__ import annotations

from fractions import Fraction

from splu_ref.guarantees import chebyshev_threshold, utility_threshold

from ..arithmetic.law import error, window
from ..terms import Claim, Comparisons, Derivation, EvidenceError, Grade, Identity, Inequality, Kernel, Status
from .chebyshev import chernoff_tail

L1C = Claim(
    id="splu.L1c",
    module=__name__,
    source="corrects Fu et al. 2014, §4.1, Lemma 1",
    title="thresholds that hold",
    statement=(
        r"f \ge \frac{\gamma-1}{\gamma\varepsilon^2 T_E} \Rightarrow \Pr(|f'-f|\ge\varepsilon f)\le "
        r"T_E;\quad \text{least } T_f = 1+\max\{f: \Pr(|f'-f|\ge\varepsilon f) > T_E\}"
    ),
    words=(
        "Chebyshev's threshold is (gamma-1)/(gamma epsilon^2 T_E). The least threshold that is true is "
        "found exactly: from some F0 on a rational Chernoff bound keeps the error below T_E, and below F0 "
        "only the ends of the plateaus of ceil(epsilon f) need to be computed, because the error does not "
        "fall within a plateau (splu.S)."
    ),
    hypotheses=(r"\gamma \ge 2", r"\varepsilon = \mathit{a}/\mathit{b} > 0", r"0 < T_E \le 1"),
    status=Status.CORRECTED,
    grade=Grade.KERNEL,
    rests_on=("splu.D1", "splu.T3c", "splu.S"),
    licenses=(
        "splu_ref.guarantees.utility",
        "splu_ref.guarantees.count_error:plateau_ends",
        "splu_ref.guarantees.concentration:uniform_bound",
        "splu_ref.guarantees.concentration:chebyshev_threshold",
        "splu_ref.guarantees.certificates.claims",
        "splu_ref.certificate_checker",
    ),
    tests=(
        "tests/guarantees/test_utility.py::test_against_every_count_below_the_tail",
        "tests/guarantees/test_concentration.py::test_chebyshev_threshold_is_the_least_count",
    ),
    kernel=Kernel(
        theorems=(
            "Thresholds.chebyshev_threshold",
            "Thresholds.least_threshold",
            "Thresholds.tail_above",
            "Thresholds.tail_below",
            "Thresholds.two_tails_from_one_count",
            "Thresholds.one_tail_from_one_count",
        ),
        covers=(
            "The whole statement, for every gamma >= 2 and rational epsilon, T_E > 0: Chebyshev's threshold "
            "holds, there is a least one, the count before it is the end of a plateau, and a rational "
            "Chernoff bound at one count covers every larger one."
        ),
        leaves="Which tilts the library takes, and that it finds the least threshold: computations below.",
    ),
)


@L1C.derivation
def chebyshev_solved_for_f() -> Derivation:
    """T_E minus the bound has the sign of f minus the threshold."""
    return Derivation(
        setting="f, gamma, epsilon and T_E are positive.",
        steps=(
            Identity(
                name="the sign at f",
                says=(
                    "T_E - (gamma-1)/(gamma epsilon^2 f) = (T_E/f) (f - (gamma-1)/(gamma epsilon^2 T_E)): "
                    "at least 0 exactly from the threshold on."
                ),
                variables={"gamma": 2, "epsilon": 1, "f": 1, "t_e": 1},
                left=lambda gamma, epsilon, f, t_e: t_e - (gamma - 1) / (gamma * epsilon**2 * f),
                right=lambda gamma, epsilon, f, t_e: t_e / f * (f - (gamma - 1) / (gamma * epsilon**2 * t_e)),
            ),
        ),
        conclusion="From f >= (gamma-1)/(gamma epsilon^2 T_E) on, splu.T3c keeps the error at or below T_E.",
    )


@L1C.derivation
def the_tail_from_one_block() -> Derivation:
    """Let one block of b counts decide the tail: from f to f + b a bound gains a constant factor."""
    return Derivation(
        setting=(
            "epsilon = a/b. Above: the exponent is k(f) = ceil((1+epsilon) f); u = (1+(z-1)/gamma)^(gamma "
            "f), v = (1+(z-1)/gamma)^(gamma b), z stands for z^k(f), w for z^(a+b). Below: "
            "floor((1-epsilon) f) and z^(b-a)."
        ),
        steps=(
            Identity(
                name="the exponent above, a block further",
                says="(1+a/b)(f+b) = (1+a/b) f + (a+b): the ceiling grows by the whole number a+b.",
                variables={"a": 1, "b": 1, "f": 1},
                left=lambda a, b, f: (1 + a / b) * (f + b),
                right=lambda a, b, f: (1 + a / b) * f + (a + b),
            ),
            Identity(
                name="the exponent below, a block further",
                says="(1-a/b)(f+b) = (1-a/b) f + (b-a): the floor grows by the whole number b-a.",
                variables={"a": 1, "b": 1, "f": 1},
                left=lambda a, b, f: (1 - a / b) * (f + b),
                right=lambda a, b, f: (1 - a / b) * f + (b - a),
            ),
            Inequality(
                name="a factor of at most 1 keeps the bound",
                says=(
                    "In whole units, w >= v gives u w - u v >= 0: the bound at f + b is at most the bound "
                    "at f."
                ),
                variables=("u", "v", "w"),
                given=lambda u, v, w: (u, v, w - v),
                slack=lambda u, v, d: (u, v, d + v),
                then=lambda u, v, w: u * w - u * v,
            ),
        ),
        conclusion=(
            "If v/w <= 1 above and below and the two bounds add up to at most T_E at f = F0 .. F0 + b - 1, "
            "they do so at every f >= F0. Below F0, splu.S leaves the plateau ends: the last f whose error "
            "exceeds T_E is one, and the least threshold is the count after it."
        ),
    )


@L1C.derivation
def the_tail_from_one_count() -> Derivation:
    """Follow the library: one bound at F, rounded the other way, covers every f >= F."""
    return Derivation(
        setting=(
            "epsilon = a/b, m = 1 + (z-1)/gamma. At f the Chernoff bound above is m^(gamma f) "
            "z^(-ceil((1+epsilon) f)) with z >= 1; it is at most rho^f with rho = m^gamma "
            "z^(-(1+epsilon)), because z^j does not fall as j grows. Below, rho = m^gamma "
            "(1/z)^(1-epsilon) and the floor, with 1/z >= 1. T = m^(gamma F) z^(-e) with e = "
            "floor((1+epsilon) F), or m^(gamma F) (1/z)^e with e = ceil((1-epsilon) F), is at least rho^F."
        ),
        steps=(
            Identity(
                name="rho^b is a fraction",
                says=(
                    "b (1 + a/b) = b + a and b (1 - a/b) = b - a are whole: the product of both is b^2 - a^2."
                ),
                variables={"a": 1, "b": 1},
                left=lambda a, b: b * (1 + a / b) * (b * (1 - a / b)),
                right=lambda a, b: b**2 - a**2,
            ),
            Inequality(
                name="rounded down against the bound",
                says=(
                    "With (a+b) F = b e + r, 0 <= r <= b-1, (a+b) F >= b e: T has the smaller exponent, so "
                    "T >= rho^F."
                ),
                variables=("b", "e", "r", "n"),
                given=lambda b, e, r, n: (b - 1 - r, e, r, n - b * e - r),
                slack=lambda d, e, r, s: (d + 1 + r, e, r, s + (d + 1 + r) * e + r),
                then=lambda b, e, r, n: n - b * e,
            ),
            Inequality(
                name="powers of rho fall",
                says=(
                    "If T < 1 then rho^F < 1, so rho = x/y has x < y; and power (y - x) >= 0: rho^(f+1) <= "
                    "rho^f."
                ),
                variables=("x", "y", "power"),
                given=lambda x, y, power: (x, y - 1 - x, power),
                slack=lambda x, d, power: (x, d + 1 + x, power),
                then=lambda x, y, power: power * y - power * x,
            ),
        ),
        conclusion=(
            "If the two numbers T, above and below, add up to at most T_E < 1, then at every f >= F the "
            "error is at most the sum of both rho^f, at most the sum of both rho^F, at most T_E."
        ),
    )


@L1C.computation(
    cases=15,
    perturbed=(
        "splu_ref.guarantees.concentration:chebyshev_threshold larger",
        "splu_proofs.splu.threshold:_bound smaller",
    ),
)
def least_thresholds_by_exhaustion() -> Comparisons:
    """Find the least threshold by computing every f below F0, and compare Chebyshev's and the library's."""
    for gamma, epsilon, t_e in (
        (2, Fraction(1, 2), Fraction(1, 10)),
        (3, Fraction(1, 2), Fraction(1, 10)),
        (3, Fraction(2, 3), Fraction(1, 20)),
        (5, Fraction(1, 2), Fraction(1, 10)),
        (3, Fraction(3, 2), Fraction(1, 10)),
    ):
        tail = _tail_from(gamma, epsilon, t_e)
        least = 1 + max((f for f in range(1, tail) if error(gamma, epsilon, f) > t_e), default=0)
        chebyshev = -(-(gamma - 1) / (gamma * epsilon**2 * t_e) // 1)
        shipped = utility_threshold(gamma, epsilon, t_e)
        yield (least, "<=", chebyshev, f"Chebyshev at {gamma}, {epsilon}, {t_e}")
        yield (
            chebyshev,
            "=",
            chebyshev_threshold(gamma, epsilon, t_e),
            f"Chebyshev at {gamma}, {epsilon}, {t_e}",
        )
        yield (shipped.threshold, "=", least, f"the library says {shipped.threshold}, exhaustion {least}")


@L1C.computation(
    cases=3,
    perturbed=(
        "splu_ref.guarantees.concentration:uniform_bound doubled",
        "splu_proofs.arithmetic.law:window larger",
    ),
)
def the_threshold_2401() -> Comparisons:
    """Compute (10, 1/20, 1/100): 2400, the end of a plateau, fails; the promise starts at 2401."""
    gamma, epsilon, t_e = 10, Fraction(1, 20), Fraction(1, 100)
    yield (1 - window(gamma, 2400, 120), ">", t_e, "f = 2400 keeps the promise")
    yield (1 - window(gamma, 2401, 121), "<=", t_e, "f = 2401 breaks the promise")
    yield (utility_threshold(gamma, epsilon, t_e).threshold, "=", 2401, "the library does not say 2401")


def _tail_from(gamma: int, epsilon: Fraction, t_e: Fraction) -> int:
    """Return an F0 from which on Chernoff bounds, with tilts in twentieths, stay at or below ``t_e``.

    Needs epsilon < gamma - 1, so that there is an upper tail, and epsilon other than 1.
    """
    block, change = epsilon.denominator, epsilon.numerator
    above = min((Fraction(20 + k, 20) for k in range(1, 60)), key=lambda z: _factor(gamma, block, change, z))
    tilts = [(above, 1 + epsilon)]
    if epsilon < 1:
        below = min((Fraction(k, 20) for k in range(1, 20)), key=lambda z: _factor(gamma, block, -change, z))
        tilts.append((below, 1 - epsilon))
    for z, end in tilts:
        if _factor(gamma, block, int((end - 1) * block), z) > 1:
            raise EvidenceError(f"the bound with z = {z} does not decrease")
    start = 1
    while any(_bound(gamma, f, tilts) > t_e for f in range(start, start + block)):
        start += block
    return start


def _factor(gamma: int, block: int, change: int, z: Fraction) -> Fraction:
    """Return what the bound at f + block is, divided by the bound at f."""
    return (1 + (z - 1) / gamma) ** (gamma * block) / z ** (block + change)


def _bound(gamma: int, f: int, tilts: list[tuple[Fraction, Fraction]]) -> Fraction:
    ends = [(-(-end * f // 1) if end > 1 else end * f // 1, z) for z, end in tilts]
    return sum((chernoff_tail(gamma, f, a, z) for a, z in ends), Fraction(0))
