"""Small-sum privacy when a table is published several times with independent randomness.

The mean of R published counts of a value with f records is X/R with X ~ Bin(R gamma f, 1/gamma): X is a
published count of the true count R f. So the mean errs at f exactly as one release does at R f, and the
sawtooth lemma (splu.S, splu.Sp), applied R trials of the count at a time, leaves the first f of every run on
which ceil(epsilon R f) is constant. From epsilon R >= 1 on these are all f. The same holds for any other
probability p of keeping the own value.
"""

from __future__ import annotations

from fractions import Fraction

from splu_ref.binomial.work import one_budget
from splu_ref.channels import PublishedCount
from splu_ref.guarantees.count_error import error_enclosure, error_probability, refuse_inexact
from splu_ref.guarantees.least_error import least_error_count, refuse_long_search
from splu_ref.guarantees.plateaus import error_offset
from splu_ref.guarantees.privacy import PrivacyMinimum, PrivacyMinimumBounds, limited, most_counts
from splu_ref.guarantees.progress import Progress
from splu_ref.model import Exact, ParameterError, shown, whole

_MOST_DISTANCE = 20_000_000  # of the sum from its mean or from its greatest value


@one_budget()
def privacy_minimum_over_releases(
    gamma: Exact,
    epsilon: Exact,
    alpha: Exact,
    releases: Exact,
    *,
    retention: Exact | None = None,
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
    retention
        Probability p of publishing the own value, greater than 0 and at most 1; None stands for 1/gamma.
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
    law, distance, most, times = _parameters(gamma, epsilon, alpha, releases, retention)
    refuse_inexact(law, times * most, error_offset(distance, times * most, strict=True))
    argmin, argmin_definition = _least_counts(law, distance, most, times, progress)
    p = law.retention
    return PrivacyMinimum(
        law.gamma,
        distance,
        most,
        error_probability(law.gamma, distance, times * argmin, strict=True, retention=p),
        argmin,
        error_probability(law.gamma, distance, times * argmin_definition, retention=p),
        argmin_definition,
        p,
    )


@one_budget()
def privacy_minimum_over_releases_bounds(
    gamma: Exact,
    epsilon: Exact,
    alpha: Exact,
    releases: Exact,
    digits: int = 12,
    *,
    retention: Exact | None = None,
    progress: Progress | None = None,
) -> PrivacyMinimumBounds:
    """Return `privacy_minimum_over_releases` to a number of certified significant digits.

    The same parameters, with an R gamma alpha of up to 200,000,000, at most 2,000,000 plateaus and, for
    1 <= epsilon < gamma - 1, R alpha times the smaller of epsilon and gamma - 1 - epsilon of up to
    20,000,000. With another p than 1/gamma the first two limits are 2,000,000 and 10,000. ``digits`` is at
    least 1. Whatever the limits, what takes more than about a minute is refused.
    """
    law, distance, most, times = _parameters(gamma, epsilon, alpha, releases, retention)
    bits = 4 * whole(digits, "digits", 1) + 16
    argmin, argmin_definition = _least_counts(law, distance, most, times, progress)
    offset = error_offset(distance, times * argmin, strict=True)
    offset_definition = error_offset(distance, times * argmin_definition)
    return PrivacyMinimumBounds(
        law.gamma,
        distance,
        most,
        digits,
        error_enclosure(law, times * argmin, offset, bits).bounds(),
        argmin,
        error_enclosure(law, times * argmin_definition, offset_definition, bits).bounds(),
        argmin_definition,
        law.retention,
    )


def _parameters(
    gamma: Exact, epsilon: Exact, alpha: Exact, releases: Exact, retention: Exact | None
) -> tuple[PublishedCount, Fraction, int, int]:
    law, epsilon, _ = limited(gamma, epsilon, 1, retention)
    alpha, releases = whole(alpha, "alpha", 1), whole(releases, "releases", 1)
    counts, plateaus = most_counts(law, releases)
    if 1 <= epsilon < law.gamma - 1:  # below 1 the plateaus bound the distance
        counts = min(counts, _MOST_DISTANCE / (releases * min(epsilon, law.gamma - 1 - epsilon)))
    most = int(min(counts, plateaus / min(releases * epsilon, Fraction(1))))
    if most == 0:
        raise ParameterError(
            f"{shown(releases)} releases would take too long: give at most {int(releases * counts)} releases"
        )
    if alpha > most:
        raise ParameterError(f"alpha = {shown(alpha)} would take too long: give an alpha of at most {most}")
    refuse_long_search(law, epsilon, alpha, releases)
    return law, epsilon, alpha, releases


def _least_counts(
    law: PublishedCount, epsilon: Fraction, alpha: int, releases: int, progress: Progress | None
) -> tuple[int, int]:
    """Return where the error is least in the form of Theorem 4, and in that of Definition 2."""

    def told(part: int) -> Progress | None:
        """Return the progress of one of the two passes, as progress of both."""
        if progress is None:
            return None
        return lambda done, _: progress(part * alpha + done, 2 * alpha)

    strict = least_error_count(law, epsilon, alpha, True, told(0), releases)
    return strict, least_error_count(law, epsilon, alpha, False, told(1), releases)
