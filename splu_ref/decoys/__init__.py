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
from splu_ref.decoys.parts import MixedParts, PlanParts, RunParts, plan_parts
from splu_ref.decoys.plan import ArrayPlan, Codes, DecoyPlan, IntArray, Run, RunLengthPlan
from splu_ref.model import Gamma, ParameterError
from splu_ref.randomness import PlanSecret

PlanMethod: TypeAlias = Callable[[IntArray, Gamma, PlanSecret], DecoyPlan]
"""A method that turns a histogram, a group size and, if the plan is secret, random integers into a plan."""

PLANS: dict[str, PlanMethod] = {"anatomy": anatomy, "cyclic": cyclic, "mixed": mixed}
"""Plan methods by the name under which a command or a manifest speaks of them."""


def named_plan(plan: str | PlanMethod) -> tuple[PlanMethod, str]:
    """Return a plan method, given or by its name, and its name: ``another`` for a method of the caller's own.

    Raises
    ------
    ParameterError
        If there is none of that name.
    """
    if not isinstance(plan, str):
        return plan, next((name for name, each in PLANS.items() if each is plan), "another")
    if plan not in PLANS:
        raise ParameterError(f"plan {plan!r} is unknown: choose one of {', '.join(PLANS)}")
    return PLANS[plan], plan


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
    "MixedParts",
    "PlanMethod",
    "PlanParts",
    "Run",
    "RunLengthPlan",
    "RunParts",
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
    "named_plan",
    "plan_parts",
    "require_eligible",
    "require_feasible",
    "surplus",
    "within_bound",
]
