"""Groups of records: Anatomy's two tables, who has which value of a group, and perturbed generalization.

Anatomy (Xiao and Tao 2006) is the mechanism that the paper compares SPLU-Gen with (Fu and others 2014,
sections 3.1 and 6). Perturbed generalization (Tao, Xiao, Li and Zhang 2008) is described in Chaytor's
thesis, chapter 2. How bytes become the releases is an addition of this specification.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import prod

from splu_ref.spec.errors import require
from splu_ref.spec.plans import plan, require_feasible, slots_of_records
from splu_ref.spec.randomness import Stream, integers_below, order_within
from splu_ref.spec.splu_gen import OneStream, histogram_of, most_frequent


@dataclass(frozen=True)
class TwoTables:
    """Anatomy's release: the record and the group of each row of the first table; each group's values.

    ``suppressed`` are the deleted records, ascending.
    """

    rows: list[int]
    groups: list[int]
    values: list[list[int]]
    suppressed: list[int]


def two_tables(codes: Sequence[int], gamma: int, method: str, stream: Stream) -> TwoTables:
    """Publish which records share a group and the values of each group, not which record has which value.

    These are the choices of SPLU-Gen without draws, all from one stream and in this order: the remainder,
    the plan, the order within values, the shuffle (`splu_ref.spec.splu_gen.publish`). A record is published
    with the number of its group, and a group with its values in ascending order. What SPLU-Gen refuses is
    refused.

    >>> from splu_ref.spec.randomness import Tape
    >>> keys = bytes.fromhex("00000001 00000002 00000001 00000002")
    >>> two_tables([1, 0], 2, "anatomy", Tape(keys))
    TwoTables(rows=[0, 1], groups=[0, 0], values=[[0, 1]], suppressed=[])
    """
    require(len(codes) > 0 and gamma >= 2, "there is no record, or gamma is below 2")
    require(most_frequent(codes) * gamma <= len(codes), "a value has more than one record in gamma")
    source, records = OneStream(stream), range(len(codes))
    suppressed = source.subset(records, len(codes) % gamma)
    left = [record for record in records if record not in suppressed]
    codes_left = [codes[record] for record in left]
    histogram = histogram_of(codes_left)
    require_feasible(histogram, gamma)
    blocks = plan(method, histogram, gamma, source.plan_stream)
    slots = slots_of_records(blocks, codes_left, source.order_within(codes_left, left))
    shuffled = source.permutation(left)
    values = [sorted(group) for block in blocks for group in block]
    rows = [left[place] for place in shuffled]
    return TwoTables(rows, [slots[place] // gamma for place in shuffled], values, suppressed)


def assignment_posterior(
    likelihoods: Sequence[Sequence[Fraction]],
) -> tuple[Fraction, list[list[Fraction]] | None]:
    """Return the permanent of likelihoods, and the probability that record i of a group has its value j.

    ``likelihoods[i][j]`` is how likely record i has value j, up to a factor for each record. An assignment
    gives each record a different value, and has the weight of the product of its likelihoods. The permanent
    is the sum of the weights of all assignments. The probability of (i, j) is the share of the permanent
    that assignments with this pair have; there is none (None) if the permanent is 0.

    Refused (``parameter``): likelihoods that are not as many rows as columns, 1 to 8 of them, and a negative
    one. All n! assignments are summed here, which is slow; eight records are the limit of the protocol, and
    the library answers larger groups.

    >>> half, quarter = Fraction(1, 2), Fraction(1, 4)
    >>> permanent, posterior = assignment_posterior([[half, half], [quarter, 3 * quarter]])
    >>> permanent, posterior
    (Fraction(1, 2), [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
    """
    size = len(likelihoods)
    square = 1 <= size <= 8 and all(len(row) == size for row in likelihoods)
    require(square, "the likelihoods are not square, of 1 to 8 records")
    require(min(map(min, likelihoods)) >= 0, "a likelihood is negative")
    of_pair = [[Fraction(0)] * size for _ in range(size)]
    for values in permutations(range(size)):
        weight = prod((likelihoods[record][value] for record, value in enumerate(values)), start=Fraction(1))
        for record, value in enumerate(values):
            of_pair[record][value] += weight
    permanent = sum(of_pair[0], Fraction(0))
    return permanent, [[share / permanent for share in row] for row in of_pair] if permanent else None


@dataclass(frozen=True)
class Generalized:
    """A release by perturbed generalization, by group.

    Attributes
    ----------
    published
        The published code.
    ranges
        For each generalized column its least and its greatest value.
    groups
        The records of the group, ascending.
    chosen
        The record that is published.
    integers
        The integer that was drawn.
    """

    published: list[int]
    ranges: list[list[tuple[int, int]]]
    groups: list[list[int]]
    chosen: list[int]
    integers: list[int]


def median_groups(columns: Sequence[Sequence[int]], least: int) -> list[list[int]]:
    """Cut the records in two at a median, again and again, as long as both halves have k = ``least`` records.

    The rank of a value is its place among the distinct values of its column. All records are one group at
    first.

    1. A group of fewer than 2 k records is not cut.
    2. The width of a column in a group is its greatest rank less its least one, divided by the same in the
       table (by 1 if that is 0). Columns are tried from the widest to the narrowest, in their order where
       widths are equal.
    3. Let x be the rank at place ⌊n/2⌋, from 0, of the n sorted ranks of the group. The lower half is the
       records below x if both halves have k records then, and otherwise the records up to x if both have k
       then. If neither is so, the next column is tried. If none is left, the group is not cut.

    The lower half is cut on before the upper half, and groups are numbered in the order in which it is known
    that they are not cut. Nothing is drawn.

    >>> median_groups([[5, 1, 9, 6]], 2)
    [[0, 1], [2, 3]]
    """
    ranks = [[sorted(set(column)).index(value) for value in column] for column in columns]
    spans = [max(1, max(column) - min(column)) for column in ranks]
    result: list[list[int]] = []
    waiting = [list(range(len(columns[0])))]
    while waiting:
        group = waiting.pop()
        halves = _halves(group, ranks, spans, least)
        if halves is None:
            result.append(group)
        else:
            waiting += [halves[1], halves[0]]
    return result


def _halves(
    group: list[int], ranks: Sequence[Sequence[int]], spans: Sequence[int], least: int
) -> tuple[list[int], list[int]] | None:
    """Return the lower and the upper half of a group, or None if it is not cut."""
    if len(group) < 2 * least:
        return None
    widths = []
    for column, span in zip(ranks, spans, strict=True):
        of_group = [column[record] for record in group]
        widths.append(Fraction(max(of_group) - min(of_group), span))
    for number in sorted(range(len(ranks)), key=lambda number: (-widths[number], number)):
        column = ranks[number]
        median = sorted(column[record] for record in group)[len(group) // 2]
        for limit in (median, median + 1):
            lower = [record for record in group if column[record] < limit]
            upper = [record for record in group if column[record] >= limit]
            if min(len(lower), len(upper)) >= least:
                return lower, upper
    return None


def perturbed_generalization(
    codes: Sequence[int],
    quasi: Sequence[Sequence[int]],
    least: int,
    values: int,
    retention: Fraction,
    stream: Stream,
) -> Generalized:
    """Publish one record of each group of similar records, with its value perturbed.

    ``codes`` are the sensitive values, below m = ``values``; ``quasi`` are the columns that are generalized;
    k = ``least``; p = u/w = ``retention`` in lowest terms.

    1. Form the groups (`median_groups`).
    2. Draw an order of all records within their groups. The first record of each group is chosen.
    3. Draw one integer r below w m for each group, in their order. If r < u m, the chosen record keeps its
       value; otherwise it is published with value r mod m.
    4. A group is published with the published value, the least and the greatest value of each generalized
       column, and the number of its records.

    Refused (``parameter``) before anything is drawn: p not above 0 or not below 1; k below 1; no generalized
    column; fewer than k records; a code that is not below m; columns of different lengths; w m above 2^63.

    In the example both groups choose their first record; 1 is below u m = 2, and 3 gives value 1.

    >>> from splu_ref.spec.randomness import Tape
    >>> tape = Tape(bytes.fromhex("00000001 00000002 00000001 00000002") + bytes([1, 3]))
    >>> release = perturbed_generalization([1, 0, 0, 1], [[1, 2, 8, 9]], 2, 2, Fraction(1, 2), tape)
    >>> release.published, release.ranges, release.chosen
    ([1, 1], [[(1, 2)], [(8, 9)]], [0, 2])
    """
    require(0 < retention < 1 and least >= 1, "the retention is not between 0 and 1, or k is below 1")
    require(
        len(codes) >= least and max(codes) < values, "there are fewer than k records, or a code is no value"
    )
    require(
        len(quasi) > 0 and all(len(column) == len(codes) for column in quasi), "the columns differ in length"
    )
    require(retention.denominator * values <= 2**63, "the retention has too large a denominator")
    groups = median_groups(quasi, least)
    group_of = {record: number for number, group in enumerate(groups) for record in group}
    order = order_within(stream, [group_of[record] for record in range(len(codes))])
    chosen = [next(record for record in order if group_of[record] == number) for number in range(len(groups))]
    integers = integers_below(stream, retention.denominator * values, len(groups))
    limit = retention.numerator * values
    published = [
        codes[record] if integer < limit else integer % values
        for record, integer in zip(chosen, integers, strict=True)
    ]
    ranges = [[(min(c[r] for r in group), max(c[r] for r in group)) for c in quasi] for group in groups]
    return Generalized(published, ranges, groups, chosen, integers)
