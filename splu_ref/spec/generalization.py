"""Perturbed generalization: groups of at least k similar records, of each of which one is published, with its value perturbed.

Tao, Xiao, Li and Zhang ("On anti-corruption privacy preserving publication", 2008).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from splu_ref.spec.errors import require
from splu_ref.spec.randomness import Stream, integers_below, order_within


@dataclass(frozen=True)
class Released:
    """By group: the published code, the ranges of the generalized columns, its members, the one chosen, its integer."""

    published: list[int]
    ranges: list[list[tuple[int, int]]]
    groups: list[list[int]]
    chosen: list[int]
    integers: list[int]


def median_groups(columns: Sequence[Sequence[int]], least: int) -> list[list[int]]:
    """Cut the records in two at a median, again and again, as long as both halves have ``least`` records.

    The widest column is cut first: the one with the most different places between its least and greatest value in the
    group, as a share of those in the table. Groups are found from the lowest half on.

    >>> median_groups([[5, 1, 9, 6]], 2)
    [[0, 1], [2, 3]]
    """
    ranks = [[sorted(set(column)).index(value) for value in column] for column in columns]
    spans = [max(1, max(column) - min(column)) for column in ranks]
    found: list[list[int]] = []
    waiting = [list(range(len(columns[0])))]
    while waiting:
        group = waiting.pop()
        halves = _cut(group, ranks, spans, least)
        if halves is None:
            found.append(group)
        else:
            waiting += [halves[1], halves[0]]
    return found


def _cut(
    group: list[int], ranks: Sequence[Sequence[int]], spans: Sequence[int], least: int
) -> tuple[list[int], list[int]] | None:
    """Return the lower and the upper half of a group, or None if it cannot be cut."""
    if len(group) < 2 * least:
        return None
    widths = []
    for column, span in zip(ranks, spans):
        own = [column[record] for record in group]
        widths.append(Fraction(max(own) - min(own), span))
    for number in sorted(range(len(ranks)), key=lambda number: (-widths[number], number)):
        column = ranks[number]
        median = sorted(column[record] for record in group)[len(group) // 2]
        for limit in (median, median + 1):
            lower = [record for record in group if column[record] < limit]
            upper = [record for record in group if column[record] >= limit]
            if min(len(lower), len(upper)) >= least:
                return lower, upper
    return None


def publish(
    codes: Sequence[int],
    quasi: Sequence[Sequence[int]],
    least: int,
    values: int,
    retention: Fraction,
    stream: Stream,
) -> Released:
    """Publish one record of each group; its value is kept with probability ``retention``, or drawn anew."""
    require(0 < retention < 1 and least >= 1, "the retention is not between 0 and 1, or k is below 1")
    require(len(codes) >= least and max(codes) < values, "there are too few records, or a code is no value")
    require(all(len(column) == len(codes) for column in quasi), "the columns differ in length")
    require(retention.denominator * values <= 2**63, "the retention has too large a denominator")
    groups = median_groups(quasi, least)
    group_of = {record: number for number, group in enumerate(groups) for record in group}
    order = order_within(stream, [group_of[record] for record in range(len(codes))])
    chosen = [next(record for record in order if group_of[record] == number) for number in range(len(groups))]
    integers = integers_below(stream, retention.denominator * values, len(groups))
    limit = retention.numerator * values
    published = [codes[r] if integer < limit else integer % values for r, integer in zip(chosen, integers)]
    ranges = [[(min(c[r] for r in group), max(c[r] for r in group)) for c in quasi] for group in groups]
    return Released(published, ranges, groups, chosen, integers)
