"""The default intervals of conjunctions, by class of the true count, on generated tables.

Small tables on which predicates have much to do with the sensitive value. Queries are drawn from each class
before anything is published; a class's misses in one release are one outcome of a bet, however they depend on
each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import numpy as np

from experiments.study.judging import CLASSES, JudgedQueries, Judgement, draw_queries
from experiments.study.judging import judged as judged_releases
from experiments.study.settings import Setting
from experiments.study.tables import StudyTable
from property_tests.checking import Outcome, check, sequential_outcome
from property_tests.checks.intervals import mean_at_most
from property_tests.run import Run
from property_tests.subject import Subject
from splu_ref.audit import EValue, average, rate_at_most, rate_power
from splu_ref.estimators import Method
from splu_ref.estimators.queries.joint_shrinkage import ShrinkageMethod
from splu_ref.mechanisms import FloatArray
from splu_ref.randomness import IntArray, SeededSource

NAME = "conjunctions.intervals"
SETTINGS = (
    Setting("given away", "s", 7),
    Setting("function", "s", 10),
    Setting("steep Zipf", "s", 3),
    Setting("one hundred", "s", 4),
)
QUERIES, BATCH, BATCHES, FEWEST = 30, 6, 5, 5
"""Queries of each class; releases of each table in a batch; batches of a full run, and for a mutant."""
ERRORS = "conjunctions.errors"
DEPENDENT = SETTINGS[:2]
"""Tables on which the conditions say much about the sensitive value."""
SMALLER, FAILURES = 0.95, Fraction(1, 5)
"""The default's error over that without conditions, and the share of releases in which it may be larger."""
ALLOWED = Fraction(1, 10)
"""Share of the intervals of a class that may miss, on average over releases."""


@cache
def _questions(setting: Setting) -> tuple[StudyTable, JudgedQueries]:
    table = setting.read(None)
    return table, draw_queries(table, QUERIES, lambda part: SeededSource(f"{setting.name}/{part}".encode()))


@check(
    NAME,
    "statistical",
    "Over 30 mixed releases of each of four generated tables, the default intervals of conjunctions hold the "
    "true count in at least 90 % of the queries of each class: counts of zero, up to 20, 100 and 500, and "
    "above, values with 40 % or all of a predicate's records, counts below half a percent.",
)
def coverage(subject: Subject, run: Run) -> Outcome:
    method = Judgement(subject.conjunctions)

    def evidence() -> Iterator[EValue]:
        # The shipped source, whatever the subject's: answers are judged here, sources elsewhere.
        source = SeededSource(run.seed_for(NAME))
        misses: dict[tuple[str, str], list[int]] = {}
        for _ in range(run.pick(BATCHES, FEWEST)):
            for setting in SETTINGS:
                table, questions = _questions(setting)
                found = judged_releases(
                    table, setting.mechanism, [method], questions, [source] * BATCH, rivals=()
                )
                for part in CLASSES:
                    where = questions.classes[part]
                    if len(where):
                        missed = ~found.covered[method.name][:, where]
                        misses.setdefault((setting.name, part), []).extend(missed.sum(axis=1).tolist())
            yield average(
                [mean_at_most(each, len(_classes()[place]), ALLOWED) for place, each in misses.items()]
            )

    def power(level: Fraction) -> str:
        releases, classes = BATCH * BATCHES, len(_classes())
        for percent in range(int(100 * (1 - ALLOWED)), 0, -1):
            missed = [100 - percent] * releases
            if mean_at_most(missed, 100, ALLOWED).rejects(level / classes):
                return f"a class whose coverage is {percent} % or less"
        return "none"

    return sequential_outcome(run, NAME, evidence(), power)


def _classes() -> dict[tuple[str, str], IntArray]:
    return {
        (setting.name, part): where
        for setting in SETTINGS
        for part, where in _questions(setting)[1].classes.items()
        if len(where)
    }


@check(
    ERRORS,
    "statistical",
    "On two generated tables whose columns depend on the sensitive value, the default estimates of "
    "conjunctions with two or more other conditions have at most 95 % of the squared error of the estimates "
    "without their single conditions, in at least 80 % of the releases; each error is divided by the true "
    "count plus 10.",
)
def errors(subject: Subject, run: Run) -> Outcome:
    def evidence() -> Iterator[EValue]:
        failures, releases = dict.fromkeys(DEPENDENT, 0), 0
        source = SeededSource(run.seed_for(ERRORS))
        for _ in range(run.pick(BATCHES, FEWEST)):
            releases += BATCH
            for setting in DEPENDENT:
                for _ in range(BATCH):
                    seed = int(source.below(1 << 62, 1)[0])
                    mine = _relative_error(setting, subject.conjunctions, seed)
                    without = _relative_error(setting, ShrinkageMethod(by_conditions=False), seed)
                    failures[setting] += mine > SMALLER * without
            yield average([rate_at_most(releases, count, FAILURES) for count in failures.values()])

    def power(level: Fraction) -> str:
        share = level / len(DEPENDENT)
        return f"a table's failures {rate_power(rate_at_most, BATCH * BATCHES, FAILURES, share)}"

    return sequential_outcome(run, ERRORS, evidence(), power)


def _relative_error(setting: Setting, method: Method, seed: int) -> float:
    """Return the sum of squared errors over true counts plus 10 in one release."""
    table, questions = _questions(setting)
    source = SeededSource(f"{setting.name}/{seed}".encode())
    found = judged_releases(table, setting.mechanism, [Judgement(method)], questions, [source], rivals=())
    several = np.array([len(query.conditions) > 2 for query in questions.queries])
    squares: FloatArray = found.squares[method.name][0] / (questions.true + 10)
    return float(squares[several].sum())
