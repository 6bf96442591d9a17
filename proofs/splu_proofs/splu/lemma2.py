"""splu.L2: the exact level of small-sum privacy of the published count, and its tight form."""

from __future__ import annotations

from fractions import Fraction

from splu_ref.guarantees import privacy_minimum

from ..arithmetic.law import error, error_beyond, window
from ..terms import Claim, Comparisons, Derivation, Grade, Inequality, Kernel, Status

L2 = Claim(
    id="splu.L2",
    module=__name__,
    source="Fu et al. 2014, §4.2, Lemma 2",
    title="level of small-sum privacy",
    statement=(
        r"T_P = \min_{1\le "
        r"f\le\alpha}\Bigl(1-\sum_{x=\lceil(1-\varepsilon)f\rceil}^{\lfloor(1+\varepsilon)f\rfloor}b(\gamma "
        r"f;x)\Bigr) \;\le\; \min_{1\le f\le\alpha}\Pr(|f'-f|\ge\varepsilon f)"
    ),
    words=(
        "True for the estimator f', and conservative: the sum counts a published count at a distance of "
        "exactly epsilon f as within the bound, Definition 2 as an error. The tight value takes the window "
        "|x - f| <= ceil(epsilon f) - 1. Both minima are attained at plateau starts (splu.S), so only "
        "those need to be computed. The lemma says nothing about other estimators."
    ),
    hypotheses=(r"\gamma \ge 2", r"\varepsilon > 0", r"\alpha \ge 1", r"\text{the estimate is } f'"),
    status=Status.PROVED,
    grade=Grade.KERNEL,
    rests_on=("splu.D2", "splu.B", "splu.S"),
    licenses=(
        "splu_ref.guarantees.privacy",
        "splu_ref.guarantees.count_error",
        "splu_ref.guarantees.count_error:plateau_starts",
        "splu_ref.guarantees.certificates.claims",
        "splu_ref.certificate_checker",
    ),
    tests=("tests/guarantees/test_privacy.py::test_against_the_minimum_over_every_count",),
    kernel=Kernel(
        theorems=(
            "Levels.printed_level_law",
            "Levels.printed_level_is_conservative",
            "Levels.level_holds_for_every_count",
            "Levels.tight_window",
            "Levels.printed_minimum_at_a_plateau_start",
            "Levels.error_minimum_at_a_plateau_start",
        ),
        covers=(
            "The whole statement, for every gamma >= 2, alpha >= 1 and rational epsilon > 0: the printed "
            "window leaves out the errors of exactly epsilon f, the tight one none, and both minima are at "
            "plateau starts. The printed sum is that over the whole x with (1-epsilon) f <= x <= (1+epsilon) "
            "f."
        ),
        leaves="That the library computes both minima: computations below.",
    ),
)


@L2.derivation
def windows_and_distances() -> Derivation:
    """Which published counts lie in the printed window, and which in the tight one."""
    return Derivation(
        setting=(
            "epsilon = a/b, and d = |x - f| is whole. a f = b c + r with 0 <= r <= b-1, so c = "
            "floor(epsilon f) and the printed window f - c .. f + c is d <= c. For the tight window a f = "
            "b j - r, so j = ceil(epsilon f). n stands for a f."
        ),
        steps=(
            Inequality(
                name="printed window: within",
                says="d <= c gives b d <= a f: no error in the strict sense.",
                variables=("b", "c", "r", "d"),
                given=lambda b, c, r, d: (b - 1 - r, c - d, r, d),
                slack=lambda s, t, r, d: (s + 1 + r, t + d, r, d),
                then=lambda b, c, r, d: (b * c + r) - b * d,
            ),
            Inequality(
                name="printed window: outside",
                says="d >= c + 1 gives b d >= a f + 1: an error in the strict sense, abs(x - f) > epsilon f.",
                variables=("b", "c", "r", "d"),
                given=lambda b, c, r, d: (b - 1 - r, c, r, d - c - 1),
                slack=lambda s, c, r, t: (s + 1 + r, c, r, t + c + 1),
                then=lambda b, c, r, d: b * d - (b * c + r) - 1,
            ),
            Inequality(
                name="tight window: within",
                says="d <= j - 1 gives b d <= a f - 1: no error in the sense of Definition 2.",
                variables=("b", "j", "r", "d"),
                given=lambda b, j, r, d: (b - 1 - r, j - 1 - d, r, d),
                slack=lambda s, t, r, d: (s + 1 + r, t + 1 + d, r, d),
                then=lambda b, j, r, d: (b * j - r) - b * d - 1,
            ),
            Inequality(
                name="tight window: outside",
                says="d >= j gives b d >= a f: an error in the sense of Definition 2.",
                variables=("b", "j", "r", "d"),
                given=lambda b, j, r, d: (b - 1 - r, j, r, d - j),
                slack=lambda s, j, r, t: (s + 1 + r, j, r, t + j),
                then=lambda b, j, r, d: b * d - (b * j - r),
            ),
        ),
        conclusion=(
            "1 minus the printed sum is Pr(|f'-f| > epsilon f), at most Pr(|f'-f| >= epsilon f). On a "
            "plateau of c, or of j, splu.S makes the probability of d >= c+1, or of d >= j, nondecreasing "
            "in f: the minimum is at a plateau start."
        ),
    )


