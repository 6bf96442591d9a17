"""splu.G: greedy group creation never gets stuck on an eligible table."""

from __future__ import annotations

from collections import Counter

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Inequality, Status
from ..worlds.histograms import greedy_groups, histograms

G = Claim(
    id="splu.G",
    module=__name__,
    source="Fu et al. 2014, §3.1, step 2 and §6.1 (after Xiao and Tao 2006)",
    title="greedy group creation",
    statement=(
        r"N = \gamma r:\quad \text{greedy ends with } r \text{ groups of } \gamma \text{ distinct values}"
        r" \iff \max_v f_v \le r"
    ),
    words=(
        "Taking one record from each of the gamma largest buckets, N/gamma times, always ends with N/gamma "
        "groups of gamma distinct values, exactly when no value occurs more than N/gamma times. The "
        "invariant: with r groups left to make, gamma r records are left and no bucket holds more than r."
    ),
    hypotheses=(r"\gamma \ge 2", r"\gamma \mid N"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.S3",),
    licenses=("splu_ref.mechanisms.plans.anatomy",),
    tests=(
        "tests/mechanisms/plans/test_plans.py::test_every_plan_is_valid",
        "tests/mechanisms/plans/test_plans.py::test_the_fast_greedy_plan_is_the_reference",
    ),
)


@G.derivation
def the_invariant_is_kept() -> Derivation:
    """Invariant before a round with r >= 1 groups left: gamma r records, largest bucket <= r."""
    return Derivation(
        setting="r >= 1 groups are left to make, gamma r records are left, no bucket holds more than r.",
        steps=(
            Inequality(
                name="there are gamma buckets to take from",
                says=(
                    "c <= gamma - 1 buckets of at most r records each hold at most c r <= gamma r - 1 "
                    "records, fewer than there are: at least gamma buckets are not empty."
                ),
                variables=("gamma", "r", "c"),
                given=lambda gamma, r, c: (gamma - 1 - c, r - 1, c),
                slack=lambda g, r, c: (g + 1 + c, r + 1, c),
                then=lambda gamma, r, c: gamma * r - c * r - 1,
            ),
            Inequality(
                name="every full bucket is taken from",
                says=(
                    "c >= gamma + 1 buckets of r records would hold c r >= gamma r + 1 records, more than "
                    "there are: at most gamma buckets hold r, so all of those are among the gamma largest "
                    "and fall to r - 1. The others hold at most r - 1 already."
                ),
                variables=("gamma", "r", "c"),
                given=lambda gamma, r, c: (gamma - 2, r - 1, c - gamma - 1),
                slack=lambda g, r, d: (g + 2, r + 1, d + g + 3),
                then=lambda gamma, r, c: c * r - gamma * r - 1,
            ),
            Identity(
                name="the records that are left",
                says="A round takes gamma records: gamma r - gamma = gamma (r - 1).",
                variables={"gamma": 2, "r": 1},
                left=lambda gamma, r: gamma * r - gamma,
                right=lambda gamma, r: gamma * (r - 1),
            ),
        ),
        conclusion=(
            "The invariant holds at r = N/gamma by eligibility and passes from r to r - 1, so every round "
            "finds gamma distinct values; at r = 0 no record is left. Conversely r groups of distinct values "
            "hold a value at most r times, so the condition is necessary for any plan, greedy or not."
        ),
    )


@G.computation(
    cases=36142,
    perturbed=(
        "splu_proofs.worlds.histograms:greedy_groups larger",
        "splu_proofs.worlds.histograms:histograms smaller",
    ),
)
def every_histogram_of_small_tables() -> Comparisons:
    """Run the greedy plan of the paper on every histogram with N <= 12 and gamma 2, 3, 4, eligible or not."""
    for gamma in (2, 3, 4):
        for total in range(gamma, 13, gamma):
            for histogram in histograms(total):
                eligible = gamma * max(histogram) <= total
                try:
                    groups = greedy_groups(histogram, gamma)
                except ValueError:
                    yield (
                        bool(eligible),
                        "=",
                        False,
                        f"the greedy plan gets stuck on {histogram}, gamma = {gamma}",
                    )
                    continue
                yield (
                    bool(eligible),
                    "=",
                    True,
                    f"the greedy plan ends on {histogram}, gamma = {gamma}, which is not eligible",
                )
                yield from _compare_plan(groups, histogram, gamma)


@G.enumeration(
    cases=1600,
    perturbed=(
        "splu_ref.mechanisms.plans.anatomy:anatomy larger",
        "splu_proofs.worlds.histograms:greedy_groups larger",
    ),
)
def the_shipped_plan_is_the_greedy_plan() -> Comparisons:
    """Compare the shipped plans with the one written here, on every eligible histogram with N <= 10."""
    from ..worlds import shipped  # noqa: PLC0415  it loads numpy and the library

    for gamma in (2, 3, 4):
        for total in range(gamma, 11, gamma):
            for histogram in histograms(total):
                if gamma * max(histogram) > total:
                    continue
                expected = Counter(greedy_groups(histogram, gamma))
                for name, groups in shipped.plans(histogram, gamma):
                    yield (Counter(groups), "=", expected, f"{name} differs on {histogram}, gamma = {gamma}")


def _compare_plan(groups: list[tuple[int, ...]], histogram: tuple[int, ...], gamma: int) -> Comparisons:
    used = Counter(value for group in groups for value in group)
    for group in groups:
        yield (len(set(group)), "=", gamma, f"distinct values of group {group} of {histogram}")
    yield (used, "=", Counter(dict(enumerate(histogram))), f"records of {histogram} in the groups")
