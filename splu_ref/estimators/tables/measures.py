"""Sums and means of a column of numbers by group, where the groups or the numbers are sensitive.

Each published record has the score prod_k (W_k t_k)(v_k), where t_k is a function of the true value in the
sensitive column k (the indicator of the group's set, or the number), W_k the inverse of that column's
transition matrix, and v_k the published value. The scores are unbiased for prod_k t_k of the true values, for
any dependence on other columns. So the sum of h times the score is unbiased for the sum of h prod_k t_k, for
any public number h of each record; the numbers summed are h or one of the t_k.

The variance estimate is that of independent records, sum h^2 (score^2 - W t^2), which is unbiased. SPLU-Gen's
matrix is computed from the published frequencies, whose variance is included: for one sensitive column h is
centered by its mean over all records, and the mean contributes the known variance of a published total.

The sums of a release of batches, each with a plan of its own, are those of its batches, added up.

The intervals are computed in `splu_ref.estimators.tables.reconciliation`.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import DataError, InputError, ParameterError, inverse
from splu_ref.data import Bins, RowRange, codes_in_domain, number, ordered, tally
from splu_ref.estimators.answers import BATCHES, IMPOSSIBLE, NO_INTERVAL
from splu_ref.estimators.linear.inversion import Inversion
from splu_ref.estimators.linear.transition import published_co_occurrence
from splu_ref.estimators.queries.conditions import Condition
from splu_ref.estimators.queries.query import selected
from splu_ref.estimators.tables.cells import (
    NO_ESTIMATE,
    PUBLIC,
    Cell,
    PublicGroups,
    Table,
    recodings,
    require_columns,
)
from splu_ref.estimators.tables.reconciliation import GroupSums, Measure, Quadratic, Rates, intervals
from splu_ref.mechanisms import Anatomy, FloatArray, RecordRandomizer, ReleaseData, SpluGens
from splu_ref.randomness import IntArray, SystemSource

METHOD = "inversion"
_ROUNDING = 1e-9
MOST_SUMS = 1 << 24
"""Largest number of groups times combinations of sensitive values."""


class _GroupMembership(NamedTuple):
    """Indicators of a sensitive column's groups, shape (values, groups)."""

    column: str
    names: tuple[str | None, ...]
    members: FloatArray


@dataclass(frozen=True, eq=False)
class _Inverse:
    """The inverse W of a sensitive column's transition matrix, and the variance of its published totals."""

    weights: FloatArray  # W, shape (published value, true value)
    frequencies: FloatArray  # f', shape (values,)
    # the variance of a published total sum_v f'_v t_v is t' spread t, shape (values, values); None for a
    # mechanism whose law does not depend on the published frequencies
    spread: FloatArray | None


def measure_table(
    release: ReleaseData,
    measure: Measure,
    column: str,
    by: Sequence[str],
    where: Sequence[tuple[str, Condition]] = (),
) -> Table:
    """Return the estimated sums or means of a column of numbers, by the values of other columns.

    Records whose cell is not a number, such as an empty cell, are excluded.

    Parameters
    ----------
    release
        The published table.
    measure
        ``sum`` or ``mean``.
    column
        The column of numbers, sensitive or not.
    by, where
        As for `count_table`.

    Raises
    ------
    DataError
        If there is no such column, it holds no numbers, or the release does not identify the sums.
    ParameterError
        For a column that is measured and named in ``by`` too, or too many groups.
    """
    groups = PublicGroups.of(release, by, where)
    require_columns(release, (column,))
    if column in by:
        raise ParameterError(f"{column!r} is measured: name other columns in --by")
    memberships = [
        _group_membership(release, name, by, dict(where))
        for name in release.sensitive
        if name in by or (name in dict(where) and name != column)
    ]
    quantity = f"{measure} of {column}"
    numeric = _numbers(release, column, dict(where))
    used = [one.column for one in memberships] + ([column] if column in release.domains else [])
    stated = release.attached_manifest
    batches = () if stated is None else stated.batch_rows(release.table)
    parts = [
        (replace(release, table=RowRange(release.table, rows)), groups.part(rows)) for rows in batches or ()
    ] or [(release, groups)]
    found = GroupSums.added(
        [_sums(*part, memberships, {name: _inverse(part[0], name) for name in used}, column, numeric)
         for part in parts]
    )  # fmt: skip
    rows = groups.counts.sum()
    if column not in release.domains:
        rows = groups.times[(groups.of_row >= 0) & ~np.isnan(numeric[_codes(release, column)])].sum()
    mechanism = release.mechanism
    has_interval = not isinstance(mechanism, SpluGens) or all(
        mechanism.for_column(name).plan == "mixed" for name in used
    )
    return Table(
        quantity=quantity,
        by=tuple(by),
        where=tuple(where),
        cells=tuple(
            _cells(found, measure, groups, memberships, by, has_interval=has_interval, exact=not used)
        ),
        totals=(),
        rows=int(rows),
        warning="; ".join(
            text
            for text, applies in ((BATCHES, used and batches is None), (NO_INTERVAL, not has_interval))
            if applies
        )
        or None,
    )


