"""Releases by retention replacement: what is claimed of them, and the checks that are theirs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from splu_ref.audit.e_values import EValue, average, counts_point, rate_at_least, rate_at_most
from splu_ref.audit.power import RatePower, rate_power
from splu_ref.audit.releases.cells import text_cells
from splu_ref.audit.releases.findings import Check, Evidence, NotChecked
from splu_ref.audit.releases.independence import independence_evidence
from splu_ref.audit.releases.match import Match
from splu_ref.audit.releases.original import Original
from splu_ref.audit.releases.pooling import independent_product, largest_mean
from splu_ref.audit.releases.retention import PARTS, retention_evidence
from splu_ref.audit.releases.shuffle import shuffle_evidence
from splu_ref.audit.releases.structure import schema_check
from splu_ref.manifest import Manifest
from splu_ref.mechanisms import RecordMechanism, RetentionReplacement
from splu_ref.microdata import Microdata
from splu_ref.model import ParameterError
from splu_ref.randomness import IntArray

_NEED_ORIGINAL = ("schema", "records", "counts", "retention", "replacement", "independence")
_IN_ORDER = "the rows are said to stand where they stood"


@dataclass(frozen=True, slots=True)
class ClaimedReplacement:
    """How a table is said to have been published by retention replacement.

    Attributes
    ----------
    mechanism
        The mechanism, with its retention, its domains and the order of its rows.

    Raises
    ------
    ParameterError
        If it does not replace each cell uniformly on its own.
    """

    mechanism: RetentionReplacement

    def __post_init__(self) -> None:
        if self.mechanism.replacing != "uniform" or self.mechanism.compound:
            raise ParameterError(
                "the release is by retention replacement with another law than the uniform one, or with one "
                "coin for a record, which is not audited: give one that draws uniformly for each cell"
            )

    kept_words = "kept it, or drew it again"
    period = 2
    spare = 0

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive columns."""
        return tuple(column for column, _ in self.mechanism.domains)

    def size(self, column: str) -> int:
        """Return the number m of values of a column's domain."""
        return len(dict(self.mechanism.domains)[column])

    def other_rate(self, column: str) -> Fraction:
        """Return the probability of each value but the own one: (1 - p)/m."""
        return (1 - self.mechanism.retention) / self.size(column)

    def own_rate(self, column: str) -> Fraction:
        """Return the probability of being published with the own value: p + (1 - p)/m."""
        return self.mechanism.retention + self.other_rate(column)

    def alternatives(self, column: str) -> list[tuple[str, Fraction]]:
        """Return the deviations for which a number of rows is stated: p a tenth less or more."""
        p, size = self.mechanism.retention, self.size(column)
        off = min(p, 1 - p) / 10
        return [(f"p = {other}", other + (1 - other) / size) for other in (p - off, p + off) if off]

    def agreement(self, column: str) -> tuple[Fraction, Fraction]:
        """Return the least and the largest chance that two releases of a record show the same value.

        Whatever the true value is, it is the sum of the squares of the chances of all values.
        """
        own, other = self.own_rate(column), self.other_rate(column)
        alike = own**2 + (self.size(column) - 1) * other**2
        return alike, alike

    def made_by(self, mechanism: RecordMechanism) -> bool:
        """Return whether a mechanism is the one that is claimed."""
        return mechanism == self.mechanism

    def prepared(self, table: Microdata, sensitive: Sequence[str]) -> Original:
        """Return an original with the declared domains.

        Raises
        ------
        DataError
            If a cell lies outside its column's domain.
        """
        return Original(self.mechanism.declared(table), sensitive)

    def retained(self, own: Fraction, column: str) -> Fraction:
        """Return the retention p at which the own value is published with probability ``own``."""
        size = self.size(column)
        return max((size * own - 1) / (size - 1), Fraction(0))


@dataclass(frozen=True, slots=True)
class ExcludedReplacement:
    """Which other releases the checks of a column find with probability 0.999 or more.

    Attributes
    ----------
    column
        The sensitive column.
    claimed
        The claim.
    rows, known
        Published rows, and how many of them have a known true value.
    own
        Which probabilities of showing the own value would have been found; None if no true value is known.
    others_noticed
        Whether it would have been found, by a published count, if all other rows showed their true values.
    """

    column: str
    claimed: ClaimedReplacement
    rows: int
    known: int
    own: RatePower | None
    others_noticed: bool

    @property
    def low(self) -> Fraction | None:
        """Every retention up to this one would have been found."""
        if self.own is None or self.own.low is None:
            return None
        size = self.claimed.size(self.column)
        return None if self.own.low * size < 1 else self.claimed.retained(self.own.low, self.column)

    @property
    def high(self) -> Fraction | None:
        """Every retention from this one on would have been found."""
        if self.own is None or self.own.high is None:
            return None
        return self.claimed.retained(self.own.high, self.column)

    @property
    def open(self) -> tuple[str, ...]:
        """What an unprotected release may be that the checks would not have noticed, in words."""
        p, found = self.claimed.mechanism.retention, []
        most = (1 + p) / 2
        if self.own is not None and (self.high is None or self.high > most):
            found.append(f"values kept with probability {float(most):.4g}")
        if self.known < self.rows and not self.others_noticed:
            what = "the original itself: no row's true value is known"
            others = f"true values in the {self.rows - self.known} rows that may be several records"
            found.append(others if self.known else what)
        return tuple(found)

    @property
    def noticed(self) -> tuple[str, ...]:
        """What would have been noticed, in words."""
        found = []
        if self.high is not None or (self.own is None and self.others_noticed):
            found.append("the original itself")
        if self.high is not None:
            found.append(f"values kept with probability {_up(self.high)} or more")
        if self.low is not None:
            found.append(f"with probability {_down(self.low)} or less")
        return tuple(found)

    def __str__(self) -> str:
        told = f"{self.column}: would notice {', '.join(self.noticed) or 'nothing of the draws'}"
        return f"{told}; cannot tell {', '.join((*self.open, 'smaller deviations'))}"


