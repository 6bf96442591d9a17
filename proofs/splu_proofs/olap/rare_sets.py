"""olap.RARE, olap.RAREc: uniform against identity perturbation, for rare sets and for frequent ones."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, combinations, product

from ..terms import Case, Claim, Comparisons, Derivation, Grade, Identity, Status, Witness

RARE = Claim(
    id="olap.RARE",
    module=__name__,
    source="Agrawal et al. 2005, §6",
    title="uniform perturbation is better for rare sets",
    statement=(
        r"\frac{p_S}{m_S} < 1 \;\Longrightarrow\; \max_v \Pr[X \in S \mid Y = v]_{\text{uniform}} \le "
        r"\max_v \Pr[X \in S \mid Y = v]_{\text{identity}}"
    ),
    words=(
        "Refuted for (rho1, rho2) breaches as Definition 4 has them, in which any observation counts: a rare "
        "set may hold a frequent value. Of three values with the shares 1/2, 0, 1/2 the set of the first two "
        "is rare (1/2 against 2/3); at p = 1/2 the first value lifts it to 4/5 under uniform, and to 3/4 "
        "under identity perturbation. By olap.RAREc single values decide, not the set. If the "
        "observation is the set itself, the claim is true."
    ),
    hypotheses=("0 < p < 1", r"p_S < 1", r"\text{the prior is the column's histogram}"),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    corrected_by="olap.RAREc",
)

RAREC = Claim(
    id="olap.RAREc",
    module=__name__,
    source="corrects Agrawal et al. 2005, §6",
    title="where uniform perturbation discloses less than identity perturbation",
    statement=(
        r"\Pr[X \in S \mid Y \in S]:\ \text{uniform} < \text{identity} \iff p_S < m_S;\qquad "
        r"\Pr[X \in S \mid Y = v \in S]:\ \text{uniform} < \text{identity} \iff p_v < m_v"
    ),
    words=(
        "Seen in the set itself, a set is lifted less by uniform perturbation exactly if it is rare. Seen in "
        "one of its values it is lifted less exactly if that value is rare, however rare the set is. So with "
        "the observation left free uniform perturbation is better exactly for sets without a value that is "
        "more frequent than 1/m, and worse for every set that has one, to which all frequent sets belong."
    ),
    hypotheses=("0 < p < 1", r"0 < p_S < 1", r"\text{the prior is the column's histogram}"),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
    rests_on=("olap.L1",),
    licenses=("splu_ref.channels.breach:worst_property",),
    tests=("tests/channels/test_breach.py::test_the_worst_property_is_the_worst_of_all",),
)

Counts = tuple[int, ...]


def lifted(counts: Counts, members: tuple[int, ...], p: Fraction, *, uniform: bool) -> Fraction:
    """Return the largest posterior of a set over all published values that can occur."""
    records, size = sum(counts), len(counts)
    found = Fraction(0)
    for seen, count in enumerate(counts):
        share = Fraction(1, size) if uniform else Fraction(count, records)
        own = p * Fraction(count, records)
        chance = own + (1 - p) * share
        if chance:
            inside = (seen in members) * own
            prior = Fraction(sum(counts[value] for value in members), records)
            found = max(found, (inside + (1 - p) * share * prior) / chance)
    return found


@RARE.refutation
def a_rare_set_with_a_frequent_value() -> Witness:
    """Lift the first two of the counts 1, 0, 1 at p = 1/2: uniform to 4/5, identity to 3/4."""
    return Witness(
        parameters={"counts": (1, 0, 1), "S": (0, 1), "p": Fraction(1, 2)},
        premises=(
            lambda _counts, _members, p: 0 < p < 1,
            lambda counts, members, _p: sum(counts[value] for value in members) < sum(counts),
            "the prior is computed from the counts",
        ),
        allowed=lambda counts, members, p: lifted(counts, members, p, uniform=False),
        actual=lambda counts, members, p: lifted(counts, members, p, uniform=True),
        printed=Fraction(3, 4),
        true=Fraction(4, 5),
        smaller=_smaller,
        count=123,
        order="records plus values of the domain, then records",
        perturbed="splu_proofs.olap.rare_sets:lifted larger",
        by_hand=(
            "The first value is published by its record with 1/2 + 1/6 and by the other with 1/6, so it is "
            "its own with (2/3)/(5/6) = 4/5. From the histogram: 1/2 + 1/4 and 1/4, so 3/4."
        ),
    )


def _tables(records: int, values: int) -> Iterator[Counts]:
    if values == 1:
        yield (records,)
        return
    for first in range(records + 1):
        for rest in _tables(records - first, values - 1):
            yield (first, *rest)


def _sets(values: int) -> Iterator[tuple[int, ...]]:
    return chain.from_iterable(combinations(range(values), size) for size in range(1, values))


def _smaller() -> Iterator[Case]:
    for records, values in ((1, 2), (1, 3), (2, 2), (1, 4)):
        for counts, members in product(_tables(records, values), _sets(values)):
            if sum(counts[value] for value in members) * values < len(members) * records:
                yield from ((counts, members, p) for p in (Fraction(1, 2), Fraction(1, 3), Fraction(2, 3)))


@RAREC.derivation
def the_two_differences() -> Derivation:
    """Clear the denominators of the two posteriors, for a set and for one of its values."""
    return Derivation(
        setting=(
            "b is the prior of the set, m its share of the domain; g the prior of one of its values, h = 1/m "
            "of the domain. Under identity perturbation the posterior is p + (1-p) b either way (olap.L1); "
            "under uniform b (p + (1-p) m) over p b + (1-p) m for the set, and p g + (1-p) b h over "
            "p g + (1-p) h for the value."
        ),
        steps=(
            Identity(
                name="the set seen in itself",
                says="Identity less uniform, times p b + (1-p) m, is p (1-p) (1-b) (m - b).",
                variables={"b": 0, "m": 0, "p": 0},
                left=lambda b, m, p: (p + (1 - p) * b) * (p * b + (1 - p) * m) - b * (p + (1 - p) * m),
                right=lambda b, m, p: p * (1 - p) * (1 - b) * (m - b),
            ),
            Identity(
                name="the set seen in a value",
                says="Identity less uniform, times p g + (1-p) h, is p (1-p) (1-b) (h - g).",
                variables={"b": 0, "g": 0, "h": 0, "p": 0},
                left=lambda b, g, h, p: (p + (1 - p) * b) * (p * g + (1 - p) * h) - (p * g + (1 - p) * b * h),
                right=lambda b, g, h, p: p * (1 - p) * (1 - b) * (h - g),
            ),
        ),
        conclusion=(
            "All factors but the last are positive. A set with p_S > m_S has a value with p_v > 1/m, since "
            "otherwise its priors would add up to at most m_S."
        ),
    )


@RAREC.computation(
    cases=1204,
    perturbed=("(most > least) => (most >= least)", "least = Fraction(1, values) => least = Fraction(1)"),
)
def every_small_histogram() -> Comparisons:
    """Compare the largest posteriors of all sets for at most 4 records and 4 values."""
    for values in (2, 3, 4):
        for records in range(1, 5):
            for counts in _tables(records, values):
                for members in _sets(values):
                    prior = Fraction(sum(counts[value] for value in members), records)
                    if not 0 < prior < 1:
                        continue
                    most = max(Fraction(counts[value], records) for value in members)
                    p = Fraction(1, 2)
                    uniform, identity = (lifted(counts, members, p, uniform=each) for each in (True, False))
                    least = Fraction(1, values)
                    yield ((uniform > identity), "=", (most > least), f"{counts}, {members}")
                    yield ((uniform < identity), "=", (most < least), f"{counts}, {members}")