def _sums(
    release: ReleaseData,
    groups: PublicGroups,
    memberships: Sequence[_GroupMembership],
    inverses: Mapping[str, _Inverse],
    column: str,
    numbers: FloatArray,
) -> GroupSums:
    """Estimate the sums of a column, of whose values these are the numbers, by one plan."""
    _require(release, inverses, groups)
    if column in release.domains:
        return _of_sensitive(release, groups, memberships, inverses, column, numbers)
    return _of_public(release, groups, memberships, inverses, numbers[_codes(release, column)])


def _of_public(
    release: ReleaseData,
    groups: PublicGroups,
    memberships: Sequence[_GroupMembership],
    inverses: Mapping[str, _Inverse],
    numbers: FloatArray,
) -> GroupSums:
    """Estimate sums of public numbers over groups of sensitive values."""
    inside = (groups.of_row >= 0) & ~np.isnan(numbers)
    sizes = [len(inverses[one.column].frequencies) for one in memberships]
    shape = (len(groups.values), *sizes)
    codes = [groups.of_row[inside], *(_codes(release, one.column)[inside] for one in memberships)]
    cells = np.ravel_multi_index(codes, shape)
    values, times = numbers[inside], groups.times[inside]
    sums = [_added(cells, times * values**power, shape) for power in range(3)]
    scores = [inverses[one.column].weights @ one.members for one in memberships]
    squares = [score**2 for score in scores]  # and W t^2 is the score itself, as t is 0 or 1
    u0, u1, u2 = (_applied(part, squares) - _applied(part, scores) for part in sums)
    variance = Quadratic(u2, -2 * u1, u0)
    if len(memberships) == 1 and (spread := inverses[memberships[0].column].spread) is not None:
        own = inverses[memberships[0].column]
        members, [score] = memberships[0].members, scores
        fixed = own.frequencies @ (score**2 - score) + np.einsum("vg,vw,wg->g", members, spread, members)
        rows = release.table.row_count
        a, b = (part.sum(axis=1)[:, None] / rows for part in (sums[1], sums[0]))
        variance = Quadratic(
            u2 - 2 * a * u1 + a**2 * fixed,
            -2 * u1 + 2 * a * u0 + 2 * b * u1 - 2 * a * b * fixed,
            u0 - 2 * b * u0 + b**2 * fixed,
        )
    ends = [np.full(shape[0], fill) for fill in (np.inf, -np.inf, 0.0, 0.0)]
    np.minimum.at(ends[0], codes[0], values)
    np.maximum.at(ends[1], codes[0], values)
    np.add.at(ends[2], codes[0], times * np.minimum(values, 0))
    np.add.at(ends[3], codes[0], times * np.maximum(values, 0))
    total = _applied(sums[1], scores)
    drawn = _mean_squares(memberships, inverses, scores) - 1
    rates = [
        _rates_of_public(groups, memberships, codes[0], values, times, drawn, about_mean=each)
        for each in (False, True)
    ]
    wide = (-1, *(1 for _ in memberships))
    return GroupSums(
        total=total,
        records=_applied(sums[0], scores),
        variance=variance,
        sum_rates=rates[0],
        mean_rates=rates[1],
        published=_applied(sums[0], [one.members for one in memberships]),
        **{
            name: np.broadcast_to(end.reshape(wide), total.shape)
            for name, end in zip(("least", "greatest", "lowest", "highest"), ends, strict=True)
        },
    )


