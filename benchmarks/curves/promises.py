"""What is promised, and how it is checked: T_P, T_f, and every outcome of a small release."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
from scipy import stats

from benchmarks.growth import Curve, GrowthLimit, Pair
from splu_ref.audit.enumeration import codes_of
from splu_ref.guarantees import privacy_minimum, utility_threshold
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import EnumerationSource, outcomes

GAMMA, EPSILON = 10, Fraction(3, 10)


def _both_tails(last: int, epsilon: Fraction) -> None:
    """Return the probability of an error of epsilon f at every count up to the last, in SciPy's floats."""
    f = np.arange(1, last + 1)
    parts, part = epsilon.denominator, epsilon.numerator
    stats.binom.sf(-(-(parts + part) * f // parts) - 1, GAMMA * f, 1 / GAMMA)
    stats.binom.cdf((parts - part) * f // parts, GAMMA * f, 1 / GAMMA)


def _privacy(alpha: int) -> Pair:
    return Pair(
        lambda: privacy_minimum(GAMMA, EPSILON, alpha).t_p.bounds(),  # noqa: PLW0108  the whole chain is timed
        lambda: _both_tails(alpha, EPSILON),
    )


def _utility(parts: int) -> Pair:
    epsilon = Fraction(1, parts)
    threshold = utility_threshold(GAMMA, epsilon, "1/100").threshold
    return Pair(
        lambda: utility_threshold(GAMMA, epsilon, "1/100"),
        lambda: _both_tails(threshold, epsilon),
    )


def _enumeration(outcomes_in_all: int) -> Pair:
    """Run SPLU-Gen on every outcome for a table of different values in groups of two: two for each record."""
    records = outcomes_in_all.bit_length() - 1
    codes = codes_of((1,) * records)
    mechanism = SpluGen(2, plan="anatomy")

    def run(source: EnumerationSource) -> object:
        return mechanism.publish_codes(codes, records, source)

    def walked() -> int:
        return sum(1 for _ in outcomes(run))

    assert walked() == outcomes_in_all
    return Pair(walked, lambda: sum(1 for _ in product(range(2), repeat=records)))


_FLOATS = "both tails at every count, in SciPy's floats"

PROMISES = (
    Curve(
        name="T_P, γ = 10, ε = 3/10, certified",
        unit="α",
        baseline=_FLOATS + ", not certified",
        sizes=(10, 10**2, 10**3, 10**4, 10**5),
        at=_privacy,
        counted=GrowthLimit((250, 1_000, 4_000), most=1.0),
    ),
    Curve(
        name="T_f, γ = 10, t_e = 1/100",
        unit="1/ε",
        baseline=_FLOATS + " up to T_f, not certified",
        sizes=(10, 20, 40, 80, 160),
        at=_utility,
        counted=GrowthLimit((10, 20, 40), most=1.8),
    ),
    Curve(
        name="every outcome of a small release",
        unit="outcomes",
        baseline="the same choices, from itertools",
        sizes=(2**4, 2**6, 2**8, 2**10, 2**12, 2**14),
        at=_enumeration,
        counted=GrowthLimit((2**2, 2**4, 2**6)),
    ),
)
