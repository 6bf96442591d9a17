"""What measures are made of, added up record by record as its description says."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod

import numpy as np
import pandas as pd
import pytest

import splu_ref as sr
from splu_ref.data import Microdata
from splu_ref.estimators.tables import measures
from splu_ref.estimators.tables.cells import PublicGroups
from splu_ref.estimators.tables.reconciliation import GroupSums, Rates
from splu_ref.mechanisms import PublishedTable, RetentionReplacement
from tests.rounding import near

ROWS = 140


def _frame() -> pd.DataFrame:
    rows = range(ROWS)
    return pd.DataFrame(
        {
            "part": ["xxy"[row % 3] for row in rows],
            "job": ["aabbcde"[row * 5 % 7] for row in rows],
            "pay": [str(10 * (row % 11 % 5) - 10) for row in rows],
            "town": ["tuvw"[row * 3 % 10 % 4] for row in rows],
            "age": [str(row * row % 37 - 9) if row % 8 else "?" for row in rows],
        }
    )


@pytest.fixture(scope="module")
def spread() -> PublishedTable:
    return sr.SpluGen(2).publish(_frame(), ["job", "pay"], sr.SeededSource(3))


@pytest.fixture(scope="module")
def kept() -> PublishedTable:
    """Published by a law that depends on no published frequency."""
    domains = {"job": tuple("abcde"), "pay": ("-10", "0", "10", "20", "30"), "town": tuple("tuvw")}
    return PublishedTable(
        table=Microdata.from_frame(_frame()), mechanism=RetentionReplacement("1/2", domains), domains=domains
    )


class Records:
    """The published records one by one, with the indicators of each column by its place."""

    def __init__(self, release: PublishedTable, by: Sequence[str]) -> None:
        table = release.table
        self.memberships = [
            measures._group_membership(release, name, by, {}) for name in release.sensitive if name in by
        ]
        self.groups = PublicGroups.of(release, by, ())
        self.inverses = {name: measures._inverse(release, name) for name in release.sensitive}
        self.part = table.cells("part")
        self.codes = {
            name: np.array([domain.index(cell) for cell in table.cells(name)])
            for name, domain in release.domains.items()
        }
        self.rows = range(table.row_count)

    def cells(self) -> list[tuple[int, ...]]:
        shape = (len(self.groups.values), *(len(one.names) for one in self.memberships))
        return list(np.ndindex(*shape))

    def inside(self, place: tuple[int, ...]) -> list[int]:
        return [row for row in self.rows if not self.groups.columns or self.part[row] == "xy"[place[0]]]

    def members(self, place: tuple[int, ...]) -> list[tuple[str, np.ndarray]]:
        return [(one.column, one.members[:, at]) for one, at in zip(self.memberships, place[1:], strict=True)]

    def drawn(self, name: str, members: np.ndarray) -> np.ndarray:
        """Return the expected square of a record's score, by its true value."""
        weights = self.inverses[name].weights
        return np.asarray(np.linalg.inv(weights) @ (weights @ members) ** 2)

    def varying(self, place: tuple[int, ...]) -> float:
        """Return by how much the mean square of the score of a group's records exceeds 1."""
        found = 1.0
        for name, members in self.members(place):
            selected = members * self.inverses[name].frequencies
            found *= selected @ self.drawn(name, members) / selected.sum()
        return found - 1


def _variance(
    records: Records, place: tuple[int, ...], h: np.ndarray, parts: list[tuple[str, np.ndarray]]
) -> float:
    """Return the variance of the sum of h times the score, as the description of `measures` says it.

    ``parts`` are the functions of the true value of each sensitive column; h depends on the others.
    """
    score, square = np.ones(len(h)), np.ones(len(h))
    for name, t in parts:
        weights, codes = records.inverses[name].weights, records.codes[name]
        score = score * (weights @ t)[codes]
        square = square * (weights @ t**2)[codes]
    own = records.inverses[parts[0][0]]
    if len(parts) > 1 or own.spread is None:
        return float((h**2 * (score**2 - square)).sum())
    mean, t = h.mean(), parts[0][1]
    return float(((h - mean) ** 2 * (score**2 - square)).sum() + mean**2 * (t @ own.spread @ t))


def _scores(records: Records, rows: list[int], parts: list[tuple[str, np.ndarray]]) -> np.ndarray:
    return prod(
        (((records.inverses[name].weights @ t)[records.codes[name][rows]]) for name, t in parts),
        start=np.ones(len(rows)),
    )


def _rates(apart: np.ndarray, often: np.ndarray, drawn: np.ndarray) -> tuple[float, float]:
    """Return the variance of the records on either side of 0, by the sum of their sizes."""

    def side(sign: int) -> float:
        some = [
            (abs(each), times, more)
            for each, times, more in zip(apart, often, drawn, strict=True)
            if sign * each > 0
        ]
        size = sum(each * times for each, times, _ in some)
        return sum(times * max(more, 0.0) for _, times, more in some) / size if size else 0.0

    return side(1), side(-1)


def _number(found: GroupSums, place: tuple[int, ...], name: str) -> float:
    return float(getattr(found, name)[place])


def _rate(found: Rates, place: tuple[int, ...]) -> tuple[float, float]:
    return float(found.up[place]), float(found.down[place])


