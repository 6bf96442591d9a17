"""Exact binomial masses and tails in integers, and certified enclosures of them.

X ~ Bin(n, p) with a rational p strictly between 0 and 1. A tail is always summed term by term; it is
never computed as one minus the rest. Exact functions return the rational number itself, directed ones
an interval of dyadic rationals that contains it. `TwoKinds` is the sum of two binomial counts.
"""

from splu_ref.binomial.directed import (
    MassWalk,
    lower_tail_bounds,
    lower_tail_enclosure,
    upper_tail_bounds,
    upper_tail_enclosure,
)
from splu_ref.binomial.enclosure import Bounds, Enclosure
from splu_ref.binomial.exact import (
    lower_tail,
    lower_tail_numerator,
    probability_mass,
    upper_tail,
    upper_tail_numerator,
)
from splu_ref.binomial.two_kinds import Trials, TwoKinds
from splu_ref.binomial.two_kinds_directed import (
    two_kinds_lower_tail,
    two_kinds_lower_tail_bounds,
    two_kinds_upper_tail,
    two_kinds_upper_tail_bounds,
)

__all__ = [
    "Bounds",
    "Enclosure",
    "MassWalk",
    "Trials",
    "TwoKinds",
    "lower_tail",
    "lower_tail_bounds",
    "lower_tail_enclosure",
    "lower_tail_numerator",
    "probability_mass",
    "two_kinds_lower_tail",
    "two_kinds_lower_tail_bounds",
    "two_kinds_upper_tail",
    "two_kinds_upper_tail_bounds",
    "upper_tail",
    "upper_tail_bounds",
    "upper_tail_enclosure",
    "upper_tail_numerator",
]
