"""The operators that keep most under a guarantee, each with a proof that none keeps more."""

from splu_ref.operators.frequent_values import best_against_all
from splu_ref.operators.one_prior import best_under_prior
from splu_ref.operators.optimum import Optimum, Price, UnverifiedError
from splu_ref.operators.requirement import AGAINST, KEEP, Matrix, Requirement


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


__all__ = [
    "AGAINST",
    "KEEP",
    "Matrix",
    "Optimum",
    "Price",
    "Requirement",
    "UnverifiedError",
    "best_against_all",
    "best_operator",
    "best_under_prior",
]
