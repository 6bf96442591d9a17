"""Claims about operators: certificates of a matrix that retains most.

The claim `optimal-operator` states that, of all matrices that lift no belief above a level, none retains
more. Certificates of it are an addition of this specification.

Of m values with the counts n_u, row u of the matrix P is the law by which value u is published. Breaches
are those of Evfimievski, Gehrke and Srikant (2003) and of Agrawal, Srikant and Thomas (2005, section 5);
that a belief of exactly rho2 is admitted is the difference to `breach`. Optimality is shown by the
multipliers of linear programming.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from fractions import Fraction
from math import floor

from splu_ref.spec.certificates_grammar import (
    LONG_HEXADECIMAL,
    SIGNED_HEXADECIMAL,
    Certificate,
    Condition,
    Statement,
    has_keys,
    matches,
    object_with,
    readable,
    stated,
    true,
    witness,
)
from splu_ref.spec.certificates_replacement import COUNTS, LEVELS, amplification_limit, counts_of

MOST_PAIRS = 5_000_000
KEEP = {
    "share": "the share of the records that are published with their own value",
    "mean": "the mean of the diagonal",
    "least": "the least entry of the diagonal",
}
AGAINST = {
    "any": "under any prior no belief",
    "values": "under this prior no belief in a single value",
    "sets": "under this prior no belief in a set of values",
}


def _against_any(c: Certificate) -> bool:
    """Return whether no prior may have a breach."""
    return c.word("against") == "any"


def _matrix(c: Certificate) -> list[list[Fraction]]:
    """Return P."""
    unit = c.integer("denominator")
    return [[Fraction(entry, unit) for entry in c.integers("matrix", u)] for u in range(len(counts_of(c)))]


def _scaled(c: Certificate, name: str) -> list[Fraction]:
    """Return the weights w_u, or the numbers y_u of the rows."""
    return [Fraction(entry, c.integer("scale")) for entry in c.integers(name)]


def _prices(c: Certificate) -> list[tuple[int, list[int], Fraction]]:
    """Return the published value, the places of the set and the price of each set that has one."""
    return [
        (
            c.integer("prices", number, "published"),
            c.integers("prices", number, "secret"),
            Fraction(c.integer("prices", number, "amount"), c.integer("scale")),
        )
        for number in range(len(c.listed("prices")))
    ]


def _room(c: Certificate) -> int:
    """Return how many records a set of prior at most rho1 can have."""
    return floor(c.exact("rho1") * sum(counts_of(c)))


def _gains(c: Certificate, v: int) -> list[tuple[int, Fraction]]:
    """Return n_u and n_u P[u][v] of each value that alone has a prior of at most rho1."""
    counts = counts_of(c)
    return [(n, n * _matrix(c)[u][v]) for u, n in enumerate(counts) if n <= _room(c)]


def pairs_of(items: list[tuple[int, Fraction]], most: int) -> tuple[dict[int, Fraction], int]:
    """Return the pairs of a weight and a gain that no set of at most that weight exceeds, and the work.

    The values are added one after another, in their order. A pair counts as gone through once for every
    value that is added to it, whether the sum fits or not; so the work is the sum, over the values, of the
    pairs that are there before it is added. Of sets with the same weight and gain there is one pair, and a
    pair is left out if a set of at most its weight has at least its gain.

    >>> pairs_of([(1, Fraction(1)), (1, Fraction(2))], 2)
    ({0: Fraction(0, 1), 1: Fraction(2, 1), 2: Fraction(3, 1)}, 3)
    """
    pairs, work = {0: Fraction(0)}, 0
    for weight, gain in items:
        work += len(pairs)
        more = [(each + weight, sum_ + gain) for each, sum_ in pairs.items() if each + weight <= most]
        kept: dict[int, Fraction] = {}
        largest = Fraction(-1)
        for each, sum_ in sorted([*pairs.items(), *more], key=lambda pair: (pair[0], -pair[1])):
            if sum_ > largest:
                kept[each] = largest = sum_
        pairs = kept
    return pairs, work


def set_work(c: Certificate) -> int:
    """Return how many pairs a checker goes through, over all columns; 0 unless it is about sets."""
    if c.word("against") != "sets":
        return 0
    counts = counts_of(c)
    columns = [c.integers("matrix", u) for u in range(len(counts))]
    work = 0
    for v in range(len(counts)):
        items = [(n, Fraction(n * columns[u][v])) for u, n in enumerate(counts) if n <= _room(c)]
        work += pairs_of(items, _room(c))[1]
    return work


def _column_is_admitted(c: Certificate, v: int) -> bool:
    """Return whether seeing value v lifts no belief from at most rho1 to more than rho2."""
    column = [row[v] for row in _matrix(c)]
    if _against_any(c):
        return max(column) <= amplification_limit(c.exact("rho1"), c.exact("rho2")) * min(column)
    seen = _gains(c, v)
    if c.word("against") == "values":
        most = max((gain for _, gain in seen), default=Fraction(0))
    else:
        most = max(pairs_of(seen, _room(c))[0].values())
    return most <= c.exact("rho2") * sum(n * entry for n, entry in zip(counts_of(c), column, strict=True))


def _kept(c: Certificate) -> Fraction:
    """Return what the matrix keeps: the weighted mean of its diagonal, or its least entry."""
    diagonal = [row[u] for u, row in enumerate(_matrix(c))]
    if c.word("keep") == "least":
        return min(diagonal)
    return sum((w * entry for w, entry in zip(_scaled(c, "weights"), diagonal, strict=True)), Fraction(0))


def _weights_of_objective(c: Certificate) -> list[Fraction]:
    """Return n_u/N for ``share`` and 1/m for ``mean``; for ``least`` any law, which the evidence gives."""
    counts = counts_of(c)
    if c.word("keep") == "least":
        return _scaled(c, "weights")
    if c.word("keep") == "mean":
        return [Fraction(1, len(counts)) for _ in counts]
    return [Fraction(n, sum(counts)) for n in counts]


def _column_balances(c: Certificate, v: int) -> bool:
    """Return whether, against any prior, the rows bound column v.

    G times the positive s_u is at most the negative ones.
    """
    rows, w = _scaled(c, "rows"), _scaled(c, "weights")[v]
    s = [(w if u == v else Fraction(0)) - y for u, y in enumerate(rows)]
    positive = sum((each for each in s if each > 0), Fraction(0))
    negative = -sum((each for each in s if each < 0), Fraction(0))
    return amplification_limit(c.exact("rho1"), c.exact("rho2")) * positive <= negative


def _entries_are_bounded(c: Certificate) -> bool:
    """Return whether, under the prior, y_u + n_u (Z(u, v) - rho2 Z(v)) >= w_u [u = v] for all u and v."""
    counts, rows, weights = counts_of(c), _scaled(c, "rows"), _scaled(c, "weights")
    size = len(counts)
    all_prices = [Fraction(0) for _ in counts]
    own = [[Fraction(0) for _ in counts] for _ in counts]
    for v, secret, amount in _prices(c):
        all_prices[v] += amount
        for u in secret:
            own[u][v] += amount
    return all(
        rows[u] + counts[u] * (own[u][v] - c.exact("rho2") * all_prices[v]) >= (weights[u] if u == v else 0)
        for u in range(size)
        for v in range(size)
    )


def digest(c: Certificate) -> str:
    """Return the SHA-256 of the evidence as JSON with sorted keys, without white space, in ASCII."""
    text = json.dumps(c.evidence(), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _statement(c: Certificate) -> Statement:
    return Statement(
        f"Where the values have the counts {c.word('counts')}, of all operators that lift "
        f"{AGAINST[c.word('against')]} from at most "
        f"{c.word('rho1')} to more than {c.word('rho2')}, the one of the evidence is one with the "
        f"largest value of "
        f"{KEEP[c.word('keep')]}, {_kept(c)}; the digest of the evidence is {digest(c)}."
    )


def _word(name: str, words: dict[str, str]) -> Condition:
    choices = ", ".join(f"`{word}`" for word in words)
    return readable(
        f"parameters.{name}",
        f"{name}-word",
        f"`{name}` is one of {choices}.",
        lambda c: isinstance(c.parameters[name], str) and c.parameters[name] in words,
    )


def _list(name: str, form: str) -> list[Condition]:
    """Return the conditions on the size and the integers of a list."""
    sign = "perhaps a minus sign, " if form == SIGNED_HEXADECIMAL else "without sign, "
    return [
        readable(
            f"evidence.{name}", f"{name}-size", "It is a list with an entry for each count.", _sized(name)
        ),
        readable(
            f"evidence.{name}",
            f"{name}-form",
            f"Every entry is a hexadecimal integer, {sign}without leading zeros and of at most 2000 "
            f"digits; there is no `-0`.",
            lambda c: all(matches(entry, form) for entry in c.listed(name)),
        ),
    ]


def _sized(*path: str | int) -> Callable[[Certificate], bool]:
    def holds(c: Certificate) -> bool:
        part = c.evidence(*path)
        return isinstance(part, list) and len(part) == len(counts_of(c))

    return holds


def _each_price(field: str, name: str, sentence: str, holds: Callable[[Certificate, int], bool]) -> Condition:
    return readable(
        f"evidence.prices.{field}",
        name,
        sentence,
        lambda c: all(holds(c, n) for n in range(len(c.listed("prices")))),
    )


_PRICES = [
    readable(
        "evidence.prices", "prices-list", "It is a list.", lambda c: isinstance(c.evidence("prices"), list)
    ),
    _each_price(
        "entry",
        "prices-keys",
        "Every entry is an object with the keys `published`, `secret`, `amount` and no other.",
        lambda c, n: has_keys(c.evidence("prices", n), ("published", "secret", "amount")),
    ),
    _each_price(
        "secret",
        "secret-list",
        "It is a list.",
        lambda c, n: isinstance(c.evidence("prices", n, "secret"), list),
    ),
    _each_price(
        "secret",
        "secret-form",
        "Every place is a hexadecimal integer without sign or leading zeros.",
        lambda c, n: all(matches(place, LONG_HEXADECIMAL) for place in c.listed("prices", n, "secret")),
    ),
    _each_price(
        "published",
        "published-form",
        "It is a hexadecimal integer without sign or leading zeros.",
        lambda c, n: matches(c.evidence("prices", n, "published"), LONG_HEXADECIMAL),
    ),
    _each_price(
        "amount",
        "amount-form",
        "It is a hexadecimal integer without sign, so not negative, and without leading zeros.",
        lambda c, n: matches(c.evidence("prices", n, "amount"), LONG_HEXADECIMAL),
    ),
    readable(
        "evidence.matrix",
        "pairs-limit",
        "Checkers go through at most 5,000,000 pairs: see `pairs_of`.",
        lambda c: set_work(c) <= MOST_PAIRS,
    ),
    true(
        "evidence.denominator", "denominator-range", "It is above 0.", lambda c: c.integer("denominator") > 0
    ),
    true("evidence.scale", "scale-range", "It is above 0.", lambda c: c.integer("scale") > 0),
    true(
        "evidence.prices",
        "prices-empty",
        "Against any prior it is empty.",
        lambda c: not _against_any(c) or not c.listed("prices"),
    ),
    true(
        "evidence.prices.published",
        "published-place",
        "It is the place of a count.",
        lambda c: all(v < len(counts_of(c)) for v, _, _ in _prices(c)),
    ),
    true(
        "evidence.prices.secret",
        "secret-places",
        "It has at least one place, and each is the place of a count.",
        lambda c: all(secret and max(secret) < len(counts_of(c)) for _, secret, _ in _prices(c)),
    ),
    true(
        "evidence.prices.secret",
        "secret-ascending",
        "The places ascend, none twice.",
        lambda c: all(secret == sorted(set(secret)) for _, secret, _ in _prices(c)),
    ),
]

OPTIMAL_OPERATOR = [
    *COUNTS,
    *LEVELS,
    _word("keep", KEEP),
    _word("against", AGAINST),
    object_with(keys=("denominator", "matrix", "scale", "weights", "rows", "prices")),
    witness("denominator", form=LONG_HEXADECIMAL),
    witness("scale", form=LONG_HEXADECIMAL),
    readable(
        "evidence.matrix", "matrix-size", "It is a list with an entry for each count.", _sized("matrix")
    ),
    readable(
        "evidence.matrix",
        "matrix-rows",
        "Every entry is a list with an entry for each count.",
        lambda c: all(_sized("matrix", u)(c) for u in range(len(c.listed("matrix")))),
    ),
    readable(
        "evidence.matrix",
        "matrix-form",
        "Every entry of these is a hexadecimal integer without sign or leading zeros, of at most "
        "2000 digits.",
        lambda c: all(
            matches(entry, LONG_HEXADECIMAL)
            for u in range(len(counts_of(c)))
            for entry in c.listed("matrix", u)
        ),
    ),
    *_list("weights", LONG_HEXADECIMAL),
    *_list("rows", SIGNED_HEXADECIMAL),
    *_PRICES,
    true(
        "evidence.matrix",
        "matrix-laws",
        "Every row of P adds up to 1.",
        lambda c: all(sum(row) == 1 for row in _matrix(c)),
    ),
    true(
        "evidence.matrix",
        "matrix-admitted",
        "Seeing no value lifts a belief from at most `rho1` to more than `rho2`.",
        lambda c: all(_column_is_admitted(c, v) for v in range(len(counts_of(c)))),
    ),
    true(
        "evidence.weights",
        "weights-sum",
        "The weights add up to 1.",
        lambda c: sum(_scaled(c, "weights")) == 1,
    ),
    true(
        "evidence.weights",
        "weights-of-objective",
        "They are those of the objective.",
        lambda c: _scaled(c, "weights") == _weights_of_objective(c),
    ),
    true(
        "evidence.rows",
        "rows-sum",
        "The y_u add up to what P keeps.",
        lambda c: sum(_scaled(c, "rows")) == _kept(c),
    ),
    true(
        "evidence.rows",
        "columns-balance",
        "Against any prior, the rows bound every column: see `_column_balances`.",
        lambda c: not _against_any(c) or all(_column_balances(c, v) for v in range(len(counts_of(c)))),
    ),
    true(
        "evidence.prices",
        "prices-within",
        "Each set with a price has at most `rho1` N records.",
        lambda c: all(sum(counts_of(c)[u] for u in secret) <= _room(c) for _, secret, _ in _prices(c)),
    ),
    true(
        "evidence.prices",
        "prices-of-values",
        "Against single values, each set with a price has one value.",
        lambda c: c.word("against") != "values" or all(len(secret) == 1 for _, secret, _ in _prices(c)),
    ),
    true(
        "evidence.prices",
        "entries-bounded",
        "Under the prior, rows and prices bound every entry: see `_entries_are_bounded`.",
        lambda c: _against_any(c) or _entries_are_bounded(c),
    ),
    *stated(_statement),
]
