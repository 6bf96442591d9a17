"""The estimators of mechanisms that have one of their own, besides SPLU-Gen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from splu_ref.estimators.answers import QueryEstimate
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
    PublishedTable,
    SmallDomainRandomization,
)


class Answering(Protocol):
    """What answers queries about a release."""

    def require(self, query: Query) -> None:
        """Raise unless the query can be answered."""
        ...

    def __call__(self, queries: Sequence[Query], method: str | None) -> list[QueryEstimate]:
        """Return an answer to each query."""
        ...


OF_METHOD: dict[str, Callable[[PublishedTable], Answering]] = {
    AlphaBeta.name: TupleEstimator,
    SmallDomainRandomization.name: PartEstimator,
    PerturbedGeneralization.name: GroupEstimator,
    Anatomy.name: TwoTablesEstimator,
}
"""By the method of a manifest."""


def estimator_of(release: PublishedTable) -> Answering:
    """Return the estimator of a release: without one of its own the inverse of the channel it declares."""
    return OF_METHOD.get(release.mechanism.name, ChannelEstimator)(release)
