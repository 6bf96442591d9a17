"""Estimators: from a published table to counts in the original, with their error."""

from __future__ import annotations

from splu_ref.estimators.answers import METHODS, QueryEstimate, Reconstruction
from splu_ref.estimators.comparators import (
    Moments,
    distribution_based_estimate,
    distribution_based_moments,
    reconstructed_two_tables,
    two_tables_estimate,
    two_tables_moments,
    two_tables_sums,
)
from splu_ref.estimators.conjunctions import conjunction_estimate
from splu_ref.estimators.counts import CountEstimate, estimate_count
from splu_ref.estimators.em import Maximum, most_likely
from splu_ref.estimators.estimator import QueryEstimator
from splu_ref.estimators.inversion import Inversion, inversion_estimates
from splu_ref.estimators.kronecker import apply_by_mode
from splu_ref.estimators.laplace_error import (
    mean_noise,
    noise_privacy,
    noise_ratio,
    noise_tail,
    noise_threshold,
    noise_variance,
)
from splu_ref.estimators.query import AnyOf, Between, Query
from splu_ref.estimators.shrinkage import Shrunk, shrunk_estimates
from splu_ref.estimators.transition import (
    condition_number,
    published_co_occurrence,
    set_matrix,
    value_matrix,
)
from splu_ref.estimators.two_state import exact_estimates, exact_intervals

__all__ = [
    "METHODS",
    "AnyOf",
    "Between",
    "CountEstimate",
    "Inversion",
    "Maximum",
    "Moments",
    "Query",
    "QueryEstimate",
    "QueryEstimator",
    "Reconstruction",
    "Shrunk",
    "apply_by_mode",
    "condition_number",
    "conjunction_estimate",
    "distribution_based_estimate",
    "distribution_based_moments",
    "estimate_count",
    "exact_estimates",
    "exact_intervals",
    "inversion_estimates",
    "mean_noise",
    "most_likely",
    "noise_privacy",
    "noise_ratio",
    "noise_tail",
    "noise_threshold",
    "noise_variance",
    "published_co_occurrence",
    "reconstructed_two_tables",
    "set_matrix",
    "shrunk_estimates",
    "two_tables_estimate",
    "two_tables_moments",
    "two_tables_sums",
    "value_matrix",
]
