"""The alpha-beta algorithm: publish a random set of tuples, genuine ones among fakes.

The algorithm of Rastogi, Suciu and Hong ("The boundary between privacy and utility in data publishing", VLDB
2007): a tuple of the table is published with probability α + β, and any other tuple of the domain with
probability β, all independently. How bytes become the published set is an addition of this specification. In
a domain of at most 2^20 tuples every tuple draws (`eager`). In a larger one the number of fakes is drawn
first (`lazy`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm, prod

from splu_ref.spec.errors import require
from splu_ref.spec.randomness import Stream, integer_below, integers_below, permutation
from splu_ref.spec.retention import DeclaredColumn

MOST_EAGER = 2**20
"""Tuples of the largest domain in which every tuple draws."""

MOST_FAKES = 10**8
"""Fakes that a release may have on average."""


@dataclass(frozen=True)
class Release:
    """A release.

    Attributes
    ----------
    columns
        The names of the columns, ascending.
    members
        The numbers of the table's tuples, ascending.
    numbers
        The numbers of the published tuples, in the order of publishing.
    published
        The cells of each published tuple.
    """

    columns: list[str]
    members: list[int]
    numbers: list[int]
    published: list[list[str]]


def publish(columns: Sequence[DeclaredColumn], alpha: Fraction, beta: Fraction, stream: Stream) -> Release:
    """Publish the tuples of a table.

    Columns are taken in ascending order of their names, whatever the order in which they are given. With
    domains of m_1, …, m_k values, a tuple with the codes c_1, …, c_k has the number (… (c_1 m_2 + c_2) m_3 +
    …) m_k + c_k. Let m be the product of the m_i, and n the number of the table's tuples, the members.

    1. If m ≤ 2^20 draw the set as `eager` does, otherwise as `lazy` does.
    2. Draw a permutation of the published tuples.

    Refused (``parameter``) before anything is drawn: α ≤ 0, β < 0 or α + β > 1; no column or no tuple;
    columns of different lengths; a tuple that occurs twice; more than 10^8 fakes on average, which is (m -
    n) β; a least common denominator of α + β and β above 2^63 for `eager`, or a denominator of α + β above
    2^63 for `lazy`.

    In the example the denominator is 4. The integers 1, 1, 0 publish b, which is below 2 = 4 (α + β), and c,
    which is below 1 = 4 β.

    >>> from splu_ref.spec.randomness import Tape
    >>> column = DeclaredColumn("v", ["a", "b", "c"], ["b"])
    >>> tape = Tape(bytes([1, 1, 0]) + bytes.fromhex("0000000200000001"))
    >>> publish([column], Fraction(1, 4), Fraction(1, 4), tape).published
    [['c'], ['b']]
    """
    require(alpha > 0 and beta >= 0 and alpha + beta <= 1, "alpha and beta are out of range")
    require(len(columns) > 0 and len(columns[0].cells) > 0, "there is no column or no tuple")
    require(len({len(column.cells) for column in columns}) == 1, "the columns differ in length")
    named = sorted(columns, key=lambda column: column.name)
    sizes = [len(column.domain) for column in named]
    tuples = zip(*(column.codes for column in named), strict=True)
    members = sorted(number_of(codes, sizes) for codes in tuples)
    require(len(set(members)) == len(members), "a tuple occurs twice")
    size = prod(sizes)
    require((size - len(members)) * beta <= MOST_FAKES, "there are too many fakes")
    draw = eager if size <= MOST_EAGER else lazy
    published = draw(members, size, alpha, beta, stream)
    numbers = [published[place] for place in permutation(stream, len(published))]
    cells = [
        [column.values[code] for column, code in zip(named, codes_of(number, sizes), strict=True)]
        for number in numbers
    ]
    return Release([column.name for column in named], members, numbers, cells)


def number_of(codes: Sequence[int], sizes: Sequence[int]) -> int:
    """Return the number of a tuple: its codes are digits, and the last column changes fastest.

    >>> number_of([1, 2], [2, 3])
    5
    """
    number = 0
    for code, size in zip(codes, sizes, strict=True):
        number = number * size + code
    return number


def codes_of(number: int, sizes: Sequence[int]) -> list[int]:
    """Return the codes of the tuple with a number.

    >>> codes_of(5, [2, 3])
    [1, 2]
    """
    codes = []
    for size in reversed(sizes):
        number, code = divmod(number, size)
        codes.append(code)
    return codes[::-1]


def eager(members: Sequence[int], size: int, alpha: Fraction, beta: Fraction, stream: Stream) -> list[int]:
    """Let every tuple of the domain draw; return the published ones, ascending.

    With w the least common denominator of α + β and β, each tuple draws one integer below w, ascending by
    number. A member is published if its integer is below w (α + β), another tuple if its integer is below w
    β. A w above 2^63 is refused (``parameter``).

    >>> from splu_ref.spec.randomness import Tape
    >>> eager([1], 3, Fraction(1, 4), Fraction(1, 4), Tape(bytes([1, 1, 0])))
    [1, 2]
    """
    whole = lcm((alpha + beta).denominator, beta.denominator)
    require(whole <= 2**63, "the probabilities have too large denominators")
    genuine, published = set(members), []
    for number in range(size):
        probability = alpha + beta if number in genuine else beta
        if integer_below(stream, whole) < probability * whole:
            published.append(number)
    return published


def lazy(members: Sequence[int], size: int, alpha: Fraction, beta: Fraction, stream: Stream) -> list[int]:
    """Let the members draw, then draw the number of fakes, then which tuples they are.

    1. Each member, ascending, draws one integer below the denominator of α + β, and is published if it is
       below the numerator. A denominator above 2^63 is refused (``parameter``).
    2. Unless β = 0, the number K of fakes is drawn, binomial with m - n trials and probability β
       (`binomial`).
    3. For j = m - n - K, …, m - n - 1, draw an integer below j + 1. It is taken, or j if it is taken already
       (Floyd's method). What is taken are ranks among the tuples that are no members (`tuple_of_rank`).

    The genuine tuples come first, ascending, and then the fakes, ascending.

    In the example the member draws 0 of 4 and is published, U is 3/4 or more and K is 2, and the ranks are
    drawn below 1, which reads nothing, and below 2.

    >>> from splu_ref.spec.randomness import Tape
    >>> lazy([1], 3, Fraction(1, 4), Fraction(1, 2), Tape(bytes([0, 3])))
    Traceback (most recent call last):
    splu_ref.spec.errors.TapeExhausted: the tape has 0 of 1 bytes left
    >>> lazy([1], 3, Fraction(1, 4), Fraction(1, 2), Tape(bytes([0, 3, 0])))
    [1, 0, 2]
    """
    genuine = alpha + beta
    require(genuine.denominator <= 2**63, "the probabilities have too large denominators")
    integers = integers_below(stream, genuine.denominator, len(members))
    published = [m for m, integer in zip(members, integers, strict=True) if integer < genuine.numerator]
    others = size - len(members)
    count = binomial(others, beta, stream) if beta else 0
    ranks: set[int] = set()
    for last in range(others - count, others):
        rank = integer_below(stream, last + 1)
        ranks.add(last if rank in ranks else rank)
    return published + [tuple_of_rank(members, rank) for rank in sorted(ranks)]


def tuple_of_rank(members: Sequence[int], rank: int) -> int:
    """Return the number of the tuple with a rank, from 0, among those that are no members.

    ``members`` ascend.

    >>> [tuple_of_rank([1, 2, 5], rank) for rank in range(4)]
    [0, 3, 4, 6]
    """
    for member in members:
        if member <= rank:
            rank += 1
    return rank


def binomial(trials: int, chance: Fraction, stream: Stream) -> int:
    """Draw X, binomial with n trials and probability β = a/d in lowest terms, exactly.

    X is the least k with U < Pr(X ≤ k), for a uniform number U below 1 of which digits in base d are drawn
    until they decide:

    1. Digits are drawn in blocks. A block of c digits is one integer below d^c, its first digit the most
       significant one; c is the largest whole number with d^c ≤ 2^64, and at least 1. There are n digits at
       most, so the last block may be shorter. For n = 0 nothing is read, and X is 0.
    2. After a block, j digits are known, and U is between u/d^j and (u + 1)/d^j. Let δ be 2^-(64 + b), where
       b is the number of binary digits of d^j; and δ = 0 if j = n. If the least k with u/d^j - δ < Pr(X ≤ k)
       is also the least k with (u + 1)/d^j + δ ≤ Pr(X ≤ k), it is X. Otherwise another block is drawn.

    The margin δ is part of the rule. With it, enclosures of the probabilities with an error below 2^-(65 +
    b) decide unless one of the probabilities lies that close to a limit. For n digits the comparison is
    exact, and always decides.

    In the example the digits are 1 and 1: U is 3/4 or more.

    >>> from splu_ref.spec.randomness import Tape
    >>> binomial(2, Fraction(1, 2), Tape(bytes([3])))
    2
    """
    base = chance.denominator
    block = max(1, next(c for c in range(2, 66) if base**c > 2**64) - 1)
    known, digits = 0, 0
    while True:
        more = min(block, trials - digits)
        known, digits = known * base**more + integer_below(stream, base**more), digits + more
        whole = base**digits
        margin = Fraction(0) if digits == trials else Fraction(1, 2 ** (64 + whole.bit_length()))
        low = least_count(Fraction(known, whole) - margin, trials, chance)
        high = least_count(Fraction(known + 1, whole) + margin, trials, chance, reached=True)
        if low == high:
            return low


def least_count(level: Fraction, trials: int, chance: Fraction, *, reached: bool = False) -> int:
    """Return the least k with ``level`` < Pr(X ≤ k), or with ``level`` ≤ Pr(X ≤ k) if ``reached``; at most n.

    The probabilities are enclosed with more and more bits until they decide, and are summed exactly if n
    digits of the denominator would not be more. This is slow: it goes through all k, with numbers of about 3
    n β bits, and is meant for up to about ten thousand fakes. The library answers releases of millions.

    >>> [least_count(Fraction(quarter, 4), 2, Fraction(1, 2)) for quarter in range(4)]
    [0, 1, 1, 2]
    >>> [least_count(Fraction(quarter, 4), 2, Fraction(1, 2), reached=True) for quarter in range(1, 5)]
    [0, 1, 1, 2]
    """
    if level >= 1:
        return trials
    bits = 128
    while bits < trials * chance.denominator.bit_length():
        result = _enclosed_count(level, trials, chance, bits, reached)
        if result is not None:
            return result
        bits *= 2
    total = Fraction(0)
    for count in range(trials):
        total += comb(trials, count) * chance**count * (1 - chance) ** (trials - count)
        if level < total or (reached and level == total):
            return count
    return trials


def _enclosed_count(level: Fraction, trials: int, chance: Fraction, bits: int, reached: bool) -> int | None:
    """Return the result of `least_count`, or None if enclosures of so many bits leave it open."""
    failure = 1 - chance
    smallest = trials * (1 + failure.denominator.bit_length() - failure.numerator.bit_length())
    scale = 2 ** (bits + 64 + (smallest if chance >= Fraction(1, 2) else int(3 * trials * chance)))
    limit = level * scale
    low, high = _power(failure, trials, scale)
    sum_low, sum_high = low, high
    for count in range(trials):
        if limit < sum_low or (reached and limit == sum_low):
            return count
        if limit < sum_high or (reached and limit == sum_high):
            return None
        odds = chance / failure * (trials - count) / (count + 1)
        low = low * odds.numerator // odds.denominator
        high = -(-high * odds.numerator // odds.denominator)
        sum_low, sum_high = sum_low + low, sum_high + high
    return trials


def _power(base: Fraction, exponent: int, scale: int) -> tuple[int, int]:
    """Return two integers that enclose ``scale`` times a power, by repeated squaring."""
    if exponent == 0:
        return scale, scale
    low, high = _power(base, exponent // 2, scale)
    low, high = low * low // scale, -(-high * high // scale)
    if exponent % 2:
        low, high = low * base.numerator // base.denominator, -(-high * base.numerator // base.denominator)
    return low, high
