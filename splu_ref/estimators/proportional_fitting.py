"""Iterative proportional fitting: the table with given margins whose interactions are those of another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from splu_ref.estimators.moments import FloatArray

Places: TypeAlias = tuple[int, ...]
"""Some of the sensitive columns, ascending."""

TRACE = 1e-6
"""Share of its expectation that a margin keeps: what is 0 once stays so."""
_SWEEPS, _CLOSE = 60, 1e-7
"""When it ends: sweeps at most, and error of the margins as a share of all."""


def fitted(
    start: FloatArray, places: Places, lower: Sequence[tuple[Places, FloatArray]], n: float
) -> FloatArray:
    """Scale a positive table until its margins are those given, as far as they agree with each other."""
    goals = []
    for rest, table in lower:
        axes = tuple(axis for axis, place in enumerate(places) if place not in rest)
        goal = np.maximum(table, TRACE * start.sum(axis=axes))
        shape = [1 if axis in axes else size for axis, size in enumerate(start.shape)]
        goals.append((axes, (goal * (n / goal.sum())).reshape(shape)))
    fit = start
    for _ in range(_SWEEPS):
        worst = 0.0
        for axes, goal in goals:
            now = fit.sum(axis=axes, keepdims=True)
            worst = max(worst, float(np.abs(now - goal).max()))
            fit = fit * np.divide(goal, now, out=np.zeros_like(goal), where=now > 0)
        if worst <= _CLOSE * n:
            break
    return fit
