"""splu.POSTm: the posterior of a reader who knows the histogram and the plan's method, but not its secret."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import combinations, pairwise

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Inequality, Status
from ..worlds.histograms import histograms
from ..worlds.valid_plans import mean_together
from .mixed_trades import IN_BLOCKS, WORLDS

POSTM = Claim(
    id="splu.POSTm",
    module=__name__,
    source="new; continues splu.POST and splu.DOMc",
    title="the posterior of one record under a secret plan",
    statement=(
        r"\Pr[t.s = v \mid t'.s = w] = \frac{\mathrm{E}\,c(v,w)}{\gamma f_w} \le \tfrac1\gamma;\qquad "
        r"\mathrm{E}\,c(v,w) = 0 \iff \text{each block with both has } \gamma-1 \text{ others in all groups}"
    ),
    words=(
        "A reader who knows the histogram and the method, but not the plan's secret, has the mean of the "
        "posteriors over plans. It is 1/gamma for the published value and at most 1/gamma for any other, as "
        "under every single plan: no plan, whatever its method, raises it. And it excludes no value that any "
        "plan allows: the uniform law over valid plans puts v beside w with a positive chance, unless "
        "gamma - 1 other values stand in every group and leave room for only one of the two. A plan in "
        "several blocks is as many small tables: then this holds for each block, and two values that share "
        "no block exclude each other. A reader who knows the record's block as well has the same bounds, "
        "with the frequencies in the block in place of f. So the smallest "
        "case against splu.DOM stays, gamma = 2 and counts (2, 1, 1), because there every plan excludes it; "
        "with four values once each, where the greedy plan excludes two of them, none is excluded. The "
        "shipped number of passes suffices for that in every small world here."
    ),
    hypotheses=(
        r"\gamma \mid N",
        r"v \ne w,\ f_v, f_w \ge 1",
        r"\text{plan uniform over all valid plans of each block (splu.TR); record any one, equally likely}",
    ),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.DOMc", "splu.TR", "splu.G"),
    licenses=("splu_ref.mechanisms.plans.mixed", "splu_ref.mechanisms.splu_gen"),
    tests=("tests/mechanisms/plans/test_mixed.py::test_one_pass_of_two_groups_leads_to_every_plan",),
)


@POSTM.derivation
def a_mean_of_posteriors() -> Derivation:
    """Weigh the posteriors under the plans with the plans' chances."""
    return Derivation(
        setting=(
            "Under a plan with c groups that hold v and w, the posterior of v given w is c/(gamma f) by "
            "splu.DOMc; f is the number of records of w. The chance that a record is published with w is "
            "f/N under every plan, so being published with w says nothing about the plan, and the posteriors "
            "are averaged with the plans' own chances. a of A equally likely plans have c such groups, the "
            "others e."
        ),
        steps=(
            Identity(
                name="the mean",
                says="(a/A) c/(gamma f) + (1 - a/A) e/(gamma f) = (a c + (A - a) e)/A / (gamma f).",
                variables={"a": 0, "big_a": 1, "c": 0, "e": 0, "gamma": 2, "f": 1},
                left=lambda a, big_a, c, e, gamma, f: (
                    (a / big_a) * (c / (gamma * f)) + (1 - a / big_a) * (e / (gamma * f))
                ),
                right=lambda a, big_a, c, e, gamma, f: (a * c + (big_a - a) * e) / big_a / (gamma * f),
            ),
            Inequality(
                name="at most 1/gamma",
                says="c <= f under every plan, so the mean over A plans is at most f: f A - a c - b e >= 0.",
                variables=("f", "a", "b", "c", "e"),
                given=lambda f, a, b, c, e: (c, a, b, f - c, f - e),
                slack=lambda c, a, b, x, y: (c + x, a, b, c, c + x - y),
                then=lambda f, a, b, c, e: f * (a + b) - a * c - b * e,
            ),
        ),
        conclusion="E c(v, w)/(gamma f) for v, and f/(gamma f) = 1/gamma for w itself.",
    )


@POSTM.derivation
def when_two_values_can_meet() -> Derivation:
    """Build a group that holds v and w, and ask whether the rest still has a plan."""
    return Derivation(
        setting=(
            "G groups, t values with f = G, which stand in every group. If v is one of them, it meets every "
            "value. Let neither v nor w be one. A group has s = gamma - t places for the others; s >= 1, "
            "since v has records. If s = 1, v and w never meet. Let s >= 2."
        ),
        steps=(
            Inequality(
                name="enough other values",
                says=(
                    "m >= 2 values share the gamma G - t G = s G other records, none more than G - 1 of "
                    "them, so m (G - 1) >= s G. Then m >= s + 1: with m <= s, s G - m (G - 1) >= m > 0."
                ),
                variables=("s", "m", "g"),
                given=lambda s, m, g: (s - m, m - 2, g - 1),
                slack=lambda d, m, h: (d + m + 2, m + 2, h + 1),
                then=lambda s, m, g: s * g - m * (g - 1) - m,
            ),
            Identity(
                name="the rest has a plan",
                says=(
                    "Take the t values, v, w and s - 2 others for one group. gamma (G - 1) records are left, "
                    "and none has more than G - 1: the t values lost one, the others had at most G - 1. By "
                    "splu.G there is a plan for them: gamma G - gamma = gamma (G - 1)."
                ),
                variables={"gamma": 2, "g": 1},
                left=lambda gamma, g: gamma * g - gamma,
                right=lambda gamma, g: gamma * (g - 1),
            ),
        ),
        conclusion=(
            "Some valid plan has v and w in one group unless t = gamma - 1, and then every group holds one "
            "other value only. Under the uniform law a plan that exists has a positive chance."
        ),
    )


