"""Benefit and cost of dependent draws within a group, for a table."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from splu_ref.audit.advice.advice import Advice
from splu_ref.audit.advice.option import Option
from splu_ref.channels import GroupDraws, ParameterError
from splu_ref.guarantees import (
    LeastWorstError,
    Level,
    Noise,
    decimal_down,
    dependent_draws_threshold,
    least_worst_error,
    privacy_of_draws,
)


@dataclass(frozen=True, slots=True)
class LawOfDraws:
    """A law of draws at the recommended gamma, with p = 1/gamma.

    Attributes
    ----------
    draws
        The law, with alpha as its bound: the largest count to be protected.
    t_p
        T_P of counts up to alpha (Definition 2).
    t_p_star
        T_P* of these counts.
    threshold
        A T_f for every table with as many values, and every plan; None if none is known.
    deviation, plain_deviation
        Upper bound of the standard deviation of the published count of the most frequent value, for every
        plan; and its standard deviation with independent draws.
    """

    draws: GroupDraws
    t_p: Level
    t_p_star: LeastWorstError
    threshold: int | None
    deviation: float
    plain_deviation: float

    def sentence(self, option: Option, value: str, price: str) -> str:
        """Return benefit and cost of the law, compared with independent draws."""
        threshold = "no T_f for every table is known"
        if self.threshold is not None:
            threshold = f"T_f at most {self.threshold} instead of {option.threshold}"
        return (
            f"{self.draws}: T_P = {decimal_down(self.t_p.at_least, 4)}, T_P* = "
            f"{decimal_down(self.t_p_star.at_least, 4)}; {threshold}; the standard deviation "
            f"of the count of {value} at most {self.deviation:.1f} instead of {self.plain_deviation:.1f}; "
            f"trade-off: {price}"
        )


def laws_of_draws(advice: Advice, option: Option) -> tuple[LawOfDraws, ...]:
    """Return the dependent laws of draws for an option with p = 1/gamma; none for another p."""
    if not option.law.is_plain:
        return ()
    gamma, goals = option.law.gamma, advice.goals
    counts = [count for _, count in advice.values]
    most = counts[0]
    plain = sqrt(most * option.law.variance)
    found = []
    for draws in (GroupDraws("capped", goals.alpha), GroupDraws("all-or-none", goals.alpha)):
        try:
            level = privacy_of_draws(gamma, goals.epsilon, goals.alpha, draws).t_p_definition
        except ParameterError:  # too large an alpha
            continue
        threshold = None
        with suppress(ParameterError):  # too large to compute
            noise = Noise.of(draws, gamma, len(counts))
            threshold = dependent_draws_threshold(gamma, goals.epsilon, goals.t_e, draws, noise).threshold
        variance = Noise.beside(draws, gamma, counts[1:]).variance if most > goals.alpha else Fraction(0)
        found.append(
            LawOfDraws(
                draws=draws,
                t_p=level,
                t_p_star=least_worst_error(gamma, goals.epsilon, goals.alpha, draws=draws),
                threshold=threshold,
                deviation=min(sqrt(variance), plain) if draws.name == "capped" else sqrt(variance),
                plain_deviation=plain,
            )
        )
    return tuple(found)
