"""Releases of a table, laid out by original record, so that one set of predicates serves them all."""

from __future__ import annotations

import numpy as np

from splu_ref.decoys import PLANS
from splu_ref.mechanisms import publish_codes, publish_distribution_based, publish_two_tables
from splu_ref.model import Gamma
from splu_ref.randomness import IntArray, UniformSource
from splu_ref.study.tables import StudyTable


def published_values(table: StudyTable, plan: str, gamma: Gamma, source: UniformSource) -> IntArray:
    """Publish by SPLU-Gen; return each original record's published value, shape (N,).

    A suppressed record has the value ``domain_size``.
    """
    done = publish_codes(table.values, table.domain_size, gamma, source, plan=PLANS[plan])
    return _by_record(table, done.rows, done.published)


def drawn_values(table: StudyTable, source: UniformSource) -> IntArray:
    """Publish by distribution-based randomization; return each original record's published value."""
    done = publish_distribution_based(table.values, table.domain_size, source)
    return _by_record(table, done.rows, done.published)


def group_values(table: StudyTable, gamma: Gamma, source: UniformSource) -> list[IntArray]:
    """Publish Anatomy's two tables; return the values of each original record's group.

    gamma arrays of shape (N,); a suppressed record has the value ``domain_size`` in all.
    """
    done = publish_two_tables(table.values, table.domain_size, gamma, source)
    return [_by_record(table, done.rows, done.values[done.groups, slot]) for slot in range(gamma)]


def _by_record(table: StudyTable, rows: IntArray, published: IntArray) -> IntArray:
    values = np.full(table.rows, table.domain_size, dtype=np.int64)
    values[rows] = published
    return values
