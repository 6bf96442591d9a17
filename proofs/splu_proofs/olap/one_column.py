"""olap.T4, olap.T4r, olap.T4c: one column, a set seen in itself, and a set seen through one of its values."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from splu_ref.channels import (
    Levels,
    most_informative_output,
    posterior,
    posterior_within,
    retained_posterior,
    retention,
    set_retention_limit,
)

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
from ..worlds.histograms import spreads

P, RHO1, RHO2 = Fraction(1, 5), Fraction(1, 10), Fraction(19, 20)
"""The retention and the levels of the paper's examples."""
RARE = Fraction(937, 1000)
"""The level at which rare sets are said to be safe."""


def _seen_within(p: Fraction, own: Fraction, m: Fraction) -> Fraction:
    """Return Pr[X in S | Y in S] from the matrix of two states, the set and the rest."""
    channel = retention(p, {True: m, False: 1 - m})
    return posterior_within(channel, {True: own, False: 1 - own}, [True])


WITHIN = Relation(
    variables=("p", "p_S", "m_S"),
    left=Quantity(r"\Pr[X \in S \mid Y \in S]", _seen_within),
    sign="=",
    right=lambda p, own, m: own * (p + (1 - p) * m) / (p * own + (1 - p) * m),
    cases=lambda: (
        (Fraction(a, 5), Fraction(b, 7), Fraction(c, 6)) for a in (1, 4) for b in (1, 3, 7) for c in (1, 2, 5)
    ),
)

