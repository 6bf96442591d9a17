"""Whether the published rows stand in a random order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    trials: list[int] = []
    successes: list[int] = []
    marks: Iterable[IntArray] = _without_original(published) if match is None else _with_original(match)
    for items in marks:
        known = items[items >= 0]
        for pairs in (near_pairs(len(known)), far_pairs(len(known))):
            compared, risen = rising(known, pairs)
            trials.append(compared)
            successes.append(risen)
        for lag in (1, claimed.period):
            compared, close = nearer(items, lag)
            trials.append(compared)
            successes.append(close)
    if match is not None:
        for column in match.original.sensitive:
            compared, equal = alike(match.true_values(column), claimed.period)
            trials.append(compared)
            successes.append(equal)
    e_value = largest_mean(counts_point, np.array(trials), np.array(successes), [HALF] * len(trials))
    if match is None:
        placed, detail = published.row_count, "order of the rows by every column"
        telling = max(trials)
    else:
        placed, telling = int((match.records >= 0).sum()), trials[0]
        detail = "order of the rows by the original's order, by every column, and by decoy group"

    def power(level: Fraction) -> str:
        what = "neighbors in the original's order" if match is not None else "rows in the order of a column"
        return f"{what}: {rate_power(counts_point, telling, HALF, level / len(trials))}"

    return Evidence("shuffle", None, e_value, placed, detail, power)


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
