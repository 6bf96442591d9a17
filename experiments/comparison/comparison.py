"""Mechanisms side by side, on one table and at the same chance of keeping a value: attacks and guarantees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import ceil, floor
from typing import NamedTuple, TypeAlias

from experiments.attacks.learned import Learner, LearningName
from experiments.comparison.cells import (
    BITS,
    DRAWS,
    ERRORS,
    GAMMA,
    LARGE,
    LARGE_ERROR,
    PRIOR,
    RELEASES,
    SMALL,
    SMALL_ERROR,
    Cell,
    Row,
)
from experiments.comparison.tuple_rows import tuple_rows
from splu_ref.audit.attacks.corruption import corruption
from splu_ref.audit.attacks.informed_adversary import distinction_probability
from splu_ref.audit.attacks.outcome import FEWEST, AttackOutcome, Shares
from splu_ref.audit.attacks.presence import proof_of_presence, shared_value
from splu_ref.audit.attacks.table_attack import Attackable, Victims, attack_table, repeat_attack
from splu_ref.audit.attacks.view import best_guess, eliminated
from splu_ref.channels import (
    Bounds,
    Enclosure,
    PredicateCount,
    amplification,
    lower_tail,
    mutual_information,
    upper_tail,
    worst_property,
)
from splu_ref.channels.parameters import DataError, Exact, Gamma, ParameterError
from splu_ref.data import Microdata
from splu_ref.data.cell_values import text
from splu_ref.estimators.comparators import noise_tail
from splu_ref.guarantees import chernoff_bound, decimal_down, exact_json
from splu_ref.mechanisms import (
    LN_2,
    Anatomy,
    DistributionBased,
    LaplaceCounts,
    RetentionReplacement,
    SpluGen,
    Swapping,
)
from splu_ref.randomness import Draws

SWAPPED = 1_000_000
"""Places of the chance with which a swapped cell stays: what is kept is matched to about as many."""


LEARNED = "learning"
"""The column of the attack that learns."""
RUNS = FEWEST
"""Publications to measure what nothing predicts on, each by itself: the fewest that have an interval."""


class Learning(NamedTuple):
    """Who learns, and what is right without a release.

    Attributes
    ----------
    attack, runs
        The attack, and how many releases of each mechanism it learns from, one by one.
    majority
        The share that is right by naming the most frequent value.
    population
        The share that a classifier of the true values of others is right about.
    """

    attack: LearningName
    runs: int
    majority: Fraction
    population: Fraction

    def formatted(self, digits: int) -> tuple[str, str]:
        """Return both shares, rounded down to as many significant digits."""
        return decimal_down(self.majority, digits), decimal_down(self.population, digits)

    def to_json(self) -> dict[str, object]:
        """Return it for programs."""
        return {
            "attack": self.attack,
            "runs": self.runs,
            "baseline": exact_json(self.majority, "down"),
            "population": exact_json(self.population, "down"),
        }


@dataclass(frozen=True)
class Comparison:
    """The two tables.

    Attributes
    ----------
    rows
        Records that are published.
    column
        The sensitive column.
    gamma
        The size of a group.
    runs
        On how many publications everything was measured that nothing predicts.
    attacks, guarantees
        A row for each mechanism.
    learning
        Who learns, and what is right without a release; None if there is nothing to learn from.
    """

    rows: int
    column: str
    gamma: int
    runs: int
    attacks: tuple[Row, ...]
    guarantees: tuple[Row, ...]
    learning: Learning | None = None

    @property
    def measured(self) -> Iterator[tuple[str, str, Cell]]:
        """What was measured: the attack, the mechanism and the entry, attack by attack."""
        for place, name in enumerate(ATTACKS):
            for mechanism, cells in self.attacks:
                if cells[place].kind == "measured":
                    yield name, mechanism, cells[place]

    def to_json(self) -> dict[str, object]:
        """Return both tables for programs, with what their columns mean."""
        return {
            "rows": self.rows,
            "column": self.column,
            "gamma": self.gamma,
            "runs": self.runs,
            "attacks": [row.to_json(ATTACKS) for row in self.attacks],
            "guarantees": [row.to_json(GUARANTEES) for row in self.guarantees],
            "learning": None if self.learning is None else self.learning.to_json(),
            "meaning": {**ATTACKS, **GUARANTEES},
        }


ATTACKS: Mapping[str, str] = {
    "homogeneity": "share of records whose most probable value is their true value",
    "elimination": "mean probability left to the true value, the γ - 1 likeliest others excluded",
    "corruption": "mean probability of the true value if γ - 1 other records are known",
    "averaging": f"homogeneity after {RELEASES} releases with fresh randomness",
    "presence": "chance that a release proves that somebody has a value that one record has",
    "pair": "probability that two records have the rarest value, if they are known to share one and "
    "both are published with it",
    LEARNED: "share of records whose true value gets the most weight from an attacker who learns from a "
    "release which values go with which other columns",
}
GUARANTEES: Mapping[str, str] = {
    "own kept": "chance that a record is published with its true value",
    "bits": "mean information in a published record about its value: their mutual information, in bits",
    "e^epsilon": "largest ratio of the chances of one published record under two true values, counts known",
    "rho2": f"largest posterior of any set of values with a prior of at most {PRIOR}",
    f"error {SMALL}": f"chance that the estimate of a count of {SMALL} is off by {SMALL_ERROR} of it or more",
    f"error {LARGE}": f"chance that the estimate of a count of {LARGE} is off by {LARGE_ERROR} of it or more",
    "decided": f"how often an attacker who knows all other records decides correctly from the "
    f"count whether it is {LARGE} or one less",
}
"""By name what a column holds."""

COUNTS_ONLY = "counts are published, and nothing of single records"
TUPLES = "learning: a published tuple is somebody's or nobody's, and no value is published beside a record"
Attempt: TypeAlias = Cell | AttackOutcome
"""An entry, or the first measurement of what nothing predicts."""


def compare(
    table: Microdata,
    column: str,
    draws: Draws,
    progress: Callable[[int, int], None] = lambda *_: None,
    *,
    learner: LearningName = "foreground",
    runs: int = RUNS,
    gamma: Exact = GAMMA,
) -> Comparison:
    """Attack every mechanism, and compute what each guarantees.

    Parameters
    ----------
    table
        The original; groups of gamma must be feasible.
    column
        The sensitive column.
    draws
        Random integers of a stream, for what is measured.
    progress
        Called with how many mechanisms are done, and how many there are.
    learner, runs
        The attack that learns, and how many publications what nothing predicts is measured on, one by one.
    gamma
        The size of a group. A value is kept with 1/gamma, and with twice that, or 3/4 if that is less.

    Raises
    ------
    DataError
        If the column does not allow groups of gamma, or has too few records.
    """
    size = Gamma(gamma)
    retentions = Fraction(1, size), min(Fraction(2, size), Fraction(3, 4))
    mechanisms = list(_matched(table, column, size, retentions))
    if table.row_count < 2 * LARGE:
        raise DataError(f"{table.row_count} records: give a table of {2 * LARGE} or more")
    attacker = _attacker(table, column, learner, runs)
    attempts: list[tuple[str, Victims | None, tuple[Attempt, ...]]] = []
    guarantees, rows = [], table.row_count
    for done, (name, mechanism) in enumerate(mechanisms):
        progress(done, len(mechanisms))
        if isinstance(mechanism, LaplaceCounts):
            attempts.append((name, None, (Cell(None, "none", COUNTS_ONLY),) * (len(ATTACKS) - 1)))
            guarantees.append(Row(name, _of_counts(mechanism)))
            continue
        victims = _victims(mechanism, table, column, draws)
        attempts.append((name, replace(victims), tuple(_attacked(victims, size))))
        guarantees.append(Row(name, tuple(_guaranteed(victims))))
        rows = min(rows, victims.view.rows)
    for kept in retentions:
        attacked, guaranteed = tuple_rows(table, column, kept, size)
        attempts.append((attacked.mechanism, None, attacked.cells))
        guarantees.append(guaranteed)
    # Learning and further measurements come last, so that what is predicted does not depend on them.
    learning = None
    if isinstance(attacker, str):
        cells = [Cell(None, "none", attacker)] * len(attempts)
    else:
        shares = [_learned(attacker, mechanism, draws) for _, mechanism in mechanisms]
        learning = Learning(learner, runs, *attacker.without_release(draws))
        cells = [each if isinstance(each, Cell) else _measured(each, learning.majority) for each in shares]
        cells += [Cell(None, "none", TUPLES)] * (len(attempts) - len(cells))
    attacks = tuple(
        Row(name, (*_repeated(again, tried, runs, size), cell))
        for (name, again, tried), cell in zip(attempts, cells, strict=True)
    )
    return Comparison(rows, column, size, runs, attacks, tuple(guarantees), learning)


def _victims(mechanism: Attackable, table: Microdata, column: str, draws: Draws) -> Victims:
    declared = table if isinstance(mechanism, Anatomy) else mechanism.declared(table)
    return Victims(declared, (column,), column, mechanism, draws)


def _attacker(table: Microdata, column: str, name: LearningName, runs: int) -> Learner | str:
    """Return who learns from all other columns, or why there is nothing to learn from."""
    try:
        return Learner.of(name, table, column, [each for each in table.columns if each != column], runs=runs)
    except DataError as error:
        return f"learning: {error}"


def _learned(attacker: Learner, mechanism: Attackable | LaplaceCounts, draws: Draws) -> Shares | Cell:
    """Return the share that is named right by who learns from releases of a mechanism."""
    if isinstance(mechanism, LaplaceCounts):
        return Cell(None, "none", COUNTS_ONLY)
    try:
        success, _ = attacker.attack(mechanism, draws)
    except ParameterError as error:
        return Cell(None, "none", f"learning: {error}")
    return success


def _measured(shares: Shares, baseline: Fraction) -> Cell:
    return Cell(shares.median, "measured", interval=shares.interval, baseline=baseline)


def _matched(
    table: Microdata, column: str, gamma: Gamma, retentions: Sequence[Fraction]
) -> Iterator[tuple[str, Attackable | LaplaceCounts]]:
    """Yield the mechanisms that keep a value with each of the chances, and those that have no such choice."""
    domain = tuple(map(text, table.domain(column)))
    for kept in retentions:
        yield f"SPLU-Gen, {kept}", SpluGen(gamma, kept)
    for law in DRAWS:
        yield law, SpluGen(gamma, draws=law)
    for kept in retentions:
        keep = (len(domain) * kept - 1) / (len(domain) - 1)
        if keep < 0:
            raise DataError(
                f"column {column!r} has {len(domain)} values, which keep more than {kept} however they are "
                f"replaced: choose a column of {gamma} values or more, or fewer for a group, --gamma"
            )
        yield f"retention, {kept}", RetentionReplacement(keep, {column: domain})
    shares = sum(
        (Fraction(int(count), table.row_count) ** 2 for count in table.histogram(column)), Fraction(0)
    )
    for kept in retentions:
        if kept > shares:  # otherwise a value that moves comes from an equal one often enough
            # a released cell comes back to its own place as well: see `splu_ref.channels.swapping_law`
            stays = (kept - shares) / (1 - shares) * Fraction(table.row_count - 1, table.row_count)
            yield f"swapping, {kept}", Swapping(Fraction(round(stays * SWAPPED), SWAPPED))
    yield "Anatomy", Anatomy(gamma)
    yield "DBR", DistributionBased()
    yield f"Laplace, {LN_2}", LaplaceCounts(LN_2)


def _corrupted(gamma: int, victims: Victims) -> AttackOutcome:
    return corruption(victims, gamma - 1)


def _eliminated(gamma: int, victims: Victims) -> AttackOutcome:
    return attack_table("", victims, eliminated(gamma - 1), "", excluded=gamma - 1)


def _guessed(gamma: int, victims: Victims) -> AttackOutcome:
    return attack_table("", victims, best_guess, "")


def _averaged(gamma: int, victims: Victims) -> AttackOutcome:
    return attack_table("", replace(victims, releases=RELEASES), best_guess, "")


def _paired(gamma: int, victims: Victims) -> AttackOutcome:
    shared = {code: count for code, count in victims.counts.items() if count > 1}
    return shared_value(victims, min(shared, key=shared.__getitem__))


CARRIED_OUT: Mapping[str, Callable[[int, Victims], AttackOutcome]] = {
    "homogeneity": _guessed,
    "elimination": _eliminated,
    "corruption": _corrupted,
    "averaging": _averaged,
    "pair": _paired,
}
"""The columns whose attacks are carried out, by groups of some size."""


def _attacked(victims: Victims, gamma: int) -> Iterator[Attempt]:
    for name in ATTACKS:
        if name in CARRIED_OUT:
            yield _attempted(CARRIED_OUT[name], victims, gamma)
        elif name != LEARNED:
            try:
                yield Cell(proof_of_presence(victims.mechanism, 1, victims.view.rows), "exact")
            except ParameterError as error:
                yield Cell(None, "none", str(error))


def _attempted(attack: Callable[[int, Victims], AttackOutcome], victims: Victims, gamma: int) -> Attempt:
    """Return the result of an attack, its first measurement, or the reason why there is none."""
    try:
        outcome = attack(gamma, victims)
    except ParameterError as error:
        return Cell(None, "none", str(error))
    if outcome.predicted is not None:
        return Cell(outcome.predicted, "exact")
    return Cell(None, "none", outcome.measure) if outcome.success is None else outcome


def _repeated(victims: Victims | None, attempts: Iterable[Attempt], runs: int, gamma: int) -> Iterator[Cell]:
    """Yield the entries; those that nothing predicts are measured on further publications."""
    for name, attempt in zip(ATTACKS, attempts, strict=False):  # all but what learns
        if isinstance(attempt, Cell):
            yield attempt
            continue
        assert victims is not None
        again = partial(CARRIED_OUT[name], gamma)
        measured = repeat_attack(again, victims, attempt, runs).measured
        assert measured is not None
        yield _measured(measured, attempt.baseline)


def _guaranteed(victims: Victims) -> Iterator[Cell]:
    mechanism, view = victims.mechanism, victims.view
    [channel], counts = view.channels, view.counts
    if isinstance(mechanism, Anatomy):
        yield Cell(None, "none", "no value is published for a record, but those of its group")
    else:
        kept = sum(count * channel.probability(code, code) for code, count in counts.items())
        yield Cell(Fraction(kept) / view.rows, "exact", rounding="down")
    prior = {code: Fraction(count, view.rows) for code, count in counts.items()}
    yield Cell(mutual_information(channel, prior).bounds(BITS), "exact")
    ratio = amplification(channel).ratio
    yield _or_none(ratio, "e^epsilon is unbounded: what is shown excludes values")
    worst = worst_property(channel, counts, PRIOR)
    yield _or_none(None if worst is None else worst.posterior, "every value has a larger prior")
    for count, error, rounding in ERRORS:
        bounded = isinstance(mechanism, SpluGen) and count > (mechanism.draws.bound or count)
        note = f"error {count} and decided are at most, whatever the plan is" if bounded else ""
        try:
            yield Cell(_count_error(victims, count, error), "exact", note, rounding)
        except ParameterError as unknown:
            yield Cell(None, "none", str(unknown))
    try:
        yield Cell(distinction_probability(mechanism, victims.column, LARGE, view.rows), "exact")
    except ParameterError as unknown:
        yield Cell(None, "none", str(unknown))


def _or_none(value: Fraction | None, reason: str) -> Cell:
    return Cell(None, "none", reason) if value is None else Cell(value, "exact")


def _count_error(victims: Victims, count: int, error: Fraction) -> Fraction | Bounds:
    """Return the chance that the estimate of the count of one value is off by ``error`` of it or more."""
    mechanism, rows = victims.mechanism, victims.view.rows
    offset = ceil(error * count)
    if isinstance(mechanism, Anatomy | Swapping):
        return Fraction(0)
    if isinstance(mechanism, SpluGen):
        return _drawn_error(victims, mechanism, count, offset)
    if isinstance(mechanism, RetentionReplacement):
        if not mechanism.retention:
            raise ParameterError("every value is drawn anew: no count can be estimated")
        one_value = dict(mechanism.domains)[victims.column][:1]
        [inside] = mechanism.predicate_channels({victims.column: one_value}, {}).values()
        own, other = inside.probability(True, True), inside.probability(False, True)
        law, mean = PredicateCount(rows, own, other), count * own + (rows - count) * other
        far = error * count * mechanism.retention
        return _outside(law, count, ceil(mean + far), floor(mean - far))
    if isinstance(mechanism, DistributionBased):
        share = Fraction(count, rows)
        return _outside(PredicateCount(rows, share, share), count, count + offset, count - offset)
    raise ParameterError(f"the law of a count by {mechanism.name} is not known")


def _drawn_error(victims: Victims, mechanism: SpluGen, count: int, offset: int) -> Fraction | Bounds:
    """Return it for SPLU-Gen; above the bound of a law of draws an upper bound, whatever the plan is."""
    law, draws = mechanism.record_law, mechanism.draws
    gamma, bound, counts = int(law.gamma), draws.bound, victims.counts.values()
    if draws.name == "all-or-none" and bound is not None:
        if count <= bound:  # gamma times Bin(count, 1/gamma)
            chance, low, high = Fraction(1, gamma), (count - offset) // gamma, -(-(count + offset) // gamma)
            return lower_tail(count, low, chance) + upper_tail(count, high, chance)
        # each group with a rare value moves a frequent one's count by less than gamma
        return Fraction((gamma - 1) * sum(rare for rare in counts if rare <= bound) >= offset)
    plain = law.error_enclosure(count, offset, BITS).bounds()
    if bound is None or count <= bound:
        return plain
    noisy = min(count, bound * (len(counts) - gamma + 1))  # groups of the value with a flag: splu.CAPT
    return min(chernoff_bound(gamma, Fraction(offset, groups), groups) for groups in (noisy, count))


def _outside(law: PredicateCount, count: int, upper: int, lower: int) -> Bounds:
    above: Enclosure = law.upper_tail_enclosure(count, upper, BITS)
    return above.plus(law.lower_tail_enclosure(count, lower, BITS), BITS).bounds()


def _of_counts(mechanism: LaplaceCounts) -> tuple[Cell, ...]:
    nothing = Cell(None, "none", COUNTS_ONLY)
    epsilon = mechanism.budget
    ratio = Cell(epsilon.number, "exact") if epsilon.is_logarithm else nothing
    errors = (
        Cell(noise_tail(epsilon, error * count), "exact", rounding=rounding)
        for count, error, rounding in ERRORS
    )
    unmoved = 1 - noise_tail(epsilon, 1).lower  # the largest chance: laws of neighbors differ by it
    return nothing, nothing, ratio, nothing, *errors, Cell((1 + unmoved) / 2, "exact")
