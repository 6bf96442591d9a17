"""Statistical checks of programs under test, and the exact law of small mixed plans."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from math import comb, factorial, prod
from typing import TypeAlias

import numpy as np

from splu_ref.channels import decoy_groups
from splu_ref.conformance.worlds import MOST_RELEASES, Integers, Sample, World
from splu_ref.mechanisms import PLANS, co_occurrence, default_passes
from splu_ref.randomness import TapeSource

Plan: TypeAlias = tuple[tuple[int, ...], ...]


@cache
def expected_co_occurrences(
    histogram: tuple[int, ...], gamma: int, passes: int | None = None
) -> dict[tuple[int, int], Fraction]:
    """Return the expected number of groups that two values share, over the plans of the method ``mixed``.

    ``splu_ref/spec/plans.py``, the method mixed. Written from its text; of the publishing code only the
    number of passes is used.
    """
    entries = [value for value, count in enumerate(histogram) for _ in range(count)]
    number = len(entries) // gamma
    assert number in (2, 3)
    plans: Counter[Plan] = Counter({tuple(tuple(entries[group::number]) for group in range(number)): 1})
    made = default_passes(number) if passes is None else passes
    for _ in range(made):
        after: Counter[Plan] = Counter()
        for plan, weight in plans.items():
            for order in permutations(plan):
                for changed, ways in _trades(order, gamma):
                    after[changed] += weight * ways
        plans = after
    whole = (factorial(number) * gamma * 2**gamma) ** made
    assert plans.total() == whole
    together: Counter[tuple[int, int]] = Counter()
    for plan, weight in plans.items():
        for group in plan:
            for one, other in combinations(group, 2):
                together[one, other] += weight
                together[other, one] += weight
    return {pair: Fraction(weight, whole) for pair, weight in together.items()}


def _trades(plan: Sequence[tuple[int, ...]], gamma: int) -> Iterator[tuple[Plan, int]]:
    """Yield what the first two groups may become, and by how many rotations and coins."""
    first, second, *resting = plan
    mine = [slot for slot in range(gamma) if first[slot] not in second]
    theirs = [slot for slot in range(gamma) if second[slot] not in first]
    unused = 2 ** (gamma - len(mine))
    for rotation in range(gamma):
        for coins in product((0, 1), repeat=len(mine)):
            a, b = list(first), list(second)
            for place, (slot, coin) in enumerate(zip(mine, coins, strict=True)):
                if coin:
                    facing = theirs[(place + rotation) % len(theirs)]
                    a[slot], b[facing] = b[facing], a[slot]
            yield (tuple(a), tuple(b), *resting), unused


Law: TypeAlias = Sequence[Fraction]


@dataclass(frozen=True)
class Check:
    """A statistical check of the releases of a world."""

    name: str
    linked: bool
    law: Callable[[World], Law]
    bins: Callable[[World, Sample], Integers]
    named: str
    at_most: bool = False


def _count_law(world: World) -> Law:
    """Return the law of f', its upper tail in one bin: of f less the deleted records of the value."""
    size, gone, of_value = len(world.sensitive), world.deleted, world.frequency
    law: defaultdict[int, Fraction] = defaultdict(Fraction)
    for lost in range(min(gone, of_value) + 1):
        share = Fraction(comb(of_value, lost) * comb(size - of_value, gone - lost), comb(size, gone))
        for count, probability in world.law.law(of_value - lost).items():
            law[count] += share * probability
    chances = [law[count] for count in range(max(law) + 1)]
    last = next(count for count in range(len(chances)) if sum(chances[count:]) < Fraction(1, 10))
    return [*chances[:last], sum(chances[last:], Fraction(0))]


def _counts(world: World, sample: Sample) -> Integers:
    counted = (sample.published == world.sensitive[0]).sum(axis=1)
    bins: Integers = np.minimum(counted, len(_count_law(world)) - 1)
    return bins


def _place_law(world: World) -> Law:
    share = Fraction(world.frequency, len(world.sensitive))
    return [share, 1 - share]


def _first_place(world: World, sample: Sample) -> Integers:
    bins: Integers = (sample.published[:, 0] != world.sensitive[0]).astype(int)
    return bins


def _again_law(world: World) -> Law:
    shares = [Fraction(count, len(world.sensitive)) for count in Counter(world.sensitive).values()]
    again = sum((share**2 for share in shares), Fraction(0))
    return [again, 1 - again]


