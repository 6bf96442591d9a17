"""chaytor.HOM, chaytor.ALL, chaytor.ALLc, chaytor.CORR: published groups, and values learned in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product

from splu_ref.channels import posterior, retention

from ..terms import Case, Claim, Comparisons, Derivation, Grade, Inequality, Status, Witness
from ..worlds.histograms import histograms

HOM = Claim(
    id="chaytor.HOM",
    module=__name__,
    source="Chaytor, chapter 1",
    title="k-anonymity leaves the homogeneity attack",
    statement=r"\text{for each } k\colon \text{some } k\text{-anonymous table has } \Pr[X_i = x \mid Y] = 1",
    words=(
        "True for every k: k records that agree in the quasi-identifiers and in the sensitive value are "
        "k-anonymous, and the value of each is certain. Nothing in the definition looks at the sensitive "
        "column. Of the m^k ways to fill a group of k with m values, m are homogeneous, so large groups of "
        "varied values are rarely so; the guarantee does not say which table one has."
    ),
    hypotheses=(r"k \ge 1",),
    status=Status.VERIFIED,
    grade=Grade.EXACT,
    instances="groups of up to 6 records with 3 values",
)


@HOM.computation(cases=24, perturbed="splu_proofs.chaytor.partitions:_after larger")
def every_group_of_small_size() -> Comparisons:
    """Fill groups of up to 6 records with 3 values in all ways, and find the certain ones."""
    for k in range(1, 7):
        certain = [
            group for group in product(range(3), repeat=k) if max(Counter(group).values()) == len(group)
        ]
        yield (len(certain), "=", 3, f"k = {k}: {len(certain)} groups are homogeneous")
        for group in certain:
            yield (_after(group, (), group[0]), "=", 1, f"k = {k}: not certain")


def _after(group: tuple[int, ...], known: tuple[int, ...], value: int) -> Fraction:
    """Return the chance that the first record has ``value``, the values of the last ones known.

    The group's values are published without their order, and every order is equally likely beforehand.
    """
    orders = [order for order in permutations(group) if order[len(order) - len(known) :] == known]
    return Fraction(sum(order[0] == value for order in orders), len(orders))


ALL = Claim(
    id="chaytor.ALL",
    module=__name__,
    source="Chaytor, chapter 2, on partition-based schemes",
    title="all partition-based schemes fall to corruption",
    statement=(
        r"\max_v \frac{c_v}{g} \le \frac1\ell,\ \text{one value of the group known} \;\Longrightarrow\; "
        r"\max_v \Pr[X_i = v] > \frac1\ell"
    ),
    words=(
        "False as it stands. A group that is more diverse than was promised has room: three records with "
        "different values, promised to show no value with more than 1/2, still keep the promise when one "
        "value is learned, 1/2 each. A promise that is just kept falls with the first value learned, and "
        "every group falls in the end: see chaytor.ALLc. It also speaks only of groups whose true values "
        "are published. Where the values are perturbed first, corruption of others leaves the perturbation "
        "(chaytor.CORR)."
    ),
    hypotheses=(r"\ell \ge 2", r"\text{a group's values are published without their order}"),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    corrected_by="chaytor.ALLc",
    tests=("tests/docs/test_witnesses.py::test_three_different_values_bear_one_that_is_learned",),
)


@ALL.refutation
def three_different_values() -> Witness:
    """Three records with different values and the promise of 1/2."""
    return Witness(
        parameters={"counts": (1, 1, 1), "l": 2},
        premises=(lambda _counts, bound: bound >= 2, "every order of the values is equally likely"),
        allowed=lambda *_: Fraction(0),
        actual=lambda counts, bound: Fraction(_survives(counts, bound)),
        printed=Fraction(0),
        true=Fraction(1),
        smaller=_smaller_groups,
        count=1,
        order="the size of the group",
        perturbed="splu_proofs.chaytor.partitions:_after larger",
        by_hand=(
            "Before, each value has 1/3 <= 1/2. With one value known, the two others have 1/2 each, which is "
            "not more than 1/2. The numbers say whether the promise survives: 0 by the statement, 1 in truth."
        ),
    )


def _smaller_groups() -> Iterator[Case]:
    """Generate all groups of one and two records that meet the condition of some l."""
    for size in (1, 2):
        for histogram in histograms(size):
            for bound in range(2, size + 1):
                if bound * max(histogram) <= size:
                    yield histogram, bound


def _survives(histogram: tuple[int, ...], bound: int) -> bool:
    """Whether no record has a value with more than 1/l after any one other value is learned."""
    group = tuple(value for value, count in enumerate(histogram) for _ in range(count))
    return all(
        _after(group, (known,), value) <= Fraction(1, bound) for known in set(group) for value in set(group)
    )


ALLC = Claim(
    id="chaytor.ALLc",
    module=__name__,
    source="corrects Chaytor, chapter 2, on partition-based schemes",
    title="how many values must be learned in a group",
    statement=(
        r"\Pr[X_i = v \mid j \text{ known}] = \frac{c_v - j_v}{g-j};\qquad \le \frac1\ell \text{ for all "
        r"choices of } j \iff j \le g - \ell \max_v c_v"
    ),
    words=(
        "In a group of g records whose values are published without their order, j learned values of which "
        "j_v are v leave v with (c_v - j_v)/(g - j). The adversary does best by learning other values than "
        "the most frequent one. A promise of 1/l survives j of them exactly if l times the largest count is "
        "at most g - j: the room that the group has. If it is kept with equality, the first value learned "
        "breaks it, and g - max c values learned leave certainty in every group."
    ),
    hypotheses=(
        r"1 \le j \le g - \max_v c_v",
        r"\ell \ge 2",
        r"\text{every order equally likely beforehand}",
    ),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
)


@ALLC.derivation
def what_is_left_of_the_group() -> Derivation:
    """Compare what is left with the promise, in whole records."""
    return Derivation(
        setting=(
            "c is the count of a value, i of the j learned values are it, l is the promise's denominator. "
            "Given the learned ones all orders of the rest are equally likely, so the value has (c-i)/(g-j)."
        ),
        steps=(
            Inequality(
                name="with room the promise survives",
                says="l c <= g - j gives l (c - i) <= g - j.",
                variables=("g", "j", "l", "c", "i"),
                given=lambda g, j, bound, c, i: (g - j - bound * c, j, bound, c - i, i),
                slack=lambda d, j, bound, e, i: (d + j + bound * (e + i), j, bound, e + i, i),
                then=lambda g, j, bound, c, i: g - j - bound * (c - i),
            ),
            Inequality(
                name="without room it falls",
                says="l c >= g - j + 1, and no learned value is it: 2 (l c - (g - j)) >= 1, c/(g-j) > 1/l.",
                variables=("g", "j", "l", "c"),
                given=lambda g, j, bound, c: (bound * c - g + j - 1, g, bound, c),
                slack=lambda d, g, bound, c: (g, d + g - bound * c + 1, bound, c),
                then=lambda g, j, bound, c: 2 * (bound * c) - 2 * (g - j) - 1,
            ),
        ),
        conclusion=(
            "With the largest count for c: the promise survives every choice of j values exactly if "
            "j <= g - l c. At j = g - c the rest is c records with one value."
        ),
    )


@ALLC.computation(cases=1717, perturbed="splu_proofs.chaytor.partitions:_after larger")
def every_small_group() -> Comparisons:
    """Learn every choice of values in all groups of up to 5 records, and compare with the rule."""
    for size in range(2, 6):
        for histogram in histograms(size):
            if tuple(sorted(histogram, reverse=True)) != histogram:
                continue
            group = tuple(value for value, count in enumerate(histogram) for _ in range(count))
            most = max(histogram)
            for j in range(1, size - most + 1):
                worst = Fraction(0)
                for known in set(permutations(group, j)):
                    left = Counter(group) - Counter(known)
                    for value in set(group):
                        chance = _after(group, known, value)
                        yield (
                            chance,
                            "=",
                            Fraction(left[value], size - j),
                            f"{histogram}, {known}: {chance}",
                        )
                        worst = max(worst, chance)
                for bound in range(2, size + 1):
                    yield (
                        (worst <= Fraction(1, bound)),
                        "=",
                        (j <= size - bound * most),
                        f"{histogram}, j = {j}",
                    )
                yield worst if j >= size - most else 1, "=", 1, f"{histogram}, j = {j}: certainty"


CORR = Claim(
    id="chaytor.CORR",
    module=__name__,
    source="Chaytor, §2.1.2 and chapter 3",
    title="corruption hits groups and not perturbation",
    statement=(
        r"X_i \text{ independent: } \Pr[X_i \mid Y, X_{-i}] = \Pr[X_i \mid Y_i],\qquad \text{in a group: } "
        r"\Pr[X_i = v \mid g - c_v \text{ others known}] = 1"
    ),
    words=(
        "True of records that are independent beforehand: the values of others do not change what is known "
        "of one that was perturbed, while in a group whose values are published they can make it certain. "
        "It is the adversary's prior that decides: who knows the exact counts of the column, and all other "
        "records, knows the last one under either scheme. For three records with the counts 2 and 1, two of "
        "them learned, the third is certain whatever is published. That the "
        "exact counts are not known is part of the claim."
    ),
    hypotheses=(r"\text{independent records}", r"\text{each value perturbed independently}"),
    status=Status.VERIFIED,
    grade=Grade.EXACT,
    instances="three records, two values",
    rests_on=("chaytor.INDc", "chaytor.ALLc"),
)


@CORR.computation(
    cases=41,
    perturbed=("splu_ref.channels.beliefs:posterior larger", "splu_proofs.chaytor.partitions:_after larger"),
)
def three_records() -> Comparisons:
    """Learn two of three records under independent priors, in a group, and with known counts."""
    p = Fraction(1, 2)
    channel = retention(p, {0: Fraction(1, 2), 1: Fraction(1, 2)})
    tables = list(product(range(2), repeat=3))
    law = {1: Fraction(1, 3), 0: Fraction(2, 3)}
    for seen in tables:
        joint = {table: _chance(table, seen, law) for table in tables}
        for known in product(range(2), repeat=2):
            given = joint[(1, *known)] / (joint[(0, *known)] + joint[(1, *known)])
            yield (given, "=", posterior(channel, law, seen[0])[1], f"{seen}, {known}: others disclose it")
        counted = {table: part for table, part in joint.items() if sum(table) == 1}
        left = {table[0] for table in counted if table[1:] == (0, 1)}
        yield (left, "=", {0}, "the counts leave a doubt")
    yield (_after((0, 0, 1), (0, 1), 0), "=", 1, "the group leaves a doubt")


def _chance(table: tuple[int, ...], seen: tuple[int, ...], law: dict[int, Fraction]) -> Fraction:
    """Return the chance of a table with what is seen of it, at p = 1/2 on two values."""
    chance = Fraction(1)
    for own, label in zip(table, seen, strict=True):
        chance *= law[own] * (Fraction(3, 4) if own == label else Fraction(1, 4))
    return chance
