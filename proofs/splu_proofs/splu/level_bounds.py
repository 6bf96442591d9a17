"""splu.CEIL, splu.TV, splu.PACK: how much small-sum privacy any mechanism of a kind can give."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product

from splu_ref.guarantees import best_estimator

from ..arithmetic.law import error
from ..arithmetic.poisson import beyond
from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Inequality, Status, decimal

CEIL = Claim(
    id="splu.CEIL",
    module=__name__,
    source="new; on Fu et al. 2014, §4.2, Definition 2",
    title="the ceiling of independent draws",
    statement=r"T_P \le \min_{1\le f\le\alpha}\Pr(|\mathrm{Poisson}(f)-f|\ge\varepsilon f)",
    words=(
        "As long as records draw independently and f' has mean f, no group size, retention or plan reaches a "
        "T_P above that of Poisson counts. Proof: f' is a sum of independent indicators with mean f. "
        "Hoeffding's inequality of 1956, quoted here, says that such a sum lies in a window of whole numbers "
        "around its mean with at least the probability of Bin(n, f/n), for n indicators; adding indicators "
        "that are never 1 changes nothing but n, and as n grows the binomial law becomes Poisson's. At "
        "epsilon = 0.3, alpha = 10 the ceiling is 0.3424..., at f = 7; gamma = 20 reaches 0.96 of it "
        "(splu.L2g says that it is the limit). Dependent draws are not bound by it: splu.AONc."
    ),
    hypotheses=("independent draws", r"E\,f' = f", r"0 < \varepsilon < 1"),
    status=Status.VERIFIED,
    grade=Grade.EXACT,
    instances="sums of up to five indicators on a grid, gamma <= 6",
    rests_on=("splu.B", "splu.L2g"),
)


def _window(chances: Sequence[Fraction], low: int, high: int) -> Fraction:
    """Return the chance that a sum of independent indicators lies in low .. high."""
    law = [Fraction(1)]
    for chance in chances:
        law = [
            (law[k] if k < len(law) else 0) * (1 - chance) + (law[k - 1] if k else 0) * chance
            for k in range(len(law) + 1)
        ]
    return sum(law[max(low, 0) : high + 1], Fraction(0))


@CEIL.computation(
    cases=198,
    perturbed=(
        "splu_proofs.splu.level_bounds:_poisson smaller",
        "splu_proofs.arithmetic.poisson:_inverse_of_e larger",
    ),
)
def sums_of_few_indicators() -> Comparisons:
    """Compare all sums of up to five indicators on a grid, with a whole mean, with Poisson's window."""
    grid = [Fraction(step, 4) for step in range(5)]
    for number in range(1, 6):
        for chances in product(grid, repeat=number):
            mean = sum(chances)
            if mean.denominator != 1 or mean == 0 or list(chances) != sorted(chances):
                continue
            f = int(mean)
            for epsilon in (Fraction(3, 10), Fraction(1, 2), Fraction(9, 10)):
                reach = _reach(epsilon, f)
                found = 1 - _window(chances, f - reach, f + reach)
                yield (found, "<=", _poisson(f, epsilon), f"{chances}, epsilon = {epsilon}: {found}")


@CEIL.computation(
    cases=51,
    perturbed=(
        "splu_proofs.splu.level_bounds:_poisson larger",
        "splu_proofs.arithmetic.law:at_most larger",
        "splu_proofs.splu.level_bounds:_window smaller",
    ),
)
def every_retention_of_small_groups() -> Comparisons:
    """Compare the error of f' with Poisson's for group sizes, retentions and counts."""
    epsilon, alpha = Fraction(3, 10), 10
    ceiling = min(_poisson(f, epsilon) for f in range(1, alpha + 1))
    yield (decimal(ceiling, 4), "=", "0.3424...", decimal(ceiling, 6))
    yield (ceiling, "=", _poisson(7, epsilon), decimal(ceiling, 6))
    for gamma in (2, 3, 5, 10):
        for p in (Fraction(1, gamma), Fraction(1, 2), Fraction(9, 10), Fraction(1, 20)):
            for f in (1, 3, 7):
                chances = [p] * f + [(1 - p) / (gamma - 1)] * (f * (gamma - 1))
                reach = _reach(epsilon, f)
                yield (
                    1 - _window(chances, f - reach, f + reach),
                    "<=",
                    _poisson(f, epsilon),
                    f"gamma = {gamma}, p = {p}, f = {f}: above the ceiling",
                )
    share = min(error(20, epsilon, f) for f in range(1, alpha + 1)) / ceiling
    yield (decimal(share, 2), "=", "0.96...", f"gamma = 20 reaches {decimal(share, 4)} of it")


