"""splu.KEEP: no operator that bounds the belief in every single value as SPLU-Gen does keeps more values."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np

from splu_ref.channels import Channel, from_matrix
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import SeededSource

from ..terms import Claim, Comparisons, Derivation, Grade, Inequality, Kernel, Status
from ..worlds.histograms import histograms, spreads

KEEP = Claim(
    id="splu.KEEP",
    module=__name__,
    source="new; compares Fu et al. 2014, §3.1, with every other operator",
    title="the most values that can be kept under a bound on single values",
    statement=(
        r"\Pr[t.s = u \mid t'.s = v] \le \rho_2 \text{ for all } v \text{ and all } u \text{ with } "
        r"\pi_u \le \rho_1 \;\Longrightarrow\; \sum_u \pi_u P_{uu} \le 1 - (1-\rho_2) \sum_{\pi_u\le\rho_1} "
        r"\pi_u;\qquad \text{SPLU-Gen attains it at } \rho_2 = p \ge \tfrac1\gamma"
    ),
    words=(
        "Under the table's own frequencies as prior, an operator that lifts the belief in no single value of "
        "prior at most rho1 above rho2 keeps the values of at most a share of 1 - (1-rho2) L of the records, "
        "L the share of the records with such a value. If every value is such a one, that is rho2. SPLU-Gen "
        "keeps p of them, and by splu.POSTp its posteriors are p for the published value and at most "
        "(1-p)/(gamma-1) for another one. So at p >= 1/gamma, and with all frequencies at most rho1, it is "
        "one of the best operators, under any valid plan: none with the same bound keeps more, and none has "
        "a larger least chance to keep a value. This bounds single values alone. Sets of values it does "
        "not bound: who knows the plan's groups sees that the value is one of gamma at most in "
        "each (splu.POST), and against every prior no plan that leaves two values apart has a finite "
        "amplification, so that uniform perturbation is the best of its kind there (chaytor.OPTc)."
    ),
    hypotheses=(
        r"0 < \rho_1 < \rho_2 < 1",
        r"\pi \text{ the frequencies of the table, the record any one}",
        r"\text{SPLU-Gen: } \gamma \mid N,\ \pi_u \le \rho_1 \text{ for all } u",
    ),
    status=Status.PROVED,
    grade=Grade.KERNEL,
    rests_on=("splu.POSTp", "chaytor.OPTc"),
    licenses=("splu_ref.mechanisms.splu_gen",),
    tests=(
        "tests/guarantees/operators/test_best_operators.py::test_single_values_leave_what_their_prior_and_rho2_say",
    ),
    kernel=Kernel(
        theorems=(
            "Retained.most_that_is_retained",
            "Retained.least_chance_to_retain",
            "Retained.transition_is_an_operator",
            "Retained.frequencies_are_a_law",
            "Retained.splu_gen_keeps_the_bound",
            "Retained.splu_gen_retains_p",
        ),
        covers=(
            "The whole statement: the bound for every operator from a finite set of values to a finite set "
            "of outputs and every prior, in rational numbers; and that SPLU-Gen with p >= 1/gamma keeps the "
            "bound p and retains p, under every plan."
        ),
        leaves="What is said of sets of values.",
    ),
)


@KEEP.derivation
def what_the_bound_leaves() -> Derivation:
    """Count the records by whether their value is protected, and whether the published one is."""
    return Derivation(
        setting=(
            "Of N records, L have a protected value; x are published with a protected one, and y of the L "
            "with another one. So L is at most x + y. Of the x at most x (w-s)/w retain their value, with "
            "rho2 = (w-s)/w: that is the bound, added up over the published values. Of the N - x others at "
            "least y do not."
        ),
        steps=(
            Inequality(
                name="records that lose their value",
                says="w times the loss, s x + w y, is at least s L.",
                variables=("x", "y", "big_l", "s", "w"),
                given=lambda x, y, big_l, s, w: (x + y - big_l, y, big_l, s, w - s),
                slack=lambda d, y, big_l, s, t: (big_l + d - y, y, big_l, s, s + t),
                then=lambda x, y, big_l, s, w: s * x + w * y - s * big_l,
            ),
        ),
        conclusion=(
            "At least (1-rho2) L of N records lose their value. A least diagonal entry is at most the mean "
            "one, whatever the weights."
        ),
    )


@KEEP.derivation
def splu_gen_meets_the_bound() -> Derivation:
    """Compare the posterior of another value with that of the published one."""
    return Derivation(
        setting=(
            "c <= f of the f groups of the published value hold another one, p = a/w >= 1/gamma. By "
            "splu.POSTp the posterior of the published value is p, that of the other one (1-p)/(gamma-1) c/f."
        ),
        steps=(
            Inequality(
                name="no other value is likelier",
                says="p is at least (1-p)/(gamma-1) c/f: a (gamma-1) f >= (w-a) c.",
                variables=("f", "c", "a", "w", "gamma"),
                given=lambda f, c, a, w, gamma: (f - c, c, a, a * gamma - w, gamma - 1),
                slack=lambda d, c, a, e, h: (c + d, c, a, a * (h + 1) - e, h + 1),
                then=lambda f, c, a, w, gamma: a * (gamma - 1) * f - (w - a) * c,
            ),
        ),
        conclusion="All posteriors are at most p = rho2, and a share p of the records retain their value.",
    )


@KEEP.computation(
    cases=4324,
    perturbed=(
        "splu_ref.channels.channel:Channel.probability larger",
        "splu_proofs.splu.kept_share:_kept larger",
    ),
)
def small_operators_keep_no_more() -> Comparisons:
    """Walk through all operators with entries in eighths on two values and in thirds on three."""
    for m, parts in ((2, 8), (3, 3)):
        for rows in product(list(spreads(parts, m)), repeat=m):
            channel = from_matrix(range(m), [[Fraction(n, parts) for n in row] for row in rows], range(m))
            for counts in ((3, 1), (1, 1)) if m == 2 else ((3, 2, 1), (1, 1, 1)):
                kept, total = _kept(channel, counts), sum(counts)
                for protected in range(1, max(counts) + 1):
                    found = max(
                        (each for count, each in _posteriors(channel, counts) if count <= protected),
                        default=Fraction(0),
                    )
                    share = Fraction(sum(count for count in counts if count <= protected), total)
                    yield (kept, "<=", 1 - (1 - found) * share, f"{rows} keeps more: {counts}, {protected}")


@KEEP.computation(
    cases=608,
    perturbed=(
        "splu_ref.mechanisms.splu_gen:SpluGen.channel larger",
        "splu_proofs.splu.kept_share:_kept larger",
    ),
)
def splu_gen_attains_it() -> Comparisons:
    """Compute all posteriors under the greedy and the cyclic plan of every eligible table, N <= 8."""
    for gamma, total in ((2, 4), (2, 6), (3, 6), (4, 8)):
        for counts in histograms(total):
            if gamma * max(counts) > total:
                continue
            for plan, keep in product(("anatomy", "cyclic"), (Fraction(1, gamma), Fraction(3, 5))):
                channel = SpluGen(gamma, keep, plan).channel(np.array(counts), SeededSource(1))
                largest = max(each for _, each in _posteriors(channel, counts))
                yield (largest, "=", keep, f"{counts}, gamma = {gamma}: {largest}")
                yield (keep, "=", _kept(channel, counts), f"{counts}, gamma = {gamma}: {largest}")


def _kept(channel: Channel[int, int], counts: tuple[int, ...]) -> Fraction:
    kept = sum((count * channel.probability(v, v) for v, count in enumerate(counts)), Fraction(0))
    return kept / sum(counts)


def _posteriors(channel: Channel[int, int], counts: tuple[int, ...]) -> Iterator[tuple[int, Fraction]]:
    """Yield the count of each true value with its posterior for each published one."""
    for seen in channel.outputs:
        weights = [count * channel.probability(value, seen) for value, count in enumerate(counts)]
        if any(weights):
            yield from ((count, each / sum(weights)) for count, each in zip(counts, weights, strict=True))
