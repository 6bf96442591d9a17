"""olap.D45, olap.SET: breaches of one set, and why single published values decide."""

from __future__ import annotations

from fractions import Fraction

from splu_ref.channels import most_informative_output, posterior_within, retention

from ..terms import Claim, Comparisons, Derivation, Grade, Inequality, Status
from ..worlds.histograms import spreads

D45 = Claim(
    id="olap.D45",
    module=__name__,
    source="Agrawal et al. 2005, §5.1, Definitions 4 and 5",
    title="breaches with and without a relative prior",
    statement=(
        r"(\rho_1,\rho_2)\colon\ \Pr[X \in Q] \le \rho_1,\ \Pr[X \in Q \mid Y \in S] \ge \rho_2;\qquad "
        r"(s,\rho_1,\rho_2)\colon\ \frac{p_S}{m_S} < s,\ p_S \le \rho_1,\ "
        r"\Pr[X \in S \mid Y \in S] \ge \rho_2"
    ),
    words=(
        "A (rho1, rho2) breach is a property Q of the true value with a prior of at most rho1 and a "
        "posterior of at least rho2 once the published value is known to lie in some set S. An (s, rho1, "
        "rho2) breach asks for one set alone: the property and the observation are the same S, whose prior "
        "is less than s times its share m_S of the replacements. A posterior of exactly rho2 is a breach; a "
        "relative prior of exactly s is not below s. The two observations differ: with the values 0, 1, 2, "
        "priors 1/2, 0, 1/2 and p = 1/2, S = {0, 1} is less likely given that the published value lies in S, "
        "5/7, than that it is 0, 4/5."
    ),
    hypotheses=(r"0 < \rho_1 < \rho_2 < 1", r"\Pr[Y \in S] > 0"),
    status=Status.DEFINITION,
    grade=None,
    licenses=("splu_ref.channels.breach:Levels", "splu_ref.channels.set_breach"),
    tests=("tests/channels/test_set_breach.py::test_one_set_is_read_off_the_channel",),
)


@D45.computation(cases=1, perturbed="splu_ref.channels.set_breach:most_informative_output larger")
def the_two_observations_differ() -> Comparisons:
    """Three values, uniform replacement, p = 1/2: the set against its most informative value."""
    channel = retention("1/2", dict.fromkeys(range(3), Fraction(1, 3)))
    prior = {0: Fraction(1, 2), 2: Fraction(1, 2)}
    within, free = posterior_within(channel, prior, (0, 1)), most_informative_output(channel, prior, (0, 1))
    yield (
        (within, free.posterior, free.published),
        "=",
        (Fraction(5, 7), Fraction(4, 5), 0),
        "other posteriors",
    )


SET = Claim(
    id="olap.SET",
    module=__name__,
    source="new: what §5.1 leaves open by observing a set",
    title="a set of published values discloses no more than one of them",
    statement=r"\Pr[X \in Q \mid Y \in S] \le \max_{v \in S} \Pr[X \in Q \mid Y = v]",
    words=(
        "That the published value lies in a set discloses no more of any property than the most informative "
        "value of the set: the posterior given the set is a mean of theirs. So a (rho1, rho2) breach exists "
        "for some set of published values exactly if it exists for a single one."
    ),
    hypotheses=(r"\Pr[Y \in S] > 0", r"\text{the maximum is over } v \text{ that occur}"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("olap.D45",),
    licenses=(
        "splu_ref.channels.breach:worst_property",
        "splu_ref.channels.set_breach:most_informative_output",
    ),
    tests=("tests/channels/test_set_breach.py::test_one_set_is_read_off_the_channel",),
)


@SET.derivation
def a_mean_of_posteriors() -> Derivation:
    """Weigh the posterior of each value by its chance."""
    return Derivation(
        setting=(
            "s and t are the chances, in whole units, that the published value is one or another of S, u "
            "and v the posteriors of Q given each, also in whole units, and w is at least u and v. The "
            "posterior given both is (s u + t v)/(s + t). A larger S is joined value by value."
        ),
        steps=(
            Inequality(
                name="a mean of two",
                says="w (s + t) >= s u + t v.",
                variables=("s", "t", "u", "v", "w"),
                given=lambda s, t, u, v, w: (s, t, w - u, w - v, w),
                slack=lambda s, t, c, d, w: (s, t, w - c, w - d, w),
                then=lambda s, t, u, v, w: w * (s + t) - s * u - t * v,
            ),
        ),
        conclusion="Value by value, the posterior given S is at most the largest of the single ones.",
    )


@SET.computation(cases=360, perturbed="splu_ref.channels.set_breach:most_informative_output smaller")
def every_set_in_small_channels() -> Comparisons:
    """Compare posteriors over all priors of 4 records on 3 values, two laws and all sets."""
    for weights in ((1, 1, 1), (1, 2, 3)):
        law = {value: Fraction(weight, sum(weights)) for value, weight in enumerate(weights)}
        for p in (Fraction(1, 5), Fraction(1, 2)):
            channel = retention(p, law)
            for counts in spreads(4, 3):
                prior = {value: Fraction(count, 4) for value, count in enumerate(counts)}
                for members in range(1, 7):
                    secret = [value for value in range(3) if members >> value & 1]
                    free = most_informative_output(channel, prior, secret)
                    within = posterior_within(channel, prior, secret)
                    yield (within, "<=", free.posterior, f"{counts}, {secret}: the set discloses more")
