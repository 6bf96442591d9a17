"""Claims about dependent draws: certificates of a bound on large sum utility.

The claim is `utility-bound`. Dependent draws are not in the paper; they are an addition of this
specification. The bounds hold for every table, since only a bounded number of groups of a value contain slots
whose places are not shared evenly.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil

from splu_ref.spec.certificates_grammar import (
    Certificate,
    Condition,
    Statement,
    hexadecimal,
    object_with,
    readable,
    stated,
    true,
    whole,
)
from splu_ref.spec.certificates_numbers import (
    DRAWS,
    EPSILON,
    GAMMA,
    T_E,
    draws_of,
    error_limit,
    exact_value,
    rounded,
    setting,
)
from splu_ref.spec.certificates_thresholds import (
    cancels,
    on_its_side,
    product,
    side_conditions,
    sides_needed,
    tail_factors,
    tilt_of,
)
from splu_ref.spec.laws import binomial

MOST_GROUP = 64
MOST_SLOTS = 10**12
MOST_TILT_BITS = 64


def shared_mean(gamma: int, u: int, name: str, z: Fraction) -> Fraction:
    """Return M_u, the mean of z^(h-1), where h is what one of u slots without a mark gets of a group.

    The u slots share R places as evenly as possible; h is R // u, or one more with chance (R mod u) / u. Of
    capped draws R is binomial with gamma trials and chance u/gamma; of all-or-none draws it is gamma with
    chance u/gamma, and 0 otherwise.

    >>> shared_mean(2, 1, "capped", Fraction(2)), shared_mean(2, 1, "all-or-none", Fraction(2))
    (Fraction(9, 8), Fraction(5, 4))
    """
    chance = Fraction(u, gamma)
    if name == "capped":
        law = binomial(gamma, chance)
        places = [(left, Fraction(weight, law.total)) for left, weight in enumerate(law.weights)]
    else:
        places = [(gamma, chance), (0, 1 - chance)]
    mean = Fraction(0)
    for left, probability in places:
        more = Fraction(left % u, u)
        mean += probability * ((1 - more) * z ** (left // u) + more * z ** (left // u + 1))
    return mean / z


def _bound(c: Certificate, side: str) -> tuple[int, int]:
    """Return the rounded bound of one side, as mantissa and shift."""
    gamma, epsilon, z, t_f = c.whole("gamma"), c.exact("epsilon"), tilt_of(c, side), c.whole("t_f")
    if "values" not in c.parameters:
        return rounded(product(tail_factors(gamma, None, epsilon, t_f, side, z)), up=True)
    name, most = draws_of(c)
    own, slots = marked_slots(gamma, name, most, c.whole("values"))
    k = error_limit(epsilon, t_f)
    drawn = (1 + (z - 1) / gamma) ** gamma / z
    worst = max(shared_mean(gamma, u, name, z) ** ceil(Fraction(slots, gamma - u)) for u in range(1, gamma))
    return rounded(worst * drawn**own * (z**-k if side == "upper" else z**k), up=True)


def marked_slots(gamma: int, name: str, most: int, values: int) -> tuple[int, int]:
    """Return O and S.

    How many groups mark the value's own slot, and how many marked slots its other groups have at most.

    >>> marked_slots(3, "capped", 5, 10), marked_slots(3, "all-or-none", 5, 10)
    ((5, 35), (0, 45))
    """
    if name == "capped":
        return most, most * (values - 1) - most * (gamma - 1)
    return 0, most * (values - 1)


def _total_bound(c: Certificate) -> Fraction:
    """Return the sum of the bounds of the two sides, each rounded up."""
    return sum((exact_value(*_bound(c, side)) for side in sides_needed(c)), Fraction(0))


def _side(side: str) -> tuple[list[Condition], list[Condition]]:
    where = f"evidence.{side}"
    shape, null = side_conditions(side, sides_needed, ())

    def few_bits(c: Certificate) -> bool:
        parts = (
            [c.integer(side, part) for part in ("numerator", "denominator")]
            if side in sides_needed(c)
            else [0]
        )
        return max(parts).bit_length() <= MOST_TILT_BITS

    def above_zero(c: Certificate) -> bool:
        return side not in sides_needed(c) or "values" not in c.parameters or c.integer(side, "numerator") > 0

    def is_rounded(c: Certificate) -> bool:
        given = side in sides_needed(c) and [c.evidence(side, part) for part in ("mantissa", "shift")]
        return given is False or given == [hexadecimal(part) for part in _bound(c, side)]

    def on_side(c: Certificate) -> bool:
        return side not in sides_needed(c) or on_its_side(c, side, tilt_of(c, side), c.whole("t_f"))

    def cancels_not(c: Certificate) -> bool:
        if side not in sides_needed(c) or "values" in c.parameters:
            return True
        gamma, epsilon, z = c.whole("gamma"), c.exact("epsilon"), tilt_of(c, side)
        return not cancels(tail_factors(gamma, None, epsilon, c.whole("t_f"), side, z))

    settled = true(where, "upper-cancels", "Its powers do not cancel: see `cancels`.", cancels_not)
    return [
        *shape,
        readable(where, f"{side}-bits-limit", "Each part of the tilt has at most 64 bits.", few_bits),
        readable(where, f"{side}-above-zero", "With `values`, the tilt is above 0.", above_zero),
    ], [
        null,
        true(where, f"{side}-tilt", "The tilt is on its side of 1, as for `utility-threshold`.", on_side),
        *([settled] if side == "upper" else []),
        true(where, f"{side}-rounded", "`mantissa` and `shift` are the bound, rounded up.", is_rounded),
    ]


def _statement(c: Certificate) -> Statement:
    column = f", in a column of {c.word('values')} values" if "values" in c.parameters else ""
    return Statement(
        f"{setting(c)}{column}, whatever the table: |f' - f| >= ({c.word('epsilon')}) f has a "
        f"probability of at most "
        f"{c.word('t_e')} for every count f >= {c.word('t_f')}."
    )


def _row(field: str, name: str, sentence: str, holds: Callable[[Certificate], bool]) -> Condition:
    return readable(f"parameters.{field}", name, sentence, holds)


_UPPER, _LOWER = _side("upper"), _side("lower")

UTILITY_BOUND = [
    *GAMMA,
    *EPSILON,
    *T_E,
    whole("t_f"),
    *DRAWS,
    whole("values"),
    _row(
        "values",
        "values-range",
        "`values` is at least gamma.",
        lambda c: "values" not in c.parameters or c.whole("values") >= c.whole("gamma"),
    ),
    _row(
        "values",
        "values-for-all-or-none",
        "With all-or-none draws there are `values`.",
        lambda c: draws_of(c)[0] == "capped" or "values" in c.parameters,
    ),
    _row(
        "t_f",
        "t_f-above-draws",
        "With `values`, `t_f` is above the bound of the draws.",
        lambda c: "values" not in c.parameters or c.whole("t_f") > draws_of(c)[1],
    ),
    _row("gamma", "gamma-limit", "`gamma` is at most 64.", lambda c: c.whole("gamma") <= MOST_GROUP),
    _row(
        "t_f",
        "t_f-limit",
        "gamma t_f is at most 10^12.",
        lambda c: c.whole("gamma") * c.whole("t_f") <= MOST_SLOTS,
    ),
    _row(
        "draws",
        "slots-limit",
        "The bound of the draws times `values` is at most 10^12.",
        lambda c: "values" not in c.parameters or draws_of(c)[1] * c.whole("values") <= MOST_SLOTS,
    ),
    object_with(keys=("upper", "lower")),
    *_UPPER[0],
    *_LOWER[0],
    *stated(_statement),
    *_UPPER[1],
    *_LOWER[1],
    true(
        "evidence",
        "total",
        "The rounded bounds of the two sides are together at most `t_e`.",
        lambda c: _total_bound(c) <= c.exact("t_e"),
    ),
]
