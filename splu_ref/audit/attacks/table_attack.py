"""Attacks on every record of a table that a mechanism publishes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import numpy as np

from splu_ref.audit.attacks.outcome import AttackOutcome, Shares, sum_tested
from splu_ref.audit.attacks.view import MOST_LABELS, Label, Labels, Score, View, eliminated, labeled
from splu_ref.channels import Channel, DataError, ParameterError
from splu_ref.data import Microdata
from splu_ref.mechanisms import Anatomy, DecoyPlan, PlanMethod, Randomizer, RecordMechanism, SpluGen, Swapping
from splu_ref.randomness import Draws, IntArray, SystemSource

MOST_VALUES, MOST_RELEASES = 300, 100
Attackable: TypeAlias = RecordMechanism | Anatomy
"""A mechanism that publishes something for each record, with a declared law."""


@dataclass(frozen=True)
class Victims:
    """The records of one sensitive column, published one or several times by a mechanism.

    Parameters
    ----------
    table
        The original.
    columns
        The sensitive columns that are published together.
    column
        The attacked one of them.
    mechanism
        The mechanism.
    draws
        Random integers of a stream.
    releases
        Number of releases, each with fresh randomness.
    """

    table: Microdata
    columns: Sequence[str]
    column: str
    mechanism: Attackable
    draws: Draws
    releases: int = 1

    def __post_init__(self) -> None:
        if self.column not in self.columns:
            raise ParameterError(
                f"column {self.column!r} is not published by the mechanism: choose from "
                f"{', '.join(self.columns)}"
            )
        if not 1 <= self.releases <= MOST_RELEASES:
            raise ParameterError(f"{self.releases} releases: give 1 to {MOST_RELEASES}")
        values = len(self.table.domain(self.column))
        if values > MOST_VALUES:
            raise DataError(
                f"column {self.column!r} has {values} values, above {MOST_VALUES} for an attack: group them"
            )
        if isinstance(self.mechanism, Anatomy) and len(self.columns) > 1:
            raise ParameterError("Anatomy publishes one sensitive column: name one")

    @cached_property
    def codes(self) -> Mapping[str, IntArray]:
        """The true codes of the published records, by column, after deletion."""
        table = self.table
        if isinstance(self.mechanism, RecordMechanism):
            self.mechanism.largest_gamma(table, self.columns)
        codes = {column: table.codes(column) for column in self.columns}
        gamma = self._gamma
        if gamma is not None and len(codes[self.column]) % gamma:
            rows = len(codes[self.column])
            dropped = self.draws.subset(rows, rows % gamma)
            codes = {column: np.delete(own, dropped) for column, own in codes.items()}
        return codes

    @cached_property
    def histogram(self) -> IntArray:
        """Number of published records by true code of the attacked column."""
        return np.bincount(self.codes[self.column], minlength=len(self.table.domain(self.column)))

    @property
    def counts(self) -> dict[int, int]:
        """The histogram without the codes that no record has."""
        return {code: count for code, count in enumerate(self.histogram.tolist()) if count}

    @property
    def name(self) -> str:
        """The mechanism's name, and the law of its draws unless they are independent."""
        mechanism = self.mechanism
        if isinstance(mechanism, SpluGen) and mechanism.draws.bound is not None:
            return f"{mechanism.name}, {mechanism.draws}"
        return mechanism.name

    @property
    def _gamma(self) -> int | None:
        return int(self.mechanism.gamma) if isinstance(self.mechanism, SpluGen | Anatomy) else None

    @cached_property
    def plans(self) -> tuple[DecoyPlan | None, ...]:
        """The decoy plan of the attacked column in each release; None for a mechanism without one."""
        if not isinstance(self.mechanism, SpluGen | Anatomy):
            return (None,) * self.releases
        mechanism = self.mechanism
        return tuple(
            mechanism.decoys(self.histogram, mechanism.gamma, self.draws.plan_secret())
            for _ in range(self.releases)
        )

    @cached_property
    def _published(self) -> tuple[tuple[Channel[int, Label], tuple[IntArray, list[Label]]], ...]:
        return tuple(map(self._run, self.plans))

    @cached_property
    def view(self) -> View:
        """The view of an attacker who knows the histogram and every plan."""
        return View(self.counts, tuple(channel for channel, _ in self._published))

    @cached_property
    def shown(self) -> Counter[tuple[int, Labels]]:
        """Number of records by true code and published labels in all releases."""
        labels: list[list[Label]] = []
        for _, (rows, published) in self._published:
            of_record: list[Label] = [None] * len(rows)
            for row, label in zip(rows.tolist(), published, strict=True):
                of_record[row] = label
            labels.append(of_record)
        own = self.codes[self.column].tolist()
        return Counter(zip(own, zip(*labels, strict=True), strict=True))

    def _run(self, plan: DecoyPlan | None) -> tuple[Channel[int, Label], tuple[IntArray, list[Label]]]:
        """Publish once; return the law given the plan, the records by row, and the label of each row."""
        mechanism, unused = self.mechanism, SystemSource()  # the plan is fixed, and draws nothing
        if plan is not None and not isinstance(mechanism, RecordMechanism):
            mechanism = Anatomy(mechanism.gamma, _always(plan))
            tables = mechanism.publish_codes(self.codes[self.column], len(self.histogram), self.draws)
            groups: list[Label] = [tuple(row) for row in tables.published.tolist()]
            return labeled(mechanism.channel(self.histogram, unused)), (tables.rows, groups)
        codes = self.codes
        if plan is not None and isinstance(mechanism, SpluGen):
            # columns have independent plans and draws: the others do not affect this one
            codes = {self.column: codes[self.column]}
            mechanism = SpluGen(mechanism.gamma, mechanism.retention, _always(plan), mechanism.draws)
        if not isinstance(mechanism, RecordMechanism) or not isinstance(mechanism, Randomizer):
            raise ParameterError(f"{mechanism.name} declares no law of a record: choose another mechanism")
        sizes = {column: len(self.table.domain(column)) for column in codes}
        done = mechanism.publish_columns(codes, sizes, lambda _: self.draws)
        channel = labeled(mechanism.channel(self.histogram, unused))
        return channel, (done.rows, done.published[self.column].tolist())


