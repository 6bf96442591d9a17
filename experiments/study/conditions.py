"""Errors of the estimates of conjunctions with and without the estimates of their single conditions."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from experiments.study.judging import (
    CLASSES,
    POOLS,
    SECOND,
    ZERO,
    Judged,
    JudgedQueries,
    Judgement,
    draw_queries,
    draw_tables,
    judged,
)
from experiments.study.methods import FloatArray
from experiments.study.recipes import EMBEDDED
from experiments.study.tables import StudyTable
from splu_ref.channels.parameters import DataError
from splu_ref.estimators.queries.joint_shrinkage import ShrinkageMethod
from splu_ref.mechanisms import SpluGen, largest_gamma
from splu_ref.randomness import ByteSource

TABLES = (EMBEDDED, "given away", "Zipf", "steep Zipf", "function")
"""Tables that need no file. All served for choosing the parameters of the product form."""
FEWEST = 5
"""Fewest queries of a class that is reported."""


class ClassErrors(NamedTuple):
    """A class of queries, answered with the product form and without it from the same releases.

    Attributes
    ----------
    name
        The class.
    queries
        How many have several conditions besides the sensitive one.
    ratio, ratio_error
        Root mean square error with the product form over that without it, and its standard error over
        queries and releases.
    coverage, coverage_without
        Shares of the intervals `each` that contain the true count.
    length
        Mean length of the former intervals over that of the latter.
    predicted
        Root mean square of the standard errors with the product form over that of the errors.
    """

    name: str
    queries: int
    ratio: float
    ratio_error: float
    coverage: float
    coverage_without: float
    length: float
    predicted: float

    @classmethod
    def of(cls, name: str, product: Judged, plain: Judged) -> ClassErrors:
        """Compare the two in one class."""
        where = product.workload.classes[name]
        mine, other = (each.squares["shrunk"][:, where] for each in (product, plain))
        ratio, error = root_ratio(mine, other)
        errors = product.predicted["shrunk"][:, where]
        return cls(
            name=name,
            queries=len(where),
            ratio=ratio,
            ratio_error=error,
            coverage=float(product.coverage("shrunk", name).mean()),
            coverage_without=float(plain.coverage("shrunk", name).mean()),
            length=float(product.length["shrunk"][:, where].mean() / plain.length["shrunk"][:, where].mean()),
            predicted=float(np.sqrt(errors.mean() / max(mine.mean(), np.finfo(float).tiny))),
        )


def root_ratio(mine: FloatArray, other: FloatArray) -> tuple[float, float]:
    """Return the root of the ratio of two means of squared errors, with its standard error.

    Both have the shape (releases, queries), for the same releases and queries. The standard error is that of
    the delta method, with the variances between queries and between releases added.
    """
    above, below = float(mine.mean()), float(other.mean())
    if not above > 0 or not below > 0:
        return 1.0, 0.0
    apart = (mine / above - other / below) / 2
    variance = sum(
        means.var(ddof=1) / len(means) for means in (apart.mean(axis=0), apart.mean(axis=1)) if len(means) > 1
    )
    ratio = (above / below) ** 0.5
    return ratio, ratio * float(variance) ** 0.5


@dataclass(frozen=True)
class Comparison:
    """A table on which both estimates were compared.

    Attributes
    ----------
    table, sensitive, gamma, rows
        What was published, under the mixed plan with p = 1/gamma; two sensitive columns with a cross between.
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
    fewest = len(questions.values) + 2
    several = np.array([len(query.conditions) >= fewest for query in questions.queries])
    place = np.cumsum(several) - 1
    return replace(
        questions,
        queries=tuple(query for query, kept in zip(questions.queries, several, strict=True) if kept),
        true=questions.true[several],
        classes={name: place[own[several[own]]] for name, own in questions.classes.items() if len(own)},
        values={name: codes[several] for name, codes in questions.values.items()},
    )


def compare_conditions(
    table: StudyTable, queries: int, releases: int, sources: Callable[[str], ByteSource], tables: int = 0
) -> Comparison:
    """Publish a table several times, and estimate the same counts with the product form and without it.

    Parameters
    ----------
    table
        The original; a remainder of N modulo gamma records, drawn at random, is left out. With a second
        sensitive column, queries are on both.
    queries
        Queries of each class, before those with fewer than two conditions are left out.
    releases
        How often the table is published.
    sources
        The random choices of each part.
    tables
        If not 0: so many tables by two columns and the first sensitive one, whose cells are the queries.

    Raises
    ------
    DataError
        If no class has enough queries.
    """
    gamma = int(table.gamma)
    if table.second is not None:
        most = largest_gamma(np.bincount(table.second))
        if most < 2:
            raise DataError(
                f"{table.name}: column {table.recipe.second!r} allows no gamma, because more than half of "
                f"{table.rows} records share a value: name another with --second"
            )
        gamma = min(gamma, most)
    table = table.without_remainder(gamma, sources("remainder"))
    if tables:
        table = replace(table, second=None)
        questions = draw_tables(table, tables, sources("tables"))
    else:
        questions = with_several_conditions(draw_queries(table, queries, sources))
    names = [name for name in CLASSES if len(questions.classes.get(name, ())) >= FEWEST]
    if not names:
        raise DataError(f"{table.name}: no class has {FEWEST} queries with two conditions or more")

    def found(by_conditions: bool) -> Judged:
        method = ShrinkageMethod(by_conditions=by_conditions)
        own = [sources(f"release {number}") for number in range(releases)]
        return judged(table, SpluGen(gamma), [Judgement(method)], questions, own, rivals=())

    product, plain = found(True), found(False)
    classes = tuple(ClassErrors.of(name, product, plain) for name in names)
    columns = [table.recipe.sensitive, *([] if table.second is None else [table.recipe.second or SECOND])]
    return Comparison(table.name, " × ".join(columns), gamma, table.rows, table.name in TABLES, classes)


def as_csv(found: Iterable[Comparison]) -> str:
    """Return the classes of the true count as CSV, a row for each table."""
    text, names = io.StringIO(), (ZERO, *POOLS)
    writer = csv.writer(text, lineterminator="\n")
    head = ["table, sensitive column, γ", "0", *POOLS, "mean", "worst class"]
    last = ["least coverage of a class, and the former one", "length of intervals", "standard errors"]
    writer.writerow([*head, *last])
    for one in found:
        by_name = {each.name: each for each in one.classes}
        least = min(one.classes, key=lambda each: each.coverage)
        predicted = [each.predicted for each in one.classes]
        ratios = [
            f"{_short(by_name[name].ratio)} ± {_short(by_name[name].ratio_error)}" if name in by_name else "–"
            for name in names
        ]
        writer.writerow(
            [
                f"{one.table}, {one.sensitive}, {one.gamma}{' (used)' if one.tuned else ''}",
                *ratios,
                _short(one.mean),
                f"{one.worst.name}, {_short(one.worst.ratio)}",
                f"{_short(least.coverage, 3)}, {_short(least.coverage_without, 3)}",
                _short(float(np.mean([each.length for each in one.classes]))),
                f"{_short(min(predicted))}–{_short(max(predicted))}",
            ]
        )
    return text.getvalue()


def _short(number: float, digits: int = 2) -> str:
    """Return a number with these decimals, and without a 0 before the point."""
    return f"{number:.{digits}f}".removeprefix("0")
