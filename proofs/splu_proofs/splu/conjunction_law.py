"""splu.V: the law of the conjunctive estimate, exactly, and its variance approximately."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from ..terms import Claim, Comparisons, Derivation, Grade, Status
from ..worlds.conjunction_moments import delta_variance, law_by_values, moments, moments_of_k
from ..worlds.conjunctions import (
    WORLDS,
    Law,
    convolved,
    hypergeometric,
    joint_law,
    law_of_predicate,
    records,
    shipped_groups,
    shipped_laws,
    subsets,
    together,
)
from ..worlds.histograms import greedy_groups
from .conjunction_steps import LINEARIZATION, MOMENTS

V = Claim(
    id="splu.V",
    module=__name__,
    source="new; for Fu et al. 2014, §5.1",
    title="law of the conjunctive estimate",
    statement=(
        r"y_3\mid K\sim\mathrm{Bin}(x_3+K,\tfrac1\gamma),\ y_1\mid K\sim\mathrm{Bin}(\gamma f-x_3-K,"
        r"\tfrac1\gamma)\text{ independently};\quad K\sim\sum_{v\ne s}\mathrm{Hyp}(f_v,c(v,s),n_v);\quad "
        r"\text{under H: }K\sim\mathrm{Hyp}(N-f,\,f(\gamma-1),\,n-x_3)"
    ),
    words=(
        "K counts the records of P without s that have s among their decoys. Given K, the published counts "
        "inside and outside P are independent binomials. With random places within each value, K is "
        "exactly a sum of independent hypergeometric counts, one for each other value v, with n_v = "
        "#(P and v) draws, so E K = sum n_v c(v,s)/f_v. Under hypothesis H, that the places of P's records "
        "without s are a uniformly random subset of the places without s, K is one hypergeometric count. "
        "That gives the exact moments: with w = (gamma-1)/gamma^2, kappa = f(gamma-1)/(N-f) and V_K = "
        "(n-x3) kappa (1-kappa)(N-f-n+x3)/(N-f-1): Var y3 = (x3 + E K) w + V_K/gamma^2, Var y1 = (gamma f - "
        "x3 - E K) w + V_K/gamma^2, Cov = -V_K/gamma^2. The variance of the estimate x-hat = (y3 - n a)/D "
        "by the delta method, g3^2 Var y3 + g1^2 Var y1 + 2 g1 g3 Cov with g1 = (x3-n)a'/D and g3 = 1/D + "
        "g1, is an approximation; its linearization is off by exactly gamma h (L-k)/(N - gamma f'), with h "
        "= f' - f, k = y3 - E y3 and L the linear term: a part of order gamma |h|/(N - gamma f') of it. In "
        "the variance that is a relative error of order 1/N, by computation. "
        "H holds on average over predicates chosen without regard to the sensitive values of the records "
        "without s. For one given P and plan the exact bias with f known is (E K - (n-x3) kappa)/(gamma D)."
    ),
    hypotheses=(
        r"1 \le f < N/\gamma",
        r"N-f \ge 2",
        r"D = \tfrac1\gamma - a,\ a=\frac{f'(\gamma-1)}{\gamma(N-f')}",
        "random places within values",
        r"\text{H only where it is named}",
    ),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.M1c", "splu.B"),
    licenses=("splu_ref.mechanisms.plans.co_occurrence",),
    tests=(
        "tests/estimators/test_two_state.py::test_the_shipped_mechanism_has_these_moments_on_average_over_predicates",
    ),
)


@V.derivation
def moments_of_the_counts() -> Derivation:
    """Condition on K: every record that has s among its decoys publishes it with probability 1/gamma."""
    return Derivation(
        setting=(
            "The x3 records of P with s and K others of P, and no more of P, have s among their decoys; so "
            "have gamma f records in all. Draws are independent, hence the two binomials given K. The n_v "
            "records of P with value v take n_v of the f_v places of v, uniformly, and c(v,s) of these "
            "stand with s: hypergeometric, independent between values. Under H, n - x3 = m of M = N - f "
            "places, S = f(gamma-1) of which stand with s. w = (gamma-1)/gamma^2."
        ),
        steps=MOMENTS,
        conclusion=(
            "E K under H is m kappa, so the bias with f known is then 0. Without H, E K = sum n_v c(v,s)/f_v "
            "lies between the sums of the m smallest and the m largest c(v,s)/f_v over the N - f records."
        ),
    )


@V.derivation
def the_linearization_and_its_error() -> Derivation:
    """Write x-hat at (f + h, y + k) less x-hat at (f, y), without any remainder dropped."""
    return Derivation(
        setting=(
            "x-hat(f', y3) = (gamma(N-f') y3 - n f'(gamma-1))/(N - gamma f') (splu.M1c). s = N - gamma f, r "
            "= N - f = s + (gamma-1) f; a' = (gamma-1)N/(gamma r^2) is the slope of a. The linear term is L "
            "= g1 h + k/D = g1 (y1 - E y1) + g3 (y3 - E y3)."
        ),
        steps=LINEARIZATION,
        conclusion=(
            "Around (f, E y3), where x-hat = x3 under H, x-hat = x3 + L + gamma h (L-k)/(N - gamma f'). h is "
            "of order sqrt(f), so the error is of relative order gamma sqrt(f)/(N - gamma f)."
        ),
    )


@V.computation(cases=71, perturbed="splu_proofs.worlds.conjunction_moments:moments larger")
def moments_from_the_law() -> Comparisons:
    """Sum the joint law under H in fractions and compare every moment; compare E K with its bounds."""
    for gamma, rows, f in ((2, 6, 2), (2, 8, 3), (3, 9, 2), (3, 12, 3), (4, 12, 2)):
        for x3 in range(f + 1):
            for m in range(0, rows - f + 1, 2):
                mean, variance = moments_of_k(gamma, rows, f, m)
                law = joint_law(gamma, f, x3, hypergeometric(rows - f, f * (gamma - 1), m))
                trial = Fraction(gamma - 1, gamma**2)
                expected = (
                    (x3 + mean) / gamma,
                    (x3 + mean) * trial + variance / gamma**2,
                    (gamma * f - x3 - mean) * trial + variance / gamma**2,
                    -variance / gamma**2,
                )
                yield (
                    moments(law),
                    "=",
                    expected,
                    f"gamma = {gamma}, N = {rows}, f = {f}, x3 = {x3}, m = {m}",
                )


@V.computation(cases=39, perturbed="splu_proofs.worlds.conjunctions:convolved larger")
def bounds_of_the_bias() -> Comparisons:
    """Choose n_v records of every value without s, and take E K from its law: both bounds occur."""
    gamma, histogram, s = 2, (5, 4, 3, 2, 2), 1
    groups, truth = greedy_groups(histogram, gamma), records(histogram)
    ratios = [Fraction(together(groups, v, s), histogram[v]) for v in truth if v != s]
    kappa = Fraction(histogram[s] * (gamma - 1), len(ratios))
    others = [v for v in range(len(histogram)) if v != s]
    means: dict[int, list[Fraction]] = {}
    for counts in product(*(range(histogram[v] + 1) for v in others)):
        exposed = convolved(
            [
                hypergeometric(histogram[v], together(groups, v, s), count)
                for v, count in zip(others, counts, strict=True)
            ]
        )
        means.setdefault(sum(counts), []).append(sum((k * p for k, p in enumerate(exposed)), Fraction(0)))
    for m, found in means.items():
        low, high = sum(sorted(ratios)[:m]), sum(sorted(ratios)[len(ratios) - m :])
        yield ((min(found), max(found)), "=", (low, high), f"m = {m}: E K from {min(found)} to {max(found)}")
        yield (low, "<=", m * kappa, f"m = {m}: the mean under H is outside")
        yield (m * kappa, "<=", high, f"m = {m}: the mean under H is outside")


@V.computation(cases=4, perturbed="splu_proofs.worlds.conjunction_moments:delta_variance larger")
def how_good_the_delta_method_is() -> Comparisons:
    """Compare its variance with the exact one, given f' < N/gamma, in tables of growing size."""
    ratios = []
    for rows in (20, 40, 80):
        gamma, f, inside, x3 = 2, rows // 10, rows // 4, rows // 20
        law = joint_law(gamma, f, x3, hypergeometric(rows - f, f * (gamma - 1), inside - x3))
        weight = first = second = Fraction(0)
        for (y3, y1), p in law.items():
            spread = rows - gamma * (y1 + y3)
            if spread > 0:
                published = y1 + y3
                off = (
                    Fraction(gamma * (rows - published) * y3 - inside * published * (gamma - 1), spread) - x3
                )
                weight, first, second = weight + p, first + p * off, second + p * off * off
        exact = second / weight - (first / weight) ** 2
        ratios.append(exact / delta_variance(gamma, rows, f, inside, x3))
    yield (ratios[0], ">", ratios[1], f"the ratios are {list(map(float, ratios))}")
    yield (ratios[1], ">", ratios[2], f"the ratios are {list(map(float, ratios))}")
    yield (ratios[2], ">", 1, f"the ratios are {list(map(float, ratios))}")
    yield (ratios[2] - 1, "<", Fraction(3, 5) * (ratios[1] - 1), "the error does not halve with doubled N")