def _of_sensitive(
    release: ReleaseData,
    groups: PublicGroups,
    memberships: Sequence[_GroupMembership],
    inverses: Mapping[str, _Inverse],
    column: str,
    numbers: FloatArray,
) -> GroupSums:
    """Estimate sums of the numbers of a sensitive column."""
    inside = groups.of_row >= 0
    names = [*(one.column for one in memberships), column]
    shape = (len(groups.values), *(len(inverses[name].frequencies) for name in names))
    codes = [groups.of_row[inside], *(_codes(release, name)[inside] for name in names)]
    counts = _added(np.ravel_multi_index(codes, shape), groups.times[inside], shape)
    present = (~np.isnan(numbers)).astype(np.float64)
    value = np.where(present > 0, numbers, 0.0)
    own = inverses[column]
    score, one_score = own.weights @ value, own.weights @ present
    scores = [inverses[one.column].weights @ one.members for one in memberships]
    squares = [part**2 for part in scores]

    def added(counts: FloatArray, first: Sequence[FloatArray], last: FloatArray) -> FloatArray:
        return _applied(counts, [*first, last[:, None]])[..., 0]

    square = (score**2, -2 * score * one_score, one_score**2)
    own_square = tuple(own.weights @ part for part in (value**2, -2 * value, present))
    parts = [
        added(counts, squares, drawn) - added(counts, scores, true)
        for drawn, true in zip(square, own_square, strict=True)
    ]
    if not memberships and own.spread is not None:
        share = groups.counts / release.table.row_count
        pairs = ((value, value, 1), (value, present, -2), (present, present, 1))
        fixed = [
            own.frequencies @ (drawn - true) + times * float(one @ own.spread @ other)
            for drawn, true, (one, other, times) in zip(square, own_square, pairs, strict=True)
        ]
        parts = [(1 - 2 * share) * part + share**2 * each for part, each in zip(parts, fixed, strict=True)]
    some = numbers[present > 0]
    total = added(counts, scores, score)
    rates = [
        _rates_of_sensitive(own, value - middle * present, memberships, inverses, scores, total.shape)
        for middle in (0.0, float(np.average(value, weights=present * (own.frequencies + 1e-9))))
    ]
    rows = np.broadcast_to(groups.counts.reshape(-1, *(1 for _ in memberships)), total.shape)
    return GroupSums(
        total=total,
        records=added(counts, scores, one_score),
        variance=Quadratic(*parts),
        sum_rates=rates[0],
        mean_rates=rates[1],
        published=added(counts, [one.members for one in memberships], present),
        least=np.full(total.shape, some.min()),
        greatest=np.full(total.shape, some.max()),
        lowest=rows * min(0.0, float(some.min())),
        highest=rows * max(0.0, float(some.max())),
    )


def _mean_squares(
    memberships: Sequence[_GroupMembership], inverses: Mapping[str, _Inverse], scores: Sequence[FloatArray]
) -> FloatArray:
    """Return the mean square of the product of scores over the records of each group."""
    found = np.ones(())
    for one, score in zip(memberships, scores, strict=True):
        own = inverses[one.column]
        drawn = np.linalg.solve(own.weights, score**2)  # the inverse of W is the law of publication itself
        present = one.members * (own.frequencies[:, None] + 1e-9)
        found = found[..., None] * np.maximum((present * drawn).sum(axis=0) / present.sum(axis=0), 0.0)
    return found


