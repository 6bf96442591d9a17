"""splu.S3: the draw of step 3, and why deleting a remainder keeps a table eligible."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Inequality, Status
from ..worlds.histograms import histograms

S3 = Claim(
    id="splu.S3",
    module=__name__,
    source="Fu et al. 2014, §3.1, step 3",
    title="the draw, and eligibility after the deletion",
    statement=(
        r"p = q = \tfrac1\gamma,\qquad \gamma \max_v f_v \le N \;\Longrightarrow\; "
        r"\max_v \tilde f_v \le \lfloor N/\gamma\rfloor = \tilde N/\gamma"
    ),
    words=(
        "A record retains its value with probability p and takes each of the other gamma - 1 decoys with "
        "probability (1-p)/(gamma-1); with p = 1/gamma all gamma decoys are equally likely. If no value "
        "occurs more than N/gamma times, the same is true after deleting any N mod gamma records, so the "
        "choice of those records is free."
    ),
    hypotheses=(r"\gamma \ge 2", r"\gamma f_v \le N \text{ for every value } v"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    licenses=("splu_ref.mechanisms.splu_gen", "splu_ref.mechanisms.plans.eligibility"),
    tests=(
        "tests/mechanisms/test_splu_gen.py::test_the_remainder_is_deleted_and_reported",
        "tests/mechanisms/test_draws.py::test_the_law_of_a_draw_is_exact",
    ),
)


@S3.derivation
def deleting_keeps_eligibility() -> Derivation:
    """Write N = gamma r + k with 0 <= k < gamma; k records are deleted."""
    return Derivation(
        setting=(
            "N = gamma r + k with 0 <= k <= gamma - 1, so r = floor(N/gamma); f is the count of any value."
        ),
        steps=(
            Identity(
                name="equal chances",
                says="At p = 1/gamma the other decoys share (1-p)/(gamma-1) = 1/gamma each.",
                variables={"gamma": 2},
                left=lambda gamma: (1 - 1 / gamma) / (gamma - 1),
                right=lambda gamma: 1 / gamma,
            ),
            Inequality(
                name="whole counts round down",
                says="If f >= r + 1 then gamma f >= N + 1. So gamma f <= N gives f <= r.",
                variables=("gamma", "r", "k", "f"),
                given=lambda gamma, r, k, f: (gamma - 1 - k, r, k, f - r - 1),
                slack=lambda g, r, k, d: (g + 1 + k, r, k, d + r + 1),
                then=lambda gamma, r, k, f: gamma * f - (gamma * r + k) - 1,
            ),
        ),
        conclusion=(
            "gamma r records are left, so the new bound N/gamma is r. Deleting records raises no count, so "
            "every count is at most f <= r."
        ),
    )


@S3.computation(cases=2809, perturbed="gamma * max(histogram) > total => max(histogram) > total")
def every_deletion_in_small_tables() -> Comparisons:
    """Delete every possible multiset of N mod gamma records from every eligible histogram with N <= 9."""
    for gamma in (2, 3, 4):
        for total in range(gamma, 10):
            left_over = total % gamma
            for histogram in histograms(total):
                if gamma * max(histogram) > total:
                    continue
                for deleted in product(*(range(min(count, left_over) + 1) for count in histogram)):
                    if sum(deleted) != left_over:
                        continue
                    kept = [count - gone for count, gone in zip(histogram, deleted, strict=True)]
                    yield (
                        gamma * max(kept),
                        "<=",
                        sum(kept),
                        f"{histogram} without {deleted} is not eligible",
                    )


@S3.enumeration(
    cases=29,
    perturbed=(
        "splu_ref.mechanisms.group_draws:draw_rule larger",
        "splu_proofs.worlds.shipped:releases smaller",
    ),
)
def the_shipped_draw_is_uniform() -> Comparisons:
    """Publish one group of gamma distinct values over every outcome: each record takes each equally often."""
    from ..worlds import shipped  # noqa: PLC0415  it loads numpy and the library

    for gamma in (2, 3, 4):
        chances = [[Fraction(0)] * gamma for _ in range(gamma)]
        for release, probability in shipped.releases((1,) * gamma, gamma):
            for record, value in release:
                chances[record][value] += probability
        for row in chances:
            for chance in row:
                yield (
                    chance,
                    "=",
                    Fraction(1, gamma),
                    f"gamma = {gamma}: a record's published value is not uniform over its decoys",
                )
