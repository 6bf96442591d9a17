"""(d, gamma)-privacy of the alpha-beta algorithm (Rastogi, Suciu and Hong 2007), for one or several views.

Definitions 2.1 and 2.3: an adversary has independent priors of at most d that each tuple t is in the
original. The view V must not raise the posterior of t above gamma, nor lower it below d/gamma times the
prior. The other published tuples are independent of t, so the posterior depends only on whether t is in V.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction

from splu_ref.channels import Exact, ParameterError, exact, integer, positive, probability, shown

_DECIMALS = 10**9


@dataclass(frozen=True, slots=True)
class TupleChances:
    """Chances that a tuple is published: alpha + beta if it is in the original, and beta if not."""

    alpha: Fraction  #: alpha > 0, beta >= 0, alpha + beta <= 1
    beta: Fraction  #: alpha > 0, beta >= 0, alpha + beta <= 1

    @classmethod
    def of(cls, alpha: Exact, beta: Exact) -> TupleChances:
        """Return the chances, validated.

        Raises
        ------
        ParameterError
            If one is out of range, or a float.
        """
        return cls(positive(alpha, "alpha"), probability(beta, "beta"))

    def __post_init__(self) -> None:
        if not (self.alpha > 0 <= self.beta and self.alpha + self.beta <= 1):
            raise ParameterError(
                f"alpha = {shown(self.alpha)} and beta = {shown(self.beta)} are no chances of the algorithm: "
                "choose alpha > 0, beta >= 0 and alpha + beta <= 1"
            )

    @property
    def seen(self) -> Fraction | None:
        """(alpha + beta)/beta: by what the odds of a tuple in V are multiplied; None if that is infinite."""
        return None if not self.beta else (self.alpha + self.beta) / self.beta

    @property
    def unseen(self) -> Fraction:
        """(1 - alpha - beta)/(1 - beta): by what the odds of a tuple that is not in V are multiplied."""
        return (1 - self.alpha - self.beta) / (1 - self.beta)

    @property
    def amplification(self) -> Fraction | None:
        """The largest ratio of the chances of one V with one tuple more or less in I; None if infinite.

        It is e^epsilon of differential privacy under insertion and deletion of a tuple.
        """
        if self.seen is None or not self.unseen:
            return None
        return max(self.seen, 1 / self.unseen)

    def posterior(self, prior: Exact, *, in_view: bool) -> Fraction:
        """Return Pr[t in I | V], which depends on V by whether t is in it alone.

        Raises
        ------
        ParameterError
            If what is seen has no chance under this prior.
        """
        belief = probability(prior, "prior")
        inside, outside = self.alpha + self.beta, self.beta
        if not in_view:
            inside, outside = 1 - inside, 1 - outside
        chance = belief * inside + (1 - belief) * outside
        if not chance:
            raise ParameterError("with this prior such a view is impossible: choose a prior strictly between")
        return belief * inside / chance

    def largest_d(self, level: Exact) -> Fraction:
        """Return the largest d for which the algorithm is (d, gamma)-private; 0 if none is above 0.

        Parameters
        ----------
        level
            gamma, strictly between 0 and 1.
        """
        gamma = _level(level)
        share = self.beta / (self.alpha + self.beta)
        return min(share * gamma / (1 - gamma + share * gamma), gamma * self.unseen)


@dataclass(frozen=True, slots=True)
class TupleLevels:
    """The two levels of (d, gamma)-privacy, 0 < d <= gamma < 1."""

    d: Fraction  #: largest prior of a tuple that the adversary does not know to be in the original
    gamma: Fraction  #: largest posterior

    @classmethod
    def of(cls, d: Exact, gamma: Exact) -> TupleLevels:
        """Return the levels.

        Raises
        ------
        ParameterError
            Unless 0 < d <= gamma < 1: with d above gamma no published tuple keeps the level.
        """
        return cls(positive(d, "d"), _level(gamma))

    def __post_init__(self) -> None:
        if not 0 < self.d <= self.gamma < 1:
            raise ParameterError(
                f"d = {shown(self.d)} and gamma = {shown(self.gamma)} are no levels: give 0 < d <= gamma < 1"
            )

    def keeps_positive(self, chances: TupleChances) -> bool:
        """Return whether no posterior exceeds gamma: beta/(alpha + beta) >= d (1 - gamma)/(gamma (1 - d))."""
        d, gamma = self.d, self.gamma
        return chances.beta * gamma * (1 - d) >= (chances.alpha + chances.beta) * d * (1 - gamma)

    def keeps_negative(self, chances: TupleChances) -> bool:
        """Return whether no belief falls below d/gamma of itself: 1 - alpha - beta >= (1 - beta) d/gamma."""
        return (1 - chances.alpha - chances.beta) * self.gamma >= (1 - chances.beta) * self.d

    def allow(self, chances: TupleChances) -> bool:
        """Return whether the algorithm is (d, gamma)-private: exactly if both conditions hold."""
        return self.keeps_positive(chances) and self.keeps_negative(chances)

    def printed_conditions(self, chances: TupleChances) -> bool:
        """Return whether the conditions of Theorem 4.3 hold, which suffice and are not both necessary.

        The second one, alpha + beta <= 1 - d/gamma, leaves out the factor 1 - beta of the exact one.
        """
        return self.keeps_positive(chances) and chances.alpha + chances.beta <= 1 - self.d / self.gamma

    def best(self) -> TupleChances:
        """Return the chances of least variance, for every query and whatever its true count is.

        Both exact conditions hold with equality there: alpha = (gamma - d)/(gamma + d (1 - gamma)) and
        beta = d (1 - gamma)/(gamma + d (1 - gamma)).

        Raises
        ------
        ParameterError
            If d = gamma: then alpha would be 0, and the release says nothing.
        """
        self._require_room()
        whole = self.gamma + self.d * (1 - self.gamma)
        return TupleChances((self.gamma - self.d) / whole, self.d * (1 - self.gamma) / whole)

    def drawable(self) -> TupleChances:
        """Return chances near `best` of few digits, to draw by, for which both exact conditions hold.

        alpha + beta is rounded down to 9 decimals and beta up to 9 significant digits, which is the safe
        direction of both conditions.

        Raises
        ------
        ParameterError
            If d is so near to gamma that nothing is left of alpha.
        """
        best = self.best()
        kept = Fraction(int((best.alpha + best.beta) * _DECIMALS), _DECIMALS)
        scale = _DECIMALS
        while best.beta * scale < _DECIMALS // 10:
            scale *= 10
        fake = Fraction(-int(-best.beta * scale // 1), scale)
        if kept <= fake:
            raise ParameterError("d is too near to gamma: no release says anything then; give a smaller d")
        return TupleChances(kept - fake, fake)

    def printed_extreme(self) -> TupleChances:
        """Return the chances at which both conditions of Theorem 4.3 hold with equality.

        alpha + beta = 1 - d/gamma, of which beta is the share d (1 - gamma)/(gamma (1 - d)).
        """
        self._require_room()
        kept = 1 - self.d / self.gamma
        fake = kept * self.d * (1 - self.gamma) / (self.gamma * (1 - self.d))
        return TupleChances(kept - fake, fake)

    def _require_room(self) -> None:
        if self.d == self.gamma:
            raise ParameterError("d equals gamma: no release says anything then; give a d below gamma")


def prior_bound(k: Exact, tuples: int, domain: int) -> Fraction:
    """Return d = k n/m: at most k times the chance of a tuple under the uniform prior.

    Raises
    ------
    ParameterError
        If k is not positive.
    """
    return positive(k, "k") * Fraction(tuples, domain)


def _level(level: Exact) -> Fraction:
    gamma = exact(level, "gamma")
    if not 0 < gamma < 1:
        raise ParameterError(
            f"gamma is a posterior and must lie strictly between 0 and 1, not {shown(gamma)}"
        )
    return gamma


def views_allowed(levels: TupleLevels, chances: TupleChances, views: Exact) -> bool:
    """Return whether R views with fresh coins are (d, gamma)-private together, for all outcomes.

    The extremes decide: a tuple in all views must keep the posterior at most gamma at the prior d, and one in
    none of them at least d/gamma of any prior: seen^R <= gamma (1 - d)/(d (1 - gamma)) and
    unseen^R >= d/gamma.
    """
    number = integer(views, "views", 1)
    if chances.seen is None:
        return False
    room = levels.gamma * (1 - levels.d) / (levels.d * (1 - levels.gamma))
    return chances.seen**number <= room and chances.unseen**number >= levels.d / levels.gamma


def most_views(levels: TupleLevels, chances: TupleChances) -> int:
    """Return the largest number of views with fresh coins that are (d, gamma)-private together, or 0."""
    high = 1
    while views_allowed(levels, chances, high):
        high *= 2
    tried = range(high // 2 + 1, high)
    return high // 2 + bisect_left(tried, True, key=lambda views: not views_allowed(levels, chances, views))
