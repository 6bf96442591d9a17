"""The interval and the standard error of an estimate that must have them."""

from __future__ import annotations

from splu_ref.estimators import QueryEstimate


def ends(answer: QueryEstimate) -> tuple[float, float]:
    """Return the ends of the interval, which there must be."""
    assert answer.interval is not None
    return answer.interval


def error(answer: QueryEstimate) -> float:
    """Return the standard error, which there must be."""
    assert answer.standard_error is not None
    return answer.standard_error
