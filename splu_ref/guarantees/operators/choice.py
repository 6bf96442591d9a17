"""The operators that keep most under a guarantee, each with a proof that none keeps more."""

from __future__ import annotations

from splu_ref.guarantees.operators.best import best_against_all, best_under_prior
from splu_ref.guarantees.operators.optimum import Optimum
from splu_ref.guarantees.operators.requirement import Requirement


def best_operator(wanted: Requirement) -> Optimum:
    """Return an operator that meets a requirement and keeps most, with the proof of it.

    Raises
    ------
    UnverifiedError
        If none was found whose optimality is verified exactly.
    InputError
        If HiGHS, which is asked under one prior alone, is not installed.
    """
    return best_against_all(wanted) if wanted.against == "any" else best_under_prior(wanted)
