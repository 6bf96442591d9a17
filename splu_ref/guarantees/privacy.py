"""Small-sum privacy: the least error probability over all counts 1..alpha (T_P), exactly.

`minimum_error` determines the count that attains it; here the error probability at that count is computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from splu_ref.channels import Exact, ParameterError, PublishedCount, integer, one_budget, positive, shown
from splu_ref.guarantees.count_error import DIRECTED_TRIALS, ErrorProbability, error_offset
from splu_ref.guarantees.decimals import Progress
from splu_ref.guarantees.minimum_error import minimum_error_count, refuse_long_search

_MOST_PLATEAUS = 2_000_000
_MOST_AFRESH = 2_000_000, 10_000  # gamma alpha, and plateaus, where every probability is computed afresh
_MOST_DISTANCE = 20_000_000  # of f' from its mean or from its greatest value, in factors of a factorial


@dataclass(frozen=True, slots=True)
class PrivacyMinimum:
    """The small-sum privacy level of SPLU-Gen's count f', or of the mean of several."""

    law: PublishedCount  #: group size gamma and retention probability p
    epsilon: Fraction  #: relative error, largest protected count, and number R of releases that are averaged
    alpha: int  #: see ``epsilon``
    releases: int  #: see ``epsilon``
    #: Least Pr(abs(f' - f) > epsilon f) over 1 <= f <= alpha: the form of Theorem 4. It is taken at the count
    #: R f.
    t_p: ErrorProbability
    argmin: int  #: the least f that attains it
    #: least Pr(abs(f' - f) >= epsilon f): Definition 2, the tight value, at least ``t_p``
    t_p_definition: ErrorProbability
    argmin_definition: int  #: the least f that attains it


@one_budget()
def privacy_minimum(
    gamma: Exact,
    epsilon: Exact,
    alpha: Exact,
    releases: Exact = 1,
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
        Largest protected count, at least 1.
    releases
        Number R of releases with independent draws whose published counts are averaged, at least 1.
    retention
        Retention probability p, greater than 0 and at most 1; None stands for 1/gamma.
    progress
        Called repeatedly with (counts treated, counts in all), at the end with two equal numbers.

    Returns
    -------
    PrivacyMinimum
        Both forms of T_P, and where they are attained; the counts are exact.

    Raises
    ------
    ParameterError
        For a parameter outside its range, a float, or one too large: R gamma alpha may be up to 200,000,000,
        with at most 2,000,000 plateaus (about R alpha times the smaller of epsilon and 1) and, for 1 <=
        epsilon < gamma - 1, R alpha times the smaller of epsilon and gamma - 1 - epsilon of up to
        20,000,000. With another p than 1/gamma the first two limits are 2,000,000 and 10,000. Whatever the
        limits, what takes more than about a minute (`splu_ref.channels.binomial`) is refused.

    Notes
    -----
    Fu et al. 2014, Lemma 2 and Theorem 4; splu.Sp for other p. The promise is about the estimator f' and no
    other. The mean of R published counts of a value with f records is X/R, where X is a published count of
    the true count R f: the mean errs at f exactly as one release does at R f, and the sawtooth lemma,
    applied R trials of the count at a time, leaves the first f of every run on which ceil(epsilon R f) is
    constant; from epsilon R >= 1 on these are all f (splu.R). Releases with keyed draws of an unchanged
    table are copies of each other and count as one.
    """
    law, distance, most, times = privacy_parameters(gamma, epsilon, alpha, releases, retention)

    def least(strict: bool) -> tuple[ErrorProbability, int]:
        part = None if progress is None else _part(progress, most, int(not strict))
        argmin = minimum_error_count(law, distance, most, strict, part, times)
        offset = error_offset(distance, times * argmin, strict=strict)
        return ErrorProbability(law, times * argmin, offset), argmin

    t_p, argmin = least(strict=True)
    t_p_definition, argmin_definition = least(strict=False)
    return PrivacyMinimum(
        law=law,
        epsilon=distance,
        alpha=most,
        releases=times,
        t_p=t_p,
        argmin=argmin,
        t_p_definition=t_p_definition,
        argmin_definition=argmin_definition,
    )


def privacy_parameters(
    gamma: Exact, epsilon: Exact, alpha: Exact, releases: Exact, retention: Exact | None
) -> tuple[PublishedCount, Fraction, int, int]:
    """Return the parameters, validated; raise if they are too large to be computed with."""
    law, distance = PublishedCount.of(gamma, retention), positive(epsilon, "epsilon")
    most, times = integer(alpha, "alpha", 1), integer(releases, "releases", 1)
    trials, plateaus = (DIRECTED_TRIALS, _MOST_PLATEAUS) if law.is_plain else _MOST_AFRESH
    pooled = Fraction(trials, law.gamma)  # R alpha
    if 1 <= distance < law.gamma - 1:  # below 1 the plateaus bound the distance
        pooled = min(pooled, _MOST_DISTANCE / min(distance, law.gamma - 1 - distance))
    if pooled < 1:
        raise ParameterError(
            f"gamma = {shown(law.gamma)} would take too long at any count: give a gamma of at most "
            f"{min(trials, 2 * _MOST_DISTANCE)}"
        )
    if pooled < times:
        raise ParameterError(
            f"{shown(times)} releases would take too long: give at most {int(pooled)} releases"
        )
    greatest = int(min(pooled / times, plateaus / min(times * distance, Fraction(1))))
    if most > greatest:
        raise ParameterError(
            f"alpha = {shown(most)} would take too long: give an alpha of at most {greatest}"
        )
    refuse_long_search(law, distance, most, times)
    return law, distance, most, times


def _part(progress: Progress, alpha: int, part: int) -> Progress:
    """Return the progress of one of the two passes over 1..alpha, as progress of both."""
    return lambda done, _: progress(part * alpha + done, 2 * alpha)
