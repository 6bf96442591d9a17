"""Small-sum privacy of the average of several releases with fresh draws."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from splu_ref.channels import Bounds, Exact, PublishedCount
from splu_ref.guarantees import decimal_down, privacy_minimum

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


def repeated_privacy(
    law: PublishedCount, releases: int, epsilon: Exact = EPSILON, alpha: Exact = ALPHA
) -> RepeatedPrivacy:
    """Return T_P for one and for ``releases`` releases with independent draws (claim splu.R).

    Raises
    ------
    ParameterError
        As `splu_ref.guarantees.privacy_minimum`.
    """
    once, averaged = (
        privacy_minimum(law.gamma, epsilon, alpha, times, retention=law.retention) for times in (1, releases)
    )
    return RepeatedPrivacy(
        releases=releases,
        epsilon=once.epsilon,
        alpha=once.alpha,
        once=once.t_p_definition.value(),
        averaged=averaged.t_p_definition.value(),
    )
