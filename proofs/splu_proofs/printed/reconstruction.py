"""Where the printed reconstruction of a conjunction ends (Fu et al. 2014, section 5.1, (6) to (13)).

At a fixed point each block, P and its complement, is at its likelihood maximum for the share phi = f/N that
the fixed point itself implies: with y of n records published with s, the block's count is y's solution
(y - n phi)/(1/gamma - phi), clipped to 0 .. n. The two counts must add up to N phi. As long as phi < 1/gamma
their sum less N phi falls strictly as phi grows, so there is at most one such phi. It is in general
irrational; the sign of that falling function at a rational point shows on which side it lies, so that no
rounding is needed. For f' near N/gamma there are further fixed points, with phi >= 1/gamma, to which the
iteration may go instead; only f' <= N/(2 gamma) is answered here. See splu.M1b for the bias of this fixed
point, and `splu_proofs.printed.iteration` for the iteration itself.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np


def lies_between(y3: Any, y1: Any, n: int, rows: int, gamma: int, low: Fraction, high: Fraction) -> Any:
    """Decide, where f' <= N/(2 gamma), a fixed point with phi < 1/gamma exists, and low < x3 < high there.

    ``y3`` and ``y1`` are arrays of whole numbers that broadcast; the answer is an array of booleans.
    """
    inside, outside = y3.astype(object), y1.astype(object)
    full, others_full = gamma * inside >= n, gamma * outside >= rows - n
    exists = 2 * gamma * (inside + outside) <= rows
    exists &= gamma * (np.where(full, n, 0) + np.where(others_full, rows - n, 0)) < rows
    above = np.where(full, n > low, _excess(inside, outside, n, rows, gamma, low) < 0)
    below = np.where(full, n < high, _excess(inside, outside, n, rows, gamma, high) > 0)
    return (exists & above & below).astype(bool)


def _excess(y3: Any, y1: Any, n: int, rows: int, gamma: int, level: Fraction) -> Any:
    """Return the sign of x3 + x1 - N phi at the phi where P's unclipped count is ``level``.

    It is negative if the fixed point has more than ``level``, positive if less; -1 where any count in
    0 .. n is more, 1 where any is less. With level = l/d that phi is a/b with a = gamma d y3 - l and b =
    gamma (n d - l), and 1/gamma - phi is a positive multiple of n - gamma y3.
    """
    if level < 0 or level > n:
        return np.broadcast_to(np.int64(-1 if level < 0 else 1), np.broadcast_shapes(y3.shape, y1.shape))
    if level == n:  # gamma y3 < n: the count is less than n at every phi
        return np.ones(np.broadcast_shapes(y3.shape, y1.shape), dtype=np.int64)
    numerator, denominator = level.numerator, level.denominator
    a, b = gamma * denominator * y3 - numerator, gamma * (n * denominator - numerator)
    room = b - gamma * a
    others = np.minimum(np.maximum(gamma * (b * y1 - (rows - n) * a), 0), (rows - n) * room)
    sign = numerator * b * room + denominator * b * others - rows * a * denominator * room
    return np.where(a < 0, 1, sign)  # a < 0: already at phi = 0 the count, gamma y3, is less than the level
