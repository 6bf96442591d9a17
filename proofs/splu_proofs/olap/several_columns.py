"""olap.T5, olap.T5e, olap.T5c: products of sets over several columns."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from splu_ref.channels import product_posterior

from ..printed.small_sets import largest_relative_prior
from ..terms import (
    Claim,
    Comparisons,
    Derivation,
    Gives,
    Grade,
    Identity,
    Inequality,
    Quantity,
    Relation,
    Status,
    Witness,
)

P, RHO1, RHO2 = Fraction(1, 5), Fraction(1, 10), Fraction(19, 20)
"""The retention and the levels of the paper's example."""
LEVEL = 273
"""The relative prior that the paper calls safe for two columns."""

T5 = Claim(
    id="olap.T5",
    module=__name__,
    source="Agrawal et al. 2005, §5.2, Theorem 5",
    title="no breach of a product of sets with a small relative prior",
    statement=(
        r"\frac{p_S}{m_S} < \frac{\rho_2(1-\rho_1)(1-p)^k}{(1-\rho_2)\prod_{i=1}^k((1-p)m_{S_i}+p)},\ p_S "
        r"\le \rho_1 \;\Longrightarrow\; \Pr[X \in S \mid Y \in S] < \rho_2"
    ),
    words=(
        "True for a product S of sets, one for each column, of which it is known that the published row "
        "lies in S. In S it is published in S with the product of p + (1-p) m_i, outside with at least the "
        "product of (1-p) m_i. Nothing is assumed of how the columns depend on each other. It does not "
        "cover what the row itself discloses, which the (rho1, rho2) breaches of the same paper allow to be "
        "seen: for one column see olap.T4r. For one column it says what Theorem 4 says at p_S = rho1."
    ),
    hypotheses=(
        r"0 < p < 1",
        r"\text{the published row is known to lie in } S = S_1 \times \dots \times S_k, \text{ and no more}",
    ),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("olap.D45",),
    licenses=("splu_ref.channels.set_breach:product_posterior",),
    tests=("tests/channels/test_set_breach.py::test_a_product_is_most_exposed_where_nothing_else_is_inside",),
)

LESS_SEEN = Identity(
    name="the less is seen from outside, the more is disclosed",
    says=("P U/(P U + (1-P) L) exceeds the same with M >= L by P U (1-P)(M-L) over both denominators."),
    variables={"P": 2, "U": 9, "L": 0, "M": 0},
    left=lambda own, u, low, more: (
        own * u / (own * u + (1 - own) * low) - own * u / (own * u + (1 - own) * more)
    ),
    right=lambda own, u, low, more: (
        own * u * (1 - own) * (more - low) / ((own * u + (1 - own) * low) * (own * u + (1 - own) * more))
    ),
)


@T5.derivation
def the_odds_of_a_product() -> Derivation:
    """Bound what is published in S from outside of it, and compare odds."""
    return Derivation(
        setting=(
            "P = p_S, U the product of (1-p) m_i + p, L the product of (1-p) m_i = (1-p)^k m_S, M >= L the "
            "chance to be published in S from outside, r = rho2, l = rho1 >= P. A row in S has every column "
            "in its S_i, and columns are replaced independently, so it is published in S with U. A row "
            "outside is published in S_i with (1-p) m_i or, if the column lies in S_i, with p more."
        ),
        steps=(
            Inequality(
                name="from outside, column by column",
                says="(a + x)(b + y) >= a b a, b the products without p, x, y >= 0; so for any number.",
                variables=("a", "b", "x", "y"),
                given=lambda a, b, x, y: (a, b, x, y),
                slack=lambda a, b, x, y: (a, b, x, y),
                then=lambda a, b, x, y: (a + x) * (b + y) - a * b,
            ),
            LESS_SEEN,
            Identity(
                name="below the level",
                says="r less P U/(P U + (1-P) L) has the sign of r (1-P) L - (1-r) P U.",
                variables={"P": 2, "U": 9, "L": 0, "r": 0},
                left=lambda own, u, low, r: r - own * u / (own * u + (1 - own) * low),
                right=lambda own, u, low, r: (
                    (r * (1 - own) * low - (1 - r) * own * u) / (own * u + (1 - own) * low)
                ),
            ),
            Identity(
                name="at most rho1",
                says="r (1-P) L is r (1-l) L and r (l-P) L >= 0 more.",
                variables={"P": 0, "l": 0, "L": 0, "r": 0},
                left=lambda own, low, outside, r: r * (1 - own) * outside - r * (1 - low) * outside,
                right=lambda own, low, outside, r: r * (low - own) * outside,
            ),
        ),
        conclusion=(
            "If P/m_S < r (1-l)(1-p)^k/((1-r) U), that is (1-r) P U < r (1-l) L <= r (1-P) L, the posterior "
            "is below r."
        ),
    )


