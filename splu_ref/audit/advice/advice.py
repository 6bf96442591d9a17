"""Privacy and accuracy of each feasible gamma and retention probability for a table.

Everything is computed from true counts: for the publisher, and not for the public.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from splu_ref.audit.advice.coded_table import CodedTable, coded
from splu_ref.audit.advice.groups import HomogeneousGroup, error_below, groups_work, listed_groups
from splu_ref.audit.advice.option import Goals, Option, option_for
from splu_ref.audit.advice.skew import require_groups
from splu_ref.channels import (
    Exact,
    Gamma,
    ParameterError,
    PublishedCount,
    WorkError,
    left,
    one_budget,
    probability,
    shown,
)
from splu_ref.data import Microdata, text
from splu_ref.guarantees import Progress, privacy_parameters, proof_start, scan_work, search_work

EVERY_GAMMA = 20
"""Every feasible gamma up to this one is an option; of larger ones only the largest."""


@dataclass(frozen=True, slots=True)
class Advice:
    """The options for publishing a table."""

    rows: int  #: records of the table
    goals: Goals  #: the goals of the publisher
    max_gamma: int  #: the largest feasible gamma
    values: tuple[tuple[str, int], ...]  #: sensitive values and their true counts, the most frequent first
    #: homogeneous groups with at most alpha records that are at risk under at least one option; of a table in
    #: files, the largest of them
    groups: tuple[HomogeneousGroup, ...]
    options: tuple[Option, ...]  #: by gamma, then p


@one_budget()
def advise(
    table: Microdata | CodedTable,
    sensitive: str,
    goals: Goals | None = None,
    retentions: Sequence[Exact] = (),
    *,
    progress: Progress | None = None,
) -> Advice:
    """Compute privacy and accuracy of each feasible gamma, and each given p, for a table.

    Parameters
    ----------
    table
        The original table.
    sensitive
        The sensitive column.
    goals
        The goals of the publisher; by default `Goals.of()`.
    retentions
        Retention probabilities p to try besides 1/gamma, greater than 0 and below 1, each with every gamma
        of at least 1/p: with p below 1/gamma a record would be published with each decoy more often than with
        its true value.
    progress
        Called with (steps done, all steps).

    Raises
    ------
    DataError
        If no gamma is feasible, or if the sensitive column is unusable.
    ParameterError
        For a p outside its range, or goals that would take too long to compute.
    """
    # The options.
    wanted = Goals.of() if goals is None else goals
    others = [_retention(p) for p in retentions]
    table = coded(table)
    feasible = require_groups(table, sensitive)
    for p in others:
        if p * feasible < 1:
            raise ParameterError(
                f"retention = {shown(p)} is below 1/gamma for every feasible gamma: give at least "
                f"1/{feasible}"
            )
    domain, histogram = table.domain(sensitive), table.histogram(sensitive)
    counted = ((text(value), int(count)) for value, count in zip(domain, histogram, strict=True))
    values = tuple(sorted(counted, key=lambda item: (-item[1], item[0])))
    choices = [
        PublishedCount(Gamma(gamma), p)
        for gamma in _gammas(feasible)
        for p in sorted({Fraction(1, gamma), *(other for other in others if other * gamma > 1)})
    ]
    # The work for all of them.
    work = groups_work(table)
    if work > left():
        raise WorkError(
            f"the table has {len(table.columns)} columns and {table.row_count} records, too many for a "
            "search of all pairs of columns: leave out columns"
        )
    for law in choices:  # refuse too much work in advance
        privacy_parameters(law.gamma, wanted.epsilon, wanted.alpha, 1, law.retention)
        start, _ = proof_start(law, wanted.epsilon, wanted.t_e)
        work += search_work(law, wanted.epsilon, wanted.alpha) + scan_work(law, wanted.epsilon, start)
    if work > left():
        raise WorkError(
            f"{len(choices)} options, each with alpha = {shown(wanted.alpha)}, epsilon = "
            f"{shown(wanted.epsilon)} and t_e = {shown(wanted.t_e)}, would take too long together: give a "
            f"smaller alpha, a larger epsilon or t_e, or fewer retentions"
        )
    # Privacy and accuracy of each.
    steps = len(choices) + 1

    def report(done: int, part: int, whole_part: int) -> None:
        if progress is not None:
            progress(1000 * done + 1000 * part // max(whole_part, 1), 1000 * steps)

    retained = {law.retention for law in choices}

    @cache
    def exposing(count: int) -> frozenset[Fraction]:
        """Return the p for which a homogeneous group of ``count`` records is at risk."""
        if count > wanted.alpha:
            return frozenset()
        return frozenset(p for p in retained if error_below(count, wanted.epsilon, p, wanted.t_p))

    groups, unlisted = listed_groups(
        table, sensitive, lambda count: bool(exposing(count)), lambda *part: report(0, *part)
    )
    options = []
    for done, law in enumerate(choices, 1):
        unprotected = tuple(i for i, group in enumerate(groups) if law.retention in exposing(group.count))
        more = sum(times for count, times in unlisted.items() if law.retention in exposing(count))
        options.append(option_for(law, wanted, values, unprotected, more))
        report(done, 1, 1)
    return Advice(
        rows=table.row_count,
        goals=wanted,
        max_gamma=feasible,
        values=values,
        groups=tuple(groups),
        options=tuple(options),
    )


def _gammas(feasible: int) -> list[int]:
    return [*range(2, min(feasible, EVERY_GAMMA) + 1), *([feasible] if feasible > EVERY_GAMMA else [])]


def _retention(value: Exact) -> Fraction:
    p = probability(value, "retention")
    if not 0 < p < 1:
        raise ParameterError(f"retention is {shown(p)}: give a probability between 0 and 1, both excluded")
    return p
