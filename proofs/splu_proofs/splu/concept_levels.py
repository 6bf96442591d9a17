"""splu.T4c: what can be promised of conjunctive concepts, for an estimator that is named."""

from __future__ import annotations

from fractions import Fraction

from splu_ref.audit import concept_minimum

from ..arithmetic.law import error
from ..printed.reconstruction import lies_between
from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Inequality, Status
from ..worlds.concept_errors import closed_form, largest_pure, pure_error, wrong
from ..worlds.conjunctions import WORLDS, Law, law_of_predicate, shipped_laws, subsets
from .concept_lemmas import a_pure_group_is_reported_whole
from .concept_theorem import printed_error

EPSILONS = (Fraction(1, 10), Fraction(3, 10), Fraction(1, 2), Fraction(1), Fraction(3, 2))

T4C = Claim(
    id="splu.T4c",
    module=__name__,
    source="corrects Fu et al. 2014, §5.3, Theorem 4",
    title="levels of conjunctive concepts",
    statement=(
        r"\hat x_3=f':\ \min_{1\le x_3\le\alpha}\Pr(|X_{x_3}-x_3|\ge\varepsilon x_3);\qquad \hat x_3\text{ "
        r"reconstructed},\ n<(1+\varepsilon)x_3:\ \min_{1\le x_3\le\alpha}\Pr\Bigl(Y\le"
        r"\tfrac{(1-\varepsilon)x_3}{\gamma}\Bigr),\ Y\sim\mathrm{Bin}(\lceil(1+\varepsilon)x_3\rceil-1,"
        r"\tfrac1\gamma)"
    ),
    words=(
        "The level belongs to the estimator. For f', taken as the estimate of x3, Theorem 4's level holds "
        "for every concept, and is attained where s occurs in P alone (splu.PB). The reconstructions, "
        "corrected or printed, do not protect groups in which everybody, or nearly everybody, has the value: "
        "n < (1 + epsilon) x3. Of these the least error is known exactly, over all f, N and K: Pr(Y <= "
        "(1-epsilon) x3/gamma) for the largest such n, with all its records exposed to s; for epsilon > 1 it "
        "is 0. Of other predicates no proof makes a finite search enough: the least over a stated range is "
        "given, and the true level may be lower. Corrected form, epsilon = 3/10: gamma = 5: at most .591 at "
        "alpha = 1, where f' has as much, .512 at 3, .263 at 5, .135 at 7, .099 at 20; gamma = 10: at most "
        ".537 at alpha = 3, .430 at 5, .283 at 10. The worst K counts: table and plan fix K, or its law if "
        "the order within a value is random, and an average over K is never below the least. A P made of "
        "whole values fixes K in any case."
    ),
    hypotheses=(
        r"\gamma \ge 2",
        r"\varepsilon > 0",
        r"1\le x_3\le\alpha",
        r"y_3\sim\mathrm{Bin}(x_3+K,1/\gamma)",
        r"y_1\sim\mathrm{Bin}(\gamma f-x_3-K,1/\gamma)\text{, independent of } y_3",
        r"\text{no estimate (}f'\ge N/\gamma\text{) counts as an error}",
    ),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.B", "splu.S", "splu.PB", "splu.Ic"),
    licenses=(
        "splu_ref.audit.concepts",
        "splu_ref.audit.pure_concepts",
        "splu_ref.audit.mixed_concepts",
        "splu_ref.cli.concept",
    ),
    tests=(
        "tests/audit/test_concepts.py::test_pure_predicates_against_every_small_case",
        "tests/audit/test_concepts.py::test_the_search_finds_what_trying_everything_finds",
        "tests/cli/test_concept.py::test_the_closed_form_names_its_worst_concept",
    ),
)


