"""The checks of releases that draw each cell by a row of a known matrix: retention replacement, operators."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from scipy.special import gammaln

from splu_ref.audit.e_values import EValue, average, counts_point, rate_at_least, rate_at_most
from splu_ref.audit.power import rate_power
from splu_ref.audit.releases.cell_claims import CellClaim
from splu_ref.audit.releases.detection_power import DetectionPower
from splu_ref.audit.releases.exact_checks import (
    all_records_check,
    all_rows_check,
    domain_checks,
    manifest_rows_check,
    schema_check,
)
from splu_ref.audit.releases.findings import Evidence, Finding, NotChecked, Reuse, TableFindings
from splu_ref.audit.releases.pooling import (
    CERTAIN,
    IMPOSSIBLE,
    independent_product,
    largest_mean,
    largest_point_mean,
)
from splu_ref.audit.releases.re_release import compare_releases
from splu_ref.audit.releases.record_linkage import Match, Original, matched, text_counts
from splu_ref.audit.releases.retention import PARTS, TrueValueRates, independence_evidence, retention_evidence
from splu_ref.audit.releases.row_order import shuffle_evidence
from splu_ref.channels import ParameterError
from splu_ref.data import Microdata
from splu_ref.mechanisms import Manifest
from splu_ref.randomness import IntArray

AnyCellClaim: TypeAlias = CellClaim[Any]

_NEED_ORIGINAL = ("schema", "records", "counts", "retention", "replacement", "independence")
_IN_ORDER = "the rows are said to stand where they stood"
_NO_COIN = "no coin decides whether a row whose true value is known shows it"
_NEVER = "a single row with a value that never replaces its own"


def check_release(
    published: Microdata, claimed: AnyCellClaim, original: Original | None, manifest: Manifest | None
) -> TableFindings:
    """Return the findings of the checks of the claim."""
    # Rewritten cells are texts: types are those of the given tables.
    schema = None if original is None else schema_check(published, original.table)
    published = claimed.rewritten(published)
    original = None if original is None else claimed.rewritten_original(original)

    def compare(second: Microdata, *, level: Fraction) -> Reuse:
        return compare_releases(published, claimed.rewritten(second), claimed.columns, claimed, level=level)

    if original is None or schema is None:
        return TableFindings(list(_without_original(published, claimed, manifest)), compare)
    for column in claimed.columns:
        if sorted(original.domains[column]) != sorted(claimed.domains[column]):
            raise ParameterError("the original was prepared without the declared domains: use `prepared`")
    claimed = claimed.aligned(original.domains)
    match = matched(published, original, in_place=claimed.in_place)
    found = [schema, *_with_original(published, claimed, original, match, manifest)]
    if match is None:
        return TableFindings(found, compare)

    def power(level: Fraction) -> tuple[DetectionPower, ...]:
        return tuple(_power(match, column, claimed, level) for column in original.sensitive)

    return TableFindings(found, compare, match.linked, power)


def _without_original(
    published: Microdata, claimed: AnyCellClaim, manifest: Manifest | None
) -> Iterator[Finding]:
    yield from manifest_rows_check(published, manifest)
    yield from domain_checks(published, claimed.domains)
    for column in claimed.columns:
        yield _share_evidence(published, column, claimed)
    if claimed.in_place:
        yield NotChecked("shuffle", None, _IN_ORDER)
    else:
        yield shuffle_evidence(published, claimed, None)
    yield from (NotChecked(name, None, "this needs the original") for name in _NEED_ORIGINAL)


def _with_original(
    published: Microdata,
    claimed: AnyCellClaim,
    original: Original,
    match: Match | None,
    manifest: Manifest | None,
) -> Iterator[Finding]:
    yield all_rows_check(published, original)
    yield from manifest_rows_check(published, manifest)
    yield from domain_checks(published, claimed.domains)
    if match is None:
        names = (*_NEED_ORIGINAL[1:], "shuffle")
        yield from (NotChecked(name, None, "the columns differ") for name in names)
        return
    yield all_records_check(match, in_place=claimed.in_place)
    alike = "no row's true value is known: records with the same cells have different values"
    for column in original.sensitive:
        yield _counts_evidence(match, column, claimed)
        yield retention_evidence(match, column, claimed) or NotChecked("retention", column, alike)
        known = bool((match.true_values(column) >= 0).any())
        yield independence_evidence(match, column, claimed) or NotChecked(
            "independence", column, _NO_COIN if known else alike
        )
        yield _replacement_evidence(match, column, claimed)
    if claimed.in_place:
        yield NotChecked("shuffle", None, _IN_ORDER)
    else:
        yield shuffle_evidence(published, claimed, match)


def _power(match: Match, column: str, claimed: AnyCellClaim, level: Fraction) -> DetectionPower:
    """Return what the checks of a column would have detected at the level of each."""
    true = match.true_values(column)
    rates = TrueValueRates(claimed, column, claimed.laws[column].size)
    known = true[true >= 0]
    drawn = known[rates.drawn[known]]
    own = rate_power(counts_point, len(drawn), rates.mean(drawn), level / PARTS) if len(drawn) else None
    return claimed.detection_power(
        column,
        own,
        rows=match.rows,
        known=len(known),
        unaltered=bool(len(known)) and rates.mean(known) == 1,
        others_detected=len(known) < match.rows and _others_detected(match, column, claimed, level),
    )


def _others_detected(match: Match, column: str, claimed: AnyCellClaim, level: Fraction) -> bool:
    """Return whether a published count would detect that all rows of unknown true value show theirs."""
    true, size = match.true_values(column), claimed.laws[column].size
    true_counts = match.original.frequencies(column)
    left = (true_counts - np.bincount(true[true >= 0], minlength=size)).tolist()
    rates = _rates(match, column, claimed)
    # Each of the rows shows a value by its row of the matrix as claimed, and its true value then.
    moved = claimed.laws[column].expected(left)
    records = [max(1, each) for each in _trials(match, column, claimed)]
    shifts = [(own - count) / each for own, count, each in zip(left, moved, records, strict=True)]
    if any(shift and rate in (0, 1) for shift, rate in zip(shifts, rates, strict=True)):
        return True
    drawn = [v for v in range(size) if 0 < rates[v] < 1]
    if not drawn:
        return False
    worst = max(drawn, key=lambda v: shifts[v] ** 2 / (rates[v] * (1 - rates[v])))
    found, instead = (
        rate_power(counts_point, records[worst], rates[worst], level / size),
        rates[worst] + shifts[worst],
    )
    return (found.high is not None and instead >= found.high) or (
        found.low is not None and instead <= found.low
    )


def _trials(match: Match, column: str, claimed: AnyCellClaim) -> list[int]:
    """Return how many records could show each value."""
    true_counts = match.original.frequencies(column).tolist()
    return [int(each) for each in claimed.laws[column].trials(true_counts, match.original.table.row_count)]


def _rates(match: Match, column: str, claimed: AnyCellClaim) -> list[Fraction]:
    """Return with what chance these show it, on average; 0 where there are none."""
    expected = claimed.laws[column].expected(match.original.frequencies(column).tolist())
    return [
        count / records if records else Fraction(0)
        for count, records in zip(expected, _trials(match, column, claimed), strict=True)
    ]


def _share_evidence(published: Microdata, column: str, claimed: AnyCellClaim) -> Evidence:
    """Test each published count against the least and the largest chance that any record gives its value.

    Whatever a record's true value is, it is published as v with a probability in v's column of the matrix:
    for retention replacement (1-p)/m or p + (1-p)/m; independently of the others. Both one-sided e-values, of
    every value of the declared domain, are averaged. One of a value that no record gives, or each, is exact.
    """
    counts, domain = text_counts(published, column), claimed.domains[column]
    found = np.array([counts.get(value, 0) for value in domain], dtype=np.int64)
    extremes = claimed.laws[column].extremes()
    rows, size = published.row_count, len(domain)
    trials = claimed.laws[column].trials(found.tolist(), rows)
    # Fewer than (1-p)/m is more than 1 - (1-p)/m of the others.
    above = _more_than(trials, found, [most for _, most in extremes])
    below = _more_than(trials, trials - found, [1 - least for least, _ in extremes])
    lowest, largest = min(least for least, _ in extremes), max(most for _, most in extremes)
    shares = found / np.maximum(trials, 1)
    detail = (
        f"{size} published shares, from {shares.min():.4f} to {shares.max():.4f}, within "
        f"{float(lowest):.4f} to {float(largest):.4f}"
    )

    def power(level: Fraction) -> str:
        part, words, most = level / (2 * size), [], int(trials.max())
        # of the largest part, if there are several
        within = [ends for ends, each in zip(extremes, trials, strict=True) if each == most]
        if (high := max(most for _, most in within)) < 1:
            words.append(str(rate_power(rate_at_most, most, high, part)))
        if (low := min(least for least, _ in within)) > 0:
            words.append(str(rate_power(rate_at_least, most, low, part)))
        return f"a value's published share: {'; '.join(words) or 'none, since each may be 0 or 1'}"

    return Evidence("share", column, average([above, below]), rows, detail, power)


def _more_than(trials: IntArray, found: IntArray, most: Sequence[Fraction]) -> EValue:
    """Test counts against the largest chances of their values, which may be 0 or 1."""
    never = np.array([chance == 0 for chance in most])
    if found[never].any():
        return IMPOSSIBLE
    open_ = np.array([0 < chance < 1 for chance in most])
    if not open_.any():
        return CERTAIN
    chances = [chance for chance in most if 0 < chance < 1]
    return largest_mean(rate_at_most, trials[open_], found[open_], chances, above_only=True, of=len(most))


def _counts_evidence(match: Match, column: str, claimed: AnyCellClaim) -> Evidence:
    """Test the histogram of a column against its law, given that of the original.

    The count of a value v is the sum over the true values u of Bin(f_u, A[u][v]), A the matrix: for retention
    replacement Bin(f, p + (1-p)/m) + Bin(N - f, (1-p)/m). That is a sum of independent indicators of mean
    rate r. `counts_point` at r is convex in the count, so by Hoeffding (1956, Theorem 3) its expectation is
    at most that under Bin(N, r), which is 1. The values' e-values are averaged.
    """
    codes = match.published[column]
    size, rows = claimed.laws[column].size, match.rows
    found = np.bincount(codes[codes >= 0], minlength=size)
    rates, trials = _rates(match, column, claimed), claimed.laws[column].trials(found.tolist(), rows)
    e_value = largest_point_mean(trials, found, rates)
    drawn = [
        (rate * int(each), int(each), rate) for each, rate in zip(trials, rates, strict=True) if rate < 1
    ]
    _, most, largest = max(drawn, default=(Fraction(0), 0, Fraction(1)))

    def power(level: Fraction) -> str:
        if not 0 < largest < 1:
            return "any other count"
        return f"most frequent value: {rate_power(counts_point, most, largest, level / size)}"

    return Evidence("counts", column, e_value, rows, f"{size} counts against {claimed.law_words}", power)


def _replacement_evidence(match: Match, column: str, claimed: AnyCellClaim) -> Evidence | NotChecked:
    """Test what rows show that do not show their true value against the law of what replaces it.

    Given that it is not the true value u, the published one is v with probability A[u][v]/(1 - A[u][u]), for
    retention replacement 1/(m - 1), independently of all other records. Of the rows with true value u, their
    counts are multinomial: the Dirichlet mixture of `multinomial_point`, multiplied over u
    (`independent_product`). Of all rows whose true value is not v, the number that show v is a sum of
    independent indicators, tested against their mean rate as in `_counts_evidence`: averaged over v. The two
    parts are averaged. One row with a value that never replaces its own is impossible.
    """
    true, shown, size = match.true_values(column), match.published[column], claimed.laws[column].size
    drawn = (true >= 0) & (shown >= 0) & (true != shown)
    law = claimed.laws[column].others()
    possible = (law > 0).sum(axis=1)
    if size == 2 or not drawn.any():
        why = "a domain of two values leaves one other" if size == 2 else "no row shows another value"
        return NotChecked("replacement", column, why)
    counts = np.zeros((size, size), dtype=np.int64)
    np.add.at(counts, (true[drawn], shown[drawn]), 1)
    totals, rows = counts.sum(axis=1), int(drawn.sum())
    detail = f"{rows} rows that show another value than their own, {claimed.others_words(column)}"
    if counts[law == 0].any():
        return Evidence("replacement", column, IMPOSSIBLE, rows, detail, lambda _: _NEVER)
    logs = gammaln(counts + 1).sum(axis=1) - gammaln(totals + possible) + gammaln(np.maximum(possible, 1))
    logs -= (counts * np.log(np.where(law > 0, law, 1.0))).sum(axis=1)
    logs -= 1e-12 * (size + totals * np.log(totals + size + 2))
    by_true = EValue(independent_product(logs[totals > 0]) / math.log(10))
    rates = claimed.laws[column].others_shown(totals.tolist())
    present = np.array([rate is not None for rate in rates])
    stated = [rate for rate in rates if rate is not None]
    trials = (rows - totals)[present]
    by_shown = largest_point_mean(trials, counts.sum(axis=0)[present], stated)

    def power(level: Fraction) -> str:
        weighed = [(int(n), r) for n, r in zip(trials.tolist(), stated, strict=True) if 0 < r < 1]
        if not weighed:
            return _NEVER
        return f"one value: {rate_power(counts_point, *min(weighed), level / (2 * size))}"

    return Evidence("replacement", column, average([by_true, by_shown]), rows, detail, power)
