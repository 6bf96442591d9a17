"""splu.PB: further records with s only widen the error of f' taken as the estimate of a conjunction."""

from __future__ import annotations

import math
from fractions import Fraction

from ..arithmetic.law import at_least, at_most, cumulative, error, trial_weight
from ..arithmetic.trials import MODE_RISES, NEXT
from ..terms import (
    Claim,
    Comparisons,
    Derivation,
    Grade,
    Identity,
    Inequality,
    Kernel,
    Quantity,
    Relation,
    Status,
)


def _window(gamma: int, f: int, epsilon: Fraction, x0: int) -> Fraction:
    within = range(math.ceil((1 - epsilon) * f - x0), math.floor((1 + epsilon) * f - x0) + 1)
    return sum((trial_weight(gamma, gamma * f, x) for x in within), Fraction(0))


NO_MORE_WITHIN = Relation(
    variables=("gamma", "f", "epsilon", "x0"),
    left=Quantity(
        r"\sum_{x=\lceil(1-\varepsilon)f-x_0\rceil}^{\lfloor(1+\varepsilon)f-x_0\rfloor}b(\gamma f;x)",
        _window,
    ),
    sign="<=",
    right=Quantity(
        r"\sum_{x=\lceil(1-\varepsilon)f\rceil}^{\lfloor(1+\varepsilon)f\rfloor}b(\gamma f;x)",
        lambda gamma, f, epsilon, _x0: _window(gamma, f, epsilon, 0),
    ),
    cases=lambda: (
        (gamma, f, epsilon, x0)
        for gamma in (2, 3, 5)
        for f in (1, 2, 3, 7)
        for epsilon in map(Fraction, ("1/10", "3/10", "1/2", "1", "3/2"))
        for x0 in range(f + 3)
    ),
)


PB = Claim(
    id="splu.PB",
    module=__name__,
    source="Fu et al. 2014, §5.3, before Theorem 4",
    title="ProbB is at most ProbA",
    statement=NO_MORE_WITHIN.latex,
    asserts=(NO_MORE_WITHIN,),
    words=(
        'True, for all gamma >= 2, f >= 1, epsilon > 0 and x0 >= 0; the paper calls it "easy to show" and '
        "gives no proof. Let f be the count of P and s. If x0 records get s from other groups, f' is within "
        "epsilon f of f with probability ProbB, against ProbA without them: a window moved down holds no "
        "more than one centered on the mean, although the law is skewed. But it speaks of f' as the estimate "
        "of the conjunction, and of no reconstruction from the published table."
    ),
    hypotheses=(r"\gamma \ge 2", r"f \ge 1", r"\varepsilon > 0", r"x_0 \ge 0 \text{ whole}"),
    status=Status.PROVED,
    grade=Grade.KERNEL,
    rests_on=("splu.B",),
    licenses=("splu_ref.audit.concepts:concept_minimum",),
    tests=("tests/audit/test_concepts.py::test_f_prime_as_the_estimate_is_worst_alone",),
    kernel=Kernel(
        theorems=(
            "ProbB.probB_le_probA",
            "ProbB.further_trials_do_not_help",
            "ProbB.other_records_do_not_help",
        ),
        covers=(
            "The whole statement, for every f >= 0, x0 >= 0 and rational epsilon > 0; and the same where "
            "x0 is random, the successes of further independent trials."
        ),
    ),
)


