"""Errors of the estimates of conjunctions with and without the estimates of their single conditions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from experiments.study.judging import CLASSES, Judged, JudgedQueries, Judgement, draw_queries, judged
from experiments.study.recipes import EMBEDDED
from experiments.study.tables import StudyTable
from splu_ref.channels.parameters import DataError
from splu_ref.estimators.queries.joint_shrinkage import ShrinkageMethod
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import ByteSource

TABLES = (EMBEDDED, "given away", "Zipf", "steep Zipf", "function")
"""Tables that need no file."""
TUNED = frozenset({EMBEDDED, "given away", "function"})
"""Those that served for choosing the parameters of the product form."""
FEWEST = 5
"""Fewest queries of a class that is reported."""


class ClassErrors(NamedTuple):
    """A class of queries.

    Attributes
    ----------
    name
        The class.
    queries
        How many have several conditions besides the sensitive one.
    ratio
        Root mean square error with the product form over that without it.
    coverage, coverage_without
        Shares of the intervals `each` that held the true count.
    """

    name: str
    queries: int
    ratio: float
    coverage: float
    coverage_without: float


@dataclass(frozen=True)
class Comparison:
    """A table on which both estimates were compared.

    Attributes
    ----------
    table, sensitive, gamma, rows
        What was published, under the mixed plan with p = 1/gamma.
    tuned
        Whether the parameters of the product form were chosen on it.
    classes
        Those with enough queries.
    """

    table: str
    sensitive: str
    gamma: int
    rows: int
    tuned: bool
    classes: tuple[ClassErrors, ...]

    @property
    def mean(self) -> float:
        """Mean ratio of the classes."""
        return float(np.mean([one.ratio for one in self.classes]))

    @property
    def worst(self) -> ClassErrors:
        """The class with the largest ratio."""
        return max(self.classes, key=lambda one: one.ratio)


def with_several_conditions(questions: JudgedQueries) -> JudgedQueries:
    """Return the queries whose predicates have two conditions or more."""
    several = np.array([len(query.conditions) > 2 for query in questions.queries])  # one is the sensitive one
    place = np.cumsum(several) - 1
    return replace(
        questions,
        queries=tuple(query for query, kept in zip(questions.queries, several, strict=True) if kept),
        true=questions.true[several],
        classes={name: place[own[several[own]]] for name, own in questions.classes.items() if len(own)},
        values={name: codes[several] for name, codes in questions.values.items()},
    )


def compare_conditions(
    table: StudyTable, queries: int, releases: int, sources: Callable[[str], ByteSource]
) -> Comparison:
    """Publish a table several times, and estimate the same queries with the product form and without it.

    Parameters
    ----------
    table
        The original; a remainder of N modulo gamma records, drawn at random, is left out.
    queries
        Queries of each class, before those with fewer than two conditions are left out.
    releases
        How often the table is published.
    sources
        The random choices of each part.

    Raises
    ------
    DataError
        If no class has enough queries.
    """
    gamma = int(table.gamma)
    table = table.without_remainder(gamma, sources("remainder"))
    questions = with_several_conditions(draw_queries(table, queries, sources))
    names = [name for name in CLASSES if len(questions.classes.get(name, ())) >= FEWEST]
    if not names:
        raise DataError(f"{table.name}: no class has {FEWEST} queries with two conditions or more")

    def found(by_conditions: bool) -> Judged:
        method = ShrinkageMethod(by_conditions=by_conditions)
        own = [sources(f"release {number}") for number in range(releases)]
        return judged(table, SpluGen(gamma), [Judgement(method)], questions, own, rivals=())

    product, plain = found(True), found(False)
    classes = []
    for name in names:
        before, after = (each.error("shrunk", name) for each in (plain, product))
        coverage, without = (float(each.coverage("shrunk", name).mean()) for each in (product, plain))
        ratio = after / before if before > 0 else 1.0
        classes.append(ClassErrors(name, len(questions.classes[name]), ratio, coverage, without))
    return Comparison(
        table.name, table.recipe.sensitive, gamma, table.rows, table.name in TUNED, tuple(classes)
    )
