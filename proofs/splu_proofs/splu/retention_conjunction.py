"""splu.Vp: the law, variance and bias of the conjunctive estimate for any probability p of keeping."""

from __future__ import annotations

from fractions import Fraction

from splu_ref.guarantees import (
    Conjunction,
    conjunction_bias,
    conjunction_error_probability,
    conjunction_variance,
)
from splu_ref.guarantees.conjunction import moments

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Status
from ..worlds.conjunction_moments import delta_variance
from ..worlds.conjunctions import Law, law_of_predicate, records, subsets
from ..worlds.retention import WORLDS, law_under_h, shipped_laws, wrong

VP = Claim(
    id="splu.Vp",
    module=__name__,
    source="new; extends splu.V",
    title="law of the conjunctive estimate for any retention",
    statement=(
        r"y_3\mid K\sim\mathrm{Bin}(x_3,p)*\mathrm{Bin}(K,q),\ y_1\mid K\sim\mathrm{Bin}(f-x_3,p)*"
        r"\mathrm{Bin}((\gamma-1)f-K,q)\text{ independently};\quad \text{under H: }K\sim\mathrm{Hyp}(N-f,\,"
        r"f(\gamma-1),\,n-x_3);\quad \hat x=\frac{y_3(N-f')-n(1-p)f'}{pN-f'}"
    ),
    words=(
        "With a = f(1-p)/(N-f) and D = p - a the estimate (y3 - n a)/D, f' in place of f, holds for every p "
        "with f' < p N. Under hypothesis H of splu.V, w = (1-p)p, v = q(1-q), kappa = f(gamma-1)/(N-f), E K "
        "= (n-x3) kappa and V_K = (n-x3) kappa (1-kappa)(N-f-n+x3)/(N-f-1): Var y3 = x3 w + E K v + V_K q^2, "
        "Var y1 = (f-x3) w + ((gamma-1)f - E K) v + V_K q^2, Cov = -V_K q^2, exactly. The variance of the "
        "estimate follows by the delta method, g3^2 Var y3 + g1^2 Var y1 + 2 g1 g3 Cov with g1 = "
        "(x3-n)(1-p)N/((N-f)^2 D) and g3 = 1/D + g1: an approximation of relative order 1/N. With f known "
        "the estimate is unbiased; with f' in its place its bias is, to second order, ((1-p) N Cov(f', y3) - "
        "c Var f')/(pN-f)^2 with c = (n-x3)(1-p)N/(N-f). Both shrink as p grows: in a table of 30,715 rows "
        "with f = 2,000, n = 1,000 and x3 = 100 the standard error at gamma = 5 is 54 for p = 1/5 and 16 for "
        "p = 1/2."
    ),
    hypotheses=(
        r"1 \le f \le N/\gamma",
        r"f < pN",
        r"N-f \ge 2",
        r"q=\frac{1-p}{\gamma-1}",
        r"0 < p \le 1",
        "random places within values",
        r"\text{H for the law of K}",
    ),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.V", "splu.Rp"),
    licenses=(
        "splu_ref.guarantees.conjunction",
        "splu_ref.guarantees.conjunction",
        "splu_ref.guarantees.conjunction",
    ),
    tests=("tests/guarantees/test_conjunction.py::test_exact_errors_by_another_road",),
)


