"""Homogeneous groups against brute force, and their error against the reconstruction itself."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import comb

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_ref.audit import homogeneous_groups
from splu_ref.audit.advice.groups import error_below
from splu_ref.data import Microdata

CELLS = st.sampled_from(["x", "y", "z", ""])


@settings(max_examples=60)
@given(st.lists(st.tuples(CELLS, CELLS, CELLS, st.sampled_from("ab")), min_size=2, max_size=12))
def test_against_brute_force(records: list[tuple[str, str, str, str]]) -> None:
    if len({record[3] for record in records}) < 2:
        return
    frame = pd.DataFrame(records, columns=["p", "q", "r", "s"])
    found = {
        (group.predicate.assignments, group.value, group.count)
        for group in homogeneous_groups(Microdata.from_frame(frame), "s", lambda count: count != 2)
    }

    def chosen(where: dict[int, str]) -> list[int]:
        return [i for i, record in enumerate(records) if all(record[c] == cell for c, cell in where.items())]

    expected = set()
    for width in (1, 2):
        for columns in combinations(range(3), width):
            for cells in product("xyz", repeat=width):
                where = dict(zip(columns, cells, strict=True))
                members = chosen(where)
                values = {records[i][3] for i in members}
                parts = [chosen({c: cell}) for c, cell in where.items()] if width == 2 else []
                if len(values) == 1 and len(members) != 2 and members not in parts:
                    named = tuple(("pqr"[c], cell) for c, cell in where.items())
                    expected.add((named, values.pop(), len(members)))
    assert found == expected


def test_the_largest_come_first_and_sizes_are_requested_once() -> None:
    frame = pd.DataFrame({"p": list("xxxyyz"), "s": list("aaabbc")})
    requested: list[int] = []

    def wanted(count: int) -> bool:
        requested.append(count)
        return count > 1

    groups = homogeneous_groups(Microdata.from_frame(frame), "s", wanted)
    assert [(str(group.predicate), group.value, group.count) for group in groups] == [
        ("p=x", "a", 3),
        ("p=y", "b", 2),
    ]
    assert sorted(requested) == [1, 2, 3]


def test_a_column_without_content_and_progress() -> None:
    frame = pd.DataFrame({"p": [""] * 4, "q": ["u", "u", "v", "w"], "s": list("aabb")})
    reported: list[tuple[int, int]] = []
    groups = homogeneous_groups(
        Microdata.from_frame(frame), "s", lambda count: True, lambda *t: reported.append(t)
    )
    assert {str(group.predicate) for group in groups} == {"q=u", "q=v", "q=w"}
    assert reported == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("retention", ["1/5", "1/3", "1/2", "7/10"])
@pytest.mark.parametrize("epsilon", ["1/10", "3/10", "1", "3/2"])
def test_the_reconstruction_errs_as_often_in_a_large_table(retention: str, epsilon: str) -> None:
    # gamma = 5, f = n, N = 10^7: clip((y3 - n a)/(p - a), 0, n) with a = f' (1-p)/(N - f').
    p, ratio, gamma, rows = Fraction(retention), Fraction(epsilon), 5, 10**7
    q = (1 - p) / (gamma - 1)
    for n in (1, 2, 5, 7):
        error = Fraction(0)
        for y3 in range(n + 1):
            inside = comb(n, y3) * p**y3 * (1 - p) ** (n - y3)
            for y1 in range((gamma - 1) * n + 1):
                outside = comb((gamma - 1) * n, y1) * q**y1 * (1 - q) ** ((gamma - 1) * n - y1)
                a = (y3 + y1) * (1 - p) / (rows - y3 - y1)
                estimate = min(max((y3 - n * a) / (p - a), Fraction(0)), Fraction(n))
                if abs(estimate - n) >= ratio * n:
                    error += inside * outside
        tiny = Fraction(1, 10**9)
        assert not error_below(n, ratio, p, error)
        assert error_below(n, ratio, p, error + tiny)
