"""Moments of the published counts of a conjunction, and variance and bias of its estimate in closed form.

The moments are exact under hypothesis H; variance and bias are named approximations of exact arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from splu_ref.guarantees.conjunction import Conjunction
from splu_ref.model import Exact


@dataclass(frozen=True, slots=True)
class Moments:
    """Exact moments of the published counts under hypothesis H.

    Attributes
    ----------
    mean_inside
        E y3 = x3 p + (n - x3) a.
    inside
        Var y3.
    outside
        Var y1.
    covariance
        Cov(y3, y1), at most 0.
    """

    mean_inside: Fraction
    inside: Fraction
    outside: Fraction
    covariance: Fraction

    @property
    def published(self) -> Fraction:
        """Var f' = f p (1-p) + (gamma-1) f q (1-q)."""
        return self.inside + self.outside + 2 * self.covariance

    @property
    def with_published(self) -> Fraction:
        """Cov(y3, f')."""
        return self.inside + self.covariance

    def of_sum(self, slope: Fraction) -> Fraction:
        """Return Var(y3 - slope f')."""
        return self.inside + slope**2 * self.published - 2 * slope * self.with_published


def moments(conjunction: Conjunction, concept_count: int) -> Moments:
    """Return the moments of y3 and y1 for x3 = ``concept_count`` (splu.Vp)."""
    law, x3 = conjunction.law, concept_count
    own, decoy = (chance * (1 - chance) for chance in (law.retention, law.decoy))
    others, places = conjunction.predicate_count - x3, conjunction.rows - conjunction.frequency
    kappa = Fraction(conjunction.exposed, places)
    exposed = others * kappa
    scatter = Fraction(0)
    if places > 1:
        scatter = exposed * (1 - kappa) * Fraction(places - others, places - 1)
    between = scatter * law.decoy**2
    return Moments(
        x3 * law.retention + others * conjunction.channel.probability(False, True),
        x3 * own + exposed * decoy + between,
        (conjunction.frequency - x3) * own + (conjunction.exposed - exposed) * decoy + between,
        -between,
    )


def conjunction_variance(conjunction: Conjunction, concept_count: Exact) -> Fraction:
    """Return the variance of the unclipped estimate by the delta method, a fraction of records squared.

    Parameters
    ----------
    conjunction
        The predicate and the value.
    concept_count
        True count x3, at least 1.

    Returns
    -------
    Fraction
        g3^2 Var y3 + g1^2 Var y1 + 2 g1 g3 Cov, with g1 = (x3-n) a'/D, a' = (1-p) N/(N-f)^2 and
        g3 = 1/D + g1. An approximation of relative order 1/N; `conjunction_error_bound` needs none.

    Notes
    -----
    splu.Vp.
    """
    x3 = conjunction.check_concept(concept_count)
    found, (g1, g3) = moments(conjunction, x3), _gradient(conjunction, x3)
    return g3**2 * found.inside + g1**2 * found.outside + 2 * g1 * g3 * found.covariance


def conjunction_bias(conjunction: Conjunction, concept_count: Exact) -> Fraction:
    """Return the bias of the unclipped estimate to second order, in records.

    Parameters as in `conjunction_variance`.

    Returns
    -------
    Fraction
        ((1-p) N Cov(f', y3) - c Var f') / (p N - f)^2 with c = (n - x3)(1-p) N/(N-f). What is dropped are
        moments of the third order. With f known instead of estimated the bias is 0.

    Notes
    -----
    splu.Vp.
    """
    x3 = conjunction.check_concept(concept_count)
    found, p = moments(conjunction, x3), conjunction.law.retention
    lost = (1 - p) * conjunction.rows
    drag = (conjunction.predicate_count - x3) * lost / (conjunction.rows - conjunction.frequency)
    room = p * conjunction.rows - conjunction.frequency
    return (lost * found.with_published - drag * found.published) / room**2


def _gradient(conjunction: Conjunction, x3: int) -> tuple[Fraction, Fraction]:
    """Return how the estimate changes with y1, and with y3, at the means."""
    lost = 1 - conjunction.law.retention
    slope = lost * conjunction.rows / Fraction(conjunction.rows - conjunction.frequency) ** 2
    channel = conjunction.channel
    spread = channel.probability(True, True) - channel.probability(False, True)
    g1 = (x3 - conjunction.predicate_count) * slope / spread
    return g1, 1 / spread + g1
