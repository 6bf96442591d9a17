"""The reconstruction as printed, with several sensitive attributes: Fu et al. 2014, sections 5.1 and 5.2.

The states of a conjunction are the combinations of P, s_1, ..., s_w holding or not. The matrix is the tensor
product M_0 x M_1 x ... x M_w of section 5.2 with M_0 = I for the predicate, each M_i made from the present x
as in equations (6) to (9). For one sensitive attribute this is ``iteration.reconstruct``; here many
conjunctions are iterated side by side, each until the printed rule stops it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .iteration import TOLERANCE


def reconstruct_many(y: Any, gamma: int, limit: int = 100_000, negligible: float = 0.0) -> tuple[Any, Any]:
    """Iterate in double precision from y until the printed rule stops.

    Parameters
    ----------
    y
        Published counts of the states, shape (conjunctions, 2, 2, ..., 2): axis 1 is P, axis i + 1 is s_i,
        and index 1 means that it holds.
    gamma
        Size of a decoy group.
    limit
        Steps after which a conjunction is given up.
    negligible
        An entry that is no more than this is taken as unchanged. The printed rule has no such thing: an
        entry that sinks to 0 by a few percent a step keeps it going for 10^4 steps, until the number is too
        small for double precision.

    Returns
    -------
    tuple
        The last x, of the shape of y, not a number for a conjunction that is given up or has no next x, and
        the number of steps, shape (conjunctions,). An entry that is 0 stays 0 and is taken as unchanged.
    """
    published = np.asarray(y, dtype=np.float64)
    x = published.copy()
    result = np.full_like(x, np.nan)
    steps = np.zeros(len(x), dtype=np.int64)
    going = np.arange(len(x))
    while len(going) and limit:
        limit -= 1
        after = _step(x, published[going], gamma)
        steps[going] += 1
        changed = (np.abs(after - x) > float(TOLERANCE) * x) & (x > negligible)
        stopped = ~changed.reshape(len(x), -1).any(axis=1)
        result[going[stopped]] = after[stopped]
        going, x = going[~stopped], after[~stopped]
    return result, steps


def _step(x: Any, y: Any, gamma: int) -> Any:
    """Return the next x: equation (13) with the matrix of the present x."""
    whole = x.reshape(len(x), -1).sum(axis=1)
    kept = np.full_like(whole, 1 / gamma)
    factors = []
    for axis in range(2, x.ndim):
        gained = np.moveaxis(x, axis, 1)[:, 1].reshape(len(x), -1).sum(axis=1) / whole
        rows = np.stack([1 - gained, gained], axis=1), np.stack([1 - kept, kept], axis=1)
        factors.append(np.stack(rows, axis=1))
    expected = _applied(x, factors)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(y == 0, 0.0, y / expected)
    return x * _applied(shares, [np.swapaxes(factor, 1, 2) for factor in factors])


def _applied(counts: Any, factors: list[Any]) -> Any:
    """Multiply row vectors by the tensor product of I and the factors."""
    out = counts
    for axis, factor in enumerate(factors, start=2):
        moved = np.moveaxis(out, axis, -1)
        without, having = (factor[:, row].reshape(-1, *(1,) * (moved.ndim - 2), 2) for row in (0, 1))
        out = np.moveaxis(moved[..., :1] * without + moved[..., 1:] * having, -1, axis)
    return out
