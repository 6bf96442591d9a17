"""Points of the front: what each operator achieves, and which are beaten."""

from __future__ import annotations

from fractions import Fraction

from splu_ref.channels import constant, diagonal, identity, retention
from splu_ref.guarantees.operators.front import Point, front

COUNTS = {"a": 2, "b": 1}


def test_points_by_hand() -> None:
    found = front(
        {
            "all": identity("ab"),
            "none": constant("ab", {"a": 1, "b": 0}),
            "two thirds": diagonal("ab", "2/3"),
            "rarely": retention("1/3", {"a": 0, "b": 1}),
        },
        COUNTS,
    )
    # At 2/3 both published values have two guesses of three right; (2/9) of each record over (1/3)^2.
    assert found == [
        (Point("all", Fraction(0), Fraction(1), Fraction(0)), True),
        (Point("none", Fraction(1, 3), Fraction(2, 3), None), False),
        (Point("two thirds", Fraction(1, 3), Fraction(4, 5), Fraction(6)), False),
        (Point("rarely", Fraction(1, 3), Fraction(1), Fraction(4)), True),
    ]


def test_a_bound_on_the_largest_posterior_leaves_operators_out() -> None:
    operators = {"two thirds": diagonal("ab", "2/3"), "rarely": retention("1/3", {"a": 0, "b": 1})}
    assert [(point.name, best) for point, best in front(operators, COUNTS, Fraction(4, 5))] == [
        ("two thirds", True)
    ]


def test_which_point_beats_which() -> None:
    half, third = Fraction(1, 2), Fraction(1, 3)
    base = Point("", half, half, Fraction(2))
    for hidden, variance, beaten in (
        (half, Fraction(2), False), (half, Fraction(1), True), (third, Fraction(1), False),
        (Fraction(3, 4), Fraction(2), True), (Fraction(3, 4), Fraction(3), False),
        (Fraction(3, 4), None, False),
    ):  # fmt: skip
        assert base.dominated_by(Point("", hidden, half, variance)) == beaten
    blind = base._replace(variance=None)
    assert blind.dominated_by(base)
    assert not base.dominated_by(blind)
    assert blind.dominated_by(blind._replace(hidden=Fraction(3, 4)))
