"""One choice of gamma and p: what it promises for the values of a table."""

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
    positive,
    probability,
    shown,
    whole,
)
from splu_ref.guarantees import error_probability, privacy_minimum, utility_threshold

T_P, T_E = "1/4", "1/20"
"""Goals unless given: the paper's relative error and its small counts (section 6.2), wrong in one of four
releases at least; large counts wrong in one of twenty at most."""
SHORT_TRIALS = 1000
"""Largest gamma f for which T_P is given as a fraction: its denominator is gamma^(gamma f), p = 1/gamma."""


@dataclass(frozen=True, slots=True)
class Goals:
    """What is asked of a release: Definitions 1 and 2 with one relative error.

    Attributes
    ----------
    epsilon
        Relative error, greater than 0.
    alpha
        Largest count to be protected, at least 1.
    t_p
        Least error probability of a small count.
    t_e
        Greatest error probability of a large count, greater than 0 and below ``t_p``.
    own_value
        Greatest probability with which a published value may be the record's own, greater than 0; 1 asks for
        nothing.
    """

    epsilon: Fraction
    alpha: int
    t_p: Fraction
    t_e: Fraction
    own_value: Fraction = Fraction(1)

    @classmethod
    def of(
        cls,
        epsilon: Exact = EPSILON,
        alpha: Exact = ALPHA,
        t_p: Exact = T_P,
        t_e: Exact = T_E,
        own_value: Exact = 1,
    ) -> Goals:
        """Return the goals, with each number validated."""
        goals = cls(
            positive(epsilon, "epsilon"),
            whole(alpha, "alpha", 1),
            probability(t_p, "t_p"),
            probability(t_e, "t_e"),
            probability(own_value, "own_value"),
        )
        if not goals.own_value:
            raise ParameterError(
                "own_value is 0, and every record publishes its own value at times: raise it"
            )
        if not 0 < goals.t_e < goals.t_p:
            raise ParameterError(
                f"t_e = {shown(goals.t_e)} must be above 0 and below t_p = {shown(goals.t_p)}: otherwise a "
                "count could be right often enough and wrong often enough at once"
            )
        return goals


@dataclass(frozen=True, slots=True)
class Option:
    """One choice of gamma and p, and what it promises for a table.

    Attributes
    ----------
    law
        The choice: group size gamma and probability p of keeping the own value.
    t_p
        The exact least error probability over the counts 1 to alpha (Definition 2), or an enclosure of it
        where the fraction is long.
    argmin
        The count that attains it.
    meets_t_p
        Whether it is at least what was asked for.
    meets_own_value
        Whether a published value is the record's own with the probability asked for at most.
    threshold
        T_f: the least count from which on the error probability is at most T_E.
    protected
        Values of the table with at most alpha records and an error probability of at least T_P, as numbers
        into `Advice.values`.
    accurate
        Values with T_f records or more.
    between
        All other values: neither promise covers them.
    unprotected
        Homogeneous groups that a reconstruction gets right too often, as numbers into `Advice.groups`.
    unlisted
        How many more there are than were listed, of a table in files.
    uninformative
        Values with p N records or more, N without the remainder: a record with another value publishes such
        a value as often as one that has it (D = 0), so its places tell nothing of any other column.
    """

    law: PublishedCount
    t_p: Fraction | Bounds
    argmin: int
    meets_t_p: bool
    meets_own_value: bool
    threshold: int
    protected: tuple[int, ...]
    accurate: tuple[int, ...]
    between: tuple[int, ...]
    unprotected: tuple[int, ...]
    unlisted: int
    uninformative: tuple[int, ...]

    @property
    def own_value(self) -> Fraction:
        """The probability with which a published value is the record's own: p, which is at least 1/gamma."""
        return self.law.retention

    @property
    def open_groups(self) -> int:
        """How many homogeneous groups a reconstruction gets right too often."""
        return len(self.unprotected) + self.unlisted

    @property
    def meets(self) -> bool:
        """Whether both protections are as asked for, and at least one value of the table is accurate."""
        return self.meets_t_p and self.meets_own_value and bool(self.accurate)


def option_for(
    law: PublishedCount,
    goals: Goals,
    values: Sequence[tuple[str, int]],
    unprotected: tuple[int, ...],
    unlisted: int = 0,
) -> Option:
    """Return what one choice promises for a table with the given values and open homogeneous groups."""
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
        meets_own_value=p <= goals.own_value,
        threshold=threshold,
        protected=tuple(zones["protected"]),
        accurate=tuple(zones["accurate"]),
        between=tuple(zones["between"]),
        unprotected=unprotected,
        unlisted=unlisted,
        uninformative=tuple(number for number, (_, count) in enumerate(values) if count >= places),
    )
