"""Faults in guarantees and estimates, among them the refuted formulas of the paper."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from property_tests.mutants.mutant import mutant
from property_tests.subject import SHIPPED, ExactMinimum
from splu_ref.channels import PublishedCount, probability_mass, upper_tail
from splu_ref.channels.parameters import Exact, Gamma, exact, integer
from splu_ref.estimators import METHODS, CountEstimate, estimate_count, two_state_intervals
from splu_ref.estimators.answers import Estimates
from splu_ref.estimators.queries.joint_shrinkage import ShrinkageMethod
from splu_ref.estimators.queries.one_column import PublishedColumn, QueryBatch
from splu_ref.estimators.shrinkage.conditions import ProductForms
from splu_ref.guarantees import (
    UtilityThreshold,
    error_probability,
    plateau_ends,
    plateau_starts,
    utility_threshold,
)
from splu_ref.guarantees.count_error import error_offset


def _float_window(gamma: int, epsilon: float, frequency: int) -> Fraction:
    """Return 1 minus the mass of the window of Theorem 4, its ends rounded as floats."""
    window = range(
        max(0, math.ceil((1 - epsilon) * frequency)),
        min(gamma * frequency, math.floor((1 + epsilon) * frequency)) + 1,
    )
    return 1 - sum((probability_mass(gamma * frequency, k, Fraction(1, gamma)) for k in window), Fraction(0))


def _float_error(gamma: Exact, epsilon: Exact, frequency: Exact, *, strict: bool = False) -> Fraction:
    size, count, share = Gamma(gamma), integer(frequency, "frequency", 1), float(exact(epsilon))
    return _float_window(size, share, count) if strict else error_probability(size, epsilon, count).exact()


def _upper_error(gamma: Exact, epsilon: Exact, frequency: Exact, *, strict: bool = False) -> Fraction:
    size, count = Gamma(gamma), integer(frequency, "frequency", 1)
    distance = error_offset(epsilon, count, strict=strict)
    return upper_tail(size * count, count + distance, Fraction(1, size))


def _float_privacy(gamma: Exact, epsilon: Exact, alpha: Exact) -> ExactMinimum:
    size, share, last = Gamma(gamma), float(exact(epsilon)), integer(alpha, "alpha", 1)
    least, argmin = min((_float_window(size, share, f), f) for f in range(1, last + 1))
    return SHIPPED.privacy_minimum(gamma, epsilon, alpha)._replace(t_p=least, argmin=argmin)


def _strict_for_definition(gamma: Exact, epsilon: Exact, alpha: Exact) -> ExactMinimum:
    found = SHIPPED.privacy_minimum(gamma, epsilon, alpha)
    return found._replace(t_p=found.t_p_definition, argmin=found.argmin_definition)


def _privacy_at_plateau_ends(gamma: Exact, epsilon: Exact, alpha: Exact) -> ExactMinimum:
    last = integer(alpha, "alpha", 1)
    ends = list(plateau_ends(epsilon, last)) or [last]
    least, argmin = min((error_probability(gamma, epsilon, f).exact(), f) for f in ends)
    found = SHIPPED.privacy_minimum(gamma, epsilon, alpha)
    return found._replace(t_p_definition=least, argmin_definition=argmin)


def _starts_too_late(epsilon: Exact, last: Exact, /, *, strict: bool = False) -> Iterator[int]:
    for start in plateau_starts(epsilon, last, strict=strict):
        yield start if start == 1 else start + 1


def _threshold_too_small(gamma: Exact, epsilon: Exact, t_e: Exact) -> UtilityThreshold:
    found = utility_threshold(gamma, epsilon, t_e)
    return replace(found, threshold=max(1, found.threshold - 1))


def _printed_threshold(gamma: Exact, epsilon: Exact, t_e: Exact) -> UtilityThreshold:
    from splu_proofs.printed import lemma1  # noqa: PLC0415  # loaded only when the mutant runs

    found = utility_threshold(gamma, epsilon, t_e)
    return replace(found, threshold=lemma1.threshold(found.gamma, found.epsilon, found.t_e))


def _printed_bound(gamma: Exact, epsilon: Exact, frequency: Exact) -> Fraction:
    from splu_proofs.printed import theorem3  # noqa: PLC0415  # loaded only when the mutant runs

    return theorem3.error_bound(Gamma(gamma), exact(epsilon), integer(frequency, "frequency", 1))


def _one_tail(gamma: Exact, epsilon: Exact, frequency: Exact) -> Fraction:
    """Return the exact upper tail: a bound on one side only."""
    size, count = Gamma(gamma), integer(frequency, "frequency", 1)
    return upper_tail(size * count, math.ceil((1 + exact(epsilon)) * count), Fraction(1, size))


def _normal_interval(published_count: int, gamma: Exact) -> CountEstimate:
    found = estimate_count(published_count, gamma)
    margin = 1.96 * found.standard_error
    return replace(found, interval=(max(0, round(published_count - margin)), round(published_count + margin)))


@dataclass(frozen=True)
class _ShortenedInterval(CountEstimate):
    @property
    def estimate(self) -> int:
        return self.published_count * self.gamma // (self.gamma + 1)


class _ProductForm(ShrinkageMethod):
    """The default without deviations from the product form of the single conditions."""

    def single(self, column: PublishedColumn, batch: QueryBatch) -> Estimates:
        """Return the product forms, with the default intervals."""
        found, shrinkage = super().single(column, batch), column.shrinkage
        if shrinkage is None:
            return found
        conditions = column.conditions(batch.predicates)
        single = shrinkage.composition.learn(conditions.published)
        records = np.maximum(single.total, 1.0)[:, None]
        forms = ProductForms.of(
            shrinkage.composition.share,
            single.mean / records,
            0 * single.mean,
            0 * single.mean,
            conditions.of,
        )
        share = (forms.share[-1][batch.which] * batch.members).sum(axis=1)
        return found.with_value(batch.predicate_count * share)


def _shrunk_estimate(published_count: int, gamma: Exact) -> CountEstimate:
    found = estimate_count(published_count, gamma)
    return _ShortenedInterval(
        found.published_count, found.gamma, found.confidence, found.interval, found.retention, found.bound
    )


def _printed_gain(
    y3: ArrayLike,
    predicate_count: ArrayLike,
    f_published: ArrayLike,
    rows: int,
    law: PublishedCount,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Move the interval to where the printed probability f/N of gaining the value would put it."""
    low, high = two_state_intervals(y3, predicate_count, f_published, rows, law)
    n, f = np.asarray(predicate_count, dtype=np.float64), np.asarray(f_published, dtype=np.float64)
    size = law.gamma
    gained = f * (size - 1) / (size * (rows - f))
    excess = n * (f / rows - gained) / (1 / size - gained)
    return low - excess, high - excess


