"""Estimates of the composition of a conjunction from its single conditions.

The single conditions of a predicate P have more records than P, so their compositions are known far better.
If the conditions are independent given the sensitive value, the composition of P has the product form

    m_v = n c phi_v prod over conditions j of (phi_vj / phi_v)^e,    e = 1,

where phi are the shares of the values among all records, phi_vj among the records of condition j, and c makes
the shares sum to 1. If the conditions repeat each other, a smaller e fits better; e = 1/2 and e = 1 are
averaged with the weights of their marginal likelihoods. If the conditions say nothing, m = n phi.

The prior mean of the true count x_v is m_v. Its prior variance has three parts: a random sample, the errors
of the phi_vj, and deviations from the product form, n^2 tau^2 m_v^1.5 on the scale of shares. One tau is
learned from all values of P, with the likelihood of Student's t, because a few values may deviate far more
than others.

The records of P are among those of its conditions, so the error of y_v is in m_v as well, with a weight s.
With V the prior variance and W that of the estimate of x_v from y_v alone, this estimate has the weight
w = V / (V + (1-s)^2 W). It has s of that through m_v already, so its deviation from m_v has the weight
(w - s)/(1-s). Otherwise y_v would be used twice, and where conditions say nothing the estimate would be worse
than without them. The likelihood of tau leaves s out, so the learned deviation is too small rather than too
large.

The published count y_v has the expectation (m T)_v under the product form, with T the transition matrix of
the plan (claim splu.M1c). Its deviation from that, divided by p - g, is an unbiased estimate of x_v - m_v if
and only if each other value is published as v with the probability g (claim splu.DEV). Here g is the chance
of another value with the same frequency, so 0 for a frequency that no other value has. There the deviation is
understated by the factor 1 - g/p; dividing by p less the mean chance of the other values had the larger error
on the tables that served for tuning.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from splu_ref.estimators.shrinkage.weights import Prior
from splu_ref.mechanisms import FloatArray
from splu_ref.randomness import IntArray

EXPONENTS = (0.5, 1.0)
"""Exponents e of the product form."""
LEAST_SHARE = 0.02
"""Lower bound of phi_vj as a share of phi_v; a product cannot leave 0."""
MOST_VARIANCE = 4.0
"""Upper bound of the relative variance of phi_vj."""
INHERITED = 0.5
"""Part of the variance of phi_vj that enters the prior variance. The rest is that of the published count of
P, whose records are among those of the condition."""
MOST_OWN, MOST_SHARED = 0.9, 0.5
"""Upper bounds of the part s of the prior mean that the predicate's own published count makes: in the prior
mean without it, and in the weight. It is a sum over the conditions, and overstated where it is large."""
FREEDOM = 4.0
"""Degrees of freedom of Student's t."""
_TAUS: FloatArray = np.geomspace(0.02, 8.0, 14)
DEVIATIONS = Prior(_TAUS, 1 / (1 + (_TAUS / 0.1) ** 2))
"""Prior of tau: half-Cauchy with scale 0.1."""
_POWER = 1.5
_LEAST = 1e-9


class Conditions(NamedTuple):
    """The single conditions of several predicates.

    Attributes
    ----------
    published
        Published counts of each condition alone, shape (conditions, values).
    of
        Which conditions each predicate has, 1 or 0, shape (predicates, conditions).
    """

    published: FloatArray
    of: FloatArray

    @property
    def several(self) -> NDArray[np.bool_]:
        """Return whether a predicate has several, shape (predicates,)."""
        return np.asarray(self.of.sum(axis=1) > 1)

    def of_predicates(self, places: IntArray) -> Conditions:
        """Return the conditions of some of the predicates."""
        of = self.of[places]
        used = of.any(axis=0)
        return Conditions(self.published[used], of[:, used])


class ProductForms(NamedTuple):
    """Product forms of several predicates, each of shape (exponents, predicates, values).

    Attributes
    ----------
    share
        m/n.
    variance
        Its relative variance due to the errors of the single conditions, as if those of one predicate were
        equal: all conditions have the errors of the published frequencies in common.
    slope
        Relative derivative by the predicate's published count of the value, which is part of those of the
        conditions.
    """

    share: FloatArray
    variance: FloatArray
    slope: FloatArray

    @classmethod
    def of(
        cls, base: FloatArray, single: FloatArray, variance: FloatArray, slope: FloatArray, of: FloatArray
    ) -> ProductForms:
        """Return the product forms.

        Parameters
        ----------
        base
            phi, shape (values,); 0 for values that do not occur.
        single, variance, slope
            Estimated shares given each condition, their variances, and their derivatives by the published
            count of the value, shape (conditions, values).
        of
            See `Conditions`.
        """
        occurring = base > 0
        phi = np.where(occurring, base, 1.0)
        bounded = np.where(occurring, np.maximum(single, LEAST_SHARE * phi), 1.0)
        logs = of @ np.log(bounded / phi)
        relative = (of @ np.sqrt(np.minimum(variance / bounded**2, MOST_VARIANCE))) ** 2
        slopes = of @ (slope / bounded)
        shares = []
        for exponent in EXPONENTS:
            powers = exponent * np.where(occurring, logs, -np.inf)
            share = base * np.exp(powers - powers.max(axis=1, keepdims=True))
            shares.append(share / share.sum(axis=1, keepdims=True))
        return cls(
            np.stack(shares),
            np.stack([exponent**2 * relative for exponent in EXPONENTS]),
            np.stack([exponent * slopes for exponent in EXPONENTS]),
        )


