"""Step 3 of SPLU-Gen (Fu et al. 2014, section 3.1): whether a record keeps its value, or whose it takes.

Draw 0 is the record's own value, draw j > 0 the j-th of the other values of its decoy group. With the
retention probability p = u/w, one uniform integer decides: k of every m keep the value, and each of the
gamma - 1 other draws has the same share of the rest.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from typing import NamedTuple

import numpy as np

from splu_ref.model import Gamma, ParameterError
from splu_ref.randomness import Draws, IntArray

LARGEST_BOUND = 2**63


class DrawRule(NamedTuple):
    """How a uniform integer r below ``bound`` becomes a draw.

    r < ``keeping`` is draw 0; otherwise the draw is 1 + (r - ``keeping``) // ``share``.
    """

    bound: int
    keeping: int
    share: int

    def draw(self, integers: IntArray) -> IntArray:
        """Return the draws that uniform integers below ``bound`` become, shape as given."""
        if self.keeping == self.share == 1:
            return integers  # p = 1 / gamma: the integer is the draw
        return np.where(integers < self.keeping, 0, 1 + (integers - self.keeping) // max(self.share, 1))


def draw_rule(gamma: Gamma, retention: Fraction) -> DrawRule:
    """Return the rule with the least bound.

    Parameters
    ----------
    gamma
        Size of a decoy group.
    retention
        p = u/w in lowest terms, 0 < p <= 1. With g = gcd(u (gamma - 1), w - u), the bound is
        w (gamma - 1)/g, of which u (gamma - 1)/g keep the value and (w - u)/g go to each other draw.
        For p = 1/gamma that is gamma, 1 and 1.

    Raises
    ------
    ParameterError
        If the bound is above 2**63.
    """
    kept, whole = retention.numerator, retention.denominator
    common = gcd(kept * (gamma - 1), whole - kept)
    rule = DrawRule(whole * (gamma - 1) // common, kept * (gamma - 1) // common, (whole - kept) // common)
    if rule.bound > LARGEST_BOUND:
        raise ParameterError("retention has too many digits to draw by: write it with fewer, such as 0.3")
    return rule


def draws(source: Draws, gamma: Gamma, retention: Fraction, size: int) -> IntArray:
    """Return one draw below ``gamma`` for each of ``size`` records: 0 with probability ``retention``."""
    rule = draw_rule(gamma, retention)
    return rule.draw(source.below(rule.bound, size))
