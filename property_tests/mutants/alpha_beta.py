"""Faults in the alpha-beta algorithm."""

from __future__ import annotations

import numpy as np

from property_tests.mutants.mutant import mutant
from splu_ref.mechanisms import AlphaBeta
from splu_ref.mechanisms.alpha_beta import Numbers
from splu_ref.mechanisms.replacement_law import draw_binomial
from splu_ref.randomness import UniformSource


def _kept(mechanism: AlphaBeta, members: Numbers, source: UniformSource) -> Numbers:
    own = mechanism.alpha + mechanism.beta
    return members[source.below(own.denominator, len(members)) < own.numerator]


def _number(mechanism: AlphaBeta, others: int, source: UniformSource) -> int:
    return draw_binomial(others, mechanism.beta, source.integer_below) if mechanism.beta else 0


def _distinct(count: int, population: int, source: UniformSource) -> list[int]:
    taken: set[int] = set()
    for last in range(population - count, population):
        drawn = source.integer_below(last + 1)
        taken.add(last if drawn in taken else drawn)
    return sorted(taken)


def _others(members: Numbers, ranks: list[int]) -> list[int]:
    found = []
    for rank in ranks:
        number = rank
        for member in members.tolist():
            number += member <= number
        found.append(number)
    return found


def _joined(genuine: Numbers, fakes: list[int]) -> Numbers:
    return np.concatenate([genuine, np.array(fakes, dtype=np.int64)])


def _fakes_from_all(
    mechanism: AlphaBeta, members: Numbers, size: int, source: UniformSource, /, *, eager: bool | None = None
) -> Numbers:
    del eager
    genuine = _kept(mechanism, members, source)
    fakes = _distinct(_number(mechanism, size - len(members), source), size, source)
    return np.array(sorted({*genuine.tolist(), *fakes}), dtype=np.int64)


def _with_repeats(
    mechanism: AlphaBeta, members: Numbers, size: int, source: UniformSource, /, *, eager: bool | None = None
) -> Numbers:
    del eager
    genuine, others = _kept(mechanism, members, source), size - len(members)
    drawn = [source.integer_below(others) for _ in range(_number(mechanism, others, source))]
    return _joined(genuine, _others(members, drawn))


def _mean_number(
    mechanism: AlphaBeta, members: Numbers, size: int, source: UniformSource, /, *, eager: bool | None = None
) -> Numbers:
    del eager
    genuine, others = _kept(mechanism, members, source), size - len(members)
    return _joined(genuine, _others(members, _distinct(round(others * mechanism.beta), others, source)))


def _no_fakes(
    mechanism: AlphaBeta, members: Numbers, size: int, source: UniformSource, /, *, eager: bool | None = None
) -> Numbers:
    del size, eager
    return _kept(mechanism, members, source)


def _alpha_alone(
    mechanism: AlphaBeta, members: Numbers, size: int, source: UniformSource, /, *, eager: bool | None = None
) -> Numbers:
    genuine = members[source.below(mechanism.alpha.denominator, len(members)) < mechanism.alpha.numerator]
    others = size - len(members)
    del eager
    return _joined(genuine, _others(members, _distinct(_number(mechanism, others, source), others, source)))


mutant(
    "fakes-from-the-whole-domain",
    "alpha-beta.law",
    "Fakes are drawn from all tuples of the domain, those of the original among them.",
    publish_tuples=_fakes_from_all,
)
mutant(
    "fakes-with-repeats",
    "alpha-beta.law",
    "Fakes are drawn independently, so that one may be published twice.",
    publish_tuples=_with_repeats,
)
mutant(
    "mean-number-of-fakes",
    "alpha-beta.counts",
    "The number of fakes is its mean, rounded.",
    publish_tuples=_mean_number,
)
mutant(
    "no-fakes",
    "alpha-beta.counts",
    "The beta step is skipped for tuples that are not in the original.",
    publish_tuples=_no_fakes,
)
mutant(
    "kept-with-alpha-alone",
    "alpha-beta.law",
    "A tuple of the original is published with alpha in place of alpha + beta.",
    publish_tuples=_alpha_alone,
)
