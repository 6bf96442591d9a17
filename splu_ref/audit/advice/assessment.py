"""Privacy and accuracy of a release: protected and accurate values of a table, and typical errors.

Computed from true counts, like all advice: for the publisher, and not for the public.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import sqrt
from typing import Literal, TypeAlias

from splu_ref.audit.advice.option import T_E
from splu_ref.audit.averaging import ALPHA, EPSILON, least_error
from splu_ref.audit.dependent_draws import counts_by_fixed_seed
from splu_ref.channels import (
    INDEPENDENT,
    Bounds,
    Exact,
    GroupDraws,
    ParameterError,
    PublishedCount,
    integer,
    positive,
    probability,
)
from splu_ref.guarantees import (
    LARGEST_GROUP,
    Conjunction,
    Noise,
    conjunction_variance,
    decimal_down,
    dependent_draws_threshold,
    minimax_error_bounds,
    table_threshold,
    utility_threshold,
)

Level: TypeAlias = Fraction | Bounds

SHARES = (Fraction(1, 100), Fraction(1, 10))
"""Sizes of typical predicates, as shares of the records."""
NONE = "none of 1 % or 10 % of the records: too few, or a value that every decoy group may contain (D = 0)"
DEPENDENT = "typical errors are not computed for dependent draws"
FEW_GROUPS = 10
"""Least number of decoy groups, and of records of a typical predicate."""


@dataclass(frozen=True, slots=True)
class TypicalError:
    """The error of the count of a value within a predicate that is independent of it."""

    predicate_count: int
    value: str
    frequency: int
    count: int
    standard_error: float


Remedy: TypeAlias = Literal["options", "table", "batch"]
"""Who can change what is published: options of a command, the table before, or for a batch time alone."""
_REMEDIES: Mapping[Remedy, tuple[str, str]] = {
    "options": (
        "group values (--group-rare), or bin numbers and dates (--bins)",
        "declare the values that may occur (--domain), group or bin them, or publish hashes (--hash)",
    ),
    "table": ("publish a table in which values are grouped, or numbers and dates binned, already",) * 2,
    "batch": ("collect more records before a batch is published",) * 2,
}
"""Remedies for too many values, and for values of single records."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """Privacy and accuracy of a choice of gamma, p and draws for the values of a column.

    Attributes
    ----------
    law, draws
        gamma and p, and the law of draws of a group.
    epsilon, alpha, t_e
        Relative error, largest small count, and largest error probability of accurate counts.
    rows, values
        Number of records, and the values that occur with their counts, the most frequent first.
    t_p
        The least error probability of a count up to alpha (Definition 2), exact or enclosed; with dependent
        draws over all tables, or a lower bound.
    t_p_star
        T_P*, the minimax error probability over counts up to alpha, or a lower bound for many counts.
    threshold
        T_f; with dependent draws an upper bound, for all tables with as many values.
    own_threshold
        T_f of this table; with dependent draws exactly, for a plan and marks drawn by a fixed seed, or the
        upper bound if that takes too long.
    protected, accurate
        Number of values with at most alpha records, and with T_f of this table or more.
    alone
        Number of values with one record.
    conjunctions
        Errors of typical conjunctions; empty if none can be estimated, and with dependent draws.
    """

    law: PublishedCount
    draws: GroupDraws
    epsilon: Fraction
    alpha: int
    t_e: Fraction
    rows: int
    values: tuple[tuple[str, int], ...]
    t_p: Level
    t_p_star: Fraction
    threshold: int
    own_threshold: int
    protected: int
    accurate: int
    alone: int
    conjunctions: tuple[TypicalError, ...]

    def sentences(self, remedy: Remedy = "options") -> list[tuple[str, str]]:
        """Return pairs of a label and a text."""
        every = len(self.values)
        small = sum(count for _, count in self.values if count <= self.alpha)
        records = "1 record" if small == 1 else f"{small} records"
        protected = (
            f"{self.protected} of {every} values ({records}): counts up to {self.alpha} are off by "
            f"{self.epsilon} or more with probability at least T_P = {decimal_down(self.t_p, 4)}; any "
            f"estimator is, for one of these counts, with at least T_P* = {decimal_down(self.t_p_star, 4)}"
        )
        least = f"T_f = {self.own_threshold} on"
        least += "" if self.draws.bound is None else f" (for every table: {self.threshold})"
        accurate = (
            f"{self.accurate} of {every} values: counts from {least} have an "
            f"error of {self.epsilon} or more with probability at most {self.t_e}"
        )
        return [
            ("protected", protected),
            ("accurate", accurate),
            *_labeled("caution", self._cautions(*_REMEDIES[remedy])),
        ]

    @property
    def count_promise(self) -> str:
        """What a published count promises, for the public."""
        return (
            f"is off by {self.epsilon} or more with probability at least "
            f"{decimal_down(self.t_p, 4)} where at most {self.alpha} records have the value (if there is one "
            f"such), and at most {self.t_e} where {self.threshold} or more have it"
        )

    def typical_errors(self) -> list[tuple[str, str]]:
        """Return pairs of a label and a text on the errors of typical conjunctions."""
        texts = [
            f"{error.value} among {error.predicate_count} records, about {error.count} if independent: "
            f"standard error {error.standard_error:.0f}"
            for error in self.conjunctions
        ]
        return _labeled("predicates", texts or [NONE if self.draws.bound is None else DEPENDENT])

    def _cautions(self, fewer: str, others: str) -> list[str]:
        cautions, every, most = [], len(self.values), self.values[0]
        if self.rows < FEW_GROUPS * self.law.gamma:
            groups = self.rows // self.law.gamma
            cautions.append(
                f"{self.rows} records make {groups} decoy group{'s' if groups > 1 else ''}: an attacker who "
                "knows the other records of a group knows the last one, and counts are very inaccurate"
            )
        if not self.accurate:
            cautions.append(
                f"no value is accurate: the most frequent, {most[0]}, has {most[1]} of the required "
                f"{self.own_threshold} records; {fewer}"
            )
        elif not self.protected:
            rarest = self.values[-1]
            cautions.append(
                f"no value has {self.alpha} records or fewer (the rarest, {rarest[0]}, has {rarest[1]}): T_P "
                "applies to no value of this table"
            )
        if 2 * every >= self.rows or 2 * self.alone >= every:
            cautions.append(
                f"{every} values in {self.rows} records, {self.alone} of them with a single record: the "
                "manifest lists every value, which discloses that somebody has it; "
                f"{others}"
            )
        return cautions


def _labeled(label: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    """Return the texts with a label at the first."""
    return [(label if number == 0 else "", text) for number, text in enumerate(texts)]


def assess(
    law: PublishedCount,
    values: Sequence[tuple[str, int]],
    epsilon: Exact = EPSILON,
    alpha: Exact = ALPHA,
    t_e: Exact = T_E,
    draws: GroupDraws = INDEPENDENT,
) -> Assessment:
    """Compute privacy and accuracy of a choice of gamma, p and draws for a column.

    Parameters
    ----------
    law
        gamma and p.
    values
        Values of the domain with their true counts; what is said of values leaves out those without records.
    epsilon
        Relative error, greater than 0.
    alpha
        Largest count to be protected.
    t_e
        Largest error probability of an accurate count.
    draws
        Law of the draws of a group.

    Raises
    ------
    ParameterError
        For numbers out of range, dependent draws without any T_f, or a computation that would take too long.
    """
    distance, small = positive(epsilon, "epsilon"), integer(alpha, "alpha", 1)
    counted = tuple(sorted(((name, n) for name, n in values if n), key=lambda item: (-item[1], item[0])))
    rows = sum(count for _, count in counted)
    threshold = own = _threshold(law, draws, len(values), distance, t_e)
    if draws.bound is not None:
        with suppress(ParameterError):  # too large to compute
            laws = counts_by_fixed_seed([count for _, count in counted], law.gamma, draws)
            own = table_threshold(laws, distance, t_e)
    return Assessment(
        law=law,
        draws=draws,
        epsilon=distance,
        alpha=small,
        t_e=probability(t_e, "t_e"),
        rows=rows,
        values=counted,
        t_p=least_error(law, draws, distance, small),
        t_p_star=minimax_error_bounds(
            law.gamma, distance, small, retention=law.retention, draws=draws
        ).at_least,
        threshold=threshold,
        own_threshold=own,
        protected=sum(count <= small for _, count in counted),
        accurate=sum(count >= own for _, count in counted),
        alone=sum(count == 1 for _, count in counted),
        conjunctions=_typical(law, counted, rows - rows % law.gamma) if draws.bound is None else (),
    )


def _threshold(law: PublishedCount, draws: GroupDraws, values: int, epsilon: Fraction, t_e: Exact) -> int:
    """Return T_f from public parameters."""
    if draws.bound is None:
        return utility_threshold(law.gamma, epsilon, t_e, retention=law.retention).threshold
    noise = Noise.of(draws, law.gamma, values) if law.gamma <= LARGEST_GROUP else None
    return dependent_draws_threshold(law.gamma, epsilon, t_e, draws, noise).threshold


def _typical(law: PublishedCount, values: Sequence[tuple[str, int]], rows: int) -> tuple[TypicalError, ...]:
    """Return the errors for the value of the median record, in order of frequency."""
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
        except ParameterError:  # too few records, or too frequent a value
            continue
        found.append(TypicalError(inside, value, count, expected, sqrt(variance)))
    return tuple(found)
