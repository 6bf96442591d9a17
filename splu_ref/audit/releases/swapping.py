"""The checks of releases by swapping."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial

import numpy as np

from splu_ref.audit.e_values import EValue, average
from splu_ref.audit.releases.claims import SwappingClaim
from splu_ref.audit.releases.detection_power import DetectionPower, of_swaps
from splu_ref.audit.releases.exact_checks import (
    all_records_check,
    all_rows_check,
    manifest_checks,
    schema_check,
)
from splu_ref.audit.releases.findings import Check, Evidence, Finding, NotChecked, Reuse, TableFindings
from splu_ref.audit.releases.pooling import mean_of_largest
from splu_ref.audit.releases.record_linkage import Match, Original, matched, text_cells
from splu_ref.audit.releases.swapping_laws import (
    SwapPower,
    compared,
    independence_of,
    locality_of,
    swap_power,
    swapped_count_point,
)
from splu_ref.channels import swapped_retention
from splu_ref.data import Microdata
from splu_ref.mechanisms import Manifest
from splu_ref.randomness import IntArray

_MOST_PAIRED = 256
_PARTS = 2  # half of the records, and each value alone
_NEED_ORIGINAL = ("schema", "rows", "records", "histogram", "retention", "replacement")
_ARRANGED = ("independence", "locality")


def check_release(
    published: Microdata,
    sensitive: Sequence[str],
    claimed: SwappingClaim,
    original: Original | None,
    manifest: Manifest | None,
) -> TableFindings:
    """Return the findings of the checks of the claim."""
    if original is None:
        return TableFindings(
            list(_without_original(published, sensitive, manifest)), partial(_compared, published, None)
        )
    match = matched(published, original, in_place=True)
    found = list(_exact(published, original, match, manifest))
    whole = match is not None and all(
        not isinstance(each, Check) or each.passed or each.name.startswith("manifest") for each in found
    )
    if match is None or not whole:
        why = "the rows or the values are not those of the original"
        names = ("retention", "replacement", *_ARRANGED)
        found += [NotChecked(name, column, why) for column in sensitive for name in names]
        linked = None if match is None else match.linked
        return TableFindings(found, partial(_compared, published, None), linked)
    for column in sensitive:
        found.append(_retention_evidence(match, column, claimed))
        found.append(_replacement_evidence(match, column, claimed))
        found += [independence_of(match, column), locality_of(match, column)]

    def power(level: Fraction) -> tuple[DetectionPower, ...]:
        retention = claimed.mechanism.retention
        return tuple(
            of_swaps(column, retention, match.rows, _power(match, column, claimed, level))
            for column in sensitive
        )

    return TableFindings(found, partial(_compared, published, match), match.linked, power)


def _without_original(
    published: Microdata, sensitive: Sequence[str], manifest: Manifest | None
) -> Iterator[Finding]:
    if manifest is not None:
        domains = {column: published.values(column) for column in sensitive}
        yield from manifest_checks(manifest, published.row_count, domains, original=False)
    names = (*_NEED_ORIGINAL, *_ARRANGED)
    yield from (NotChecked(name, None, "this needs the original") for name in names)


def _exact(
    published: Microdata, original: Original, match: Match | None, manifest: Manifest | None
) -> Iterator[Finding]:
    yield schema_check(published, original.table)
    yield all_rows_check(published, original)
    if manifest is not None:
        yield from manifest_checks(manifest, published.row_count, original.domains, original=True)
    if match is None:
        yield from (NotChecked(name, None, "the columns differ") for name in ("records", "histogram"))
        return
    yield all_records_check(match, in_place=True)
    for column in original.sensitive:
        yield _histogram_check(match, column)


def _histogram_check(match: Match, column: str) -> Check:
    """Check that every value stands in the column as often as in the original: swapping moves cells alone."""
    codes = match.published[column]
    size = len(match.original.domains[column])
    found = np.bincount(codes[codes >= 0], minlength=size)
    changed = np.abs(found - match.original.frequencies(column))
    foreign = int((codes < 0).sum())
    detail = (
        f"{int((changed > 0).sum())} of {size} values stand there more or less often than in the original, "
        f"{foreign} rows hold another"
    )
    return Check("histogram", column, not foreign and not changed.any(), detail, match.rows)


@dataclass(frozen=True)
class _Moves:
    """How many rows of the values of a column show a value outside a set of them."""

    match: Match
    column: str
    keep: Fraction

    @property
    def true(self) -> IntArray:
        """The true code of each row."""
        return self.match.true_values(self.column)

    @property
    def shown(self) -> IntArray:
        """The published code of each row."""
        return self.match.published[self.column]

    @cached_property
    def frequencies(self) -> IntArray:
        """How often each value occurs."""
        return self.match.original.frequencies(self.column)

    @cached_property
    def kept(self) -> IntArray:
        """How many rows of each value show it."""
        return np.bincount(self.true[self.true == self.shown], minlength=len(self.frequencies))

    def of_set(self, values: Sequence[int]) -> EValue:
        """Return the e-value of how many rows of some values show a value outside them."""
        inside = np.isin(np.arange(len(self.frequencies)), values)
        left = int((inside[self.true] & ~inside[self.shown]).sum())
        return self._point(int(self.frequencies[inside].sum()), left)

    def of_values(self) -> EValue:
        """Return a lower bound of the mean e-value of each value alone."""
        return self._mean(self.frequencies, self.frequencies - self.kept)

    def of_pairs(self) -> EValue:
        """Return a lower bound of the mean e-value of each pair of values."""
        size = len(self.frequencies)
        moved = np.bincount(self.true * size + self.shown, minlength=size**2).reshape(size, size)
        one, two = np.triu_indices(size, 1)
        members = self.frequencies[one] + self.frequencies[two]
        inside = self.kept[one] + self.kept[two] + moved[one, two] + moved[two, one]
        return self._mean(members, members - inside)

    def _mean(self, members: IntArray, left: IntArray) -> EValue:
        records = self.match.rows
        apart = 1 - float(swapped_retention(self.keep, records))
        expected = apart * members * (records - members) / records
        scores = np.abs(left - expected) / (np.sqrt(expected) + 1)
        return mean_of_largest(scores, lambda i: self._point(int(members[i]), int(left[i])))

    def _point(self, members: int, left: int) -> EValue:
        return swapped_count_point(self.match.rows, members, left, self.keep)


def _half(frequencies: IntArray) -> list[int]:
    """Return values that together hold about half of the records: the larger first, where they fit."""
    chosen, left = [], int(frequencies.sum()) // 2
    for value in np.argsort(-frequencies, kind="stable").tolist():
        if frequencies[value] <= left:
            chosen.append(value)
            left -= int(frequencies[value])
    return chosen or [int(frequencies.argmin())]


def _retention_evidence(match: Match, column: str, claimed: SwappingClaim) -> Evidence:
    """Test how many rows of a set of values show a value outside it against the exact law.

    The sets are values that hold about half of the records, and each value alone; see `swapping_laws`. The
    two parts are averaged.
    """
    moves = _Moves(match, column, claimed.mechanism.retention)
    e_value = average([moves.of_set(_half(moves.frequencies)), moves.of_values()])
    apart = 1 - float(swapped_retention(claimed.mechanism.retention, match.rows))
    expected = apart * float(1 - ((moves.frequencies / match.rows) ** 2).sum())
    other = match.rows - int(moves.kept.sum())
    detail = (
        f"{other} of {match.rows} rows show another value: {other / match.rows:.4f}, claimed {expected:.4f}"
    )

    def power(level: Fraction) -> str:
        reached = _power(match, column, claimed, level)
        return f"{reached} instead of {claimed.mechanism.retention}, by rows that leave half of the values"

    return Evidence("retention", column, e_value, match.rows, detail, power)


def _power(match: Match, column: str, claimed: SwappingClaim, level: Fraction) -> SwapPower:
    frequencies = match.original.frequencies(column)
    members = int(frequencies[_half(frequencies)].sum())
    return swap_power(match.rows, members, claimed.mechanism.retention, level / _PARTS)


def _replacement_evidence(match: Match, column: str, claimed: SwappingClaim) -> Evidence | NotChecked:
    """Test how many rows leave each pair of values: whether some values swap among themselves."""
    moves = _Moves(match, column, claimed.mechanism.retention)
    size = len(moves.frequencies)
    if not 4 <= size <= _MOST_PAIRED:
        why = "two or three values say as much alone as in pairs" if size < 4 else "there are too many pairs"
        return NotChecked("replacement", column, why)
    pairs = size * (size - 1) // 2
    largest = int(np.sort(moves.frequencies)[-2:].sum())

    def power(level: Fraction) -> str:
        members = min(largest, match.rows - largest)
        reached = swap_power(match.rows, members, moves.keep, level / pairs)
        return f"rows that leave the two most frequent values as with {reached}"

    detail = f"rows that leave each of {pairs} pairs of values"
    return Evidence("replacement", column, moves.of_pairs(), match.rows, detail, power)


def _compared(first: Microdata, match: Match | None, second: Microdata, level: Fraction) -> Reuse:
    """Test a second release against the first, whose rows stand at the places of the same records.

    What the first shows is independent of the draws of the second. So it is a division of the second's rows
    that may be named: `swapping_laws.compared`. It needs the true values, and all rows in their places.
    """
    cells = [text_cells(table, table.columns, blank=True) for table in (first, second)]
    rows = min(table.row_count for table in (first, second))
    if cells[0].equals(cells[1]):
        return Reuse("same", rows, rows, None)
    other = None if match is None else matched(second, match.original, in_place=True)
    if match is None or other is None or not _whole(other):
        return Reuse("fresh", 0, 0, None)
    values: list[EValue] = []
    more = 0.0
    both = np.ones(rows, dtype=bool)
    for column in match.original.sensitive:
        e_value = compared(other, column, match.published[column])
        values += [] if e_value is None else [e_value]
        alike = match.published[column] == other.published[column]
        both &= alike
        more += int(alike.sum()) - _expected_alike(match, column)
    together = average(values) if values else None
    if together is None or not together.rejects(level):
        return Reuse("fresh", rows, int(both.sum()), together)
    return Reuse("shared" if more > 0 else "opposed", rows, int(both.sum()), together)


def _whole(match: Match) -> bool:
    """Return whether a table can be a swapped one, by its exact checks."""
    return (
        match.rows == match.original.table.row_count
        and all_records_check(match, in_place=True).passed
        and all(_histogram_check(match, column).passed for column in match.original.sensitive)
    )


def _expected_alike(match: Match, column: str) -> float:
    """Return how many rows two releases with independent draws show alike, about."""
    true, shown = match.true_values(column), match.published[column]
    _, counts = np.unique(np.stack([true, shown]), axis=1, return_counts=True)
    own, _ = np.unique(np.stack([true, shown]), axis=1)
    return float((counts**2 / match.original.frequencies(column)[own[0]]).sum())
