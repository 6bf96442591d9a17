"""Critical values of intervals around a shrunk estimate, whatever the law of what is shrunk.

A shrunk estimate misses by a normal error and by a bias that differs from value to value. In units of the
standard error the bias is t, and only its second moment m over the values is known. If chi is such that
E Pr(abs(Z + t) > chi) <= 5 % for every law of t with E t^2 = m, then estimate plus or minus chi standard
errors holds at least 95 % of the values, on average over them (Armstrong, Kolesar and Plagborg-Moller 2022,
section 3).
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.special import ndtr

from splu_ref.estimators.moments import FloatArray

MISS = 0.05
"""Share of values that an interval may miss."""

LARGEST = 1e6
"""Second moment up to which critical values are tabulated."""

_KNOTS = 120


def critical_values(second_moment: FloatArray) -> FloatArray:
    """Return chi for each second moment m of the bias, 0 .. `LARGEST`, from a table in log(1 + m)."""
    knots, table = _table()
    return np.interp(np.log1p(second_moment), knots, table)


def worst_miss(second_moment: float, critical: float) -> float:
    """Return the largest E Pr(abs(Z + t) > chi) over the laws of t with E t^2 = m.

    As a function of u = t^2 the probability is first convex, then concave, at most with a convex part near 0.
    So its least concave majorant is a chord from u = 0 to some u* >= m, or the function itself: the worst
    law has at most two points, 0 and sqrt(u*).
    """
    ends = np.concatenate([[second_moment], second_moment + np.geomspace(1e-3, (critical + 10) ** 2, 200)])
    mass = np.divide(second_moment, ends, out=np.ones_like(ends), where=ends > 0)
    at_zero = float(_miss(np.zeros(1), critical)[0])
    return float(np.max(at_zero * (1 - mass) + _miss(np.sqrt(ends), critical) * mass))


def _miss(bias: FloatArray, critical: float) -> FloatArray:
    return np.asarray(ndtr(-critical - bias) + ndtr(bias - critical))


@cache
def _table() -> tuple[FloatArray, FloatArray]:
    knots = np.linspace(0.0, np.log1p(LARGEST), _KNOTS)
    return knots, np.array([_critical(float(np.expm1(knot))) for knot in knots])


def _critical(second_moment: float) -> float:
    """Bisect for chi; by Chebyshev it is at most sqrt((1 + m) / 5 %)."""
    low, high = 1.0, float(np.sqrt((1 + second_moment) / MISS))
    for _ in range(30):
        middle = (low + high) / 2
        if worst_miss(second_moment, middle) > MISS:
            low = middle
        else:
            high = middle
    return high
