"""Attacks that learn, carried out: on several releases of a table, each with fresh randomness."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Self, TypeAlias

import numpy as np

from experiments.attacks.learning import (
    MOST_TURNS,
    Features,
    Floats,
    LearnedRelease,
    cross_validated,
    learned,
    of_groups,
    of_shown,
    share_right,
    share_right_of_surest,
)
from splu_ref.audit.attacks.outcome import Shares
from splu_ref.audit.attacks.table_attack import MOST_VALUES, Attackable
from splu_ref.channels import Channel
from splu_ref.channels.parameters import DataError, ParameterError
from splu_ref.data import Microdata
from splu_ref.estimators.queries.counting import Columns
from splu_ref.mechanisms import Anatomy, SpluGen
from splu_ref.mechanisms.interfaces import Randomizer
from splu_ref.randomness import Draws, IntArray, SystemSource

LearningName: TypeAlias = Literal["foreground", "de-finetti", "classifier"]
LEARNING: tuple[LearningName, ...] = ("foreground", "de-finetti", "classifier")
FOLDS = 5
MOST_RUNS = 100


@dataclass(frozen=True, kw_only=True)
class LearnedOutcome:
    """What an attack that learns achieves, measured; nothing predicts it.

    Attributes
    ----------
    attack, mechanism
        Their names.
    attacked, runs
        Number of records, and of releases.
    success
        The share of records whose true value gets the most weight.
    surest
        The same among the one in a hundred of which the attacker is surest.
    majority
        The share that is right by naming the most frequent value.
    population
        The share that the same classifier names right of records that it did not learn from, when it learned
        from the original values of others: what the table discloses about a person who is not in it.
    """

    attack: LearningName
    mechanism: str
    attacked: int
    runs: int
    success: Shares
    surest: Shares
    majority: Fraction
    population: Fraction


def attack_by_learning(
    name: LearningName,
    mechanism: Attackable,
    table: Microdata,
    column: str,
    others: Sequence[str],
    draws: Draws,
    *,
    runs: int,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> LearnedOutcome:
    """Publish a column several times, and learn from each release whose value is which.

    Parameters
    ----------
    name
        ``"foreground"`` learns once, ``"de-finetti"`` until beliefs stand still; ``"classifier"`` learns
        scikit-learn's naive Bayes from the published values as if they were true (Cormode 2011).
    mechanism
        What publishes.
    table
        The original.
    column
        The sensitive column.
    others
        The columns that the attacker knows of each record. Those with more values than a tenth of the
        records are left out: they name records and teach nothing of others.
    draws
        Random integers.
    runs
        How many releases; the interval needs six.
    progress
        Called before each release with how many are done, and how many there are.

    Raises
    ------
    ParameterError
        For a mechanism that shows no value of a record, groups above 12 for assignments, or a classifier of
        Anatomy, which publishes no value beside a record.
    DataError
        If no column is left to learn from, or the column has too many values.
    """
    learner = Learner.of(name, table, column, others, runs=runs)
    success, surest = learner.attack(mechanism, draws, progress)
    majority, population = learner.without_release(draws)
    return LearnedOutcome(
        attack=name,
        mechanism=mechanism.name,
        attacked=len(learner.codes),
        runs=runs,
        success=success,
        surest=surest,
        majority=majority,
        population=population,
    )


@dataclass(frozen=True)
class Learner:
    """An attacker who learns, and the table that is attacked.

    Attributes
    ----------
    name
        As for `attack_by_learning`.
    column, codes, domain
        The sensitive column, each record's value, and how many values there are.
    features
        What is known of each record.
    runs
        How many releases are attacked.
    """

    name: LearningName
    column: str
    codes: IntArray
    domain: int
    features: Features
    runs: int

    @classmethod
    def of(
        cls, name: LearningName, table: Microdata, column: str, others: Sequence[str], *, runs: int
    ) -> Self:
        """Return the attacker of a table; parameters and errors as for `attack_by_learning`."""
        codes, domain = table.codes(column), len(table.domain(column))
        if domain > MOST_VALUES:
            raise DataError(
                f"column {column!r} has {domain} values, above {MOST_VALUES} for an attack: group them"
            )
        if runs > MOST_RUNS:
            raise ParameterError(f"{runs} releases: give at most {MOST_RUNS}")
        return cls(name, column, codes, domain, _features(table, others), runs)

    def attack(
        self,
        mechanism: Attackable,
        draws: Draws,
        progress: Callable[[int, int], None] = lambda *_: None,
    ) -> tuple[Shares, Shares]:
        """Return the shares that are named right, of all records and of those of which it is surest."""
        if self.name == "classifier" and isinstance(mechanism, Anatomy):
            raise ParameterError(
                "Anatomy publishes no value beside a record to learn from: choose de-finetti"
            )
        shares: list[tuple[Fraction, Fraction]] = []
        for done in range(self.runs):
            progress(done, self.runs)
            rows, codes = _left(mechanism, self.codes, draws)
            some = self.features.taken(rows)
            if self.name == "classifier":
                weights = _by_classifier(mechanism, self.column, some, codes, self.domain, draws)
            else:
                order, said = _released(mechanism, self.column, codes, self.domain, draws)
                codes, some = codes[order], some.taken(order)
                weights = learned(some, said, turns=1 if self.name == "foreground" else MOST_TURNS)
            shares.append((share_right(weights, codes), share_right_of_surest(weights, codes)))
        success, surest = zip(*shares, strict=True)
        return Shares.of(success), Shares.of(surest)

    def without_release(self, draws: Draws) -> tuple[Fraction, Fraction]:
        """Return what is right by the most frequent value, and by a classifier of other people's values."""
        counts = np.bincount(self.codes)
        folds = np.array_split(draws.permutation(len(self.codes)), FOLDS)
        weights = cross_validated(self.features, self.codes, self.domain, folds)
        return Fraction(int(counts.max()), len(self.codes)), share_right(weights, self.codes)


