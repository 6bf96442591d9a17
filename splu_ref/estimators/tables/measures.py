"""Sums and means of a column of numbers by group, where the groups or the numbers are sensitive.

Give each published record the score prod_k (W_k t_k)(v_k), with t_k what is asked of its true value in the
sensitive column k (1 if it is in the group's set, or its number), W_k the inverse of that column's transition
matrix, and v_k its published value. The scores are unbiased for prod_k t_k of the true values, whatever the
other columns have to do with them. So the sum of h times the score over records is unbiased for the sum of
h prod_k t_k, for any public number h of each record; a sum of numbers has them in h, or in t_k.

Its variance is that of independent records, sum h^2 (score^2 - W t^2), which is unbiased too. SPLU-Gen's
matrix is made of the published frequencies, which scatter along: of one sensitive column h is taken less its
mean over all records then, and the mean itself adds the variance of a published total, which is known.

The ends of the intervals are in `splu_ref.estimators.tables.adding_up`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import DataError, InputError, ParameterError, inverse
from splu_ref.data import codes_in_domain, number, tally
from splu_ref.estimators.answers import NO_INTERVAL
from splu_ref.estimators.linear.inversion import Inversion
from splu_ref.estimators.linear.transition import published_co_occurrence
from splu_ref.estimators.queries.conditions import Condition
from splu_ref.estimators.queries.query import selected
from splu_ref.estimators.tables.adding_up import Found, Measure, Quadratic, Rates, intervals
from splu_ref.estimators.tables.cells import PUBLIC, Cell, Groups, Table, ordered, require_columns
from splu_ref.mechanisms import Anatomy, FloatArray, RecordRandomizer, ReleaseData, SpluGens
from splu_ref.randomness import IntArray, SystemSource

METHOD = "inversion"
MOST_SUMS = 1 << 24
"""Groups times combinations of sensitive values whose numbers are added up, at most."""


class _Asked(NamedTuple):
    """What is asked of a sensitive column's true value, a column for each group: shape (values, groups)."""

    column: str
    names: tuple[str | None, ...]
    members: FloatArray


@dataclass(frozen=True, eq=False)
class _Inverse:
    """The inverse W of a sensitive column's transition, and what its published totals vary by.

    Attributes
    ----------
    weights
        W, shape (published value, true value).
    frequencies
        f', shape (values,).
    spread
        The variance of a published total sum_v f'_v t_v is t' spread t, shape (values, values); None for a
        mechanism whose law does not depend on the published frequencies.
    """

    weights: FloatArray
    frequencies: FloatArray
    spread: FloatArray | None


def measure_table(
    release: ReleaseData,
    measure: Measure,
    column: str,
    by: Sequence[str],
    where: Sequence[tuple[str, Condition]] = (),
) -> Table:
    """Return the estimated sums or means of a column of numbers, by the values of other columns.

    Records whose cell is no number, as one without content, are in no sum and no mean.

    Parameters
    ----------
    release
        The published table.
    measure
        What is estimated.
    column
        The column of numbers, sensitive or not.
    by, where
        As for `count_table`.

    Raises
    ------
    DataError
        If there is no such column, it holds no numbers, or the release does not tell what is asked.
    ParameterError
        For a column that is measured and named in ``by`` too, or too many groups.
    """
    groups = Groups.of(release, by, where)
    require_columns(release, (column,))
    if column in by:
        raise ParameterError(f"{column!r} is measured: name other columns in --by")
    asked = [
        _asked(release, name, by, dict(where))
        for name in release.sensitive
        if name in by or (name in dict(where) and name != column)
    ]
    quantity = f"{measure} of {column}"
    numeric = _numbers(release, column, dict(where))
    used = [one.column for one in asked] + ([column] if column in release.domains else [])
    inverses = {name: _inverse(release, name) for name in used}
    _require(release, used, inverses, groups)
    found = (
        _of_sensitive(release, groups, asked, inverses, column, numeric)
        if column in release.domains
        else _of_public(release, groups, asked, inverses, numeric[_codes(release, column)])
    )
    mechanism = release.mechanism
    known = not isinstance(mechanism, SpluGens) or all(
        mechanism.for_column(name).plan == "mixed" for name in used
    )
    return Table(
        quantity=quantity,
        by=tuple(by),
        where=tuple(where),
        cells=tuple(_cells(found, measure, groups, asked, by, known=known, exact=not used)),
        totals=(),
        rows=int(groups.counts.sum()),
        warning=None if known else NO_INTERVAL,
    )