def _first_place_again(world: World, sample: Sample) -> Integers:
    bins: Integers = (sample.published[0::2, 0] != sample.published[1::2, 0]).astype(int)
    return bins


def _row_law(world: World) -> Law:
    """Return the law of a record's row; the last bin stands for deletion."""
    size = len(world.sensitive)
    gone = [Fraction(world.deleted, size)] if world.deleted else []
    return [Fraction(1, size)] * world.rows + gone


def _row_of(record: int) -> Callable[[World, Sample], Integers]:
    def bins(world: World, sample: Sample) -> Integers:
        assert sample.rows is not None
        found = sample.rows == record % len(world.sensitive)
        rows: Integers = np.where(found.any(axis=1), np.argmax(found, axis=1), world.rows)
        return rows

    return bins


def _in_place_law(world: World) -> Law:
    """Return the law of how many records stand at their own place, three and more in one bin."""
    if world.deleted:
        return []
    size = len(world.sensitive)
    moved = [1, 0]  # orders of so many items in which none stands at its place
    while len(moved) <= size:
        moved.append((len(moved) - 1) * (moved[-1] + moved[-2]))
    law = [Fraction(comb(size, count) * moved[size - count], factorial(size)) for count in range(3)]
    return [*law, Fraction(1) - sum(law, Fraction(0))]


def _in_place(world: World, sample: Sample) -> Integers:
    assert sample.rows is not None
    standing = (sample.rows == np.arange(len(world.sensitive))).sum(axis=1)
    bins: Integers = np.minimum(standing, 3)
    return bins


def _distance_law(world: World) -> Law:
    others = len(world.sensitive) - 1
    return [] if world.deleted else [Fraction(1, others)] * others


def _distance(world: World, sample: Sample) -> Integers:
    """Return the number of rows from the first record on to the second, cyclically, minus 1."""
    first, second = _row_of(0)(world, sample), _row_of(1)(world, sample)
    bins: Integers = (second - first) % world.rows - 1
    return bins


def _deleted_law(world: World) -> Law:
    sets = comb(len(world.sensitive), world.deleted)
    return [Fraction(1, sets)] * sets if world.deleted else []


def _deleted(world: World, sample: Sample) -> Integers:
    assert sample.rows is not None
    records = range(len(world.sensitive))
    number = {gone: place for place, gone in enumerate(combinations(records, world.deleted))}
    missing = ((sample.rows[:, :, np.newaxis] == np.arange(len(records))).any(axis=1) == 0).nonzero()[1]
    return np.array([number[tuple(gone)] for gone in missing.reshape(-1, world.deleted).tolist()])


def _changed(world: World, sample: Sample) -> Integers:
    """Return whether each record is published with another value, shape (releases, N)."""
    changed: Integers = (sample.by_record() != np.array(world.sensitive)).astype(int)
    return changed


def _changed_by_row(world: World, sample: Sample) -> Integers:
    assert sample.rows is not None
    changed: Integers = (sample.published != np.array(world.sensitive)[sample.rows]).astype(int)
    return changed


def _retention_law(world: World) -> Law:
    return [world.law.retention, 1 - world.law.retention]


def _retention(world: World, sample: Sample) -> Integers:
    return _changed_by_row(world, sample).reshape(-1)


def _independent(count: int) -> Callable[[World], Law]:
    """Return the joint law of independent retention coins, the first as the highest digit."""

    def law(world: World) -> Law:
        return [prod(coins, start=Fraction(1)) for coins in product(_retention_law(world), repeat=count)]

    return law


def _of_records(count: int) -> Callable[[World], Law]:
    """Return the same law, of records, where all of them are published and can be divided so."""
    law = _independent(count)
    return lambda world: [] if world.deleted or len(world.sensitive) % count else law(world)


def _coded(*coins: Integers) -> Integers:
    digits: Integers = np.zeros_like(coins[0])
    for coin in coins:
        digits = 2 * digits + coin
    return digits.reshape(-1)


def _neighbors(world: World, sample: Sample) -> Integers:
    changed = _changed(world, sample)
    return _coded(changed[:, 0::2], changed[:, 1::2])


def _three_neighbors(world: World, sample: Sample) -> Integers:
    changed = _changed(world, sample)
    return _coded(changed[:, 0::3], changed[:, 1::3], changed[:, 2::3])