@T4C.derivation
def nearly_pure_predicates() -> Derivation:
    """Bound the estimate by gamma y3, add trials, and see that large tables reach the bound."""
    return Derivation(
        setting=(
            "n < (1+epsilon) x3, so an estimate of at most n is wrong only at low = (1-epsilon) x3 or below. "
            "F = f' < N/gamma, y = y3; g, p and t stand for gamma, phi and 1/gamma, phi < 1/gamma. By the "
            "first two steps both reconstructions are n where gamma y >= n. In the last two, d = gamma y - "
            "low > 0, u = (gamma-1) F (n - gamma y) and w = n - low, e = y - low/gamma; s > 0 is what N has "
            "in excess."
        ),
        steps=(
            *a_pure_group_is_reported_whole().steps,
            Identity(
                name="the corrected form is below gamma y3",
                says="Where gamma y < n it is gamma y - (gamma-1) F (n - gamma y)/(N - gamma F).",
                variables={"g": 2, "rows": 1000, "F": 0, "n": 1, "y": 0},
                left=lambda g, rows, F, n, y: (  # noqa: N803  F as in the setting
                    (g * (rows - F) * y - n * F * (g - 1)) / (rows - g * F)
                ),
                right=lambda g, rows, F, n, y: g * y - (g - 1) * F * (n - g * y) / (rows - g * F),  # noqa: N803
            ),
            Identity(
                name="so is the printed one",
                says="Where gamma y < n it is gamma y - phi (n - gamma y)/(1/gamma - phi).",
                variables={"g": 2, "p": 2, "n": 1, "y": 0},
                left=lambda g, p, n, y: (y - n * p) / (1 / g - p),
                right=lambda g, p, n, y: g * y - p * (n - g * y) / (1 / g - p),
            ),
            Identity(
                name="one record more",
                says=(
                    "Pr(Y_m <= k) - Pr(Y_{m+1} <= k) = b(m; k)/gamma >= 0, by downward steps as in splu.S: "
                    "if it is u/gamma at k-1, it is v/gamma at k, where u = b(m; k-1), v = b(m; k). So the "
                    "largest m = x3 + K <= n, and the largest n, err least."
                ),
                variables={"g": 2, "u": 0, "v": 0},
                left=lambda g, u, v: u / g + v - (u / g + (1 - 1 / g) * v),
                right=lambda g, _u, v: v / g,
            ),
            Identity(
                name="large tables reach it, corrected",
                says="At N - gamma F = u/d + s the estimate less low is d - u/(u/d + s) = d^2 s/(u + d s).",
                variables={"d": 1, "u": 0, "s": 1},
                left=lambda d, u, s: d - u / (u / d + s),
                right=lambda d, u, s: d**2 * s / (u + d * s),
            ),
            Identity(
                name="large tables reach it, printed",
                says=(
                    "The estimate passes low as phi falls below e/w. There x1 <= gamma y1, so the sum of the "
                    "counts is at most c = low + gamma y1, less than N phi for N = c w/e + s: N e/w - c = s "
                    "e/w."
                ),
                variables={"c": 1, "w": 1, "e": 1, "s": 1},
                left=lambda c, w, e, s: (c * w / e + s) * e / w - c,
                right=lambda _c, w, e, s: s * e / w,
            ),
        ),
        conclusion=(
            "An estimate above low needs gamma y3 > low. So the error is at least Pr(Y <= low/gamma) with x3 "
            "+ K records, at least that with n, and with the largest n < (1+epsilon) x3; f = x3, K = n - x3 "
            "<= (gamma-1) f and a large N attain it for epsilon <= 1. For epsilon > 1 low is negative: no "
            "error."
        ),
    )


