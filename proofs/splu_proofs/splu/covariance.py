"""splu.Cc: how much of the covariance with other attributes a release keeps on average."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Inequality, Status

CC = Claim(
    id="splu.Cc",
    module=__name__,
    source="corrects Fu et al. 2014, §3.1",
    title="the share of the covariance that remains",
    statement=(
        r"\operatorname{E}\operatorname{Cov}' = "
        r"\frac{1-\gamma\varphi}{\gamma(1-\varphi)}\operatorname{Cov},\qquad \varphi = \tfrac fN,\quad 0 "
        r"\le \frac{1-\gamma\varphi}{\gamma(1-\varphi)} \le \tfrac1\gamma"
    ),
    words=(
        "If the records of P without s stand at random places among those not holding s, the expected "
        "covariance of P and s in D' is the original one times (1 - gamma phi)/(gamma (1 - phi)), phi = "
        "f/N: close to 1/gamma for rare values and 0 for a value at the greatest possible count N/gamma. "
        "The expectation is over the places and the draws. For one fixed plan the expected count of P and "
        "s in D' is the sum of n_v c(v, s)/(gamma f_v) over the values v, n_v = #(P and v), and no such "
        "factor exists."
    ),
    hypotheses=(
        r"\gamma \mid N",
        r"1 \le f \le N/\gamma",
        r"\text{the places of the } n-x_3 \text{ records are a uniformly random subset of the } N-f",
    ),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.S3", "splu.G"),
)


def kept(groups: list[tuple[int, ...]], counts: tuple[int, ...], s: int) -> Fraction:
    """Return the expected count of P and s in D', for ``counts`` records of P by value, places random."""
    gamma = len(groups[0])
    f = [sum(v in group for group in groups) for v in range(len(counts))]
    together = [sum({v, s} <= set(group) for group in groups) for v in range(len(counts))]
    return sum(
        (Fraction(n * c, gamma * all_) for n, c, all_ in zip(counts, together, f, strict=True)), Fraction(0)
    )


@CC.derivation
def the_share_that_remains() -> Derivation:
    """Take expectations over the places and the draws."""
    return Derivation(
        setting=(
            "N places, f of them hold records of s, and N - f do not; of those, f (gamma-1) are in groups "
            "that hold s. n = |P|, x of them have s. K of the n - x others stand in groups that hold s. "
            "Each of the x + K publishes s with probability 1/gamma, and no other record of P does. E f' = "
            "f (splu.B)."
        ),
        steps=(
            Identity(
                name="the expected number of records in groups of s",
                says=(
                    "Each of the n - x places is equally likely any of the N - f: E K = (n-x) f "
                    "(gamma-1)/(N-f). In parts: the share of places outside groups of s is (N - gamma "
                    "f)/(N - f)."
                ),
                variables={"n": 0, "x": 0, "f": 0, "gamma": 2, "big_n": 30},
                left=lambda n, x, f, gamma, big_n: (n - x) * f * (gamma - 1) / (big_n - f),
                right=lambda n, x, f, gamma, big_n: (n - x) * (1 - (big_n - gamma * f) / (big_n - f)),
            ),
            Identity(
                name="the expected covariance",
                says=(
                    "E y = (x + E K)/gamma, and E y/N - n f/N^2 = (x/N - n f/N^2) (N - gamma f)/(gamma (N "
                    "- f))."
                ),
                variables={"n": 0, "x": 0, "f": 0, "gamma": 2, "big_n": 30},
                left=lambda n, x, f, gamma, big_n: (
                    (x + (n - x) * f * (gamma - 1) / (big_n - f)) / gamma / big_n - n * f / big_n**2
                ),
                right=lambda n, x, f, gamma, big_n: (
                    (x / big_n - n * f / big_n**2) * (big_n - gamma * f) / (gamma * (big_n - f))
                ),
            ),
            Inequality(
                name="at most 1/gamma",
                says="(N - f) - (N - gamma f) = (gamma-1) f >= 0, and N - gamma f >= 0 by eligibility.",
                variables=("gamma", "f", "big_n"),
                given=lambda gamma, f, big_n: (gamma - 2, f, big_n - gamma * f),
                slack=lambda g, f, d: (g + 2, f, d + (g + 2) * f),
                then=lambda gamma, f, big_n: (big_n - f) - (big_n - gamma * f),
            ),
        ),
        conclusion=(
            "With phi = f/N the factor is (1 - gamma phi)/(gamma (1 - phi)), from 0 at phi = 1/gamma to "
            "nearly 1/gamma."
        ),
    )


@CC.computation(cases=196, perturbed="Fraction(total - gamma * f, gamma => Fraction(total - f, gamma")
def every_placement_in_small_tables() -> Comparisons:
    """Average over every subset of places, for every eligible table with N <= 8, every s, n and x."""
    for gamma in (2, 3, 4):
        for total in range(gamma, 9, gamma):
            for f in range(1, total // gamma + 1):
                inside = [place < f * (gamma - 1) for place in range(total - f)]  # in a group that holds s
                for x in range(f + 1):
                    for others in range(min(4, total - f) + 1):
                        n = x + others
                        sums = [sum(chosen) for chosen in combinations(inside, others)]
                        y = Fraction(x + Fraction(sum(sums), len(sums))) / gamma
                        before = Fraction(x, total) - Fraction(n * f, total**2)
                        share = Fraction(total - gamma * f, gamma * (total - f))
                        yield (
                            y / total - Fraction(n * f, total**2),
                            "=",
                            share * before,
                            f"{gamma}, {total}, {f}",
                        )


@CC.enumeration(
    cases=336,
    perturbed=("splu_ref.mechanisms.group_draws:draw_rule larger", "splu_proofs.splu.covariance:kept larger"),
)
def the_formula_for_a_fixed_plan() -> Comparisons:
    """Compare sum n_v c(v, s)/(gamma f_v) with every outcome of the shipped mechanism, both plans."""
    from ..worlds import watched  # noqa: PLC0415  it loads numpy and the library

    for name in watched.NAMES:
        for gamma, histogram in ((2, (2, 1, 1)), (2, (1, 1, 1, 1)), (3, (1, 1, 1)), (2, (2, 2))):
            codes = tuple(value for value, count in enumerate(histogram) for _ in range(count))
            groups = watched.plan_groups(name, histogram, gamma)
            outcomes = list(watched.seen(name, codes, gamma))
            for members in product((False, True), repeat=len(codes)):
                counts = tuple(
                    sum(inside and code == value for inside, code in zip(members, codes, strict=True))
                    for value in range(len(histogram))
                )
                for s in range(len(histogram)):
                    mean = sum(
                        probability
                        * sum(v == s for v, inside in zip(seen.published, members, strict=True) if inside)
                        for seen, probability in outcomes
                    )
                    yield (mean, "=", kept(groups, counts, s), f"{name}, {histogram}, P = {members}, s = {s}")