def _features(table: Microdata, others: Sequence[str]) -> Features:
    columns = Columns(table, {})
    kept = [columns[name] for name in others if 10 * len(columns[name].domain) <= table.row_count]
    if not kept:
        raise DataError(
            f"no other column has {table.row_count // 10} values or fewer, a tenth of the records: there is "
            "nothing to learn from"
        )
    return Features(np.stack([one.codes for one in kept]), tuple(len(one.domain) for one in kept))


def _left(mechanism: Attackable, codes: IntArray, draws: Draws) -> tuple[IntArray, IntArray]:
    """Return the records that are left after the deletion, and their codes."""
    rows = np.arange(len(codes))
    if isinstance(mechanism, SpluGen | Anatomy):
        rows = np.delete(rows, draws.subset(len(codes), len(codes) % mechanism.gamma))
    return rows, codes[rows]


def _released(
    mechanism: Attackable, column: str, codes: IntArray, domain: int, draws: Draws
) -> tuple[IntArray, LearnedRelease]:
    """Publish once: the records in the order of the release, and what it says of them.

    The attacker of a mechanism with decoys knows the plan, as in the other attacks.
    """
    if isinstance(mechanism, Anatomy):
        tables = mechanism.publish_codes(codes, domain, draws)
        members = np.argsort(tables.groups, kind="stable").reshape(tables.values.shape)
        return tables.rows, of_groups(members, tables.values, domain)
    rows, shown, channel = _shown(mechanism, column, codes, domain, draws)
    chances = np.zeros((domain, domain))
    for own, law in channel.laws.items():
        for label, chance in law.items():
            chances[own, label] = float(chance)
    return rows, of_shown(shown, chances)


def _shown(
    mechanism: Attackable, column: str, codes: IntArray, domain: int, draws: Draws
) -> tuple[IntArray, IntArray, Channel[int, int]]:
    assert not isinstance(mechanism, Anatomy)
    histogram = np.bincount(codes, minlength=domain)
    if isinstance(mechanism, SpluGen):
        plan = mechanism.decoys(histogram, mechanism.gamma, draws.plan_secret())
        mechanism = SpluGen(mechanism.gamma, mechanism.retention, lambda *_: plan, mechanism.draws)
    mechanism = mechanism.for_column(column)
    if not isinstance(mechanism, Randomizer):
        raise ParameterError(f"{mechanism.name} declares no law of a record: choose another mechanism")
    done = mechanism.publish_columns({column: codes}, {column: domain}, lambda _: draws)
    return done.rows, done.published[column], mechanism.channel(histogram, SystemSource())


def _by_classifier(
    mechanism: Attackable, column: str, features: Features, codes: IntArray, domain: int, draws: Draws
) -> Floats:
    """Learn the published values of all records, and weigh the values of the same records."""
    try:
        from sklearn.naive_bayes import CategoricalNB  # noqa: PLC0415  an extra, and slow to load
    except ModuleNotFoundError:
        raise ParameterError(
            "the classifier needs scikit-learn: pip install 'splu-ref[experiments]'"
        ) from None
    rows, shown, _ = _shown(mechanism, column, codes, domain, draws)
    published = np.empty_like(codes)
    published[rows] = shown
    grown = CategoricalNB(min_categories=list(features.sizes)).fit(features.codes.T, published)
    weights = np.zeros((len(codes), domain))
    weights[:, grown.classes_] = grown.predict_proba(features.codes.T)
    return weights