@POSTM.computation(cases=6174, perturbed="splu_proofs.worlds.valid_plans:mean_together larger")
def which_pairs_never_meet() -> Comparisons:
    """Compare the condition with the exact mean over all plans of every eligible histogram, N <= 12."""
    for gamma in (2, 3, 4):
        for total in range(gamma, 13, gamma):
            for histogram in histograms(total):
                if gamma * max(histogram) > total or any(a < b for a, b in pairwise(histogram)):
                    continue
                full = [value for value, count in enumerate(histogram) if gamma * count == total]
                for pair, mean in mean_together(histogram, gamma).items():
                    others = sum(value not in pair for value in full)
                    yield ((mean == 0), "=", (others == gamma - 1), f"{histogram}, gamma = {gamma}: {pair}")
                    yield (mean, "<=", min(histogram[value] for value in pair), f"{histogram}: {pair}")


@POSTM.enumeration(
    cases=226,
    perturbed=(
        "splu_ref.mechanisms.plans.plan:RunLengthPlan.group_count smaller",
        "splu_proofs.worlds.trades:after_default_passes larger",
    ),
)
def the_shipped_passes_exclude_nothing_more() -> Comparisons:
    """Compute the exact law of the plan after the shipped number of passes, and who meets whom in it."""
    from ..worlds import trades  # noqa: PLC0415  it loads numpy and the library

    for gamma, histogram in WORLDS:
        met = trades.together(trades.after_default_passes(histogram, gamma))
        for pair, mean in mean_together(histogram, gamma).items():
            share = met.get(pair, Fraction(0)) / (gamma * min(histogram[value] for value in pair))
            yield ((share > 0), "=", (mean > 0), f"{histogram}, gamma = {gamma}: {pair} is excluded")
            yield (share, "<=", Fraction(1, gamma), f"{histogram}, gamma = {gamma}: {pair} above 1/gamma")


@POSTM.enumeration(
    cases=251,
    perturbed=(
        "splu_ref.mechanisms.plans.cyclic:Blocks.histogram reversed",
        "splu_proofs.worlds.trades:after_default_passes larger",
    ),
)
def blocks_exclude_what_they_keep_apart() -> Comparisons:
    """Compute the exact law of each block after the shipped number of passes, and who meets whom in all."""
    from ..worlds import trades  # noqa: PLC0415  it loads numpy and the library

    for gamma, histogram in (*IN_BLOCKS, (2, (4, 1, 1, 1, 1)), (3, (4, 3, 1, 1, 1, 1, 1))):
        met: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
        possible = set()
        for block in trades.block_histograms(histogram, gamma, 2):
            count = sum(block) // gamma
            mean = trades.together(trades.after_default_passes(block, gamma))
            full = [value for value, often in enumerate(block) if often == count]
            for u, v in combinations([value for value, often in enumerate(block) if often], 2):
                share = mean.get((u, v), Fraction(0)) / (gamma * min(block[u], block[v]))
                yield (share, "<=", Fraction(1, gamma), f"{histogram}: {u}, {v} above 1/gamma in a block")
                met[u, v] += mean.get((u, v), 0)
                if sum(value not in (u, v) for value in full) < gamma - 1:
                    possible.add((u, v))
        for pair in combinations(range(len(histogram)), 2):
            share = met[pair] / (gamma * min(histogram[value] for value in pair))
            yield ((share > 0), "=", (pair in possible), f"{histogram}, gamma = {gamma}: {pair}")
            yield (share, "<=", Fraction(1, gamma), f"{histogram}, gamma = {gamma}: {pair} above 1/gamma")


@POSTM.enumeration(
    cases=38,
    perturbed=(
        "splu_ref.mechanisms.plans.mixed:mixed doubled",
        "splu_proofs.worlds.trades:published smaller",
        "splu_ref.channels.parameters:retention_probability doubled",
    ),
)
def the_shipped_release_has_this_posterior() -> Comparisons:
    """Publish with a plan of one pass over every outcome, plan and draws together, and apply Bayes."""
    from ..worlds import trades  # noqa: PLC0415  it loads numpy and the library

    for gamma, histogram in ((2, (2, 1, 1)), (2, (2, 2)), (2, (1, 1, 1, 1)), (3, (1, 1, 1))):
        codes = tuple(value for value, count in enumerate(histogram) for _ in range(count))
        joint: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
        for published, chance in trades.published(codes, gamma, passes=1):
            for true, seen in zip(codes, published, strict=True):
                joint[true, seen] += chance
        met = trades.together(trades.shipped_law(histogram, gamma, 1))
        for w, f in enumerate(histogram):
            total = sum(joint[u, w] for u in range(len(histogram)))
            for v in range(len(histogram)):
                mean = f if v == w else met.get((min(v, w), max(v, w)), Fraction(0))
                yield (joint[v, w] / total, "=", Fraction(mean, gamma * f), f"{histogram}: {v} given {w}")
