"""What a release is worth: how many values of this table are protected, how many accurate, and what it means.

Computed from true counts, like all advice: for the publisher, and not for the public.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import sqrt
from typing import TypeAlias

from splu_ref.audit.advice.option import T_E
from splu_ref.audit.averaging import ALPHA, EPSILON
from splu_ref.channels import Bounds, Exact, ParameterError, PublishedCount, positive, probability, whole
from splu_ref.guarantees import (
    Conjunction,
    conjunction_variance,
    decimal_down,
    least_worst_error,
    privacy_minimum,
    utility_threshold,
)

Level: TypeAlias = Fraction | Bounds

SHARES = (Fraction(1, 100), Fraction(1, 10))
"""Shares of the records that a typical predicate has."""
NONE = "none of 1 % or 10 % of the records: too few, or a value that every decoy group can have (D = 0)"
FEW_GROUPS = 10
"""Decoy groups, and records of a predicate, below which nothing is typical."""


@dataclass(frozen=True, slots=True)
class TypicalError:
    """The error of the count of a value in a predicate that does not depend on it.

    Attributes
    ----------
    predicate_count
        Records of the predicate, n.
    value, frequency
        The value, and how many records have it, f.
    count
        Records of the predicate that have the value, n f / N, rounded, at least 1.
    standard_error
        Of the estimate ``exact``, by claim splu.Vp.
    """

    predicate_count: int
    value: str
    frequency: int
    count: int
    standard_error: float


_FEWER = "group values (--group-rare), or bin numbers and dates (--bins)"
_OTHERS = "declare the values that may occur (--domain), group or bin them, or publish hashes (--hash)"
_FEWER_BEFORE = "publish a table in which values are grouped, or numbers and dates binned, already"
"""What helps, by options that look at the whole table, and without them."""


@dataclass(frozen=True, slots=True)
class Worth:
    """What a choice of gamma and p makes of the values of a column.

    Attributes
    ----------
    law
        gamma and p.
    epsilon, alpha, t_e
        What wrong means, which counts are small, and how often large ones may be wrong.
    rows, values
        Records, and values that occur, with their counts, the most frequent first.
    t_p
        The exact least error probability of a count up to alpha (Definition 2), enclosed.
    t_p_star
        No estimate from the published count errs less often than this at every count up to alpha: T_P*, or a
        lower bound of it where there are many counts.
    threshold
        T_f.
    protected, accurate
        How many values have at most alpha records, and T_f or more.
    alone
        How many values one record has.
    conjunctions
        Errors of typical conjunctions; empty where none can be estimated.
    """

    law: PublishedCount
    epsilon: Fraction
    alpha: int
    t_e: Fraction
    rows: int
    values: tuple[tuple[str, int], ...]
    t_p: Level
    t_p_star: Fraction
    threshold: int
    protected: int
    accurate: int
    alone: int
    conjunctions: tuple[TypicalError, ...]

    def sentences(self, *, recoding: bool = True) -> list[tuple[str, str]]:
        """Return what it means, as pairs of a name and a text; perhaps with options that recode columns."""
        every = len(self.values)
        small = sum(count for _, count in self.values if count <= self.alpha)
        records = "1 record" if small == 1 else f"{small} records"
        protected = (
            f"{self.protected} of {every} values ({records}): counts up to {self.alpha} are off by "
            f"{self.epsilon} of themselves or more with at least T_P = {decimal_down(self.t_p, 4)}, and "
            f"whatever is made of them with at least T_P* = {decimal_down(self.t_p_star, 4)} at one of them"
        )
        accurate = (
            f"{self.accurate} of {every} values: from T_f = {self.threshold} on counts are off so with at "
            f"most {self.t_e}"
        )
        conjunctions = [
            f"{error.value} among {error.predicate_count} records, about {error.count} if neither depends on "
            f"the other: standard error {error.standard_error:.0f}"
            for error in self.conjunctions
        ]
        lines = [("protected", protected), ("accurate", accurate)]
        for name, texts in (
            ("predicates", conjunctions or [NONE]),
            ("mind", self._cautions(recoding=recoding)),
        ):
            lines += [(name if number == 0 else "", text) for number, text in enumerate(texts)]
        return lines

    def _cautions(self, *, recoding: bool) -> list[str]:
        cautions, every, most = [], len(self.values), self.values[0]
        if self.rows < FEW_GROUPS * self.law.gamma:
            groups = self.rows // self.law.gamma
            cautions.append(
                f"{self.rows} records make {groups} decoy group{'s' if groups > 1 else ''}: whoever knows "
                "the others of a group knows the last one, and a count tells little in so few"
            )
        if not self.accurate:
            cautions.append(
                f"no value is accurate: the most frequent, {most[0]}, has {most[1]} of the {self.threshold} "
                f"records that takes; {_FEWER if recoding else _FEWER_BEFORE}"
            )
        elif not self.protected:
            rarest = self.values[-1]
            cautions.append(
                f"no value has {self.alpha} records or fewer (the rarest, {rarest[0]}, has {rarest[1]}): T_P "
                "speaks of no value of this table"
            )
        if 2 * every >= self.rows or 2 * self.alone >= every:
            cautions.append(
                f"{every} values in {self.rows} records, {self.alone} of them of one record alone: the "
                "manifest lists every value, so that whoever reads it knows that somebody has it; "
                f"{_OTHERS if recoding else _FEWER_BEFORE}"
            )
        return cautions


def worth(
    law: PublishedCount,
    values: Sequence[tuple[str, int]],
    epsilon: Exact = EPSILON,
    alpha: Exact = ALPHA,
    t_e: Exact = T_E,
) -> Worth:
    """Compute what a choice of gamma and p makes of a column.

    Parameters
    ----------
    law
        gamma and p.
    values
        The values that occur with their true counts; a value without records is left out.
    epsilon
        Relative error, greater than 0.
    alpha
        Largest count that is to be protected.
    t_e
        Greatest error probability of an accurate count.

    Raises
    ------
    ParameterError
        For numbers out of their range, or which would take too long.
    """
    distance, small = positive(epsilon, "epsilon"), whole(alpha, "alpha", 1)
    counted = tuple(sorted(((name, n) for name, n in values if n), key=lambda item: (-item[1], item[0])))
    rows = sum(count for _, count in counted)
    least = privacy_minimum(law.gamma, distance, small, retention=law.retention)
    threshold = utility_threshold(law.gamma, distance, t_e, retention=law.retention).threshold
    return Worth(
        law=law,
        epsilon=distance,
        alpha=small,
        t_e=probability(t_e, "t_e"),
        rows=rows,
        values=counted,
        t_p=least.t_p_definition.value(),
        t_p_star=least_worst_error(law.gamma, distance, small, retention=law.retention).at_least,
        threshold=threshold,
        protected=sum(count <= small for _, count in counted),
        accurate=sum(count >= threshold for _, count in counted),
        alone=sum(count == 1 for _, count in counted),
        conjunctions=_typical(law, counted, rows - rows % law.gamma),
    )


def _typical(law: PublishedCount, values: Sequence[tuple[str, int]], rows: int) -> tuple[TypicalError, ...]:
    """Return the errors for the value that the record in the middle has, the most frequent ones first."""
    middle = sum(count for _, count in values) // 2
    ends = accumulate(count for _, count in values)
    value, count = next(each for each, end in zip(values, ends, strict=True) if end > middle)
    found = []
    for share in SHARES:
        inside = int(share * rows)
        if inside < FEW_GROUPS:
            continue
        try:
            conjunction = Conjunction.of(law.gamma, rows, count, inside, retention=law.retention)
            expected = max(1, round(Fraction(inside * count, rows)))
            variance = conjunction_variance(conjunction, expected)
        except ParameterError:  # too few records, or a value so frequent that nothing is told
            continue
        found.append(TypicalError(inside, value, count, expected, sqrt(variance)))
    return tuple(found)
