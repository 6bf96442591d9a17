"""From bytes to integers, orders and subsets: the rules on every word, and against the specification."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from property_tests.checking import Outcome, check, first_failure
from property_tests.examples import for_all
from property_tests.run import Run
from property_tests.subject import Subject
from splu_ref.channels.parameters import TapeExhaustedError
from splu_ref.randomness import EnumerationSource, IntArray, TapeSource, outcomes
from splu_ref.spec import randomness as specification
from splu_ref.spec.errors import TapeExhausted

ONE_BYTE = range(2, 257)
TWO_BYTES = (257, 300, 1000, 32768, 32769, 40000, 65535, 65536)


@check(
    "source.integers",
    "exact",
    "On a tape that holds every word of a candidate's width once, each integer below the bound comes up "
    "equally often, in the order of the specification and from the bytes that it names; bounds 2 to 256 and "
    "eight of two bytes.",
)
def integers(subject: Subject, run: Run) -> Outcome:
    return first_failure(_integer_faults(subject), f"{len(ONE_BYTE) + len(TWO_BYTES)} bounds, every word")


def _integer_faults(subject: Subject) -> Iterator[str]:
    for bound in (*ONE_BYTE, *TWO_BYTES):
        bits = (bound - 1).bit_length()
        width = -(-bits // 8)
        words = 1 << 8 * width
        # An odd multiplier permutes the words, so that accepted and rejected ones alternate.
        data = b"".join((word * 0x9E35 % words).to_bytes(width, "big") for word in range(words))
        expected = specification.Tape(data)
        size = bound * (words >> bits)
        wanted = specification.integers_below(expected, bound, size)
        tape = subject.tape(data)
        drawn = tape.below(bound, size).tolist()
        if set(Counter(drawn).values()) != {words >> bits}:
            yield f"bound {bound}: the integers do not come up equally often over all words"
        if drawn != wanted or tape.consumed != expected.consumed:
            yield f"bound {bound}: another sequence, or other bytes consumed, than specified"
        if bound in (2, 3, 5, 7, 200, 300):
            single = subject.tape(data)
            if [single.integer_below(bound) for _ in range(size)] != wanted:
                yield f"bound {bound}: single integers differ from a vector of them"


TAPES = st.one_of(
    st.binary(min_size=0, max_size=160),
    # Few different keys, so that ties are common and last for several rounds.
    st.lists(st.sampled_from([b"\0\0\0\0", b"\0\0\0\1", b"\xff\0\0\0"]), max_size=40).map(b"".join),
)
CODES = st.lists(st.integers(0, 3), max_size=8)


@check(
    "source.orders",
    "property",
    "Orders within values, permutations and subsets are those of the specification for any tape, with ties, "
    "rejections and tapes that run out.",
)
def orders(subject: Subject, run: Run) -> Outcome:
    def holds(data: bytes, codes: list[int], population: int) -> None:
        array = np.array(codes, dtype=np.int64)
        count = min(population, len(codes))
        _same(subject, data, lambda s: s.order_within(array), lambda t: specification.order_within(t, codes))
        _same(
            subject,
            data,
            lambda s: s.permutation(len(codes)),
            lambda t: specification.permutation(t, len(codes)),
        )
        _same(
            subject,
            data,
            lambda s: s.subset(population, count),
            lambda t: specification.subset(t, population, count),
        )

    return for_all(
        run, "source.orders", holds, TAPES, CODES, st.integers(0, 300), examples=run.pick(400, 150)
    )


def _same(
    subject: Subject,
    data: bytes,
    ours: Callable[[TapeSource], IntArray],
    theirs: Callable[[specification.Tape], list[int]],
) -> None:
    tape, expected = subject.tape(data), specification.Tape(data)
    try:
        wanted: list[int] | None = theirs(expected)
    except TapeExhausted:
        wanted = None
    try:
        found: list[int] | None = ours(tape).tolist()
    except TapeExhaustedError:
        found = None
    assert found == wanted, f"{found} instead of {wanted} from {data.hex()}"
    if wanted is not None:
        assert tape.consumed == expected.consumed, f"{tape.consumed} bytes instead of {expected.consumed}"


class _TooManyRoundsError(Exception):
    """The walk was cut off: keys still tied after the rounds allowed."""


@check(
    "source.permutations",
    "enumerated",
    "Enumerated permutations, orders within values and subsets of at most 4 items are uniform; and so is the "
    "rule from keys to an order, on every sequence of keys of one or two bits that settles within three "
    "rounds of ties.",
)
def permutations(subject: Subject, run: Run) -> Outcome:
    return first_failure(_permutation_faults(subject, run), "up to 4 items, keys of 1 and 2 bits")


def _permutation_faults(subject: Subject, run: Run) -> Iterator[str]:
    for size in range(5):
        for label, choose, ways in (
            ("permutation", lambda s, n=size: s.permutation(n), math.factorial(size)),
            ("order within values", lambda s, n=size: s.order_within(np.arange(n) // 2), 2 ** (size // 2)),
            ("subset", lambda s, n=size: s.subset(n, n // 2), math.comb(size, size // 2)),
        ):
            law: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
            for found, probability in outcomes(choose, shuffle=True):
                law[tuple(found.tolist())] += probability
            if len(law) != ways or set(law.values()) != {Fraction(1, ways)}:
                yield f"{label} of {size} items: {dict(law)}"
    cases: list[tuple[int, list[int] | None, int, int]] = [
        (2, None, 1, 3),
        (3, None, 1, 3),
        (3, None, 2, 2),
        (4, None, 1, run.pick(3, 2)),
        (4, [1, 0, 1, 1], 1, run.pick(3, 2)),
    ]
    for size, codes, key_bits, rounds in cases:
        settled = _orders_from_keys(subject, size, codes, key_bits, rounds)
        ways = math.prod(map(math.factorial, Counter(codes or [0] * size).values()))
        if len(settled) != ways or len(set(settled.values())) != 1:
            yield f"orders of {size} items with codes {codes} from keys of {key_bits} bits: {dict(settled)}"


def _orders_from_keys(
    subject: Subject, size: int, codes: list[int] | None, key_bits: int, rounds: int
) -> dict[tuple[int, ...], Fraction]:
    array = None if codes is None else np.array(codes, dtype=np.int64)

    def run(source: EnumerationSource) -> tuple[int, ...] | None:
        used = 0

        def draw(bound: int, count: int) -> IntArray:
            nonlocal used
            used += 1
            if used > rounds:
                raise _TooManyRoundsError
            return source.below(bound, count)

        try:
            return tuple(subject.random_order(draw, size, array, key_bits).tolist())
        except _TooManyRoundsError:
            return None

    law: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for found, probability in outcomes(run):
        if found is not None:
            law[found] += probability
    return law