def _short_intervals(
    y3: ArrayLike,
    predicate_count: ArrayLike,
    f_published: ArrayLike,
    rows: int,
    law: PublishedCount,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw both ends in by a quarter of the half width: an interval of 86 % or so."""
    low, high = two_state_intervals(y3, predicate_count, f_published, rows, law)
    excess = (high - low) / 8
    return np.where(low > 0, low + excess, low), high - excess


mutant(
    "ceil-and-floor-on-floats",
    "guarantee.privacy",
    "The window of Theorem 4 is rounded in floating point, which overstates T_P.",
    privacy_minimum=_float_privacy,
    error_probability=_float_error,
)
mutant(
    "error-above-only",
    "guarantee.error",
    "Only counts that are too high are errors.",
    error_probability=_upper_error,
)
mutant(
    "at-least-for-more-than",
    "guarantee.privacy",
    "T_P of Theorem 4 (error more than epsilon) is computed with at least epsilon.",
    privacy_minimum=_strict_for_definition,
)
mutant(
    "privacy-at-plateau-ends",
    "guarantee.privacy",
    "T_P is taken over plateau ends, where the error probability is largest, instead of starts.",
    privacy_minimum=_privacy_at_plateau_ends,
)
mutant(
    "plateau-starts-off-by-one",
    "guarantee.sawtooth",
    "Plateaus are visited one count too late.",
    plateau_starts=_starts_too_late,
)
mutant(
    "threshold-off-by-one",
    "guarantee.threshold",
    "T_f is the last count that violates the claim instead of the one after it.",
    utility_threshold=_threshold_too_small,
)
mutant(
    "printed-lemma-1",
    "guarantee.threshold",
    "T_f as printed in Lemma 1 of the paper.",
    utility_threshold=_printed_threshold,
)
mutant(
    "printed-theorem-3",
    "guarantee.bounds",
    "The bound on the error probability as printed in Theorem 3 of the paper.",
    chebyshev_bound=_printed_bound,
)
mutant(
    "one-tail-only",
    "guarantee.bounds",
    "A bound on the upper tail stands for a bound on both.",
    chernoff_bound=_one_tail,
)
mutant(
    "normal-interval",
    "estimate.coverage",
    "The interval is the estimate plus or minus 1.96 standard errors.",
    estimate_count=_normal_interval,
)
mutant(
    "printed-transition",
    "adult.intervals",
    "A record without the value gains it with the printed probability f/N, not f(gamma-1)/(gamma(N-f)).",
    two_state_intervals=_printed_gain,
)
mutant(
    "short-intervals",
    "adult.intervals",
    "The intervals of conjunctions are a quarter too short: none misses often, all miss too often.",
    two_state_intervals=_short_intervals,
)
mutant(
    "hypothesis-intervals",
    "conjunctions.intervals",
    "The default intervals of conjunctions are those of exact, which suppose that a predicate has nothing to "
    "do with the other values of its records.",
    conjunctions=METHODS["exact"],
)
mutant(
    "conditions-ignored",
    "conjunctions.errors",
    "The default estimates of conjunctions do not use the estimates of their single conditions.",
    conjunctions=ShrinkageMethod(by_conditions=False),
)
mutant(
    "no-deviation-from-product-form",
    "conjunctions.errors",
    "The variance of the deviations from the product form is 0, so the estimates are the product form.",
    conjunctions=_ProductForm(),
)
mutant(
    "shrunk-estimate",
    "estimate.likelihood",
    "The estimate is pulled towards zero by gamma/(gamma+1).",
    estimate_count=_shrunk_estimate,
)
