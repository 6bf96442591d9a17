"""Claims about beliefs: certificates of breaches under retention replacement.

The claims are `breach` and `safe`. Certificates of them are an addition of this specification.

A record retains its value with probability p and otherwise publishes a value drawn from a law of
replacements, its own included. Breaches are defined in section 5 of Agrawal, Srikant and Thomas, "Privacy
preserving OLAP" (2005); the amplification is that of Evfimievski, Gehrke and Srikant (2003).
"""

from __future__ import annotations

from fractions import Fraction
from math import floor

from splu_ref.spec.certificates_grammar import (
    HEXADECIMAL,
    Certificate,
    Statement,
    computed,
    fraction,
    hexadecimal,
    matches,
    object_with,
    readable,
    stated,
    true,
    whole,
    witness,
)

MOST_COUNTS = 500
MOST_SUMS = 50_000_000_000


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


def _posterior(c: Certificate, seen: int, weight: int) -> Fraction:
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
    return _posterior(c, counts_of(c)[c.integer("observed")], _weight(c))


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


def _room(c: Certificate) -> int:
    """Return R, the records that a set of prior at most rho1 can have."""
    return floor(c.exact("rho1") * sum(counts_of(c)))


def _safe_work(c: Certificate) -> int:
    """Return d k R: k counts are at most R, and d of them are different."""
    small = [count for count in counts_of(c) if count <= _room(c)]
    return len(set(small)) * len(small) * _room(c)


def _largest_posterior(c: Certificate) -> Fraction:
    """Return the largest posterior of any set with a prior of at most rho1, whatever is seen.

    0 if there is no such set.

    A set without the value that is seen has a posterior of at most its prior, which is also reached by a
    set with a value, so only sets with the value are formed: for each seen value, all sums of other counts
    that fit beside it.
    """
    counts, limit, most = counts_of(c), _room(c), Fraction(0)
    for place, seen in enumerate(counts):
        weights = {seen} if seen <= limit else set()
        for other in counts[:place] + counts[place + 1 :]:
            weights |= {weight + other for weight in weights if weight + other <= limit}
        most = max([most, *(_posterior(c, seen, weight) for weight in weights)])
    return most


def amplification(c: Certificate) -> Fraction:
    """Return 1 + p m / (1-p): the largest ratio of the chances of one published value under two true ones."""
    kept = c.exact("retention")
    return 1 + kept * c.whole("values") / (1 - kept)


def _largest(c: Certificate) -> Fraction:
    return _largest_posterior(c) if "counts" in c.parameters else amplification(c)


def _is_safe(c: Certificate) -> bool:
    if "counts" in c.parameters:
        return _largest_posterior(c) < c.exact("rho2")
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
        lambda c: "counts" not in c.parameters or _safe_work(c) <= MOST_SUMS,
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