def _rates_of_sensitive(
    own: _Inverse,
    numbers: FloatArray,
    memberships: Sequence[_GroupMembership],
    inverses: Mapping[str, _Inverse],
    scores: Sequence[FloatArray],
    shape: tuple[int, ...],
) -> Rates:
    """Return the variance rates of the numbers of a sensitive column."""
    if not memberships:
        return Rates(np.zeros(shape), np.zeros(shape))
    squares = np.linalg.solve(own.weights, (own.weights @ numbers) ** 2)
    drawn = _mean_squares(memberships, inverses, scores)[..., None] * squares - numbers**2
    found = Rates.of(np.broadcast_to(numbers, drawn.shape), drawn, own.frequencies)
    return Rates(*(np.broadcast_to(each, shape) for each in found))


def _rates_of_public(
    groups: PublicGroups,
    memberships: Sequence[_GroupMembership],
    group: IntArray,
    values: FloatArray,
    times: FloatArray,
    drawn: FloatArray,
    *,
    about_mean: bool,
) -> Rates:
    """Return the variance rates of public numbers, optionally centered by the mean of their group."""
    size = len(groups.values)
    records = np.bincount(group, weights=times, minlength=size)
    middle = np.bincount(group, weights=times * values, minlength=size) / np.maximum(records, 1)
    apart = values - middle[group] * about_mean
    shape = (-1, *(1 for _ in memberships))

    def rate(side: NDArray[np.bool_]) -> FloatArray:
        squares, sizes = (
            np.bincount(group[side], weights=times[side] * np.abs(apart[side]) ** power, minlength=size)
            for power in (2, 1)
        )
        each = np.divide(squares, sizes, out=np.zeros(size), where=sizes > 0)
        return np.asarray(each.reshape(shape) * np.maximum(drawn, 0.0))

    return Rates(rate(apart > 0), rate(apart < 0))


