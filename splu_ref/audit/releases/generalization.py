"""The checks of releases by perturbed generalization: its groups exactly, and the draws of each group."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np

from splu_ref.audit.e_values import average, rate_at_least, rate_at_most
from splu_ref.audit.power import rate_power
from splu_ref.audit.releases.claims import GeneralizationClaim
from splu_ref.audit.releases.detection_power import DetectionPower, of_generalized_groups
from splu_ref.audit.releases.exact_checks import domain_checks, manifest_rows_check
from splu_ref.audit.releases.findings import Check, Evidence, Finding, NotChecked, Reuse, TableFindings
from splu_ref.audit.releases.group_draws import PublishedGroups, evidence
from splu_ref.audit.releases.record_linkage import Original, text_cells
from splu_ref.channels import ParameterError
from splu_ref.data import Microdata, number
from splu_ref.mechanisms import BETWEEN, SIZE, Manifest, OrderedColumns, PerturbedGeneralization
from splu_ref.randomness import IntArray

MOST_COMPARED = 5_000
"""Groups of which each is compared with every other."""
_BLOCK, _MOST_DIGITS = 256, 18
_NEED_ORIGINAL = ("groups", "counts", "retention", "sample", "replacement", "independence")


def check_release(
    published: Microdata, claimed: GeneralizationClaim, original: Original | None, manifest: Manifest | None
) -> TableFindings:
    """Return the findings of the checks of the claim."""
    mechanism = claimed.mechanism
    found: list[Finding] = list(_exact(published, mechanism, manifest))
    whole = all(each.passed for each in found if isinstance(each, Check))
    compare = partial(_compared, published, mechanism)
    if original is None:
        found += [_share_evidence(published, mechanism)] if whole else []
        found += [NotChecked(name, None, "this needs the original") for name in _NEED_ORIGINAL]
        return TableFindings(found, compare)
    same = _groups_check(published, mechanism, original) if whole else None
    found += [] if same is None else [same]
    if same is None or not same.passed:
        why = "the rows are not the groups of the original, or hold what no release does"
        found += [NotChecked(name, None, why) for name in _NEED_ORIGINAL[1 if whole else 0 :]]
        return TableFindings(found, compare)
    groups = PublishedGroups.of(published, mechanism, original)
    found += evidence(groups)

    def power(level: Fraction) -> tuple[DetectionPower, ...]:
        low, high, halfway = groups.detected(level)
        first, count = groups.first_detected(level), len(groups.shown)
        return (
            of_generalized_groups(
                mechanism.column, mechanism.retention, count, low, high, halfway=halfway, first=first
            ),
        )

    return TableFindings(found, compare, None, power)


def _exact(
    published: Microdata, mechanism: PerturbedGeneralization, manifest: Manifest | None
) -> Iterator[Finding]:
    yield from manifest_rows_check(published, manifest)
    wanted, rows = {*mechanism.quasi, mechanism.column, SIZE}, published.row_count
    named = set(published.columns) == wanted
    words = f"the columns are {'' if named else 'not '}the ranges, the sensitive one and {SIZE}"
    yield Check("columns", None, named, words, rows)
    yield from domain_checks(published, {mechanism.column: mechanism.values})
    if not named:
        return
    small = sum(not _reaches(size, mechanism.least) for size in published.cells(SIZE))
    detail = f"{small} rows are of no group of {mechanism.least} records or more"
    yield Check("sizes", None, not small, detail, rows)
    yield _ranges_check(published, mechanism)


def _reaches(size: str, least: int) -> bool:
    return size.isascii() and size.isdecimal() and len(size) <= _MOST_DIGITS and int(size) >= least


def _ranges_check(published: Microdata, mechanism: PerturbedGeneralization) -> Check:
    """Check that every range is one, and that no record could be in two groups.

    Two groups were parted by a cut, which leaves their ranges in that column apart.
    """
    rows = published.row_count
    ends = [_ends(published.cells(name), numeric=name in mechanism.numbers) for name in mechanism.quasi]
    odd = np.zeros(rows, dtype=np.bool_)
    for low, high in ends:
        odd |= (low < 0) | (low > high)
    detail = f"{int(odd.sum())} rows hold what is no range"
    if rows > MOST_COMPARED:
        return Check(
            "ranges", None, not odd.any(), f"{detail}; above {MOST_COMPARED} rows are not compared", rows
        )
    overlapping = 0
    for start in range(0, rows, _BLOCK):
        block = slice(start, start + _BLOCK)
        both = np.ones((len(range(rows)[block]), rows), dtype=np.bool_)
        for low, high in ends:
            both &= (low[block, None] <= high[None, :]) & (low[None, :] <= high[block, None])
        overlapping += int(both.sum()) - len(both)
    detail += f", {overlapping // 2} pairs of groups could hold the same record"
    return Check("ranges", None, not odd.any() and overlapping <= 0, detail, rows)


def _ends(cells: list[str], *, numeric: bool) -> tuple[IntArray, IntArray]:
    """Return the ranks of the least and greatest value of each cell, -1 for what is no number."""
    pairs = [(low, high if between else low) for low, between, high in (c.partition(BETWEEN) for c in cells)]
    values = sorted({end for pair in pairs for end in pair})
    sizes = {end: number(end) if numeric else Decimal(0) for end in values}
    ordered = sorted((size, end) for end, size in sizes.items() if size is not None)
    ranks = {end: rank for rank, (_, end) in enumerate(ordered)}
    low, high = (np.array([ranks.get(end, -1) for end in side]) for side in zip(*pairs, strict=True))
    # what is no number is no range, whichever end it stands at
    return np.where(high < 0, -1, low), high


def _groups_check(published: Microdata, mechanism: PerturbedGeneralization, original: Original) -> Check:
    """Check that the rows are the groups of the original: ranges and sizes, one by one, in their order."""
    rows = published.row_count
    try:
        ordered = OrderedColumns(original.table, mechanism.quasi, mechanism.numbers)
        groups = ordered.groups(mechanism.least)
    except ParameterError as error:
        return Check("groups", None, False, f"the original has none: {error}", rows)
    columns = [*ordered.ranges(groups), [str(size) for size in np.bincount(groups).tolist()]]
    shown = text_cells(published, [*mechanism.quasi, SIZE], blank=True)
    wanted, seen = list(zip(*columns, strict=True)), list(shown.iter_rows())
    different = sum(one != other for one, other in zip(wanted, seen, strict=False))
    detail = (
        f"{len(wanted)} groups of the original, {rows} rows, {different} of which have another range or size"
    )
    return Check("groups", None, wanted == seen, detail, rows)


def _share_evidence(published: Microdata, mechanism: PerturbedGeneralization) -> Evidence:
    """Test how many groups show each value against the least and the largest chance of any group."""
    rows, law, size = published.row_count, mechanism.law, len(mechanism.values)
    cells = published.cells(mechanism.column)
    found = [cells.count(value) for value in mechanism.values]
    most = law.retention + law.absent_probability
    values = [rate_at_most(rows, count, most) for count in found]
    values += [rate_at_least(rows, count, law.absent_probability) for count in found]
    detail = f"{size} published shares, from {min(found) / rows:.4f} to {max(found) / rows:.4f}"

    def power(level: Fraction) -> str:
        part = level / (2 * size)
        powers = (
            rate_power(rate_at_most, rows, most, part),
            rate_power(rate_at_least, rows, law.absent_probability, part),
        )
        return f"a value's published share: {powers[0]}; {powers[1]}"

    return Evidence("share", mechanism.column, average(values), rows, detail, power)


def _compared(
    first: Microdata, mechanism: PerturbedGeneralization, second: Microdata, level: Fraction
) -> Reuse:
    """Test the values of a second release against the first, group by group.

    Two draws of one group agree with the sum of the squares of the chances of all values: at least 1/m, and
    at most that of a group whose records all have one value.
    """
    names = [*mechanism.quasi, mechanism.column, SIZE]
    for name in names:
        first.require(name)
    one, two = (list(text_cells(table, names, blank=True).iter_rows()) for table in (first, second))
    if sorted(one) == sorted(two):
        return Reuse("same", len(one), len(one), None)
    place = len(mechanism.quasi)
    known = {row[:place]: row[place] for row in two}
    linked = [(row[place], known[row[:place]]) for row in one if row[:place] in known]
    agreeing = sum(mine == other for mine, other in linked)
    if not linked:
        return Reuse("unlinked", 0, 0, None)
    law = mechanism.law
    least = Fraction(1, law.values)
    most = (law.retention + law.absent_probability) ** 2 + (law.values - 1) * law.absent_probability**2
    e_value = average(
        [rate_at_most(len(linked), agreeing, most), rate_at_least(len(linked), agreeing, least)]
    )
    if not e_value.rejects(level):
        return Reuse("fresh", len(linked), agreeing, e_value)
    many = agreeing > len(linked) * (least + most) / 2
    return Reuse("shared" if many else "opposed", len(linked), agreeing, e_value)
