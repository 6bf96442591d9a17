"""Tests of the other values with which the records of a value, and the rows of a predicate, are published."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.audit.e_values import EValue, counts_point, rate_at_most
from splu_ref.audit.power import RatePower, rate_power
from splu_ref.audit.releases.claims import SpluGenClaim
from splu_ref.audit.releases.findings import Check, Evidence
from splu_ref.audit.releases.pooling import (
    IMPOSSIBLE,
    NOTHING,
    effective_trials,
    largest_mean,
    mean_of,
    product_of,
    small_numbers,
)
from splu_ref.audit.releases.record_linkage import Match, text_ranks
from splu_ref.channels import Channel, decoy_groups
from splu_ref.data import Microdata
from splu_ref.mechanisms import PLANS, co_occurrence, largest_gamma
from splu_ref.randomness import IntArray, SystemSource

Numbers: TypeAlias = NDArray[np.signedinteger]

_LARGEST_DOMAIN = 2000

FIXED_PLANS = ("anatomy", "cyclic")
"""Plans that are a function of the histogram alone."""


class _Pairs(NamedTuple):
    """How often known records of one value are published with another; ``known`` counts records by value."""

    true: IntArray
    published: IntArray
    counts: IntArray
    known: IntArray


def decoys_evidence(match: Match, column: str, claimed: SpluGenClaim) -> Evidence | None:
    """Test the published values of records with a known value against any decoy plan at all.

    Returns None if no row's true value is known.

    Take a value u, n rows whose true value is u, and another value w with f records. The groups of a plan
    hold w at most f times, so at most T = min(n, f) of the rows have w as decoy, and each of these is
    published with w with probability q = (1 - p)/(gamma - 1), independently, whatever the plan and the
    places. So the number published with w is stochastically at most Bin(T, q), and `rate_at_most` at
    (T, q), which grows with the number of successes, has expectation at most 1; more than T never happen.
    The values w are averaged; the values u, which are different rows, are multiplied, or averaged as well
    where the draws of a group are dependent.
    """
    pairs = _pairs(match, column)
    if pairs is None:
        return None
    counts, known = pairs.counts, pairs.known
    frequencies = match.original.frequencies(column)
    trials = np.minimum(known[pairs.true], frequencies[pairs.published])
    every = int((known > 0).sum()) * (len(frequencies) - 1)  # pairs never seen count as 0 in the mean
    q = claimed.law.decoy
    each = []
    for value in np.flatnonzero(known).tolist():
        of = pairs.true == value
        if not of.any():
            each.append(NOTHING)
            continue
        given = trials[of], counts[of], [q] * int(of.sum())
        each.append(largest_mean(rate_at_most, *given, above_only=True, of=len(frequencies) - 1, least=2))
    e_value = _over_values(each, claimed)
    most_frequent = int(known.argmax())
    typical = int(min(known[most_frequent], np.delete(frequencies, most_frequent).max()))
    excess = (counts - float(q) * trials) / np.sqrt(trials + 1)
    worst = int(excess.argmax()) if len(excess) else None
    domain = match.original.domains[column]
    shown = (
        ""
        if worst is None
        else f"the most for {domain[pairs.true[worst]]!r}, published as {domain[pairs.published[worst]]!r} "
        f"{counts[worst]} times, where at most {trials[worst]} can have it as decoy"
    )
    detail = f"{every} pairs of a true and another published value against at most {float(q):.4f} each"

    def power(level: Fraction) -> str:
        reached = rate_power(rate_at_most, typical, q, level / (_combination_loss(claimed) * every))
        return f"one other value among the records of the most frequent value: {reached}"

    return Evidence("decoys", column, e_value, int(known.sum()), detail, power, shown)


def plan_evidence(match: Match, column: str, claimed: SpluGenClaim) -> Evidence | None:
    """Test the published values of records with a known value against the co-occurrence of the named plan.

    Returns None if the plan is not a function of the histogram, if too much is unclear about who was
    deleted, if gamma is not feasible, or if no row's true value is known.

    The named plan gives c(u, w), the groups that hold both values. The records of u take their f places in
    a uniform order, so of n rows whose true value is u the number K with w as decoy is hypergeometric
    (f places, c successes, n drawn); the number M published with w is Bin(K, q), q = (1 - p)/(gamma - 1).
    `counts_point` at rate c q/f is a mixture of C a^M, and E(a^M | K) = (1 - q + q a)^K is convex in K; by
    Hoeffding (1963, Theorem 4) drawing with replacement only increases its expectation, and then M is
    Bin(n, c q/f) and the expectation 1. A pair with c = 0 is never seen. The values w are averaged; the
    values u, whose orders and draws are independent, are multiplied, or averaged as well where the draws of a
    group are dependent. Where the histogram is unclear, the least e-value over all that are possible is at
    most that of the true one.
    """
    histograms, pairs = _histograms(match, column, claimed), _pairs(match, column)
    if not histograms or pairs is None:
        return None
    size = len(match.original.domains[column])
    observed, known = np.zeros((size, size), dtype=np.int64), pairs.known
    observed[pairs.true, pairs.published] = pairs.counts
    values = [_plan_e_value(observed, known, histogram, claimed) for histogram in histograms]
    q = claimed.law.decoy
    most = int(known.max())

    def power(level: Fraction) -> str:
        reached = rate_power(counts_point, most, q, level / (_combination_loss(claimed) * size * (size - 1)))
        return f"a decoy that all records of the most frequent value share: {reached}"

    detail = f"pairs of a true and another published value against the plan {claimed.plan}"
    e_value = min(values, key=lambda value: value.log10)
    return Evidence("plan", column, e_value, int(known.sum()), detail, power)


def possible_check(match: Match, column: str, claimed: SpluGenClaim) -> Check | None:
    """Check that the named plan allows the value of every row, and the number of rows with each value.

    Returns None where `plan_evidence` does for another reason than that no row's true value is known.

    A row has w only if a record with its cells has a value u that shares c(u, w) > 0 groups with w, and each
    record has one row. Of the records of u, at most c(u, w) are in such a group. Where the histogram is
    unclear, the least number of impossible rows over the possible histograms counts.
    """
    histograms = _histograms(match, column, claimed)
    if not histograms:
        return None
    impossible = min(
        _count_impossible_rows(match, column, _together(histogram, claimed)) for histogram in histograms
    )
    detail = f"{impossible} rows have a value that the plan rules out: {claimed.plan}"
    return Check("possible", column, impossible == 0, detail, match.rows)


def _count_impossible_rows(match: Match, column: str, together: IntArray) -> int:
    """Return the number of impossible rows, given in how many groups u and w are together."""
    found, pairs, size = 0, _pairs(match, column), len(together)
    if pairs is not None:
        found += int(np.maximum(pairs.counts - together[pairs.true, pairs.published], 0).sum())
    # Rows of unknown value, by class and published value, against the records of the class.
    rows = (match.true_values(column) < 0) & (match.classes >= 0) & (match.published[column] >= 0)
    shown, counts = np.unique(match.classes[rows] * size + match.published[column][rows], return_counts=True)
    members, frequencies = np.unique(
        match.index.classes * size + match.original.codes[column], return_counts=True
    )
    begin = np.searchsorted(members, shown // size * size)
    many = np.searchsorted(members, (shown // size + 1) * size) - begin
    pair = np.repeat(np.arange(len(shown)), many)
    member = np.arange(len(pair)) + np.repeat(begin - np.cumsum(many) + many, many)
    able = np.where(together[members[member] % size, shown[pair] % size] > 0, frequencies[member], 0)
    able = np.bincount(pair, weights=able, minlength=len(shown)).astype(np.int64)
    return found + int(np.maximum(counts - able, 0).sum())


def _together(histogram: IntArray, claimed: SpluGenClaim) -> IntArray:
    """Return c(u, w), and f on the diagonal, shape (values, values)."""
    counts = np.zeros((len(histogram), len(histogram)), dtype=np.int64)
    for u, law in _fixed_channel(histogram, claimed).laws.items():
        for w, rate in law.items():
            # A record of u meets w with probability c(u, w)/f, and shows it with q.
            counts[u, w] = histogram[u] if u == w else rate / claimed.law.decoy * int(histogram[u])
    return counts


def _histograms(match: Match, column: str, claimed: SpluGenClaim) -> list[IntArray]:
    """Return the histograms that the deletion can have left, if the plan follows from them."""
    if claimed.plan not in FIXED_PLANS or len(match.original.domains[column]) > _LARGEST_DOMAIN:
        return []
    return [
        histogram
        for histogram in match.histograms(column) or []
        if histogram.sum() % claimed.law.gamma == 0 and claimed.law.gamma <= largest_gamma(histogram)
    ]


def _pairs(match: Match, column: str) -> _Pairs | None:
    """Return the pairs that occur of a known value and another published one; None if no value is known.

    If every row retained its value, one pair that does not occur stands in.
    """
    true, published = match.true_values(column), match.published[column]
    size = len(match.original.domains[column])
    known = np.bincount(true[true >= 0], minlength=size)
    changed = (true >= 0) & (published >= 0) & (published != true)
    pairs, counts = np.unique(true[changed] * size + published[changed], return_counts=True)
    if not known.any():
        return None
    if not len(pairs):
        value = int(known.argmax())
        pairs, counts = np.array([value * size + (value == 0)]), np.array([0])
    return _Pairs(pairs // size, pairs % size, counts, known)


def _plan_e_value(observed: IntArray, known: IntArray, histogram: IntArray, claimed: SpluGenClaim) -> EValue:
    channel = _fixed_channel(histogram, claimed)
    each = []
    for u in np.flatnonzero(known).tolist():
        met = {w: rate for w, rate in channel.laws[u].items() if w != u}
        if any(w not in met for w in np.flatnonzero(observed[u]).tolist()):
            return IMPOSSIBLE
        counts = observed[u, list(met)]
        each.append(
            largest_mean(counts_point, np.full(len(met), known[u]), counts, list(met.values()), least=2)
        )
    return _over_values(each, claimed)


def _over_values(each: list[EValue], claimed: SpluGenClaim) -> EValue:
    """Return one e-value made from those of the true values."""
    return product_of(each) if claimed.dependent == 1 else mean_of(each)


def _combination_loss(claimed: SpluGenClaim) -> int:
    """Return the largest factor, beside their number, by which `_over_values` reduces one of the e-values."""
    return 9 if claimed.dependent == 1 else 1


def _fixed_channel(histogram: IntArray, claimed: SpluGenClaim) -> Channel[int, int]:
    assert claimed.plan is not None
    plan = PLANS[claimed.plan](histogram, claimed.law.gamma, SystemSource())  # these plans draw nothing
    return decoy_groups(co_occurrence(plan).counts(), claimed.law)


_MOST_COLUMNS = 16


def predicates_evidence(
    published: Microdata, column: str, sensitive: Sequence[str], claimed: SpluGenClaim, least: int = 20
) -> Evidence | None:
    """Test the share of one value in a predicate against max(p, q), q the probability of each decoy.

    Returns None if no cell of a non-sensitive column, and no two of them together, stand in ``least`` rows.

    Given the plan and the places a row shows any value with probability at most max(p, q), independently of
    the other rows. A predicate, a cell or two of them, names rows without looking at draws. The most
    frequent value in the first half of its rows is fixed when the second half is looked at, where
    `rate_at_most` holds its number. The predicates are averaged. This needs no original: a table of true
    values in which one of them is typical of a predicate is detected.

    Where the draws of a group are dependent, a row in the first half may depend on one in the second. So
    every value is tested in all rows of a predicate, each of which counts for one in gamma
    (`effective_trials`), and the values are averaged as well.
    """
    values = text_ranks([published], column, blank=True)[0]
    others = [name for name in published.columns if name not in sensitive]
    trials: list[IntArray] = [np.empty(0, dtype=np.int64)]
    shown: list[IntArray] = [np.empty(0, dtype=np.int64)]
    independent = claimed.dependent == 1
    ranks = (text_ranks([published], name, blank=True)[0] for name in others)
    for cells in _predicates(ranks, least):
        inside = cells >= 0
        if not inside.any():
            continue
        tested, successes = (_holdout_counts if independent else _majority_counts)(
            cells[inside], values[inside]
        )
        trials.append(tested)
        shown.append(successes)
    tested, successes = np.concatenate(trials), np.concatenate(shown)
    if not len(tested):
        return None
    tested, successes = effective_trials(tested, successes, claimed.dependent)
    rate = max(claimed.law.retention, claimed.law.decoy)
    of = len(tested) * (1 if independent else len(np.unique(values)))
    e_value = largest_mean(rate_at_most, tested, successes, [rate] * len(tested), above_only=True, of=of)
    detail = f"the most frequent value of {len(tested)} predicates against at most {float(rate):.4f}"

    def power(level: Fraction) -> str:
        reached = rate_power(rate_at_most, int(tested.max()), rate, level / of)
        words = "half of the largest predicate" if independent else "the groups of the largest predicate"
        return f"{words}: {reached}"

    return Evidence("predicates", column, e_value, published.row_count, detail, power)


def unlinked_evidence(match: Match, column: str, claimed: SpluGenClaim) -> Evidence | None:
    """Test rows whose true value is unknown against max(p, q): their class's most frequent true value.

    Returns None if every row's true value is known.
    """
    rows, shown, _ = match.unlinked(column)
    if not rows:
        return None
    rate = max(claimed.law.retention, claimed.law.decoy)
    detail = f"{shown} of {rows} rows show the most frequent value of their candidate records"

    def power(level: Fraction) -> str:
        return str(unlinked_power(rows, claimed, level))

    trials, successes = effective_trials(np.array([rows]), np.array([shown]), claimed.dependent)
    e_value = rate_at_most(int(trials[0]), int(successes[0]), rate)
    return Evidence("unlinked", column, e_value, rows, detail, power)


def unlinked_power(rows: int, claimed: SpluGenClaim, level: Fraction) -> RatePower:
    """Return which other shares of the most frequent value are found in so many rows.

    Where the draws of a group are dependent, those of rows that show it in whole groups or not at all.
    """
    trials = -(-rows // claimed.dependent)
    return rate_power(rate_at_most, trials, max(claimed.law.retention, claimed.law.decoy), level)


def _predicates(columns: Iterable[Numbers], least: int) -> Iterator[Numbers]:
    """Yield the predicate of each row, for every column and every two; -1 if it has fewer rows than least."""
    large = [_large(cells, least) for cells in columns]
    yield from large
    if len(large) <= _MOST_COLUMNS:
        for one, other in combinations(large, 2):
            pairs = one.astype(np.int64) * (int(other.max(initial=0)) + 1) + other
            yield _large(np.where((one < 0) | (other < 0), -1, pairs), least)


def _large(cells: Numbers, least: int) -> Numbers:
    """Return the numbers of cells in at least so many rows, from 0 on in their order; -1 for the others."""
    inside = np.flatnonzero(cells >= 0)
    small = small_numbers(cells[inside])
    enough = np.bincount(small) >= least
    numbers = np.where(enough, np.cumsum(enough) - 1, -1)
    numbers = numbers.astype(np.min_scalar_type(-len(numbers) - 1))
    found = np.full(len(cells), -1, dtype=numbers.dtype)
    found[inside] = numbers[small]
    return found


def _majority_counts(cell: Numbers, values: Numbers) -> tuple[IntArray, IntArray]:
    """Return the rows of each predicate, and how many of them have its most frequent value."""
    sizes, width = np.bincount(cell), int(values.max(initial=0)) + 1
    pairs, counts = np.unique(cell.astype(np.int64) * width + values, return_counts=True)
    most = np.zeros(len(sizes), dtype=np.int64)
    np.maximum.at(most, pairs // width, counts)
    return sizes, most


def _holdout_counts(cell: Numbers, values: Numbers) -> tuple[IntArray, IntArray]:
    """Return the rows of each predicate's second half, and how many have the top value of the first."""
    sizes = np.bincount(cell)
    order = np.argsort(cell.astype(np.min_scalar_type(len(sizes))), kind="stable")
    late = order[np.cumsum(sizes) - sizes + sizes // 2]  # the first row of each second half
    del order  # as long as the table
    early = np.arange(len(cell)) < late[cell]
    width = int(values.max(initial=0)) + 1
    pairs, counts = np.unique(cell[early].astype(np.int64) * width + values[early], return_counts=True)
    by_count = np.lexsort((-counts, pairs // width))
    _, first = np.unique((pairs // width)[by_count], return_index=True)
    typical = pairs[by_count[first]] % width
    shown = np.bincount(cell[~early & (values == typical[cell])], minlength=len(sizes))
    return sizes - sizes // 2, shown.astype(np.int64)