def _reach(epsilon: Fraction, f: int) -> int:
    """Return how far a whole number may be from f without being wrong: less than epsilon f."""
    return -(-epsilon * f // 1) - 1


def _poisson(f: int, epsilon: Fraction) -> Fraction:
    """Return an upper bound of Pr(|Poisson(f) - f| >= epsilon f), less than 2^-200 above it."""
    return beyond(f, _reach(epsilon, f) + 1)[1]


TV = Claim(
    id="splu.TV",
    module=__name__,
    source="new",
    title="unbiased counts distinguish counts",
    statement=r"d_{TV}(P_f, P_g) \ge \frac{|f-g|}{B}",
    words=(
        "Let what is published of a count lie in 0 .. B and have mean f. Then its laws at f and at g differ "
        "in total variation by at least |f - g| / B: no unbiased mechanism makes two counts harder to "
        "distinguish. It is attained for every f and g at once by publishing B with probability f/B, and "
        "otherwise 0: a count that is almost always wrong and almost never distinguishes f from g. So T_P "
        "alone does not say what a mechanism is worth."
    ),
    hypotheses=(r"0 \le f' \le B", r"E\,f' = f \text{ and } g"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
)


@TV.derivation
def a_mean_moves_with_the_law() -> Derivation:
    """Bound the difference of two means by what the laws differ in."""
    return Derivation(
        setting=(
            "p and q are the chances of a value x under the two laws, in whole units, and B is the largest "
            "value. Let f be at least g. f - g is the sum of x (p - q) over the values, and the total "
            "variation is the sum of p - q over those with p >= q."
        ),
        steps=(
            Inequality(
                name="a value that became likelier",
                says="With p >= q and x <= B: B (p - q) >= x (p - q).",
                variables=("x", "p", "q", "b"),
                given=lambda x, p, q, b: (x, p - q, q, b - x),
                slack=lambda x, d, q, r: (x, d + q, q, r + x),
                then=lambda x, p, q, b: b * (p - q) - x * (p - q),
            ),
            Inequality(
                name="a value that became less likely",
                says="With p <= q and x >= 0: 0 >= x (p - q).",
                variables=("x", "p", "q"),
                given=lambda x, p, q: (x, p, q - p),
                slack=lambda x, p, d: (x, p, d + p),
                then=lambda x, p, q: -x * (p - q),
            ),
        ),
        conclusion="Summed over the values, f - g is at most B times the total variation.",
    )


@TV.computation(
    cases=1636, perturbed="max(laws[0][k] - laws[1][k], Fraction(0)) => abs(laws[0][k] - laws[1][k])"
)
def the_two_point_law_attains_it() -> Comparisons:
    """Compute the total variation of laws on 0 and B, and of SPLU-Gen's, for B up to 12."""
    for most in range(1, 13):
        for f, g in product(range(most + 1), repeat=2):
            laws = [{0: 1 - Fraction(count, most), most: Fraction(count, most)} for count in (f, g)]
            yield (sum(k * part for k, part in laws[0].items()), "=", f, "biased")
            apart = sum((max(laws[0][k] - laws[1][k], Fraction(0)) for k in (0, most)), Fraction(0))
            yield (apart, "=", Fraction(abs(f - g), most), f"{f}, {g} of {most}: {apart}")


PACK = Claim(
    id="splu.PACK",
    module=__name__,
    source="new; on splu.D2e",
    title="what guessing achieves against every mechanism",
    statement=r"T_P^* \le 1 - \frac1n",
    words=(
        "T_P*, the error that no estimator of a count in 1 .. alpha escapes at its worst count, is at most 1 "
        "- 1/n for every mechanism, where n estimates are enough for each count to be within epsilon of one "
        "of them: whoever guesses one of the n at random is right with probability 1/n or more, without a "
        "look at the release. A release that discloses nothing attains it: as many counts lie so far apart "
        "that no estimate is right for two. At epsilon = 0.3, alpha = 10, n is 4, and T_P* at most 3/4. All "
        "or none comes near it as gamma grows: 0.739 at gamma = 100."
    ),
    hypotheses=(r"0 < \varepsilon < 1", r"n \text{ least}"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.D2e",),
)


def _apart(epsilon: Fraction, alpha: int) -> list[int]:
    """Return counts, each the least that no estimate shares with the one before: (1+e) f <= (1-e) g."""
    chosen = [1]
    for g in range(2, alpha + 1):
        if (1 - epsilon) * g >= (1 + epsilon) * chosen[-1]:
            chosen.append(g)
    return chosen


def _covered(epsilon: Fraction, alpha: int, chosen: Sequence[int]) -> int:
    """Count the counts within e of an estimate just below (1+e) f, for the chosen f below each."""
    blocks = [*chosen, alpha + 1]
    return sum(
        (1 - epsilon) * g < (1 + epsilon) * f for f, after in pairwise(blocks) for g in range(f, after)
    )


@PACK.derivation
def a_guess_without_the_release() -> Derivation:
    """Name one of the n estimates at random, each with the same probability."""
    return Derivation(
        setting=(
            "Each count f in 1 .. alpha is within epsilon f of one of the n estimates at least, so the guess "
            "is right with probability 1/n or more, whatever f and the release are."
        ),
        steps=(
            Identity(
                name="the error of the guess",
                says="The n - 1 others are named with (n-1)/n = 1 - 1/n.",
                variables={"n": 1},
                left=lambda n: (n - 1) / n,
                right=lambda n: 1 - 1 / n,
            ),
        ),
        conclusion="The guess is an estimator whose error is at most 1 - 1/n at every count.",
    )


@PACK.computation(
    cases=2243,
    perturbed=(
        "splu_proofs.splu.level_bounds:_apart larger",
        "splu_proofs.splu.level_bounds:_covered larger",
    ),
)
def a_cover_and_a_packing_of_one_size() -> Comparisons:
    """Find as many counts far apart as estimates that cover all, for many epsilon and alpha."""
    for numerator in range(1, 20):
        epsilon = Fraction(numerator, 20)
        for alpha in range(1, 60):
            chosen = _apart(epsilon, alpha)
            gaps = ((1 - epsilon) * g - (1 + epsilon) * f for f, g in pairwise(chosen))
            yield min(gaps, default=Fraction(0)), ">=", 0, f"epsilon = {epsilon}, alpha = {alpha}: apart"
            yield (
                _covered(epsilon, alpha, chosen),
                "=",
                alpha,
                f"epsilon = {epsilon}, alpha = {alpha}: covered",
            )
    yield (len(_apart(Fraction(3, 10), 10)), "=", 4, "another number of estimates")


@PACK.computation(cases=3, perturbed="splu_ref.guarantees.minimax_error:best_estimator larger")
def independent_draws_stay_below() -> Comparisons:
    """Compare T_P* of SPLU-Gen with the bound where it is computed."""
    for gamma, epsilon, alpha in ((5, Fraction(3, 10), 3), (10, Fraction(3, 10), 5), (3, Fraction(1, 2), 6)):
        bound = 1 - Fraction(1, len(_apart(epsilon, alpha)))
        worst = best_estimator(gamma, epsilon, alpha).worst_error
        yield (worst, "<=", bound, f"{gamma}, {epsilon}, {alpha}: {worst} > {bound}")
