"""rastogi.D23, LEAK, DN, T43, T43n, T43c: (d, gamma)-privacy, and which alpha and beta give it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from ..claim import Claim, Status
from ..derivation import Derivation
from ..evidence import Grade, require
from ..recheck import on_grid
from ..step import Identity
from ..witness import Witness

_TESTS = "tests/guarantees/test_tuples.py::"

D23 = Claim(
    id="rastogi.D23",
    module=__name__,
    source="Rastogi, Suciu, Hong 2007 (summary), Definitions 2.1 and 2.3",
    title="(d, gamma)-privacy",
    statement=(
        r"\frac{d}{\gamma} \le \frac{\Pr[t \mid V]}{\Pr[t]} \text{ and } \Pr[t \mid V] \le \gamma "
        r"\text{ for every } t \text{ with } 0 < \Pr[t] \le d \text{ and every } V"
    ),
    words=(
        "The adversary's tuples are independent, and of each he either is certain or believes at most d. "
        "Tuples of prior 0 or 1 are left out: nothing can be learned of them. With d above gamma no "
        "algorithm "
        "that ever publishes a genuine tuple keeps the second condition, so 0 < d <= gamma < 1 is meant. The "
        "second condition bounds beliefs in presence alone: a release may make somebody certain that a tuple "
        "is nearly absent, as far as the first one lets it."
    ),
    hypotheses=(r"0 < d \le \gamma < 1", r"\text{tuples independent under the prior}"),
    status=Status.DEFINITION,
    grade=None,
)

LEAK = Claim(
    id="rastogi.LEAK",
    module=__name__,
    source="Rastogi, Suciu, Hong 2007 (summary), after Definition 2.3",
    title="negative and positive leakage",
    statement=(
        r"\Pr[t \mid V] < \tfrac{d}{\gamma}\Pr[t] \Rightarrow \Pr[t \mid V] < \Pr[t]; \quad "
        r"\Pr[t \mid V] > \gamma \Rightarrow \Pr[t \mid V] > \Pr[t]"
    ),
    words=(
        "A tuple that fails the first condition is believed less than before, one that fails the second "
        "more: "
        "d/gamma is at most 1, and the prior at most d, which is at most gamma. So no tuple fails both, and "
        "the names are right. A tuple may be believed less without failing the first condition."
    ),
    hypotheses=(r"0 < \Pr[t] \le d \le \gamma < 1",),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("rastogi.D23",),
)

T43 = Claim(
    id="rastogi.T43",
    module=__name__,
    source="Rastogi, Suciu, Hong 2007 (summary), Theorem 4.3",
    title="sufficient conditions of (d, gamma)-privacy",
    statement=(
        r"\frac{\beta}{\alpha+\beta} \ge \frac{d(1-\gamma)}{\gamma(1-d)} \text{ and } \alpha+\beta \le "
        r"1-\frac d\gamma \;\Longrightarrow\; (d,\gamma)\text{-privacy}"
    ),
    words=(
        "True. The first condition is the exact one for a published tuple, and the second is stronger than "
        "the exact one for a tuple that is not published, by beta d."
    ),
    hypotheses=(r"\alpha > 0,\ \beta \ge 0,\ \alpha+\beta \le 1", r"0 < d \le \gamma < 1"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("rastogi.D23",),
    licenses=("splu_ref.guarantees.tuple_privacy",),
    tests=(_TESTS + "test_the_exact_region_against_priors",),
)

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
        "posterior grows with the prior and is largest at d. If it is not, posterior over prior falls to "
        "(1 - alpha - beta)/(1 - beta) as the prior falls to 0, which no prior attains. Where both "
        "conditions "
        "hold with equality, the variance of every query is least: on either edge of the region both "
        "terms of "
        "the variance fall with alpha, and between the edges, at one alpha, each is concave in beta. The "
        "printed extreme point has the smaller alpha (gamma - d)^2/(gamma^2 (1 - d))."
    ),
    hypotheses=(r"\alpha > 0,\ \beta \ge 0,\ \alpha+\beta \le 1", r"0 < d < \gamma < 1"),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
    rests_on=("rastogi.D23", "rastogi.LEAK"),
    licenses=("splu_ref.guarantees.tuple_privacy", "splu_ref.certificates.tuples"),
    tests=(_TESTS + "test_the_exact_region_against_priors", _TESTS + "test_least_variance"),
)

DN = Claim(
    id="rastogi.DN",
    module=__name__,
    source="Rastogi, Suciu, Hong 2007 (summary), first bullet",
    title="privacy as prior over posterior",
    statement=r"\frac{\Pr[t]}{\Pr[t \mid V]} \le \frac\gamma d \;\Longrightarrow\; \Pr[t \mid V] \le \gamma",
    words=(
        "The first bullet calls the prior over the posterior the privacy, Definition 2.3 bounds the "
        "posterior "
        "over the prior. As an inequality the one is the reciprocal of the other: that is condition (i). "
        "As a "
        "definition of privacy by itself it is not enough. Publish each tuple with 1/3 and no fakes: at "
        "d = 1/3, gamma = 1/2 the ratio is below 3/2 = gamma/d, and whoever sees a tuple is certain of it."
    ),
    hypotheses=(r"0 < \Pr[t] \le d \le \gamma < 1",),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("rastogi.D23",),
    corrected_by="rastogi.T43c",
)


@LEAK.derivation
def what_fails_moves_the_belief() -> Derivation:
    """Write what is left over in each case as a product of what is at least 0."""
    return Derivation(
        setting="x is the prior and y the posterior, 0 < x <= d <= gamma.",
        steps=(
            Identity(
                name="failing the first",
                says="x - y = (x d/gamma - y) + x (gamma - d)/gamma: positive if the first term is.",
                variables={"x": 1, "y": 1, "d": 1, "gamma": 1},
                left=lambda x, y, *_: x - y,
                right=lambda x, y, d, gamma: (x * d / gamma - y) + x * (gamma - d) / gamma,
                recheck=(on_grid,),
            ),
            Identity(
                name="failing the second",
                says="y - x = (y - gamma) + (gamma - d) + (d - x): positive if the first term is.",
                variables={"x": 1, "y": 1, "d": 1, "gamma": 1},
                left=lambda x, y, *_: y - x,
                right=lambda x, y, d, gamma: (
                    ((y - gamma) * gamma + (gamma - d) * gamma + (d - x) * gamma) / gamma
                ),
                recheck=(on_grid,),
            ),
        ),
        conclusion="A tuple that fails (i) has fallen, one that fails (ii) has risen; so none fails both.",
    )


def _seen_condition() -> Identity:
    return Identity(
        name="published, at the prior d",
        says=(
            "gamma less the posterior is (beta gamma (1-d) - (alpha+beta) d (1-gamma))/(d alpha + beta): "
            "of the "
            "sign of the first condition."
        ),
        variables={"alpha": 1, "beta": 1, "d": 1, "gamma": 1},
        left=lambda alpha, beta, d, gamma: gamma - d * (alpha + beta) / (d * alpha + beta),
        right=lambda alpha, beta, d, gamma: (
            (beta * gamma * (1 - d) - (alpha + beta) * d * (1 - gamma)) / (d * alpha + beta)
        ),
        recheck=(on_grid,),
    )


def _unseen_condition() -> Identity:
    return Identity(
        name="not published, at the prior x",
        says=(
            "Posterior over prior, less d/gamma, is ((1-alpha-beta) gamma - (1-beta) d + x alpha d) over "
            "gamma (1-beta-x alpha): at least 0 for every x > 0 exactly if the first two terms are."
        ),
        variables={"alpha": 1, "beta": 1, "d": 1, "gamma": 1, "x": 1},
        left=lambda alpha, beta, d, gamma, x: (1 - alpha - beta) / (1 - beta - x * alpha) - d / gamma,
        right=lambda alpha, beta, d, gamma, x: (
            ((1 - alpha - beta) * gamma - (1 - beta) * d + x * alpha * d) / (gamma * (1 - beta - x * alpha))
        ),
        recheck=(on_grid,),
    )


@T43.derivation
def both_conditions_suffice() -> Derivation:
    """Compare the printed conditions with the exact ones."""
    return Derivation(
        setting=(
            "t is published with alpha + beta if it is in I and with beta if not, and nothing else of V "
            "depends "
            "on t. So by Bayes the posterior at the prior x is x (alpha+beta)/(x alpha + beta) if t is "
            "in V and "
            "x (1-alpha-beta)/(1-beta-x alpha) if not."
        ),
        steps=(
            _growth(),
            _seen_condition(),
            _unseen_condition(),
            Identity(
                name="the printed second condition",
                says=(
                    "(1-alpha-beta) gamma - (1-beta) d = gamma (1 - d/gamma - alpha - beta) + beta d: "
                    "the exact "
                    "condition has beta d more room."
                ),
                variables={"alpha": 1, "beta": 1, "d": 1, "gamma": 1},
                left=lambda alpha, beta, d, gamma: (1 - alpha - beta) * gamma - (1 - beta) * d,
                right=lambda alpha, beta, d, gamma: gamma * (1 - d / gamma - alpha - beta) + beta * d,
                recheck=(on_grid,),
            ),
        ),
        conclusion="The printed conditions imply the exact ones, and these both parts of Definition 2.3.",
    )


def _growth() -> Identity:
    return Identity(
        name="published, from x to y",
        says="The posterior grows with the prior, by (y-x) beta (alpha+beta) over a positive product.",
        variables={"alpha": 1, "beta": 1, "x": 1, "y": 1},
        left=lambda alpha, beta, x, y: (
            y * (alpha + beta) / (y * alpha + beta) - x * (alpha + beta) / (x * alpha + beta)
        ),
        right=lambda alpha, beta, x, y: (
            (y - x) * beta * (alpha + beta) / ((y * alpha + beta) * (x * alpha + beta))
        ),
        recheck=(on_grid,),
    )


@T43C.derivation
def the_region_and_its_corner() -> Derivation:
    """Derive both conditions, their common point, and the variances on the edges."""
    return Derivation(
        setting=(
            "As in Theorem 4.3. c = d (1-gamma)/(gamma-d) and e = d/gamma: the conditions are beta >= c "
            "alpha "
            "and alpha <= (1-e) (1-beta). A query's variance is Q (alpha+beta)(1-alpha-beta)/alpha^2 + "
            "(n_D - Q) beta (1-beta)/alpha^2."
        ),
        steps=(
            _growth(),
            _seen_condition(),
            _unseen_condition(),
            Identity(
                name="the corner, first condition",
                says="At the stated point both sides of the first are equal, times gamma + d (1-gamma).",
                variables={"d": 1, "gamma": 1},
                left=lambda d, gamma: d * (1 - gamma) * gamma * (1 - d),
                right=lambda d, gamma: (gamma - d + d * (1 - gamma)) * d * (1 - gamma),
                recheck=(on_grid,),
            ),
            Identity(
                name="the corner, second condition",
                says="(1-alpha-beta) gamma = (1-beta) d there, times the same gamma + d - d gamma.",
                variables={"d": 1, "gamma": 1},
                left=lambda d, gamma: (gamma + d - d * gamma - (gamma - d) - d * (1 - gamma)) * gamma,
                right=lambda d, gamma: (gamma + d - d * gamma - d * (1 - gamma)) * d,
                recheck=(on_grid,),
            ),
            Identity(
                name="fakes, on the first edge",
                says="beta (1-beta)/alpha^2 at beta = c alpha is c/alpha - c^2: it falls with alpha.",
                variables={"c": 1, "alpha": 1},
                left=lambda c, alpha: c * alpha * (1 - c * alpha) / alpha**2,
                right=lambda c, alpha: c / alpha - c**2,
                recheck=(on_grid,),
            ),
            Identity(
                name="genuine, on the first edge",
                says="(alpha+beta)(1-alpha-beta)/alpha^2 is (1+c)/alpha - (1+c)^2 there.",
                variables={"c": 1, "alpha": 1},
                left=lambda c, alpha: (alpha + c * alpha) * (1 - alpha - c * alpha) / alpha**2,
                right=lambda c, alpha: (1 + c) / alpha - (1 + c) ** 2,
                recheck=(on_grid,),
            ),
            Identity(
                name="fakes, on the second edge",
                says="At beta = 1 - alpha/r, r = 1 - e, it is 1/(r alpha) - 1/r^2: it falls with alpha.",
                variables={"r": 1, "alpha": 1},
                left=lambda r, alpha: (1 - alpha / r) * (1 - (1 - alpha / r)) / alpha**2,
                right=lambda r, alpha: 1 / (r * alpha) - 1 / r**2,
                recheck=(on_grid,),
            ),
            Identity(
                name="genuine, on the second edge",
                says="With h = (1-r)/r = e/(1-e), 1 - alpha - beta is h alpha there: h/alpha - h^2.",
                variables={"r": 1, "alpha": 1},
                left=lambda r, alpha: (1 - (1 / r - 1) * alpha) * (1 / r - 1) * alpha / alpha**2,
                right=lambda r, alpha: (1 / r - 1) / alpha - (1 / r - 1) ** 2,
                recheck=(on_grid,),
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
                recheck=(on_grid,),
            ),
        ),
        conclusion=(
            "Both conditions are necessary and sufficient. At a given alpha both terms of the variance are "
            "concave in beta, so each is least at an end of the interval that the region leaves, which "
            "lies on "
            "one of the two edges; there it falls with alpha, and the corner has the largest alpha."
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
    third, gamma = Fraction(1, 3), Fraction(2, 3)
    return Witness(
        parameters={"d": "1/3", "gamma": "2/3", "alpha": "1/3", "beta": "1/3"},
        printed=Fraction(1, 2),
        true=Fraction(2, 3),
        recompute=lambda: (
            1 - third / gamma,
            2 * third if _is_private(third, third, third, gamma) else Fraction(0),
        ),
        order="the largest denominator of d, gamma, alpha and beta",
        smaller=cases_before_the_witness,
        by_hand=(
            "Published: (1/3 2/3)/(1/3 2/3 + 2/3 1/3) = 1/2, at most gamma. Not published: more than "
            "(1/3)/(2/3) = 1/2 = d/gamma of the prior. But alpha + beta = 2/3 > 1 - 1/2."
        ),
    )


def cases_before_the_witness() -> Iterator[tuple[str, bool]]:
    """Walk through all parameters with denominators of at most 2."""
    numbers = _parameters(2)
    for d, gamma in product(numbers, numbers):
        if not 0 < d <= gamma < 1:
            continue
        for alpha, beta in product(numbers, numbers):
            if not (alpha > 0 and alpha + beta <= 1):
                continue
            holds = not _is_private(alpha, beta, d, gamma) or alpha + beta <= 1 - d / gamma
            yield f"d = {d}, gamma = {gamma}, alpha = {alpha}, beta = {beta}", holds


@DN.refutation
def a_certain_adversary() -> Witness:
    """At d = 1/3, gamma = 1/2, alpha = 1/3, beta = 0 a published tuple is certain."""
    d, gamma, third = Fraction(1, 3), Fraction(1, 2), Fraction(1, 3)
    return Witness(
        parameters={"d": "1/3", "gamma": "1/2", "alpha": "1/3", "beta": "0"},
        printed=Fraction(1, 2),
        true=Fraction(1),
        recompute=lambda: (gamma, _certain(d, gamma, third)),
        order="the largest denominator of d and gamma, whatever alpha is, with beta = 0",
        smaller=lambda: (
            (f"d = gamma = 1/2, alpha = {alpha}", _certain(gamma, gamma, alpha) <= gamma)
            for alpha in (Fraction(k, 60) for k in range(1, 61))
        ),
        by_hand=(
            "A tuple that is seen is in I: its posterior is 1. Of one that is not seen, with prior x, the "
            "posterior is x (2/3)/(1 - x/3), so prior over posterior is 3/2 - x/2, below gamma/d = 3/2."
        ),
    )


def _certain(d: Fraction, gamma: Fraction, alpha: Fraction) -> Fraction:
    """Return the largest posterior without fakes, if prior over posterior stays at gamma/d; else 0."""
    kept = alpha < 1 and 1 / (1 - alpha) <= gamma / d
    return Fraction(1) if kept else Fraction(0)


@T43C.computation
def the_region_point_by_point() -> str:
    """Compare the two conditions with the posteriors on a grid, and count what print leaves out."""
    numbers = _parameters(6)
    compared = left_out = 0
    for d, gamma in product(numbers, numbers):
        if not 0 < d < gamma < 1:
            continue
        for alpha, beta in product(numbers, numbers):
            if not (alpha > 0 and alpha + beta <= 1):
                continue
            first = beta * gamma * (1 - d) >= (alpha + beta) * d * (1 - gamma)
            second = (1 - alpha - beta) * gamma >= (1 - beta) * d
            private = _is_private(alpha, beta, d, gamma)
            require((first and second) == private, f"{d}, {gamma}, {alpha}, {beta}")
            compared += 1
            left_out += private and alpha + beta > 1 - d / gamma
    return f"{compared} points; {left_out} are private and outside the printed conditions"


@T43C.enumeration
def the_shipped_code_and_its_worlds() -> str:
    """Compute posteriors from every outcome of the code on every original of a domain of three tuples."""
    from ..worlds.tuple_sets import published  # noqa: PLC0415  it loads numpy and the library

    compared = 0
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
                require(found == prior * own / (prior * own + (1 - prior) * other), f"{alpha}, {in_view}")
                compared += 1
    return f"{compared} posteriors over all originals and outcomes of a domain of three tuples"
