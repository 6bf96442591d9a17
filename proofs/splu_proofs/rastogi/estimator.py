"""rastogi.EST, rastogi.T44: the estimator of a counting query, its error, and how useful it is."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from ..terms import (
    Case,
    Claim,
    Comparisons,
    Derivation,
    EvidenceError,
    Gives,
    Grade,
    Identity,
    Quantity,
    Relation,
    Status,
)


def mass(trials: int, chance: Fraction, k: int) -> Fraction:
    """Return the binomial mass of k successes."""
    if not 0 <= k <= trials:
        return Fraction(0)
    return Fraction(comb(trials, k)) * chance**k * (1 - chance) ** (trials - k)


def published_law(alpha: Fraction, beta: Fraction, size: int, count: int) -> list[Fraction]:
    """Return the law of n_V, tuple by tuple: ``count`` of ``size`` tuples of the query are in I."""
    law = [Fraction(1)]
    for number in range(size):
        chance = beta + alpha if number < count else beta
        law = [
            (law[k] * (1 - chance) if k < len(law) else Fraction(0)) + (law[k - 1] * chance if k else 0)
            for k in range(len(law) + 1)
        ]
    return law


def _cases() -> list[Case]:
    return [
        (alpha, beta, size, count)
        for alpha, beta in (
            (Fraction(1, 2), Fraction(1, 10)),
            (Fraction(1, 3), Fraction(2, 3)),
            (Fraction(1, 5), Fraction(0)),
            (Fraction(2, 5), Fraction(1, 5)),
        )
        for size in range(1, 7)
        for count in range(size + 1)
    ]


def _moment(alpha: Fraction, beta: Fraction, size: int, count: int, power: int) -> Fraction:
    center = count if power == 2 else 0
    return sum(
        (
            share * ((k - beta * size) / alpha - center) ** power
            for k, share in enumerate(published_law(alpha, beta, size, count))
        ),
        Fraction(0),
    )


_NAMES = ("alpha", "beta", "n_D", "Q")
MEAN = Relation(
    variables=_NAMES,
    left=Quantity(
        r"\mathrm{E}\,\tilde Q", lambda alpha, beta, size, count: _moment(alpha, beta, size, count, 1)
    ),
    sign="=",
    right=Quantity("Q", lambda _alpha, _beta, _size, count: count),
    cases=_cases,
)
VARIANCE = Relation(
    variables=_NAMES,
    left=Quantity(
        r"\mathrm{Var}\,\tilde Q", lambda alpha, beta, size, count: _moment(alpha, beta, size, count, 2)
    ),
    sign="=",
    right=Quantity(
        r"\frac{Q(\alpha+\beta)(1-\alpha-\beta) + (n_D-Q)\beta(1-\beta)}{\alpha^2}",
        lambda alpha, beta, size, count: (
            (count * (alpha + beta) * (1 - alpha - beta) + (size - count) * beta * (1 - beta)) / alpha**2
        ),
    ),
    cases=_cases,
)

EST = Claim(
    id="rastogi.EST",
    module=__name__,
    source="Rastogi, Suciu, Hong 2007 (summary), query estimation",
    title="the estimator of a counting query",
    statement=(
        r"\tilde Q = \frac{n_V-\beta n_D}{\alpha}, \quad "
        rf"{MEAN.latex}, \quad {VARIANCE.latex}"
    ),
    words=(
        "Unbiased for every query and table, and the variance is linear in Q. So the same expression at the "
        "estimate is unbiased for it; it is never negative, because it is linear in n_V and at least 0 at "
        "n_V = 0 and at n_V = n_D."
    ),
    hypotheses=(r"\alpha > 0,\ \beta \ge 0,\ \alpha+\beta \le 1",),
    asserts=(MEAN, VARIANCE),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    licenses=("splu_ref.channels.published_count", "splu_ref.estimators.queries.tuple_estimator"),
    tests=(
        "tests/estimators/test_tuple_estimator.py::test_moments_and_intervals_over_every_published_count",
        "tests/mechanisms/test_alpha_beta.py::test_the_law_up_to_five_tuples",
    ),
)

T44 = Claim(
    id="rastogi.T44",
    module=__name__,
    source="Rastogi, Suciu, Hong 2007 (summary), Theorem 4.4 and the summary's rho",
    title="usefulness, with the epsilon that the text leaves out",
    statement=(
        r"\Pr(|\tilde Q - Q| \ge \rho\sqrt n) \le \Bigl(\frac{\gamma}{\gamma-d}\Bigr)^2 "
        r"\Bigl(1-\gamma+(\gamma-d)\frac nm\Bigr), \quad \rho^2 = \frac k\gamma,\ d = \frac{kn}m"
    ),
    words=(
        "True for some epsilon below 1, and this one can be stated: Chebyshev's at the chances of least "
        "variance. As the domain grows it tends to 1 - gamma, and no more can be said in general: the error "
        "of the query for the whole domain tends to a normal one of variance (1 - gamma) rho^2 n. So epsilon "
        "does not become small with n or m; it does with a larger rho. At n = 100, m = 10,000, k = 1, gamma "
        "= 1/2 the exact error of that query is .174, where Chebyshev gives .526. At the printed extreme "
        "point it is larger."
    ),
    hypotheses=(
        r"\alpha, \beta \text{ of least variance for } (d, \gamma)",
        r"0 < d < \gamma < 1",
        r"n_D \le m",
    ),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("rastogi.EST", "rastogi.T43c"),
    licenses=("splu_ref.guarantees.tuple_error",),
    tests=("tests/guarantees/test_tuples.py::test_the_error_term_by_term",),
)


@EST.derivation
def moments() -> Derivation:
    """Add up the means and variances of the coins."""

    def variance_at(alpha: Fraction, beta: Fraction, size: int, count: int) -> tuple[Fraction, ...]:
        return alpha, beta, Fraction(size), Fraction(count)

    return Derivation(
        setting=(
            "n_V is a sum of Q independent coins of chance alpha + beta and n_D - Q of chance beta; a coin "
            "of chance a has mean a and variance a (1-a)."
        ),
        steps=(
            Identity(
                name="mean",
                says="(Q (alpha+beta) + (n_D - Q) beta - beta n_D)/alpha = Q.",
                variables={"alpha": 1, "beta": 1, "n_D": 1, "Q": 1},
                left=lambda alpha, beta, size, q: (
                    (q * (alpha + beta) + (size - q) * beta - beta * size) / alpha
                ),
                right=lambda _alpha, _beta, _size, q: q,
            ),
            Identity(
                name="variance",
                says="The variances of the coins add up, over alpha^2; they are linear in Q.",
                variables={"alpha": 1, "beta": 1, "n_D": 1, "Q": 1},
                left=lambda alpha, beta, size, q: (
                    (q * (alpha + beta) * (1 - alpha - beta) + (size - q) * beta * (1 - beta)) / alpha**2
                ),
                right=lambda alpha, beta, size, q: (
                    (size * beta * (1 - beta) + q * alpha * (1 - alpha - 2 * beta)) / alpha**2
                ),
            ),
            Identity(
                name="at n_V = 0",
                says=(
                    "The variance at the estimate -beta n_D/alpha is n_D beta (alpha+beta)/alpha^2, at "
                    "least 0."
                ),
                variables={"alpha": 1, "beta": 1, "n_D": 1},
                left=lambda alpha, beta, size: (
                    size * beta * (1 - beta) / alpha**2 - size * beta * (1 - alpha - 2 * beta) / alpha**2
                ),
                right=lambda alpha, beta, size: size * beta * (alpha + beta) / alpha**2,
            ),
            Identity(
                name="at n_V = n_D",
                says="At the estimate (1-beta) n_D/alpha it is n_D (1-beta)(1-alpha-beta)/alpha^2.",
                variables={"alpha": 1, "beta": 1, "n_D": 1},
                left=lambda alpha, beta, size: (
                    size * (1 - beta) * beta / alpha**2
                    + size * (1 - beta) * (1 - alpha - 2 * beta) / alpha**2
                ),
                right=lambda alpha, beta, size: size * (1 - beta) * (1 - alpha - beta) / alpha**2,
            ),
        ),
        conclusion="The estimator is unbiased; the variance at it has the variance as its mean, and is >= 0.",
        gives=(
            Gives(relation=MEAN, step="mean", of="left", at=variance_at),
            Gives(relation=VARIANCE, step="variance", of="left", at=variance_at),
        ),
    )


@T44.derivation
def chebyshev_at_the_corner() -> Derivation:
    """Put the chances of least variance into the variance, and bound Q by n and n_D by m."""
    return Derivation(
        setting=(
            "w = gamma + d - d gamma; alpha = (gamma-d)/w, beta = d (1-gamma)/w, so 1-beta = gamma/w, "
            "alpha+beta = gamma (1-d)/w and 1-alpha-beta = d/w. rho^2 n = k n/gamma = d m/gamma."
        ),
        steps=(
            Identity(
                name="what is left of 1",
                says="w - d (1-gamma) = gamma and w - gamma (1-d) = d: their sum is gamma + d.",
                variables={"d": 1, "gamma": 1},
                left=lambda d, gamma: (
                    (gamma + d - d * gamma - d * (1 - gamma)) + (gamma + d - d * gamma - gamma * (1 - d))
                ),
                right=lambda d, gamma: gamma + d,
            ),
            Identity(
                name="variance over the squared radius",
                says=(
                    "With g = gamma - d: (Q gamma (1-d) d + (n_D-Q) d (1-gamma) gamma)/g^2 over d m/gamma is "
                    "(gamma/g)^2 ((1-gamma) n_D/m + g Q/m)."
                ),
                variables={"d": 1, "g": 1, "Q": 1, "n_D": 1, "m": 1},
                left=lambda d, g, q, size, m: (
                    (q * (d + g) * (1 - d) * d + (size - q) * d * (1 - d - g) * (d + g))
                    / g**2
                    / (d * m / (d + g))
                ),
                right=lambda d, g, q, size, m: ((d + g) / g) ** 2 * ((1 - d - g) * size / m + g * q / m),
            ),
        ),
        conclusion="With n_D <= m and Q <= n this is at most the stated bound, by Chebyshev's inequality.",
    )


@T44.computation(cases=12, perturbed="splu_ref.guarantees.tuple_error:TupleQueryError.bounds larger")
def the_exact_error_beside_the_bound() -> Comparisons:
    """Compute the error of the whole domain's query at growing domains, and at the printed extreme point."""
    from splu_ref.guarantees import TupleChances, TupleLevels, TupleQueryError  # noqa: PLC0415  only runs need it

    def error(chances: TupleChances, n: int, m: int) -> Fraction:
        bounds = TupleQueryError.of(chances, m, n, Fraction(2 * n)).bounds()
        if bounds.upper - bounds.lower >= Fraction(1, 10**20):
            raise EvidenceError("the enclosure of the error is wide")
        return Fraction(bounds.upper)

    for n, m in ((10, 1000), (100, 10_000), (100, 1_000_000)):
        levels = TupleLevels(Fraction(n, m), Fraction(1, 2))
        best, printed = (error(each, n, m) for each in (levels.best(), levels.printed_extreme()))
        d, gamma = levels.d, levels.gamma
        bound = (gamma / (gamma - d)) ** 2 * (1 - gamma + (gamma - d) * Fraction(n, m))
        yield (Fraction(1, 10), "<", best, f"n = {n}, m = {m}: {best}, {printed}, {bound}")
        yield (best, "<", printed, f"n = {n}, m = {m}: {best}, {printed}, {bound}")
        yield (printed, "<", bound, f"n = {n}, m = {m}: {best}, {printed}, {bound}")
        yield (bound, "<", Fraction(3, 5), f"n = {n}, m = {m}: {best}, {printed}, {bound}")
