"""splu.I: the printed iteration is not EM. Its likelihood can fall, and its stopping rule can fail."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TypeAlias

from ..printed.iteration import TOLERANCE, likelihood, reconstruct, relative_change, step
from ..terms import Case, Claim, Comparisons, Derivation, Grade, Identity, Status, Witness

Interval: TypeAlias = tuple[Fraction, Fraction]

I = Claim(  # noqa: E741  the name of the row
    id="splu.I",
    module=__name__,
    source="Fu et al. 2014, §5.1, equation (13), and §5.2, equation (14)",
    title="the printed iteration",
    statement=(
        r"x_i^{t+1}=\sum_j y_j\frac{a^t_{ij}x^t_i}{\sum_r a^t_{rj}x^t_r},\ x^0=y:\quad "
        r"L(x^{t+1})\ge L(x^t),\text{ until }\max_i\frac{|x_i^{t+1}-x_i^t|}{x_i^t}\le 0.01"
    ),
    words=(
        "As an EM iteration it would raise the likelihood at every step, and it does not: its matrix moves "
        "with x, and the likelihood L(x) = prod p_j(x)^y_j of what was published can fall, already at the "
        "first step. Among tables with gamma dividing N, every y_i >= 1 and f' < N/gamma the smallest has N "
        "= 15, gamma = 3; if N may be no multiple of gamma, y = (1, 1, 6, 1) with gamma = 4 is smaller. "
        "Where a y_i is 0 the stopping rule asks for 0/0, and the state stays at 0. Where a state tends to "
        "0, the rule need never stop in exact arithmetic; in double precision the case gamma = 5, y = "
        "(46000, 2400, 46000, 5600) takes 13490 steps, until x_1 cannot get smaller. The matrix used is "
        "wrong besides (splu.M1)."
    ),
    hypotheses=(r"\gamma \ge 2", r"\gamma \mid N", r"y_i \ge 1", r"f' < N/\gamma"),
    status=Status.REFUTED,
    grade=Grade.EXACT,
    rests_on=("splu.M1",),
    corrected_by="splu.Ic",
    tests=(
        "tests/docs/test_witnesses.py::test_equation_13",
        "tests/proofs/test_tensor_iteration.py::test_one_attribute_is_the_scalar_iteration",
    ),
)


def loss(y: tuple[int, ...], gamma: int) -> Fraction:
    """Return L(x^0) / L(x^1): above 1 if the first step lowers the likelihood."""
    start = tuple(map(Fraction, y))
    return likelihood(start, y, gamma) / likelihood(step(start, y, gamma), y, gamma)


def _tables(rows: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield gamma and y by gamma, then f', y3 and y0: all with y_i >= 1 and f' < N/gamma."""
    for gamma in range(2, rows + 1):
        if rows % gamma == 0:
            for published in range(2, (rows - 1) // gamma + 1):
                for y3 in range(1, published):
                    for y0 in range(1, rows - published):
                        yield gamma, (y0, published - y3, rows - published - y0, y3)


@I.refutation
def the_first_step_lowers_the_likelihood() -> Witness:
    """At gamma = 3, y = (1, 3, 10, 1) the first step divides the likelihood by 1.00546..."""
    return Witness(
        parameters={"gamma": 3, "y": (1, 3, 10, 1)},
        premises=(
            lambda gamma, _y: gamma >= 2,
            lambda gamma, y: sum(y) % gamma == 0,
            lambda _gamma, y: min(y) >= 1,
            lambda gamma, y: gamma * (y[1] + y[3]) < sum(y),
        ),
        allowed=lambda *_: Fraction(1),
        actual=lambda gamma, y: loss(y, gamma),
        printed=Fraction(1),
        true=_by_hand(),
        smaller=cases_before_the_witness,
        count=319,
        order=(
            "N, then gamma, f', y_3, y_0, over y with gamma | N, all y_i >= 1 and f' < N/gamma; the "
            "quantity is L(x^0)/L(x^1), which EM keeps at or below 1"
        ),
        perturbed="splu_proofs.printed.iteration:step larger",
        by_hand=(
            "f = 4, so a_01 = a_23 = 4/15. At x^0 = y the counts predicted are (41/15, 19/15, 8, 3), and "
            "(13) gives x^1 = (701/779, 2415/779, 181/18, 17/18). There f = 56713/14022 has moved, and with "
            "it the matrix. L is p_0 p_1^3 p_2^10 p_3, with p_j the predicted counts over 15."
        ),
    )


def _by_hand() -> Fraction:
    """Multiply out L(x^0)/L(x^1) from the numbers of the witness, without the iteration's code."""
    retained = Fraction(2415, 779) + Fraction(17, 18)
    gained = retained / 15
    outside = gained * Fraction(701, 779) + Fraction(805, 779)
    inside = gained * Fraction(181, 18) + Fraction(17, 54)
    before = Fraction(41, 15) * Fraction(19, 15) ** 3 * 8**10 * 3
    return before / ((4 - outside) * outside**3 * (11 - inside) ** 10 * inside)


def cases_before_the_witness() -> Iterator[Case]:
    """Generate every smaller table."""
    for rows in range(2, 16):
        for gamma, y in _tables(rows):
            if (gamma, y) == (3, (1, 3, 10, 1)):
                return
            yield gamma, y


@I.computation(
    cases=1,
    perturbed=("splu_proofs.splu.iteration:loss smaller", "splu_proofs.printed.iteration:step smaller"),
)
def without_whole_groups() -> Comparisons:
    """Show that a table whose N is no multiple of gamma is smaller, as no such table is published."""
    lost = loss((1, 1, 6, 1), 4)
    yield (lost, ">", 1, f"the likelihood does not fall: {lost}")


@I.computation(cases=3, perturbed="splu_proofs.splu.iteration:loss larger")
def how_much_it_loses() -> Comparisons:
    """Find the worst first step up to N = 24; c copies of a table raise the loss to the power c."""
    falls = 0
    worst_case: tuple[Fraction, int, tuple[int, ...]] = (Fraction(0), 0, ())
    for rows in range(4, 25):
        for gamma, y in _tables(rows):
            lost = loss(y, gamma)
            falls += lost > 1
            worst_case = max(worst_case, (lost, gamma, y))
    lost, gamma, y = worst_case
    yield (falls, ">", 0, "no first step lowers the likelihood")
    yield (lost, ">", 1, "no first step lowers the likelihood")
    yield (loss(tuple(2 * count for count in y), gamma), "=", lost**2, "two copies do not square the loss")


@I.computation(cases=6, perturbed="splu_proofs.printed.iteration:step larger")
def zero_over_zero_and_absorbed() -> Comparisons:
    """Put y_3 = 0: the state stays at 0, and the rule divides 0 by 0."""
    y = (5, 3, 7, 0)
    x = tuple(map(Fraction, y))
    for number in range(1, 4):
        after = step(x, y, 3)
        yield after[3], "=", 0, f"x_3 after {number} steps"
        try:
            change = str(relative_change(x, after))
        except ZeroDivisionError:
            change = "0/0"
        yield change, "=", "0/0", f"the rule after {number} steps"
        x = after


@I.computation(
    cases=53,
    perturbed=("splu_proofs.splu.iteration:_factor larger", "splu_proofs.printed.iteration:step larger"),
)
def the_rule_never_stops() -> Comparisons:
    """For gamma = 5, y = (46000, 2400, 46000, 5600): in a box around the whole path x_1 falls by over 1 %.

    The box is 0 < x_1 <= 2400, 5600 <= x_3 <= 15000, cut into cells until interval arithmetic shows in each
    that x_1' < 0.99 x_1 and 5600 < x_3' < 15000; the block sums fix the rest. So the path from y stays in
    the box, and the rule is not met at any step.
    """
    waiting = [((Fraction(0), Fraction(2400)), (Fraction(5600), Fraction(15000)))]
    while waiting:
        first, third = waiting.pop()
        if _falls_and_stays(first, third):
            continue
        yield third[1] - third[0], ">", 200, f"width of a cell at x_1 in {first}, x_3 in {third}"
        middles = (first[0] + first[1]) / 2, (third[0] + third[1]) / 2
        waiting += [
            (left, right)
            for left in ((first[0], middles[0]), (middles[0], first[1]))
            for right in ((third[0], middles[1]), (middles[1], third[1]))
        ]
    x, steps = reconstruct((46000, 2400, 46000, 5600), 5)
    yield steps, "=", 13490, "steps until double precision stops"
    yield Fraction(x[1]), "<", Fraction(1, 10**320), "x_1 where double precision stops"


def _falls_and_stays(first: Interval, third: Interval) -> bool:
    gained = (first[0] + third[0]) / 100_000, (first[1] + third[1]) / 100_000
    _, falls = _factor(gained, (48400 - first[1], 48400 - first[0]), first, (46000, 2400), 5)
    least, most = _factor(gained, (51600 - third[1], 51600 - third[0]), third, (46000, 5600), 5)
    return falls < 1 - TOLERANCE and least * third[0] > 5600 and most * third[1] < 15000


def _factor(
    gained: Interval, without: Interval, having: Interval, seen: tuple[int, int], gamma: int
) -> Interval:
    """Enclose x'/x of a state with s: (y_s/p_s)/gamma + (y_0/p_0)(gamma-1)/gamma, p the predicted counts."""
    kept = tuple(gained[i] * without[i] + having[i] / gamma for i in (0, 1))
    lost = tuple((1 - gained[1 - i]) * without[i] + having[i] * (gamma - 1) / gamma for i in (0, 1))
    low, high = (seen[1] / kept[1 - i] / gamma + seen[0] / lost[1 - i] * (gamma - 1) / gamma for i in (0, 1))
    return low, high


@I.flaw
def the_matrix_moves() -> Derivation:
    """Predict the published count from the next x with the old matrix, and with the new one."""
    return Derivation(
        setting=(
            "EM raises the likelihood under the matrix that its step used (splu.Ic). g and h are f/N before "
            "and after the step, and u, v the new x_2 and x_3."
        ),
        steps=(
            Identity(
                name="what moves besides x",
                says="(h u + v/gamma) - (g u + v/gamma) = (h - g) u: p_3 moves by (h - g) x_2 on its own.",
                variables={"gamma": 2, "g": 0, "h": 0, "u": 0, "v": 0},
                left=lambda gamma, g, h, u, v: (h * u + v / gamma) - (g * u + v / gamma),
                right=lambda _gamma, g, h, u, _v: (h - g) * u,
            ),
        ),
        conclusion="The step is aimed under one matrix and judged under another.",
    )
