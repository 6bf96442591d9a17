"""rastogi.T43n, T43c: the printed conditions are not necessary, and which are."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Status, Witness
from .posteriors import growth, seen_condition, unseen_condition

_TESTS = "tests/guarantees/test_tuples.py::"

T43N = Claim(
    id="rastogi.T43n",
    module=__name__,
    source="Rastogi, Suciu, Hong 2007 (summary), Theorem 4.3, read as a characterization",
    title="the printed conditions as necessary ones",
    statement=(
        r"(d,\gamma)\text{-privacy} \;\Longrightarrow\; \frac{\beta}{\alpha+\beta} \ge "
        r"\frac{d(1-\gamma)}{\gamma(1-d)} \text{ and } \alpha+\beta \le 1-\frac d\gamma"
    ),
    words=(
        "The first condition is necessary, the second is not: it compares with a tuple that is never "
        "published by chance, and tuples are, with beta. At d = 1/3, gamma = 2/3, alpha = beta = 1/3 the "
        "algorithm is private, and alpha + beta = 2/3 is above the 1/2 that is printed."
    ),
    hypotheses=(r"\alpha > 0,\ \beta \ge 0,\ \alpha+\beta \le 1", r"0 < d \le \gamma < 1"),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("rastogi.D23",),
    corrected_by="rastogi.T43c",
    tests=(_TESTS + "test_the_printed_conditions_are_not_necessary",),
)

T43C = Claim(
    id="rastogi.T43c",
    module=__name__,
    source="corrects Rastogi, Suciu, Hong 2007 (summary), Theorem 4.3",
    title="the exact region of (d, gamma)-privacy",
    statement=(
        r"(d,\gamma)\text{-privacy} \iff \beta\gamma(1-d) \ge (\alpha+\beta)d(1-\gamma) \text{ and } "
        r"(1-\alpha-\beta)\gamma \ge (1-\beta)d; \quad \text{least variance at } "
        r"\alpha = \frac{\gamma-d}{\gamma+d(1-\gamma)},\ \beta = \frac{d(1-\gamma)}{\gamma+d(1-\gamma)}"
    ),
    words=(
        "What is published of other tuples says nothing of t, so there are two cases. If t is in V, the "
        "posterior grows with the prior and is largest at d. If it is not, posterior over prior falls to (1 "
        "- alpha - beta)/(1 - beta) as the prior falls to 0, which no prior attains. Where both conditions "
        "hold with equality, the variance of every query is least: on either edge of the region both terms "
        "of the variance fall with alpha, and between the edges, at one alpha, each is concave in beta. The "
        "printed extreme point has the smaller alpha (gamma - d)^2/(gamma^2 (1 - d))."
    ),
    hypotheses=(r"\alpha > 0,\ \beta \ge 0,\ \alpha+\beta \le 1", r"0 < d < \gamma < 1"),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
    rests_on=("rastogi.D23", "rastogi.LEAK"),
    licenses=("splu_ref.guarantees.tuple_privacy", "splu_ref.guarantees.certificates.other_claims"),
    tests=(_TESTS + "test_the_exact_region_against_priors", _TESTS + "test_least_variance"),
)


@T43C.derivation
def the_region_and_its_corner() -> Derivation:
    """Derive both conditions, their common point, and the variances on the edges."""
    return Derivation(
        setting=(
            "As in Theorem 4.3. c = d (1-gamma)/(gamma-d) and e = d/gamma: the conditions are beta >= c "
            "alpha and alpha <= (1-e) (1-beta). A query's variance is Q (alpha+beta)(1-alpha-beta)/alpha^2 + "
            "(n_D - Q) beta (1-beta)/alpha^2."
        ),
        steps=(
            growth(),
            seen_condition(),
            unseen_condition(),
            Identity(
                name="the corner, first condition",
                says="At the stated point both sides of the first are equal, times gamma + d (1-gamma).",
                variables={"d": 1, "gamma": 1},
                left=lambda d, gamma: d * (1 - gamma) * gamma * (1 - d),
                right=lambda d, gamma: (gamma - d + d * (1 - gamma)) * d * (1 - gamma),
            ),
            Identity(
                name="the corner, second condition",
                says="(1-alpha-beta) gamma = (1-beta) d there, times the same gamma + d - d gamma.",
                variables={"d": 1, "gamma": 1},
                left=lambda d, gamma: (gamma + d - d * gamma - (gamma - d) - d * (1 - gamma)) * gamma,
                right=lambda d, gamma: (gamma + d - d * gamma - d * (1 - gamma)) * d,
            ),
            Identity(
                name="fakes, on the first edge",
                says="beta (1-beta)/alpha^2 at beta = c alpha is c/alpha - c^2: it falls with alpha.",
                variables={"c": 1, "alpha": 1},
                left=lambda c, alpha: c * alpha * (1 - c * alpha) / alpha**2,
                right=lambda c, alpha: c / alpha - c**2,
            ),
            Identity(
                name="genuine, on the first edge",
                says="(alpha+beta)(1-alpha-beta)/alpha^2 is (1+c)/alpha - (1+c)^2 there.",
                variables={"c": 1, "alpha": 1},
                left=lambda c, alpha: (alpha + c * alpha) * (1 - alpha - c * alpha) / alpha**2,
                right=lambda c, alpha: (1 + c) / alpha - (1 + c) ** 2,
            ),
            Identity(
                name="fakes, on the second edge",
                says="At beta = 1 - alpha/r, r = 1 - e, it is 1/(r alpha) - 1/r^2: it falls with alpha.",
                variables={"r": 1, "alpha": 1},
                left=lambda r, alpha: (1 - alpha / r) * (1 - (1 - alpha / r)) / alpha**2,
                right=lambda r, alpha: 1 / (r * alpha) - 1 / r**2,
            ),
            Identity(
                name="genuine, on the second edge",
                says="With h = (1-r)/r = e/(1-e), 1 - alpha - beta is h alpha there: h/alpha - h^2.",
                variables={"r": 1, "alpha": 1},
                left=lambda r, alpha: (1 - (1 / r - 1) * alpha) * (1 / r - 1) * alpha / alpha**2,
                right=lambda r, alpha: (1 / r - 1) / alpha - (1 / r - 1) ** 2,
            ),
            Identity(
                name="the printed extreme point",
                says=(
                    "alpha there is (gamma-d)^2/(gamma^2 (1-d)). Times gamma^2 (1-d) and the corner's "
                    "denominator, the corner's alpha is the larger one by (gamma-d) d^2 (1-gamma)."
                ),
                variables={"d": 2, "gamma": 1},
                left=lambda d, gamma: (
                    (gamma - d) * (gamma**2 * (1 - d)) - (gamma - d) ** 2 * (gamma + d * (1 - gamma))
                ),
                right=lambda d, gamma: (gamma - d) * d**2 * (1 - gamma),
            ),
        ),
        conclusion=(
            "Both conditions are necessary and sufficient. At a given alpha both terms of the variance are "
            "concave in beta, so each is least at an end of the interval that the region leaves, which lies "
            "on one of the two edges; there it falls with alpha, and the corner has the largest alpha."
        ),
    )


def _is_private(alpha: Fraction, beta: Fraction, d: Fraction, gamma: Fraction) -> bool:
    """Decide Definition 2.3 from the posteriors themselves: at the prior d, and in the limit at 0."""
    kept = alpha + beta
    if d * kept > gamma * (d * kept + (1 - d) * beta):
        return False
    return kept < 1 and (1 - kept) / (1 - beta) >= d / gamma


def _parameters(most: int) -> list[Fraction]:
    return sorted({Fraction(a, b) for b in range(1, most + 1) for a in range(b + 1)})


@T43N.refutation
def smallest_counterexample() -> Witness:
    """At d = 1/3, gamma = 2/3, alpha = beta = 1/3: alpha + beta is 2/3, and 1/2 is printed."""
    return Witness(
        parameters={
            "d": Fraction(1, 3),
            "gamma": Fraction(2, 3),
            "alpha": Fraction(1, 3),
            "beta": Fraction(1, 3),
        },
        premises=(
            lambda _d, _gamma, alpha, beta: alpha > 0 and beta >= 0 and alpha + beta <= 1,
            lambda d, gamma, _alpha, _beta: 0 < d <= gamma < 1,
        ),
        allowed=lambda d, gamma, _alpha, _beta: 1 - d / gamma,
        actual=lambda d, gamma, alpha, beta: (alpha + beta) * _is_private(alpha, beta, d, gamma),
        printed=Fraction(1, 2),
        true=Fraction(2, 3),
        smaller=lambda: product(_parameters(2), repeat=4),
        count=3,
        order="the largest denominator of d, gamma, alpha and beta",
        perturbed="splu_proofs.rastogi.region:_is_private larger",
        by_hand=(
            "Published: (1/3 2/3)/(1/3 2/3 + 2/3 1/3) = 1/2, at most gamma. Not published: more than "
            "(1/3)/(2/3) = 1/2 = d/gamma of the prior. But alpha + beta = 2/3 > 1 - 1/2."
        ),
    )


@T43C.computation(cases=4290, perturbed="splu_proofs.rastogi.region:_is_private larger")
def the_region_point_by_point() -> Comparisons:
    """Compare the two conditions with the posteriors on a grid, and count what print leaves out."""
    numbers = _parameters(6)
    for d, gamma in product(numbers, numbers):
        if not 0 < d < gamma < 1:
            continue
        for alpha, beta in product(numbers, numbers):
            if not (alpha > 0 and alpha + beta <= 1):
                continue
            first = beta * gamma * (1 - d) >= (alpha + beta) * d * (1 - gamma)
            second = (1 - alpha - beta) * gamma >= (1 - beta) * d
            private = _is_private(alpha, beta, d, gamma)
            yield ((first and second), "=", private, f"{d}, {gamma}, {alpha}, {beta}")


@T43C.enumeration(
    cases=8,
    perturbed=("splu_ref.channels.binomial:parts larger", "splu_proofs.worlds.tuple_sets:published larger"),
)
def the_shipped_code_and_its_worlds() -> Comparisons:
    """Compute posteriors from every outcome of the code on every original of a domain of three tuples."""
    from ..worlds.tuple_sets import published  # noqa: PLC0415  it loads numpy and the library

    for alpha, beta in ((Fraction(2, 5), Fraction(1, 5)), (Fraction(1, 3), Fraction(1, 6))):
        for prior in (Fraction(1, 4), Fraction(1, 10)):
            joint: dict[tuple[int, bool], Fraction] = {}
            for bits in product((0, 1), repeat=3):
                weight = Fraction(1)
                for bit in bits:
                    weight *= prior if bit else 1 - prior
                members = [place for place in range(3) if bits[place]]
                for seen, chance in published(alpha, beta, members, 3).items():
                    key = (bits[0], 0 in seen)
                    joint[key] = joint.get(key, Fraction(0)) + weight * chance
            for in_view in (True, False):
                found = joint[1, in_view] / (joint[1, in_view] + joint[0, in_view])
                own, other = (alpha + beta, beta) if in_view else (1 - alpha - beta, 1 - beta)
                yield (found, "=", prior * own / (prior * own + (1 - prior) * other), f"{alpha}, {in_view}")
