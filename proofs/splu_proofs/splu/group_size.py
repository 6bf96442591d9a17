"""splu.L2g: larger groups never protect less, and how little or much the group size changes."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import comb

from splu_ref.guarantees import privacy_minimum

from ..arithmetic.law import at_least, at_most, error, error_beyond, trial_weight
from ..arithmetic.poisson import beyond, level
from ..arithmetic.polynomials import binomial, plus, times
from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Status

L2G = Claim(
    id="splu.L2g",
    module=__name__,
    source="Fu et al. 2014, §4.2, Example 2 (figure 5)",
    title="the group size and the level of privacy",
    statement=(
        r"T_P(\gamma) \le T_P(\gamma+1) \le \lim_{\gamma\to\infty} T_P(\gamma) = \min_{1\le f\le\alpha}"
        r"\Pr(|\mathrm{Poisson}(f)-f|>\varepsilon f),\qquad T_P(\alpha+1)\le T_P(\alpha)"
    ),
    words=(
        "T_P does not fall as gamma grows, in both forms, and does not rise as alpha grows. Its limit for "
        "large gamma is that of Poisson counts. The printed remark that gamma has little impact holds for "
        "small counts and gamma >= 5: at epsilon = 0.3 and alpha <= 10, T_P at gamma = 5 is at least 0.8 of "
        "the limit. It is not true in general: at alpha = 50, T_P is 1.7 times larger at gamma = 20 than at "
        "gamma = 5, and 13 times larger than at gamma = 2; at alpha = 200 the first factor is 6.8."
    ),
    hypotheses=(r"\gamma \ge 2", r"\varepsilon > 0", r"\alpha \ge 1", r"\text{the estimate is } f'"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.B", "splu.L2"),
)


L2D = Claim(
    id="splu.L2d",
    module=__name__,
    source="Fu et al. 2014, §4.2, Example 2, last sentence, read as a difference",
    title="the little impact of the group size",
    statement=(
        r"0 \le \lim_{\gamma'\to\infty} T_P(\gamma') - T_P(\gamma) < \tfrac{6}{100}\ (\gamma \ge 5), "
        r"\quad < \tfrac16\ (\gamma \ge 2)"
    ),
    words=(
        "The printed remark that gamma has little impact on the guarantee is true of T_P as a difference, "
        "which is how figure 5 shows it: from gamma = 5 on no larger gamma adds 0.06, from gamma = 2 on none "
        "adds 1/6. As a ratio it is not true of large alpha (splu.L2g), where both levels are small."
    ),
    hypotheses=(r"\text{the estimate is } f'", "an error of exactly epsilon f counts"),
    status=Status.VERIFIED,
    grade=Grade.EXACT,
    instances="epsilon 1/10, 1/5, 3/10, 1/2, 7/10, alpha up to 40; every gamma from 5 or 2 on by splu.L2g",
    rests_on=("splu.L2g",),
)


@L2G.derivation
def one_more_trial_with_the_same_mean() -> Derivation:
    """Add a trial of probability 0 to n trials of probability f/n, and make them equal little by little."""
    return Derivation(
        setting=(
            "f and n >= f are whole; f/(n+1) <= x <= f/n, and y = f - n x, so 0 <= y <= x. S is the number "
            "of successes in n trials of probability x and one of probability y, of mean f: Bin(n, f/n) at "
            "x = f/n, Bin(n+1, f/(n+1)) at x = f/(n+1). c(n; k) = C(n, k) x^k (1-x)^(n-k); a dash is the "
            "derivative in x; u = c(n-1; k-2), v = c(n-1; k-1)."
        ),
        steps=(
            Identity(
                name="the derivative of a binomial probability",
                says=(
                    "c'(n; k) = c (k/x - (n-k)/(1-x)) = n (c(n-1; k-1) - c(n-1; k)), as c(n-1; k-1) = c "
                    "k/(n x) and c(n-1; k) = c (n-k)/(n (1-x)). The grid takes x from 2 on: an identity of "
                    "rational functions that holds there holds everywhere."
                ),
                variables={"n": 1, "k": 0, "x": 2, "c": 0},
                left=lambda n, k, x, c: c * (k / x - (n - k) / (1 - x)),
                right=lambda n, k, x, c: n * (c * k / (n * x) - c * (n - k) / (n * (1 - x))),
            ),
            Identity(
                name="the derivative of a tail",
                says=(
                    "If the tail from k on has the derivative n v, with v = c(n-1; k-1), then the tail from "
                    "k-1 on has n v + n (u - v) = n u. The tail from n+1 on is 0, and so is c(n-1; n)."
                ),
                variables={"n": 1, "u": 0, "v": 0},
                left=lambda n, u, v: n * v + n * (u - v),
                right=lambda n, u, _v: n * u,
            ),
            Identity(
                name="the derivative of Pr(S >= k)",
                says=(
                    "Pr(S >= k) = (tail of n trials from k on) + y c(n; k-1), with y' = -n, c(n; k-1) = x "
                    "u + (1-x) v and c'(n; k-1) = n (u - v). Its derivative is n (y - x)(u - v)."
                ),
                variables={"n": 0, "x": 0, "y": 0, "u": 0, "v": 0},
                left=lambda n, x, y, u, v: n * v - n * (x * u + (1 - x) * v) + y * n * (u - v),
                right=lambda n, x, y, u, v: n * (y - x) * (u - v),
            ),
            Identity(
                name="which of u and v is larger",
                says=(
                    "For k >= 2, v = u (n-k+1) x / ((k-1)(1-x)), so u - v = u (k-1 - n x)/((k-1)(1-x)) has "
                    "the sign of k - 1 - n x; for k = 1, u = 0 <= v. With k = f + j, j >= 1, that is (j - 1) "
                    "+ (f - n x), two numbers >= 0, so u >= v: as y <= x, Pr(S >= f+j) does not fall while x "
                    "goes down from f/n to f/(n+1)."
                ),
                variables={"n": 1, "k": 2, "x": 2, "u": 0},
                left=lambda n, k, x, u: u - u * (n - k + 1) * x / ((k - 1) * (1 - x)),
                right=lambda n, k, x, u: u * (k - 1 - n * x) / ((k - 1) * (1 - x)),
            ),
            Identity(
                name="below the mean",
                says=(
                    "With k = f - j + 1, j >= 1: n x - (k - 1) = ((n+1) x - f) + (1 - x) + (j - 1), three "
                    "numbers >= 0, so u <= v: Pr(S >= f-j+1) does not rise, and Pr(S <= f-j) does not fall."
                ),
                variables={"n": 0, "f": 0, "x": 0, "j": 0},
                left=lambda n, f, x, j: n * x - ((f - j + 1) - 1),
                right=lambda n, f, x, j: ((n + 1) * x - f) + (1 - x) + (j - 1),
            ),
        ),
        conclusion=(
            "For every whole j >= 1, Pr(Bin(n, f/n) >= f+j) and Pr(Bin(n, f/n) <= f-j) do not fall from n to "
            "n + 1. From gamma to gamma + 1 is f such steps, n = gamma f .. gamma f + f - 1. The error event "
            "at f is a j that does not depend on gamma, so its probability does not fall at any f, nor does "
            "the minimum. A minimum over more counts is not larger, which is the statement about alpha."
        ),
    )


@L2G.derivation
def the_poisson_limit() -> Derivation:
    """Write a binomial probability as the Poisson one times factors that tend to 1."""
    return Derivation(
        setting=(
            "n = gamma f, and k is fixed. b(n; k) = C(n, k) gamma^-k (1-1/gamma)^(n-k), and C(n, k) is the "
            "product of (n-i)/(i+1), i < k. p stands for (1-1/gamma)^gamma, which tends to 1/e; r for "
            "(1-1/gamma)^-k, which tends to 1; so the power (1-1/gamma)^(gamma f - k) is p^f r, which tends "
            "to e^-f."
        ),
        steps=(
            Identity(
                name="one factor of the coefficient",
                says="(gamma f - i)/((i+1) gamma) = f/(i+1) (1 - i/(gamma f)), which tends to f/(i+1).",
                variables={"gamma": 1, "f": 1, "i": 0},
                left=lambda gamma, f, i: (gamma * f - i) / ((i + 1) * gamma),
                right=lambda gamma, f, i: f / (i + 1) * (1 - i / (gamma * f)),
            ),
        ),
        conclusion=(
            "b(gamma f; k) tends to e^-f f^k / k!. The error event excludes finitely many k, so its "
            "probability tends to that of the Poisson law, from below by the first derivation; so does the "
            "minimum of finitely many."
        ),
    )


@L2G.computation(cases=3180, perturbed="sum(before[f + j :]) => sum(before[f + j - 1 :])")
def tails_and_minima_over_a_block() -> Comparisons:
    """Compare neighbors: every tail for n <= 24 and f <= 8, and T_P for gamma 2..10, in both forms."""
    for f in range(1, 9):
        rows = [
            [Fraction(comb(n, k) * f**k * (n - f) ** (n - k), n**n) for k in range(n + 1)]
            for n in range(f, 25)
        ]
        for before, after in pairwise(rows):
            for j in range(1, f + 6):
                yield (
                    sum(before[f + j :]),
                    "<=",
                    sum(after[f + j :]),
                    f"f = {f}, j = {j}: the upper tail falls",
                )
                if j <= f:
                    low, lower = sum(before[: f - j + 1]), sum(after[: f - j + 1])
                    yield (low, "<=", lower, f"f = {f}, j = {j}: the lower tail falls")
    for gamma in range(2, 12):
        for f in range(1, 13):
            for j in range(1, 8):
                here, there = (at_least(g, f, f + j) + at_most(g, f, f - j) for g in (gamma, gamma + 1))
                yield (here, "<=", there, f"gamma = {gamma}, f = {f}, j = {j}: the error falls")
    for epsilon in (Fraction(1, 10), Fraction(3, 10), Fraction(1, 2), Fraction(1), Fraction(3, 2)):
        for alpha in (1, 3, 10):
            minima = [privacy_minimum(gamma, epsilon, alpha) for gamma in range(2, 11)]
            for before_, after_ in pairwise(minima):
                yield (
                    before_.t_p.exact(),
                    "<=",
                    after_.t_p.exact(),
                    f"epsilon = {epsilon}, alpha = {alpha}: T_P falls",
                )
                yield (
                    before_.t_p_definition.exact(),
                    "<=",
                    after_.t_p_definition.exact(),
                    f"{epsilon}, {alpha}: T_P falls",
                )


@L2G.computation(cases=168, perturbed="splu_proofs.arithmetic.polynomials:binomial larger")
def the_derivative_as_polynomials() -> Comparisons:
    """Expand Pr(S >= k) and the product n (y - x)(u - v) in powers of x, for n <= 7, f <= n and every k."""
    for n in range(1, 8):
        for f in range(1, n + 1):
            for k in range(1, n + 2):
                tail: list[int] = []
                for each in range(k, n + 1):
                    tail = plus(tail, binomial(n, each))
                last = binomial(n, k - 1)
                total = plus(tail, times([f, -n], last))
                derivative = [power * entry for power, entry in enumerate(total)][1:]
                difference = plus(binomial(n - 1, k - 2), [-entry for entry in binomial(n - 1, k - 1)])
                product = times([n * f, -n * (n + 1)], difference)
                yield (
                    [entry for entry in plus(derivative, [-entry for entry in product]) if entry],
                    "=",
                    [],
                    f"n = {n}, f = {f}, k = {k}",
                )


@L2G.computation(
    cases=24,
    perturbed=(
        "splu_ref.channels.binomial:lower_tail_numerator larger",
        "splu_proofs.splu.group_size:level smaller",
    ),
)
def how_little_and_how_much() -> Comparisons:
    """Compute T_P (error means > 0.3 f) at gamma 2, 5, 10, 20 and in the limit, for alpha up to 200."""
    epsilon = Fraction(3, 10)
    levels: dict[tuple[int, int], Fraction] = {}
    for alpha in (3, 10, 50, 200):
        for gamma in (2, 5, 10, 20):
            levels[gamma, alpha] = privacy_minimum(gamma, epsilon, alpha).t_p.exact()
        low, high = level(epsilon, alpha)
        yield (
            max(levels[gamma, alpha] for gamma in (2, 5, 10, 20)),
            "<=",
            low,
            f"alpha = {alpha}: above the limit",
        )
        yield ((high - low) * 10**9, "<", low, "the limit is not known well enough")
    for alpha in range(1, 11):
        five, high = privacy_minimum(5, epsilon, alpha).t_p.exact(), level(epsilon, alpha)[1]
        yield (five, ">=", Fraction(8, 10) * high, f"alpha = {alpha}: gamma = 5 is not near the limit")
    yield (Fraction("1.7"), "<", levels[20, 50] / levels[5, 50], "between 5 and 20")
    yield (levels[20, 50] / levels[5, 50], "<", Fraction("1.8"), "between 5 and 20")
    yield (13, "<", levels[20, 50] / levels[2, 50], "between 2 and 20")
    yield (levels[20, 50] / levels[2, 50], "<", 14, "between 2 and 20")
    yield (Fraction("6.8"), "<", levels[20, 200] / levels[5, 200], "between 5 and 20 at 200")
    yield (levels[20, 200] / levels[5, 200], "<", Fraction("6.9"), "between 5 and 20 at 200")


@L2G.computation(cases=3, perturbed="splu_proofs.arithmetic.law:error_beyond larger")
def the_limit_is_approached() -> Comparisons:
    """Compute T_P at gamma = 250, epsilon = 0.3, alpha = 3, next to the limit 1 - 1/e."""
    low, high = level(Fraction(3, 10), 3)
    near = min(error_beyond(250, Fraction(3, 10), f) for f in (1, 2, 3))
    yield (near, "<=", low, "T_P is above its limit")
    yield (high - near, "<", Fraction(1, 1000), "T_P at gamma = 250 is not near its limit")
    yield (1 - trial_weight(250, 250, 1), "=", near, "the minimum is not at f = 1")


@L2D.computation(
    cases=400,
    perturbed=("splu_proofs.arithmetic.law:error smaller", "splu_proofs.arithmetic.poisson:beyond larger"),
)
def no_larger_group_adds_much() -> Comparisons:
    """Subtract T_P at gamma = 2 and 5 from an upper bound of the limit, count by count."""
    for epsilon in (Fraction(1, 10), Fraction(1, 5), Fraction(3, 10), Fraction(1, 2), Fraction(7, 10)):
        for gamma, most in ((5, Fraction(6, 100)), (2, Fraction(1, 6))):
            at_gamma = at_limit = Fraction(1)
            for f in range(1, 41):
                at_gamma = min(at_gamma, error(gamma, epsilon, f))
                at_limit = min(at_limit, beyond(f, -(-epsilon * f // 1))[1])
                yield at_limit, "<", at_gamma + most, f"gamma = {gamma}, epsilon = {epsilon}, alpha = {f}"
