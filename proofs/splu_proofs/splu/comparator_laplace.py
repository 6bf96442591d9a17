"""splu.DL: counts with discrete Laplace noise, in the terms of differential privacy and of Definition 2."""

from __future__ import annotations

from fractions import Fraction
from math import factorial

from ..arithmetic.law import error
from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Status

DL = Claim(
    id="splu.DL",
    module=__name__,
    source="new; the comparison is Fu et al. 2014, §6.2.3.1",
    title="discrete Laplace noise",
    statement=(
        r"\Pr(Z=z) = \tfrac{1-r}{1+r} r^{|z|},\ r = e^{-\epsilon};\quad "
        r"\operatorname{E}|Z| = \tfrac{2r}{1-r^2},\ \operatorname{Var} Z = \tfrac{2r}{(1-r)^2};\quad "
        r"T_P = \tfrac{2 r^{\lceil\varepsilon\alpha\rceil}}{1+r}"
    ),
    words=(
        "The shipped comparator adds the difference of two geometric numbers. Each answer is "
        "epsilon-differentially private if one record changes it by at most 1, and unbiased. The mean error "
        "is 4/3 at ln 2 and 3/4 at ln 3, at every count; continuous Laplace noise has 1/epsilon, a little "
        "more. In the terms of Definition 2 the level is T_P = 2 r^ceil(eps alpha)/(1+r), attained at alpha. "
        "At ln 2 and a relative error of 3/10 it is above that of SPLU-Gen with gamma = 5 for alpha = 3, and "
        "below it for alpha = 10; and large counts become accurate much sooner: off by 1/20 or more with at "
        "most 1/100 from 141 on."
    ),
    hypotheses=(r"\epsilon > 0", r"\Delta f = 1"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.D2",),
    licenses=("splu_ref.mechanisms.laplace:LaplaceCounts", "splu_ref.estimators.comparators"),
    tests=(
        "tests/mechanisms/test_comparators_laplace.py::test_noise_at_a_named_budget",
        "tests/estimators/test_laplace_error.py::test_against_the_law_term_by_term",
    ),
)


@DL.derivation
def the_law_and_its_moments() -> Derivation:
    """Sum geometric series."""
    return Derivation(
        setting=(
            "Pr(G >= k) = r^k, so Pr(G = k) = (1-r) r^k, and Z = G - G' with two such numbers, independent. "
            "For z >= 0, Pr(Z = z) is the sum over k of (1-r)^2 r^(2k+z). Below, a stands for r^z or r^j. "
            "The sums are sum r^k = 1/(1-r) and, over j >= 1, sum r^j = r/(1-r), sum j r^j = r/(1-r)^2."
        ),
        steps=(
            Identity(
                name="the law",
                says="The sum over k of r^(2k) is 1/(1-r^2). So Pr(|Z| >= j) = 2 r^j/(1+r) for j >= 1.",
                variables={"r": 2, "a": 0},
                left=lambda r, a: (1 - r) ** 2 * a / (1 - r * r),
                right=lambda r, a: (1 - r) / (1 + r) * a,
            ),
            Identity(
                name="the mean error",
                says="E|Z| is the sum of Pr(|Z| >= j) over j >= 1.",
                variables={"r": 2},
                left=lambda r: 2 / (1 + r) * (r / (1 - r)),
                right=lambda r: 2 * r / (1 - r * r),
            ),
            Identity(
                name="the variance",
                says="E Z^2 is the sum of (2j-1) Pr(|Z| >= j), and E Z = 0.",
                variables={"r": 2},
                left=lambda r: 2 / (1 + r) * (2 * r / (1 - r) ** 2 - r / (1 - r)),
                right=lambda r: 2 * r / (1 - r) ** 2,
            ),
        ),
        conclusion=(
            "If x and x' differ by at most 1, so do |z-x| and |z-x'|: the probabilities of the answer z "
            "differ by a factor of at most 1/r = e^epsilon. For f <= alpha the tail at ceil(eps f) is least "
            "at alpha."
        ),
    )


@DL.enumeration(
    cases=103,
    perturbed=(
        "splu_ref.mechanisms.laplace:LaplaceCounts.publish_counts larger",
        "splu_proofs.worlds.noise_paths:noise_within larger",
    ),
)
def the_shipped_sampler_at_a_rational_ratio() -> Comparisons:
    """Run the sampler on every path of a limited number of draws, for ln 2, ln 3 and ln 3/2."""
    from ..worlds.noise_paths import noise_within  # noqa: PLC0415  only runs need it

    limits = {Fraction(2): 24, Fraction(3): 16, Fraction(3, 2): 10}
    for number, limit in limits.items():
        found, _ = noise_within(f"ln {number}", limit)
        r = 1 / number
        for z in range(-limit, limit + 1):
            pairs = [(g, g - z) for g in range(limit - 1) if 0 <= g - z <= limit - 2 - g]
            law = sum(((1 - r) ** 2 * r ** (g + h) for g, h in pairs), Fraction(0))
            yield (found.get(z, Fraction(0)), "=", law, f"ln {number}: Pr(Z = {z}) within {limit} draws")


@DL.enumeration(
    cases=54,
    perturbed=(
        "splu_ref.mechanisms.laplace:LaplaceCounts.publish_counts larger",
        "splu_proofs.splu.comparator_laplace:exponential larger",
    ),
)
def the_shipped_sampler_at_a_rational_budget() -> Comparisons:
    """Bound every probability from both sides by the paths that end in time: trials, then noise."""
    from ..worlds.noise_paths import noise_within, trial_within  # noqa: PLC0415  only runs need it

    widest = Fraction(0)
    for exponent in (Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1)):
        found, left = trial_within(exponent, 7)
        low, high = exponential(exponent)
        seen = found.get(1, Fraction(0))
        yield (seen, "<=", high, f"exp(-{exponent}) is not the probability of a trial")
        yield (low, "<=", seen + left, f"exp(-{exponent}) is not the probability of a trial")
        widest = max(widest, left)
    yield (widest, "<", Fraction(1, 5000), "the trials do not end soon enough to decide")
    for epsilon in (Fraction(1), Fraction(2), Fraction(1, 2)):
        found, left = noise_within(epsilon, 11)
        low, high = exponential(epsilon)
        yield (left, "<", Fraction(1, 3), "too few paths end within the limit")
        for z in range(-3, 4):
            least, most = (1 - high) / (1 + high) * low ** abs(z), (1 - low) / (1 + low) * high ** abs(z)
            seen = found.get(z, Fraction(0))
            yield (seen, "<=", most, f"epsilon = {epsilon}: Pr(Z = {z})")
            yield (least, "<=", seen + left, f"epsilon = {epsilon}: Pr(Z = {z})")