def require_independent(victims: Victims) -> None:
    """Raise for mechanisms whose records depend on each other, which attacks on several do not support."""
    if isinstance(victims.mechanism, Swapping):
        raise ParameterError(
            "this attack needs independent records, and swapped records depend on each other: choose another "
            "attack"
        )


def _always(plan: DecoyPlan) -> PlanMethod:
    return lambda *_: plan


def attack_table(
    name: str, victims: Victims, score: Score, measure: str, *, excluded: int = 0
) -> AttackOutcome:
    """Attack every record that was published: the mean of a score, measured and predicted.

    Parameters
    ----------
    name
        Name of the attack.
    victims
        The records and their releases.
    score
        The attacker's gain from each record.
    measure
        Description of the success, for the outcome.
    excluded
        Number of values that the attacker can exclude, for the largest posterior.

    Notes
    -----
    Given the plan, the sum of the records' expected scores does not depend on the assignment of records to
    groups: each group has one record of each of its values. So with one release the total is a sum of
    independent variables with the predicted expectation. With R releases, the labels of a record depend on
    its R groups; each further release adds a uniform order of records, in which one swap changes the sum by
    at most 2: 4 for each record and release in the bound, by the martingale of the order (Azuma 1967).
    Swapped records depend on each other in the first release too: one more released cell, or one swap among
    them, changes the labels of two records, so that coins and order have 4 for each record.
    With dependent draws, the coins of a group change the scores of gamma records at once: gamma^2 for each
    group and release, which is gamma for each record.
    """
    view, rows = victims.view, victims.view.rows
    total = sum(
        (count * score(own, view.weights(shown)) for (own, shown), count in victims.shown.items()),
        Fraction(0),
    )
    baseline = view.blind().expected(score)
    if view.labels > MOST_LABELS:
        predicted = largest = None
    else:
        predicted, largest = view.expected(score), view.largest(eliminated(excluded))
    e_value = detectable = None
    if predicted is not None and not (isinstance(victims.mechanism, Anatomy) and victims.releases == 1):
        swapped = isinstance(victims.mechanism, Swapping)
        spread = rows * (8 * victims.releases if swapped else 4 * victims.releases - 3)
        if isinstance(victims.mechanism, SpluGen) and victims.mechanism.draws.bound is not None:
            spread = rows * (victims.releases * int(victims.mechanism.gamma) + 4 * (victims.releases - 1))
        e_value, detectable = sum_tested(total, predicted * rows, rows, spread)
    return AttackOutcome(
        attack=name,
        mechanism=victims.name,
        success=total / rows,
        predicted=predicted,
        baseline=baseline,
        e_value=e_value,
        detectable=detectable,
        largest=largest,
        measure=measure,
        attacked=rows,
    )


def repeat_attack(
    attack: Callable[[Victims], AttackOutcome], victims: Victims, outcome: AttackOutcome, runs: int
) -> AttackOutcome:
    """Repeat an attack without an exact prediction on further publications.

    Parameters
    ----------
    attack
        The attack.
    victims
        The records; each further measurement publishes them again, with a new deletion and plan.
    outcome
        The first measurement.
    runs
        Number of measurements, including the first; an interval needs six.

    Returns
    -------
    AttackOutcome
        The first outcome with the median success, ``measured``, and the largest posterior of all; unchanged
        if its success is predicted, or was not measured.
    """
    if outcome.predicted is not None or outcome.success is None:
        return outcome
    outcomes = [outcome, *(attack(replace(victims)) for _ in range(runs - 1))]
    measured = Shares.of([each.success for each in outcomes if each.success is not None])
    largest = max((each.largest for each in outcomes if each.largest is not None), default=None)
    return replace(outcome, success=measured.median, largest=largest, measured=measured)
