"""Small-sum privacy when a table is published several times with independent randomness.

The mean of R published counts of a value with f records is X/R with X ~ Bin(R gamma f, 1/gamma): X is a
published count of the true count R f. So the mean errs at f exactly as one release does at R f, and the
sawtooth lemma (splu.S), applied R trials of the count at a time, leaves the first f of every run on which
ceil(epsilon R f) is constant. From epsilon R >= 1 on these are all f.
"""

from __future__ import annotations

from fractions import Fraction

from splu_ref.guarantees.count_error import (
    DIRECTED_TRIALS,
    error_enclosure,
    error_probability,
    exact_trials,
)
from splu_ref.guarantees.least_error import least_error_count
from splu_ref.guarantees.plateaus import error_offset
from splu_ref.guarantees.privacy import PrivacyMinimum, PrivacyMinimumBounds
from splu_ref.guarantees.progress import Progress
from splu_ref.model import Exact, Gamma, ParameterError, positive, whole

_MOST_PLATEAUS = 2_000_000


def privacy_minimum_over_releases(
    gamma: Exact,
    epsilon: Exact,
    alpha: Exact,
    releases: Exact,
    *,
    progress: Progress | None = None,
) -> PrivacyMinimum:
    """Return the exact T_P of the mean of the published counts of several independent releases.

    Parameters
    ----------
    gamma
        Size of a decoy group, a whole number of at least 2.
    epsilon
        Relative error, greater than 0.
    alpha
        Largest protected count, at least 1.
    releases
        Number R of releases with independent draws, at least 1; R gamma alpha is at most 300,000.
    progress
        Called now and then with (counts examined, counts in all).

    Returns
    -------
    PrivacyMinimum
        Both forms of T_P as fractions, and the counts f at which they are attained. With one release it
        is `privacy_minimum`.

    Raises
    ------
    ParameterError
        For a parameter outside its range, a float, or a size that only
        `privacy_minimum_over_releases_bounds` can treat.

    Notes
    -----
    splu.R. Releases with keyed draws of an unchanged table are copies of each other and count as one.
    """
    size, distance, most, times = _parameters(gamma, epsilon, alpha, releases)
    exact_trials(size, times * most)
    argmin, argmin_definition = _least_counts(size, distance, most, times, progress)
    return PrivacyMinimum(
        size,
        distance,
        most,
        error_probability(size, distance, times * argmin, strict=True),
        argmin,
        error_probability(size, distance, times * argmin_definition),
        argmin_definition,
    )


def privacy_minimum_over_releases_bounds(
    gamma: Exact,
    epsilon: Exact,
    alpha: Exact,
    releases: Exact,
    digits: int = 12,
    *,
    progress: Progress | None = None,
) -> PrivacyMinimumBounds:
    """Return `privacy_minimum_over_releases` to a number of certified significant digits.

    The same parameters, with an R gamma alpha of up to 200,000,000 and at most 2,000,000 plateaus;
    ``digits`` is at least 1.
    """
    size, distance, most, times = _parameters(gamma, epsilon, alpha, releases)
    bits = 4 * whole(digits, "digits", 1) + 16
    argmin, argmin_definition = _least_counts(size, distance, most, times, progress)
    offset = error_offset(distance, times * argmin, strict=True)
    offset_definition = error_offset(distance, times * argmin_definition)
    return PrivacyMinimumBounds(
        size,
        distance,
        most,
        digits,
        error_enclosure(size, times * argmin, offset, bits).bounds(),
        argmin,
        error_enclosure(size, times * argmin_definition, offset_definition, bits).bounds(),
        argmin_definition,
    )


def _parameters(
    gamma: Exact, epsilon: Exact, alpha: Exact, releases: Exact
) -> tuple[Gamma, Fraction, int, int]:
    gamma, epsilon = Gamma(gamma), positive(epsilon, "epsilon")
    alpha, releases = whole(alpha, "alpha", 1), whole(releases, "releases", 1)
    trials = Fraction(DIRECTED_TRIALS, gamma * releases)
    most = int(min(trials, _MOST_PLATEAUS / min(releases * epsilon, Fraction(1))))
    if most == 0:
        raise ParameterError(
            f"{releases} releases would take too long: give at most {DIRECTED_TRIALS // gamma} releases"
        )
    if alpha > most:
        raise ParameterError(f"alpha = {alpha} would take too long: give an alpha of at most {most}")
    return gamma, epsilon, alpha, releases


def _least_counts(
    gamma: Gamma, epsilon: Fraction, alpha: int, releases: int, progress: Progress | None
) -> tuple[int, int]:
    """Return where the error is least in the form of Theorem 4, and in that of Definition 2."""

    def told(part: int) -> Progress | None:
        """Return the progress of one of the two passes, as progress of both."""
        if progress is None:
            return None
        return lambda done, _: progress(part * alpha + done, 2 * alpha)

    strict = least_error_count(gamma, epsilon, alpha, True, told(0), releases)
    return strict, least_error_count(gamma, epsilon, alpha, False, told(1), releases)
