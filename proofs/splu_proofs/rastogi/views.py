"""rastogi.MV: several views of one original, in the three ways that the extension can mean."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Status

MV = Claim(
    id="rastogi.MV",
    module=__name__,
    source="Rastogi, Suciu, Hong 2007 (summary), last bullet",
    title="several views over time",
    statement=(
        r"R \text{ views are } (d,\gamma)\text{-private together} \iff "
        r"\Bigl(\frac{\alpha+\beta}\beta\Bigr)^R \le \frac{\gamma(1-d)}{d(1-\gamma)} \text{ and } "
        r"\Bigl(\frac{1-\alpha-\beta}{1-\beta}\Bigr)^R \ge \frac d\gamma"
    ),
    words=(
        "The summary names an extension and does not define it. Three readings. Fresh coins for every view: "
        "a tuple in j of R views has its prior odds times ((alpha+beta)/beta)^j "
        "((1-alpha-beta)/(1-beta))^(R-j), and the statement is exact, so every view costs, and R is bounded "
        "for every d below gamma. One coin for each tuple, kept: every view is the same, and nothing is "
        "added. Kept coins and a changing table: a tuple that was not seen and is seen has been inserted, "
        "for certain, and one that vanishes deleted, so no gamma below 1 holds for them. Only the first can "
        "be a guarantee for several views of one table, and of a table that changes none of the three is."
    ),
    hypotheses=("fresh coins", r"\beta > 0", r"0 < d \le \gamma < 1"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("rastogi.T43c",),
    licenses=("splu_ref.guarantees.tuple_privacy",),
    tests=(
        "tests/guarantees/test_tuples.py::test_several_views",
        "tests/guarantees/test_tuples.py::test_keyed_coins_and_a_changing_table",
    ),
)


@MV.derivation
def odds_multiply() -> Derivation:
    """Compare the posterior at likelihood ratio r with both levels."""
    return Derivation(
        setting=(
            "r is the ratio of the chances of what is seen of t in all views, if t is in I and if not. The "
            "posterior at the prior x is x r/(x r + 1 - x)."
        ),
        steps=(
            Identity(
                name="the upper level, at the prior d",
                says="gamma less the posterior is (gamma (1-d) - r d (1-gamma))/(d r + 1 - d).",
                variables={"r": 1, "d": 1, "gamma": 1},
                left=lambda r, d, gamma: gamma - d * r / (d * r + 1 - d),
                right=lambda r, d, gamma: (gamma * (1 - d) - r * d * (1 - gamma)) / (d * r + 1 - d),
            ),
            Identity(
                name="the lower level, at the prior x",
                says=(
                    "Posterior over prior less e = d/gamma is (r - e + x e (1-r))/(1 - x (1-r)): for r <= 1 "
                    "at least 0 for every x > 0 exactly if r >= e."
                ),
                variables={"r": 2, "e": 1, "x": 1},
                left=lambda r, e, x: r / (x * r + 1 - x) - e,
                right=lambda r, e, x: (r - e + x * e * (1 - r)) / (1 - x * (1 - r)),
            ),
            Identity(
                name="it grows with r",
                says="Between r and s the posterior differs by (s-r) x (1-x) over a positive product.",
                variables={"r": 1, "s": 1, "x": 1},
                left=lambda r, s, x: x * s / (x * s + 1 - x) - x * r / (x * r + 1 - x),
                right=lambda r, s, x: (s - r) * x * (1 - x) / ((x * s + 1 - x) * (x * r + 1 - x)),
            ),
        ),
        conclusion=(
            "r is largest for a tuple in all views and smallest for one in none; with r >= 1 the lower level "
            "holds of itself, and with r <= 1 the upper one."
        ),
    )


@MV.computation(cases=36, perturbed="prior * own**seen => prior * beta**seen")
def every_outcome_of_several_views() -> Comparisons:
    """Compare the two conditions with the posteriors of all j of R views; count the most views."""
    for alpha, beta, d, gamma in (
        (Fraction(1, 2), Fraction(1, 10), Fraction(1, 100), Fraction(1, 2)),
        (Fraction(1, 5), Fraction(1, 5), Fraction(1, 10), Fraction(1, 2)),
        (Fraction(1, 20), Fraction(1, 4), Fraction(1, 10), Fraction(1, 3)),
    ):
        own = alpha + beta
        for views in range(1, 13):
            derived = (own / beta) ** views <= gamma * (1 - d) / (d * (1 - gamma)) and (
                (1 - own) / (1 - beta)
            ) ** views >= d / gamma
            kept = True
            for seen, prior in product(range(views + 1), (d, d / 10**9)):
                inside = prior * own**seen * (1 - own) ** (views - seen)
                outside = (1 - prior) * beta**seen * (1 - beta) ** (views - seen)
                belief = inside / (inside + outside)
                kept &= prior * d / gamma <= belief <= gamma
            yield (kept, "=", derived, f"alpha = {alpha}, {views} views")


@MV.computation(cases=1, perturbed="first < 20 * (alpha + beta) => first < 20 * beta")
def kept_coins_and_a_changing_table() -> Comparisons:
    """Go through all coins below 20 of two tuples, of which one is inserted and one stays away."""
    alpha, beta = Fraction(1, 2), Fraction(1, 5)
    inserted = stayed = 0
    for first, second in product(range(20), repeat=2):
        before = [coin < 20 * beta for coin in (first, second)]
        after = [first < 20 * (alpha + beta), second < 20 * beta]
        inserted += before[0] != after[0]
        stayed += before[1] != after[1]
    yield ((inserted, stayed), "=", (200, 0), f"{inserted}, {stayed}")