T5E = Claim(
    id="olap.T5e",
    module=__name__,
    source="Agrawal et al. 2005, §5.2, after Theorem 5",
    title="the example of 273 for small sets",
    statement=(
        r"\frac{p_S}{m_S} < 273 \;\Longrightarrow\; \text{no } (.1,.95) \text{ breach of } S = S_1 \times "
        r"S_2,\qquad p = .2,\ (1-p)m_{S_i} \ll p"
    ),
    words=(
        "False for sets as small as one value of 49 in each column, (1-p) m = .016 against p = .2. The "
        "paper takes (1-p) m + p for p, which makes the bound 1368/5 = 273.6, and rounds it by .2 %; but "
        "the two factors are 8 % larger each. A pair of values with a prior of 1/10 has a relative prior of "
        "240.1 < 273 and a posterior of .9512. With one value in each set and d values in each column the "
        "example fails for d = 49 to 98. Smaller domains do not reach such relative priors with p_S <= .1; "
        "in larger ones a relative prior of 273 leaves p_S far below .1."
    ),
    hypotheses=(r"\text{the published row is known to lie in } S, \text{ and no more}",),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("olap.T5",),
    corrected_by="olap.T5c",
    tests=(
        "tests/docs/test_witnesses.py::test_two_columns_of_49_values",
        "tests/channels/test_set_breach.py::test_what_the_paper_says_of_two_columns",
    ),
)


@T5E.refutation
def the_smallest_pair_of_domains() -> Witness:
    """Two columns of 49 values, one value in each set, a prior of 1/10 for the pair."""
    return Witness(
        parameters={"values of each column": 49},
        premises=("product_posterior conditions on this alone",),
        allowed=lambda _values: RHO2,
        actual=_largest,
        sign="<",
        printed=RHO2,
        true=Fraction(2809, 2953),
        smaller=lambda: ((values,) for values in range(2, 49)),
        count=47,
        order=(
            "the number d of values of each column, one of which makes the set; at p_S = 1/10 the relative "
            "prior d^2/10 stays below 273"
        ),
        perturbed="splu_ref.channels.set_breach:product_posterior larger",
        by_hand=(
            "m_S = 1/2401, so p_S/m_S = 240.1 < 273. U = (1/5 + 4/5 * 1/49)^2 = (53/245)^2 and L = "
            "(4/245)^2. With the rest of the prior on pairs that differ in both columns the posterior is "
            "2809/(2809 + 9 * 16) = 2809/2953 = .95124 >= .95."
        ),
    )


def _largest(values: int) -> Fraction:
    """Return the largest posterior of a pair of values, one of ``values`` in each column, of prior 1/10."""
    return product_posterior(RHO1, [(P, Fraction(1, values))] * 2)


@T5E.computation(cases=2, perturbed="splu_proofs.printed.small_sets:largest_relative_prior larger")
def where_the_example_fails() -> Comparisons:
    """Decide the example for every number of values of two like columns, one value in each set."""
    printed = largest_relative_prior(RHO1, RHO2, P, 2)
    yield (printed, "=", Fraction(1368, 5), f"the printed bound is {printed}")
    failing = []
    for values in range(2, 4001):
        # the largest prior below 1/10 and below the relative prior of 273; at 273 itself it is no breach
        own = min(RHO1, Fraction(LEVEL, values**2))
        posterior = product_posterior(own, [(P, Fraction(1, values))] * 2)
        if posterior > RHO2 or (posterior == RHO2 and own == RHO1):
            failing.append(values)
    yield (failing, "=", list(range(49, failing[-1] + 1)), "the failures are no range")


def _in_two_columns(p: Fraction, own: Fraction, m_1: Fraction, m_2: Fraction) -> Fraction:
    """Return Pr[X in S | Y in S] from the law of two columns, the rest of the prior outside of both sets."""
    joint = {True: Fraction(0), False: Fraction(0)}
    for inside, weight in ((True, own), (False, 1 - own)):
        chance = weight
        for m in (m_1, m_2):
            chance *= sum((part for seen, part in ((inside, p), (True, (1 - p) * m)) if seen), Fraction(0))
        joint[inside] += chance
    return joint[True] / (joint[True] + joint[False])


