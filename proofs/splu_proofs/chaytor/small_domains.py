"""chaytor.DOM, chaytor.SDR, chaytor.SDRc: smaller domains keep more, and what a sub-domain discloses."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from splu_ref.channels import Levels, amplification, blocks, retention, worst_prior

from ..terms import (
    Claim,
    Comparisons,
    Derivation,
    Gives,
    Grade,
    Identity,
    Quantity,
    Relation,
    Status,
    Witness,
)


def _limit(ratio: Fraction, m: int) -> Fraction:
    """Return the limit of the retention for levels with this G: rho2 = 1/2, rho1 = 1/(1+G)."""
    return Levels(1 / (1 + ratio), Fraction(1, 2)).retention_limit(m)


STEP = Relation(
    variables=("G", "m"),
    left=Quantity("p_m - p_{m+1}", lambda ratio, m: _limit(ratio, m) - _limit(ratio, m + 1)),
    sign="=",
    right=lambda ratio, m: (ratio - 1) / ((m + ratio - 1) * (m + ratio)),
    cases=lambda: product((Fraction(3, 2), Fraction(9), Fraction(171)), (2, 3, 14)),
)

DOM = Claim(
    id="chaytor.DOM",
    module=__name__,
    source="Chaytor, chapter 2, end of the publication algorithms",
    title="a smaller sensitive domain keeps more",
    statement=rf"p_m = \frac{{G-1}}{{m+G-1}}\colon\ {STEP.latex} > 0",
    asserts=(STEP,),
    words=(
        "True: the limit of the retention falls with every further value of the domain, and so does the "
        "share of records that are published with their true value, G/(m+G-1). With G = 9 the limit is .8 "
        "for two values, .571 for six and .364 for fourteen."
    ),
    hypotheses=(r"G > 1", r"m \ge 2"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("chaytor.OPTc",),
    licenses=("splu_ref.channels.breach:Levels",),
    tests=("tests/channels/test_breach.py::test_uniform_replacement_is_safe_below_its_limit_and_not_at_it",),
)


@DOM.derivation
def one_value_more() -> Derivation:
    """Subtract the limits of m and m + 1 values."""
    return Derivation(
        setting="p_m = (G-1)/(m+G-1), and p_m + (1-p_m)/m is what is published as itself.",
        steps=(
            Identity(
                name="one value more",
                says="(G-1)/(m+G-1) - (G-1)/(m+G) = (G-1)/((m+G-1)(m+G)).",
                variables={"G": 1, "m": 2},
                left=lambda g, m: (g - 1) / (m + g - 1) - (g - 1) / (m + g),
                right=lambda g, m: (g - 1) / ((m + g - 1) * (m + g)),
            ),
            Identity(
                name="the true value",
                says="p_m + (1-p_m)/m = G/(m+G-1), which falls in m as well.",
                variables={"G": 1, "m": 2},
                left=lambda g, m: (g - 1) / (m + g - 1) + (1 - (g - 1) / (m + g - 1)) / m,
                right=lambda g, m: g / (m + g - 1),
            ),
        ),
        conclusion="Both fall with m, strictly for G > 1.",
        gives=(Gives(relation=STEP, step="one value more", of="right", at=lambda ratio, m: (ratio, m)),),
    )


SDR = Claim(
    id="chaytor.SDR",
    module=__name__,
    source="Chaytor, chapter 2, end of the publication algorithms",
    title="small domains: the same privacy",
    statement=(
        r"\text{perturbation of each part on its } SA_i \subset SA \text{ with } p_i < p_{|SA_i|} \text{ "
        r"has no } (\rho_1,\rho_2) \text{ breach}"
    ),
    words=(
        "False for an observer who thought any value of the whole domain possible: that a record is "
        "published within a sub-domain rules out all values beside it, whatever p is. With three values and "
        "the sub-domain {0, 1}, a prior of 1/10 on it becomes 1. The guarantee holds for priors on the "
        "sub-domain alone, see chaytor.SDRc, as if it had been known before that the record's value lies in "
        "it."
    ),
    hypotheses=(r"\text{priors on all of } SA",),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("chaytor.DOM",),
    corrected_by="chaytor.SDRc",
)


@SDR.refutation
def a_sub_domain_of_three_values() -> Witness:
    """Three values, a part with the sub-domain of two, levels 1/10 and 1/2."""
    return Witness(
        parameters={"values": 3, "rho1": Fraction(1, 10), "rho2": Fraction(1, 2)},
        premises=("the worst prior is one on all values",),
        allowed=lambda _values, _rho1, rho2: rho2,
        actual=_most_lifted,
        sign="<",
        printed=Fraction(1, 2),
        true=Fraction(1),
        smaller=lambda: [(2, Fraction(1, 10), Fraction(1, 2))],
        count=1,
        order="the number of values of SA",
        perturbed="splu_ref.channels.breach:worst_prior larger",
        by_hand=(
            "A record with the value 2 cannot be in this part. So the property 'the value is 0 or 1', of "
            "prior 1/10, has the posterior 1 once the record is seen there."
        ),
    )


def _most_lifted(values: int, rho1: Fraction, rho2: Fraction) -> Fraction:
    """Return the largest posterior from rho1: values 0 and 1 are perturbed together, each other one alone."""
    keep = Levels(rho1, rho2).retention_limit(2) * Fraction(9, 10)
    rest = [retention(0, {value: 1}) for value in range(2, values)]
    channel = blocks([retention(keep, dict.fromkeys(range(2), Fraction(1, 2))), *rest])
    return worst_prior(channel, rho1).posterior


SDRC = Claim(
    id="chaytor.SDRc",
    module=__name__,
    source="corrects Chaytor, chapter 2, end of the publication algorithms",
    title="small domains: privacy within them, and less noise",
    statement=(
        r"\Pr[X \in SA_i] = 1\colon\ \text{no breach for } p_i < p_{m_i},\ m_i = |SA_i|;\qquad "
        r"\sigma^2_{\text{own}} = \frac{G(m_i-1)}{(G-1)^2},\ \sigma^2_{\text{other}} = "
        r"\frac{m_i+G-2}{(G-1)^2}"
    ),
    words=(
        "For an observer whose prior lies on the sub-domain the guarantee is that of uniform perturbation "
        "on it, and more is kept (chaytor.DOM). The utility claim holds too: at the limit of the retention "
        "the estimate of a value's count has the variance G(m-1)/(G-1)^2 for each record with the value and "
        "(m+G-2)/(G-1)^2 for each other one in the part, which both grow with m; records of parts without "
        "the value add nothing. Who thought other values possible learns that they are not, with certainty: "
        "sub-domains have to be as public before as after."
    ),
    hypotheses=(r"G > 1", r"m_i \ge 2"),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
    rests_on=("chaytor.OPTc", "chaytor.DOM"),
)


@SDRC.derivation
def the_variance_of_a_count() -> Derivation:
    """Divide the variance of one published value by the square of the retention."""
    return Derivation(
        setting=(
            "The count is estimated by (y - N q)/p, q = (1-p)/m; a record with the value is published with "
            "it with a = p + q, another one with q. At p = (G-1)/(m+G-1) these are G/(m+G-1) and 1/(m+G-1)."
        ),
        steps=(
            Identity(
                name="a record with the value",
                says="a (1-a)/p^2 = G (m-1)/(G-1)^2.",
                variables={"G": 2, "m": 2},
                left=lambda g, m: g / (m + g - 1) * (1 - g / (m + g - 1)) / ((g - 1) / (m + g - 1)) ** 2,
                right=lambda g, m: g * (m - 1) / (g - 1) ** 2,
            ),
            Identity(
                name="a record without it",
                says="q (1-q)/p^2 = (m+G-2)/(G-1)^2.",
                variables={"G": 2, "m": 2},
                left=lambda g, m: 1 / (m + g - 1) * (1 - 1 / (m + g - 1)) / ((g - 1) / (m + g - 1)) ** 2,
                right=lambda g, m: (m + g - 2) / (g - 1) ** 2,
            ),
        ),
        conclusion="Both grow with m, so a smaller domain has less noise from each record at the same G.",
    )


@SDRC.computation(cases=3, perturbed="splu_ref.channels.amplification_bounds:amplification doubled")
def parts_of_four_values() -> Comparisons:
    """Compare four values with two parts of two, at nine tenths of the limits for (1/10, 1/2)."""
    levels = Levels(Fraction(1, 10), Fraction(1, 2))
    found = []
    for size in (4, 2):
        keep = levels.retention_limit(size) * Fraction(9, 10)
        channel = retention(keep, dict.fromkeys(range(size), Fraction(1, size)))
        yield amplification(channel).ratio, "<", levels.amplification, f"{size} values"
        found.append(keep)
    yield (found, "=", [Fraction(3, 5), Fraction(18, 25)], f"{found}")
