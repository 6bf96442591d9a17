"""Sums that were answered: what follows from them, compared with ranks and with all tables."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from sympy import Matrix

from experiments.query_interfaces import audit_sums, known_bits
from experiments.query_interfaces.sums import Sets
from splu_ref.channels.parameters import ParameterError


def _random_sets(records: int, queries: int) -> list[list[bool]]:
    return [[random.random() < 0.5 for _ in range(records)] for _ in range(queries)]


def _arrays(sets: list[list[bool]]) -> Sets:
    return [np.array(one) for one in sets]


def test_a_record_is_exposed_exactly_if_its_unit_vector_adds_nothing_to_the_rank() -> None:
    random.seed(9)
    exposed = hidden = 0
    for _ in range(60):
        records, queries = random.randint(2, 6), random.randint(1, 6)
        sets = _random_sets(records, queries)
        found = audit_sums(_arrays(sets))
        matrix = Matrix([[int(one) for one in row] for row in sets])
        assert found.rank == matrix.rank()
        derived = {one.rows[0]: one for one in found.exposed}
        for record in range(records):
            unit = Matrix([[int(other == record) for other in range(records)]])
            follows = matrix.col_join(unit).rank() == matrix.rank()
            assert (record in derived) == follows
            exposed, hidden = exposed + follows, hidden + (not follows)
        for one in (*found.exposed, *found.sums):
            total = [
                sum((weight * sets[query][record] for query, weight in one.weights.items()), Fraction(0))
                for record in range(records)
            ]
            assert total == [Fraction(record in one.rows) for record in range(records)]
            before = matrix[: one.since, :]
            unit = Matrix([[int(record in one.rows) for record in range(records)]])
            assert before.rank() < before.col_join(unit).rank()
    assert exposed
    assert hidden


def test_bits_follow_exactly_where_all_tables_with_the_counts_agree() -> None:
    random.seed(4)
    more = 0
    for _ in range(60):
        records, queries = random.randint(2, 7), random.randint(1, 4)
        sets = _random_sets(records, queries)
        truth = [random.random() < 0.5 for _ in range(records)]
        counts = [sum(bit for bit, inside in zip(truth, one, strict=True) if inside) for one in sets]
        tables = [
            bits
            for bits in product((False, True), repeat=records)
            if [sum(bit for bit, inside in zip(bits, one, strict=True) if inside) for one in sets] == counts
        ]
        derived = {
            record: truth[record]
            for record in range(records)
            if len({bits[record] for bits in tables}) == 1 and any(one[record] for one in sets)
        }
        assert known_bits(_arrays(sets), counts).exposed == derived
        more += len(derived) > len(audit_sums(_arrays(sets)).exposed)
    assert more, "whole numbers from 0 to 1 determine more than real ones, and no table showed it"


def test_counts_that_no_table_has_and_too_much_work_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("experiments.query_interfaces.sums.MOST_TRIED", 1 << 10)
    with pytest.raises(ParameterError, match="no table has these counts"):
        known_bits(_arrays([[True, True]]), [3])
    with pytest.raises(ParameterError, match="201 classes"):
        known_bits([np.arange(201) == record for record in range(201)], [0] * 201)
    random.seed(1)
    some, many = _arrays(_random_sets(60, 8)), _arrays(_random_sets(300, 260))
    halves = [int(one.sum()) // 2 for one in some]
    with pytest.raises(ParameterError, match="tables would have to be tried"):
        known_bits(some, halves)
    with pytest.raises(ParameterError, match="too many to eliminate"):
        audit_sums(many)