@PB.derivation
def pair_what_enters_with_what_leaves() -> Derivation:
    """Move the window down one step at a time, and compare the term that enters with the one that leaves."""
    return Derivation(
        setting=(
            "b(k) stands for b(gamma f; k), A = (gamma-1) f, c = floor(epsilon f) >= 0, and the window is f "
            "- c - x0 .. f + c - x0. From x0 to x0 + 1, b(f+c-x0) leaves and b(f-c-x0-1) enters. Put i = c - "
            "x0. R(i) = b(f+i)/b(f-i-1) for 0 <= i <= f-1."
        ),
        steps=(
            NEXT,
            MODE_RISES,
            Identity(
                name="the first pair",
                says="R(0) = b(f)/b(f-1) = (gamma f - f + 1)/((gamma-1) f) = (A+1)/A, which is above 1.",
                variables={"gamma": 2, "f": 1},
                left=lambda gamma, f: (gamma * f - (f - 1)) / ((gamma - 1) * f),
                right=lambda gamma, f: ((gamma - 1) * f + 1) / ((gamma - 1) * f),
            ),
            Identity(
                name="the next pair",
                says=(
                    "R(i)/R(i-1) = b(f+i)/b(f+i-1) times b(f-i)/b(f-i-1) = ((A+1)^2 - i^2)/(A^2 - "
                    "(gamma-1)^2 i^2)."
                ),
                variables={"gamma": 2, "f": 20, "i": 1},
                left=lambda gamma, f, i: (
                    (gamma * f - (f + i - 1))
                    / ((gamma - 1) * (f + i))
                    * ((gamma * f - (f - i - 1)) / ((gamma - 1) * (f - i)))
                ),
                right=lambda gamma, f, i: (
                    (((gamma - 1) * f + 1) ** 2 - i**2) / (((gamma - 1) * f) ** 2 - ((gamma - 1) * i) ** 2)
                ),
            ),
            Inequality(
                name="the divisor is positive",
                says="For 1 <= i <= f-1: A^2 - (gamma-1)^2 i^2 >= 1.",
                variables=("gamma", "f", "i"),
                given=lambda gamma, f, i: (gamma - 2, f - 1 - i, i - 1),
                slack=lambda g, d, i: (g + 2, d + i + 2, i + 1),
                then=lambda gamma, f, i: ((gamma - 1) * f) ** 2 - ((gamma - 1) * i) ** 2 - 1,
            ),
            Inequality(
                name="the ratio grows",
                says="(A+1)^2 - i^2 - (A^2 - (gamma-1)^2 i^2) >= 1, so R(i) > R(i-1) > ... > R(0) > 1.",
                variables=("gamma", "f", "i"),
                given=lambda gamma, f, i: (gamma - 2, f - 1 - i, i - 1),
                slack=lambda g, d, i: (g + 2, d + i + 2, i + 1),
                then=lambda gamma, f, i: (
                    ((gamma - 1) * f + 1) ** 2 - i**2 - (((gamma - 1) * f) ** 2 - ((gamma - 1) * i) ** 2) - 1
                ),
            ),
        ),
        conclusion=(
            "Up to the mean b rises. As f-c-x0-1 = (f-i-1) - 2 x0, what enters lies no higher than f-i-1. "
            "If 0 <= i <= f-1, then b(f-c-x0-1) <= b(f-i-1) < b(f+i), which leaves. "
            "If i >= f, nothing enters: f-c-x0-1 is negative. If i < 0, both terms lie below f and the one "
            "that enters lies lower. So every step down loses at least what it gains. With c = ceil(epsilon "
            "f) - 1 this holds for Definition 2's window too, and, since the records outside publish "
            "independently of the gamma f, for a random x0."
        ),
    )


@PB.computation(
    cases=30140,
    perturbed=(
        "window = below[min(f + c, n) + 1] => window = below[min(f + c, n)]",
        "f + c - shift => f + c + shift",
    ),
)
def every_window_in_a_block() -> Comparisons:
    """At gamma 2..6 and f 1..8: every half-width c and every shift x0, in integers."""
    for gamma in range(2, 7):
        for f in range(1, 9):
            n, below = gamma * f, (0, *cumulative(gamma, f))
            for c in range(n + 1):
                window = below[min(f + c, n) + 1] - below[max(f - c, 0)]
                for shift in range(n + c + 2):
                    top = f + c - shift
                    moved = below[min(top, n) + 1] - below[max(f - c - shift, 0)] if top >= 0 else 0
                    yield (moved, "<=", window, f"gamma = {gamma}, f = {f}, c = {c}, x0 = {shift}")


@PB.computation(cases=440, perturbed="splu_proofs.arithmetic.law:at_most doubled")
def further_records_of_s_only_add_to_the_error() -> Comparisons:
    """Compare f' for x3 records alone with f' for x3 among f, by adding the laws; gamma 2..5, f <= 7."""
    for gamma in range(2, 6):
        for x3 in range(1, 5):
            for f in range(x3, 8):
                for epsilon in (Fraction(1, 10), Fraction(3, 10), Fraction(1, 2), Fraction(1), Fraction(2)):
                    distance = -(-epsilon * x3 // 1)
                    rest = gamma * (f - x3)
                    wrong = sum(
                        trial_weight(gamma, rest, more)
                        * (
                            at_least(gamma, x3, x3 + distance - more)
                            + at_most(gamma, x3, x3 - distance - more)
                        )
                        for more in range(rest + 1)
                    )
                    yield (
                        wrong,
                        ">=",
                        error(gamma, epsilon, x3),
                        f"{gamma}, x3 = {x3}, f = {f}, {epsilon}: {wrong}",
                    )
