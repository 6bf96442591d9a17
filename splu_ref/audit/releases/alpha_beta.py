"""The checks of releases by the alpha-beta algorithm."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import combinations
from math import prod

import numpy as np

from splu_ref.audit.e_values import EValue, average, counts_point, rate_at_least, rate_at_most
from splu_ref.audit.power import MeanPower, mean_power, rate_power, scaled_count
from splu_ref.audit.releases.claims import AlphaBetaClaim
from splu_ref.audit.releases.detection_power import DetectionPower, of_tuples
from splu_ref.audit.releases.exact_checks import domain_checks, manifest_rows_check, schema_check
from splu_ref.audit.releases.findings import Check, Evidence, Finding, NotChecked, Reuse, TableFindings
from splu_ref.audit.releases.pooling import (
    by_cells,
    by_place,
    independent_product,
    mean_log,
    point_logs,
    renumbered,
)
from splu_ref.audit.releases.record_linkage import Original, first_alike, text_ranks
from splu_ref.audit.releases.row_order import order_evidence
from splu_ref.data import Microdata
from splu_ref.mechanisms import Manifest
from splu_ref.randomness import IntArray

_LARGEST_PAIR = 400
"""Cells of the largest table of two columns over which fakes are counted."""
_NEED_ORIGINAL = ("schema", "genuine", "independence", "fakes", "spread")


@dataclass(frozen=True)
class _Sets:
    """A published set of tuples and the original's."""

    # codes of the published tuples by column, each of shape (rows,), in the order of the rows
    codes: dict[str, IntArray]
    # codes of the original's distinct tuples by column, each of shape (n,), in the order of its file
    members: dict[str, IntArray]
    place: IntArray  # which of them each published tuple is, shape (rows,); -1 for a fake
    shown: IntArray  # whether each tuple of the original is published, shape (n,)
    sizes: dict[str, int]  # values of each column's domain

    @classmethod
    def of(cls, published: Microdata, original: Microdata, claimed: AlphaBetaClaim) -> _Sets:
        tables = [claimed.mechanism.numbered(table) for table in (published, original)]
        seen: dict[int, int] = {}
        firsts = [
            row for row, number in enumerate(tables[1][1].tolist()) if seen.setdefault(number, row) == row
        ]
        order = {int(tables[1][1][row]): place for place, row in enumerate(firsts)}
        place = np.array([order.get(number, -1) for number in tables[0][1].tolist()], dtype=np.int64)
        shown = np.zeros(len(firsts), dtype=np.int64)
        shown[place[place >= 0]] = 1
        return cls(
            {column: tables[0][0].codes(column) for column in claimed.columns},
            {column: tables[1][0].codes(column)[firsts] for column in claimed.columns},
            place,
            shown,
            {column: len(domain) for column, domain in claimed.mechanism.domains},
        )

    @property
    def fakes(self) -> int:
        """How many published tuples are not of the original."""
        return int((self.place < 0).sum())


def check_release(
    published: Microdata, claimed: AlphaBetaClaim, original: Original | None, manifest: Manifest | None
) -> TableFindings:
    """Return the findings of the checks of the claim."""
    found = list(_exact(published, claimed, manifest))
    whole = all(each.passed for each in found)
    if original is None:
        found_too: list[Finding] = [*found]
        found_too += _without_original(published, claimed) if whole else ()
        found_too += [NotChecked(name, None, "this needs the original") for name in _NEED_ORIGINAL]
        return TableFindings(found_too, partial(_compared, published, claimed, None))
    schema = schema_check(published, original.table)
    every: list[Finding] = [schema, *found]
    if not (whole and isinstance(schema, Check) and schema.passed):
        why = "the columns, or the values, are not those of the domains, or rows repeat others"
        every += [NotChecked(name, None, why) for name in (*_NEED_ORIGINAL[1:], "shuffle")]
        return TableFindings(every, partial(_compared, published, claimed, None))
    sets = _Sets.of(published, original.table, claimed)
    every += _with_original(sets, claimed)

    def power(level: Fraction) -> tuple[DetectionPower, ...]:
        known, kept = len(sets.shown), claimed.retention
        own = None if kept == 1 else rate_power(counts_point, known, kept, level)
        return (of_tuples(", ".join(claimed.columns), kept, known, own, _fakes_power(sets, claimed, level)),)

    return TableFindings(every, partial(_compared, published, claimed, sets), int(sets.shown.sum()), power)


def _exact(published: Microdata, claimed: AlphaBetaClaim, manifest: Manifest | None) -> Iterator[Check]:
    yield from manifest_rows_check(published, manifest)
    rows, columns = published.row_count, claimed.columns
    named = sorted(published.columns) == sorted(columns)
    words = (
        "the columns are those that have a domain"
        if named
        else "the columns are not those that have a domain"
    )
    yield Check("columns", None, named, words, rows)
    yield from domain_checks(published, dict(claimed.mechanism.domains))
    if named:
        ranks = (text_ranks([published], column, blank=True)[0] for column in columns)
        repeated = rows - len(np.unique(first_alike(ranks, rows)))
        yield Check("distinct", None, not repeated, f"{repeated} rows repeat another: a set has none", rows)