@DL.computation(cases=6, perturbed="splu_proofs.arithmetic.law:error smaller")
def beside_splu_gen() -> Comparisons:
    """Compare T_P at epsilon = 3/10 for alpha = 3 and 10, and the mean errors."""
    half = Fraction(1, 2)
    relative = Fraction(3, 10)
    noise = {a: 2 * half ** (-(-relative * a // 1)) / (1 + half) for a in (3, 10)}
    shipped = {a: min(error(5, relative, f) for f in range(1, a + 1)) for a in (3, 10)}
    yield ((noise[3], noise[10]), "=", (Fraction(2, 3), Fraction(1, 6)), "the levels of noise at ln 2")
    yield (noise[3], ">", shipped[3], "the order of the levels")
    yield (noise[10], "<", shipped[10], "the order of the levels")
    yield (2 * half / (1 - half**2), "=", Fraction(4, 3), "the mean error at ln 2")
    at = next(j for j in range(1, 99) if 2 * half**j / (1 + half) <= Fraction(1, 100))
    least = 20 * (at - 1) + 1  # of the counts f with ceil(f/20) >= j
    late = error(5, Fraction(1, 20), least)
    yield (least, "=", 141, "the least accurate count at ln 2")
    yield (late, ">", Fraction(2, 5), "the least accurate count at ln 2")


def exponential(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """Return bounds of exp(-epsilon), from 1/exp(epsilon) and its series."""
    below = sum((epsilon**k / factorial(k) for k in range(40)), Fraction(0))
    rest = 2 * epsilon**40 / factorial(40)
    return 1 / (below + rest), 1 / below
