"""Faults in the search for the best operator, and in publishing by a matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from property_tests.mutants.mutant import mutant
from splu_ref.guarantees import Optimum, Requirement, best_operator
from splu_ref.guarantees.operators.front import uniform, uniform_retention
from splu_ref.mechanisms import ColumnsRelease, Operator
from splu_ref.randomness import Draws, IntArray


def _unverified(found: Optimum, **changes: Any) -> Optimum:
    """Return an answer as it would be without being verified."""
    made = object.__new__(Optimum)
    for name in ("requirement", "matrix", "weights", "rows", "prices"):
        object.__setattr__(made, name, changes.get(name, getattr(found, name)))
    return made


def _dual_sign(wanted: Requirement) -> Optimum:
    found = best_operator(wanted)
    return _unverified(found, prices=tuple(each._replace(amount=-each.amount) for each in found.prices))


def _single_values(wanted: Requirement) -> Optimum:
    if wanted.against != "sets":
        return best_operator(wanted)
    return _unverified(best_operator(replace(wanted, against="values")), requirement=wanted)


def _uniform(wanted: Requirement) -> Optimum:
    """Take uniform perturbation for the best, whatever is kept; its rows are said to bound it."""
    found, size = best_operator(wanted), len(wanted.counts)
    channel = uniform(range(size), uniform_retention(wanted))
    matrix = tuple(tuple(channel.probability(u, v) for v in range(size)) for u in range(size))
    return _unverified(found, matrix=matrix, rows=(wanted.kept(matrix) / size,) * size)


def _all_values(wanted: Requirement) -> Optimum:
    """Publish every value, however rare: the number of values is not searched for."""
    if wanted.against != "any":
        return best_operator(wanted)
    return _uniform(wanted)


def _turned(
    mechanism: Operator,
    codes: Mapping[str, IntArray],
    domain_sizes: Mapping[str, int],
    draws_for: Callable[[str], Draws],
) -> ColumnsRelease:
    columns = [list(column) for column in zip(*mechanism.rows, strict=True)]
    sums = [sum(column, Fraction(0)) for column in columns]
    laws = [[entry / total for entry in column] for column, total in zip(columns, sums, strict=True)]
    turned = Operator(mechanism.column, mechanism.values, laws)
    return turned.publish_columns(codes, domain_sizes, draws_for)


mutant(
    "dual-sign",
    "operator.optimum",
    "The prices of the linear program have the other sign.",
    best_operator=_dual_sign,
)
mutant(
    "single-values-for-sets",
    "operator.optimum",
    "Where sets of values are protected, only single values are.",
    best_operator=_single_values,
)
mutant(
    "uniform-is-best",
    "operator.optimum",
    "Uniform perturbation is taken for the operator that keeps most.",
    best_operator=_uniform,
)
mutant(
    "every-value-is-published",
    "operator.optimum",
    "Against every prior all values are published, however rare they are.",
    best_operator=_all_values,
)
mutant(
    "columns-for-rows",
    "operator.law",
    "A record is published by the column of its value.",
    publish_operator=_turned,
)
