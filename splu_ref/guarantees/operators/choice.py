"""Optimal operators under a privacy guarantee, with proofs of optimality."""

from __future__ import annotations

from splu_ref.guarantees.operators.best import best_against_all, best_under_prior
from splu_ref.guarantees.operators.optimum import Optimum
from splu_ref.guarantees.operators.requirement import Requirement


def best_operator(wanted: Requirement) -> Optimum:
    """Return an operator with the largest objective under a requirement, with a proof of optimality.

    Raises
    ------
    UnverifiedError
        If no exact proof of optimality is obtained.
    InputError
        If HiGHS, which is used under one prior only, is not installed.
    """
    return best_against_all(wanted) if wanted.against == "any" else best_under_prior(wanted)