def _of_public(
    release: ReleaseData,
    groups: Groups,
    asked: Sequence[_Asked],
    inverses: Mapping[str, _Inverse],
    numbers: FloatArray,
) -> Found:
    """Add up numbers that are public, of records in groups that are not."""
    inside = (groups.of_row >= 0) & ~np.isnan(numbers)
    sizes = [len(inverses[one.column].frequencies) for one in asked]
    shape = (len(groups.values), *sizes)
    codes = [groups.of_row[inside], *(_codes(release, one.column)[inside] for one in asked)]
    cells = np.ravel_multi_index(codes, shape)
    values, times = numbers[inside], groups.times[inside]
    sums = [_added(cells, times * values**power, shape) for power in range(3)]
    scores = [inverses[one.column].weights @ one.members for one in asked]
    squares = [score**2 for score in scores]  # and W t^2 is the score itself, as t is 0 or 1
    u0, u1, u2 = (_applied(part, squares) - _applied(part, scores) for part in sums)
    variance = Quadratic(u2, -2 * u1, u0)
    if len(asked) == 1 and (spread := inverses[asked[0].column].spread) is not None:
        own = inverses[asked[0].column]
        members, [score] = asked[0].members, scores
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
    drawn = _mean_squares(asked, inverses, scores) - 1
    rates = [
        _rates_of_public(groups, asked, codes[0], values, times, drawn, about_mean=each)
        for each in (False, True)
    ]
    wide = (-1, *(1 for _ in asked))
    return Found(
        total=total,
        records=_applied(sums[0], scores),
        variance=variance,
        sum_rates=rates[0],
        mean_rates=rates[1],
        published=_applied(sums[0], [one.members for one in asked]),
        **{
            name: np.broadcast_to(end.reshape(wide), total.shape)
            for name, end in zip(("least", "greatest", "lowest", "highest"), ends, strict=True)
        },
    )


def _of_sensitive(
    release: ReleaseData,
    groups: Groups,
    asked: Sequence[_Asked],
    inverses: Mapping[str, _Inverse],
    column: str,
    numbers: FloatArray,
) -> Found:
    """Add up the numbers of a sensitive column."""
    inside = groups.of_row >= 0
    names = [*(one.column for one in asked), column]
    shape = (len(groups.values), *(len(inverses[name].frequencies) for name in names))
    codes = [groups.of_row[inside], *(_codes(release, name)[inside] for name in names)]
    counts = _added(np.ravel_multi_index(codes, shape), groups.times[inside], shape)
    held = (~np.isnan(numbers)).astype(np.float64)
    value = np.where(held > 0, numbers, 0.0)
    own = inverses[column]
    score, one_score = own.weights @ value, own.weights @ held
    scores = [inverses[one.column].weights @ one.members for one in asked]
    squares = [part**2 for part in scores]

    def added(counts: FloatArray, first: Sequence[FloatArray], last: FloatArray) -> FloatArray:
        return _applied(counts, [*first, last[:, None]])[..., 0]

    square = (score**2, -2 * score * one_score, one_score**2)
    own_square = tuple(own.weights @ part for part in (value**2, -2 * value, held))
    parts = [
        added(counts, squares, drawn) - added(counts, scores, true)
        for drawn, true in zip(square, own_square, strict=True)
    ]
    if not asked and own.spread is not None:
        share = groups.counts / release.table.row_count
        pairs = ((value, value, 1), (value, held, -2), (held, held, 1))
        fixed = [
            own.frequencies @ (drawn - true) + times * float(one @ own.spread @ other)
            for drawn, true, (one, other, times) in zip(square, own_square, pairs, strict=True)
        ]
        parts = [(1 - 2 * share) * part + share**2 * each for part, each in zip(parts, fixed, strict=True)]
    some = numbers[held > 0]
    total = added(counts, scores, score)
    rates = [
        _rates_of_sensitive(own, value - middle * held, asked, inverses, scores, total.shape)
        for middle in (0.0, float(np.average(value, weights=held * (own.frequencies + 1e-9))))
    ]
    rows = np.broadcast_to(groups.counts.reshape(-1, *(1 for _ in asked)), total.shape)
    return Found(
        total=total,
        records=added(counts, scores, one_score),
        variance=Quadratic(*parts),
        sum_rates=rates[0],
        mean_rates=rates[1],
        published=added(counts, [one.members for one in asked], held),
        least=np.full(total.shape, some.min()),
        greatest=np.full(total.shape, some.max()),
        lowest=rows * min(0.0, float(some.min())),
        highest=rows * max(0.0, float(some.max())),
    )


