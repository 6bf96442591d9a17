"""olap.T2 and olap.T2c: when the inversion is the likeliest solution."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import prod

from ..terms import Claim, Comparisons, Grade, Status, Witness
from .states import Vector, inverted, matrix, published

T2 = Claim(
    id="olap.T2",
    module=__name__,
    source="Agrawal, Srikant and Thomas 2005, §4.2, Theorem 2",
    title="the inversion maximizes the relaxed likelihood",
    statement=r"x = yA^{-1} \text{ maximizes } \prod_v (xA)_v^{y_v} \text{ subject to } \sum_u x_u = n",
    words=(
        "False as soon as no record is published in some state. The factor of that state is 1 whatever "
        "(xA)_v is, so (xA)_v may be made negative and the others as large as one likes: the likelihood has "
        "no maximum. With one column, one record published outside the set and p = b = 1/2 the inversion has "
        "likelihood 1, and x = (5/2, -3/2) has 3/2. The printed proof sets the partial derivatives to zero "
        "and divides by y_v. What is missing is that the expected counts xA must not be negative, olap.T2c."
    ),
    hypotheses=(r"p_r > 0", r"y_v \ge 0"),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    corrected_by="olap.T2c",
)

T2C = Claim(
    id="olap.T2c",
    module=__name__,
    source="corrects Agrawal, Srikant and Thomas 2005, §4.2, Theorem 2",
    title="the inversion maximizes the likelihood of expected counts",
    statement=(
        r"\prod_v (xA)_v^{y_v} \le \prod_v y_v^{y_v} \text{ for } \sum_u x_u = n,\ xA \ge 0,"
        r"\text{ with equality for } x = yA^{-1} \text{ alone}"
    ),
    words=(
        "Empty states or not, among all x with expected counts q = xA that are not negative and add up to "
        "n, the inversion is the only likeliest one: by log t <= t - 1 the sum of y_v log(q_v / y_v) over "
        "the states with y_v > 0 is at most the sum of q_v - y_v over them, which is at most n - n = 0, "
        "and both are equalities only if q = y. A is invertible for p > 0, so each q belongs to one x. "
        "That x may have negative entries; if it has none it is the likeliest among counts too."
    ),
    hypotheses=(r"p_r > 0", r"y_v \ge 0"),
    status=Status.CORRECTED,
    grade=Grade.EXACT,
    instances="up to 4 records, expected counts in sixths",
    licenses=("splu_ref.estimators.queries.record_states",),
    tests=(
        "tests/estimators/test_interior_point.py::test_an_interior_inversion_is_the_maximum_from_any_start",
        "tests/estimators/test_channel_estimator.py::test_several_columns_of_a_release",
    ),
)
HALF = Fraction(1, 2)


def likelihood(expected: Vector, seen: tuple[int, ...]) -> Fraction:
    """Return the product of expected counts to the power of the published ones."""
    return prod((q**y for q, y in zip(expected, seen, strict=True)), start=Fraction(1))


@T2.refutation
def smallest_counterexample() -> Witness:
    """One record, published outside the set: another x with the same sum is likelier."""
    return Witness(
        parameters={"p": HALF, "b": HALF, "y": (1, 0), "x": (Fraction(5, 2), Fraction(-3, 2))},
        premises=(lambda p, _b, _y, _x: p > 0, lambda _p, _b, y, _x: min(y) >= 0),
        allowed=lambda p, b, y, _x: _at(inverted(y, matrix([(p, b)])), p, b, y),
        actual=lambda p, b, y, x: _at(x, p, b, y),
        printed=Fraction(1),
        true=Fraction(3, 2),
        none_smaller="one record in one column is the smallest table",
        order="k, then n; the quantity is the likelihood, at x = yA^-1 and at another x",
        perturbed="splu_proofs.olap.likelihood:likelihood larger",
        by_hand=(
            "A = [[3/4, 1/4], [1/4, 3/4]]. x = yA^-1 = (3/2, -1/2) has xA = (1, 0) and likelihood 1. For x "
            "= (5/2, -3/2), the sum is 1 again and (xA)_0 = 15/8 - 3/8 = 3/2."
        ),
    )


@T2C.computation(cases=5140, perturbed="Fraction(y) for y in seen => Fraction(n, states) for y in seen")
def every_small_table_against_a_grid() -> Comparisons:
    """Compare the inversion with all expected counts in steps of a sixth of a record, up to four records."""
    for states, most in ((2, 4), (4, 2)):
        for seen in _compositions(states, most):
            n = sum(seen)
            best = likelihood(tuple(Fraction(y) for y in seen), seen)
            for sixths in _summing(states, 6 * n):
                expected = tuple(Fraction(part, 6) for part in sixths)
                same = all(q == y for q, y in zip(expected, seen, strict=True))
                value = likelihood(expected, seen)
                yield value, "=" if same else "<", best, f"y = {seen}, q = {expected}"


@T2C.computation(
    cases=76,
    perturbed=("splu_ref.channels.channel:Channel.inputs larger", "splu_proofs.olap.states:inverted larger"),
)
def every_expected_count_belongs_to_one_x() -> Comparisons:
    """Invert and multiply again, with one and two columns."""
    for keep, share, other in product((Fraction(1, 5), HALF), (Fraction(1, 10), HALF), (Fraction(1, 3),)):
        for sides in ([(keep, share)], [(keep, share), (keep, other)]):
            law = matrix(sides)
            for seen in _compositions(2 ** len(sides), 2):
                back = published(inverted(seen, law), law)
                yield (back, "=", tuple(map(Fraction, seen)), f"{seen} comes back as {back}")


def _compositions(parts: int, most: int) -> Iterator[tuple[int, ...]]:
    return (seen for n in range(1, most + 1) for seen in _summing(parts, n))


def _summing(parts: int, total: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _summing(parts - 1, total - first):
            yield (first, *rest)


def _at(x: Vector, p: Fraction, b: Fraction, seen: tuple[int, ...]) -> Fraction:
    """Return the likelihood of one column's published counts at x."""
    return likelihood(published(x, matrix([(p, b)])), seen)
