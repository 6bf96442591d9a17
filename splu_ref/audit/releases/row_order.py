"""Whether rows and records stand in a random order: exchangeable items as tosses of fair coins.

If the order of some items is uniformly random, then for any disjoint pairs of places, chosen beforehand, and
given which two items stand in each pair, each of the two ways round has probability 1/2, independently:
swapping the items of any set of pairs leaves the order as likely as before. So of the pairs whose items
differ in some respect, the number that stand one way round is Bin(pairs, 1/2). The same holds for triples of
places, two of which are swapped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.audit.e_values import EValue, counts_point
from splu_ref.audit.power import rate_power
from splu_ref.audit.releases.claims import CoinClaim
from splu_ref.audit.releases.findings import Evidence
from splu_ref.audit.releases.pooling import largest_mean, product_of
from splu_ref.audit.releases.record_linkage import Match, text_ranks
from splu_ref.data import Microdata
from splu_ref.randomness import IntArray

Marks: TypeAlias = NDArray[np.signedinteger]
"""Numbers of rows, -1 where unknown."""

HALF = Fraction(1, 2)


def far_pairs(size: int) -> tuple[IntArray, IntArray]:
    """Return disjoint pairs of places, half the size apart."""
    first = np.arange(size // 2)
    return first, first + size // 2


def near_pairs(size: int) -> tuple[IntArray, IntArray]:
    """Return disjoint pairs of neighboring places."""
    first = np.arange(0, size - 1, 2)
    return first, first + 1


def rising(items: Marks, pairs: tuple[IntArray, IntArray]) -> tuple[int, int]:
    """Return the number of pairs with different numbers, and of those with the smaller one first."""
    first, second = items[pairs[0]], items[pairs[1]]
    return int((first != second).sum()), int((first < second).sum())


def alike(items: Marks, gamma: int) -> tuple[int, int]:
    """Return the number of informative triples (two neighbors of a block, a third), and of equal neighbors.

    Blocks are gamma consecutive places, cut into pairs of neighbors; the third place is the second of the
    same pair in a block half the size away. A triple is informative if exactly one of the second and the
    third item equals the first, and none is -1 (unknown). With fair coins the neighbor is the equal one in
    half of these; in a table in the order of its decoy groups in none.
    """
    blocks = len(items) // gamma // 2
    start = (gamma * np.arange(blocks)[:, None] + np.arange(0, gamma - 1, 2)).reshape(-1)
    first, second, third = items[start], items[start + 1], items[start + 1 + gamma * blocks]
    known = (first >= 0) & (second >= 0) & (third >= 0)
    near, far = known & (first == second), known & (first == third)
    return int((near != far).sum()), int((near & ~far).sum())


def nearer(items: Marks, lag: int) -> tuple[int, int]:
    """Return the number of informative triples (two items ``lag`` apart, a third), and of closer pairs.

    The third place is half the size after the second. A triple is informative if the second and the third
    number are not equally far from the first, and none is -1 (unknown). With fair coins the second is the
    nearer one in half of these; in a table whose similar rows are close together, in more.
    """
    half = len(items) // 2
    lag = min(lag, half + 1)  # no pair is so far apart
    start = (2 * lag * np.arange(half // (2 * lag))[:, None] + np.arange(lag)).reshape(-1)
    first, second, third = items[start], items[start + lag], items[start + lag + half]
    known = (first >= 0) & (second >= 0) & (third >= 0)
    near, far = np.abs(second - first)[known], np.abs(third - first)[known]
    return int((near != far).sum()), int((near < far).sum())


def shuffle_evidence(published: Microdata, claimed: CoinClaim, match: Match | None) -> Evidence:
    """Test the order of the rows against a uniform one.

    Step 4 shuffles the rows uniformly, independently of their cells. So the rule of this module applies to
    each of the following numbers of a row, on the rows that have it: every
    published cell, as the rank of its text; with an original, the position of the record there and its true
    value. Neighbors and rows half the table apart are compared. Triples test whether rows near each other,
    or gamma places apart, are more similar than others, and whether the rows are in the order of their
    decoy groups. All are averaged.
    """
    if match is None:
        return order_evidence(
            _without_original(published),
            (),
            claimed.period,
            published.row_count,
            "order of the rows by every column",
            "rows in the order of a column",
        )
    return order_evidence(
        _with_original(match),
        [match.true_values(column) for column in match.original.sensitive],
        claimed.period,
        match.linked,
        "order of the rows by the original's order, by every column, and by decoy group",
        "neighbors in the original's order",
    )


def order_evidence(
    marks: Iterable[Marks],
    grouped: Sequence[IntArray],
    period: int,
    rows: int,
    detail: str,
    power_of: str,
) -> Evidence:
    """Test the order of the rows against a uniform one, by numbers that belong to them."""
    trials: list[int] = []
    successes: list[int] = []
    for items in marks:
        known = items[items >= 0]
        for pairs in (near_pairs(len(known)), far_pairs(len(known))):
            compared, risen = rising(known, pairs)
            trials.append(compared)
            successes.append(risen)
        for lag in (1, period):
            compared, close = nearer(items, lag)
            trials.append(compared)
            successes.append(close)
    for items in grouped:
        compared, equal = alike(items, period)
        trials.append(compared)
        successes.append(equal)
    e_value = largest_mean(counts_point, np.array(trials), np.array(successes), [HALF] * len(trials))

    def power(level: Fraction) -> str:
        return f"{power_of}: {rate_power(counts_point, informative_pairs, HALF, level / len(trials))}"

    informative_pairs = trials[0] if grouped else max(trials)
    return Evidence("shuffle", None, e_value, rows, detail, power)


def _with_original(match: Match) -> Iterator[Marks]:
    """Yield numbers that belong to rows, -1 if unknown, first the position in the original."""
    yield match.records
    for column in match.original.sensitive:
        yield match.true_values(column)
        yield match.published[column]
    for ranks in match.original.ranks(blank=match.blank):
        yield np.where(match.classes < 0, -1, ranks[match.classes])


def _without_original(published: Microdata) -> Iterator[Marks]:
    for column in published.columns:
        yield text_ranks([published], column, blank=True)[0]


def places_evidence(match: Match, column: str) -> Evidence | None:
    """Test the places of the records within their values against a uniform order.

    Returns None if no two records of one value are linked.

    The records of a value take the places of that value in a uniform order, and draw alike and
    independently. So the published values of the linked records of a value, in the order of the original
    file, are exchangeable. By this module, of the pairs of a record with another half the list below it, of
    which exactly one is published with w, the first is the one with w in Bin(pairs, 1/2) cases. The values w
    are averaged; the true values, whose orders are independent, are multiplied. The number of pairs is fixed
    given what stands in each of them.
    """
    rows = np.flatnonzero(match.records >= 0)
    rows = rows[np.argsort(match.records[rows])]
    true = match.original.codes[column][match.records[rows]]
    published = match.published[column][rows]
    first, second, values = [], [], []
    compared = 0
    for value in np.unique(true).tolist():
        members = published[true == value]
        upper, lower = far_pairs(len(members))
        compared += len(upper)
        different = members[upper] != members[lower]
        first.append(members[upper][different])
        second.append(members[lower][different])
        values.append(np.full(int(different.sum()), value))
    if not compared:
        return None
    size = len(match.original.domains[column]) + 1  # a foreign value is -1
    value = np.concatenate(values) * size
    before, after = value + np.concatenate(first) + 1, value + np.concatenate(second) + 1
    kinds, which = np.unique(np.concatenate([before, after]), return_inverse=True)
    trials = np.bincount(which, minlength=len(kinds))
    successes = np.bincount(which[: len(before)], minlength=len(kinds))
    e_value = EValue.of(Fraction(1))  # all records of each pair are published alike: no evidence
    if len(kinds):
        e_value = product_of(
            [
                largest_mean(counts_point, trials[of], successes[of], [HALF] * int(of.sum()), least=2)
                for of in (kinds // size == value for value in np.unique(kinds // size))
            ]
        )

    def power(level: Fraction) -> str:
        most = int(trials.max(initial=0))
        reached = rate_power(counts_point, most, HALF, level / max(1, 9 * len(kinds)))
        return f"a published value, first rather than second of two records: {reached}"

    detail = "published values by the order of the original file"
    return Evidence("places", column, e_value, len(rows), detail, power)
