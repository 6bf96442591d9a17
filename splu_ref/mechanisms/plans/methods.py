"""The plan methods by name: each forms decoy groups of gamma distinct values from a histogram."""

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
"""Function from a histogram, a group size and a source of random integers to a plan."""

PLANS: dict[str, PlanMethod] = {"anatomy": anatomy, "cyclic": cyclic, "mixed": mixed}
"""Plan methods by their names in commands and manifests."""


def resolve_plan(plan: str | PlanMethod) -> tuple[PlanMethod, str]:
    """Return a plan method and its name, which is ``another`` for a callable that is not in `PLANS`.

    Raises
    ------
    ParameterError
        If no method has this name.
    """
    if not isinstance(plan, str):
        return plan, next((name for name, each in PLANS.items() if each is plan), "another")
    if plan not in PLANS:
        raise ParameterError(f"plan {plan!r} is unknown: choose one of {', '.join(PLANS)}")
    return PLANS[plan], plan