def _mean_squares(
    asked: Sequence[_Asked], inverses: Mapping[str, _Inverse], scores: Sequence[FloatArray]
) -> FloatArray:
    """Return the mean square of the product of scores over the records of each group."""
    found = np.ones(())
    for one, score in zip(asked, scores, strict=True):
        own = inverses[one.column]
        drawn = np.linalg.solve(own.weights, score**2)  # the inverse of W is the law of publication itself
        held = one.members * (own.frequencies[:, None] + 1e-9)
        found = found[..., None] * np.maximum((held * drawn).sum(axis=0) / held.sum(axis=0), 0.0)
    return found


def _rates_of_sensitive(
    own: _Inverse,
    numbers: FloatArray,
    asked: Sequence[_Asked],
    inverses: Mapping[str, _Inverse],
    scores: Sequence[FloatArray],
    shape: tuple[int, ...],
) -> Rates:
    """Return the rates of the numbers of a sensitive column; none where all records of a group are known."""
    if not asked:
        return Rates(np.zeros(shape), np.zeros(shape))
    squares = np.linalg.solve(own.weights, (own.weights @ numbers) ** 2)
    drawn = _mean_squares(asked, inverses, scores)[..., None] * squares - numbers**2
    found = Rates.of(np.broadcast_to(numbers, drawn.shape), drawn, own.frequencies)
    return Rates(*(np.broadcast_to(each, shape) for each in found))


def _rates_of_public(
    groups: Groups,
    asked: Sequence[_Asked],
    group: IntArray,
    values: FloatArray,
    times: FloatArray,
    drawn: FloatArray,
    *,
    about_mean: bool,
) -> Rates:
    """Return the rates of numbers that are public, less the mean of their group if that is said."""
    size = len(groups.values)
    records = np.bincount(group, weights=times, minlength=size)
    middle = np.bincount(group, weights=times * values, minlength=size) / np.maximum(records, 1)
    apart = values - middle[group] * about_mean
    shape = (-1, *(1 for _ in asked))

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
    """Multiply each axis but the first by its matrix, shape (values, groups)."""
    for axis, matrix in enumerate(matrices, start=1):
        cells = np.moveaxis(np.tensordot(cells, matrix, axes=(axis, 0)), -1, axis)
    return np.asarray(cells, dtype=np.float64)


