"""The alpha-beta algorithm: publish a random set of tuples, genuine ones with a chance alpha + beta, others with beta.

Rastogi, Suciu and Hong ("The boundary between privacy and utility in data publishing", 2007), algorithm 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, prod

from splu_ref.spec.errors import require
from splu_ref.spec.randomness import Stream, integer_below, integers_below, permutation
from splu_ref.spec.retention import DeclaredColumn

EAGER = 2**20
"""Tuples of a domain up to which each of them draws; above, the fakes are counted first."""


@dataclass(frozen=True)
class Released:
    """The names of the columns, ascending; the numbers of the table's tuples and of the published ones; their cells."""

    columns: list[str]
    members: list[int]
    numbers: list[int]
    published: list[list[str]]


def publish(columns: Sequence[DeclaredColumn], alpha: Fraction, beta: Fraction, stream: Stream) -> Released:
    """Publish the tuples of a table.

    >>> from splu_ref.spec.randomness import Tape
    >>> column = DeclaredColumn("v", ["a", "b", "c"], ["b"])
    >>> tape = Tape(bytes([1, 1, 0]) + bytes.fromhex("0000000200000001"))  # b and c are published, and shuffled
    >>> publish([column], Fraction(1, 4), Fraction(1, 4), tape).published
    [['c'], ['b']]
    """
    require(alpha > 0 and beta >= 0 and alpha + beta <= 1, "alpha and beta are no such chances")
    require(len(columns) > 0 and len(columns[0].cells) > 0, "there is no tuple")
    require(len({len(column.cells) for column in columns}) == 1, "the columns differ in length")
    named = sorted(columns, key=lambda column: column.name)
    sizes = [len(column.domain) for column in named]
    members = sorted(number_of(tuple_, sizes) for tuple_ in zip(*(column.codes for column in named)))
    require(len(set(members)) == len(members), "a tuple stands twice")
    drawn = eager if prod(sizes) <= EAGER else lazy
    taken = drawn(members, prod(sizes), alpha, beta, stream)
    numbers = [taken[place] for place in permutation(stream, len(taken))]
    cells = [[column.values[code] for column, code in zip(named, codes_of(n, sizes))] for n in numbers]
    return Released([column.name for column in named], members, numbers, cells)


def number_of(codes: Sequence[int], sizes: Sequence[int]) -> int:
    """Return the number of a tuple: its codes as digits, the last column fastest.

    >>> number_of([1, 2], [2, 3]), codes_of(5, [2, 3])
    (5, [1, 2])
    """
    number = 0
    for code, size in zip(codes, sizes):
        number = number * size + code
    return number


def codes_of(number: int, sizes: Sequence[int]) -> list[int]:
    """Return the codes of the tuple with a number."""
    codes = []
    for size in reversed(sizes):
        number, code = divmod(number, size)
        codes.append(code)
    return codes[::-1]


def eager(members: Sequence[int], size: int, alpha: Fraction, beta: Fraction, stream: Stream) -> list[int]:
    """Let every tuple of the domain draw."""
    whole = lcm((alpha + beta).denominator, beta.denominator)
    require(whole <= 2**63, "the chances have too large denominators")  # not on the English page
    genuine, taken = set(members), []
    for number in range(size):
        chance = alpha + beta if number in genuine else beta
        if integer_below(stream, whole) < chance * whole:
            taken.append(number)
    return taken


def lazy(members: Sequence[int], size: int, alpha: Fraction, beta: Fraction, stream: Stream) -> list[int]:
    """Let the members draw, draw the number of fakes, and then which tuples they are."""
    chance = alpha + beta
    drawn = integers_below(stream, chance.denominator, len(members))
    genuine = [member for member, integer in zip(members, drawn) if integer < chance.numerator]
    others = size - len(members)
    count = binomial(others, beta, stream) if beta else 0
    ranks: set[int] = set()
    for last in range(others - count, others):  # Floyd's algorithm for a uniform subset
        rank = integer_below(stream, last + 1)
        ranks.add(last if rank in ranks else rank)
    return genuine + [tuple_of_rank(members, rank) for rank in sorted(ranks)]


def tuple_of_rank(members: Sequence[int], rank: int) -> int:
    """Return the number of the tuple with a rank among those that are no members.

    >>> [tuple_of_rank([1, 2, 5], rank) for rank in range(4)]
    [0, 3, 4, 6]
    """
    for member in members:
        if member <= rank:
            rank += 1
    return rank


def binomial(trials: int, chance: Fraction, stream: Stream) -> int:
    """Draw a binomial number: the least k for which a uniform number below 1 is below Pr(X <= k).

    The number's digits, in the base of the chance's denominator, are drawn in blocks until they decide.

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
        bits = (base**digits).bit_length() + 64
        low = count_of(Fraction(known, base**digits), trials, chance, bits)
        high = count_of(Fraction(known + 1, base**digits), trials, chance, bits, end=True)
        if low is not None and low == high:
            return low


def count_of(uniform: Fraction, trials: int, chance: Fraction, bits: int, *, end: bool = False) -> int | None:
    """Return the least k with U < Pr(X <= k), or with U <= Pr(X <= k) for the end of an interval; None if it stays open.

    The probabilities are enclosed between two numbers of so many bits more than the least of them needs: exact ones would
    have as many digits as there are trials.

    >>> [count_of(Fraction(uniform, 4), 2, Fraction(1, 2), 64) for uniform in range(4)]
    [0, 1, 1, 2]
    """
    rarest = (1 - chance).numerator.bit_length() - (1 - chance).denominator.bit_length()
    scale = (
        2 ** (bits + 64 + trials * max(1, -rarest))
        if chance >= Fraction(1, 2)
        else 2 ** (bits + 64 + int(3 * trials * chance))
    )
    low, high = _power(1 - chance, trials, scale)
    total_low, total_high, count = low, high, 0
    while True:
        if (uniform * scale < total_low) or (end and uniform * scale <= total_low):
            return count
        if (uniform * scale < total_high) or (end and uniform * scale <= total_high):
            return None
        if count == trials:
            return trials
        odds = chance / (1 - chance) * (trials - count) / (count + 1)
        low = low * odds.numerator // odds.denominator
        high = -(-high * odds.numerator // odds.denominator)
        total_low, total_high, count = total_low + low, total_high + high, count + 1


def _power(base: Fraction, exponent: int, scale: int) -> tuple[int, int]:
    """Return two integers that enclose scale * base**exponent, by squaring."""
    if exponent == 0:
        return scale, scale
    low, high = _power(base, exponent // 2, scale)
    low, high = low * low // scale, -(-high * high // scale)
    if exponent % 2:
        low, high = low * base.numerator // base.denominator, -(-high * base.numerator // base.denominator)
    return low, high
