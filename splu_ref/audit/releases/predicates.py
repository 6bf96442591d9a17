"""How many rows of a predicate can show one value: no more than a maximal share, whatever the plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np

from splu_ref.audit.e_values import rate_at_most
from splu_ref.audit.power import RatePower, rate_power
from splu_ref.audit.releases.cells import ranks_of, text_cells
from splu_ref.audit.releases.findings import Claimed, Evidence
from splu_ref.audit.releases.match import Match
from splu_ref.audit.releases.pooling import bound_together, largest_mean, renumbered
from splu_ref.microdata import Microdata
from splu_ref.randomness import IntArray

_MOST_COLUMNS = 16


def predicates_evidence(
    published: Microdata, column: str, sensitive: Sequence[str], claimed: Claimed, least: int = 20
) -> Evidence | None:
    """Hold the share of one value in a predicate against max(p, q), q the probability of each decoy.

    Returns None if no cell of a non-sensitive column, and no two of them together, stand in ``least`` rows.

    Notes
    -----
    Given the plan and the places a row shows any value with probability at most max(p, q), independently of
    the other rows. A predicate, a cell or two of them, names rows without looking at draws. The most
    frequent value in the first half of its rows is fixed when the second half is looked at, where
    `rate_at_most` holds its number. The predicates are averaged. This needs no original: a table of true
    values in which one of them is typical of a predicate gives itself away.

    Where the draws of a group hang together, a row in the first half may tell of one in the second. So every
    value is held in all rows of a predicate, each of which counts for one in gamma (`bound_together`), and
    the values are averaged as well.
    """
    values = ranks_of(text_cells(published, [column], blank=True))[0]
    others = [name for name in published.columns if name not in sensitive]
    trials: list[IntArray] = [np.empty(0, dtype=np.int64)]
    shown: list[IntArray] = [np.empty(0, dtype=np.int64)]
    independent = claimed.together == 1
    for cells in _predicates(ranks_of(text_cells(published, others, blank=True))):
        tested, successes = (
            _second_halves(cells, values, least) if independent else _all(cells, values, least)
        )
        trials.append(tested)
        shown.append(successes)
    tested, successes = np.concatenate(trials), np.concatenate(shown)
    if not len(tested):
        return None
    tested, successes = bound_together(tested, successes, claimed.together)
    rate = max(claimed.law.retention, claimed.law.decoy)
    of = len(tested) * (1 if independent else len(np.unique(values)))
    e_value = largest_mean(rate_at_most, tested, successes, [rate] * len(tested), above_only=True, of=of)
    detail = f"the most frequent value of {len(tested)} predicates against at most {float(rate):.4f}"

    def power(level: Fraction) -> str:
        reached = rate_power(rate_at_most, int(tested.max()), rate, level / of)
        told = "half of the largest predicate" if independent else "the groups of the largest predicate"
        return f"{told}: {reached}"

    return Evidence("predicates", column, e_value, published.row_count, detail, power)


def unlinked_evidence(match: Match, column: str, claimed: Claimed) -> Evidence | None:
    """Hold rows whose true value is unknown against max(p, q): their class's most frequent true value.

    Returns None if every row's true value is known.
    """
    rows, shown, _ = match.unlinked(column)
    if not rows:
        return None
    rate = max(claimed.law.retention, claimed.law.decoy)
    detail = f"{shown} of {rows} rows show the most frequent value of the records that they may be"

    def power(level: Fraction) -> str:
        return str(unlinked_power(rows, claimed, level))

    trials, successes = bound_together(np.array([rows]), np.array([shown]), claimed.together)
    e_value = rate_at_most(int(trials[0]), int(successes[0]), rate)
    return Evidence("unlinked", column, e_value, rows, detail, power)


def unlinked_power(rows: int, claimed: Claimed, level: Fraction) -> RatePower:
    """Return which other shares of the most frequent value are found in so many rows.

    Where the draws of a group hang together, those of rows that show it in whole groups or not at all.
    """
    trials = -(-rows // claimed.together)
    return rate_power(rate_at_most, trials, max(claimed.law.retention, claimed.law.decoy), level)


def _predicates(columns: list[IntArray]) -> Iterator[IntArray]:
    """Yield the predicate of each row, for every column and every two columns."""
    yield from columns
    if len(columns) <= _MOST_COLUMNS:
        for one, other in combinations(columns, 2):
            yield one * (int(other.max(initial=0)) + 1) + other


def _all(cells: IntArray, values: IntArray, least: int) -> tuple[IntArray, IntArray]:
    """Return the rows of each predicate, and how many show the value that most of them show."""
    cell = renumbered(cells)
    sizes, width = np.bincount(cell), int(values.max(initial=0)) + 1
    pairs, counts = np.unique(cell * width + values, return_counts=True)
    most = np.zeros(len(sizes), dtype=np.int64)
    np.maximum.at(most, pairs // width, counts)
    enough = sizes >= least
    return sizes[enough].astype(np.int64), most[enough]


def _second_halves(cells: IntArray, values: IntArray, least: int) -> tuple[IntArray, IntArray]:
    """Return the rows of each predicate's second half, and how many show what is typical of the first."""
    cell = renumbered(cells)
    sizes = np.bincount(cell)
    order = np.argsort(cell.astype(np.min_scalar_type(len(sizes))), kind="stable")
    starts = np.cumsum(sizes) - sizes
    place = np.empty(len(cell), dtype=np.int64)
    place[order] = np.arange(len(cell)) - np.repeat(starts, sizes)
    early = place < (sizes // 2)[cell]
    width = int(values.max(initial=0)) + 1
    pairs, counts = np.unique((cell * width + values)[early], return_counts=True)
    by_count = np.lexsort((-counts, pairs // width))
    _, first = np.unique((pairs // width)[by_count], return_index=True)
    typical = np.full(len(sizes), -1, dtype=np.int64)
    typical[pairs[by_count[first]] // width] = pairs[by_count[first]] % width
    shown = np.bincount(cell[~early & (values == typical[cell])], minlength=len(sizes))
    enough = sizes >= least
    tested: IntArray = (sizes - sizes // 2)[enough]
    return tested, shown[enough].astype(np.int64)
