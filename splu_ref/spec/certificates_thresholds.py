"""Claims about thresholds: certificates of the least count from which on errors are improbable.

The claim is `utility-threshold`. The least count is T_f of Definition 1 of Fu and others 2014 (section 2).
The paper bounds it by Chebyshev's inequality (section 4.1). The certificate shows the exact one: an error is
probable just below it, each run of counts from it on is checked at its end, and Chernoff's bound covers the
counts from F on. That is an addition of this specification.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, floor

from splu_ref.spec.certificates_grammar import (
    Certificate,
    Condition,
    Statement,
    has_keys,
    hexadecimal,
    in_lowest_terms,
    matches,
    object_with,
    readable,
    stated,
    true,
    whole,
    witness,
)
from splu_ref.spec.certificates_numbers import (
    CAPPED_ONLY,
    DRAWS,
    DRAWS_ALONE,
    EPSILON,
    GAMMA,
    RETENTION,
    T_E,
    draws_of,
    entries_have_keys,
    error_at,
    error_limit,
    exact_value,
    retention_of,
    rounded,
    setting,
    window_at,
    within_cost,
)

SIDE = ("numerator", "denominator", "mantissa", "shift")


def sides_needed(c: Certificate) -> list[str]:
    """Return on which sides of f a count can err by epsilon f, so that a tail has to be bounded there."""
    epsilon = c.exact("epsilon")
    return [side for side, most in (("upper", c.whole("gamma") - 1), ("lower", 1)) if epsilon <= most]


def tilt_of(c: Certificate, *path: str) -> Fraction:
    """Return the tilt z of one side."""
    return Fraction(c.integer(*path, "numerator"), c.integer(*path, "denominator"))


def exponent_of(epsilon: Fraction, f: int, side: str) -> int:
    """Return k, which f' reaches in an error on this side: at least k above, at most k below.

    >>> exponent_of(Fraction(1, 2), 5, "upper"), exponent_of(Fraction(1, 2), 5, "lower")
    (7, 3)
    """
    return floor((1 + epsilon) * f) if side == "upper" else ceil((1 - epsilon) * f)


def tail_factors(
    gamma: int, retention: Fraction | None, epsilon: Fraction, f: int, side: str, z: Fraction
) -> list[tuple[Fraction, int]]:
    """Return the factors of Chernoff's bound at f, each with its exponent: the mean of z^f', and z^-k.

    >>> tail_factors(2, None, Fraction(1, 2), 6, "upper", Fraction(3))
    [(Fraction(2, 1), 12), (Fraction(3, 1), -9)]
    """
    k = exponent_of(epsilon, f, side)
    if retention is None:
        return [(1 + (z - 1) / gamma, gamma * f), (z, -k)]
    other = (1 - retention) / (gamma - 1)
    return [(1 + retention * (z - 1), f), (1 + other * (z - 1), (gamma - 1) * f), (z, -k)]


def product(factors: Sequence[tuple[Fraction, int]]) -> Fraction:
    """Return the product of powers.

    >>> product([(Fraction(3, 2), 2), (Fraction(3), -1)])
    Fraction(3, 4)
    """
    value = Fraction(1)
    for base, exponent in factors:
        if exponent:
            value *= base**exponent
    return value


def cancels(factors: Sequence[tuple[Fraction, int]]) -> bool:
    """Return whether large powers cancel to a number that is exact in 256 bits, which no enclosure rounds.

    That is so if the product is m / 2^s with m < 2^256, and the product of the numerators, or of the
    denominators, has an odd factor of more than 384 bits. A certificate with such a tilt is false, whatever
    its numbers: a slightly different tilt is not.

    >>> cancels([(Fraction(9, 8), 130), (Fraction(9, 4), -130)])
    True
    >>> cancels([(Fraction(2), 12), (Fraction(3), -9)])
    False
    """
    value = product(factors)
    if value == 0 or value.denominator & (value.denominator - 1) or _odd(value.numerator).bit_length() > 256:
        return False
    above = _odd(
        int(product([(Fraction(b.numerator if e > 0 else b.denominator), abs(e)) for b, e in factors]))
    )
    below = _odd(
        int(product([(Fraction(b.denominator if e > 0 else b.numerator), abs(e)) for b, e in factors]))
    )
    return below > 1 and max(above, below).bit_length() > 384


def _odd(value: int) -> int:
    """Return a number divided by the largest power of two that divides it."""
    return value // (value & -value)


def _tail_sides(c: Certificate) -> list[str]:
    return sides_needed(c) if c.exact("t_e") < 1 else []


def _tail_factors(c: Certificate, side: str) -> list[tuple[Fraction, int]]:
    z, start = tilt_of(c, "tail", side), c.integer("tail", "from")
    return tail_factors(c.whole("gamma"), retention_of(c), c.exact("epsilon"), start, side, z)


def on_its_side(c: Certificate, side: str, z: Fraction, f: int) -> bool:
    """Return whether a tilt is at least 1 above; below above 0, or 0 if k is 0, and at most 1."""
    if side == "upper":
        return z >= 1
    return z <= 1 and (z > 0 or exponent_of(c.exact("epsilon"), f, side) == 0)


def _ends(c: Certificate) -> list[int]:
    """Return every f from t_f to the count before the tail whose j differs from that of f + 1."""
    epsilon = c.exact("epsilon")
    counts = range(c.whole("t_f"), c.integer("tail", "from"))
    return [f for f in counts if error_limit(epsilon, f) != error_limit(epsilon, f + 1)]


def _threshold_sums(c: Certificate) -> int:
    gap = max(c.integer("tail", "from") - c.whole("t_f"), 0)
    return min(gap, floor(c.exact("epsilon") * gap) + 1)


def _for_ends(parts: Callable[[Certificate, int], dict[str, int]]) -> Callable[[Certificate], bool]:
    def holds(c: Certificate) -> bool:
        return all(
            isinstance(entry, dict)
            and all(entry[key] == hexadecimal(value) for key, value in parts(c, f).items())
            for entry, f in zip(c.listed("ends"), _ends(c), strict=False)
        )

    return holds


def _end_window(c: Certificate, f: int) -> dict[str, int]:
    return dict(zip(("first", "last"), window_at(c, f), strict=True))


def _end_rounded(c: Certificate, f: int) -> dict[str, int]:
    return dict(zip(("mantissa", "shift"), rounded(Fraction(*error_at(c, f)), up=True), strict=True))


def side_conditions(
    side: str, needed: Callable[[Certificate], list[str]], path: tuple[str, ...], *, zero: bool = True
) -> tuple[list[Condition], Condition]:
    """Return the conditions on the shape of one side of a tail, and that a side without need is null."""
    where = ".".join(("evidence", *path, side))

    def form(part: str) -> Condition:
        return readable(
            f"{where}.{part}",
            f"{side}-{part}-form",
            "It is a hexadecimal integer without sign or leading zeros, of at most 64 digits.",
            lambda c: (
                side not in needed(c) or matches(c.evidence(*path, side, part), "0|[1-9a-f][0-9a-f]{0,63}")
            ),
        )

    shape = [
        readable(
            where,
            f"{side}-keys",
            "Where a tilt is needed, it is an object with the keys `numerator`, `denominator`, "
            "`mantissa`, `shift` and no other.",
            lambda c: side not in needed(c) or has_keys(c.evidence(*path, side), SIDE),
        ),
        form("numerator"),
        form("denominator"),
        readable(
            where,
            f"{side}-lowest-terms",
            "The tilt is a fraction in lowest terms.",
            lambda c: side not in needed(c) or in_lowest_terms(c, *path, side),
        ),
    ]
    null = true(
        where,
        f"{side}-null",
        "Where no tilt is needed, it is null.",
        lambda c: side in needed(c) or c.evidence(*path, side) is None,
    )
    return shape, null


def _tail_rounded(side: str) -> Callable[[Certificate], bool]:
    def holds(c: Certificate) -> bool:
        if side not in _tail_sides(c):
            return True
        pair = rounded(product(_tail_factors(c, side)), up=True)
        return [c.evidence("tail", side, part) for part in ("mantissa", "shift")] == [
            f"{each:x}" for each in pair
        ]

    return holds


def _tail_bound(c: Certificate) -> Fraction:
    """Return the sum of the bounds of the two sides, each rounded up."""
    sides = [rounded(product(_tail_factors(c, side)), up=True) for side in _tail_sides(c)]
    return sum((exact_value(*pair) for pair in sides), Fraction(0))


def _tail_conditions(side: str) -> tuple[list[Condition], list[Condition]]:
    where = f"evidence.tail.{side}"
    shape, null = side_conditions(side, _tail_sides, ("tail",))

    def on_side(c: Certificate) -> bool:
        return side not in _tail_sides(c) or on_its_side(
            c, side, tilt_of(c, "tail", side), c.integer("tail", "from")
        )

    place = "at least 1" if side == "upper" else "at most 1, and above 0, or 0 where `epsilon` is 1"
    cancels_not = true(
        where,
        "upper-cancels",
        "Its powers do not cancel: see `cancels`. (Below they cannot, but for few retentions.)",
        lambda c: side not in _tail_sides(c) or not cancels(_tail_factors(c, side)),
    )
    return shape, [
        null,
        true(where, f"{side}-tilt", f"The tilt is {place}.", on_side),
        *([cancels_not] if side == "upper" else []),
        true(
            where, f"{side}-rounded", "`mantissa` and `shift` are the bound, rounded up.", _tail_rounded(side)
        ),
    ]


def _violation(c: Certificate) -> dict[str, str] | None:
    f = c.whole("t_f") - 1
    if f == 0:
        return None
    first, last = window_at(c, f)
    made = {"f": f, "first": first, "last": last, "numerator": error_at(c, f)[0]}
    return {key: hexadecimal(value) for key, value in made.items()}


def _violation_part(part: str, sentence: str) -> Condition:
    def holds(c: Certificate) -> bool:
        made = _violation(c)
        given = c.evidence("violation")
        return made is None or (isinstance(given, dict) and given[part] == made[part])

    return true(f"evidence.violation.{part}", f"violation-{part}", sentence, holds)


def _threshold_statement(c: Certificate) -> Statement:
    t_f, t_e = c.whole("t_f"), c.word("t_e")
    words = (
        f"{setting(c)}: |f' - f| >= ({c.word('epsilon')}) f has a probability of at most {t_e} "
        f"for every count f >= {t_f}"
    )
    return Statement(words + (f", and above {t_e} at f = {t_f - 1}." if t_f > 1 else "."))


_UPPER, _LOWER = _tail_conditions("upper"), _tail_conditions("lower")

UTILITY_THRESHOLD = [
    *GAMMA,
    *EPSILON,
    *T_E,
    whole("t_f"),
    *RETENTION,
    *DRAWS,
    DRAWS_ALONE,
    CAPPED_ONLY,
    object_with(keys=("violation", "ends", "tail")),
    object_with("tail", keys=("from", "upper", "lower")),
    witness("tail", "from"),
    readable(
        "evidence.tail.from",
        "tail-from-range",
        "It is at least 1. It may be below `t_f`: then `ends` is empty.",
        lambda c: c.integer("tail", "from") >= 1,
    ),
    readable(
        "parameters.t_f",
        "t_f-within-draws",
        "With `draws`, `t_f` is at most their bound plus 1.",
        lambda c: "draws" not in c.parameters or c.whole("t_f") <= draws_of(c)[1] + 1,
    ),
    readable(
        "evidence.tail.from",
        "tail-from-within-draws",
        "With `draws`, it is at most their bound plus 1.",
        lambda c: "draws" not in c.parameters or c.integer("tail", "from") <= draws_of(c)[1] + 1,
    ),
    *within_cost(lambda c: max(c.whole("t_f"), c.integer("tail", "from")), _threshold_sums),
    readable(
        "evidence.violation",
        "violation-keys",
        "If `t_f` is above 1 and it is an object, it has the keys `f`, `first`, `last`, `numerator` "
        "and no other.",
        lambda c: (
            c.whole("t_f") == 1
            or not isinstance(c.evidence("violation"), dict)
            or has_keys(c.evidence("violation"), ("f", "first", "last", "numerator"))
        ),
    ),
    *_UPPER[0],
    *_LOWER[0],
    readable(
        "evidence.ends",
        "ends-entries",
        "Every entry that is an object has the keys `f`, `first`, `last`, `mantissa`, `shift` and no other.",
        lambda c: entries_have_keys(c.evidence("ends")),
    ),
    true(
        "evidence.ends",
        "ends-length",
        "It is a list with an entry for every last count of a run before the tail.",
        lambda c: isinstance(c.evidence("ends"), list) and len(c.listed("ends")) == len(_ends(c)),
    ),
    *stated(_threshold_statement),
    *_UPPER[1],
    *_LOWER[1],
    true(
        "evidence.tail",
        "tail-bound",
        "The rounded bounds of the two sides are together at most `t_e`.",
        lambda c: _tail_bound(c) <= c.exact("t_e"),
    ),
    true(
        "evidence.violation",
        "violation-null",
        "If `t_f` is 1, it is null.",
        lambda c: c.whole("t_f") > 1 or c.evidence("violation") is None,
    ),
    _violation_part("f", "It is `t_f` - 1."),
    _violation_part("first", "It is the least f' that is no error."),
    _violation_part("last", "It is the largest f' that is no error."),
    _violation_part("numerator", "It is the numerator of the probability of an error."),
    true(
        "evidence.violation",
        "violation-above",
        "If `t_f` is above 1, the probability of an error at `t_f` - 1 is above `t_e`.",
        lambda c: c.whole("t_f") == 1 or Fraction(*error_at(c, c.whole("t_f") - 1)) > c.exact("t_e"),
    ),
    true("evidence.ends", "ends-counts", "`f` is the count, ascending.", _for_ends(lambda _, f: {"f": f})),
    true("evidence.ends", "ends-windows", "`first` and `last` are the window.", _for_ends(_end_window)),
    true(
        "evidence.ends",
        "ends-rounded",
        "`mantissa` and `shift` are the probability of an error, rounded up.",
        _for_ends(_end_rounded),
    ),
    true(
        "evidence.ends",
        "ends-at-most",
        "The probability of an error at each of these counts is at most `t_e`; it, not the rounded "
        "number, decides.",
        lambda c: all(Fraction(*error_at(c, f)) <= c.exact("t_e") for f in _ends(c)),
    ),
]
