"""Estimators: from a published table to counts in the original, with their error."""

from __future__ import annotations

from splu_ref.estimators.answers import Estimates, Interval, QueryEstimate
from splu_ref.estimators.comparators import (
    Moments,
    distribution_based_estimate,
    distribution_based_moments,
    reconstructed_two_tables,
    two_tables_estimate,
    two_tables_moments,
    two_tables_sums,
)
from splu_ref.estimators.counts import CountEstimate, estimate_count
from splu_ref.estimators.estimator import METHODS, Method, QueryEstimator, method_named
from splu_ref.estimators.laplace_error import (
    mean_noise,
    noise_privacy,
    noise_ratio,
    noise_tail,
    noise_threshold,
    noise_variance,
)
from splu_ref.estimators.linear.em import Maximum, most_likely
from splu_ref.estimators.linear.inversion import Inversion
from splu_ref.estimators.linear.transition import (
    apply_by_mode,
    published_co_occurrence,
    set_matrix,
    value_matrix,
)
from splu_ref.estimators.linear.two_state import (
    conjunction_estimate,
    count_moments,
    exact_estimates,
    exact_intervals,
)
from splu_ref.estimators.queries.by_method import estimator_of
from splu_ref.estimators.queries.channel_estimator import ChannelEstimator
from splu_ref.estimators.queries.condition_text import read_conditions
from splu_ref.estimators.queries.conditions import AnyOf, Between, Condition, NoneOf
from splu_ref.estimators.queries.group_estimator import GroupEstimator
from splu_ref.estimators.queries.joint_shrinkage import LearnedWeight
from splu_ref.estimators.queries.part_estimator import PartEstimator
from splu_ref.estimators.queries.published_column import Batch, PublishedColumn
from splu_ref.estimators.queries.query import Query
from splu_ref.estimators.queries.tuple_estimator import TupleEstimate, TupleEstimator, estimate_tuples
from splu_ref.estimators.queries.two_tables_estimator import TwoTablesEstimator
from splu_ref.microdata.values import number

__all__ = [
    "METHODS",
    "AnyOf",
    "Batch",
    "Between",
    "ChannelEstimator",
    "Condition",
    "CountEstimate",
    "Estimates",
    "GroupEstimator",
    "Interval",
    "Inversion",
    "LearnedWeight",
    "Maximum",
    "Method",
    "Moments",
    "NoneOf",
    "PartEstimator",
    "PublishedColumn",
    "Query",
    "QueryEstimate",
    "QueryEstimator",
    "TupleEstimate",
    "TupleEstimator",
    "TwoTablesEstimator",
    "apply_by_mode",
    "conjunction_estimate",
    "count_moments",
    "distribution_based_estimate",
    "distribution_based_moments",
    "estimate_count",
    "estimate_tuples",
    "estimator_of",
    "exact_estimates",
    "exact_intervals",
    "mean_noise",
    "method_named",
    "most_likely",
    "noise_privacy",
    "noise_ratio",
    "noise_tail",
    "noise_threshold",
    "noise_variance",
    "number",
    "published_co_occurrence",
    "read_conditions",
    "reconstructed_two_tables",
    "set_matrix",
    "two_tables_estimate",
    "two_tables_moments",
    "two_tables_sums",
    "value_matrix",
]