@V.computation(cases=6, perturbed="splu_proofs.worlds.conjunction_moments:delta_variance doubled")
def what_ignoring_the_dependence_costs() -> Comparisons:
    """Treat decoys as independent and f as known: gamma = 5, x3 = n f/N, at n/N = 0.05, 0.3 and 0.6."""
    gamma, rows = 5, 100_000
    squares = []
    for share in (Fraction(1, 20), Fraction(3, 10), Fraction(3, 5)):
        f, inside = rows // 100, int(share * rows)
        x3 = inside * f // rows
        gained = Fraction(f * (gamma - 1), gamma * (rows - f))
        naive = x3 * Fraction(gamma - 1, gamma**2) + (inside - x3) * gained * (1 - gained)
        naive /= (Fraction(1, gamma) - gained) ** 2
        squares.append(naive / delta_variance(gamma, rows, f, inside, x3))
    for square, ratio in zip(squares, ("1.025", "1.187", "1.546"), strict=True):
        yield (Fraction(ratio) - Fraction(1, 2000)) ** 2, "<", square, f"square of the ratio {ratio}"
        yield square, "<", (Fraction(ratio) + Fraction(1, 2000)) ** 2, f"square of the ratio {ratio}"


@V.enumeration(
    cases=640,
    perturbed=(
        "splu_ref.mechanisms.plans.plan:DecoyPlan.blocks larger",
        "splu_proofs.worlds.conjunction_moments:law_by_values larger",
    ),
)
def every_predicate_of_small_worlds() -> Comparisons:
    """Run the shipped mechanism over every outcome; compare (y3, y1) for every P with the sum of Hyp."""
    runs = [(world, "anatomy") for world in WORLDS] + [(world, "cyclic") for world in WORLDS[:3]]
    for (gamma, histogram), plan in runs:
        groups = shipped_groups(histogram, gamma, plan)
        shipped = shipped_laws(histogram, gamma, plan)
        truth = records(histogram)
        for s in range(2):
            known: dict[tuple[int, ...], Law] = {}
            for predicate in subsets(len(truth)):
                counts = tuple(sum(truth[i] == v for i in predicate) for v in range(len(histogram)))
                if counts not in known:
                    known[counts] = law_by_values(groups, histogram, counts, s, gamma)
                law = law_of_predicate(shipped, predicate, s)
                yield (law, "=", known[counts], f"{plan} of {histogram}: s = {s}, P = {sorted(predicate)}")


