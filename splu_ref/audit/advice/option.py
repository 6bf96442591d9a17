"""One choice of gamma and p, with its privacy and accuracy for the values of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from splu_ref.audit.averaging import ALPHA, EPSILON
from splu_ref.channels import (
    Bounds,
    Exact,
    ParameterError,
    PublishedCount,
    integer,
    positive,
    probability,
    shown,
)
from splu_ref.guarantees import error_probability, privacy_minimum, utility_threshold

T_P, T_E = "1/4", "1/20"
"""Default goals, besides the relative error and the small counts of the paper (section 6.2): small counts
wrong in at least one of four releases; large counts in at most one of twenty."""
SHORT_TRIALS = 1000
"""Largest gamma f for which T_P is given as a fraction: its denominator is gamma^(gamma f), p = 1/gamma."""


@dataclass(frozen=True, slots=True)
class Goals:
    """The publisher's goals: Definitions 1 and 2 with one relative error."""

    epsilon: Fraction  #: relative error, greater than 0
    alpha: int  #: largest count to be protected, at least 1
    t_p: Fraction  #: least error probability of a small count
    t_e: Fraction  #: greatest error probability of a large count, greater than 0 and below ``t_p``
    #: largest probability that a published value is the record's true value, greater than 0; 1 is no
    #: requirement
    true_value: Fraction = Fraction(1)

    @classmethod
    def of(
        cls,
        epsilon: Exact = EPSILON,
        alpha: Exact = ALPHA,
        t_p: Exact = T_P,
        t_e: Exact = T_E,
        true_value: Exact = 1,
    ) -> Goals:
        """Return the goals, with each number validated."""
        goals = cls(
            positive(epsilon, "epsilon"),
            integer(alpha, "alpha", 1),
            probability(t_p, "t_p"),
            probability(t_e, "t_e"),
            probability(true_value, "true_value"),
        )
        if not goals.true_value:
            raise ParameterError(
                "true_value is 0, and every mechanism publishes some true values: give more than 0"
            )
        if not 0 < goals.t_e < goals.t_p:
            raise ParameterError(
                f"t_e = {shown(goals.t_e)} must be above 0 and below t_p = {shown(goals.t_p)}: otherwise a "
                "count could meet both goals at once"
            )
        return goals


@dataclass(frozen=True, slots=True)
class Option:
    """One choice of gamma and p, with its privacy and accuracy for a table."""

    law: PublishedCount  #: the choice: group size gamma and retention probability p
    #: the exact least error probability over the counts 1 to alpha (Definition 2), or an enclosure if the
    #: fraction is long
    t_p: Fraction | Bounds
    argmin: int  #: the count that attains it
    meets_t_p: bool  #: whether ``t_p`` meets the goal
    meets_true_value: bool  #: whether the probability that a published value is the true value meets the goal
    threshold: int  #: T_f: the least count from which on the error probability is at most T_E
    #: values of the table with at most alpha records and an error probability of at least T_P, as numbers
    #: into `Advice.values`
    protected: tuple[int, ...]
    accurate: tuple[int, ...]  #: values with T_f records or more
    accurate_records: int  #: number of records with these values
    between: tuple[int, ...]  #: all other values, without either guarantee
    #: homogeneous groups at risk: those reconstructed correctly too often, as numbers into `Advice.groups`
    unprotected: tuple[int, ...]
    unlisted: int  #: number of further groups at risk, for a table in files
    #: values with at least p N records, N a multiple of gamma: records with another value publish such a
    #: value as often as those that have it (D = 0), so it is published independently of other columns
    uninformative: tuple[int, ...]

    @property
    def true_value(self) -> Fraction:
        """Probability that a published value is the record's true value: p, at least 1/gamma."""
        return self.law.retention

    @property
    def level(self) -> Fraction:
        """T_P, or its lower bound."""
        return self.t_p.lower if isinstance(self.t_p, Bounds) else self.t_p

    @property
    def groups_at_risk(self) -> int:
        """Number of homogeneous groups at risk."""
        return len(self.unprotected) + self.unlisted

    @property
    def meets(self) -> bool:
        """Whether both privacy goals are met, and at least one value of the table is accurate."""
        return self.meets_t_p and self.meets_true_value and bool(self.accurate)


def option_for(
    law: PublishedCount,
    goals: Goals,
    values: Sequence[tuple[str, int]],
    unprotected: tuple[int, ...],
    unlisted: int = 0,
) -> Option:
    """Return privacy and accuracy of one choice for a table with the given values and groups at risk."""
    gamma, p = law.gamma, law.retention
    least = privacy_minimum(gamma, goals.epsilon, goals.alpha, retention=p)
    threshold = utility_threshold(gamma, goals.epsilon, goals.t_e, retention=p).threshold

    @cache
    def wrong_often_enough(count: int) -> bool:
        return error_probability(gamma, goals.epsilon, count, retention=p).compare(goals.t_p) >= 0

    zones: dict[str, list[int]] = {"protected": [], "accurate": [], "between": []}
    for number, (_, count) in enumerate(values):
        if count >= threshold:
            zones["accurate"].append(number)
        elif count <= goals.alpha and wrong_often_enough(count):
            zones["protected"].append(number)
        else:
            zones["between"].append(number)

    rows = sum(count for _, count in values)
    places = p * (rows - rows % gamma)
    level = least.t_p_definition
    short = gamma * least.argmin_definition <= SHORT_TRIALS
    return Option(
        law=law,
        t_p=level.exact() if short else level.bounds(12),
        argmin=least.argmin_definition,
        meets_t_p=level.compare(goals.t_p) >= 0,
        meets_true_value=p <= goals.true_value,
        threshold=threshold,
        protected=tuple(zones["protected"]),
        accurate=tuple(zones["accurate"]),
        accurate_records=sum(values[number][1] for number in zones["accurate"]),
        between=tuple(zones["between"]),
        unprotected=unprotected,
        unlisted=unlisted,
        uninformative=tuple(number for number, (_, count) in enumerate(values) if count >= places),
    )
