"""Certificates about retention replacement and the alpha-beta algorithm.

`breach`, `safe`, `sample-size` and `d-gamma`.

A record keeps its value with probability p and otherwise publishes a value drawn from a law of
replacements, its own included (Agrawal, Srikant and Thomas, "Privacy preserving OLAP", 2005: breaches in
section 5, sizes of samples in Theorem 1). The amplification is that of Evfimievski, Gehrke and Srikant
(2003). (d, gamma)-privacy is Theorem 4.3 of Rastogi, Suciu and Hong (2007).
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

MOST_COUNTS = 500
MOST_SUMS = 50_000_000_000
MOST_BITS = 4_000_000
MOST_EXACT = 200_000_000_000


def counts_of(c: Certificate) -> list[int]:
    """Return how many records have the first, the second, ... value; others have none."""
    return [int(count) for count in c.word("counts").split(" ")]


def amplification_limit(low: Fraction, high: Fraction) -> Fraction:
    """Return G: odds have to grow by this factor to lift a belief from ``low`` to ``high``.

    >>> amplification_limit(Fraction(1, 10), Fraction(1, 2))
    Fraction(9, 1)
    """
    return high / (1 - high) / (low / (1 - low))


COUNTS = [
    readable(
        "parameters.counts",
        "counts-form",
        "`counts` are decimal integers of at most 12 digits, without leading zeros, each at least 1, "
        "one space between two.",
        lambda c: (
            "counts" not in c.parameters
            or matches(c.parameters["counts"], "[1-9][0-9]{0,11}( [1-9][0-9]{0,11})*")
        ),
    ),
    readable(
        "parameters.counts",
        "counts-limit",
        "There are at most 500 counts.",
        lambda c: "counts" not in c.parameters or len(counts_of(c)) <= MOST_COUNTS,
    ),
]

LEVELS = [
    fraction("rho1"),
    fraction("rho2"),
    readable("parameters.rho1", "rho1-range", "`rho1` is above 0.", lambda c: c.exact("rho1") > 0),
    readable(
        "parameters.rho1",
        "levels-order",
        "`rho1` is below `rho2`.",
        lambda c: c.exact("rho1") < c.exact("rho2"),
    ),
    readable("parameters.rho2", "rho2-range", "`rho2` is below 1.", lambda c: c.exact("rho2") < 1),
]

_REPLACED = [
    fraction("retention"),
    readable(
        "parameters.retention",
        "retention-range",
        "`retention` is at most 1; it may be 0.",
        lambda c: c.exact("retention") <= 1,
    ),
    *LEVELS,
    whole("values"),
    readable(
        "parameters.values", "values-range", "`values` is at least 2.", lambda c: c.whole("values") >= 2
    ),
    *COUNTS,
    readable(
        "parameters.counts",
        "counts-within",
        "There are at most as many counts as `values`.",
        lambda c: "counts" not in c.parameters or len(counts_of(c)) <= c.whole("values"),
    ),
]


def posterior(c: Certificate, seen: int, weight: int) -> Fraction:
    """Return the belief in a set of ``weight`` records once a value that ``seen`` of them have is seen."""
    kept, total = c.exact("retention"), sum(counts_of(c))
    other = (1 - kept) / c.whole("values")
    return (kept * seen + other * weight) / (kept * seen + other * total)


def _replaced(c: Certificate) -> str:
    return (
        f"With retention = {c.word('retention')} and replacements drawn uniformly from "
        f"{c.word('values')} values"
    )


# breach


def _places(c: Certificate) -> list[int]:
    return c.integers("secret")


def _weight(c: Certificate) -> int:
    return sum(counts_of(c)[place] for place in _places(c))


def _prior(c: Certificate) -> Fraction:
    return Fraction(_weight(c), sum(counts_of(c)))


def _lifted(c: Certificate) -> Fraction:
    return posterior(c, counts_of(c)[c.integer("observed")], _weight(c))


def _breach_statement(c: Certificate) -> Statement:
    places = ", ".join(str(place + 1) for place in _places(c))
    return Statement(
        f"{_replaced(c)}: where the values have the counts {c.word('counts')}, seeing value "
        f"{c.integer('observed') + 1} lifts "
        f"the belief in one of the values {places} from {_prior(c)}, at most {c.word('rho1')}, to "
        f"{_lifted(c)}, at least "
        f"{c.word('rho2')}."
    )


BREACH = [
    *_REPLACED,
    object_with(keys=("secret", "observed")),
    readable(
        "evidence.secret", "secret-list", "It is a list.", lambda c: isinstance(c.evidence("secret"), list)
    ),
    readable(
        "evidence.secret",
        "secret-form",
        "Every place is a hexadecimal integer without sign or leading zeros, of at most 64 digits.",
        lambda c: all(matches(place, HEXADECIMAL) for place in c.listed("secret")),
    ),
    witness("observed"),
    true(
        "evidence.secret",
        "secret-places",
        "Every place is one of a count; the first place is 0.",
        lambda c: all(place < len(counts_of(c)) for place in _places(c)),
    ),
    true(
        "evidence.secret",
        "secret-ascending",
        "The places ascend, none twice.",
        lambda c: _places(c) == sorted(set(_places(c))),
    ),
    true(
        "evidence.observed",
        "observed-in-secret",
        "It is a place of the secret, which therefore is not empty.",
        lambda c: c.integer("observed") in _places(c),
    ),
    true(
        "evidence.secret",
        "prior-at-most",
        "The prior of the set is at most `rho1`.",
        lambda c: _prior(c) <= c.exact("rho1"),
    ),
    true(
        "evidence.secret",
        "posterior-at-least",
        "Its posterior is at least `rho2`.",
        lambda c: _lifted(c) >= c.exact("rho2"),
    ),
    *stated(_breach_statement),
]


# safe


def room(c: Certificate) -> int:
    """Return R, the records that a set of prior at most rho1 can have."""
    return floor(c.exact("rho1") * sum(counts_of(c)))


def safe_work(c: Certificate) -> int:
    """Return d k R: k counts are at most R, and d of them are different."""
    small = [count for count in counts_of(c) if count <= room(c)]
    return len(set(small)) * len(small) * room(c)


def largest_posterior(c: Certificate) -> Fraction:
    """Return the largest posterior of any set with a prior of at most rho1, whatever is seen.

    0 if there is no such set.

    A set without the value that is seen has a posterior of at most its prior, which is also reached by a
    set with a value, so only sets with the value are formed: for each seen value, all sums of other counts
    that fit beside it.
    """
    counts, limit, most = counts_of(c), room(c), Fraction(0)
    for place, seen in enumerate(counts):
        weights = {seen} if seen <= limit else set()
        for other in counts[:place] + counts[place + 1 :]:
            weights |= {weight + other for weight in weights if weight + other <= limit}
        most = max([most, *(posterior(c, seen, weight) for weight in weights)])
    return most


def amplification(c: Certificate) -> Fraction:
    """Return 1 + p m / (1-p): the largest ratio of the chances of one published value under two true ones."""
    kept = c.exact("retention")
    return 1 + kept * c.whole("values") / (1 - kept)


def _largest(c: Certificate) -> Fraction:
    return largest_posterior(c) if "counts" in c.parameters else amplification(c)


def _is_safe(c: Certificate) -> bool:
    if "counts" in c.parameters:
        return largest_posterior(c) < c.exact("rho2")
    return amplification(c) < amplification_limit(c.exact("rho1"), c.exact("rho2"))


def _safe_statement(c: Certificate) -> Statement:
    low, high, found = c.word("rho1"), c.word("rho2"), _largest(c)
    if "counts" in c.parameters:
        return Statement(
            f"{_replaced(c)}: where the values have the counts {c.word('counts')}, what is published "
            f"lifts the belief in no set of "
            f"values from at most {low} to more than {found}, below {high}."
        )
    least = amplification_limit(c.exact("rho1"), c.exact("rho2"))
    return Statement(
        f"{_replaced(c)}: what is published has an amplification of {found}, below the {least} from "
        f"which on some prior lets it "
        f"lift a belief from at most {low} to at least {high}."
    )


SAFE = [
    *_REPLACED,
    readable(
        "parameters.counts",
        "sums-limit",
        "d k R is at most 50,000,000,000.",
        lambda c: "counts" not in c.parameters or safe_work(c) <= MOST_SUMS,
    ),
    object_with(keys=("largest",)),
    object_with("largest", keys=("numerator", "denominator")),
    true(
        "parameters.retention",
        "retention-below-1",
        "Without counts, the retention is below 1.",
        lambda c: "counts" in c.parameters or c.exact("retention") < 1,
    ),
    true(
        "evidence.largest",
        "below-level",
        "With counts, the largest posterior is below `rho2`. Without, the amplification is below G.",
        _is_safe,
    ),
    *stated(_safe_statement),
    computed(
        "largest",
        "numerator",
        sentence="It is the numerator, in lowest terms.",
        value=lambda c: hexadecimal(_largest(c).numerator),
    ),
    computed(
        "largest",
        "denominator",
        sentence="It is the denominator.",
        value=lambda c: hexadecimal(_largest(c).denominator),
    ),
]


# sample-size


def chances(c: Certificate) -> tuple[Fraction, Fraction]:
    """Return the chance to be published with the predicate, of a record that satisfies it and of others."""
    kept, share = c.exact("retention"), c.exact("share")
    return kept + (1 - kept) * share, (1 - kept) * share


def published_law(c: Certificate, n: int, count: int) -> Law:
    """Return the law of the published count X of the predicate, which ``count`` of ``n`` records satisfy."""
    own, other = chances(c)
    return binomial(count, own).plus(binomial(n - count, other))


def correct_counts(c: Certificate, n: int, count: int) -> tuple[int, int]:
    """Return the least and the largest X that is no error; if there is none, the first is above the last."""
    own, other = chances(c)
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


def sample_work(c: Certificate) -> tuple[int, int]:
    """Return what a checker limits: B and B H (last + 2), as for published counts with a retention.

    That n is at most 1,000,000 follows. Otherwise, of n trials at most some have denominators of 8 or more,
    if B is within its limit; so the mean of X is above n / 16, and the other limit is exceeded.
    """
    n, count = _sample_violation(c)
    own, other = (chance.denominator.bit_length() for chance in chances(c))
    bits = count * own + (n - count) * other
    digits = 1 + (own + other + n.bit_length()) // 30
    return bits, bits * digits * (correct_counts(c, n, count)[1] + 2)


def _sample_limit(place: int, most: int) -> Callable[[Certificate], bool]:
    return lambda c: not _has_violation(c) or sample_work(c)[place] <= most


def _missed(c: Certificate) -> tuple[int, int]:
    """Return the numerator and the denominator of the probability that the estimate of the share is wrong."""
    law, (first, last) = published_law(c, *_sample_violation(c)), correct_counts(c, *_sample_violation(c))
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
        "first", "It is the least X that is no error.", lambda c: correct_counts(c, *_sample_violation(c))[0]
    ),
    _sample_part(
        "last", "It is the largest X that is no error.", lambda c: correct_counts(c, *_sample_violation(c))[1]
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


def tuple_sides(c: Certificate) -> dict[str, tuple[int, int]]:
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
            lambda c: tuple_sides(c)[name][0] >= tuple_sides(c)[name][1],
        ),
        computed(
            name,
            "left",
            sentence="It is the left side times D.",
            value=lambda c: hexadecimal(tuple_sides(c)[name][0]),
        ),
        computed(
            name,
            "right",
            sentence="It is the right side times D.",
            value=lambda c: hexadecimal(tuple_sides(c)[name][1]),
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