@dataclass(frozen=True)
class PlacedMatch(Match):
    """A table whose row i is record i of the original, wherever their other cells agree."""

    @cached_property
    def records(self) -> IntArray:
        """The original row of each published row, or -1 where their other cells differ."""
        places = np.arange(self.rows)
        return np.where(self.index.classes == self.classes, places, -1)

    def true_values(self, column: str) -> IntArray:
        """Return the true code of each row, or -1 where it is unknown which record it is."""
        return np.where(self.records >= 0, self.original.codes[column], -1)


def without_original(
    published: Microdata, claimed: ClaimedReplacement, manifest: Manifest | None
) -> Iterator[Check | Evidence | NotChecked]:
    """Yield what can be checked without the original."""
    yield from _told_checks(published, claimed, manifest)
    for column in claimed.columns:
        yield _share_evidence(published, column, claimed)
    if claimed.mechanism.shuffled:
        yield shuffle_evidence(published, claimed, None)
    else:
        yield NotChecked("shuffle", None, _IN_ORDER)
    yield from (NotChecked(name, None, "this needs the original") for name in _NEED_ORIGINAL)


def match_of(published: Microdata, claimed: ClaimedReplacement, original: Original) -> Match | None:
    """Return which row is which record; None if the columns differ.

    Raises
    ------
    ParameterError
        If the original was prepared without the declared domains.
    """
    for column in claimed.columns:
        if sorted(original.domains[column]) != sorted(dict(claimed.mechanism.domains)[column]):
            raise ParameterError("the original was prepared without the declared domains: use `prepared`")
    if set(published.columns) != set(original.table.columns):
        return None
    found = Match.of(original, published)
    if claimed.mechanism.shuffled or found.rows != original.table.row_count:
        return found
    return PlacedMatch(found.original, found.index, found.classes, found.published, found.blank)


def with_original(
    published: Microdata,
    claimed: ClaimedReplacement,
    original: Original,
    match: Match | None,
    manifest: Manifest | None,
) -> Iterator[Check | Evidence | NotChecked]:
    """Yield what can be checked with the original."""
    yield schema_check(published, original.table)
    given, rows = original.table.row_count, published.row_count
    yield Check("rows", None, rows == given, f"{given} records, {rows} rows: all are published", rows)
    yield from _told_checks(published, claimed, manifest)
    if match is None:
        names = (*_NEED_ORIGINAL[1:], "shuffle")
        yield from (NotChecked(name, None, "the columns differ") for name in names)
        return
    yield _records_check(match, claimed)
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


def excluded(match: Match, column: str, claimed: ClaimedReplacement, level: Fraction) -> ExcludedReplacement:
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


def _told_checks(
    published: Microdata, claimed: ClaimedReplacement, manifest: Manifest | None
) -> Iterator[Check]:
    rows = published.row_count
    if manifest is not None:
        detail = f"the manifest says {manifest.rows} rows, the table has {rows}"
        yield Check("manifest.rows", None, manifest.rows == rows, detail, rows)
    for column, domain in claimed.mechanism.domains:
        if column not in published.columns:
            continue
        cells = text_cells(published, [column], blank=True).to_series()
        outside = int((~cells.is_in(list(domain))).sum())
        detail = f"{outside} rows hold a value outside the declared domain of {len(domain)}"
        yield Check("domain", column, not outside, detail, rows)


def _records_check(match: Match, claimed: ClaimedReplacement) -> Check:
    """Check that the other cells are those of the original's records, each once, and in their places."""
    foreign = int((match.classes < 0).sum()) + int(-match.missing[match.missing < 0].sum())
    gone = int(match.missing[match.missing > 0].sum())
    detail = f"{foreign} rows with cells that no record is left for, {gone} records without a row"
    passed = foreign == gone == 0
    if not claimed.mechanism.shuffled and match.rows == match.original.table.row_count:
        moved = int((match.classes != match.index.classes).sum())
        detail, passed = f"{detail}, {moved} rows with other cells than the record at their place", not moved
    return Check("records", None, passed, detail, match.rows)


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


def _up(probability: Fraction) -> str:
    return f"{math.ceil(probability * 10_000) / 10_000:.4f}"


def _down(probability: Fraction) -> str:
    return f"{math.floor(probability * 10_000) / 10_000:.4f}"
