"""Small-sum privacy: the least error probability over all counts 1..alpha (T_P), exactly.

Where it is attained is decided in `least_error`; what remains is the error probability at that count.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from splu_ref.binomial import Bounds
from splu_ref.guarantees.count_error import (
    DIRECTED_TRIALS,
    error_enclosure,
    error_probability,
    exact_trials,
)
from splu_ref.guarantees.least_error import least_error_count
from splu_ref.guarantees.plateaus import error_offset
from splu_ref.guarantees.progress import Progress
from splu_ref.model import Exact, Gamma, ParameterError, positive, shown, whole

_MOST_PLATEAUS = 2_000_000
_MOST_DISTANCE = 20_000_000  # of f' from its mean or from its greatest value, in factors of a factorial


@dataclass(frozen=True, slots=True)
class PrivacyMinimum:
    """The exact small-sum privacy level of SPLU-Gen's count f'.

    Attributes
    ----------
    gamma, epsilon, alpha
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


def privacy_minimum(
    gamma: Exact, epsilon: Exact, alpha: Exact, *, progress: Progress | None = None
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
    Fu et al. 2014, Lemma 2 and Theorem 4. The promise is about the estimator f' and no other.
    """
    gamma, epsilon, alpha = _parameters(gamma, epsilon, alpha)
    exact_trials(gamma, alpha)
    argmin = least_error_count(gamma, epsilon, alpha, True, _part(progress, alpha, 0))
    argmin_definition = least_error_count(gamma, epsilon, alpha, False, _part(progress, alpha, 1))
    return PrivacyMinimum(
        gamma,
        epsilon,
        alpha,
        error_probability(gamma, epsilon, argmin, strict=True),
        argmin,
        error_probability(gamma, epsilon, argmin_definition),
        argmin_definition,
    )


def privacy_minimum_bounds(
    gamma: Exact,
    epsilon: Exact,
    alpha: Exact,
    digits: int = 12,
    *,
    progress: Progress | None = None,
) -> PrivacyMinimumBounds:
    """Return `privacy_minimum` to a number of certified significant digits, for large alpha.

    The same parameters, with gamma alpha of up to 200,000,000, at most 2,000,000 plateaus (about alpha
    times the smaller of epsilon and 1) and, for 1 <= epsilon < gamma - 1, alpha times the smaller of
    epsilon and gamma - 1 - epsilon of up to 20,000,000: that takes up to about a minute. ``digits`` is at
    least 1.
    """
    gamma, epsilon, alpha = _parameters(gamma, epsilon, alpha)
    bits = 4 * whole(digits, "digits", 1) + 16
    argmin = least_error_count(gamma, epsilon, alpha, True, _part(progress, alpha, 0))
    argmin_definition = least_error_count(gamma, epsilon, alpha, False, _part(progress, alpha, 1))
    return PrivacyMinimumBounds(
        gamma,
        epsilon,
        alpha,
        digits,
        error_enclosure(gamma, argmin, error_offset(epsilon, argmin, strict=True), bits).bounds(),
        argmin,
        error_enclosure(gamma, argmin_definition, error_offset(epsilon, argmin_definition), bits).bounds(),
        argmin_definition,
    )


def _parameters(gamma: Exact, epsilon: Exact, alpha: Exact) -> tuple[Gamma, Fraction, int]:
    gamma, epsilon, alpha = Gamma(gamma), positive(epsilon, "epsilon"), whole(alpha, "alpha", 1)
    most = min(Fraction(DIRECTED_TRIALS, gamma), _MOST_PLATEAUS / min(epsilon, Fraction(1)))
    if 1 <= epsilon < gamma - 1:  # below 1 the plateaus bound the distance
        most = min(most, _MOST_DISTANCE / min(epsilon, gamma - 1 - epsilon))
    if most < 1:
        raise ParameterError(
            f"gamma = {shown(gamma)} would take too long at any count: give a gamma of at most "
            f"{min(DIRECTED_TRIALS, 2 * _MOST_DISTANCE)}"
        )
    if alpha > most:
        raise ParameterError(
            f"alpha = {shown(alpha)} would take too long: give an alpha of at most {int(most)}"
        )
    return gamma, epsilon, alpha


def _part(progress: Progress | None, alpha: int, part: int) -> Progress | None:
    """Return the progress of one of the two passes over 1..alpha, as progress of both."""
    if progress is None:
        return None
    return lambda done, _: progress(part * alpha + done, 2 * alpha)