@L2.computation(cases=3000, perturbed="splu_proofs.arithmetic.law:error smaller")
def plateau_starts_give_the_minimum() -> Comparisons:
    """Compare the least over plateau starts with the least of all: gamma 2..5, alpha to 25."""
    for gamma in range(2, 6):
        for epsilon in (
            *(Fraction(k, 20) for k in range(1, 21, 3)),
            Fraction(1, 3),
            Fraction(3, 2),
            Fraction(5),
        ):
            strict = [error_beyond(gamma, epsilon, f) for f in range(1, 26)]
            tight = [error(gamma, epsilon, f) for f in range(1, 26)]
            for alpha in range(1, 26):
                starts = [
                    f for f in range(1, alpha + 1) if f == 1 or epsilon * f // 1 != epsilon * (f - 1) // 1
                ]
                tight_starts = [
                    f for f in range(1, alpha + 1) if f == 1 or -epsilon * f // 1 != -epsilon * (f - 1) // 1
                ]
                yield (
                    min(strict[:alpha]),
                    "=",
                    min(strict[f - 1] for f in starts),
                    f"{gamma}, {epsilon}, {alpha}, strict",
                )
                yield (
                    min(tight[:alpha]),
                    "=",
                    min(tight[f - 1] for f in tight_starts),
                    f"{gamma}, {epsilon}, {alpha}",
                )
                yield (
                    min(strict[:alpha]),
                    "<=",
                    min(tight[:alpha]),
                    f"{gamma}, {epsilon}, {alpha}: not conservative",
                )


@L2.computation(
    cases=51,
    perturbed=(
        "splu_ref.guarantees.count_error:ErrorProbability.exact larger",
        "splu_proofs.arithmetic.law:error larger",
    ),
)
def the_library_follows() -> Comparisons:
    """Compare the library's minimum with the least of all counts; and one where floats go wrong."""
    for gamma in (2, 3, 5, 10):
        for epsilon in (Fraction(1, 10), Fraction(3, 10), Fraction(1), Fraction(3, 2)):
            for alpha in (1, 3, 12):
                found = privacy_minimum(gamma, epsilon, alpha)
                strict = min(error_beyond(gamma, epsilon, f) for f in range(1, alpha + 1))
                tight = min(error(gamma, epsilon, f) for f in range(1, alpha + 1))
                yield (
                    (found.t_p.exact(), found.t_p_definition.exact()),
                    "=",
                    (strict, tight),
                    f"{gamma}, {epsilon}, {alpha}",
                )
    epsilon = Fraction(15, 100)
    least = min((1 - window(10, f, epsilon * f // 1 + 1), f) for f in range(1, 101))
    found = privacy_minimum(10, epsilon, 100)
    yield ((found.t_p.exact(), found.argmin), "=", least, "gamma = 10, epsilon = 0.15, alpha = 100")
    yield (Fraction("0.1019"), "<=", least[0], "the minimum is not 0.1019...")
    yield (least[0], "<", Fraction("0.1020"), "the minimum is not 0.1019...")
