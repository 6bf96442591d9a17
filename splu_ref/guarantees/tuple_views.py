"""What several views of one original tell together, by the alpha-beta algorithm.

*Fresh* coins in each of R views: a tuple that is in j of them has the odds of its prior times
seen^j unseen^(R - j). *One randomness*, coins that belong to tuples: the same view again, and nothing more.
With such coins and a *changing* table, a tuple that was unseen and is seen has been inserted, for certain.
"""

from __future__ import annotations

from fractions import Fraction

from splu_ref.guarantees.tuple_privacy import TupleChances, TupleLevels
from splu_ref.model import Exact, ParameterError, probability, whole


def views_posterior(chances: TupleChances, prior: Exact, views: Exact, seen: Exact) -> Fraction:
    """Return Pr[t in I] once t is in ``seen`` of so many views with fresh coins.

    Raises
    ------
    ParameterError
        If there are fewer views than ``seen``, or what is seen has no chance under this prior.
    """
    belief, number, hits = probability(prior, "prior"), whole(views, "views", 1), whole(seen, "seen", 0)
    if hits > number:
        raise ParameterError(f"a tuple cannot be in {hits} of {number} views: give at most {number}")
    own, other = chances.alpha + chances.beta, chances.beta
    inside = belief * own**hits * (1 - own) ** (number - hits)
    outside = (1 - belief) * other**hits * (1 - other) ** (number - hits)
    if not inside + outside:
        raise ParameterError("with this prior such views are impossible: choose a prior strictly between")
    return inside / (inside + outside)


def views_allowed(levels: TupleLevels, chances: TupleChances, views: Exact) -> bool:
    """Return whether R views with fresh coins are (d, gamma)-private together, for all outcomes.

    The extremes decide: a tuple in all views must keep the posterior at most gamma at the prior d, and one in
    none of them at least d/gamma of any prior: seen^R <= gamma (1 - d)/(d (1 - gamma)) and
    unseen^R >= d/gamma.
    """
    number = whole(views, "views", 1)
    if chances.seen is None:
        return False
    room = levels.gamma * (1 - levels.d) / (levels.d * (1 - levels.gamma))
    return chances.seen**number <= room and chances.unseen**number >= levels.d / levels.gamma


def most_views(levels: TupleLevels, chances: TupleChances) -> int:
    """Return the largest number of views with fresh coins that are (d, gamma)-private together, or 0."""
    low, high = 0, 1
    while views_allowed(levels, chances, high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if views_allowed(levels, chances, middle):
            low = middle
        else:
            high = middle
    return low
