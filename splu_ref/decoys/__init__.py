"""Decoy plans: which gamma values stand together, as a function of the histogram alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from splu_ref.decoys.anatomy import anatomy, anatomy_reference
from splu_ref.decoys.blocks import MOST_GROUPS, BlockPlan, Blocks
from splu_ref.decoys.co_occurrence import CoOccurrence, co_occurrence
from splu_ref.decoys.conditional_poisson import FloatArray
from splu_ref.decoys.cyclic import cyclic
from splu_ref.decoys.eligibility import largest_gamma, require_eligible, require_feasible, surplus
from splu_ref.decoys.expected import (
    ExpectedPairs,
    expected_co_occurrence,
    expected_pairs,
    within_bound,
)
from splu_ref.decoys.mixed import mixed, mixed_block, mixed_reference
from splu_ref.decoys.plan import ArrayPlan, Codes, DecoyPlan, IntArray, Run, RunLengthPlan
from splu_ref.model import Gamma, ParameterError
from splu_ref.randomness import PlanSecret

PlanMethod: TypeAlias = Callable[[IntArray, Gamma, PlanSecret], DecoyPlan]
"""A method that turns a histogram, a group size and, if the plan is secret, random integers into a plan."""

PLANS: dict[str, PlanMethod] = {"anatomy": anatomy, "cyclic": cyclic, "mixed": mixed}
"""Plan methods by the name under which a command or a manifest speaks of them."""


def plan_method(name: str) -> PlanMethod:
    """Return the plan method of that name.

    Raises
    ------
    ParameterError
        If there is none.
    """
    if name not in PLANS:
        raise ParameterError(f"plan {name!r} is unknown: choose one of {', '.join(PLANS)}")
    return PLANS[name]


__all__ = [
    "MOST_GROUPS",
    "PLANS",
    "ArrayPlan",
    "BlockPlan",
    "Blocks",
    "CoOccurrence",
    "Codes",
    "DecoyPlan",
    "ExpectedPairs",
    "FloatArray",
    "PlanMethod",
    "Run",
    "RunLengthPlan",
    "anatomy",
    "anatomy_reference",
    "co_occurrence",
    "cyclic",
    "expected_co_occurrence",
    "expected_pairs",
    "largest_gamma",
    "mixed",
    "mixed_block",
    "mixed_reference",
    "plan_method",
    "require_eligible",
    "require_feasible",
    "surplus",
    "within_bound",
]