def _added(cells: IntArray, values: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Return the sums of values by cell."""
    found = np.bincount(cells, weights=values, minlength=prod(shape)).reshape(shape)
    return np.asarray(found, dtype=np.float64)


def _applied(cells: FloatArray, matrices: Sequence[FloatArray]) -> FloatArray:
    """Multiply each axis except the first by its matrix, shape (values, groups)."""
    for axis, matrix in enumerate(matrices, start=1):
        cells = np.moveaxis(np.tensordot(cells, matrix, axes=(axis, 0)), -1, axis)
    return np.asarray(cells, dtype=np.float64)


def _cells(
    found: GroupSums,
    measure: Measure,
    groups: PublicGroups,
    memberships: Sequence[_GroupMembership],
    by: Sequence[str],
    *,
    has_interval: bool,
    exact: bool,
) -> list[Cell]:
    value, error, low, high = intervals(found, measure)
    cells = []
    for place in np.ndindex(*value.shape):
        if not np.isfinite(found.least[place]):  # no record of the public group has a number
            continue
        cell_values: dict[str, str | None] = dict(zip(groups.columns, groups.values[place[0]], strict=True))
        cell_values |= {one.column: one.names[at] for one, at in zip(memberships, place[1:], strict=True)}
        least, greatest = found.least[place], found.greatest[place]
        whole = low[place] <= least and greatest <= high[place]
        nothing = least < greatest and (whole or found.records[place] <= 0)
        unknown = nothing and measure == "mean" and not exact
        beyond = max(low[place] - value[place], value[place] - high[place])
        outside = has_interval and beyond > _ROUNDING * abs(value[place])
        cells.append(
            Cell(
                values=tuple(cell_values[column] for column in by),
                estimate=float(value[place]),
                standard_error=float(error[place]) if has_interval else None,
                interval=(float(low[place]), float(high[place])) if has_interval else None,
                method=PUBLIC if exact else METHOD,
                published_count=round(float(found.published[place])),
                predicate_count=int(groups.counts[place[0]]),
                exact=exact,
                warning=NO_ESTIMATE if unknown else IMPOSSIBLE if outside else None,
            )
        )
    return cells


def _group_membership(
    release: ReleaseData, column: str, by: Sequence[str], where: Mapping[str, Condition]
) -> _GroupMembership:
    domain = release.domains[column]
    chosen = selected(column, where[column], domain) if column in where else range(len(domain))
    places = {value: place for place, value in enumerate(domain)}
    if column not in by:
        members = np.zeros((len(domain), 1))
        members[list(chosen), 0] = 1.0
        return _GroupMembership(column, (None,), members)
    names = ordered(domain[place] for place in chosen)
    members = np.zeros((len(domain), len(names)))
    members[[places[name] for name in names], range(len(names))] = 1.0
    return _GroupMembership(column, tuple(names), members)


def _numbers(release: ReleaseData, column: str, where: Mapping[str, Condition]) -> FloatArray:
    """Return the number of each value of a column, NaN for texts and values excluded by a condition."""
    domain = release.domains.get(column) or ordered(release.table.values(column))
    found = np.array([np.nan if (value := number(text)) is None else float(value) for text in domain])
    if column in release.domains and column in where:
        kept = selected(column, where[column], domain)
        found = np.where(np.isin(np.arange(len(domain)), kept), found, np.nan)
    if np.isnan(found).all():
        for step in recodings(release):
            if isinstance(step, Bins) and step.column == column:
                example = next((label for label in domain if step.limits(label)), domain[-1])
                raise DataError(
                    f"column {column!r} is published in bins of {step.width}, such as {example!r}, so its "
                    f"sums and means are not known: count its bins with --by {shlex.quote(column)}"
                )
        raise DataError(f"column {column!r} holds no numbers, but {domain[0]!r}: measure another column")
    return found


def _codes(release: ReleaseData, column: str) -> IntArray:
    domain = release.domains.get(column) or ordered(release.table.values(column))
    return codes_in_domain(release.table, column, domain)


def _inverse(release: ReleaseData, column: str) -> _Inverse:
    mechanism = release.mechanism
    if isinstance(mechanism, Anatomy):
        raise _unknown(mechanism.name)
    size = len(release.domains[column])
    frequencies = tally(_codes(release, column), size, release.table.counts)
    present = frequencies.astype(np.float64)
    if isinstance(mechanism, SpluGens):
        mechanism = mechanism.for_column(column)
        together = published_co_occurrence(frequencies, mechanism)
        if mechanism.draws.name == "all-or-none":
            raise DataError(
                f"sums and means of a release with draws {mechanism.draws} have no error that is known here: "
                "count with --by"
            )
        # Under capped draws the reported errors are those of independent draws, which are slightly larger.
        law = mechanism.record_law
        own, other = float(law.retention), (1 - float(law.retention)) / (law.gamma - 1)
        spread = (1 - (own - other) ** 2) * np.diag(present) - (
            2 * (own - other) * other + law.gamma * other**2
        ) * together
        try:
            weights = Inversion(together, present, law).weights
        except InputError:
            raise DataError(
                f"the release does not identify sums and means by {column!r}: some of its values share all "
                "their decoy groups, or one has N/gamma records; count with --by, or ask for a smaller gamma"
            ) from None
        return _Inverse(weights, present, spread)
    if not isinstance(mechanism, RecordRandomizer) or mechanism.pooled:
        raise _unknown(mechanism.name)
    rows = inverse(mechanism.channel(frequencies.astype(np.int64), SystemSource())).weights
    weights = np.array([[float(rows[one].get(other, 0)) for other in range(size)] for one in range(size)])
    return _Inverse(weights, present, None)


def _unknown(name: str) -> DataError:
    return DataError(
        f"sums and means of a release by {name} have no error that is known here: count with --by, or ask "
        "its publisher for one by SPLU-Gen or retention replacement"
    )


def _require(release: ReleaseData, inverses: Mapping[str, _Inverse], groups: PublicGroups) -> None:
    size = len(groups.values) * prod(len(own.frequencies) for own in inverses.values())
    if size > MOST_SUMS:
        raise ParameterError(f"{size} sums of numbers, above {MOST_SUMS}: name fewer columns in --by")
    mechanism = release.mechanism
    if len(inverses) > 1 and isinstance(mechanism, RecordRandomizer) and mechanism.compound:
        raise DataError(
            f"sums over {' and '.join(inverses)}, which are kept or replaced together, are not estimated "
            "here: name one of them"
        )
