"""Decoy plans: which gamma values stand together, as a function of the histogram alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from splu_ref.channels import Gamma, ParameterError
from splu_ref.mechanisms.plans.anatomy import anatomy
from splu_ref.mechanisms.plans.cyclic import cyclic
from splu_ref.mechanisms.plans.mixed import mixed
from splu_ref.mechanisms.plans.plan import DecoyPlan, IntArray
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
