"""splu.D2e: what no estimator of a small count can escape."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from splu_ref.guarantees import best_estimator, least_mean_error, worst_error_bounds

from ..arithmetic.law import error, probability_mass
from ..terms import Claim, Comparisons, Derivation, Grade, Inequality, Status, decimal

D2E = Claim(
    id="splu.D2e",
    module=__name__,
    source="new; extends Fu et al. 2014, §2, Definition 2",
    title="small-sum privacy against every estimator",
    statement=(
        r"\min_{\hat f}\max_{1\le f\le\alpha}\Pr(|\hat f(f')-f|\ge\varepsilon f) = \max_{\pi}\sum_k "
        r"\Bigl(\sum_f\pi_f b(\gamma f;k) - \max_{e}\sum_{f:|e-f|<\varepsilon f}\pi_f b(\gamma f;k)\Bigr)"
    ),
    words=(
        "Definition 2 speaks of the estimate f'. Against every estimator its form, an error at each single "
        "f, is out of reach: a constant is right at one f. What every estimator must suffer is an error on "
        "average over f, and at the worst f. Both are computed exactly for small alpha, the second with an "
        "estimator that attains it and a prior that proves it best; that there always is such a pair is the "
        "minimax theorem of finite games, which is quoted. At gamma = 10, epsilon = 0.3, alpha = "
        "3 the published count errs with probability at least 0.6125 at every f; the best estimator that "
        "knows f <= 3 errs with 0.2717 on average for f uniform on 1, 2, 3, and with 0.3392 at its worst "
        "f. For epsilon >= 1 the constant estimate 1 is never wrong. All this is about estimates from f' "
        "alone, not from other columns or counts."
    ),
    hypotheses=(
        r"\gamma \ge 2",
        r"\varepsilon > 0",
        r"\hat f \text{ is any function of } f', \text{ random or not, with real values}",
    ),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.D2", "splu.B"),
    licenses=("splu_ref.guarantees.minimax_error", "splu_ref.guarantees.minimax_game"),
    tests=("tests/guarantees/test_estimator_free.py::test_minimax_against_every_estimator_of_a_small_case",),
)


@D2E.derivation
def a_prior_bounds_the_worst_error() -> Derivation:
    """Bound a maximum by means, and let finitely many estimates decide."""
    return Derivation(
        setting=(
            "For a prior pi on 1..alpha and k = f', an estimate e is right with the joint probability "
            "W(e), the sum of pi_f b(gamma f; k) over the f with |e - f| < epsilon f. r is an estimator's "
            "error at f, w its largest one. epsilon = a/b."
        ),
        steps=(
            Inequality(
                name="a mean is at most the largest part",
                says=(
                    "With weights s, t of two counts and errors u, v <= w: s u + t v <= (s + t) w; so for "
                    "any number."
                ),
                variables=("s", "t", "u", "v", "w"),
                given=lambda s, t, u, v, w: (s, t, w - u, w - v, w),
                slack=lambda s, t, c, d, w: (s, t, w - c, w - d, w),
                then=lambda s, t, u, v, w: (s + t) * w - s * u - t * v,
            ),
            Inequality(
                name="an estimate is right on a range of counts: above",
                says=(
                    "If e is right for l, from above e < (1 + a/b) l, then e < (1 + a/b) g for g >= l: "
                    "(a+b)(g - l) >= 0."
                ),
                variables=("a", "b", "low", "g"),
                given=lambda a, b, low, g: (a, b, low, g - low),
                slack=lambda a, b, low, d: (a, b, low, d + low),
                then=lambda a, b, low, g: (a + b) * g - (a + b) * low,
            ),
            Inequality(
                name="an estimate is right on a range of counts: below",
                says=(
                    "If e is right for h, so e > (1 - a/b) h, then e > (1 - a/b) g for g <= h while a <= "
                    "b: (b-a)(h - g) >= 0. For a > b the lower end is negative and e > 0 is enough."
                ),
                variables=("a", "b", "g", "h"),
                given=lambda a, b, g, h: (a, b - a, g, h - g),
                slack=lambda a, c, g, d: (a, c + a, g, d + g),
                then=lambda a, b, g, h: (b - a) * h - (b - a) * g,
            ),
        ),
        conclusion=(
            "For every prior the least mean error, found by choosing for each k the range of counts with "
            "the most weight, is a lower bound of the worst error of every estimator; the errors of any "
            "one estimator are an upper bound. Where they meet, both are proved best, however they were "
            "found. As finitely many ranges matter, it is a finite game, so they can always be made to meet, "
            "by von Neumann's minimax theorem, which is quoted here, not proved."
        ),
    )


@D2E.computation(
    cases=398,
    perturbed=(
        "splu_ref.guarantees.minimax_error:least_mean_error larger",
        "splu_proofs.splu.best_estimator:_error larger",
        "sum(share for _, share in choice) => sum(2 * share for _, share in choice)",
    ),
)
def certificates_that_meet() -> Comparisons:
    """Compute both bounds anew from prior and choices, with another search for the best estimate."""
    for gamma, epsilon, alpha in (
        (2, Fraction(3, 10), 3),
        (5, Fraction(3, 10), 3),
        (10, Fraction(3, 10), 3),
        (5, Fraction(3, 10), 5),
        (10, Fraction(3, 10), 5),
        (5, Fraction(1, 10), 4),
        (3, Fraction(1, 2), 6),
    ):
        best = best_estimator(gamma, epsilon, alpha)
        bounds = worst_error_bounds(best)
        lower = _least_mean_error(gamma, epsilon, best.prior)
        for k, choice in enumerate(best.choices):
            yield (sum(share for _, share in choice), "=", 1, f"{gamma}, {epsilon}, {alpha}: choice at {k}")
            yield (min(share for _, share in choice), ">=", 0, f"{gamma}, {epsilon}, {alpha}: choice at {k}")
        errors = [_error(gamma, epsilon, f, best.choices) for f in range(1, alpha + 1)]
        yield (lower, "=", max(errors), f"{gamma}, {epsilon}, {alpha}: the bounds do not meet")
        yield (max(errors), "=", best.worst_error, f"{gamma}, {epsilon}, {alpha}: the bounds do not meet")
        yield (
            (bounds.lower, bounds.upper),
            "=",
            (lower, lower),
            f"{gamma}, {epsilon}, {alpha}: the library differs",
        )
        uniform = [Fraction(1, alpha)] * alpha
        mean = least_mean_error(gamma, epsilon, uniform)
        yield (
            mean,
            "=",
            _least_mean_error(gamma, epsilon, tuple(uniform)),
            f"{gamma}, {epsilon}, {alpha}: the mean",
        )
        other = worst_error_bounds(replace(best, prior=tuple(uniform), worst_error=Fraction(0)))
        yield (
            (other.lower, other.upper),
            "=",
            (mean, lower),
            f"{gamma}, {epsilon}, {alpha}: another prior, and a stated error that is false",
        )
        yield (mean, "<=", lower, "a prior gives more than the worst")
        shipped = [error(gamma, epsilon, f) for f in range(1, alpha + 1)]
        yield (lower, "<=", max(shipped), "f' does better than the best estimator")
        yield (mean, "<=", sum(shipped) / alpha, "f' does better than the best estimator")


@D2E.computation(cases=3, perturbed="splu_ref.guarantees.minimax_error:best_estimator larger")
def the_figures_of_example_2() -> Comparisons:
    """Compute gamma = 10, epsilon = 0.3, alpha = 3, and an epsilon at which a constant is never wrong."""
    best = best_estimator(10, Fraction(3, 10), 3)
    mean = least_mean_error(10, Fraction(3, 10), [Fraction(1, 3)] * 3)
    yield (
        (decimal(mean, 4), decimal(best.worst_error, 4)),
        "=",
        ("0.2717...", "0.3392..."),
        "the figures differ",
    )
    yield (best.prior[2], "=", 0, "the least favorable prior uses f = 3")
    yield (best_estimator(10, 1, 5).worst_error, "=", 0, "epsilon = 1: the constant estimate errs")


def _least_mean_error(gamma: int, epsilon: Fraction, prior: tuple[Fraction, ...]) -> Fraction:
    """Return the Bayes error by trying every estimate at and between the ends of all intervals."""
    counts = range(1, len(prior) + 1)
    ends = sorted({(1 + sign * epsilon) * f for f in counts for sign in (-1, 1)})
    tries = {*ends, *((a + b) / 2 for a, b in pairwise(ends))}
    right = {tuple(abs(e - f) < epsilon * f for f in counts) for e in tries}
    total = Fraction(0)
    for k in range(gamma * len(prior) + 1):
        joint = [weight * probability_mass(gamma, f, k) for f, weight in zip(counts, prior, strict=True)]
        total += sum(joint) - max(
            sum(part for part, hit in zip(joint, hits, strict=True) if hit) for hits in right
        )
    return total


def _error(
    gamma: int, epsilon: Fraction, f: int, choices: tuple[tuple[tuple[Fraction, Fraction], ...], ...]
) -> Fraction:
    wrong = Fraction(0)
    for k, choice in enumerate(choices):
        wrong += probability_mass(gamma, f, k) * sum(
            (share for estimate, share in choice if abs(estimate - f) >= epsilon * f), Fraction(0)
        )
    return wrong
