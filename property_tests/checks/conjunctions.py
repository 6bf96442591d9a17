"""The default intervals of conjunctions, by class of the true count, on generated tables.

Small tables on which predicates have much to do with the sensitive value. Queries are drawn from each class
before anything is published; a class's misses in one release are one outcome of a bet, however they depend on
each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from experiments.study.judging import CLASSES, JudgedQueries, Judgement, draw_queries
from experiments.study.judging import judged as judged_releases
from experiments.study.settings import Setting
from experiments.study.tables import StudyTable
from property_tests.checking import Outcome, check, sequential_outcome
from property_tests.checks.intervals import mean_at_most
from property_tests.run import Run
from property_tests.subject import Subject
from splu_ref.audit import EValue, average
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
