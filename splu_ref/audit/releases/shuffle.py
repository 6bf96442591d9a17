"""Whether the published rows stand in a random order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from splu_ref.audit.e_values import counts_point
from splu_ref.audit.power import rate_power
from splu_ref.audit.releases.cells import ranks_of, text_cells
from splu_ref.audit.releases.fair_pairs import HALF, alike, far_pairs, near_pairs, nearer, rising
from splu_ref.audit.releases.findings import Claim, Evidence
from splu_ref.audit.releases.match import Match
from splu_ref.audit.releases.pooling import largest_mean
from splu_ref.microdata import Microdata
from splu_ref.randomness import IntArray


def shuffle_evidence(published: Microdata, claimed: Claim, match: Match | None) -> Evidence:
    """Hold the order of the rows against a uniform one.

    Notes
    -----
    Step 4 puts the rows in a uniform order that is independent of all that they hold. So for each of the
    following numbers that belong to a row, the rule of `fair_pairs` holds, on the rows that have it: every
    published cell, as the rank of its text; with an original, the position of the record there and its true
    value. Neighbors and rows half the table apart are compared. Triples tell whether rows near each other,
    or gamma places apart, belong nearer together than others, and whether the rows stand in the order of
    their decoy groups. All are averaged.
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
    marks: Iterable[IntArray],
    grouped: Sequence[IntArray],
    period: int,
    rows: int,
    detail: str,
    telling: str,
) -> Evidence:
    """Hold the order of the rows against a uniform one, by numbers that belong to them.

    Parameters
    ----------
    marks
        Numbers of the rows, -1 where unknown, at least one array.
    grouped
        Further ones, of which equal ones might stand together.
    period
        How far apart rows stand that might have to do with each other.
    rows
        How many rows the evidence rests on.
    detail, telling
        What is looked at, in words, and whose power is stated: of neighbors by the first number if some are
        grouped, otherwise by the number that tells most pairs apart.
    """
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
        return f"{telling}: {rate_power(counts_point, told, HALF, level / len(trials))}"

    told = trials[0] if grouped else max(trials)
    return Evidence("shuffle", None, e_value, rows, detail, power)


def _with_original(match: Match) -> Iterator[IntArray]:
    """Yield numbers that belong to rows, -1 if unknown, first the position in the original."""
    yield match.records
    for column in match.original.sensitive:
        yield match.true_values(column)
        yield match.published[column]
    for ranks in match.original.ranks(blank=match.blank):
        yield np.where(match.classes < 0, -1, ranks[match.classes])


def _without_original(published: Microdata) -> Iterator[IntArray]:
    yield from ranks_of(text_cells(published, published.columns, blank=True))
