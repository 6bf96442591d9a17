"""splu.TRI: how often two values share a group under the uniform law over all valid plans."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Status
from ..worlds.histograms import histograms
from ..worlds.valid_plans import mean_together

LARGER = (
    (2, (6, 5, 4, 3, 2)),
    (2, (12, 10, 8, 6, 4)),
    (2, (15, 8, 5, 1, 1)),
    (3, (8, 8, 6, 5, 3, 3, 2, 1)),
    (3, (12, 9, 9, 3, 2, 1)),
    (4, (9, 9, 8, 8, 7, 5, 3, 2, 1)),
)

TRI = Claim(
    id="splu.TRI",
    module=__name__,
    source="new; conditional Poisson sampling of Hájek 1964, Chen, Dempster and Liu 1994",
    title="co-occurrence under the uniform law over plans",
    statement=(
        r"\mathrm{E}\,c(u,v) = \tfrac N\gamma\,\Pr[u, v \in S],\quad \sum_{v} \mathrm{E}\,c(u,v) = \gamma "
        r"f_u;\qquad \Big|\mathrm{E}\,c(u,v) - \tfrac N\gamma\pi_{uv}\Big| < \tfrac1{20}"
    ),
    words=(
        "Under the uniform law all groups have the same law, that of a random set S of gamma values which "
        "holds v with probability gamma f_v/N. E c(u, v) is therefore a function of the histogram, which an "
        "analyst who knows neither the plan nor its secret can compute. It is a ratio of numbers of plans, "
        "exact but out of reach for large tables. The law of largest entropy with the same single "
        "probabilities, with the pair probabilities pi_uv, takes its place: on all small histograms and on "
        "larger ones it errs by less than a twentieth of a group, however many groups there are. A plan in "
        "blocks has the sum over its blocks. Each value has its share in every block up to two records, so "
        "that sum stays near what the whole histogram gives: within a fiftieth of a group, up to 250 blocks."
    ),
    hypotheses=(
        r"\text{plan uniform over all valid plans (splu.TR)}",
        r"\text{the bound } 1/20: \text{ histograms with } N \le 12, \gamma \le 4, \text{ and those stated}",
    ),
    status=Status.VERIFIED,
    grade=Grade.EXACT,
    instances="N <= 12, gamma 2, 3, 4, and the larger tables stated",
    rests_on=("splu.TR",),
    licenses=(
        "splu_ref.mechanisms.plans.expected_co_occurrence",
        "splu_ref.mechanisms.plans.conditional_poisson",
    ),
    tests=("tests/mechanisms/plans/test_real_plans.py::test_mixed_plans_are_what_the_frequencies_imply",),
)


@TRI.derivation
def one_group_determines_all() -> Derivation:
    """Add up over groups, and over the values of a group."""
    return Derivation(
        setting=(
            "Renaming the groups of a valid plan gives a valid plan, so all G = N/gamma groups have the same "
            "law. p is the probability that a group holds u, t that it holds u and v. As u stands in f "
            "groups of each plan, G p = f."
        ),
        steps=(
            Identity(
                name="rows",
                says=(
                    "In every plan f groups hold u, each with gamma - 1 other values: the c(u, v) add up to "
                    "f + (gamma-1) f = gamma f over all v, u included, and so do their means. The stand-in "
                    "law is also one of sets of gamma values with these p, so its rows have the same sums."
                ),
                variables={"gamma": 2, "f": 0},
                left=lambda gamma, f: f + (gamma - 1) * f,
                right=lambda gamma, f: gamma * f,
            ),
        ),
        conclusion="E c(u, v) = G t, and row u sums to gamma f_u.",
    )


@TRI.computation(cases=190, perturbed="splu_ref.mechanisms.plans.conditional_poisson:fit_inclusion larger")
def every_small_histogram() -> Comparisons:
    """Count all plans of every eligible histogram with N <= 12, gamma 2, 3, 4, and compare."""
    for gamma in (2, 3, 4):
        for total in range(gamma, 13, gamma):
            for histogram in histograms(total):
                falling = all(a >= b for a, b in pairwise(histogram))
                if falling and gamma * histogram[0] <= total:
                    yield _error(histogram, gamma), "<", Fraction(1, 20), f"{histogram}, gamma = {gamma}"


@TRI.computation(cases=6, perturbed="splu_ref.mechanisms.plans.conditional_poisson:fit_inclusion larger")
def larger_tables() -> Comparisons:
    """Count all plans of larger tables, whose number is too large to list them."""
    for gamma, histogram in LARGER:
        yield _error(histogram, gamma), "<", Fraction(1, 20), f"{histogram}, gamma = {gamma}"


def _error(histogram: tuple[int, ...], gamma: int) -> Fraction:
    from ..worlds import trades  # noqa: PLC0415  it loads numpy and the library

    approximate = trades.expected(histogram, gamma)
    exact = mean_together(histogram, gamma)
    return max(abs(Fraction(approximate[u][v]) - mean) for (u, v), mean in exact.items())


@TRI.computation(cases=190, perturbed="splu_ref.mechanisms.plans.cyclic:Blocks.before doubled")
def a_value_has_its_share_in_every_block() -> Comparisons:
    """Count the records of a value in every block by going through all of them, in every small setting."""
    import numpy as np  # noqa: PLC0415  only runs need it

    from splu_ref.mechanisms import Blocks  # noqa: PLC0415  it loads numpy

    for total in range(2, 21):
        for most in range(1, total):
            blocks = Blocks.of(total, most)
            begin, count = np.ogrid[:total, : total + 1]
            after = 2 * total - begin - count
            eligible = after <= total
            off = [
                np.abs(
                    blocks.count * (blocks.before(block, begin + count) - blocks.before(block, begin)) - count
                )
                for block in range(blocks.count)
            ]
            furthest = Fraction(max(int(each[eligible].max()) for each in off), blocks.count)
            yield furthest, "<", 2, f"{total} groups in blocks of {most}: records a block is off"


@TRI.measurement(
    cases=3,
    perturbed=(
        "splu_ref.mechanisms.plans.conditional_poisson:fit_inclusion larger",
        "splu_proofs.worlds.trades:apart larger",
    ),
)
def blocks_add_up_to_the_whole() -> Comparisons:
    """Add up the approximation over blocks, for frequencies that fall as one over the rank, and rare ones."""
    from ..worlds import trades  # noqa: PLC0415  it loads numpy and the library

    for total in (10_000, 100_000, 1_000_000):
        weights = [Fraction(1, rank + 5) for rank in range(20)]
        rare = (1, 2, 3, 10, 30, 100, 300, 1000)
        left = 5 * total - sum(rare)
        counts = [int(left * weight / sum(weights)) for weight in weights]
        counts[-1] += left - sum(counts)
        blocks, off = trades.apart((*counts, *rare), 5)
        yield (off, "<", 1 / 50, f"{blocks} blocks are off by {off} of a group")


@TRI.measurement(cases=1, perturbed="splu_ref.mechanisms.plans.conditional_poisson:fit_inclusion larger")
def the_shipped_plan_of_a_real_table() -> Comparisons:
    """Draw mixed plans of the embedded table's occupations, and compare mean co-occurrences."""
    from ..worlds import trades  # noqa: PLC0415  it loads numpy and the library

    draws = 40
    off = trades.largest_deviation(5, draws)
    yield (off, "<", 6, f"a pair is {off:.1f} of its standard errors off")
