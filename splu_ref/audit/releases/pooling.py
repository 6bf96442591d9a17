"""Combination of many e-values into one, and the divisions of rows whose parts are tested.

The mean of dependent e-values is one, and so is the product of independent ones. Divisions can be named
before anything is drawn, or other draws decide them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from splu_ref.audit.e_values import EValue, average, counts_point
from splu_ref.audit.releases.record_linkage import Match
from splu_ref.randomness import IntArray

Logs: TypeAlias = NDArray[np.float64]

_COMPUTED = 12

IMPOSSIBLE = EValue(math.inf)
"""What never happens if the claim is true."""

CERTAIN = EValue(0.0)
"""What a check gives that had nothing left to chance."""

NOTHING = EValue(-math.inf)
"""A lower bound of any e-value, where computing it is not worthwhile."""


def largest_mean(
    test: Callable[[int, int, Fraction], EValue],
    trials: IntArray,
    successes: IntArray,
    rates: Sequence[Fraction],
    *,
    above_only: bool = False,
    of: int | None = None,
    least: float = -math.inf,
) -> EValue:
    """Return a lower bound of the mean of e-values, which is an e-value whatever their dependence.

    Only the 12 that deviate most are computed; the others count as 0, which only lowers the mean. More
    successes than trials never happen under the claims tested here, so they refute it outright.
    """
    if (successes > trials).any():
        return IMPOSSIBLE
    stated = np.array([float(rate) for rate in rates])
    expected = trials * stated
    deviation = successes - expected
    spread = np.sqrt(np.maximum(expected * (1 - stated), 1e-12)) + 1  # the 1 keeps tiny samples in proportion
    score = deviation / spread if above_only else np.abs(deviation) / spread
    if score.max() < least:
        return NOTHING
    return mean_of_largest(score, lambda i: test(int(trials[i]), int(successes[i]), rates[i]), of)


def largest_point_mean(trials: IntArray, successes: IntArray, rates: Sequence[Fraction]) -> EValue:
    """Return the same of `counts_point` for rates that may be 0 or 1, which allow one count alone."""
    drawn = np.array([0 < rate < 1 for rate in rates])
    certain = np.array([int(rate == 1) for rate in rates]) * trials
    if (successes != certain)[~drawn].any():
        return IMPOSSIBLE
    if not drawn.any():
        return CERTAIN
    left = [rate for rate in rates if 0 < rate < 1]
    return largest_mean(counts_point, trials[drawn], successes[drawn], left, of=len(rates))


def mean_of_largest(scores: Logs, computed: Callable[[int], EValue], of: int | None = None) -> EValue:
    """Return a lower bound of the mean of e-values: only the 12 with the largest scores are computed."""
    chosen = np.argsort(-scores, kind="stable")[:_COMPUTED].tolist()
    mean = average([computed(i) for i in chosen])
    whole = len(scores) if of is None else of
    if len(chosen) == whole:
        return mean
    return EValue(mean.log10 + math.log10(len(chosen) / whole) - 1e-9)  # rounded down, amply


def small_numbers(parts: NDArray[np.signedinteger]) -> NDArray[np.signedinteger]:
    """Return the same division by small numbers from 0 on, in the same order; some may name no row."""
    least = int(parts.min(initial=0))
    if int(parts.max(initial=0)) - least > 8 * len(parts) + 1024:
        return np.asarray(np.unique(parts, return_inverse=True)[1], dtype=np.int64)
    return parts - least if least else parts


def renumbered(parts: NDArray[np.signedinteger]) -> IntArray:
    """Return the same division with its parts numbered from 0, none empty: quick where numbers are small."""
    small = small_numbers(parts)
    kept: IntArray = (np.cumsum(np.bincount(small) > 0) - 1)[small]
    return kept


def counted(
    part: NDArray[np.signedinteger], own: NDArray[np.bool_], parts: int = 0
) -> tuple[IntArray, IntArray]:
    """Return the rows of each part and those marked, for at least ``parts`` parts, in one pass."""
    both = np.bincount(2 * part + own, minlength=2 * parts)
    whole = np.append(both, 0) if len(both) % 2 else both
    marked: IntArray = whole[1::2]
    return whole[::2] + marked, marked


def point_logs(
    trials: IntArray, successes: IntArray, rate: Fraction | tuple[Logs, Logs], dependent: int = 1
) -> Logs:
    """Return natural logarithms of `counts_point`, rounded down amply, shape of the counts.

    Let g = ``dependent``, and let the trials be in groups of at most g that are independent of each other.
    For a > 0 and events of chance r, of which a group holds some, the mean of a^(their number) is at most the
    product over the events of (1 - r + r a^g)^(1/g) (Hoelder). So for every theta, with
    a^g = theta (1-r)/((1-theta) r), the ratio ((1-theta)/(1-r))^(n/g) a^k has a mean of at most 1, and the
    mean of it over theta is the mixture of `counts_point` at n/g trials and k/g successes. The same holds for
    a product over parts of the trials, whichever of them are in one group, so parts may be multiplied.
    """
    n, k = (trials, successes) if dependent == 1 else (trials / dependent, successes / dependent)
    rounding = 1e-12 * (1 + n * np.log(n + 2))
    kept: Logs | float
    left: Logs | float
    if isinstance(rate, Fraction):
        kept, left = (math.log(p.numerator) - math.log(p.denominator) for p in (rate, 1 - rate))
    else:
        kept, left = map(np.log, rate)
        rounding = rounding + 2.0**-52 * n * n
    chances = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    chances += k * kept + (n - k) * left
    logs: Logs = -np.log1p(n) - chances - rounding
    return logs


def effective_trials(trials: IntArray, successes: IntArray, dependent: int) -> tuple[IntArray, IntArray]:
    """Return for how many independent trials, and successes among them, one-sided tests may count.

    Where up to ``dependent`` trials may depend on each other each counts for one in so many, as in
    `point_logs`, with the trials rounded up and the successes down: this lowers an e-value for more successes
    than stated.
    """
    return -(-trials // dependent), successes // dependent


def independent_product(logs: Logs) -> float:
    """Return a lower bound of the natural logarithm of one e-value made from independent ones.

    The mean over w of the product of 1 - w + w e, w = 1, 1/sqrt(k) and 1/k: the first where all of them
    deviate a little, the last where one deviates. It costs the one a factor of at most 3 e k.
    """
    k = len(logs)
    products = [float(np.sum(logs))] if k else [0.0]
    products += [
        float(np.sum(np.logaddexp(math.log1p(-share), logs + math.log(share))))
        for share in ((1 / math.sqrt(k), 1 / k) if k > 1 else ())
    ]
    return mean_log(products) - 1e-9 - 1e-14 * k


def product_of(values: Sequence[EValue]) -> EValue:
    """Return one e-value made from independent ones, as `independent_product` does."""
    if IMPOSSIBLE in values:
        return IMPOSSIBLE
    logs = np.array([value.log10 for value in values]) * math.log(10)
    return EValue(independent_product(logs) / math.log(10))


def mean_of(values: Sequence[EValue]) -> EValue:
    """Return the mean of e-values, some of which may be lower bounds of 0."""
    if IMPOSSIBLE in values:
        return IMPOSSIBLE
    return EValue(mean_log([value.log10 * math.log(10) for value in values]) / math.log(10))


def mean_log(logs: Sequence[float]) -> float:
    """Return the natural logarithm of the mean of e-values that are given by theirs."""
    return float(np.logaddexp.reduce(np.array(logs))) - math.log(len(logs)) - 1e-9


_MODULI = 32
_MOST_BLOCKS = 1 << 14


def moduli(rows: int, further: Iterable[int] = ()) -> list[int]:
    """Return 2 to 32, and those further ones that are below the number of rows."""
    return sorted({*range(2, _MODULI + 1), *(each for each in further if each < rows)})


def remainders(places: IntArray, modulus: int) -> IntArray:
    """Return nonnegative places modulo a number: by division, which is vectorized."""
    return places - places // modulus * modulus


def by_place(places: IntArray, size: int, further: Iterable[int] = ()) -> Iterator[IntArray]:
    """Divide by places 0 .. size - 1: modulo numbers, in blocks, and by the distance from both ends."""
    for modulus in moduli(size, further):
        yield remainders(places, modulus)
    blocks = 2
    while blocks <= min(_MOST_BLOCKS, size // 4):
        yield places * blocks // size
        blocks *= 2
    yield np.log2(places + 1).astype(np.int64)
    yield np.log2(size - places).astype(np.int64)


def by_cells(ranks: NDArray[np.signedinteger]) -> Iterator[IntArray]:
    """Divide by the cells of a column, given as ranks, and by coarse ranges of them."""
    cells = renumbered(ranks)
    if cells.max() < max(2, len(cells) // 2):
        yield cells
    sizes = np.bincount(cells)
    order = (np.cumsum(sizes) - sizes)[cells]
    for blocks in (2, 4, 8, 16):
        yield order * blocks // len(cells)


def by_other_sensitive(match: Match, column: str, rows: IntArray) -> Iterator[IntArray]:
    """Divide by the true and the published value of another sensitive column, and whether it was kept."""
    for other in match.original.sensitive:
        if other != column:
            true = match.true_values(other)[rows]
            published = match.published[other][rows]
            yield true
            yield published
            yield np.where(true < 0, 2, true == published)
