"""chaytor.PGS, chaytor.PGG: what is lost by publishing one perturbed record of each group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Status

PGS = Claim(
    id="chaytor.PGS",
    module=__name__,
    source="Chaytor, chapter 2, on perturbed generalization",
    title="one record of each group gives poor estimates",
    statement=(
        r"\operatorname{Var}\hat f_{\text{one of each group}} \ge k\,"
        r"\operatorname{Var}\hat f_{\text{all records}},\quad k = \min_g |g|"
    ),
    words=(
        "True, and by how much: perturb every record uniformly, and publish of each group of at least k "
        "records one, chosen uniformly, with the group's size. The unbiased estimate of how many records"
        " have a value has at least k times the variance of the estimate from all perturbed records: k "
        "times exactly if every group has k records of which all have the value or none. Without the "
        "group's size, which the text does not mention, nothing can be estimated. Proof: a group of g "
        "records, of which c have the value and r have not, adds g^2 t (1-t)/p^2 with t the mean of its "
        "records' chances a and b of showing it; all its records together add g (t (1-t) - c r "
        "(a-b)^2/g^2)/p^2. Checked by running all outcomes of small groups."
    ),
    hypotheses=(
        r"0 < p \le 1",
        r"\text{groups that do not depend on the sensitive values}",
        r"\text{the sizes } |g| \text{ are published}",
    ),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
)

PGG = Claim(
    id="chaytor.PGG",
    module=__name__,
    source="Chaytor, chapter 2, on perturbed generalization",
    title="generalized columns lose what cuts groups",
    statement=(
        r"\#(P \wedge s)\text{ of a group } g \text{ is any of } \min(a,\ |g|-a,\ c,\ |g|-c) + 1"
        r"\text{ whole numbers, and the release has one law},\quad a = |P\cap g|,\ c = \#_g s"
    ),
    words=(
        "True, and exactly of predicates that cut groups. If a of a group's records satisfy P, and c "
        "have the value s, the number that do both may be anything from max(0, a+c-|g|) to min(a, c): "
        "min(a, |g|-a, c, |g|-c) + 1 numbers, and the law of what is published is the same for all. So "
        "no estimator, whatever its variance, distinguishes them; the largest error is at least half of "
        "their range. Where every group is inside P or outside, nothing is lost. A mechanism that "
        "publishes the other columns as they are has an unbiased estimate for every P. Checked over all "
        "groups of up to five records."
    ),
    hypotheses=(r"0 \le p \le 1", r"\text{a group is published by its ranges}"),
    status=Status.VERIFIED,
    grade=Grade.EXACT,
    instances="groups of up to 5 records",
)


@PGS.derivation
def the_variance_within_a_group() -> Derivation:
    """Compare g t (1-t) with the sum of the records' own variances."""
    return Derivation(
        setting=(
            "Of a group c records show the value with chance a, and r with chance b; t is the mean of the "
            "chances. The record that is published shows it with chance t, and counts g times."
        ),
        steps=(
            Identity(
                name="mixing adds variance",
                says="g t (1-t) less the sum of the records' variances is c r (a-b)^2/g, at least 0.",
                variables={"c": 1, "r": 0, "a": 0, "b": 0},
                left=lambda c, r, a, b: (
                    (c * a + r * b) * (c + r - c * a - r * b) / (c + r) - c * a * (1 - a) - r * b * (1 - b)
                ),
                right=lambda c, r, a, b: c * r * (a - b) ** 2 / (c + r),
            ),
        ),
        conclusion=(
            "So g^2 t (1-t) is at least g, and so at least k, times the sum of the records' variances, with "
            "equality for c = 0 or r = 0 in groups of k. Groups are independent, and variances add."
        ),
    )


def _released(values: Sequence[int], keep: Fraction, domain: int) -> dict[int, Fraction]:
    """Return the law of the one published value of a group: every record is perturbed, and one is taken."""
    law: defaultdict[int, Fraction] = defaultdict(Fraction)
    size = len(values)
    for shown in product(range(domain), repeat=size):
        chance = Fraction(1, size)
        for own, other in zip(values, shown, strict=True):
            chance *= keep * (own == other) + (1 - keep) / domain
        for value in shown:
            law[value] += chance
    return dict(law)


def _moments(values: Sequence[int], keep: Fraction, domain: int) -> tuple[Fraction, Fraction]:
    """Return mean and variance of the estimate of how many have the value 0, from the released one."""
    law, size = _released(values, keep, domain), len(values)
    estimates = {value: size * ((value == 0) - (1 - keep) / domain) / keep for value in law}
    mean = sum((chance * estimates[value] for value, chance in law.items()), Fraction(0))
    squares = sum((chance * estimates[value] ** 2 for value, chance in law.items()), Fraction(0))
    return mean, squares - mean**2


@PGS.computation(
    cases=1350,
    perturbed=(
        "splu_proofs.chaytor.perturbed_generalization:_moments larger",
        "splu_proofs.chaytor.perturbed_generalization:_released larger",
    ),
)
def every_outcome_of_small_groups() -> Comparisons:
    """Run groups of one to four records, domains of two and three values, and three retentions."""
    equal = larger = 0
    for domain, keep in product((2, 3), (Fraction(1, 4), Fraction(1, 2), Fraction(1))):
        replaced = (1 - keep) / domain
        for size in range(1, 5):
            for values in product(range(domain), repeat=size):
                mean, variance = _moments(values, keep, domain)
                yield (mean, "=", values.count(0), f"{values}: the mean is {mean}")
                chances = [keep * (value == 0) + replaced for value in values]
                every = sum((chance * (1 - chance) for chance in chances), Fraction(0)) / keep**2
                yield (variance, ">=", size * every, f"{values}: {variance} is below {size} times {every}")
                alike = len({value == 0 for value in values}) == 1
                yield ((variance == size * every), "=", (alike or size == 1), f"{values}: equality")
                equal, larger = equal + (variance == size * every), larger + (variance > size * every)


@PGG.computation(cases=205, perturbed="min(satisfying, count) => satisfying")
def every_predicate_of_small_groups() -> Comparisons:
    """Compare the laws of all groups of up to five records with the numbers that a predicate may have."""
    keep = Fraction(1, 3)
    for size in range(1, 6):
        laws: defaultdict[int, set[tuple[Fraction, ...]]] = defaultdict(set)
        found: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
        for values in product(range(2), repeat=size):
            count = values.count(0)
            law = _released(values, keep, 2)
            laws[count].add((law[0], law[1]))
            for satisfying in range(size + 1):
                for records in combinations(range(size), satisfying):
                    found[satisfying, count].add(sum(values[record] == 0 for record in records))
        for some in laws.values():
            yield (len(some), "=", 1, "the law depends on who has the value")
        yield (len(set.union(*laws.values())), "=", size + 1, "two counts have one law")
        for (satisfying, count), numbers in found.items():
            least, most = max(0, satisfying + count - size), min(satisfying, count)
            yield (numbers, "=", set(range(least, most + 1)), f"{satisfying} of {size}, {count}: {numbers}")
            width = min(satisfying, size - satisfying, count, size - count)
            yield (most - least, "=", width, f"{satisfying} of {size}, {count}: {most - least}")