@VP.derivation
def moments_and_the_remainder() -> Derivation:
    """Condition on K for the moments; write the estimate's error without dropping anything."""
    return Derivation(
        setting=(
            "w = p(1-p), v = q(1-q); ek, vk are mean and variance of K (splu.V). y = x3 p + (n-x3) a is the "
            "mean of y3, as kappa q = f(gamma-1)/(N-f) (1-p)/(gamma-1) = a; h = f' - f and k = y3 - y. r = "
            "N - f, s = pN - f, c = (n-x3)(1-p)N/r."
        ),
        steps=(
            Identity(
                name="the moments add up",
                says=(
                    "E Var(y3|K) + Var E(y3|K) = x3 w + ek v + vk q^2, likewise y1; Cov(K q, -K q) = -vk "
                    "q^2: the sum with twice the covariance is f w + (gamma-1) f v, as in splu.Rp."
                ),
                variables={"gamma": 2, "f": 1, "x3": 0, "ek": 0, "vk": 0, "w": 0, "v": 0, "q": 0},
                left=lambda gamma, f, x3, ek, vk, w, v, q: (
                    (x3 * w + ek * v + vk * q**2)
                    + ((f - x3) * w + ((gamma - 1) * f - ek) * v + vk * q**2)
                    - 2 * vk * q**2
                ),
                right=lambda gamma, f, _x3, _ek, _vk, w, v, _q: f * w + (gamma - 1) * f * v,
            ),
            Identity(
                name="the estimate as one fraction",
                says="(y3 - n F(1-p)/(N-F))/(p - F(1-p)/(N-F)) = (y3 (N-F) - n (1-p) F)/(pN - F), F = f'.",
                variables={"p": 3, "rows": 90, "F": 0, "n": 0, "y3": 0},
                left=lambda p, rows, F, n, y3: (  # noqa: N803  F as in the text
                    (y3 - n * F * (1 - p) / (rows - F)) / (p - F * (1 - p) / (rows - F))
                ),
                right=lambda p, rows, F, n, y3: (  # noqa: N803
                    (y3 * (rows - F) - n * (1 - p) * F) / (p * rows - F)
                ),
            ),
            Identity(
                name="no remainder dropped",
                says=(
                    "(x-hat - x3)(s - h) = r k - c h - h k, here times r: so x-hat = x3 + (r k - c h - h k)/"
                    "(s - h)."
                ),
                variables={"p": 0, "f": 0, "r": 1, "n": 0, "x3": 0, "h": 0, "k": 0},
                left=lambda p, f, r, n, x3, h, k: (
                    (r * (x3 * p + k) + (n - x3) * f * (1 - p)) * (r - h)
                    - r * n * (1 - p) * (f + h)
                    - r * x3 * (p * (r + f) - f - h)
                ),
                right=lambda p, f, r, n, x3, h, k: r * r * k - (n - x3) * (1 - p) * (r + f) * h - r * h * k,
            ),
            Identity(
                name="the bias to second order",
                says=(
                    "1/(s-h) = 1/s + h/s^2 + ...: with means hk = Cov(f', y3) and hh = Var f', (r hk - c "
                    "hh)/s^2 - hk/s = ((r-s) hk - c hh)/s^2, and r - s = (1-p) N."
                ),
                variables={"s": 1, "r": 0, "c": 0, "hk": 0, "hh": 0},
                left=lambda s, r, c, hk, hh: (r * hk - c * hh) / s**2 - hk / s,
                right=lambda s, r, c, hk, hh: ((r - s) * hk - c * hh) / s**2,
            ),
        ),
        conclusion=(
            "The linear term of x-hat is (r k - c h)/s, which is g1 (y1 - E y1) + g3 (y3 - E y3). With f "
            "known h is 0, and the mean of r k/s too."
        ),
    )


@VP.computation(
    cases=65,
    perturbed=(
        "splu_ref.guarantees.conjunction:Conjunction.of doubled",
        "splu_proofs.splu.retention_conjunction:_moments larger",
    ),
)
def moments_from_the_law() -> Comparisons:
    """Sum the joint law under H record by record; compare every moment with the library's."""
    for gamma, rows, f in ((2, 6, 2), (2, 8, 3), (3, 9, 2), (4, 12, 2)):
        for p in (Fraction(2, 5), Fraction(3, 4)):
            for n in range(1, rows, 2):
                case = Conjunction.of(gamma, rows, f, n, retention=p)
                for x3 in range(max(1, n - rows + f), min(f, n) + 1):
                    law = law_under_h(gamma, rows, f, n, x3, p)
                    found = moments(case, x3)
                    at = f"gamma = {gamma}, N = {rows}, f = {f}, p = {p}, n = {n}, x3 = {x3}"
                    summed = _moments(law)
                    derived = (found.mean_inside, found.inside, found.outside, found.covariance)
                    yield (summed, "=", derived, f"{at}: {summed}, {derived}")
    plain = Conjunction.of(5, 1000, 50, 200)
    yield (conjunction_variance(plain, 20), "=", delta_variance(5, 1000, 50, 200, 20), "p = 1/gamma: splu.V")