@pytest.mark.parametrize("by", [("job",), ("part", "job"), ("job", "pay"), ("part", "pay", "job")])
@pytest.mark.parametrize("which", ["spread", "kept"])
def test_sums_of_public_numbers(which: str, by: tuple[str, ...], request: pytest.FixtureRequest) -> None:
    release = request.getfixturevalue(which)
    records = Records(release, by)
    numbers = np.array([float(cell) if cell != "?" else np.nan for cell in release.table.cells("age")])
    found = measures._of_public(release, records.groups, records.memberships, records.inverses, numbers)
    for place in records.cells():
        parts = records.members(place)
        rows = [row for row in records.inside(place) if not np.isnan(numbers[row])]
        some = numbers[rows]
        shown = _scores(records, rows, parts)
        selected = np.zeros(len(records.rows))
        selected[rows] = 1
        for m in (0.0, 1.0, 7.0):
            h = np.where(selected > 0, numbers - m, 0.0)
            assert float(found.variance.at(np.asarray(m))[place]) == near(_variance(records, place, h, parts))
        drawn = some**2 * records.varying(place)
        apart = some - some.mean()
        about = apart**2 * records.varying(place)
        assert _rate(found.sum_rates, place) == near(_rates(some, np.ones(len(some)), drawn), rel=1e-6)
        assert _rate(found.mean_rates, place) == near(_rates(apart, np.ones(len(some)), about), rel=1e-6)
        members = prod((t[records.codes[name][rows]] for name, t in parts), start=np.ones(len(rows)))
        for name, expected in (
            ("total", some @ shown), ("records", shown.sum()), ("published", members.sum()),
            ("least", some.min()), ("greatest", some.max()),
            ("lowest", some[some < 0].sum()), ("highest", some[some > 0].sum()),
        ):  # fmt: skip
            assert _number(found, place, name) == near(float(expected), size=np.abs(some).sum()), name


@pytest.mark.parametrize("by", [("part",), ("job",), ("part", "job"), ("town", "job")])
@pytest.mark.parametrize("which", ["spread", "kept"])
def test_sums_of_sensitive_numbers(which: str, by: tuple[str, ...], request: pytest.FixtureRequest) -> None:
    release = request.getfixturevalue(which)
    if "town" in by and which == "spread":
        by = ("part", "job")
    records = Records(release, by)
    numbers = np.array([float(value) if value != "0" else np.nan for value in release.domains["pay"]])
    found = measures._of_sensitive(
        release, records.groups, records.memberships, records.inverses, "pay", numbers
    )
    own, some = records.inverses["pay"], numbers[~np.isnan(numbers)]
    value, selected = np.nan_to_num(numbers), np.where(np.isnan(numbers), 0.0, 1.0)
    middle = (value @ own.frequencies) / (selected @ own.frequencies)
    size = np.abs(value) @ own.frequencies
    for place in records.cells():
        rows = records.inside(place)
        inside = np.zeros(len(records.rows))
        inside[rows] = 1
        parts = records.members(place)
        for m in (0.0, 1.0, 7.0):
            memberships = [*parts, ("pay", value - m * selected)]
            assert float(found.variance.at(np.asarray(m))[place]) == near(
                _variance(records, place, inside, memberships)
            )
        for rates, apart in ((found.sum_rates, value), (found.mean_rates, value - middle * selected)):
            varying = (records.varying(place) + 1) * records.drawn("pay", apart) - apart**2
            expected = _rates(apart, own.frequencies, varying) if parts else (0.0, 0.0)
            assert _rate(rates, place) == near(expected, size=size**2)
        shown = _scores(records, rows, parts)
        codes = records.codes["pay"][rows]
        members = prod((t[records.codes[name][rows]] for name, t in parts), start=np.ones(len(rows)))
        for name, expected in (
            ("total", (own.weights @ value)[codes] @ shown),
            ("records", (own.weights @ selected)[codes] @ shown),
            ("published", selected[codes] @ members), ("least", some.min()), ("greatest", some.max()),
            ("lowest", len(rows) * min(0.0, some.min())), ("highest", len(rows) * some.max()),
        ):  # fmt: skip
            assert _number(found, place, name) == near(float(expected), size=size), name


def test_a_published_total_varies_as_the_records_of_decoy_groups_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of decoy groups that are known: as many records of each value are expected as there are."""
    groups = [*["abc"] * 4, *["abd"] * 3, *["ace"] * 2, *["bde"] * 3, *["cde"] * 2]
    values, keep = "abcde", Fraction(1, 2)
    together = np.array(
        [[sum(u in g and v in g for g in groups) for v in values] for u in values], dtype=float
    )
    frame = pd.DataFrame({"job": list("".join(groups))})
    release = PublishedTable(
        table=Microdata.from_frame(frame),
        mechanism=sr.SpluGen(3, retention=keep),
        domains={"job": tuple(values)},
    )
    monkeypatch.setattr(measures, "published_co_occurrence", lambda *_: together)
    found = measures._inverse(release, "job").spread
    assert found is not None
    t = dict(zip(values, (3, -1, 4, 0, 7), strict=True))
    expected = Fraction(0)
    for group in groups:
        for own in group:
            law = {each: keep if each == own else (1 - keep) / 2 for each in group}
            first = sum(chance * t[each] for each, chance in law.items())
            expected += sum(chance * t[each] ** 2 for each, chance in law.items()) - first**2
    weights = np.array(list(t.values()))
    assert float(weights @ found @ weights) == near(float(expected))