T4 = Claim(
    id="olap.T4",
    module=__name__,
    source="Agrawal et al. 2005, §5.1, Theorem 4",
    title="no breach of a set with a small relative prior",
    statement=(
        rf"{WITHIN.latex};\qquad s < \frac{{(\rho_2-\rho_1)(1-p)}}{{(1-\rho_2)p}} \;\Longrightarrow\; "
        r"\text{no } (s,\rho_1,\rho_2) \text{ breach}"
    ),
    asserts=(WITHIN,),
    words=(
        "True, and the bound is sharp: a set of prior rho1 whose relative prior is the bound has a posterior "
        "of exactly rho2. A breach needs a relative prior below s, so s may also equal the bound. This is "
        "what the paper's example needs: at p = 1/5 and levels 1/10 and 19/20 the bound is exactly 68, and "
        "there is no (68, .1, .95) breach, which the theorem's strict inequality alone does not give. For "
        "rare sets, s = 1, the level is 15/16 = .9375, again for a set seen in itself: see olap.T4r."
    ),
    hypotheses=(r"0 < p < 1", r"\text{the published value is known to lie in } S, \text{ and no more}"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("olap.D45",),
    licenses=(
        "splu_ref.channels.set_breach:retained_posterior",
        "splu_ref.channels.set_breach:set_retention_limit",
    ),
    tests=(
        "tests/channels/test_set_breach.py::test_a_set_of_relative_prior_s",
        "tests/channels/test_set_breach.py::test_the_numbers_of_the_paper",
    ),
)


@T4.derivation
def the_posterior_of_the_set() -> Derivation:
    """Write the posterior by Bayes, and compare it with the level."""
    return Derivation(
        setting=(
            "P = p_S and m = m_S. A value of S is published in S with p + (1-p) m, any other with (1-p) m. "
            "r is rho2, l is rho1, and P <= l < r < 1."
        ),
        steps=(
            Identity(
                name="Bayes",
                says="P (p + (1-p) m) over that and (1-P) (1-p) m.",
                variables={"p": 1, "P": 9, "m": 1},
                left=lambda p, own, m: (
                    own * (p + (1 - p) * m) / (own * (p + (1 - p) * m) + (1 - own) * ((1 - p) * m))
                ),
                right=lambda p, own, m: own * (p + (1 - p) * m) / (p * own + (1 - p) * m),
            ),
            Identity(
                name="above the level",
                says="Its excess over r has the sign of p (1-r) P - (1-p) m (r - P).",
                variables={"p": 1, "P": 9, "m": 1, "r": 0},
                left=lambda p, own, m, r: own * (p + (1 - p) * m) / (p * own + (1 - p) * m) - r,
                right=lambda p, own, m, r: (
                    (p * (1 - r) * own - (1 - p) * m * (r - own)) / (p * own + (1 - p) * m)
                ),
            ),
            Identity(
                name="the bound falls with the prior",
                says="(r-P)(1-p)/((1-r)p) is the bound at P = l and (l-P)(1-p)/((1-r)p) >= 0 more.",
                variables={"p": 1, "P": 0, "l": 0, "r": 2},
                left=lambda p, own, low, r: (
                    (r - own) * (1 - p) / ((1 - r) * p) - (r - low) * (1 - p) / ((1 - r) * p)
                ),
                right=lambda p, own, low, r: (low - own) * (1 - p) / ((1 - r) * p),
            ),
        ),
        conclusion=(
            "The posterior is at least r exactly if P/m >= (r-P)(1-p)/((1-r)p), which is at least "
            "(r-l)(1-p)/((1-r)p). A relative prior below s, and s at most this bound, allow no breach; at "
            "P = l and a relative prior of the bound the posterior is r."
        ),
        gives=(Gives(relation=WITHIN, step="Bayes", of="right", at=lambda p, own, m: (p, own, m)),),
    )


@T4.computation(cases=304, perturbed="splu_ref.channels.set_breach:retained_posterior larger")
def the_examples() -> Comparisons:
    """Find the bound at p = 1/5 for levels (1/10, 19/20), and the level of rare sets."""
    levels = Levels(RHO1, RHO2)
    bound = (levels.rho2 - levels.rho1) * (1 - P) / ((1 - levels.rho2) * P)
    yield (bound, "=", 68, f"the bound is {bound}")
    yield (set_retention_limit(68, levels), "=", P, f"the bound is {bound}")
    yield (retained_posterior(P, RHO1, RHO1 / 68), "=", RHO2, "at the bound the posterior is not the level")
    for parts in range(1, 101):
        own = RHO1 * Fraction(parts, 100)
        for relative in (Fraction(679, 10), Fraction(10), Fraction(1)):
            yield (retained_posterior(P, own, own / relative), "<", RHO2, f"{own}, {relative}: a breach")
    yield (set_retention_limit(1, Levels(Fraction(15, 16), RHO2)), "=", P, "the level of rare sets")


T4R = Claim(
    id="olap.T4r",
    module=__name__,
    source="Agrawal et al. 2005, §5.1, after Theorem 4",
    title="rare sets in the original model",
    statement=(
        r"p_Q/m_Q < 1,\ \Pr[X \in Q] \le .937 \;\Longrightarrow\; \Pr[X \in Q \mid Y \in S] < .95 \text{ for "
        r"every } S,\qquad p = .2"
    ),
    words=(
        "False. The original model leaves the observation free, and a rare set may hold a value that is not "
        "rare. With eight values and 15 records, 13 of which have the value 0 and two the value 7, the set "
        "of all values but 7 is rare, 13/15 against 7/8. Seen in itself it has the posterior 117/131 = "
        ".893, but the published value 0 lifts it to 39/41 = .951. Theorem 4 speaks of a set that is seen "
        "in itself."
    ),
    hypotheses=(r"\text{uniform replacement}",),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("olap.D45", "olap.T4"),
    corrected_by="olap.T4c",
    tests=(
        "tests/docs/test_witnesses.py::test_a_rare_set_with_a_frequent_value",
        "tests/channels/test_set_breach.py::test_a_rare_set_can_be_seen_through_one_of_its_values",
    ),
)


@T4R.refutation
def the_smallest_rare_set_with_a_breach() -> Witness:
    """Eight values and 15 records: all values but one are rare, and a breach."""
    return Witness(
        parameters={"values": 8, "records": 15},
        premises=("the channel is uniform replacement with p = 1/5",),
        allowed=lambda *_: RHO2,
        actual=_most_exposed,
        sign="<",
        printed=RHO2,
        true=Fraction(39, 41),
        smaller=lambda: product(range(2, 9), range(1, 15)),
        count=98,
        order=(
            "the number of values, then of records; with fewer values more records do not help, as "
            "fewer_values_under_every_prior computes"
        ),
        perturbed="splu_ref.channels.channel:Channel.inputs larger",
        by_hand=(
            "Published as 0 are 13/15 (1/5 + 4/5 * 1/8) + 2/15 * 4/5 * 1/8 = 41/150 of all, and of them "
            "13/15 (1/5 + 1/10) = 39/150 have the value 0, which lies in Q. The prior of Q is 13/15 = .867 "
            "<= .937, and 13/15 < 7/8. A posterior of 19/20 is a breach."
        ),
    )


@T4R.computation(cases=7, perturbed="values + 80 => values + 90")
def fewer_values_under_every_prior() -> Comparisons:
    """Show that no prior breaches with fewer than eight values, however many records there are.

    The posterior (p c + (1-p) Q/m)/(p c + (1-p)/m), c the share of the value that is seen, is at least 19/20
    exactly if m c >= 80 (19/20 - Q). As c <= Q, that needs Q >= 76/(m + 80); and a rare set of at most m - 1
    values has Q < (m-1)/m.
    """
    for values in range(2, 8):
        needed, largest = Fraction(76, values + 80), Fraction(values - 1, values)
        yield needed, ">=", largest, f"probability of Q at {values} values"
    yield Fraction(76, 8 + 80), "<", Fraction(7, 8), "probability of Q at 8 values"


def _most_exposed(values: int, records: int) -> Fraction:
    """Return the largest posterior of a rare set of prior at most .937, seen through one of its values."""
    channel = retention(P, dict.fromkeys(range(values), Fraction(1, values)))
    worst = Fraction(0)
    for size in range(1, values):
        for inside in range(1, records + 1):
            own = Fraction(inside, records)
            if own >= Fraction(size, values) or own > RARE:
                continue
            for seen in range(1, inside + 1):
                if seen < inside and size == 1:
                    continue
                prior = {0: Fraction(seen, records), values - 1: 1 - own}
                if size > 1:
                    prior[1] = own - prior[0]
                worst = max(worst, most_informative_output(channel, prior, range(size)).posterior)
    return worst


@T4R.computation(cases=9, perturbed="splu_ref.channels.elementary:retention larger")
def more_can_be_seen_with_more_values() -> Comparisons:
    """Compute how far rare sets are lifted by their most frequent value, for domains of up to 1,000."""
    for values in (8, 100, 1000):
        own = min(RARE, Fraction(values - 1, values) - Fraction(1, 10**6))
        law = {0: Fraction(1, values), 1: Fraction(values - 2, values), 2: Fraction(1, values)}
        derived = most_informative_output(retention(P, law), {0: own, 2: 1 - own}, (0, 1))
        yield (derived.published, "=", 0, "not a rare set")
        yield (own, "<", Fraction(values - 1, values), "not a rare set")
        yield (derived.posterior, ">", RHO2, f"{values} values: no breach")


def _seen_through(p: Fraction, own: Fraction, of_set: Fraction, g: Fraction) -> Fraction:
    """Return Pr[X in Q | Y = v] from a matrix of three states: v, the rest of Q, and all else."""
    law = {"v": g, "rest": (1 - g) / 2, "else": (1 - g) / 2}
    prior = {"v": own, "rest": of_set - own, "else": 1 - of_set}
    found = posterior(retention(p, law), prior, "v")
    return found.get("v", Fraction(0)) + found.get("rest", Fraction(0))


THROUGH = Relation(
    variables=("p", r"\pi_v", r"\pi_Q", "g_v"),
    left=Quantity(r"\Pr[X \in Q \mid Y = v]", _seen_through),
    sign="=",
    right=lambda p, own, of_set, g: (p * own + (1 - p) * g * of_set) / (p * own + (1 - p) * g),
    cases=lambda: (
        (Fraction(a, 5), Fraction(b, 12), Fraction(c, 12), Fraction(1, d))
        for a in (1, 3) for b in (0, 1, 3) for c in (3, 8, 12) for d in (2, 9)
    ),
)  # fmt: skip

T4C = Claim(
    id="olap.T4c",
    module=__name__,
    source="corrects Agrawal et al. 2005, §5.1, after Theorem 4",
    title="a set is as exposed as its most frequent value",
    statement=(
        rf"v \in Q\colon\ {THROUGH.latex} \ge \rho_2 \iff \frac{{\pi_v}}{{g_v}} \ge "
        r"\frac{(\rho_2-\pi_Q)(1-p)}{(1-\rho_2)p}"
    ),
    asserts=(THROUGH,),
    words=(
        "With the observation left free, what counts is the relative prior pi_v/g_v of single values of the "
        "set, not that of the set: a property Q of prior at most rho1 has no breach if no value of it has a "
        "relative prior of (rho2-rho1)(1-p)/((1-rho2)p) or more, and it has one if a value reaches this "
        "bound with the prior of Q for rho1. Values outside of Q lower its posterior, and a set of "
        "published values discloses no more than one. So the paper's sentence holds for sets all of whose "
        "values are rare: at p = 1/5 they have no (15/16, .95) breach with pi_v/g_v < 1."
    ),
    hypotheses=(r"0 < p < 1", r"g_v > 0", r"\pi_Q < \rho_2 < 1"),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
    rests_on=("olap.D45", "olap.SET"),
    licenses=(
        "splu_ref.channels.set_breach:most_informative_output",
        "splu_ref.channels.breach:retention_limit_for",
    ),
    tests=(
        "tests/channels/test_breach.py::test_the_limit_for_a_prior_is_where_its_first_breach_is",
        "tests/channels/test_set_breach.py::test_one_set_is_read_off_the_channel",
    ),
)


@T4C.derivation
def one_value_is_seen() -> Derivation:
    """Write the posterior of the set once one value is seen, inside of it and outside."""
    return Derivation(
        setting=(
            "c = pi_v is the prior of the value that is seen, g its share of the replacements, Q the prior "
            "of the set, r = rho2. The chance to see v is p c + (1-p) g."
        ),
        steps=(
            Identity(
                name="a value of the set",
                says="c (p + (1-p) g) + (Q - c) (1-p) g over the same with 1 for Q.",
                variables={"p": 1, "c": 9, "Q": 0, "g": 1},
                left=lambda p, c, q, g: (
                    (c * (p + (1 - p) * g) + (q - c) * (1 - p) * g)
                    / (c * (p + (1 - p) * g) + (1 - c) * (1 - p) * g)
                ),
                right=lambda p, c, q, g: (p * c + (1 - p) * g * q) / (p * c + (1 - p) * g),
            ),
            Identity(
                name="above the level",
                says="Its excess over r has the sign of p (1-r) c - (1-p) g (r - Q).",
                variables={"p": 1, "c": 9, "Q": 0, "g": 1, "r": 0},
                left=lambda p, c, q, g, r: (p * c + (1 - p) * g * q) / (p * c + (1 - p) * g) - r,
                right=lambda p, c, q, g, r: (p * (1 - r) * c - (1 - p) * g * (r - q)) / (p * c + (1 - p) * g),
            ),
            Identity(
                name="a value of no use",
                says="Outside of the set, (1-p) g Q/(p c + (1-p) g) is Q less p c Q/(p c + (1-p) g) >= 0.",
                variables={"p": 1, "c": 9, "Q": 0, "g": 1},
                left=lambda p, c, q, g: (1 - p) * g * q / (p * c + (1 - p) * g),
                right=lambda p, c, q, g: q - p * c * q / (p * c + (1 - p) * g),
            ),
        ),
        conclusion=(
            "Only a value of Q can lift it to r, exactly if c/g >= (r-Q)(1-p)/((1-r)p), which for Q <= rho1 "
            "is at least the same with rho1. By olap.SET a set of published values does no more."
        ),
        gives=(
            Gives(
                relation=THROUGH, step="a value of the set", of="right", at=lambda p, c, q, g: (p, c, q, g)
            ),
        ),
    )


@T4C.computation(cases=1700, perturbed="splu_ref.channels.set_breach:most_informative_output larger")
def every_set_of_small_priors() -> Comparisons:
    """Decide all sets under all priors of 6 records on 4 values by their values and by the matrix."""
    p, rho2 = Fraction(1, 2), Fraction(3, 4)
    for weights in ((1, 1, 1, 1), (1, 2, 3, 4)):
        law = {value: Fraction(weight, sum(weights)) for value, weight in enumerate(weights)}
        channel = retention(p, law)
        for counts in spreads(6, 4):
            prior = {value: Fraction(count, 6) for value, count in enumerate(counts)}
            for members in range(1, 15):
                secret = [value for value in range(4) if members >> value & 1]
                own = sum((prior[value] for value in secret), Fraction(0))
                if own >= rho2:
                    continue
                bound = (rho2 - own) * (1 - p) / ((1 - rho2) * p)
                expected = any(prior[value] / law[value] >= bound for value in secret)
                found = most_informative_output(channel, prior, secret).posterior >= rho2
                yield (found, "=", expected, f"{counts}, {weights}: {secret}")