PAIR = Relation(
    variables=("p", "p_S", "m_1", "m_2"),
    left=Quantity(r"\Pr[X \in S \mid Y \in S]", _in_two_columns),
    sign="=",
    right=lambda p, own, m_1, m_2: (
        own * (p + (1 - p) * m_1) * (p + (1 - p) * m_2)
        / (own * (p + (1 - p) * m_1) * (p + (1 - p) * m_2) + (1 - own) * (1 - p) ** 2 * m_1 * m_2)
    ),
    cases=lambda: product(
        (Fraction(1, 5), Fraction(3, 4)),
        (Fraction(1, 10), Fraction(2, 3)),
        (Fraction(1, 49), Fraction(1, 2)),
        (Fraction(1, 49), Fraction(1, 3)),
    ),
)  # fmt: skip

T5C = Claim(
    id="olap.T5c",
    module=__name__,
    source="corrects Agrawal et al. 2005, §5.2, after Theorem 5",
    title="when a product of sets has a breach",
    statement=(
        rf"k = 2\colon\ {PAIR.latex};\qquad \ge \rho_2 \iff \prod_{{i=1}}^k\Bigl(1 + "
        r"\frac{p}{(1-p)m_i}\Bigr) \ge \frac{\rho_2(1-p_S)}{p_S(1-\rho_2)}"
    ),
    asserts=(PAIR,),
    words=(
        "Theorem 5 is sharp: a prior with p_S = rho1 and everything else outside of every S_i reaches its "
        "bound, so breaches at a prior of at most rho1 exist exactly if the product of 1 + p/((1-p) m_i) is "
        "at least G = rho2 (1-rho1)/(rho1 (1-rho2)). For single values of uniform columns the product is "
        "the amplification of the row, and the rule is that of all priors. For an (s, rho1, rho2) breach "
        "p_S is also below s m_S, so that the smaller of rho1 and s m_S decides in the place of rho1. The "
        "approximation (1-p) m + p = p of the paper is not safe: it takes the product without its ones, and "
        "moves the bound up."
    ),
    hypotheses=(
        r"0 < p < 1", r"0 < m_i < 1", r"\text{the rest of the prior lies outside of every } S_i",
    ),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
    rests_on=("olap.T5",),
    licenses=(
        "splu_ref.channels.set_breach:product_posterior",
        "splu_ref.channels.set_breach:product_retention_limit",
    ),
    tests=(
        "tests/channels/test_set_breach.py::test_the_limit_of_a_product_is_where_its_breaches_begin",
        "tests/channels/test_set_breach.py::test_a_product_is_most_exposed_where_nothing_else_is_inside",
    ),
)  # fmt: skip


@T5C.derivation
def the_worst_prior_of_a_product() -> Derivation:
    """Write the posterior where a row outside of S lies outside of every set, and divide by L."""
    return Derivation(
        setting=(
            "P = p_S, m and n the shares of the two sets, r = rho2, t = p/(1-p). What is published in a set "
            "from outside of it was replaced."
        ),
        steps=(
            Identity(
                name="two columns",
                says="P U/(P U + (1-P) L), first with the odds of each column apart.",
                variables={"p": 2, "P": -20, "m": 3, "n": 3},
                left=lambda p, own, m, n: (
                    1
                    / (
                        1
                        + (1 - own) / own
                        * ((1 - p) * m / (p + (1 - p) * m))
                        * ((1 - p) * n / (p + (1 - p) * n))
                    )
                ),
                right=lambda p, own, m, n: (
                    own * (p + (1 - p) * m) * (p + (1 - p) * n)
                    / (own * (p + (1 - p) * m) * (p + (1 - p) * n) + (1 - own) * (1 - p) ** 2 * m * n)
                ),
            ),
            Identity(
                name="one factor of the odds",
                says="(p + (1-p) m)/((1-p) m) = 1 + t/m.",
                variables={"p": 2, "m": 1},
                left=lambda p, m: (p + (1 - p) * m) / ((1 - p) * m),
                right=lambda p, m: 1 + p / (1 - p) / m,
            ),
            Identity(
                name="above the level",
                says="With W = U/L: P W/(P W + 1 - P) - r has the sign of P (1-r) W - r (1-P).",
                variables={"P": 2, "W": 2, "r": 0},
                left=lambda own, w, r: own * w / (own * w + 1 - own) - r,
                right=lambda own, w, r: (own * (1 - r) * w - r * (1 - own)) / (own * w + 1 - own),
            ),
        ),
        conclusion=(
            "The posterior is at least r exactly if the product of 1 + t/m_i is at least r (1-P)/(P (1-r)), "
            "which falls in P: P = rho1 decides. By olap.T5 no other prior of S does more."
        ),
        gives=(Gives(relation=PAIR, step="two columns", of="right", at=lambda p, own, m, n: (p, own, m, n)),),
    )  # fmt: skip
