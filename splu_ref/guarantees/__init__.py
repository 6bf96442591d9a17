"""What may be promised of published counts: small-sum privacy and large-sum utility.

Exact arithmetic throughout: Python integers and fractions. Decimals are written by integer division,
rounded in the direction that the reader asks for.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from splu_ref.guarantees.concentration import chebyshev_bound, chebyshev_threshold, chernoff_bound
    from splu_ref.guarantees.conjunction import Conjunction
    from splu_ref.guarantees.conjunction_bounds import ConjunctionBound, conjunction_error_bound
    from splu_ref.guarantees.conjunction_error import conjunction_error_probability
    from splu_ref.guarantees.conjunction_moments import conjunction_bias, conjunction_variance
    from splu_ref.guarantees.conjunction_utility import ConjunctionThreshold, conjunction_threshold
    from splu_ref.guarantees.count_entropy import count_loss, expected_count_loss
    from splu_ref.guarantees.count_error import ErrorProbability, error_probability
    from splu_ref.guarantees.decimals import decimal_down, decimal_up, exact_json, integer_text
    from splu_ref.guarantees.drawn_counts import DrawnCount, slot_law
    from splu_ref.guarantees.drawn_privacy import DrawnPrivacy, Level, privacy_of_draws, table_privacy
    from splu_ref.guarantees.drawn_utility import (
        DrawnThreshold,
        Noise,
        drawn_error_bound,
        drawn_threshold,
        table_threshold,
    )
    from splu_ref.guarantees.estimator_free import (
        BestEstimator,
        LeastWorstError,
        best_estimator,
        least_mean_error,
        least_worst_error,
        worst_error_bounds,
    )
    from splu_ref.guarantees.plateaus import error_offset, plateau_ends, plateau_starts
    from splu_ref.guarantees.privacy import PrivacyMinimum, privacy_minimum
    from splu_ref.guarantees.sample_sizes import (
        SampleSize,
        printed_sample_size,
        sample_size,
        sample_size_bound,
    )
    from splu_ref.guarantees.tuple_error import TupleQueryError, possible_counts, worst_query_error
    from splu_ref.guarantees.tuple_privacy import TupleChances, TupleLevels, prior_bound
    from splu_ref.guarantees.tuple_views import most_views, views_allowed, views_posterior
    from splu_ref.guarantees.utility import UtilityThreshold, utility_threshold
else:
    from splu_ref.lazy import lazily

    # A command loads what it computes: importing one of these rooms' files runs this one.
    __getattr__ = lazily(
        __name__,
        {
            "concentration": (
                "chebyshev_bound",
                "chebyshev_threshold",
                "chernoff_bound",
            ),
            "conjunction": ("Conjunction",),
            "conjunction_bounds": (
                "ConjunctionBound",
                "conjunction_error_bound",
            ),
            "conjunction_error": ("conjunction_error_probability",),
            "conjunction_moments": (
                "conjunction_bias",
                "conjunction_variance",
            ),
            "conjunction_utility": (
                "ConjunctionThreshold",
                "conjunction_threshold",
            ),
            "count_entropy": (
                "count_loss",
                "expected_count_loss",
            ),
            "count_error": (
                "ErrorProbability",
                "error_probability",
            ),
            "decimals": (
                "decimal_down",
                "decimal_up",
                "exact_json",
                "integer_text",
            ),
            "drawn_counts": (
                "DrawnCount",
                "slot_law",
            ),
            "drawn_privacy": (
                "DrawnPrivacy",
                "Level",
                "privacy_of_draws",
                "table_privacy",
            ),
            "drawn_utility": (
                "DrawnThreshold",
                "Noise",
                "drawn_error_bound",
                "drawn_threshold",
                "table_threshold",
            ),
            "estimator_free": (
                "BestEstimator",
                "LeastWorstError",
                "best_estimator",
                "least_mean_error",
                "least_worst_error",
                "worst_error_bounds",
            ),
            "plateaus": (
                "error_offset",
                "plateau_ends",
                "plateau_starts",
            ),
            "privacy": (
                "PrivacyMinimum",
                "privacy_minimum",
            ),
            "sample_sizes": (
                "SampleSize",
                "printed_sample_size",
                "sample_size",
                "sample_size_bound",
            ),
            "tuple_error": (
                "TupleQueryError",
                "possible_counts",
                "worst_query_error",
            ),
            "tuple_privacy": (
                "TupleChances",
                "TupleLevels",
                "prior_bound",
            ),
            "tuple_views": (
                "most_views",
                "views_allowed",
                "views_posterior",
            ),
            "utility": (
                "UtilityThreshold",
                "utility_threshold",
            ),
        },
    )

__all__ = [
    "BestEstimator",
    "Conjunction",
    "ConjunctionBound",
    "ConjunctionThreshold",
    "DrawnCount",
    "DrawnPrivacy",
    "DrawnThreshold",
    "ErrorProbability",
    "LeastWorstError",
    "Level",
    "Noise",
    "PrivacyMinimum",
    "SampleSize",
    "TupleChances",
    "TupleLevels",
    "TupleQueryError",
    "UtilityThreshold",
    "best_estimator",
    "chebyshev_bound",
    "chebyshev_threshold",
    "chernoff_bound",
    "conjunction_bias",
    "conjunction_error_bound",
    "conjunction_error_probability",
    "conjunction_threshold",
    "conjunction_variance",
    "count_loss",
    "decimal_down",
    "decimal_up",
    "drawn_error_bound",
    "drawn_threshold",
    "error_offset",
    "error_probability",
    "exact_json",
    "expected_count_loss",
    "integer_text",
    "least_mean_error",
    "least_worst_error",
    "most_views",
    "plateau_ends",
    "plateau_starts",
    "possible_counts",
    "printed_sample_size",
    "prior_bound",
    "privacy_minimum",
    "privacy_of_draws",
    "sample_size",
    "sample_size_bound",
    "slot_law",
    "table_privacy",
    "table_threshold",
    "utility_threshold",
    "views_allowed",
    "views_posterior",
    "worst_error_bounds",
    "worst_query_error",
]