@V.enumeration(
    cases=43,
    perturbed=(
        "splu_ref.mechanisms.plans.plan:DecoyPlan.blocks larger",
        "splu_proofs.worlds.conjunctions:hypergeometric larger",
    ),
)
def the_average_over_predicates_is_h() -> Comparisons:
    """Average the shipped mechanism's law over all P with n and x3 given: that is the law under H."""
    for gamma, histogram in WORLDS[:4]:
        shipped, truth = shipped_laws(histogram, gamma), records(histogram)
        rows, s = len(truth), 1
        sums: dict[tuple[int, int], tuple[int, Law]] = {}
        for predicate in subsets(rows):
            x3 = sum(truth[i] == s for i in predicate)
            ways, total = sums.get((x3, len(predicate)), (0, {}))
            for at, p in law_of_predicate(shipped, predicate, s).items():
                total[at] = total.get(at, Fraction(0)) + p
            sums[x3, len(predicate)] = ways + 1, total
        f = histogram[s]
        for (x3, inside), (ways, total) in sums.items():
            expected = joint_law(gamma, f, x3, hypergeometric(rows - f, f * (gamma - 1), inside - x3))
            yield (
                {at: p / ways for at, p in total.items()},
                "=",
                {at: p for at, p in expected.items() if p},
                f"{histogram}: x3 = {x3}, n = {inside}",
            )
