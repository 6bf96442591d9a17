"""olap.B, olap.Bc: the share of a range among uniform replacements."""

from __future__ import annotations

from fractions import Fraction

from ..printed.range_share import share
from ..terms import (
    Claim,
    Comparisons,
    Derivation,
    Gives,
    Grade,
    Identity,
    Quantity,
    Relation,
    Status,
    Witness,
)

B = Claim(
    id="olap.B",
    module=__name__,
    source="Agrawal et al. 2005, §4.1",
    title="the share of a range among the replacements",
    statement=r"b = \frac{\mathit{high}-\mathit{low}}{\max-\min}",
    words=(
        "False for whole numbers, such as the ages, hours and levels of education that the paper works with: "
        "it counts steps between numbers, and not numbers. A range of one number has the share 0. True for a "
        "column with a density, and for the range of all values. The estimate of a count that uses it is "
        "too large by (1-p)/p times the difference, whatever the size of the table: see olap.Bc."
    ),
    hypotheses=(r"\text{replacements uniform over the whole numbers } \min, \dots, \max",),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    corrected_by="olap.Bc",
)


@B.refutation
def two_numbers() -> Witness:
    """Take the numbers 0 and 1, and the range of 0 alone."""
    return Witness(
        parameters={"min": 0, "max": 1, "low": 0, "high": 0},
        premises=("every whole number from min to max is counted once",),
        allowed=lambda least, most, low, high: share(low, high, least, most),
        actual=lambda least, most, low, high: _counted(low, high, least, most),
        sign="=",
        printed=Fraction(0),
        true=Fraction(1, 2),
        none_smaller="a column of one value has nothing to replace by",
        order="the number of values; a column of one value has nothing to replace by",
        perturbed="splu_proofs.olap.share_of_range:_counted larger",
        by_hand="One of the two numbers lies in the range: 1/2. The printed share is (0 - 0)/(1 - 0) = 0.",
    )


def _counted(low: int, high: int, least: int, most: int) -> Fraction:
    """Return how many of the numbers from ``least`` to ``most`` lie in the range."""
    numbers = range(least, most + 1)
    return Fraction(sum(low <= number <= high for number in numbers), len(numbers))


SHARE = Relation(
    variables=(r"\mathit{low}", r"\mathit{high}", r"\min", r"\max"),
    left=Quantity("b", _counted),
    sign="=",
    right=lambda low, high, least, most: (high - low + 1) / (most - least + 1),
    cases=lambda: (
        (low, high, least, least + steps)
        for least in (0, 3) for steps in (1, 4) for low in range(least, least + steps + 1)
        for high in range(low, least + steps + 1)
    ),
)  # fmt: skip

BC = Claim(
    id="olap.Bc",
    module=__name__,
    source="corrects Agrawal et al. 2005, §4.1",
    title="the share of a range of whole numbers",
    statement=(
        rf"{SHARE.latex},\qquad b - b_{{\text{{printed}}}} = \frac{{D-w}}{{D(D+1)}},\ D = \max-\min,\ w = "
        r"\mathit{high}-\mathit{low}"
    ),
    asserts=(SHARE,),
    words=(
        "A range of whole numbers holds high - low + 1 of max - min + 1 numbers. The printed share is "
        "smaller by (D-w)/(D(D+1)), which is 0 only for the whole range. An estimated share of records that "
        "uses the printed b is too large by (1-p)/p of that on average: for the ages 25 to 45 of 17 to 90 "
        "at p = 1/5 by .039 of all records. The library takes declared domains, value by value."
    ),
    hypotheses=(r"\min \le \mathit{low} \le \mathit{high} \le \max", r"\min < \max", r"0 < p < 1"),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
    licenses=("splu_ref.mechanisms.retention_replacement",),
    tests=("tests/mechanisms/test_retention_replacement.py::test_a_tape_decides_coin_and_value_at_once",),
)


@BC.derivation
def numbers_and_steps() -> Derivation:
    """Count numbers, compare with steps, and carry the difference into the estimate."""
    return Derivation(
        setting=(
            "D = max - min, w = high - low. f is the true share of records in the range, so that on average "
            "a share of p f + (1-p) b is published in it. The estimate subtracts (1-p) B and divides by p."
        ),
        steps=(
            Identity(
                name="numbers in a range",
                says="The share of the numbers up to high, less that of the numbers below low.",
                variables={"low": 0, "high": 0, "min": 0, "max": 20},
                left=lambda low, high, least, most: (
                    (high - least + 1) / (most - least + 1) - (low - least) / (most - least + 1)
                ),
                right=lambda low, high, least, most: (high - low + 1) / (most - least + 1),
            ),
            Identity(
                name="the difference",
                says="(w+1)/(D+1) - w/D = (D-w)/(D(D+1)).",
                variables={"w": 0, "D": 1},
                left=lambda w, d: (w + 1) / (d + 1) - w / d,
                right=lambda w, d: (d - w) / (d * (d + 1)),
            ),
            Identity(
                name="the estimate with another share",
                says="(p f + (1-p) b - (1-p) B)/p = f + (1-p)/p (b - B).",
                variables={"p": 1, "f": 0, "b": 0, "B": 0},
                left=lambda p, f, b, other: (p * f + (1 - p) * b - (1 - p) * other) / p,
                right=lambda p, f, b, other: f + (1 - p) / p * (b - other),
            ),
        ),
        conclusion="With the counted share the estimate has the mean f; with the printed one it has more.",
        gives=(
            Gives(
                relation=SHARE,
                step="numbers in a range",
                of="right",
                at=lambda low, high, least, most: (low, high, least, most),
            ),
        ),
    )


@BC.computation(
    cases=1,
    perturbed=(
        "splu_proofs.olap.share_of_range:_counted larger",
        "splu_proofs.printed.range_share:share larger",
    ),
)
def the_ages_of_the_experiments() -> Comparisons:
    """Compute the mean error of the printed share for ages 25 to 45 of 17 to 90 at p = 1/5."""
    more = 4 * (_counted(25, 45, 17, 90) - share(25, 45, 17, 90))
    yield (more, "=", 4 * Fraction(53, 73 * 74), f"the error is {more}")


@BC.enumeration(
    cases=24,
    perturbed=(
        "splu_ref.mechanisms.retention_replacement:RetentionReplacement.publish_rows larger",
        "splu_proofs.worlds.replaced:published larger",
    ),
)
def the_shipped_replacements_are_counted() -> Comparisons:
    """Replace one number by the shipped mechanism over every outcome, and count ranges."""
    from ..worlds import replaced  # noqa: PLC0415  it loads numpy and the library

    for size in (2, 3, 5):
        law = replaced.published((0,), size, Fraction(0))
        for low in range(size):
            for high in range(low, size):
                inside = sum((chance for (code,), chance in law.items() if low <= code <= high), Fraction(0))
                yield (inside, "=", Fraction(high - low + 1, size), f"{low} to {high} of {size}: {inside}")