@T4C.derivation
def errors_as_a_closed_window() -> Derivation:
    """Bring Definition 2's errors, of epsilon f or more, into the closed window of splu.PB."""
    return Derivation(
        setting=(
            "j = ceil(epsilon f) >= 1 and d = |x - f|, whole numbers. Right by Definition 2 is d < epsilon "
            "f, that is d <= j - 1; the window of splu.PB is d <= epsilon' f. epsilon' = (j - 1/2)/f."
        ),
        steps=(
            Inequality(
                name="right is inside the window",
                says="d <= j - 1 gives 2 d <= 2 j - 1, so d <= epsilon' f.",
                variables=("d", "j"),
                given=lambda d, j: (d, j - 1 - d),
                slack=lambda d, s: (d, s + 1 + d),
                then=lambda d, j: 2 * j - 1 - 2 * d,
            ),
            Inequality(
                name="wrong is outside",
                says="d >= j gives 2 d >= 2 j - 1, and as one is even and one is odd, d > epsilon' f.",
                variables=("d", "j"),
                given=lambda d, j: (j - 1, d - j),
                slack=lambda j, s: (s + j + 1, j + 1),
                then=lambda d, j: 2 * d - (2 * j - 1),
            ),
        ),
        conclusion=(
            "The errors at epsilon, counted with >=, are the misses of the closed window at epsilon', which "
            "is positive: splu.PB, stated for closed windows, holds for Definition 2 as well."
        ),
    )


@T4C.derivation
def the_worst_k_counts() -> Derivation:
    """Average the error over K, two values at a time."""
    return Derivation(
        setting="K takes the values 1 and 2 with weights v, w >= 0; the errors are a and a + d, with d >= 0.",
        steps=(
            Inequality(
                name="an average is at least the least",
                says="v a + w (a + d) - (v + w) a = w d >= 0.",
                variables=("v", "w", "a", "d"),
                given=lambda v, w, a, d: (v, w, a, d),
                slack=lambda v, w, a, d: (v, w, a, d),
                then=lambda v, w, a, d: v * a + w * (a + d) - (v + w) * a,
            ),
        ),
        conclusion=(
            "So the least over K holds whatever law K has, hypergeometric or not, and whether or not the "
            "order within values is random."
        ),
    )


@T4C.computation(cases=358, perturbed="splu_proofs.worlds.concept_errors:pure_error larger")
def pure_predicates_in_small_tables() -> Comparisons:
    """At gamma 2 and 3, x3 <= 3: every nearly pure n, every K, f = x3 and x3 + 1, three sizes of table."""
    for gamma in (2, 3):
        for epsilon in EPSILONS:
            for x3 in range(1, 4):
                largest = largest_pure(epsilon, x3)
                least = pure_error(gamma, epsilon, x3, largest)
                for n in range(x3, largest + 1):
                    for f in (x3, x3 + 1):
                        for decoys in range(min(n - x3, (gamma - 1) * f) + 1):
                            for rows in (gamma * f * 2, gamma * gamma * f * 4):
                                if rows - n >= gamma * f - x3 - decoys:
                                    true = wrong(gamma, epsilon, x3, f, n, rows, decoys)
                                    yield (
                                        true,
                                        ">=",
                                        least,
                                        f"{gamma}, {epsilon}, {x3}, n = {n}, N = {rows}",
                                    )


@T4C.computation(
    cases=13,
    perturbed=("splu_ref.audit.concepts:concept_minimum larger", "splu_proofs.arithmetic.law:error larger"),
)
def the_library_follows() -> Comparisons:
    """Recompute the library's worst concepts by trying every (y3, y1); and the level of f' by its law."""
    for gamma, alpha in ((2, 4), (5, 5), (10, 3)):
        epsilon = Fraction(3, 10)
        exact = concept_minimum(gamma, epsilon, alpha, "exact")
        at = exact.worst
        true = wrong(
            gamma, epsilon, at.concept_count, at.sensitive_count, at.predicate_count, at.rows,
            at.decoys_in_predicate,
        )  # fmt: skip
        pure = min(pure_error(gamma, epsilon, x3, largest_pure(epsilon, x3)) for x3 in range(1, alpha + 1))
        yield (exact.t_p, "=", true, f"gamma = {gamma}: {exact}, {true}, {pure}")
        yield (exact.t_p_pure, "=", pure, f"gamma = {gamma}: {exact}, {true}, {pure}")
        single = concept_minimum(gamma, epsilon, alpha, "mle").t_p
        yield (
            single,
            "=",
            min(error(gamma, epsilon, x3) for x3 in range(1, alpha + 1)),
            f"gamma = {gamma}, f'",
        )
        yield (true, "<", single, f"gamma = {gamma}: the reconstruction errs no less than f'")
    printed = concept_minimum(2, Fraction(2, 5), 1, lies_between)
    yield (printed.t_p, "=", printed_error(2, Fraction(2, 5), 1, 32, 32, 1), f"printed: {printed}")


