"""Small-sum privacy of the average of several releases with fresh draws."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from splu_ref.channels import INDEPENDENT, Bounds, Exact, GroupDraws, PublishedCount, integer, positive
from splu_ref.guarantees import decimal_down, privacy_minimum, privacy_of_draws

EPSILON, ALPHA = "3/10", 10
"""Default relative error and largest protected count."""


@dataclass(frozen=True, slots=True)
class RepeatedPrivacy:
    """T_P of Definition 2 for one release, and for the mean of the published counts of several."""

    releases: int  #: number R of releases with independent draws
    epsilon: Fraction  #: relative error and largest protected count
    alpha: int  #: see ``epsilon``
    #: T_P for one release and for the mean over all R: exact, or a certified enclosure of a long fraction
    once: Fraction | Bounds
    averaged: Fraction | Bounds  #: see ``once``

    def __str__(self) -> str:
        return (
            f"the mean of {self.releases} published counts is off by {self.epsilon} or more with probability "
            f"at least {decimal_down(self.averaged, 4)}, for every count up to {self.alpha}; the count of "
            f"one release with probability at least {decimal_down(self.once, 4)}"
        )


def least_error(
    law: PublishedCount, draws: GroupDraws, epsilon: Exact, alpha: Exact, releases: int = 1
) -> Fraction | Bounds:
    """Return T_P of Definition 2 for the mean count of releases, in every table; a lower bound if need be.

    Parameters
    ----------
    law, draws
        gamma and p, and the law of draws of a group; p is 1/gamma if that is dependent.
    epsilon, alpha, releases
        As for `splu_ref.guarantees.privacy_minimum` and `splu_ref.guarantees.privacy_of_draws`.

    Raises
    ------
    ParameterError
        As these functions.
    """
    if draws.bound is not None:
        return privacy_of_draws(law.gamma, epsilon, alpha, draws, releases).t_p_definition.at_least
    found = privacy_minimum(law.gamma, epsilon, alpha, releases, retention=law.retention)
    return found.t_p_definition.value()


def repeated_privacy(
    law: PublishedCount, releases: int, epsilon: Exact = EPSILON, alpha: Exact = ALPHA
) -> RepeatedPrivacy:
    """Return T_P for one and for ``releases`` releases with independent draws (claim splu.R).

    Raises
    ------
    ParameterError
        As `splu_ref.guarantees.privacy_minimum`.
    """
    once, averaged = (least_error(law, INDEPENDENT, epsilon, alpha, times) for times in (1, releases))
    return RepeatedPrivacy(
        releases=releases,
        epsilon=positive(epsilon, "epsilon"),
        alpha=integer(alpha, "alpha", 1),
        once=once,
        averaged=averaged,
    )
