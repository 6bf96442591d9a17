"""Exact guarantees against sums of fractions and against floats: ``python -m benchmarks.guarantees``."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from benchmarks.timing import seconds
from splu_ref.guarantees import error_probability, exact_json, privacy_minimum, utility_threshold

GAMMA, EPSILON = 10, Fraction(3, 10)


def main() -> None:
    """Print the times and ratios of T_P and T_f."""
    privacy()
    privacy_far_out()
    for epsilon in ("1/20", "3/100"):
        utility(epsilon)


def privacy() -> None:
    """T_P at alpha = 1000 against the same number summed at every count."""
    print("T_P, gamma = 10, epsilon = 3/10, alpha = 1000: both forms, exact fractions")
    ours = best(lambda: privacy_minimum(GAMMA, EPSILON, 1000))
    print(f"  {'this package':45} {ours:9.3f} s")
    for name, function, stride in (
        ("fractions summed at every f, one form", sum_of_fractions, 200),
        ("one integer numerator at every f, one form", sum_of_numerators, 50),
    ):
        assert function(1000) == privacy_minimum(GAMMA, EPSILON, 1000).t_p.exact()
        baseline = stride * sum(seconds(partial(function, f)) for f in range(stride // 2, 1001, stride))
        print(f"  {name:45} {baseline:9.3f} s (timed at every {stride}th f): ratio {baseline / ours:.0f}")


def privacy_far_out() -> None:
    """T_P at alpha = 10,000 against SciPy's floats."""
    print("T_P, gamma = 10, epsilon = 3/10, alpha = 10,000: both forms")
    ours = best(lambda: privacy_minimum(GAMMA, EPSILON, 10_000))
    exact = seconds(lambda: privacy_minimum(GAMMA, EPSILON, 10_000))
    shown = exact_json(privacy_minimum(GAMMA, EPSILON, 10_000).t_p.bounds(), "down", 12)
    print(f"  {'this package, certified digits: 12':45} {ours:9.3f} s {shown['decimal']}")
    print(f"  {'this package, exact fractions':45} {exact:9.3f} s")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy may warn of underflow
        added, subtracted = added_tails(10_000), one_minus_window(10_000)
        floats = best(lambda: added_tails(10_000))
    print(f"  {'SciPy, cdf + sf at every f, not certified':45} {floats:9.3f} s {added.min():.11e}")
    print(f"  {'SciPy, 1 - (cdf - cdf)':45} {'':9}   {subtracted.min():g}")
    first = int(np.argmax(subtracted <= 0)) + 1
    last = int(np.flatnonzero(subtracted > 0)[-1]) + 1
    truth = exact_json(error_probability(GAMMA, EPSILON, first, strict=True).bounds(), "down", 3)["decimal"]
    print(f"    0 first at f = {first}, where the truth is {truth}, and at every f after {last}")


def utility(epsilon: str) -> None:
    """T_f against enclosing the error at every count from T_f to where the analytic tail begins."""
    found = utility_threshold(GAMMA, epsilon, "1/100")
    ours = best(lambda: utility_threshold(GAMMA, epsilon, "1/100"))
    counts = range(found.threshold, found.tail_from, 50)
    every = 50 * seconds(lambda: [error_probability(GAMMA, epsilon, f).bounds() for f in counts])
    print(f"T_f, gamma = 10, epsilon = {epsilon}, t_e = 1/100: {found.threshold}", end=" ")
    print(f"(Chebyshev {found.threshold_chebyshev}; analytic from {found.tail_from} on)")
    print(f"  {f'this package, {found.checked} plateau ends':45} {ours:9.3f} s")
    print(
        f"  {'256-bit bounds at every f':45} {every:9.3f} s (timed at every 50th f): ratio {every / ours:.0f}"
    )


def sum_of_fractions(frequency: int) -> Fraction:
    """Return one minus Theorem 4's window, one fraction after another."""
    trials, q = GAMMA * frequency, Fraction(GAMMA - 1, GAMMA)
    within = Fraction(0)
    for x in window(frequency):
        within += math.comb(trials, x) * Fraction(1, GAMMA) ** x * q ** (trials - x)
    return 1 - within


def sum_of_numerators(frequency: int) -> Fraction:
    """Return the same in integers over one denominator, each term from the one before."""
    trials, counts = GAMMA * frequency, window(frequency)
    term = math.comb(trials, counts[0]) * (GAMMA - 1) ** (trials - counts[0])
    within = term
    for x in counts[:-1]:
        term = term * (trials - x) // ((x + 1) * (GAMMA - 1))
        within += term
    return Fraction(GAMMA**trials - within, GAMMA**trials)


def window(frequency: int) -> range:
    """Return the counts within epsilon f of f."""
    return range(math.ceil((1 - EPSILON) * frequency), math.floor((1 + EPSILON) * frequency) + 1)


def added_tails(alpha: int) -> NDArray[Any]:
    """Return SciPy's two tails, added, at every count up to alpha."""
    f = np.arange(1, alpha + 1)
    above = stats.binom.sf(f + 3 * f // 10, GAMMA * f, 1 / GAMMA)
    return np.asarray(above + stats.binom.cdf(f - 3 * f // 10 - 1, GAMMA * f, 1 / GAMMA))


def one_minus_window(alpha: int) -> NDArray[Any]:
    """Return one minus SciPy's probability of the window at every count up to alpha."""
    f = np.arange(1, alpha + 1)
    upto = stats.binom.cdf(f + 3 * f // 10, GAMMA * f, 1 / GAMMA)
    return np.asarray(1 - (upto - stats.binom.cdf(f - 3 * f // 10 - 1, GAMMA * f, 1 / GAMMA)))


def best(function: Callable[[], object]) -> float:
    """Return the least wall time of three calls."""
    return min(seconds(function) for _ in range(3))


if __name__ == "__main__":
    main()
