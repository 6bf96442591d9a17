"""Benefit and cost of dependent draws within a group, for a table."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from math import sqrt

from splu_ref.audit.advice.advice import Advice
from splu_ref.audit.advice.option import Option
from splu_ref.audit.dependent_draws import counts_by_fixed_seed
from splu_ref.channels import GroupDraws, ParameterError
from splu_ref.guarantees import (
    Level,
    MinimaxErrorBounds,
    minimax_error_bounds,
    privacy_of_draws,
    table_threshold,
)


@dataclass(frozen=True, slots=True)
class LawOfDraws:
    """A law of draws at the recommended gamma, with p = 1/gamma."""

    draws: GroupDraws  #: the law, with alpha as its bound: the largest count to be protected
    t_p: Level  #: T_P of counts up to alpha (Definition 2)
    t_p_star: MinimaxErrorBounds  #: T_P* of these counts
    #: T_f of this table, exactly, for a plan and marks drawn by a fixed seed; None if that takes too long
    threshold: int | None
    accurate: int | None  #: number of values with T_f records or more; None likewise
    #: standard deviation of the published count of the most frequent value, exactly for that plan, None
    #: likewise; and with independent draws
    deviation: float | None
    plain_deviation: float  #: see ``deviation``


def laws_of_draws(advice: Advice, option: Option) -> tuple[LawOfDraws, ...]:
    """Return the dependent laws of draws for an option with p = 1/gamma; none for another p."""
    if not option.law.is_plain:
        return ()
    gamma, goals = option.law.gamma, advice.goals
    found = []
    for draws in (GroupDraws("capped", goals.alpha), GroupDraws("all-or-none", goals.alpha)):
        try:
            level = privacy_of_draws(gamma, goals.epsilon, goals.alpha, draws).t_p_definition
        except ParameterError:  # too large an alpha
            continue
        threshold = accurate = deviation = None
        with suppress(ParameterError):  # too large to compute
            laws = counts_by_fixed_seed([count for _, count in advice.values], gamma, draws)
            deviation = sqrt(laws[0].variance)
            threshold = table_threshold(laws, goals.epsilon, goals.t_e)
            accurate = sum(each.frequency >= threshold for each in laws)
        found.append(
            LawOfDraws(
                draws=draws,
                t_p=level,
                t_p_star=minimax_error_bounds(gamma, goals.epsilon, goals.alpha, draws=draws),
                threshold=threshold,
                accurate=accurate,
                deviation=deviation,
                plain_deviation=sqrt(advice.values[0][1] * option.law.variance),
            )
        )
    return tuple(found)
