"""Releases of a table, laid out by original record, so that one set of predicates serves them all."""

from __future__ import annotations

import numpy as np

from experiments.study.tables import StudyTable
from splu_ref.channels.parameters import Gamma
from splu_ref.mechanisms import Anatomy, DistributionBased, SpluGen
from splu_ref.randomness import Draws, IntArray


def published_values(table: StudyTable, mechanism: SpluGen, source: Draws) -> IntArray:
    """Publish by SPLU-Gen; return each original record's published value, shape (N,).

    A suppressed record has the value ``domain_size``.
    """
    done = mechanism.publish_codes(table.values, table.domain_size, source)
    return _by_record(table, done.rows, done.published)


def drawn_values(table: StudyTable, source: Draws) -> IntArray:
    """Publish by distribution-based randomization; return each original record's published value."""
    done = DistributionBased().publish_codes(table.values, table.domain_size, source)
    return _by_record(table, done.rows, done.published)


def group_values(table: StudyTable, gamma: Gamma, source: Draws) -> list[IntArray]:
    """Publish Anatomy's two tables; return the values of each original record's group.

    gamma arrays of shape (N,); a suppressed record has the value ``domain_size`` in all.
    """
    done = Anatomy(gamma).publish_codes(table.values, table.domain_size, source)
    return [_by_record(table, done.rows, done.values[done.groups, slot]) for slot in range(gamma)]


def _by_record(table: StudyTable, rows: IntArray, published: IntArray) -> IntArray:
    values = np.full(table.rows, table.domain_size, dtype=np.int64)
    values[rows] = published
    return values