class CountPosterior(NamedTuple):
    """Posterior of the true counts of several predicates, each of shape (predicates, values).

    Attributes
    ----------
    mean, variance
        Posterior moments.
    outside
        Prior mean without the predicate's own published count of the value.
    spread
        Prior variance.
    """

    mean: FloatArray
    variance: FloatArray
    outside: FloatArray
    spread: FloatArray

    def mixed(self, other: CountPosterior, weight: FloatArray) -> CountPosterior:
        """Return the moments of a mixture, in which ``other`` has this weight by value."""
        moved, moved_prior = other.mean - self.mean, other.outside - self.outside
        left, between = 1 - weight, weight * (1 - weight)
        return CountPosterior(
            mean=self.mean + weight * moved,
            variance=left * self.variance + weight * other.variance + between * moved**2,
            outside=self.outside + weight * moved_prior,
            spread=left * self.spread + weight * other.spread + between * moved_prior**2,
        )


class PublishedForm(NamedTuple):
    """A product form with the published counts that it leads one to expect, shape (predicates, values).

    Attributes
    ----------
    mean
        m.
    outside
        m without the predicate's own published count of the value.
    deviation
        Estimate of x - m: see claim splu.DEV for when it is unbiased.
    noise
        Its variance at x = m: see claim splu.DEVv.
    shared
        The part s of m that the predicate's own published count of the value makes.
    chance
        Prior variance of x without deviations from the form.
    unit
        Prior variance by deviations, for tau = 1.
    trust
        Weight of the value in the likelihood of tau: sparse counts are not normal.
    """

    mean: FloatArray
    outside: FloatArray
    deviation: FloatArray
    noise: FloatArray
    shared: FloatArray
    chance: FloatArray
    unit: FloatArray
    trust: FloatArray

    @classmethod
    def of(
        cls,
        published: FloatArray,
        expected: FloatArray,
        share: FloatArray,
        relative: FloatArray,
        slope: FloatArray,
        *,
        rows: float,
        retention: float,
        contrast: FloatArray,
    ) -> PublishedForm:
        """Compare published counts y with the ``expected`` ones, (m T)_v, of one product form."""
        n = published.sum(axis=1)[:, None]
        mean, expected = n * share, np.maximum(expected, _LEAST)
        others = np.maximum(n - mean, _LEAST)
        gain = np.clip((expected - retention * mean) / others, 0.0, 1.0)
        noise = mean * retention * (1 - retention) + others * gain * (1 - gain)
        square = (share**2).sum(axis=1, keepdims=True) ** (2 - _POWER)
        shared = np.maximum(slope * mean * contrast, 0.0)
        own = np.minimum(shared, MOST_OWN)
        return cls(
            mean=mean,
            outside=mean * np.exp(np.clip(-slope * (published - expected) / (1 - own), -1.0, 1.0)),
            deviation=(published - expected) / contrast,
            noise=noise / contrast**2,
            shared=np.minimum(shared, MOST_SHARED),
            chance=mean * (1 - n / rows) * (1 - share) + INHERITED * relative * mean**2,
            unit=n**2 * share**_POWER * square,
            trust=2 / (2 + 1 / expected),
        )

    @property
    def scores(self) -> FloatArray:
        """The log-likelihood of each tau, shape (taus, predicates)."""
        known, square = self.noise + self.chance, self.deviation**2 / FREEDOM
        totals = (np.maximum(known + tau * tau * self.unit, _LEAST) for tau in _TAUS.tolist())
        fits = ((FREEDOM + 1) * np.log(total + square) - FREEDOM * np.log(total) for total in totals)
        return np.array([-np.einsum("pv,pv->p", self.trust, fit) / 2 for fit in fits])


def product_form_posterior(forms: list[PublishedForm]) -> CountPosterior:
    """Return the posterior of counts under the product form, averaged over the forms and tau."""
    scores = np.log(DEVIATIONS.masses)[:, None] + np.array([form.scores for form in forms])
    posterior = np.exp(scores - scores.max(axis=(0, 1)))
    posterior /= posterior.sum(axis=(0, 1))
    mean, square, left, outside, spread = (np.zeros_like(forms[0].mean) for _ in range(5))
    for form, shares in zip(forms, posterior, strict=True):
        weights, squares = np.zeros_like(mean), np.zeros_like(mean)  # averages over tau
        apart = 1 - form.shared
        for tau, share in zip(_TAUS.tolist(), shares, strict=True):
            prior = form.chance + tau * tau * form.unit
            total = np.maximum(prior + apart**2 * form.noise, _LEAST)
            weight = (prior / total - form.shared) / apart
            part = share[:, None] * weight
            weights += part
            squares += part * weight
        known = shares.sum(axis=0)[:, None]
        outside += known * form.outside
        mean += known * form.mean + weights * form.deviation
        square += (
            known * form.mean**2 + 2 * weights * form.mean * form.deviation + squares * form.deviation**2
        )
        left += form.noise * (apart * weights + form.shared * known)
        spread += known * form.chance + (_TAUS**2 @ shares)[:, None] * form.unit
    return CountPosterior(mean, left + np.maximum(square - mean**2, 0.0), outside, spread)