def _moments(law: Law) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    total = [Fraction(0)] * 5
    for (y3, y1), chance in law.items():
        for index, value in enumerate((y3, y1, y3 * y3, y1 * y1, y3 * y1)):
            total[index] += value * chance
    inside, outside = total[0], total[1]
    return inside, total[2] - inside**2, total[3] - outside**2, total[4] - inside * outside


@VP.computation(
    cases=5,
    perturbed=(
        "splu_ref.guarantees.conjunction:conjunction_bias smaller",
        "splu_proofs.worlds.retention:law_under_h larger",
    ),
)
def how_good_the_approximations_are() -> Comparisons:
    """Compare variance and bias with the exact ones, given f' < p N, in tables of growing size."""
    p, ratios, biases = Fraction(2, 3), [], []
    for rows in (20, 40, 80):
        f, n, x3 = rows // 10, rows // 4, rows // 20
        weight = first = second = Fraction(0)
        for (y3, y1), chance in law_under_h(2, rows, f, n, x3, p).items():
            count = y3 + y1
            if count < p * rows:
                off = (y3 * (rows - count) - n * (1 - p) * count) / (p * rows - count) - x3
                weight, first, second = weight + chance, first + chance * off, second + chance * off * off
        case = Conjunction.of(2, rows, f, n, retention=p)
        mean = first / weight
        ratios.append((second / weight - mean**2) / conjunction_variance(case, x3))
        biases.append(abs(mean - conjunction_bias(case, x3)))
    missing = [abs(ratio - 1) for ratio in ratios]
    yield (missing[0], ">", missing[1], f"variance: {list(map(float, ratios))}")
    yield (missing[1], ">", missing[2], f"variance: {list(map(float, ratios))}")
    yield (missing[2], "<", Fraction(3, 100), f"variance: {list(map(float, ratios))}")
    yield (biases[0], ">", biases[1], f"bias: {list(map(float, biases))}")
    yield (biases[1], ">", biases[2], f"bias: {list(map(float, biases))}")


@VP.computation(cases=1, perturbed="splu_ref.guarantees.conjunction:Conjunction.of doubled")
def what_a_larger_p_buys() -> Comparisons:
    """Compute the standard errors named in the words."""
    derived = []
    for p in (Fraction(1, 5), Fraction(1, 2)):
        case = Conjunction.of(5, 30_715, 2_000, 1_000, retention=p)
        derived.append(round(float(conjunction_variance(case, 100)) ** 0.5))
    yield (derived, "=", [54, 16], f"{derived}")


@VP.enumeration(
    cases=71,
    perturbed=(
        "splu_ref.guarantees.conjunction:Conjunction.check_concept smaller",
        "splu_proofs.worlds.conjunctions:law_of_predicate larger",
    ),
)
def the_shipped_mechanism_averaged_over_predicates() -> Comparisons:
    """Average the shipped law over all P with n and x3 given: the law under H, and its exact errors."""
    for gamma, histogram, p in WORLDS[:4]:
        shipped, truth = shipped_laws(histogram, gamma, p), records(histogram)
        rows, s, f = len(truth), 0, histogram[0]
        sums: dict[tuple[int, int], tuple[int, Law]] = {}
        for predicate in subsets(rows):
            x3 = sum(truth[i] == s for i in predicate)
            ways, total = sums.get((x3, len(predicate)), (0, Law()))
            for at, chance in law_of_predicate(shipped, predicate, s).items():
                total[at] = total.get(at, Fraction(0)) + chance
            sums[x3, len(predicate)] = ways + 1, total
        for (x3, n), (ways, total) in sums.items():
            average = {at: chance / ways for at, chance in total.items()}
            expected = {at: c for at, c in law_under_h(gamma, rows, f, n, x3, p).items() if c}
            yield (average, "=", expected, f"{histogram}, p = {p}: x3 = {x3}, n = {n}")
            if x3 and f < p * rows and gamma * f <= rows:
                case = Conjunction.of(gamma, rows, f, n, retention=p)
                for epsilon in (Fraction(3, 10), Fraction(1), Fraction(3, 2)):
                    true = wrong(average, epsilon, x3, n, rows, p)
                    found = conjunction_error_probability(case, epsilon, x3)
                    yield (found, "=", true, f"{histogram}, p = {p}: x3 = {x3}, n = {n}, epsilon = {epsilon}")
