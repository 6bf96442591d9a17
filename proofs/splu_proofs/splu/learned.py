"""splu.FG: attacks that learn from other records, such as the de Finetti and the foreground attack."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product

from ..terms import Case, Claim, Comparisons, Grade, Status, Witness
from ..worlds.histograms import greedy_groups, histograms

FG = Claim(
    id="splu.FG",
    module=__name__,
    source="Fu et al. 2014, §3.1, advantages of withholding the groups",
    title="attacks that learn from other records",
    statement=(
        r"\max_v \Pr[t.s = v] \le \tfrac1\gamma \;\Longrightarrow\; "
        r"\max_v \Pr[t.s = v \mid D'] \le \tfrac1\gamma"
    ),
    words=(
        "False, where records that look alike are believed to have like values, which of them being unknown: "
        "that is what the de Finetti and the foreground attack learn. Withholding the groups does not "
        "prevent it, as published values betray the groups. Three pairs of alike records, each pair with one "
        "unknown value, counts (2, 2, 2), gamma = 2: every value has 1/3 before. If both records of a pair "
        "are published with 0, they stand in two groups that hold 0, so their value is 0 for certain. Every "
        "other value of theirs shares one group with 0 at most. What holds is splu.POST: for a prior that no "
        "exchange of records changes, no posterior exceeds 1/gamma."
    ),
    hypotheses=(r"\gamma \ge 2", r"\gamma \mid N", "records of one class have one value"),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("splu.S3", "splu.G"),
    corrected_by="splu.POST",
)

Worlds = list[tuple[int, ...]]


def believed(histogram: tuple[int, ...]) -> Worlds:
    """Return the tables, by record, with these counts in which classes of these sizes have one value each."""
    classes = [number for number, size in enumerate(histogram) for _ in range(size)]
    return [
        tuple(values[number] for number in classes)
        for values in permutations(range(len(histogram)))
        if all(histogram[values[number]] == size for number, size in enumerate(histogram))
    ]


def prior(worlds: Worlds) -> Fraction:
    """Return the largest probability of a value of a record before anything is published."""
    return max(
        Fraction(sum(world[record] == value for world in worlds), len(worlds))
        for record in range(len(worlds[0]))
        for value in set(worlds[0])
    )


def posterior(histogram: tuple[int, ...], gamma: int) -> tuple[Fraction, tuple[int, ...]]:
    """Return the largest probability of a value of the first record, over all releases, and the release."""
    worlds = believed(histogram)
    best: tuple[Fraction, tuple[int, ...]] = (Fraction(0), ())
    laws = [release_weights(world, histogram, gamma) for world in worlds]
    for release in sorted(set().union(*laws)):
        weights = [law.get(release, 0) for law in laws]
        for value in range(len(histogram)):
            own = sum(weight for weight, world in zip(weights, worlds, strict=True) if world[0] == value)
            best = max(best, (Fraction(own, sum(weights)), tuple(release)), key=lambda pair: pair[0])
    return best


def release_weights(
    world: tuple[int, ...], histogram: tuple[int, ...], gamma: int
) -> dict[tuple[int, ...], int]:
    """Return how many choices of places and draws publish each vector of values."""
    groups = greedy_groups(histogram, gamma)
    places = [[group for group in groups if value in group] for value in range(len(histogram))]
    found: dict[tuple[int, ...], int] = {}
    for orders in product(*(permutations(each) for each in places)):
        left = [list(order) for order in orders]
        for release in product(*(left[value].pop() for value in world)):
            found[release] = found.get(release, 0) + 1
    return found


@FG.refutation
def three_pairs() -> Witness:
    """At gamma = 2 and counts (2, 2, 2) a pair that is published with (0, 0) has 0: probability 1."""
    return Witness(
        parameters={"gamma": 2, "counts": (2, 2, 2)},
        premises=(
            lambda gamma, _counts: gamma >= 2,
            lambda gamma, counts: sum(counts) % gamma == 0,
            "classes are as large as the counts",
        ),
        allowed=lambda gamma, _counts: Fraction(1, gamma),
        actual=lambda gamma, counts: posterior(counts, gamma)[0],
        printed=Fraction(1, 2),
        true=Fraction(1),
        smaller=_smaller,
        count=6,
        order="N, over gamma >= 2 and classes of the sizes of the counts, each with one value",
        perturbed="splu_proofs.splu.learned:posterior larger",
        by_hand=(
            "The greedy groups are {0, 1}, {0, 2}, {1, 2}. A pair with 1 stands in {0, 1} and {1, 2}, one "
            "with 2 in {0, 2} and {1, 2}: one of its records cannot be published with 0. A pair with 0 is "
            "published with (0, 0) in one case of four."
        ),
    )


def _smaller() -> Iterator[Case]:
    for rows in range(2, 6):
        for gamma in range(2, rows + 1):
            if rows % gamma:
                continue
            for histogram in histograms(rows):
                if gamma * max(histogram) <= rows and gamma * prior(believed(histogram)) <= 1:
                    yield gamma, histogram


@FG.computation(
    cases=4, perturbed=("splu_proofs.splu.learned:posterior larger", "splu_proofs.splu.learned:prior larger")
)
def what_is_believed_before() -> Comparisons:
    """Compute prior and posterior of the witness, release by release."""
    worlds = believed((2, 2, 2))
    yield (len(worlds), "=", 6, "the prior is not 1/3")
    yield (prior(worlds), "=", Fraction(1, 3), "the prior is not 1/3")
    found, release = posterior((2, 2, 2), 2)
    yield (found, "=", 1, f"{found} at {release}")
    yield (release[:2], "=", (0, 0), f"{found} at {release}")
