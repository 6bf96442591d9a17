"""splu.POST: what a release says about one record, to a reader without knowledge of who is who."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import permutations
from math import factorial

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Inequality, Kernel, Status

POST = Claim(
    id="splu.POST",
    module=__name__,
    source="Fu et al. 2014, §3.1, step 3 (p = q = 1/γ) and §3",
    title="the posterior of one record",
    statement=(
        r"\Pr[t.s = w \mid t'.s = w] = \tfrac1\gamma,\qquad \Pr[t.s = v \mid t'.s = w] = "
        r"\frac{c(v,w)}{\gamma f_w}\le\tfrac1\gamma;\qquad \Pr[t.s = v \mid D', \text{groups}] = "
        r"\tfrac1\gamma"
    ),
    words=(
        "True, and it is good news. A record published with a value has that value with probability "
        "exactly 1/gamma, and any other value with probability at most 1/gamma. More holds: even if all of "
        "D' and all groups were known, the release would be independent of which record of a group holds "
        "which of its values, so under every prior that is exchangeable within groups each record has each "
        "value of its group with probability 1/gamma. What is excluded is knowledge that sets records of "
        "one group apart, such as a person's look or age being linked with the value: that knowledge keeps "
        "its full weight."
    ),
    hypotheses=(
        r"\gamma \mid N",
        r"\text{order within values uniformly random, draws independent and uniform}",
        r"\text{prior exchangeable within groups}",
    ),
    status=Status.PROVED,
    grade=Grade.KERNEL,
    rests_on=("splu.S3", "splu.DOMc"),
    licenses=("splu_ref.mechanisms.splu_gen", "splu_ref.mechanisms.plans.plan"),
    tests=(
        "tests/docs/test_witnesses.py::test_the_published_value_is_the_own_one_with_probability_one_in_gamma",
    ),
    kernel=Kernel(
        theorems=(
            "Mechanism.published_value_law",
            "Posterior.posterior_of_one_record",
            "Posterior.posterior_of_the_published_value",
            "Posterior.posterior_of_any_value",
            "Posterior.posterior_given_the_groups",
        ),
        covers=(
            "The whole statement, for every plan and every table that it fits, with probabilities as shares "
            "of all orders and draws: the law of one draw; the posterior of a record drawn from the table; "
            "and 1/gamma given the groups and all published values, under every rational prior that does not "
            "change when two records of a group exchange their values."
        ),
        leaves=(
            "What follows for a reader who does not know the groups, in the second derivation. Coq does not "
            "read the code: the enumerations do."
        ),
    ),
)


@POST.derivation
def one_record() -> Derivation:
    """Count the records that are published with w, by their true value."""
    return Derivation(
        setting=(
            "c(v, w) is the number of groups that hold both v and w, so c(w, w) = f, the number of records "
            "of w. By splu.DOMc the posterior of v is c(v, w)/(gamma f)."
        ),
        steps=(
            Identity(
                name="the published value",
                says=(
                    "The (gamma-1) f other members of the groups of w share 1 - 1/gamma: 1/gamma is left "
                    "for w."
                ),
                variables={"gamma": 2, "f": 1},
                left=lambda gamma, f: 1 - (gamma - 1) * f / (gamma * f),
                right=lambda gamma, _f: 1 / gamma,
            ),
            Inequality(
                name="any other value",
                says=(
                    "A group holds w at most once, so at most f groups hold v and w: gamma f - gamma c >= 0."
                ),
                variables=("gamma", "f", "c"),
                given=lambda gamma, f, c: (gamma - 2, f - c, c),
                slack=lambda g, d, c: (g + 2, d + c, c),
                then=lambda gamma, f, c: gamma * f - gamma * c,
            ),
        ),
        conclusion="1/gamma for the published value; c/(gamma f) <= 1/gamma for every other.",
    )


@POST.derivation
def the_whole_release_and_the_groups() -> Derivation:
    """Give every assignment of values to records that fits the groups the same likelihood."""
    return Derivation(
        setting=(
            "An assignment says which record has which value. Given the assignment, every order of the f_v "
            "records of each value is equally likely, and just one order of each value leads to given "
            "groups, as the k-th record of a value stands in the k-th group that holds it. Given the "
            "groups, every record publishes one of the gamma values of its group, each equally likely, "
            "whatever its true value. F is the product of the f_v!, G = gamma^N, H = (gamma-1)!, K the "
            "number of arrangements of all other groups; the shuffle is independent of everything."
        ),
        steps=(
            Inequality(
                name="when the groups are not known",
                says=(
                    "The posterior is then a mean over groups. In whole units, if gamma u <= a and gamma v "
                    "<= b then gamma (u + v) <= a + b: a mean of numbers that are 0 or 1/gamma is at most "
                    "1/gamma."
                ),
                variables=("gamma", "u", "v", "a", "b"),
                given=lambda gamma, u, v, a, b: (gamma - 2, u, v, a - gamma * u, b - gamma * v),
                slack=lambda g, u, v, s, t: (g + 2, u, v, s + (g + 2) * u, t + (g + 2) * v),
                then=lambda gamma, u, v, a, b: a + b - gamma * (u + v),
            ),
        ),
        conclusion=(
            "Two assignments that fit the same groups have the same histogram, so the same F, and the groups "
            "and D' together have the probability (1/F)(1/G) under both. The posterior of an assignment is "
            "its prior among those that fit. If the prior does not change when records of a group exchange "
            "their values, all arrangements within a group are equally likely: H K of the gamma H K give a "
            "record a value of its group, 1/gamma. If the groups are not known and the prior does not change "
            "under any exchange, no value has more than 1/gamma."
        ),
    )


WORLDS = ((2, (1, 1)), (2, (2, 1, 1)), (2, (2, 2)), (2, (1, 1, 1, 1)), (3, (1, 1, 1)))


@POST.enumeration(
    cases=3758,
    perturbed=(
        "splu_ref.mechanisms.plans.plan:DecoyPlan.blocks smaller",
        "splu_proofs.worlds.watched:plan_groups reversed",
    ),
)
def the_release_is_silent_within_groups() -> Comparisons:
    """Publish every table with a histogram over every outcome, with both plans, the groups in view."""
    from ..worlds import watched  # noqa: PLC0415  it loads numpy and the library

    for name in watched.NAMES:
        for gamma, histogram in WORLDS:
            likelihood: dict[watched.Seen, dict[tuple[int, ...], Fraction]] = defaultdict(
                lambda: defaultdict(Fraction)
            )
            values = [value for value, count in enumerate(histogram) for _ in range(count)]
            for codes in sorted(set(permutations(values))):
                for seen, probability in watched.seen(name, codes, gamma):
                    likelihood[seen][codes] += probability
            groups = watched.plan_groups(name, histogram, gamma)
            for seen, fitting in likelihood.items():
                where = f"{name}, gamma = {gamma}, {histogram}, {seen}"
                yield (len(set(fitting.values())), "=", 1, f"{where}: some assignments are likelier")
                yield (
                    len(fitting),
                    "=",
                    factorial(gamma) ** len(groups),
                    f"{where}: an assignment is missing",
                )
                for record, number in enumerate(seen.group_of):
                    shares = Counter(codes[record] for codes in fitting)
                    expected = {value: len(fitting) // gamma for value in groups[number]}
                    yield (shares, "=", expected, f"{where}: record {record} is not uniform over its group")


@POST.enumeration(
    cases=112,
    perturbed=(
        "splu_ref.mechanisms.plans.plan:DecoyPlan.blocks larger",
        "splu_proofs.worlds.watched:seen larger",
        "splu_ref.channels.parameters:retention_probability smaller",
    ),
)
def one_record_in_the_shipped_release() -> Comparisons:
    """Compute Pr[true = v | published = w] from every outcome, with both plans."""
    from ..worlds import watched  # noqa: PLC0415  it loads numpy and the library

    for name in watched.NAMES:
        for gamma, histogram in WORLDS:
            codes = tuple(value for value, count in enumerate(histogram) for _ in range(count))
            joint: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
            for seen, probability in watched.seen(name, codes, gamma):
                for true, published in zip(codes, seen.published, strict=True):
                    joint[true, published] += probability
            for w in range(len(histogram)):
                total = sum(joint[v, w] for v in range(len(histogram)))
                yield (
                    joint[w, w],
                    "=",
                    total / gamma,
                    f"{name}, {histogram}: the value {w} is not kept in 1/gamma",
                )
                for v in range(len(histogram)):
                    yield (joint[v, w], "<=", joint[w, w], f"{histogram}: more than 1/gamma")
