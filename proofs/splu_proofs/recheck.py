"""The judges of a step: exact arithmetic on a determining grid, and an SMT solver. None uses SymPy.

Identities
    Two rational functions agree if the numerator of their difference, of degree at most d_i in variable i,
    vanishes on a grid of d_i + 1 points in every variable. `on_grid` finds the d_i (`splu_proofs.degree`) and
    evaluates both sides there in fractions.
Inequalities
    A polynomial h over integers s_i >= 0 equals the sum of D^k h(0) times products of C(s_i, k_i), where D^k
    are forward differences, up to its degree in each variable. If all are >= 0, then h >= 0 everywhere.
    `by_differences` computes them from values of h at integers. `by_solver` looks for a counterexample among
    the smallest points, and asks z3 for one.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod

from .degree import Degree
from .step import Formula, Identity, Inequality, Opinion

INSTALL = "not re-checked here: install splu-ref[proofs]"
SOLVER_EFFORT = 2_000_000
"""z3's own count of work, which, unlike a time limit, is the same on every machine."""


def on_grid(step: Identity) -> Opinion:
    """Judge an identity by evaluating both sides in fractions on a grid that determines them."""
    starts = tuple(step.variables.values())
    return _agree(step.left, step.right, starts)


def by_differences(step: Inequality) -> Opinion:
    """Judge an inequality over the integers by the signs of forward differences in its slacks.

    That the slacks reach every case is part of the check: ``given`` and ``slack`` must be inverse to
    each other, as identities, and ``given`` must be whole at whole points: only then do the whole slacks, at
    which the differences speak, reach every whole point.
    """
    count = len(step.variables)
    for index in range(count):
        if not _whole(_part(step.given, index), count):
            return Opinion(False, f"hypothesis {index + 1} is not a whole number at every whole point")
    for index in range(count):
        if not _agree(
            _part(_composed(step.given, step.slack), index), _projection(index), (0,) * count
        ).holds:
            return Opinion(False, f"hypothesis {index + 1} is not the slack that stands for it")
        if not _agree(
            _part(_composed(step.slack, step.given), index), _projection(index), (0,) * count
        ).holds:
            return Opinion(False, f"the slacks do not reach every value of {step.variables[index]}")
    return _nonnegative(_composed(step.then, step.slack), count)


def by_solver(step: Inequality) -> Opinion:
    """Judge an inequality over the integers by asking z3 for a counterexample."""
    try:
        import z3  # noqa: PLC0415  slow to import
    except ImportError:
        return Opinion(None, INSTALL)
    for point in product(range(3), repeat=len(step.variables)):
        # On some polynomials the solver takes long to see what any small point shows.
        if all(difference >= 0 for difference in step.given(*point)) and step.then(*point) < 0:
            at = ", ".join(f"{v} = {number}" for v, number in zip(step.variables, point, strict=True))
            return Opinion(False, f"the smallest points show the counterexample {at}")
    context = z3.Context()  # of its own: in a shared one the work depends on earlier queries
    variables = z3.Ints(" ".join(step.variables), context)
    solver = z3.Solver(ctx=context)
    solver.set("rlimit", SOLVER_EFFORT)
    solver.add(*(difference >= 0 for difference in step.given(*variables)))
    solver.add(step.then(*variables) < 0)
    answer = solver.check()
    if answer == z3.unsat:
        return Opinion(True, "z3 finds no counterexample over all integers")
    if answer == z3.sat:
        model = solver.model()
        at = ", ".join(f"{v} = {model.eval(v, model_completion=True)}" for v in variables)
        return Opinion(False, f"z3 finds the counterexample {at}")
    return Opinion(None, "z3 gave up within its allowance of work")


def _whole(formula: Formula, count: int) -> bool:
    """Whether a polynomial is whole at every whole point: it is if it is so on a grid that determines it."""
    degrees = (Degree.variables(count)[0] * 0 + formula(*Degree.variables(count))).above
    points = product(*(range(degree + 1) for degree in degrees))
    return all(Fraction(formula(*map(Fraction, point))).denominator == 1 for point in points)


def _agree(left: Formula, right: Formula, starts: Sequence[int]) -> Opinion:
    symbols = Degree.variables(len(starts))
    difference = symbols[0] * 0 + left(*symbols) - right(*symbols)
    points = 0
    for point in product(
        *(range(start, start + degree + 1) for start, degree in zip(starts, difference.above, strict=True))
    ):
        numbers = tuple(map(Fraction, point))
        try:
            if left(*numbers) != right(*numbers):
                return Opinion(False, f"the two sides differ at {point}")
        except ZeroDivisionError:
            return Opinion(False, f"a denominator vanishes at {point}: start the grid elsewhere")
        points += 1
    degrees = ", ".join(map(str, difference.above))
    return Opinion(
        True, f"equal in fractions at {points} points; the numerator has degree at most ({degrees})"
    )


def _nonnegative(formula: Formula, count: int) -> Opinion:
    degrees = (Degree.variables(count)[0] * 0 + formula(*Degree.variables(count))).above
    sizes = [degree + 1 for degree in degrees]
    table = {point: formula(*map(Fraction, point)) for point in product(*(range(size) for size in sizes))}
    for axis, size in enumerate(sizes):
        for order in range(1, size):
            for point in sorted(table, reverse=True):
                if point[axis] >= order:
                    before = (*point[:axis], point[axis] - 1, *point[axis + 1 :])
                    table[point] -= table[before]
    for orders, difference in table.items():
        if difference < 0:
            return Opinion(False, f"the forward difference of orders {orders} is {difference}")
    return Opinion(True, f"all {prod(sizes)} forward differences in the slacks are at least 0")


def _composed(outer: Formula, inner: Formula) -> Formula:
    return lambda *variables: outer(*inner(*variables))


def _part(formula: Formula, index: int) -> Formula:
    return lambda *variables: formula(*variables)[index]


def _projection(index: int) -> Formula:
    return lambda *variables: variables[index]
