"""Estimators: from a published table to counts in the original, with their error."""

from __future__ import annotations

from splu_ref.estimators.conjunctions import conjunction_estimate
from splu_ref.estimators.counts import CountEstimate, estimate_count

__all__ = ["CountEstimate", "conjunction_estimate", "estimate_count"]
