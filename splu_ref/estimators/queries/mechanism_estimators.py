"""The estimators of all mechanisms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from splu_ref.estimators.answers import QueryEstimate
from splu_ref.estimators.estimator import QueryEstimator
from splu_ref.estimators.queries.channel_estimator import ChannelEstimator
from splu_ref.estimators.queries.group_estimator import GroupEstimator
from splu_ref.estimators.queries.part_estimator import PartEstimator
from splu_ref.estimators.queries.query import Query
from splu_ref.estimators.queries.tuple_estimator import TupleEstimator
from splu_ref.estimators.queries.two_tables_estimator import TwoTablesEstimator
from splu_ref.mechanisms import (
    AlphaBeta,
    Anatomy,
    PerturbedGeneralization,
    ReleaseData,
    SmallDomainRandomization,
    SpluGen,
    SpluGenByColumn,
)


class ReleaseEstimator(Protocol):
    """An estimator of queries on one release."""

    def require(self, query: Query) -> None:
        """Raise unless the query can be answered."""
        ...

    def __call__(self, queries: Sequence[Query], method: str | None) -> list[QueryEstimate]:
        """Return the estimate of each query."""
        ...


RELEASE_ESTIMATORS: dict[str, Callable[[ReleaseData], ReleaseEstimator]] = {
    SpluGen.name: QueryEstimator.of,
    SpluGenByColumn.name: QueryEstimator.of,
    AlphaBeta.name: TupleEstimator,
    SmallDomainRandomization.name: PartEstimator,
    PerturbedGeneralization.name: GroupEstimator,
    Anatomy.name: TwoTablesEstimator,
}
"""Estimators by the ``method`` field of the manifest."""


def estimator_of(release: ReleaseData) -> ReleaseEstimator:
    """Return the estimator of a release; by default the inversion of its declared channel."""
    return RELEASE_ESTIMATORS.get(release.mechanism.name, ChannelEstimator)(release)
