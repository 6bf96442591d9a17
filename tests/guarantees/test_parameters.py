"""What all functions of the room keep: parameters are named in errors, and an error of epsilon f counts."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import pytest

from splu_ref.channels.parameters import ParameterError
from splu_ref.guarantees import (
    Conjunction,
    best_estimator,
    chebyshev_bound,
    chebyshev_threshold,
    chernoff_bound,
    conjunction_bias,
    conjunction_error_bound,
    conjunction_error_probability,
    conjunction_threshold,
    conjunction_variance,
    error_probability,
    least_mean_error,
    privacy_minimum,
    utility_threshold,
)

CASE = Conjunction.of(3, 45, 3, 12)
COUNT = {"gamma": 3, "epsilon": "1/2", "frequency": 4, "retention": "2/5"}
LEAST = {"gamma": 3, "epsilon": "1/2", "t_e": "1/4", "retention": "2/5"}
CALLS: dict[Callable[..., Any], dict[str, Any]] = {
    error_probability: COUNT,
    chebyshev_bound: COUNT,
    chernoff_bound: COUNT,
    chebyshev_threshold: LEAST,
    utility_threshold: LEAST,
    privacy_minimum: {"gamma": 3, "epsilon": "1/2", "alpha": 4, "releases": 2, "retention": "2/5"},
    best_estimator: {"gamma": 2, "epsilon": "1/2", "alpha": 2},
    Conjunction.of: {"gamma": 3, "rows": 45, "frequency": 3, "predicate_count": 12, "retention": "2/5"},
    partial(conjunction_error_probability, CASE): {"epsilon": "1/2", "concept_count": 2},
    partial(conjunction_error_bound, CASE): {"epsilon": "1/2", "concept_count": 2},
    partial(conjunction_threshold, CASE): {"epsilon": "1/2", "t_e": "1/4"},
    partial(conjunction_variance, CASE): {"concept_count": 2},
    partial(conjunction_bias, CASE): {"concept_count": 2},
}
EACH = [(call, name) for call, keys in CALLS.items() for name in keys]


@pytest.mark.parametrize(("call", "name"), EACH)
def test_an_unusable_parameter_is_called_by_its_name(call: Callable[..., Any], name: str) -> None:
    for unusable in (0.5, -1, "nothing"):
        with pytest.raises(ParameterError, match=rf"^{name}\b"):
            call(**CALLS[call] | {name: unusable})


def test_an_error_of_exactly_epsilon_f_counts_unless_strict() -> None:
    """At epsilon = 1/3 the estimate 4/3 is off by exactly that from 1 and from 2."""
    for call in (
        partial(best_estimator, 2, "1/3", 2),
        partial(least_mean_error, 2, "1/3", [Fraction(1, 2), Fraction(1, 2)]),
        partial(error_probability, 2, "1/3", 3),
    ):
        assert call() == call(strict=False) != call(strict=True)
