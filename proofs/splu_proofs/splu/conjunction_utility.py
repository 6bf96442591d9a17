"""splu.UC: large-sum utility of conjunctions, which the paper states for counts of single values only."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from splu_ref.guarantees import (
    Conjunction,
    conjunction_error_bound,
    conjunction_error_probability,
    conjunction_threshold,
)

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Inequality, Status
from ..worlds.conjunctions import hypergeometric, law_of_predicate, records, subsets
from ..worlds.retention import WORLDS, shipped_laws, wrong

UC = Claim(
    id="splu.UC",
    module=__name__,
    source="new; for Fu et al. 2014, §5.1, with Definition 1",
    title="large-sum utility of conjunctions",
    statement=(
        r"x\le n:\ \hat x\ge x\iff y_3\ge t_x(f'),\ t_x(F)=\frac{(1-p)N(n-x)}{N-F}+x-n(1-p);\quad "
        r"\Pr(\hat x\ge x)\le\frac{V}{V+((x-x_3)D)^2}+\Pr(f'\ge pN),\ V=\mathrm{Var}(y_3-t_x'(f)f')"
    ),
    words=(
        'Under hypothesis H of splu.V, the corrected estimate of "P and s" is at least x exactly if y3 '
        "passes a convex function of f'. Above, the tangent makes that a linear statistic with known "
        "variance, so that the one-sided Chebyshev bound holds as stated, without any approximation; below, "
        "the chord over a band of f' does. Chernoff's bound holds for linear statistics with whole weights "
        "inside the band, with Hoeffding's comparison for the hypergeometric K. Adding the probability of "
        "leaving the band gives a bound of the error for every x3, and checking every x3 up to min(n, f) "
        "gives an (epsilon, T_E) utility guarantee from the least x3 on: T_f as a function of n and f. In a "
        "table of 30,715 rows with f = 2,000, n = 1,000, epsilon = 3/10, T_E = 1/20 and gamma = 5 it begins "
        "at 718 for p = 1/5 and at 160 for p = 1/2. What the same estimate protects is splu.T4c's matter."
    ),
    hypotheses=(r"\text{H}", r"1\le x_3\le\min(n,f)", r"f < pN", r"f \le N/\gamma", r"\varepsilon > 0"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.Vp", "splu.D1", "splu.Rp"),
    licenses=(
        "splu_ref.guarantees.conjunction_bounds",
        "splu_ref.guarantees.conjunction_bounds",
        "splu_ref.guarantees.conjunction_utility",
    ),
    tests=("tests/guarantees/test_conjunction.py::test_no_bound_is_exceeded",),
)


@UC.derivation
def a_linear_statistic() -> Derivation:
    """Turn the estimate into a threshold for y3, and the threshold into a line."""
    return Derivation(
        setting=(
            "F = f' < pN, h = F - f, r = N - f, a = f(1-p)/r, D = p - a. On a band f1 <= F <= f2: u = N - "
            "f1, b = N - f2, m = N - F, so that b <= m <= u."
        ),
        steps=(
            Identity(
                name="the estimate reaches x where y3 reaches t_x",
                says="y3 (N-F) - n(1-p)F - x (pN-F) = (N-F)(y3 - t_x(F)), and pN - F > 0.",
                variables={"p": 0, "rows": 90, "F": 0, "n": 0, "x": 0, "y3": 0},
                left=lambda p, rows, F, n, x, y3: (  # noqa: N803  F as in the setting
                    y3 * (rows - F) - n * (1 - p) * F - x * (p * rows - F)
                ),
                right=lambda p, rows, F, n, x, y3: (  # noqa: N803
                    (rows - F) * (y3 - ((1 - p) * rows * (n - x) / (rows - F) + x - n * (1 - p)))
                ),
            ),
            Identity(
                name="above the tangent",
                says=(
                    "1/(r-h) - 1/r - h/r^2 = h^2/(r^2 (r-h)) >= 0: t_x(F) is at least its tangent at f, for "
                    "x <= n."
                ),
                variables={"r": 90, "h": 0},
                left=lambda r, h: 1 / (r - h) - 1 / r - h / r**2,
                right=lambda r, h: h**2 / (r**2 * (r - h)),
            ),
            Identity(
                name="below the chord",
                says=(
                    "(u+b-m)/(u b) - 1/m = (u-m)(m-b)/(u b m) >= 0 on the band: t_x(F) is at most its chord."
                ),
                variables={"u": 1, "b": 1, "m": 1},
                left=lambda u, b, m: (u + b - m) / (u * b) - 1 / m,
                right=lambda u, b, m: (u - m) * (m - b) / (u * b * m),
            ),
            Identity(
                name="the distance at f",
                says="t_x(f) - E y3 = (x - x3) D, here times r; E y3 = x3 p + (n-x3) a.",
                variables={"p": 0, "f": 0, "r": 1, "n": 0, "x": 0, "x3": 0},
                left=lambda p, f, r, n, x, x3: (
                    (1 - p) * (r + f) * (n - x) + r * (x - n * (1 - p)) - r * x3 * p - (n - x3) * f * (1 - p)
                ),
                right=lambda p, f, r, _n, x, x3: (x - x3) * (r * p - f * (1 - p)),
            ),
            Inequality(
                name="an excess is paid for",
                says="Z >= t with s >= 0 gives (Z+s)^2 >= (t+s)^2: Pr(Z >= t) <= E (Z+s)^2/(t+s)^2.",
                variables=("Z", "t", "s"),
                given=lambda z, t, s: (z - t, t, s),
                slack=lambda d, t, s: (d + t, t, s),
                then=lambda z, t, s: (z + s) ** 2 - (t + s) ** 2,
            ),
            Identity(
                name="Cantelli's inequality",
                says="For mean 0 and variance V, with s = V/t: (V + s^2)/(t+s)^2 = V/(V + t^2).",
                variables={"V": 1, "t": 1},
                left=lambda v, t: (v + (v / t) ** 2) / (t + v / t) ** 2,
                right=lambda v, t: v / (v + t**2),
            ),
        ),
        conclusion=(
            "An estimate of x or more needs y3 - t_x'(f) h >= t_x(f), a deviation of (x-x3) D; one of x or "
            "less, on the band, a deviation below the chord. Clipping to 0 .. n changes neither event for x "
            "in that range, and makes an estimate above n or below 0 impossible. Where F >= pN there is no "
            "estimate: that is outside every band."
        ),
    )


@UC.derivation
def hoeffding_comparison() -> Derivation:
    """Expand z^K in powers of z - 1: every factorial moment is at most that of independent draws."""
    return Derivation(
        setting=(
            "K is hypergeometric with m draws, S of M places marked. z^K = sum over j of C(K, j) (z-1)^j, "
            "and E C(K, j) = C(m, j) times the product over i < j of (S-i)/(M-i). For K ~ Bin(m, S/M) each "
            "factor is S/M. Z = (k-i) y3 - i y1 with whole weights; given K, E z^Z is a constant times r^K "
            "with r = (1+q(A-1))/(1+q(B-1)), A = z^(k-i), B = z^-i."
        ),
        steps=(
            Inequality(
                name="fewer marks are left",
                says="S (M-i) - M (S-i) = i (M-S) >= 0: (S-i)/(M-i) <= S/M.",
                variables=("S", "M", "i"),
                given=lambda marked, places, i: (marked, places - marked, i),
                slack=lambda marked, rest, i: (marked, rest + marked, i),
                then=lambda marked, places, i: marked * (places - i) - places * (marked - i),
            ),
            Identity(
                name="below 1, count the other places",
                says=(
                    "r^K = r^m (1/r)^(m-K), and m - K is hypergeometric with M - S marks: with c = S/M and "
                    "one draw, r (1 - c + c) factors as r ((1-c)(1/r) + c) = 1 - c + c r."
                ),
                variables={"r": 1, "c": 0},
                left=lambda r, c: r * ((1 - c) * (1 / r) + c),
                right=lambda r, c: 1 - c + c * r,
            ),
            Identity(
                name="one exposed record inside or outside",
                says="(1+q(B-1)) (1 - c + c r) = (1-c)(1+q(B-1)) + c (1+q(A-1)).",
                variables={"q": 0, "A": 1, "B": 1, "c": 0},
                left=lambda q, a, b, c: (
                    (1 + q * (b - 1)) * (1 - c + c * ((1 + q * (a - 1)) / (1 + q * (b - 1))))
                ),
                right=lambda q, a, b, c: (1 - c) * (1 + q * (b - 1)) + c * (1 + q * (a - 1)),
            ),
        ),
        conclusion=(
            "For z >= 1 every term is at least 0, so E z^K <= (1 + (S/M)(z-1))^m; for z < 1 apply that to "
            "the other places. The roles of m and S may be exchanged, since K has the same law. Markov's "
            "inequality for z^Z gives Chernoff's bound. On the band t_x is at least a line of slope i/k "
            "through its least distance from it, and at most one through its largest, so that k y3 - i (F - "
            "f), which is whole, must pass a whole number."
        ),
    )


@UC.computation(cases=1420, perturbed="splu_proofs.worlds.conjunctions:hypergeometric larger")
def comparison_in_small_cases() -> Comparisons:
    """Sum E z^K for hypergeometric K and compare with independent draws, above and below 1."""
    for places in range(1, 9):
        for marked, draws in product(range(places + 1), repeat=2):
            law = hypergeometric(places, marked, draws)
            for z in (Fraction(0), Fraction(1, 3), Fraction(9, 10), Fraction(5, 4), Fraction(7)):
                mean = sum(z**k * chance for k, chance in enumerate(law))
                bound = (1 + Fraction(marked, places) * (z - 1)) ** draws
                other = (1 + Fraction(draws, places) * (z - 1)) ** marked
                yield (mean, "<=", min(bound, other), f"M = {places}, S = {marked}, m = {draws}, z = {z}")


@UC.computation(cases=132, perturbed="splu_ref.guarantees.conjunction_bounds:Sides._above smaller")
def bounds_are_kept_and_thresholds_hold() -> Comparisons:
    """Enumerate the error exactly: no bound is below it, and from the threshold on it is at most T_E."""
    for gamma, rows, f, n, p in (
        (2, 60, 4, 10, None),
        (2, 60, 4, 50, "2/3"),
        (3, 60, 5, 20, "1/2"),
        (5, 60, 3, 30, "1/7"),
        (5, 120, 8, 30, None),
    ):
        case = Conjunction.of(gamma, rows, f, n, retention=p)
        for x3 in range(1, case.largest + 1):
            for epsilon in ("1/10", "1/2", "1", "3/2"):
                bound = conjunction_error_bound(case, epsilon, x3)
                true = conjunction_error_probability(case, epsilon, x3)
                least = min(bound.bound, bound.chebyshev, bound.chernoff)
                yield (true, "<=", least, f"{case}, x3 = {x3}, epsilon = {epsilon}: {true} > {least}")
    for gamma, p, epsilon in ((2, "3/4", "1/2"), (3, "2/3", "7/10")):
        case = Conjunction.of(gamma, 600, 60, 60, retention=p)
        found = conjunction_threshold(case, epsilon, "1/5")
        yield found.threshold or 0, ">", 0, f"a threshold for {case}"
        assert found.threshold is not None
        for x3 in range(found.threshold, found.largest + 1, 3):
            true = conjunction_error_probability(case, epsilon, x3)
            yield (true, "<=", Fraction(1, 5), f"{case}, x3 = {x3}: {float(true)}")


@UC.computation(cases=2, perturbed="splu_ref.guarantees.conjunction_bounds:Sides._above larger")
def thresholds_of_a_larger_table() -> Comparisons:
    """Compute the thresholds named in the words."""
    for p, stated in (("1/5", 718), ("1/2", 160)):
        case = Conjunction.of(5, 30_715, 2_000, 1_000, retention=p)
        yield conjunction_threshold(case, "3/10", "1/20").threshold, "=", stated, f"threshold at p = {p}"


@UC.enumeration(cases=10, perturbed="splu_ref.guarantees.conjunction_bounds:Sides._above smaller")
def the_shipped_mechanism_keeps_the_bounds() -> Comparisons:
    """Average the shipped mechanism's errors over all P with n and x3 given, and hold them to the bounds."""
    for gamma, histogram, p in WORLDS[:3]:
        shipped, truth = shipped_laws(histogram, gamma, p), records(histogram)
        rows, f = len(truth), histogram[0]
        if f >= p * rows:
            continue
        errors: dict[tuple[int, int], list[Fraction]] = {}
        for predicate in subsets(rows):
            x3, n = sum(truth[i] == 0 for i in predicate), len(predicate)
            if x3:
                law = law_of_predicate(shipped, predicate, 0)
                errors.setdefault((x3, n), []).append(wrong(law, Fraction(1, 2), x3, n, rows, p))
        for (x3, n), found in errors.items():
            case = Conjunction.of(gamma, rows, f, n, retention=p)
            bound = conjunction_error_bound(case, Fraction(1, 2), x3).bound
            yield (sum(found) / len(found), "<=", bound, f"{histogram}, p = {p}: x3 = {x3}, n = {n}")
