"""splu.DBR, splu.DBRc: values drawn from the whole distribution say nothing about a conjunction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import comb

from ..terms import Case, Claim, Comparisons, Derivation, Grade, Identity, Status, Witness

DBR = Claim(
    id="splu.DBR",
    module=__name__,
    source="Fu et al. 2014, §6.2.3.3",
    title="distribution-based randomization",
    statement=r"\arg\max_{x_3} \Pr(D' \mid x_3) = \{y_3\}",
    words=(
        "False. If every record's value is drawn anew from the distribution of the table, the published "
        "count of (P, s) is said to be the maximum likelihood estimate of the true one. But the law of D' "
        "depends on the histogram alone: given the count f of s, every possible count x of (P, s) has the "
        "same likelihood. The published count is one of the maximizers, or not even possible (y > f): what "
        "is published cannot distinguish the possible counts. For the count of s itself the claim is true."
    ),
    hypotheses=(r"\text{each value drawn independently from the histogram of } D",),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    corrected_by="splu.DBRc",
    tests=("tests/mechanisms/test_comparators_tables.py::test_every_record_draws_from_the_whole_histogram",),
)

DBRC = Claim(
    id="splu.DBRc",
    module=__name__,
    source="corrects Fu et al. 2014, §6.2.3.3",
    title="distribution-based randomization: a flat likelihood",
    statement=(
        r"y_3 \sim \mathrm{Bin}(n, f/N) \text{ for every } x_3,\qquad \arg\max_{x_3} \Pr(D'\mid x_3, f) = "
        r"\{\max(0,f+n-N),\dots,\min(n,f)\},\qquad \operatorname{E}\operatorname{Cov}' = 0"
    ),
    words=(
        "Under distribution-based randomization the published count of (P, s) is binomial with n trials of "
        "probability f/N, whatever the true count x is. Its mean is n f/N, its bias n f/N - x, its "
        "expected covariance with P zero, and the likelihood of x is flat over all possible counts. The "
        "published count of s, Bin(N, f/N), is the maximum likelihood estimate of f."
    ),
    hypotheses=(r"\text{each value drawn independently from the histogram of } D",),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
    tests=("tests/estimators/test_comparators.py::test_distribution_based_counts_over_every_outcome",),
)


def possible(total: int, n: int, f: int) -> range:
    """Return the counts of (P, s) that a table of ``total`` records allows."""
    return range(max(0, f + n - total), min(n, f) + 1)


def likelihood(total: int, n: int, f: int, y: int, rest: int) -> Fraction:
    """Return the probability that s is published y times in P and ``rest`` times outside; x plays no part."""

    def weight(trials: int, k: int) -> Fraction:
        return Fraction(comb(trials, k) * f**k * (total - f) ** (trials - k), total**trials)

    return weight(n, y) * weight(total - n, rest)


def law_by_drawing(total: int, f: int, members: Sequence[int]) -> dict[tuple[int, int], Fraction]:
    """Return the law of how often s is published in P and outside, if the first f records have s."""
    law: dict[tuple[int, int], Fraction] = {}
    for drawn in product((True, False), repeat=total):
        chance = Fraction(f ** sum(drawn) * (total - f) ** (total - sum(drawn)), total**total)
        y = sum(drawn[record] for record in members)
        law[y, sum(drawn) - y] = law.get((y, sum(drawn) - y), Fraction(0)) + chance
    return law


def laws_by_count(total: int, n: int, f: int) -> dict[int, dict[tuple[int, int], Fraction]]:
    """Return that law for every possible count of (P, s), from a predicate that has it."""
    return {
        sum(record < f for record in members): law_by_drawing(total, f, members)
        for members in combinations(range(total), n)
    }


def maximizers(total: int, n: int, f: int) -> int:
    """Return how many counts of (P, s) share the largest likelihood, at the D' for which most do."""
    laws = list(laws_by_count(total, n, f).values())
    tops = []
    for seen in {seen for law in laws for seen, chance in law.items() if chance}:
        found = [law.get(seen, Fraction(0)) for law in laws]
        tops.append(found.count(max(found)))
    return max(tops)


@DBR.refutation
def smallest_counterexample() -> Witness:
    """At N = 2, n = 1, f = 1: the counts 0 and 1 of (P, s) are equally likely, whatever is published."""
    return Witness(
        parameters={"N": 2, "|P|": 1, "f": 1},
        premises=("law_by_drawing draws so",),
        allowed=lambda *_: Fraction(1),
        actual=lambda total, n, f: Fraction(maximizers(total, n, f)),
        sign="=",
        printed=Fraction(1),
        true=Fraction(2),
        smaller=cases_before_the_witness,
        count=8,
        order=(
            "N, then |P|, then f; compared is the number of counts that are likeliest, given the D' for "
            "which there are most"
        ),
        perturbed="splu_proofs.splu.distribution_based:maximizers larger",
        by_hand=(
            "Values s and t, one record each, P holds one record. Both records draw s with probability 1/2, "
            "whether P holds the record with s or the other one: every D' has probability 1/4 for x = 0 and "
            "for x = 1."
        ),
    )


def cases_before_the_witness() -> Iterator[Case]:
    """Generate N = 1, and N = 2 with an empty P or no s."""
    for total, n, f in product((1, 2), (0, 1, 2), (0, 1, 2)):
        if n <= total and f <= total and (total, n, f) < (2, 1, 1):
            yield total, n, f


@DBRC.derivation
def the_law_does_not_depend_on_x() -> Derivation:
    """Each of the n records of P draws s with probability f/N."""
    return Derivation(
        setting=(
            "Every record draws s with probability f/N, independently of its true value. So y ~ Bin(n, f/N) "
            "and f' ~ Bin(N, f/N), in which x does not occur: E y/N = n f/N^2 = n E f'/N^2, a covariance of "
            "0. k = f' and the likelihood is a^k (1-a)^(N-k)."
        ),
        steps=(
            Identity(
                name="the likelihood of f",
                says=(
                    "Its logarithmic derivative k/a - (N-k)/(1-a) = (k - N a)/(a (1-a)) changes sign at a "
                    "= k/N once, from plus to minus: f = f' is the maximum."
                ),
                variables={"k": 0, "big_n": 0, "a": 2},
                left=lambda k, big_n, a: k / a - (big_n - k) / (1 - a),
                right=lambda k, big_n, a: (k - big_n * a) / (a * (1 - a)),
            ),
        ),
        conclusion="A likelihood without x in it is flat over every x that N, n and f allow.",
    )


@DBRC.computation(
    cases=974,
    perturbed=(
        "splu_proofs.splu.distribution_based:law_by_drawing larger",
        "splu_proofs.splu.distribution_based:maximizers larger",
    ),
)
def every_small_table() -> Comparisons:
    """Draw every outcome for every P of every table with N <= 4: one law for all x with the same n and f."""
    for total in range(1, 5):
        for f in range(total + 1):
            for n in range(total + 1):
                counts = set()
                for members in combinations(range(total), n):
                    for (y, rest), chance in law_by_drawing(total, f, members).items():
                        yield (
                            chance,
                            "=",
                            likelihood(total, n, f, y, rest),
                            f"N = {total}, n = {n}, f = {f}",
                        )
                    counts.add(sum(record < f for record in members))
                yield (counts, "=", set(possible(total, n, f)), "a possible count is missing")
                yield (maximizers(total, n, f), "=", len(counts), f"N = {total}, n = {n}, f = {f}: not flat")
