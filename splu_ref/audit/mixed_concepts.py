"""Predicates that are not nearly pure, n >= (1 + epsilon) x3: least error probability over a finite range.

The estimate must then fall between (1 - epsilon) x3 and (1 + epsilon) x3 <= n. Candidates are ranked by sums
of doubles with an error below 1e-9, and every candidate that may be the best is computed as a fraction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from splu_ref.audit.pure_concepts import ConceptCase
from splu_ref.channels import STEP, Gamma, digits, probability_mass, spend
from splu_ref.guarantees import Progress

Worst: TypeAlias = tuple[Fraction, ConceptCase]
"""An error probability and a concept that has it."""
LiesBetween: TypeAlias = Callable[
    [npt.NDArray[Any], npt.NDArray[Any], int, int, int, Fraction, Fraction], npt.NDArray[np.bool_]
]
"""(y3, y1, n, N, gamma, low, high): where the estimate of x3 exists and low < estimate < high."""
_Array: TypeAlias = npt.NDArray[Any]
_MARGIN = 1e-9
"""More than the rounding of a sum of 1e5 positive doubles with a total of at most 1."""
_SHORT = 2**64
"""Largest denominator of a short fraction: arithmetic with longer ones is slow."""


def mixed_work(
    gamma: Gamma, epsilon: Fraction, limit: int, factors: tuple[int, ...], *, by_trial: bool
) -> int:
    """Return the approximate work of `best_mixed_concept`, or of `mixed_concept_by_trial`."""
    return sum(
        _case_work(gamma, epsilon, case) * (_predicates(gamma, epsilon, case) if by_trial else 1)
        for case in _tables(gamma, limit, (0,) if by_trial else (0, 1), factors, None)
    )


def _case_work(gamma: Gamma, epsilon: Fraction, case: ConceptCase) -> int:
    """Return the approximate work of all outcomes of a table."""
    inside, outside = _trials(gamma, case)
    length = int(epsilon.denominator**2 * gamma * case.rows**2).bit_length()
    each = 4 * STEP if length < 60 else 20 * STEP + 15 * digits(length)
    return 1000 * STEP + (inside + 1) * (outside + 1) * each


def _predicates(gamma: Gamma, epsilon: Fraction, case: ConceptCase) -> int:
    """Return the number of n for a table."""
    least, most = _predicate_counts(gamma, epsilon, case)
    return max(most - least + 1, 0)


def exact_lies_between(
    y3: _Array, y1: _Array, n: int, rows: int, gamma: int, low: Fraction, high: Fraction
) -> npt.NDArray[np.bool_]:
    """Return where the clipped closed form exists and low < estimate < high. The arrays broadcast.

    The closed form is `splu_ref.estimators.conjunction_estimate`, compared after multiplying by its
    denominator N - gamma f'.
    """
    published = y3.astype(object) + y1.astype(object)
    spread = rows - gamma * published
    raw = gamma * (rows - published) * y3.astype(object) - n * (gamma - 1) * published
    estimate = np.minimum(np.maximum(raw, 0), n * spread)
    above = estimate * low.denominator > low.numerator * spread
    below = estimate * high.denominator < high.numerator * spread
    found: npt.NDArray[np.bool_] = ((spread > 0) & above & below).astype(bool)
    return found


def best_mixed_concept(
    gamma: Gamma,
    epsilon: Fraction,
    limit: int,
    factors: tuple[int, ...],
    progress: Progress | None,
) -> Worst | None:
    """Search x3 <= limit, f in (x3, x3 + 1), N = gamma f times a factor, every K, every n; closed form.

    For given (y3, y1) and N the estimate falls as n grows, once n > gamma y3. So the n at which it lies
    between the bounds are consecutive, and all n are treated at once.
    """
    found: list[tuple[float, ConceptCase]] = []
    for case in _tables(gamma, limit, (0, 1), factors, progress):
        spend(_case_work(gamma, epsilon, case))
        found += _best_predicate(gamma, epsilon, case)
    return _least(gamma, epsilon, found, exact_lies_between)


def mixed_concept_by_trial(
    gamma: Gamma,
    epsilon: Fraction,
    limit: int,
    factors: tuple[int, ...],
    right: LiesBetween,
    progress: Progress | None,
) -> Worst | None:
    """Search x3 <= limit, f = x3, N = gamma f times a factor, every K and n, trying every (y3, y1)."""
    found: list[tuple[float, ConceptCase]] = []
    for case in _tables(gamma, limit, (0,), factors, progress):
        spend(_case_work(gamma, epsilon, case) * _predicates(gamma, epsilon, case))
        least, most = _predicate_counts(gamma, epsilon, case)
        weights = _weights(gamma, case)
        low, high = (1 - epsilon) * case.concept_count, (1 + epsilon) * case.concept_count
        y3, y1 = _outcomes(gamma, case)
        for n in range(least, most + 1):
            correct = float(weights[_right(right, y3, y1, n, case.rows, gamma, low, high)].sum())
            found.append((correct, _with_predicate(case, n)))
    return _least(gamma, epsilon, found, right)


def concept_error(
    gamma: Gamma, epsilon: Fraction, case: ConceptCase, right: LiesBetween = exact_lies_between
) -> Fraction:
    """Return Pr(abs(estimate - x3) >= epsilon x3) exactly; where there is no estimate, that is an error."""
    low, high = (1 - epsilon) * case.concept_count, (1 + epsilon) * case.concept_count
    y3, y1 = _outcomes(gamma, case)
    spend(_case_work(gamma, epsilon, case) + y3.size * y1.size * 30 * STEP)
    correct = _right(right, y3, y1, case.predicate_count, case.rows, gamma, low, high)
    inside, outside = _trials(gamma, case)
    chance = Fraction(1, gamma)
    first = [probability_mass(inside, k, chance) for k in range(inside + 1)]
    second = [probability_mass(outside, k, chance) for k in range(outside + 1)]
    wrong = np.argwhere(~np.broadcast_to(correct, (inside + 1, outside + 1)))
    return sum((first[i] * second[j] for i, j in wrong), Fraction(0))


def _right(
    lies_between: LiesBetween,
    y3: _Array,
    y1: _Array,
    n: int,
    rows: int,
    gamma: int,
    low: Fraction,
    high: Fraction,
) -> npt.NDArray[np.bool_]:
    """Return ``lies_between``; it is evaluated with long fractions only where short enclosing ones hold."""
    around = Fraction(floor(low * _SHORT), _SHORT), Fraction(ceil(high * _SHORT), _SHORT)
    if max(low.denominator, high.denominator) <= _SHORT:
        around = low, high
    found = np.broadcast_to(
        lies_between(y3, y1, n, rows, gamma, *around), np.broadcast_shapes(y3.shape, y1.shape)
    )
    if around == (low, high):
        return found
    inside, outside = np.nonzero(found)
    closely = np.zeros(found.shape, dtype=np.bool_)
    closely[inside, outside] = lies_between(y3[inside, 0], y1[0, outside], n, rows, gamma, low, high)
    return closely


def _tables(
    gamma: Gamma,
    limit: int,
    more: tuple[int, ...],
    factors: tuple[int, ...],
    progress: Progress | None,
) -> Iterator[ConceptCase]:
    """Yield every (x3, f, N, K) of the range, with n still open."""
    whole = sum(x3**3 for x3 in range(1, limit + 1))
    done = 0
    for x3 in range(1, limit + 1):
        for f in (x3 + extra for extra in more):
            for decoys in range((gamma - 1) * f + 1):
                for factor in factors:
                    yield ConceptCase(0, x3, f, int(gamma) * f * factor, decoys)
        done += x3**3
        if progress is not None:
            progress(done, whole)


def _trials(gamma: Gamma, case: ConceptCase) -> tuple[int, int]:
    inside = case.concept_count + case.decoys_in_predicate
    return inside, gamma * case.sensitive_count - inside


def _outcomes(gamma: Gamma, case: ConceptCase) -> tuple[_Array, _Array]:
    inside, outside = _trials(gamma, case)
    return np.arange(inside + 1, dtype=np.int64)[:, None], np.arange(outside + 1, dtype=np.int64)[None, :]


def _weights(gamma: Gamma, case: ConceptCase) -> _Array:
    first, second = (_masses(trials, gamma) for trials in _trials(gamma, case))
    return np.outer(first, second)


@lru_cache(maxsize=512)  # neighboring tables have most of their numbers of trials in common
def _masses(trials: int, gamma: Gamma) -> _Array:
    return np.array([float(probability_mass(trials, k, Fraction(1, gamma))) for k in range(trials + 1)])


def _predicate_counts(gamma: Gamma, epsilon: Fraction, case: ConceptCase) -> tuple[int, int]:
    """Return the least and the largest n: room for x3 + K inside, and for the others outside."""
    inside, outside = _trials(gamma, case)
    return max(inside, ceil((1 + epsilon) * case.concept_count)), case.rows - outside


def _with_predicate(case: ConceptCase, n: int) -> ConceptCase:
    return ConceptCase(n, case.concept_count, case.sensitive_count, case.rows, case.decoys_in_predicate)


def _best_predicate(gamma: Gamma, epsilon: Fraction, case: ConceptCase) -> list[tuple[float, ConceptCase]]:
    """Return the n with the largest probability of a correct estimate; several if rounding cannot decide."""
    least, most = _predicate_counts(gamma, epsilon, case)
    _, outside = _trials(gamma, case)
    if least > most or outside < case.sensitive_count - case.concept_count:
        return []
    low, high = (1 - epsilon) * case.concept_count, (1 + epsilon) * case.concept_count
    y3, y1 = _outcomes(gamma, case)
    published = y3 + y1
    # raw = (top - n step) / spread is between the bounds where its integer numerator is between those next
    # to their multiples. These follow from y3 + y1 alone: so long fractions are multiplied seldom, and
    # all else is in machine integers, below gamma N^2.
    spreads = [case.rows - int(gamma) * total for total in range(gamma * case.sensitive_count + 1)]
    floors = np.array([low.numerator * each // low.denominator for each in spreads])[published]
    ceilings = np.array([-(-high.numerator * each // high.denominator) for each in spreads])[published]
    spread = case.rows - gamma * published
    top = gamma * (case.rows - published) * y3
    step = np.maximum((gamma - 1) * published, 1)
    first = np.maximum((top - ceilings) // step + 1, least)
    last = np.minimum(-((floors - top) // step) - 1, most)
    correct = ((spread > 0) & (published > 0) & (first <= last)).astype(bool)
    begin = first[correct].astype(np.int64) - least
    end = last[correct].astype(np.int64) - least + 1
    weights = _weights(gamma, case)[correct]
    change = np.zeros(most - least + 2)
    np.add.at(change, begin, weights)
    np.subtract.at(change, end, weights)
    right = np.cumsum(change)[:-1]
    starts = np.unique(np.append(begin, 0))  # the set of correct outcomes only grows where one begins
    best = right[starts].max()
    close = starts[right[starts] >= best - _MARGIN]
    return [(float(right[at]), _with_predicate(case, least + int(at))) for at in close]


def _least(
    gamma: Gamma, epsilon: Fraction, found: list[tuple[float, ConceptCase]], right: LiesBetween
) -> Worst | None:
    """Return the exact least error among the candidates, and the smallest case that attains it, if any."""
    best = max((correct for correct, _ in found), default=0.0)
    if best == 0:
        return None
    errors = [
        (concept_error(gamma, epsilon, case, right), case)
        for correct, case in found
        if correct >= best - 2 * _MARGIN
    ]
    return min(errors, key=lambda pair: (pair[0], pair[1].rows, pair[1].predicate_count))