def _opposite(world: World, sample: Sample) -> Integers:
    changed, half = _changed(world, sample), len(world.sensitive) // 2
    return _coded(changed[:, :half], changed[:, half:])


def _neighboring_rows(world: World, sample: Sample) -> Integers:
    changed, even = _changed_by_row(world, sample), world.rows // 2 * 2
    return _coded(changed[:, 0:even:2], changed[:, 1:even:2])


def _next_release(world: World, sample: Sample) -> Integers:
    changed = _changed(world, sample)[:, 0]
    return _coded(changed[0::2], changed[1::2])


def _order_law(world: World) -> Law:
    law = _of_records(2)(world)
    return [probability / 2 for probability in law for _ in range(2)]


def _order_of_two(world: World, sample: Sample) -> Integers:
    """Return whether the first two records change, and whether they stand in their order."""
    changed = _changed(world, sample)
    ahead: Integers = (_row_of(0)(world, sample) < _row_of(1)(world, sample)).astype(int)
    return _coded(changed[:, 0], changed[:, 1], ahead)


def _partner_law(record: int) -> Callable[[World], Law]:
    """Return the law of a record's published value."""

    def law(world: World) -> Law:
        if world.deleted:
            return []
        own, histogram = world.sensitive[record], np.bincount(world.sensitive)
        if world.method == "mixed":
            together = expected_co_occurrences(tuple(histogram.tolist()), world.law.gamma)
            each = (1 - world.law.retention) / ((world.law.gamma - 1) * int(histogram[own]))
            others = [together.get((own, value), Fraction(0)) * each for value in range(len(histogram))]
            return [world.law.retention if value == own else share for value, share in enumerate(others)]
        plan = PLANS[world.method](histogram, world.law.gamma, TapeSource(b""))
        channel = decoy_groups(co_occurrence(plan).counts(), world.law)
        return [channel.probability(own, value) for value in channel.outputs]

    return law


def _value_of(record: int) -> Callable[[World, Sample], Integers]:
    return lambda _, sample: sample.by_record()[:, record]


def _repeated_law(world: World) -> Law:
    """Return a bound of the probability that an order of rows repeats, and its complement."""
    orders = factorial(len(world.sensitive)) // factorial(world.deleted)
    bound = Fraction(MOST_RELEASES, orders)
    return [bound, 1 - bound]


def _repeated(_: World, sample: Sample) -> Integers:
    assert sample.rows is not None
    seen: set[tuple[int, ...]] = set()
    fresh = []
    for order in map(tuple, sample.rows.tolist()):
        fresh.append(int(order not in seen))
        seen.add(order)
    return np.array(fresh)


CHECKS = (
    Check("counts", False, _count_law, _counts, "no record is published with the value"),
    Check("first-row", False, _place_law, _first_place, "the first row shows the first record's value"),
    Check("row-of-the-first-record", True, _row_law, _row_of(0), "the first record stands first"),
    Check("retention", True, _retention_law, _retention, "true value"),
    Check("neighbors", True, _of_records(2), _neighbors, "two neighbors retain their values"),
    Check("decoys-of-the-first-record", True, _partner_law(0), _value_of(0), "the value with code 0"),
    Check("decoys-of-the-last-record", True, _partner_law(-1), _value_of(-1), "the value with code 0"),
    Check("row-of-the-last-record", True, _row_law, _row_of(-1), "the last record stands first"),
    Check("rows-in-place", True, _in_place_law, _in_place, "no record stands at its own place"),
    Check("distance", True, _distance_law, _distance, "the second record follows the first"),
    Check("deleted-records", True, _deleted_law, _deleted, "the first records are deleted"),
    Check("three-neighbors", True, _of_records(3), _three_neighbors, "three neighbors retain their values"),
    Check("opposite-records", True, _of_records(2), _opposite, "two records retain their values"),
    Check("neighboring-rows", True, _independent(2), _neighboring_rows, "two rows show true values"),
    Check(
        "order-of-two",
        True,
        _order_law,
        _order_of_two,
        "both retain their values and stand in reverse order",
    ),
    Check("next-release", True, _of_records(2), _next_release, "the first record retains its value twice"),
    Check("first-row-again", False, _again_law, _first_place_again, "two releases show the same value first"),
    Check("repeated", True, _repeated_law, _repeated, "rows stand as in an earlier release", at_most=True),
)
"""The checks of the releases of every world; a check with an empty law does not apply to a world."""
