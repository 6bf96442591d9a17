"""Numbers of certificates: laws, rounding, and the parameters that several claims share.

A value with f records is published f' times. Definition 1 (large sum utility) and Definition 2 (small sum
privacy) of Fu and others 2014 (section 2) are about the relative error of f' as an estimate of f, and Theorem
4 (section 5.3) about T_P, with a strict sign. An error is |f' - f| >= j, with j = ceil(epsilon f) for the
sign >= and j = floor(epsilon f) + 1 for the sign >. Every probability is the sum over all outcomes. That is
slow above a few hundred records; a checker may use any arithmetic with the same results.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor

from splu_ref.spec import certificates_limits as limits
from splu_ref.spec.certificates_grammar import (
    Certificate,
    Condition,
    fraction,
    has_keys,
    matches,
    readable,
    whole,
)
from splu_ref.spec.laws import Law, binomial, published_count

FORMS = {"theorem_4": ">", "definition_2": ">="}
"""The two forms of small sum privacy, and the sign of each."""

ENTRY = ("f", "first", "last", "mantissa", "shift")


# Rounding


def rounded(value: Fraction, *, up: bool) -> tuple[int, int]:
    """Return m and s.

    The number m / 2^s with 2^255 <= m < 2^256 next to a value, not above it, or, ``up``, not below it.

    >>> rounded(Fraction(1), up=True) == (2**255, 255), rounded(Fraction(0), up=True)
    (True, (0, 0))
    """
    if value == 0:
        return 0, 0
    shift = 256 - value.numerator.bit_length() + value.denominator.bit_length()
    while floor(value * Fraction(2) ** shift) >= 2**256:
        shift -= 1
    scaled = value * Fraction(2) ** shift
    mantissa = ceil(scaled) if up else floor(scaled)
    return (mantissa // 2, shift - 1) if mantissa == 2**256 else (mantissa, shift)


def exact_value(mantissa: int, shift: int) -> Fraction:
    """Return the number that a mantissa and a shift stand for.

    >>> exact_value(3, 1), exact_value(3, -1)
    (Fraction(3, 2), Fraction(6, 1))
    """
    return mantissa / Fraction(2) ** shift


def decimal(value: Fraction, *, up: bool) -> str:
    """Return a probability as it stands in a statement.

    Twelve significant digits, fewer only where they are exact.

    >>> decimal(Fraction(1, 3), up=True), decimal(Fraction(1, 2**40), up=False)
    ('0.333333333334', '9.09494701772e-13')
    """
    if value == 0:
        return "0"
    place = 0  # of the first digit
    while value < Fraction(10) ** place:
        place -= 1
    scaled = value * Fraction(10) ** (11 - place)
    digits = ceil(scaled) if up else floor(scaled)
    if digits == 10**12:
        digits, place = 10**11, place + 1
    text = str(digits) if scaled.denominator > 1 else str(digits).rstrip("0")
    if -6 <= place < 0:
        return "0." + "0" * (-place - 1) + text
    return text[0] + ("." + text[1:] if text[1:] else "") + (f"e{place}" if place else "")


# Parameters that several claims have


def retention_of(c: Certificate) -> Fraction | None:
    """Return the retention, or None if it is left out: then it is 1/gamma."""
    return c.exact("retention") if "retention" in c.parameters else None


def draws_of(c: Certificate) -> tuple[str, int]:
    """Return the name of the law of the draws and its bound."""
    name, _, bound = c.word("draws").partition(":")
    return name, int(bound)


def is_all_or_none(c: Certificate) -> bool:
    """Return whether the law of the draws is all-or-none."""
    return "draws" in c.parameters and draws_of(c)[0] == "all-or-none"


def releases_of(c: Certificate) -> int:
    """Return R, the number of releases."""
    return c.whole("releases") if "releases" in c.parameters else 1


GAMMA = [
    whole("gamma"),
    readable("parameters.gamma", "gamma-range", "`gamma` is at least 2.", lambda c: c.whole("gamma") >= 2),
]
EPSILON = [
    fraction("epsilon"),
    readable(
        "parameters.epsilon", "epsilon-range", "`epsilon` is above 0.", lambda c: c.exact("epsilon") > 0
    ),
]
T_E = [
    fraction("t_e"),
    readable(
        "parameters.t_e", "t_e-range", "`t_e` is at most 1; it may be 0 or 1.", lambda c: c.exact("t_e") <= 1
    ),
]
RETENTION = [
    fraction("retention"),
    readable(
        "parameters.retention",
        "retention-range",
        "`retention` is above 0 and below 1.",
        lambda c: "retention" not in c.parameters or 0 < c.exact("retention") < 1,
    ),
    readable(
        "parameters.retention",
        "retention-other",
        "`retention` is not 1/gamma: for that it is left out.",
        lambda c: retention_of(c) != Fraction(1, c.whole("gamma")),
    ),
]
DRAWS = [
    readable(
        "parameters.draws",
        "draws-form",
        "`draws` is `capped:M` or `all-or-none:A`, with an integer of at most 12 digits and at least 1.",
        lambda c: (
            "draws" not in c.parameters
            or matches(c.parameters["draws"], "(capped|all-or-none):[1-9][0-9]{0,11}")
        ),
    ),
]
DRAWS_ALONE = readable(
    "parameters.draws",
    "draws-alone",
    "With `draws` there is no `retention`.",
    lambda c: not {"draws", "retention"} <= set(c.parameters),
)
CAPPED_ONLY = readable(
    "parameters.draws", "draws-kind", "`draws` is not `all-or-none`.", lambda c: not is_all_or_none(c)
)


def setting(c: Certificate, *more: str) -> str:
    """Return the beginning of a statement: what is named, with commas, and ``and`` before the last.

    The order is gamma, retention, draws, then the rest, of which there is at most one: so the words on
    several releases follow ``and``, and before it there are commas only between three or more.
    """
    named = [f"{name} = {c.word(name)}" for name in ("gamma", "retention", "draws") if name in c.parameters]
    named += more
    return "With " + ", ".join(named[:-1]) + (" and " if len(named) > 1 else "") + named[-1]


# The law


@lru_cache(maxsize=512)
def count_law(gamma: int, f: int, retention: Fraction | None, *, all_or_none: bool = False) -> Law:
    """Return the law of f'.

    With all-or-none draws f' is gamma times the number of f groups that choose the value.

    >>> count_law(2, 1, None, all_or_none=True).weights
    [1, 0, 1]
    """
    if not all_or_none:
        return published_count(f, gamma, retention)
    groups = binomial(f, Fraction(1, gamma))
    weights = [0] * (gamma * f + 1)
    for chosen, weight in enumerate(groups.weights):
        weights[gamma * chosen] = weight
    return Law(weights, groups.total)


def error_limit(epsilon: Fraction, f: int, sign: str = ">=") -> int:
    """Return j: the relative error is at least (or above) epsilon if and only if |f' - f| >= j.

    >>> error_limit(Fraction(1, 2), 4), error_limit(Fraction(1, 2), 4, ">")
    (2, 3)
    """
    return floor(epsilon * f) + 1 if sign == ">" else ceil(epsilon * f)


def error_numerator(law: Law, f: int, j: int) -> int:
    """Return the numerator of Pr(|f' - f| >= j), whose denominator is the total of the law.

    >>> error_numerator(count_law(2, 2, None), 2, 1)
    10
    """
    return sum(weight for x, weight in enumerate(law.weights) if abs(x - f) >= j)


def run_starts(j_of: Callable[[int], int], first: int, last: int) -> list[int]:
    """Return the first count, and every later one up to the last with another j than the count before.

    >>> run_starts(lambda f: f // 3, 1, 8)
    [1, 3, 6]
    """
    j = [j_of(f) for f in range(first, last + 1)]
    return [first + place for place in range(len(j)) if place == 0 or j[place] != j[place - 1]]


def window(gamma: int, f: int, j: int) -> tuple[int, int]:
    """Return the least and the largest f' that are no error.

    >>> window(2, 2, 3)
    (0, 4)
    """
    return max(0, f - j + 1), min(gamma * f, f + j - 1)


def entries_have_keys(listed: object) -> bool:
    """Return whether those entries of a list that are objects have the keys of an entry.

    >>> entries_have_keys([{"f": "1"}]), entries_have_keys(["no object"]), entries_have_keys("no list")
    (False, True, True)
    """
    return not isinstance(listed, list) or all(
        has_keys(entry, ENTRY) for entry in listed if isinstance(entry, dict)
    )


def within_cost(
    f: Callable[[Certificate], int], sums: Callable[[Certificate], int] | None = None
) -> list[Condition]:
    """Return the limits on the cost of a certificate: of its largest count and its rounded probabilities."""

    def made(c: Certificate) -> limits.Cost:
        return limits.cost(
            c.whole("gamma"), retention_of(c), c.exact("epsilon"), f(c), sums(c) if sums else 0
        )

    def row(name: str, sentence: str, holds: Callable[[limits.Cost], bool]) -> Condition:
        free = " (all-or-none draws have a limit of their own)"
        return readable("parameters", name, sentence + free, lambda c: is_all_or_none(c) or holds(made(c)))

    conditions = [
        row("trials-limit", "gamma f is at most 1,000,000.", lambda a: a.trials <= limits.MOST_TRIALS),
        row("bits-limit", "B is at most 4,000,000.", lambda a: a.bits <= limits.MOST_BITS),
        row(
            "exact-limit",
            "Bits times terms of an exact sum are within bounds.",
            lambda a: a.exact <= a.most_exact,
        ),
    ]
    if sums is None:
        return conditions
    sentence = "All rounded sums have at most 40,000,000 terms."
    return [*conditions, row("rounded-limit", sentence, lambda a: a.rounded <= limits.MOST_TERMS)]


def error_at(c: Certificate, f: int) -> tuple[int, int]:
    """Return the numerator and the denominator of Pr(|f' - f| >= epsilon f)."""
    law = count_law(c.whole("gamma"), f, retention_of(c))
    return error_numerator(law, f, error_limit(c.exact("epsilon"), f)), law.total


def window_at(c: Certificate, f: int) -> tuple[int, int]:
    """Return the least and the largest f' that are no error at f."""
    return window(c.whole("gamma"), f, error_limit(c.exact("epsilon"), f))