def _without_original(published: Microdata, claimed: AlphaBetaClaim) -> Iterator[Finding]:
    yield from _size_evidence(published, claimed)
    marks = (text_ranks([published], column, blank=True)[0] for column in published.columns)
    yield order_evidence(
        marks,
        (),
        2,
        published.row_count,
        "order of the rows by every column",
        "rows in the order of a column",
    )


def _size_evidence(published: Microdata, claimed: AlphaBetaClaim) -> Iterator[Finding]:
    """Test the rows with each value against the least that fakes alone are, and the most that is published.

    Whatever the original is, each tuple of the domain is published with beta or alpha + beta, independently.
    So of the tuples with a value the published ones are at least Bin(tuples, beta), and at most Bin(tuples,
    alpha + beta): `scaled_count`. All values of all columns, the whole table and both sides are averaged.
    """
    mechanism, rows = claimed.mechanism, published.row_count
    if not mechanism.beta:
        yield NotChecked("size", None, "with beta = 0 every number of rows is possible")
        return
    parts = [(mechanism.size, rows)]
    table, _ = mechanism.numbered(published)
    for column, domain in mechanism.domains:
        counts = np.bincount(table.codes(column), minlength=len(domain))
        parts += [(mechanism.size // len(domain), count) for count in counts.tolist()]
    beta, most = mechanism.beta, claimed.retention
    values = [scaled_count(trials, count, beta, "fewer") for trials, count in parts]
    if most < 1:
        values += [scaled_count(trials, count, most, "more") for trials, count in parts]
    else:
        values += [EValue(0.0)] * len(parts)

    def power(level: Fraction) -> str:
        reached = mean_power(mechanism.size, beta, level / len(values), "fewer")
        return f"rows of the table: {reached}, the least number if nothing is genuine"

    detail = f"{rows} rows; fakes alone are {float(mechanism.size * beta):.6g} on average at least"
    yield Evidence("size", None, average(values), rows, detail, power)


def _with_original(sets: _Sets, claimed: AlphaBetaClaim) -> Iterator[Finding]:
    known, shown, rows = len(sets.shown), int(sets.shown.sum()), len(sets.place)
    if claimed.retention == 1:
        detail = f"{known - shown} of {known} tuples of the original are missing, and all are to be published"
        yield Check("genuine", None, shown == known, detail, rows)
        yield NotChecked("independence", None, "every tuple of the original is to be published")
    else:
        yield _genuine_evidence(sets, claimed)
        yield _independence_evidence(sets, claimed)
    others = claimed.mechanism.size - known
    if not claimed.mechanism.beta or not others:
        why = "beta is 0" if others else "the original holds the whole domain"
        yield Check("fakes", None, not sets.fakes, f"{sets.fakes} fakes, where {why}", rows)
        yield NotChecked("spread", None, why)
    else:
        yield _fakes_evidence(sets, claimed)
        yield _spread_evidence(sets, claimed)
    marks = [(sets.place >= 0).astype(np.int64), sets.place, *sets.codes.values()]
    words = "order of the rows by whether they are genuine, by the original's order, and by every column"
    yield order_evidence(marks, (), 2, rows, words, "rows in the order of a column")


def _genuine_evidence(sets: _Sets, claimed: AlphaBetaClaim) -> Evidence:
    """Test how many tuples of the original are published against Bin(n, alpha + beta)."""
    known, shown = len(sets.shown), int(sets.shown.sum())

    def power(level: Fraction) -> str:
        return str(rate_power(counts_point, known, claimed.retention, level))

    detail = (
        f"{shown} of {known} tuples of the original are published: {shown / known:.4f}, claimed "
        f"{float(claimed.retention):.4f}"
    )
    return Evidence("genuine", None, counts_point(known, shown, claimed.retention), known, detail, power)


def _independence_evidence(sets: _Sets, claimed: AlphaBetaClaim) -> Evidence:
    """Test which tuples of the original are published against independent coins, in divisions of them.

    By their place in the original and by the values of each column. The parts of a division are independent
    and multiplied; the divisions of a family and the families are averaged.
    """
    known, parts = len(sets.shown), 8
    families = [by_place(np.arange(known), known), *(by_cells(codes) for codes in sets.members.values())]
    logs = []
    divisions = 0
    for family in families:
        found = [_coins_log(renumbered(division), sets.shown, claimed.retention) for division in family]
        divisions += len(found)
        logs.append(mean_log(found))

    def power(level: Fraction) -> str:
        share = level / (9 * parts * divisions)
        reached = rate_power(counts_point, known // parts, claimed.retention, share)
        return f"one of {parts} parts of the original, by place or a column: {reached}"

    detail = f"which tuples of the original are published, in {divisions} divisions of them"
    return Evidence("independence", None, EValue(mean_log(logs) / math.log(10)), known, detail, power)


def _coins_log(part: IntArray, shown: IntArray, rate: Fraction) -> float:
    trials = np.bincount(part)
    successes = np.bincount(part, weights=shown).astype(np.int64)
    return independent_product(point_logs(trials, successes, rate))


def _fakes_evidence(sets: _Sets, claimed: AlphaBetaClaim) -> Evidence:
    """Test how many other tuples are published against Bin(m - n, beta)."""
    others, beta = claimed.mechanism.size - len(sets.shown), claimed.mechanism.beta

    def power(level: Fraction) -> str:
        return str(_fakes_power(sets, claimed, level))

    detail = (
        f"{sets.fakes} tuples that are not of the original, claimed {float(others * beta):.6g} on average"
    )
    return Evidence("fakes", None, scaled_count(others, sets.fakes, beta), sets.fakes, detail, power)


def _fakes_power(sets: _Sets, claimed: AlphaBetaClaim, level: Fraction) -> MeanPower | None:
    others, beta = claimed.mechanism.size - len(sets.shown), claimed.mechanism.beta
    return mean_power(others, beta, level) if others and beta else None


def _spread_evidence(sets: _Sets, claimed: AlphaBetaClaim) -> Evidence:
    """Test the fakes against a uniform choice of tuples that are not of the original.

    Given their number K, they are drawn without replacement: those with a value are hypergeometric.
    `counts_point` is convex in the count, so by Hoeffding (1963, Theorem 4) its expectation is at most that
    under draws with replacement, which is 1. Value after value of a column, each among the fakes that are
    left, the factors are multiplied; columns and pairs of columns are averaged.
    """
    names = list(sets.sizes)
    pairs = [
        pair for pair in combinations(names, 2) if prod(sets.sizes[each] for each in pair) <= _LARGEST_PAIR
    ]
    divisions: list[Sequence[str]] = [*((name,) for name in names), *pairs]
    logs = [_spread_log(sets, claimed.mechanism.size, division) for division in divisions]
    smallest = min(sets.sizes.values())
    trials = sets.fakes

    def power(level: Fraction) -> str:
        share = level / (len(divisions) * 9 * smallest)
        reached = rate_power(counts_point, trials, Fraction(1, smallest), share)
        return f"fakes with a value of the smallest domain: {reached}"

    detail = f"{sets.fakes} fakes by every column, and by {len(pairs)} pairs of columns"
    return Evidence("spread", None, EValue(mean_log(logs) / math.log(10)), sets.fakes, detail, power)


def _spread_log(sets: _Sets, size: int, columns: Sequence[str]) -> float:
    shape = [sets.sizes[column] for column in columns]
    cells = prod(shape)
    fakes = sets.place < 0
    found = np.ravel_multi_index([sets.codes[column][fakes] for column in columns], shape)
    tuple_codes = np.ravel_multi_index([sets.members[column] for column in columns], shape)
    counts = np.bincount(found, minlength=cells).tolist()
    free = [size // cells - count for count in np.bincount(tuple_codes, minlength=cells).tolist()]
    left, choice, logs = sets.fakes, sum(free), []
    for count, tuples in zip(counts, free, strict=True):
        if 0 < tuples < choice:
            logs.append(counts_point(left, count, Fraction(tuples, choice)).log10 * math.log(10))
        left, choice = left - count, choice - tuples
    return independent_product(np.array(logs))


def _compared(
    first: Microdata, claimed: AlphaBetaClaim, sets: _Sets | None, second: Microdata, level: Fraction
) -> Reuse:
    """Test a second set against the first.

    Of the tuples of the first that are genuine, the second holds each with alpha + beta, and of its fakes
    each with beta, all independently. Without the original, each of these chances lies between the two.
    """
    one, two = (
        set(zip(*(table.cells(column) for column in first.columns), strict=True)) for table in (first, second)
    )
    tuples, both = len(one), len(one & two)
    if one == two:
        return Reuse("same", tuples, both, None)
    least, most = claimed.mechanism.beta, claimed.retention
    if sets is not None:
        again = np.array([row in two for row in zip(*(first.cells(c) for c in first.columns), strict=True)])
        genuine = sets.place >= 0
        parts = [(int(genuine.sum()), int(again[genuine].sum()), most)]
        parts.append((int((~genuine).sum()), int(again[~genuine].sum()), least))
        tested = [(n, x, rate) for n, x, rate in parts if n and 0 < rate < 1]
        e_value = average([counts_point(*each) for each in tested]) if tested else None
    else:
        tested = []
        values = [rate_at_most(tuples, both, most)] if most < 1 else []
        values += [rate_at_least(tuples, both, least)] if least else []
        e_value = average(values) if values else None
    if e_value is None or not e_value.rejects(level):
        return Reuse("fresh", tuples, both, e_value)
    expected = sum(n * rate for n, _, rate in tested) if tested else tuples * (least + most) / 2
    return Reuse(
        "shared" if sum(x for _, x, _ in tested) + (0 if tested else both) > expected else "opposed",
        tuples,
        both,
        e_value,
    )
