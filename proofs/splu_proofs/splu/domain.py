"""splu.DOM, splu.DOMc: a published value does not leave every value of the domain possible."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction

from ..terms import (
    Case,
    Claim,
    Comparisons,
    Derivation,
    Gives,
    Grade,
    Identity,
    Kernel,
    Quantity,
    Relation,
    Status,
    Witness,
)
from ..worlds.histograms import greedy_groups, histograms

DOM = Claim(
    id="splu.DOM",
    module=__name__,
    source="Fu et al. 2014, §3.1, comparison with Anatomy",
    title="the possible values of a record",
    statement=r"\Pr[t.s = v \mid t'.s = w] > 0 \text{ for all values } v, w \text{ of the domain}",
    words=(
        "False when the plan is a function of the histogram, as the paper's is. A record published with w "
        "stands in a group that holds w, so a value that never shares a group with w is impossible. The "
        "smallest case: gamma = 2, counts (2, 1, 1), groups {0, 1} and {0, 2}; a record published with 1 "
        "cannot have 2. The histogram, from which the groups follow, is estimated by the published counts. "
        "A value with a single record leaves gamma possible values of m, so the factor between print and "
        "truth, m/gamma, has no bound."
    ),
    hypotheses=(r"\text{the plan follows from the histogram, which the adversary knows}",),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("splu.G",),
    corrected_by="splu.DOMc",
    tests=("tests/docs/test_witnesses.py::test_a_plan_rules_values_out",),
)

POSTERIOR = Relation(
    variables=("gamma", "f_w", "c(v,w)", "groups", "v", "w"),
    left=Quantity(
        r"\Pr[t.s = v \mid t'.s = w]", lambda gamma, _f, _c, groups, v, w: _posterior(gamma, groups, v, w)
    ),
    sign="=",
    right=lambda gamma, f, c, *_: c / (gamma * f),
    cases=lambda: (
        (gamma, histogram[w], sum(v in each and w in each for each in groups), groups, v, w)
        for gamma, histogram in ((2, (2, 1, 1)), (2, (3, 2, 2, 1)), (3, (2, 2, 1, 1)), (3, (3, 2, 2, 1, 1)))
        for groups in [tuple(greedy_groups(histogram, gamma))]
        for v in range(len(histogram))
        for w in range(len(histogram))
    ),
)


def _posterior(gamma: int, groups: tuple[tuple[int, ...], ...], v: int, w: int) -> Fraction:
    """Return how many of all draws that give w are made by records of v, record by record."""
    draws = [(own, drawn) for group in groups for own in group for drawn in group]
    return Fraction(draws.count((v, w)), sum(drawn == w for _, drawn in draws))


DOMC = Claim(
    id="splu.DOMc",
    module=__name__,
    source="corrects Fu et al. 2014, §3.1",
    title="the possible values of a record, by co-occurrence",
    statement=(
        rf"{POSTERIOR.latex},\quad c(v,w) = \#\{{\text{{groups holding }} v "
        r"\text{ and } w\};\qquad \#\{v : c(v,w) > 0\} \le 1+(\gamma-1)f_w"
    ),
    asserts=(POSTERIOR,),
    words=(
        "The posterior of a record published with w is the share of its groups: c(v, w), the number of "
        "groups that hold both values, over gamma f_w. It is zero for values never grouped with w. At most "
        "(gamma - 1) f_w values besides w are possible, so rare published values say most. What protects "
        "is not the number of possible values but that none has more than 1/gamma (splu.POST)."
    ),
    hypotheses=(
        (r"\gamma \mid N"),
        r"\text{the plan is known}",
        r"\text{the record is any one, equally likely}",
    ),
    status=Status.CORRECTED,
    grade=Grade.KERNEL,
    rests_on=("splu.S3", "splu.G"),
    licenses=("splu_ref.mechanisms.plans.plan",),
    tests=("tests/mechanisms/plans/test_co_occurrence.py::test_it_counts_the_groups_that_hold_both",),
    kernel=Kernel(
        theorems=(
            "Posterior.posterior_of_one_record",
            "Posterior.few_values_are_possible",
        ),
        covers="The whole statement, from the mechanism, for every plan and every table that it fits.",
    ),
)


@DOM.refutation
def smallest_counterexample() -> Witness:
    """At gamma = 2, counts (2, 1, 1): a record published with 1 cannot have the value 2."""
    return Witness(
        parameters={"gamma": 2, "counts": (2, 1, 1), "published": 1},
        premises=("the plan is computed from the counts",),
        allowed=lambda *_: Fraction(0),
        actual=lambda gamma, counts, w: Fraction(_impossible(greedy_groups(counts, gamma), len(counts), w)),
        sign="=",
        printed=Fraction(0),
        true=Fraction(1),
        smaller=cases_before_the_witness,
        count=7,
        order="N, then the number of values, over gamma >= 2 that divide N and all eligible counts",
        perturbed="splu_proofs.worlds.histograms:greedy_groups smaller",
        by_hand=(
            "The groups are {0, 1} and {0, 2}. Only records of {0, 1} can be published with 1, and they "
            "have the values 0 and 1. Printed: no value is impossible; true: one is, the value 2."
        ),
    )


def cases_before_the_witness() -> Iterator[Case]:
    """Generate N <= 3, and N = 4 with two values."""
    for total in range(2, 5):
        for histogram in histograms(total):
            for gamma in range(2, total + 1):
                if total % gamma or gamma * max(histogram) > total or (total == 4 and len(histogram) > 2):
                    continue
                yield from ((gamma, histogram, w) for w in range(len(histogram)))


def _impossible(groups: list[tuple[int, ...]], values: int, w: int) -> int:
    return sum(all(not {v, w} <= set(group) for group in groups) for v in range(values))


@DOM.computation(
    cases=120,
    perturbed=(
        "splu_proofs.splu.domain:_impossible larger",
        "splu_proofs.worlds.histograms:greedy_groups larger",
    ),
)
def how_few_are_possible() -> Comparisons:
    """Count the possible values of a record of a value with one record, for m values once each."""
    for gamma in (2, 5):
        for values in (10, 50):
            groups = greedy_groups((1,) * values, gamma)
            for w in range(values):
                yield (values - _impossible(groups, values, w), "=", gamma, f"{gamma}, {values}")


@DOM.enumeration(
    cases=5,
    perturbed=(
        "splu_ref.mechanisms.plans.plan:RunLengthPlan.groups larger",
        "splu_proofs.worlds.watched:plan_groups larger",
    ),
)
def the_real_table() -> Comparisons:
    """Count the pairs of occupations that never share a group, in the embedded table."""
    from splu_ref.data import embedded_table  # noqa: PLC0415  it loads polars
    from splu_ref.data.reading import EMBEDDED_SENSITIVE  # noqa: PLC0415  only runs need it

    from ..worlds import watched  # noqa: PLC0415  it loads numpy and the library

    counts = sorted(embedded_table().histogram(EMBEDDED_SENSITIVE).tolist())
    yield len(counts), "=", 14, "occupations, of which there are 91 pairs"
    for name, gamma, apart in (("anatomy", 2, 69), ("cyclic", 2, 77), ("anatomy", 5, 16), ("cyclic", 5, 38)):
        kept = [*counts[:-1], counts[-1] - sum(counts) % gamma]
        groups = Counter(watched.plan_groups(name, tuple(kept), gamma))
        never = sum(
            all(not {v, w} <= set(group) for group in groups) for v in range(len(kept)) for w in range(v)
        )
        yield never, "=", apart, f"pairs that never share a group, {name} plan, gamma = {gamma}"


@DOMC.derivation
def bayes_over_groups() -> Derivation:
    """Count, among N equally likely records, those that have v and are published with w."""
    return Derivation(
        setting=(
            "f is the number of groups that hold w, c of those hold v. A record of such a group has the "
            "value v in c cases and publishes w with probability 1/gamma."
        ),
        steps=(
            Identity(
                name="published with w",
                says="The f records of w and the (gamma-1) f others of its groups, 1/gamma each: f/N in all.",
                variables={"gamma": 2, "f": 1, "n": 1},
                left=lambda gamma, f, n: f / gamma / n + (gamma - 1) * f / gamma / n,
                right=lambda _gamma, f, n: f / n,
            ),
            Identity(
                name="Bayes",
                says=(
                    "c records of v publish w with 1/gamma: c (1/gamma)/N over all that publish w is "
                    "c/(gamma f)."
                ),
                variables={"gamma": 2, "f": 1, "n": 1, "c": 0},
                left=lambda gamma, f, n, c: (c / gamma / n) / (f / gamma / n + (gamma - 1) * f / gamma / n),
                right=lambda gamma, f, _n, c: c / (gamma * f),
            ),
        ),
        conclusion=(
            "Pr[true = v | published = w] = c/(gamma f), zero exactly where no group holds both. The f "
            "groups of w hold gamma - 1 other values each, so at most (gamma-1) f other values are possible."
        ),
        gives=(
            Gives(
                relation=POSTERIOR,
                step="Bayes",
                of="right",
                at=lambda gamma, f, c, groups, _v, _w: (gamma, f, gamma * len(groups), c),
            ),
        ),
    )


@DOMC.enumeration(
    cases=104,
    perturbed=(
        "splu_ref.mechanisms.plans.plan:DecoyPlan.published reversed",
        "splu_proofs.worlds.watched:_Watched.published reversed",
    ),
)
def the_shipped_release_has_this_posterior() -> Comparisons:
    """Compute the posterior from every outcome, with both plans, and compare c/(gamma f)."""
    from ..worlds import watched  # noqa: PLC0415  it loads numpy and the library

    for name in watched.NAMES:
        for gamma, histogram in (
            (2, (2, 1, 1)),
            (2, (1, 1, 1, 1)),
            (2, (3, 2, 1)),
            (3, (1, 1, 1)),
            (2, (2, 2, 2)),
        ):
            codes = tuple(value for value, count in enumerate(histogram) for _ in range(count))
            groups = watched.plan_groups(name, histogram, gamma)
            joint: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
            for seen, probability in watched.seen(name, codes, gamma):
                for true, published in zip(codes, seen.published, strict=True):
                    joint[true, published] += probability
            for v, _ in enumerate(histogram):
                for w, f in enumerate(histogram):
                    together = sum({v, w} <= set(group) for group in groups)
                    posterior = joint[v, w] / sum(joint[u, w] for u in range(len(histogram)))
                    yield (
                        posterior,
                        "=",
                        Fraction(together, gamma * f),
                        f"{name}, {histogram}: {v} given {w}",
                    )
