"""splu.AC: no plan publishes a given vector of counts with more than a small probability."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from math import factorial

from ..terms import Claim, Comparisons, Grade, Status
from ..worlds.histograms import histograms
from ..worlds.valid_plans import Plan, plans

AC = Claim(
    id="splu.AC",
    module=__name__,
    source="new",
    title="anti-concentration of the published counts",
    statement=(
        r"\Pr(f' = y) \le S_m^{G/M},\quad G = N/\gamma,\ M = \max_v f_v,\ m = \lfloor\gamma M/2\rfloor,\ "
        r"S_m = \Pr(K = K'),\ K, K' \sim \mathrm{Multinomial}(m, \tfrac1\gamma) \text{ independent}"
    ),
    words=(
        "However the groups are chosen, even by somebody who knows the table, no vector of published counts "
        "is likely; the true one is not either. S_m is the probability that two multinomial draws of m "
        "agree. The argument: the characteristic function of f' is the product over the groups of "
        "mu_g^gamma, mu_g the mean of exp(i t_v) over the group, so Pr(f' = y) is at most the integral of "
        "the product of |mu_g|^gamma. A value lies in at most M groups, so Finner's inequality, which is "
        "quoted here, bounds it by the product of the integrals of |mu_g|^(gamma M) to the power 1/M, and "
        "|mu| <= 1 makes an even exponent of an odd one. The bound is checked over every plan and every y in "
        "small tables, where it is attained at counts (1, 1). A publisher whose counts are all right, "
        "whatever the plan, was not drawing independently."
    ),
    hypotheses=(r"\gamma \ge 2", r"\gamma \mid N", r"p = 1/\gamma", "independent draws", "any valid plan"),
    status=Status.VERIFIED,
    grade=Grade.EXACT,
    instances="every plan and vector with N <= 8",
    rests_on=("splu.B",),
)


@cache
def coincidence(gamma: int, draws: int) -> Fraction:
    """Return S_m: the probability that two multinomial draws of m over gamma places agree."""
    total = 0
    for counts in product(range(draws + 1), repeat=gamma - 1):
        if (rest := draws - sum(counts)) >= 0:
            ways = factorial(draws) // factorial(rest)
            for count in counts:
                ways //= factorial(count)
            total += ways**2
    return Fraction(total, gamma ** (2 * draws))


def bound(histogram: tuple[int, ...], gamma: int) -> Fraction:
    """Return the bound to the power M, which is without roots."""
    return coincidence(gamma, gamma * max(histogram) // 2) ** (sum(histogram) // gamma)


def likeliest(plan: Plan, gamma: int, values: int) -> Fraction:
    """Return the largest probability of a vector of published counts, each group drawing gamma times."""
    ways: Counter[tuple[int, ...]] = Counter({(0,) * values: 1})
    for group in plan:
        for _ in range(gamma):
            grown: Counter[tuple[int, ...]] = Counter()
            for counts, number in ways.items():
                for value in group:
                    grown[(*counts[:value], counts[value] + 1, *counts[value + 1 :])] += number
            ways = grown
    return Fraction(max(ways.values()), gamma ** (gamma * len(plan)))


@AC.computation(
    cases=267,
    perturbed=(
        "splu_proofs.splu.anti_concentration:coincidence larger",
        "splu_proofs.splu.anti_concentration:likeliest larger",
        "splu_proofs.worlds.valid_plans:plans smaller",
    ),
)
def every_plan_and_every_vector_of_small_tables() -> Comparisons:
    """Compare the likeliest vector under every valid plan, up to N = 8, with the bound."""
    for gamma, most in ((2, 8), (3, 6), (4, 4)):
        for total in range(gamma, most + 1, gamma):
            for histogram in histograms(total):
                if gamma * max(histogram) > total or list(histogram) != sorted(histogram, reverse=True):
                    continue
                for groups in {tuple(sorted(plan)) for plan in plans(histogram, gamma)}:
                    largest = likeliest(groups, gamma, len(histogram))
                    limit = bound(histogram, gamma)
                    yield largest ** max(histogram), "<=", limit, f"{histogram}, {groups}: {largest}"
    yield likeliest(((0, 1),), 2, 2), "=", coincidence(2, 1), "the bound is attained at (1, 1)"


@AC.computation(cases=1, perturbed="splu_proofs.splu.anti_concentration:coincidence larger")
def larger_tables() -> Comparisons:
    """Bound the probability of any vector in a table of 1,000 groups, no value in more than 20 of them."""
    chance = coincidence(2, 20)
    yield chance ** (1000 // 20), "<", Fraction(1, 10**45), "bound of the probability of a vector"