def _cells(
    found: Found,
    measure: Measure,
    groups: Groups,
    asked: Sequence[_Asked],
    by: Sequence[str],
    *,
    known: bool,
    exact: bool,
) -> list[Cell]:
    value, error, low, high = intervals(found, measure)
    cells = []
    for place in np.ndindex(*value.shape):
        if not np.isfinite(found.least[place]):  # no record of the public group has a number
            continue
        told: dict[str, str | None] = dict(zip(groups.columns, groups.values[place[0]], strict=True))
        told |= {one.column: one.names[at] for one, at in zip(asked, place[1:], strict=True)}
        cells.append(
            Cell(
                values=tuple(told[column] for column in by),
                estimate=float(value[place]),
                standard_error=float(error[place]) if known else None,
                interval=(float(low[place]), float(high[place])) if known else None,
                method=PUBLIC if exact else METHOD,
                published_count=round(float(found.published[place])),
                predicate_count=int(groups.counts[place[0]]),
                exact=exact,
            )
        )
    return cells


def _asked(release: ReleaseData, column: str, by: Sequence[str], where: Mapping[str, Condition]) -> _Asked:
    domain = release.domains[column]
    chosen = selected(column, where[column], domain) if column in where else range(len(domain))
    places = {value: place for place, value in enumerate(domain)}
    if column not in by:
        members = np.zeros((len(domain), 1))
        members[list(chosen), 0] = 1.0
        return _Asked(column, (None,), members)
    names = ordered(domain[place] for place in chosen)
    members = np.zeros((len(domain), len(names)))
    members[[places[name] for name in names], range(len(names))] = 1.0
    return _Asked(column, tuple(names), members)


def _numbers(release: ReleaseData, column: str, where: Mapping[str, Condition]) -> FloatArray:
    """Return the number of each value of a column, NaN for others and for those that are left out."""
    domain = release.domains.get(column) or ordered(release.table.values(column))
    found = np.array([np.nan if (value := number(text)) is None else float(value) for text in domain])
    if column in release.domains and column in where:
        kept = selected(column, where[column], domain)
        found = np.where(np.isin(np.arange(len(domain)), kept), found, np.nan)
    if np.isnan(found).all():
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
    held = frequencies.astype(np.float64)
    if isinstance(mechanism, SpluGens):
        mechanism = mechanism.for_column(column)
        together = published_co_occurrence(frequencies, mechanism)
        if mechanism.draws.name == "all-or-none":
            raise DataError(
                f"sums and means of a release with draws {mechanism.draws} have no error that is known here: "
                "count with --by"
            )
        # Under capped draws the errors stated are those of independent ones, which are a little larger.
        law = mechanism.record_law
        own, other = float(law.retention), (1 - float(law.retention)) / (law.gamma - 1)
        spread = (1 - (own - other) ** 2) * np.diag(held) - (
            2 * (own - other) * other + law.gamma * other**2
        ) * together
        try:
            weights = Inversion(together, held, law).weights
        except InputError:
            raise DataError(
                f"the release tells no sums and means by {column!r}: some of its values share all their "
                "decoy groups, or one has N/gamma records; count with --by, or ask for a smaller gamma"
            ) from None
        return _Inverse(weights, held, spread)
    if not isinstance(mechanism, RecordRandomizer) or mechanism.pooled:
        raise _unknown(mechanism.name)
    rows = inverse(mechanism.channel(frequencies.astype(np.int64), SystemSource())).weights
    weights = np.array([[float(rows[one].get(other, 0)) for other in range(size)] for one in range(size)])
    return _Inverse(weights, held, None)


def _unknown(name: str) -> DataError:
    return DataError(
        f"sums and means of a release by {name} have no error that is known here: count with --by, or ask "
        "its publisher for one by SPLU-Gen or retention replacement"
    )


def _require(
    release: ReleaseData, used: Sequence[str], inverses: Mapping[str, _Inverse], groups: Groups
) -> None:
    size = len(groups.values) * prod(len(inverses[name].frequencies) for name in used)
    if size > MOST_SUMS:
        raise ParameterError(f"{size} sums of numbers, above {MOST_SUMS}: name fewer columns in --by")
    mechanism = release.mechanism
    if len(used) > 1 and isinstance(mechanism, RecordRandomizer) and mechanism.compound:
        raise DataError(
            f"sums over {' and '.join(used)}, which are kept or replaced together, are not estimated here: "
            "name one of them"
        )
