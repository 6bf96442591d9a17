"""The checks of releases by retention replacement."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial

import numpy as np
from scipy.special import gammaln

from splu_ref.audit.e_values import EValue, average, counts_point, rate_at_least, rate_at_most
from splu_ref.audit.power import rate_power
from splu_ref.audit.releases.cells import text_cells
from splu_ref.audit.releases.claimed_replacement import ClaimedReplacement, ExcludedReplacement
from splu_ref.audit.releases.findings import Evidence, Found, Held, NotChecked
from splu_ref.audit.releases.independence import independence_evidence
from splu_ref.audit.releases.match import Match
from splu_ref.audit.releases.original import Original
from splu_ref.audit.releases.placed import (
    all_records_check,
    all_rows_check,
    domain_checks,
    manifest_rows_check,
    matched,
)
from splu_ref.audit.releases.pooling import independent_product, largest_mean
from splu_ref.audit.releases.retention import PARTS, retention_evidence
from splu_ref.audit.releases.second import compare_releases
from splu_ref.audit.releases.shuffle import shuffle_evidence
from splu_ref.audit.releases.structure import schema_check
from splu_ref.manifest import Manifest
from splu_ref.microdata import Microdata
from splu_ref.model import ParameterError

_NEED_ORIGINAL = ("schema", "records", "counts", "retention", "replacement", "independence")
_IN_ORDER = "the rows are said to stand where they stood"


def held(
    published: Microdata, claimed: ClaimedReplacement, original: Original | None, manifest: Manifest | None
) -> Held:
    """Hold a table against the claim.

    Raises
    ------
    ParameterError
        If the original was prepared without the declared domains.
    """
    compare = partial(compare_releases, published, sensitive=claimed.columns, claimed=claimed)
    if original is None:
        return Held(list(_without_original(published, claimed, manifest)), compare)
    for column in claimed.columns:
        if sorted(original.domains[column]) != sorted(dict(claimed.mechanism.domains)[column]):
            raise ParameterError("the original was prepared without the declared domains: use `prepared`")
    match = matched(published, original, in_place=not claimed.mechanism.shuffled)
    found = list(_with_original(published, claimed, original, match, manifest))
    if match is None:
        return Held(found, compare)

    def excluded(level: Fraction) -> tuple[ExcludedReplacement, ...]:
        return tuple(_excluded(match, column, claimed, level) for column in original.sensitive)

    return Held(found, compare, match.linked, excluded)


def _without_original(
    published: Microdata, claimed: ClaimedReplacement, manifest: Manifest | None
) -> Iterator[Found]:
    yield from manifest_rows_check(published, manifest)
    yield from domain_checks(published, dict(claimed.mechanism.domains))
    for column in claimed.columns:
        yield _share_evidence(published, column, claimed)
    if claimed.mechanism.shuffled:
        yield shuffle_evidence(published, claimed, None)
    else:
        yield NotChecked("shuffle", None, _IN_ORDER)
    yield from (NotChecked(name, None, "this needs the original") for name in _NEED_ORIGINAL)


def _with_original(
    published: Microdata,
    claimed: ClaimedReplacement,
    original: Original,
    match: Match | None,
    manifest: Manifest | None,
) -> Iterator[Found]:
    yield schema_check(published, original.table)
    yield all_rows_check(published, original)
    yield from manifest_rows_check(published, manifest)
    yield from domain_checks(published, dict(claimed.mechanism.domains))
    if match is None:
        names = (*_NEED_ORIGINAL[1:], "shuffle")
        yield from (NotChecked(name, None, "the columns differ") for name in names)
        return
    yield all_records_check(match, in_place=not claimed.mechanism.shuffled)
    alike = "no row's true value is known: records with the same cells have different values"
    for column in original.sensitive:
        yield _counts_evidence(match, column, claimed)
        yield retention_evidence(match, column, claimed) or NotChecked("retention", column, alike)
        yield independence_evidence(match, column, claimed) or NotChecked("independence", column, alike)
        yield _replacement_evidence(match, column, claimed)
    if claimed.mechanism.shuffled:
        yield shuffle_evidence(published, claimed, match)
    else:
        yield NotChecked("shuffle", None, _IN_ORDER)


def _excluded(match: Match, column: str, claimed: ClaimedReplacement, level: Fraction) -> ExcludedReplacement:
    """Return what the checks of a column would have noticed at the level of each."""
    true = match.true_values(column)
    known = int((true >= 0).sum())
    own = rate_power(counts_point, known, claimed.own_rate(column), level / PARTS) if known else None
    return ExcludedReplacement(
        column=column,
        claimed=claimed,
        rows=match.rows,
        known=known,
        own=own,
        others_noticed=known < match.rows and _others_noticed(match, column, claimed, level),
    )


def _others_noticed(match: Match, column: str, claimed: ClaimedReplacement, level: Fraction) -> bool:
    """Return whether a published count would tell that all rows without a known true value show theirs."""
    true, size, records = match.true_values(column), claimed.size(column), match.original.table.row_count
    held = match.original.frequencies(column)
    left = held - np.bincount(true[true >= 0], minlength=size)
    p, other = claimed.mechanism.retention, claimed.other_rate(column)
    rates = [p * Fraction(f, records) + other for f in held.tolist()]
    # Each of the rows shows the value v with p + (1-p)/m or (1-p)/m as claimed, and with 1 or 0 then.
    shifts = [
        (1 - p) * Fraction(f, records) - other * Fraction(int(left.sum()), records) for f in left.tolist()
    ]
    worst = max(range(size), key=lambda v: shifts[v] ** 2 / (rates[v] * (1 - rates[v])))
    found, instead = (
        rate_power(counts_point, match.rows, rates[worst], level / size),
        rates[worst] + shifts[worst],
    )
    return (found.high is not None and instead >= found.high) or (
        found.low is not None and instead <= found.low
    )


def _share_evidence(published: Microdata, column: str, claimed: ClaimedReplacement) -> Evidence:
    """Hold each published count against the least and the largest chance that any record gives its value.

    Notes
    -----
    Whatever a record's true value is, it is published as v with probability (1-p)/m or p + (1-p)/m,
    independently of the others. Both one-sided e-values, of every value of the declared domain, are averaged.
    """
    cells = text_cells(published, [column], blank=True).to_series()
    domain = dict(claimed.mechanism.domains)[column]
    found = np.array([int((cells == value).sum()) for value in domain], dtype=np.int64)
    own, other = claimed.own_rate(column), claimed.other_rate(column)
    rows, size = published.row_count, len(domain)
    trials = np.full(size, rows)
    above = largest_mean(rate_at_most, trials, found, [own] * size, above_only=True)
    # Fewer than (1-p)/m is more than 1 - (1-p)/m of the others.
    below = largest_mean(rate_at_most, trials, rows - found, [1 - other] * size, above_only=True)
    detail = (
        f"{size} published shares, from {found.min() / rows:.4f} to {found.max() / rows:.4f}, within "
        f"{float(other):.4f} to {float(own):.4f}"
    )

    def power(level: Fraction) -> str:
        part = level / (2 * size)
        most, least = rate_power(rate_at_most, rows, own, part), rate_power(rate_at_least, rows, other, part)
        return f"a value's published share: {most}; {least}"

    return Evidence("share", column, average([above, below]), rows, detail, power)


def _counts_evidence(match: Match, column: str, claimed: ClaimedReplacement) -> Evidence:
    """Hold the histogram of a column against its law, given that of the original.

    Notes
    -----
    The count of a value with f of the N records is Bin(f, p + (1-p)/m) + Bin(N - f, (1-p)/m), a sum of
    independent indicators of mean rate r. `counts_point` at r is convex in the count, so by Hoeffding (1956,
    Theorem 3) its expectation is at most that under Bin(N, r), which is 1. The values' e-values are averaged.
    """
    codes = match.published[column]
    size, rows = claimed.size(column), match.rows
    found = np.bincount(codes[codes >= 0], minlength=size)
    p, other = claimed.mechanism.retention, claimed.other_rate(column)
    records = match.original.table.row_count
    rates = [p * Fraction(f, records) + other for f in match.original.frequencies(column).tolist()]
    e_value = largest_mean(counts_point, np.full(size, rows), found, rates)
    largest = max(rates)

    def power(level: Fraction) -> str:
        return f"most frequent value: {rate_power(counts_point, rows, largest, level / size)}"

    detail = f"{size} counts against p f + (1 - p) N/m"
    return Evidence("counts", column, e_value, rows, detail, power)


def _replacement_evidence(match: Match, column: str, claimed: ClaimedReplacement) -> Evidence | NotChecked:
    """Hold what rows show that do not show their own value against a uniform one of the others.

    Notes
    -----
    Given that it is not the own value, the published one is each of the m - 1 others with the same chance,
    independently of all other records. Of the rows with true value u, their counts are multinomial: the
    Dirichlet mixture of `multinomial_point`, multiplied over u (`independent_product`). Of all rows whose
    true value is not v, the number that show v is binomial: averaged over v. The two parts are averaged.
    """
    true, shown, size = match.true_values(column), match.published[column], claimed.size(column)
    drawn = (true >= 0) & (shown >= 0) & (true != shown)
    if size == 2 or not drawn.any():
        why = "a domain of two values leaves one other" if size == 2 else "no row shows another value"
        return NotChecked("replacement", column, why)
    counts = np.zeros((size, size), dtype=np.int64)
    np.add.at(counts, (true[drawn], shown[drawn]), 1)
    totals, others = counts.sum(axis=1), size - 1
    factorials = gammaln(counts + 1).sum(axis=1) - gammaln(totals + others) + gammaln(others)
    logs = factorials + totals * math.log(others) - 1e-12 * (size + totals * np.log(totals + size + 2))
    by_true = EValue(independent_product(logs[totals > 0]) / math.log(10))
    trials = totals.sum() - totals
    rate = Fraction(1, others)
    present = trials > 0
    by_shown = largest_mean(
        counts_point, trials[present], counts.sum(axis=0)[present], [rate] * int(present.sum())
    )
    rows, least = int(drawn.sum()), int(trials[present].min())

    def power(level: Fraction) -> str:
        return f"one value: {rate_power(counts_point, least, rate, level / (2 * size))}"

    detail = f"{rows} rows that show another value than their own, each of {others} as often as the others"
    return Evidence("replacement", column, average([by_true, by_shown]), rows, detail, power)
