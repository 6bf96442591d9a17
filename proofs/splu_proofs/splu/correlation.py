"""splu.C: retention does not by itself keep the association with other attributes."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

from ..terms import Claim, Comparisons, Grade, Status, Witness
from ..worlds.histograms import greedy_groups, histograms
from .covariance import kept

C = Claim(
    id="splu.C",
    module=__name__,
    source="Fu et al. 2014, §3.1, comparison with retention replacement perturbation",
    title="correlation with other attributes",
    statement=(
        r"p = \tfrac1\gamma:\quad \operatorname{Cov} - \operatorname{E}\operatorname{Cov}' \le (1-p)"
        r"\operatorname{Cov},\qquad \operatorname{Cov} = \tfrac{x_3}{N} - \tfrac{n}{N}\tfrac{f}{N} \ge 0"
    ),
    words=(
        "False. Retention is said to maintain the correlation of sensitive and other attributes; read as "
        "modestly as possible, a share p = 1/gamma of the covariance between a predicate P and a sensitive "
        "value s should remain. With gamma values at N/gamma each, every group holds all values, every "
        "published value is uniform whatever the true one was, and nothing remains. The smallest case has "
        "two records. For a fixed plan and a predicate that follows the plan's groups anything can happen: "
        "counts (1, 1, 1, 1), gamma = 2, P = the record of value 1, s = 0 turns a covariance of -1/16 into "
        "one of +1/16; counts (2, 2, 2, 2), P = one record of 0 and all of 2 and 3, s = 0 turns -1/32 into "
        "-3/32."
    ),
    hypotheses=(r"\gamma \mid N", r"\gamma f \le N"),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("splu.S3", "splu.G"),
    corrected_by="splu.Cc",
    tests=(
        "tests/docs/test_witnesses.py::test_every_group_holds_every_value_when_all_are_as_frequent_as_allowed",
    ),
)


def covariances(
    histogram: tuple[int, ...], gamma: int, counts: tuple[int, ...], s: int
) -> tuple[Fraction, Fraction]:
    """Return the covariance of P and s in D, and the expected one in D', under the greedy plan."""
    total = sum(histogram)
    product_ = Fraction(sum(counts) * histogram[s], total**2)
    after = kept(greedy_groups(histogram, gamma), counts, s)
    return Fraction(counts[s], total) - product_, after / total - product_


@C.refutation
def smallest_counterexample() -> Witness:
    """At N = 2, gamma = 2, P true for the record of s alone: the covariance 1/4 becomes 0."""
    return Witness(
        parameters={"gamma": 2, "counts": (1, 1), "records of P by value": (1, 0), "s": 0},
        premises=(
            lambda gamma, counts, _inside, _s: sum(counts) % gamma == 0,
            lambda gamma, counts, _inside, _s: gamma * max(counts) <= sum(counts),
        ),
        allowed=lambda gamma, counts, inside, s: _loss(counts, gamma, inside, s)[0],
        actual=lambda gamma, counts, inside, s: _loss(counts, gamma, inside, s)[1],
        printed=Fraction(1, 8),
        true=Fraction(1, 4),
        smaller=lambda: [(2, (1, 1), (0, 0), 0), (2, (1, 1), (0, 0), 1)],
        count=2,
        order="N, then the size of P, over gamma >= 2 that divide N and predicates with Cov >= 0",
        perturbed="splu_proofs.splu.covariance:kept larger",
        by_hand=(
            "Cov = 1/2 - (1/2)(1/2) = 1/4. Both records stand in the group {s, other} and publish s with "
            "1/2, so E Cov' = (1/2)/2 - (1/2)(1/2) = 0. Lost: 1/4; printed: at most (1 - 1/2)/4 = 1/8."
        ),
    )


def _loss(
    histogram: tuple[int, ...], gamma: int, counts: tuple[int, ...], s: int
) -> tuple[Fraction, Fraction]:
    """Return how much of the covariance may be lost as printed, and how much is."""
    before, after = covariances(histogram, gamma, counts, s)
    return (1 - Fraction(1, gamma)) * before, before - after


@C.enumeration(cases=14, perturbed="splu_ref.mechanisms.group_draws:draw_rule larger")
def the_output_does_not_depend_on_the_input() -> Comparisons:
    """Publish every arrangement of gamma values at N/gamma each: one law, whatever the input."""
    from ..worlds import watched  # noqa: PLC0415  it loads numpy and the library

    for gamma, histogram in ((2, (1, 1)), (2, (2, 2)), (3, (1, 1, 1))):
        total = sum(histogram)
        values = [value for value, count in enumerate(histogram) for _ in range(count)]
        for codes in set(permutations(values)):
            law = dict.fromkeys(product(range(gamma), repeat=total), Fraction(0))
            for seen, probability in watched.seen("anatomy", codes, gamma):
                law[seen.published] += probability
            yield (set(law.values()), "=", {Fraction(1, gamma**total)}, f"{codes}: the output is not uniform")


@C.computation(
    cases=4,
    perturbed=("splu_proofs.splu.correlation:covariances larger", "splu_proofs.splu.covariance:kept larger"),
)
def how_wrong_it_gets_for_a_fixed_plan() -> Comparisons:
    """Walk through all predicates on N <= 6, gamma 2 and 3: the least and greatest share that remains."""
    shares = []
    for gamma in (2, 3):
        for total in range(gamma, 7, gamma):
            for histogram in histograms(total):
                if gamma * max(histogram) > total:
                    continue
                for counts in product(*(range(count + 1) for count in histogram)):
                    for s in range(len(histogram)):
                        before, after = covariances(histogram, gamma, counts, s)
                        if before:
                            shares.append((after / before, gamma, total, histogram, counts, s))
    least, most = min(shares), max(shares)
    yield (
        covariances((1, 1, 1, 1), 2, (0, 1, 0, 0), 0),
        "=",
        (Fraction(-1, 16), Fraction(1, 16)),
        "the turned sign",
    )
    yield (least[0], "<", 0, "every share lies between 0 and 1/gamma")
    yield (most[0], ">", Fraction(1, most[1]), "every share lies between 0 and 1/gamma")
    yield (
        covariances((2, 2, 2, 2), 2, (1, 0, 2, 2), 0),
        "=",
        (Fraction(-1, 32), Fraction(-3, 32)),
        "the tripled one",
    )