@T4C.computation(
    cases=25,
    perturbed=(
        "splu_ref.audit.concepts:concept_minimum larger",
        "splu_proofs.worlds.concept_errors:wrong larger",
    ),
)
def the_levels_in_words() -> Comparisons:
    """Compute the stated levels of the corrected form, and their worst concepts by every (y3, y1)."""
    stated = {
        5: {1: "0.591", 3: "0.512", 5: "0.263", 7: "0.135", 20: "0.099"},
        10: {3: "0.537", 5: "0.430", 10: "0.283"},
    }
    epsilon = Fraction(3, 10)
    for gamma, levels in stated.items():
        for alpha, most in levels.items():
            found = concept_minimum(gamma, epsilon, alpha, "exact")
            at = found.worst
            true = wrong(
                gamma, epsilon, at.concept_count, at.sensitive_count, at.predicate_count, at.rows,
                at.decoys_in_predicate,
            )  # fmt: skip
            yield (true, "=", found.t_p, f"gamma = {gamma}, alpha = {alpha}: {at}")
            yield (0, "<=", Fraction(most) - true, f"gamma = {gamma}, alpha = {alpha}: {true}")
            yield (Fraction(most) - true, "<", Fraction(1, 1000), f"gamma = {gamma}, alpha = {alpha}: {true}")
    single = concept_minimum(5, epsilon, 1, "mle").t_p
    yield (concept_minimum(5, epsilon, 1, "exact").t_p, "=", single, "f' differs at gamma = 5, alpha = 1")


@T4C.enumeration(
    cases=218,
    perturbed=(
        "splu_ref.mechanisms.group_draws:draw_rule larger",
        "splu_proofs.splu.concept_levels:_error_under larger",
    ),
)
def the_shipped_mechanism_stays_above_the_worst_k() -> Comparisons:
    """Run every outcome of small tables, for every predicate; the error is at least the least over K."""
    concepts = attained = 0
    for gamma, histogram in WORLDS[:3]:
        rows, shipped = sum(histogram), shipped_laws(histogram, gamma)
        for s, f in enumerate(histogram):
            holders = range(sum(histogram[:s]), sum(histogram[: s + 1]))
            for predicate in subsets(rows):
                x3, n = sum(record in predicate for record in holders), len(predicate)
                if x3:
                    law = law_of_predicate(shipped, predicate, s)
                    true = _error_under(law, x3, n, rows, gamma)
                    least = min(
                        wrong(gamma, Fraction(3, 10), x3, f, n, rows, decoys)
                        for decoys in range(min(n - x3, (gamma - 1) * f) + 1)
                        if rows - n >= gamma * f - x3 - decoys
                    )
                    yield (true, ">=", least, f"{histogram}, gamma = {gamma}, s = {s}, {sorted(predicate)}")
                    concepts, attained = concepts + 1, attained + (true == least)
    yield (0, "<", attained, "every concept, or none, attains the least over K")
    yield (attained, "<", concepts, "every concept, or none, attains the least over K")


def _error_under(law: Law, x3: int, n: int, rows: int, gamma: int) -> Fraction:
    """Return the error of the closed form under a law of (y3, y1), at epsilon = 3/10."""
    total = Fraction(0)
    for (y3, y1), chance in law.items():
        found = closed_form(y3, y1, n, rows, gamma)
        if found is None or abs(found - x3) >= Fraction(3, 10) * x3:
            total += chance
    return total
