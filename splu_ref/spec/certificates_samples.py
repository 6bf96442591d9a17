"""Claims about samples and tuples: certificates of accuracy from many rows, and of the privacy of tuples.

The claims are `sample-size` and `d-gamma`. Certificates of them are an addition of this specification.

The sizes of samples are those of retention replacement (Agrawal, Srikant and Thomas, "Privacy preserving
OLAP", 2005, Theorem 1). (d, gamma)-privacy of the alpha-beta algorithm is Theorem 4.3 of Rastogi, Suciu and
Hong (2007).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor

from splu_ref.spec.certificates_grammar import (
    HEXADECIMAL,
    Certificate,
    Condition,
    Statement,
    computed,
    fraction,
    has_keys,
    hexadecimal,
    matches,
    object_with,
    readable,
    stated,
    true,
    whole,
    witness,
)
from splu_ref.spec.certificates_numbers import EPSILON
from splu_ref.spec.laws import Law, binomial

MOST_BITS = 4_000_000
MOST_EXACT = 200_000_000_000


# sample-size


def _chances(c: Certificate) -> tuple[Fraction, Fraction]:
    """Return the chance to be published with the predicate, of a record that satisfies it and of others."""
    kept, share = c.exact("retention"), c.exact("share")
    return kept + (1 - kept) * share, (1 - kept) * share


def _published_law(c: Certificate, n: int, count: int) -> Law:
    """Return the law of the published count X of the predicate, which ``count`` of ``n`` records satisfy."""
    own, other = _chances(c)
    return binomial(count, own).plus(binomial(n - count, other))


def _correct_counts(c: Certificate, n: int, count: int) -> tuple[int, int]:
    """Return the least and the largest X that is no error; if there is none, the first is above the last."""
    own, other = _chances(c)
    mean, apart = count * own + (n - count) * other, c.exact("retention") * c.exact("epsilon") * n
    return max(0, floor(mean - apart) + 1), min(n, ceil(mean + apart) - 1)


def series_reaches(x: Fraction, level: Fraction) -> bool:
    """Return whether the terms x^k / k!, each rounded down, add up to a level.

    Each term is computed from the one before and rounded down to a multiple of 2^-384.

    Then e^x is at least the level, and Hoeffding's bound 2 exp(-x) at most 2 / level. For x above 1,000
    nothing is summed.

    >>> [series_reaches(Fraction(1), Fraction(level, 10**10)) for level in (27182818284, 27182818285)]
    [True, False]
    """
    if x > 1000:
        return True
    unit = Fraction(1, 2**384)
    term, total, k = Fraction(1), Fraction(1), 0
    while term:
        k += 1
        term = floor(term * x / k / unit) * unit
        total += term
    return total >= level


def _sample_violation(c: Certificate) -> tuple[int, int]:
    return c.whole("rows") - 1, c.integer("violation", "count")


def _has_violation(c: Certificate) -> bool:
    return c.whole("rows") > 1


def _sample_work(c: Certificate) -> tuple[int, int]:
    """Return what a checker limits: B and B H (last + 2), as for published counts with a retention.

    That n is at most 1,000,000 follows. Otherwise, of n trials at most some have denominators of 8 or more,
    if B is within its limit; so the mean of X is above n / 16, and the other limit is exceeded.
    """
    n, count = _sample_violation(c)
    own, other = (chance.denominator.bit_length() for chance in _chances(c))
    bits = count * own + (n - count) * other
    digits = 1 + (own + other + n.bit_length()) // 30
    return bits, bits * digits * (_correct_counts(c, n, count)[1] + 2)


def _sample_limit(place: int, most: int) -> Callable[[Certificate], bool]:
    return lambda c: not _has_violation(c) or _sample_work(c)[place] <= most


def _missed(c: Certificate) -> tuple[int, int]:
    """Return the numerator and the denominator of the probability that the estimate of the share is wrong."""
    law, (first, last) = _published_law(c, *_sample_violation(c)), _correct_counts(c, *_sample_violation(c))
    return sum(weight for x, weight in enumerate(law.weights) if not first <= x <= last), law.total


def _sample_statement(c: Certificate) -> Statement:
    delta = c.word("delta")
    words = (
        f"With retention = {c.word('retention')} and a share of {c.word('share')} of the replacements: from "
        f"{c.integer('bound', 'from')} rows on, the estimate of a share is off by at least "
        f"{c.word('epsilon')} with a probability "
        f"of at most {delta}, whatever the true count"
    )
    if not _has_violation(c):
        return Statement(words + ".")
    n, count = _sample_violation(c)
    return Statement(f"{words}; with {n} rows, {count} of them counted, it is above {delta}.")


def _open_range(name: str) -> list[Condition]:
    return [
        fraction(name),
        readable(
            f"parameters.{name}", f"{name}-above-0", f"`{name}` is above 0.", lambda c: c.exact(name) > 0
        ),
        readable(
            f"parameters.{name}", f"{name}-below-1", f"`{name}` is below 1.", lambda c: c.exact(name) < 1
        ),
    ]


def _sample_part(part: str, sentence: str, value: Callable[[Certificate], int]) -> Condition:
    return true(
        f"evidence.violation.{part}",
        f"violation-{part}",
        sentence,
        lambda c: not _has_violation(c) or c.evidence("violation", part) == hexadecimal(value(c)),
    )


SAMPLE_SIZE = [
    *_open_range("retention"),
    *_open_range("share"),
    *_open_range("delta"),
    *EPSILON,
    whole("rows"),
    object_with(keys=("violation", "bound")),
    object_with("bound", keys=("from",)),
    witness("bound", "from"),
    readable(
        "evidence.violation",
        "violation-keys",
        "If `rows` is above 1, it is an object with the keys `count`, `first`, `last`, `numerator` "
        "and no other.",
        lambda c: (
            not _has_violation(c)
            or has_keys(c.evidence("violation"), ("count", "first", "last", "numerator"))
        ),
    ),
    readable(
        "evidence.violation.count",
        "violation-count-form",
        "It is a hexadecimal integer without sign or leading zeros, of at most 64 digits.",
        lambda c: not _has_violation(c) or matches(c.evidence("violation", "count"), HEXADECIMAL),
    ),
    readable(
        "evidence.violation.count",
        "violation-count-range",
        "It is at most `rows` - 1.",
        lambda c: not _has_violation(c) or c.integer("violation", "count") <= c.whole("rows") - 1,
    ),
    readable("parameters.rows", "bits-limit", "B is at most 4,000,000.", _sample_limit(0, MOST_BITS)),
    readable(
        "parameters.rows",
        "exact-limit",
        "B H (last + 2) is at most 200,000,000,000.",
        _sample_limit(1, MOST_EXACT),
    ),
    *stated(_sample_statement),
    true(
        "evidence.bound.from",
        "bound-holds",
        "Hoeffding's bound there is shown to be at most `delta`: see `series_reaches`.",
        lambda c: series_reaches(
            2 * c.integer("bound", "from") * (c.exact("retention") * c.exact("epsilon")) ** 2,
            2 / c.exact("delta"),
        ),
    ),
    true(
        "evidence.violation",
        "violation-null",
        "If `rows` is 1, it is null.",
        lambda c: _has_violation(c) or c.evidence("violation") is None,
    ),
    _sample_part(
        "first", "It is the least X that is no error.", lambda c: _correct_counts(c, *_sample_violation(c))[0]
    ),
    _sample_part(
        "last",
        "It is the largest X that is no error.",
        lambda c: _correct_counts(c, *_sample_violation(c))[1],
    ),
    _sample_part("numerator", "It is the numerator of the probability of an error.", lambda c: _missed(c)[0]),
    true(
        "evidence.violation",
        "violation-above",
        "If `rows` is above 1, the probability there is above `delta`.",
        lambda c: not _has_violation(c) or Fraction(*_missed(c)) > c.exact("delta"),
    ),
]


# d-gamma


def _tuple_sides(c: Certificate) -> dict[str, tuple[int, int]]:
    """Return both comparisons of Theorem 4.3 in whole numbers.

    Of a published tuple and of one that is not published.
    """
    alpha, beta, d, gamma = (c.exact(name) for name in ("alpha", "beta", "d", "gamma"))
    whole_ = alpha.denominator * beta.denominator * d.denominator * gamma.denominator
    published = beta * gamma * (1 - d), (alpha + beta) * d * (1 - gamma)
    unpublished = (1 - alpha - beta) * gamma, (1 - beta) * d
    sides = {"published": published, "unpublished": unpublished}
    return {name: (int(left * whole_), int(right * whole_)) for name, (left, right) in sides.items()}


def _tuple_statement(c: Certificate) -> Statement:
    d, gamma = c.exact("d"), c.exact("gamma")
    return Statement(
        f"With alpha = {c.word('alpha')} and beta = {c.word('beta')}, the alpha-beta algorithm is "
        f"({d}, {gamma})-private: for every "
        f"prior of a tuple above 0 and at most {d}, tuples independent, its posterior is at most "
        f"{gamma}, and at least {d / gamma} "
        f"times the prior."
    )


def _tuple_side(name: str) -> list[Condition]:
    return [
        true(
            f"evidence.{name}",
            f"{name}-holds",
            "`left` is not below `right`.",
            lambda c: _tuple_sides(c)[name][0] >= _tuple_sides(c)[name][1],
        ),
        computed(
            name,
            "left",
            sentence="It is the left side times D.",
            value=lambda c: hexadecimal(_tuple_sides(c)[name][0]),
        ),
        computed(
            name,
            "right",
            sentence="It is the right side times D.",
            value=lambda c: hexadecimal(_tuple_sides(c)[name][1]),
        ),
    ]


D_GAMMA = [
    *[fraction(name) for name in ("alpha", "beta", "d", "gamma")],
    readable("parameters.alpha", "alpha-range", "`alpha` is above 0.", lambda c: c.exact("alpha") > 0),
    readable(
        "parameters.beta",
        "beta-range",
        "alpha + beta is at most 1.",
        lambda c: c.exact("alpha") + c.exact("beta") <= 1,
    ),
    readable("parameters.d", "d-range", "`d` is above 0.", lambda c: c.exact("d") > 0),
    readable(
        "parameters.d",
        "d-at-most-gamma",
        "`d` is at most `gamma`.",
        lambda c: c.exact("d") <= c.exact("gamma"),
    ),
    readable("parameters.gamma", "gamma-below-1", "`gamma` is below 1.", lambda c: c.exact("gamma") < 1),
    object_with(keys=("published", "unpublished")),
    object_with("published", keys=("left", "right")),
    object_with("unpublished", keys=("left", "right")),
    *stated(_tuple_statement),
    *_tuple_side("published"),
    *_tuple_side("unpublished"),
]
