"""Small-sum privacy: the least error probability over all counts 1..alpha (T_P), exactly.

Where it is attained is decided in `least_error`; what remains is the error probability at that count.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from splu_ref.binomial import Bounds
from splu_ref.binomial.work import one_budget
from splu_ref.channels import PublishedCount
from splu_ref.guarantees.count_error import (
    DIRECTED_TRIALS,
    error_enclosure,
    error_probability,
    refuse_inexact,
)
from splu_ref.guarantees.least_error import least_error_count, refuse_long_search
from splu_ref.guarantees.plateaus import error_offset
from splu_ref.guarantees.progress import Progress
from splu_ref.model import Exact, Gamma, ParameterError, positive, shown, whole

_MOST_PLATEAUS = 2_000_000
_MOST_AFRESH = 2_000_000, 10_000  # gamma alpha, and plateaus, where every probability is computed afresh
_MOST_DISTANCE = 20_000_000  # of f' from its mean or from its greatest value, in factors of a factorial


@dataclass(frozen=True, slots=True)
class PrivacyMinimum:
    """The exact small-sum privacy level of SPLU-Gen's count f'.

    Attributes
    ----------
    gamma, epsilon, alpha, retention
        The parameters.
    t_p
        Least Pr(abs(f' - f) > epsilon f) over 1 <= f <= alpha: the form of Theorem 4.
    argmin
        The least f that attains it.
    t_p_definition
        Least Pr(abs(f' - f) >= epsilon f): Definition 2, the tight value, at least ``t_p``.
    argmin_definition
        The least f that attains it.
    """

    gamma: Gamma
    epsilon: Fraction
    alpha: int
    t_p: Fraction
    argmin: int
    t_p_definition: Fraction
    argmin_definition: int
    retention: Fraction


@dataclass(frozen=True, slots=True)
class PrivacyMinimumBounds:
    """`PrivacyMinimum` with certified enclosures in place of the exact fractions.

    The counts ``argmin`` and ``argmin_definition`` are exact; each enclosure is narrower than its lower
    end times 10**-``digits``.
    """

    gamma: Gamma
    epsilon: Fraction
    alpha: int
    digits: int
    t_p: Bounds
    argmin: int
    t_p_definition: Bounds
    argmin_definition: int
    retention: Fraction


@one_budget()
def privacy_minimum(
    gamma: Exact,
    epsilon: Exact,
    alpha: Exact,
    *,
    retention: Exact | None = None,
    progress: Progress | None = None,
) -> PrivacyMinimum:
    """Return the largest T_P for which SPLU-Gen's count has (epsilon, T_P, alpha) small-sum privacy.

    Parameters
    ----------
    gamma
        Size of a decoy group, a whole number of at least 2.
    epsilon
        Relative error, greater than 0.
    alpha
        Largest protected count, at least 1; gamma alpha is at most 300,000.
    retention
        Probability p of publishing the own value, greater than 0 and at most 1; None stands for 1/gamma.
    progress
        Called now and then with (counts treated, counts in all), at the end with two equal numbers.

    Returns
    -------
    PrivacyMinimum
        Both forms of T_P as fractions, and where they are attained.

    Raises
    ------
    ParameterError
        For a parameter outside its range, a float, or an alpha that only `privacy_minimum_bounds` can
        treat.

    Notes
    -----
    Fu et al. 2014, Lemma 2 and Theorem 4; splu.Sp for other p. The promise is about the estimator f' and
    no other.
    """
    law, epsilon, alpha = limited(gamma, epsilon, alpha, retention)
    refuse_inexact(law, alpha, error_offset(epsilon, alpha, strict=True))
    argmin = least_error_count(law, epsilon, alpha, True, _part(progress, alpha, 0))
    argmin_definition = least_error_count(law, epsilon, alpha, False, _part(progress, alpha, 1))
    p = law.retention
    return PrivacyMinimum(
        law.gamma,
        epsilon,
        alpha,
        error_probability(law.gamma, epsilon, argmin, strict=True, retention=p),
        argmin,
        error_probability(law.gamma, epsilon, argmin_definition, retention=p),
        argmin_definition,
        p,
    )


@one_budget()
def privacy_minimum_bounds(
    gamma: Exact,
    epsilon: Exact,
    alpha: Exact,
    digits: int = 12,
    *,
    retention: Exact | None = None,
    progress: Progress | None = None,
) -> PrivacyMinimumBounds:
    """Return `privacy_minimum` to a number of certified significant digits, for large alpha.

    The same parameters, with gamma alpha of up to 200,000,000, at most 2,000,000 plateaus (about alpha
    times the smaller of epsilon and 1) and, for 1 <= epsilon < gamma - 1, alpha times the smaller of
    epsilon and gamma - 1 - epsilon of up to 20,000,000. With another p than 1/gamma the first two limits
    are 2,000,000 and 10,000. ``digits`` is at least 1. Whatever the limits, what takes more than about a
    minute (`splu_ref.binomial.work`) is refused.
    """
    law, epsilon, alpha = limited(gamma, epsilon, alpha, retention)
    bits = 4 * whole(digits, "digits", 1) + 16
    argmin = least_error_count(law, epsilon, alpha, True, _part(progress, alpha, 0))
    argmin_definition = least_error_count(law, epsilon, alpha, False, _part(progress, alpha, 1))
    return PrivacyMinimumBounds(
        law.gamma,
        epsilon,
        alpha,
        digits,
        error_enclosure(law, argmin, error_offset(epsilon, argmin, strict=True), bits).bounds(),
        argmin,
        error_enclosure(law, argmin_definition, error_offset(epsilon, argmin_definition), bits).bounds(),
        argmin_definition,
        law.retention,
    )


def most_counts(law: PublishedCount, releases: int) -> tuple[Fraction, int]:
    """Return the largest gamma alpha R over gamma R, and the largest number of plateaus, for a law."""
    trials, plateaus = (DIRECTED_TRIALS, _MOST_PLATEAUS) if law.is_plain else _MOST_AFRESH
    return Fraction(trials, law.gamma * releases), plateaus


def limited(
    gamma: Exact, epsilon: Exact, alpha: Exact, retention: Exact | None
) -> tuple[PublishedCount, Fraction, int]:
    """Return the law, epsilon and alpha, validated; raise if they are too large to be computed with."""
    law = PublishedCount.of(gamma, retention)
    gamma, epsilon, alpha = law.gamma, positive(epsilon, "epsilon"), whole(alpha, "alpha", 1)
    counts, plateaus = most_counts(law, 1)
    most = min(counts, plateaus / min(epsilon, Fraction(1)))
    if 1 <= epsilon < gamma - 1:  # below 1 the plateaus bound the distance
        most = min(most, _MOST_DISTANCE / min(epsilon, gamma - 1 - epsilon))
    if most < 1:
        raise ParameterError(
            f"gamma = {shown(gamma)} would take too long at any count: give a gamma of at most "
            f"{min(int(counts * gamma), 2 * _MOST_DISTANCE)}"
        )
    if alpha > most:
        raise ParameterError(
            f"alpha = {shown(alpha)} would take too long: give an alpha of at most {int(most)}"
        )
    refuse_long_search(law, epsilon, alpha)
    return law, epsilon, alpha


def _part(progress: Progress | None, alpha: int, part: int) -> Progress | None:
    """Return the progress of one of the two passes over 1..alpha, as progress of both."""
    if progress is None:
        return None
    return lambda done, _: progress(part * alpha + done, 2 * alpha)
