"""Faults in retention replacement."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from property_tests.mutants.mutant import mutant
from splu_ref.channels import Channel
from splu_ref.channels import retention as retention_channel
from splu_ref.estimators import ChannelEstimator, Query, QueryEstimate, apply_by_mode
from splu_ref.estimators.linear.em import Maximum
from splu_ref.estimators.linear.transition import transposed
from splu_ref.mechanisms import ColumnsRelease, FloatArray, RetentionReplacement
from splu_ref.randomness import Draws, IntArray


def _own_value_excluded(
    mechanism: RetentionReplacement,
    codes: Mapping[str, IntArray],
    domain_sizes: Mapping[str, int],
    draws_for: Callable[[str], Draws],
) -> ColumnsRelease:
    published = {}
    for column, own in codes.items():
        keep, others = mechanism.retention, domain_sizes[column] - 1
        drawn = draws_for(column).below(keep.denominator * others, len(own))
        other = drawn % others
        replaced = other + (other >= own)
        published[column] = np.where(drawn < keep.numerator * others, own, replaced)
    rows = np.arange(len(own))
    return ColumnsRelease(rows, published, rows[:0])


def _observed_domain(
    mechanism: RetentionReplacement,
    codes: Mapping[str, IntArray],
    domain_sizes: Mapping[str, int],
    draws_for: Callable[[str], Draws],
) -> ColumnsRelease:
    observed = {column: int(own.max()) + 1 for column, own in codes.items()}
    return mechanism.publish_columns(codes, observed, draws_for)


def _one_coin(
    mechanism: RetentionReplacement,
    codes: Mapping[str, IntArray],
    domain_sizes: Mapping[str, int],
    draws_for: Callable[[str], Draws],
) -> ColumnsRelease:
    keep, records = mechanism.retention, len(next(iter(codes.values())))
    coins = draws_for(next(iter(codes))).below(keep.denominator, records)
    published = {
        column: np.where(coins < keep.numerator, own, draws_for(column).below(domain_sizes[column], records))
        for column, own in codes.items()
    }
    rows = np.arange(records)
    return ColumnsRelease(rows, published, rows[:0])


def _kept_more_often(
    mechanism: RetentionReplacement,
    codes: Mapping[str, IntArray],
    domain_sizes: Mapping[str, int],
    draws_for: Callable[[str], Draws],
) -> ColumnsRelease:
    more = RetentionReplacement(mechanism.retention + Fraction(1, 6), dict(mechanism.domains))
    return more.publish_columns(codes, domain_sizes, draws_for)


def _em_from_y(published: FloatArray, factors: Sequence[FloatArray]) -> Maximum:
    x = published
    for _ in range(500):
        fitted = np.where(published > 0, apply_by_mode(x, factors), 1.0)
        x = x * apply_by_mode(published / fitted, transposed(factors))
    return Maximum(x, np.zeros(len(x)), 500)


def _short_intervals(
    estimator: ChannelEstimator, queries: Sequence[Query], method: str | None = None
) -> list[QueryEstimate]:
    found = ChannelEstimator.__call__(estimator, queries, method)
    if method != "em":
        return found
    drawn_in = []
    for answer in found:
        assert answer.interval is not None
        low, high = (answer.estimate + (end - answer.estimate) / 4 for end in answer.interval)
        drawn_in.append(replace(answer, interval=(low, high)))
    return drawn_in


def _coin_per_record(
    mechanism: RetentionReplacement,
    codes: Mapping[str, IntArray],
    domain_sizes: Mapping[str, int],
    draws_for: Callable[[str], Draws],
) -> ColumnsRelease:
    together = RetentionReplacement(mechanism.retention, dict(mechanism.domains), compound=True)
    return together.publish_columns(codes, domain_sizes, draws_for)


def _coin_per_cell(
    mechanism: RetentionReplacement,
    codes: Mapping[str, IntArray],
    domain_sizes: Mapping[str, int],
    draws_for: Callable[[str], Draws],
) -> ColumnsRelease:
    apart = RetentionReplacement(mechanism.retention, dict(mechanism.domains))
    return apart.publish_columns(codes, domain_sizes, draws_for)


def _always_uniform(
    mechanism: RetentionReplacement,
    codes: Mapping[str, IntArray],
    domain_sizes: Mapping[str, int],
    draws_for: Callable[[str], Draws],
) -> ColumnsRelease:
    plain = RetentionReplacement(mechanism.retention, dict(mechanism.domains), compound=mechanism.compound)
    return plain.publish_columns(codes, domain_sizes, draws_for)


def _share_off_by_one(
    mechanism: RetentionReplacement,
    sets: Mapping[str, Collection[str]],
    published: Mapping[str, Mapping[str, int]],
) -> dict[tuple[str, ...], Channel[bool, bool]]:
    # (high - low)/(max - min) of a continuous column, on whole numbers.
    domains = dict(mechanism.domains)
    found: dict[tuple[str, ...], Channel[bool, bool]] = {}
    for column, values in sets.items():
        share = Fraction(len(values) - 1, len(domains[column]) - 1)
        found[column,] = retention_channel(mechanism.retention, {True: share, False: 1 - share})
    return found


mutant(
    "replacement-excludes-own-value",
    "retention.law",
    "A replacement is never the true value.",
    publish_retained=_own_value_excluded,
)
mutant(
    "replacement-from-observed-domain",
    "retention.law",
    "Replacements are drawn from the values that occur in place of the declared ones.",
    also=["retention.intervals"],
    publish_retained=_observed_domain,
)
mutant(
    "one-coin-for-two-columns",
    "retention.law",
    "One coin decides for all columns of a record whether they are kept.",
    publish_retained=_one_coin,
)
mutant(
    "kept-more-often-than-declared",
    "attack.success",
    "A value is kept with p + 1/6.",
    publish_retained=_kept_more_often,
)
mutant(
    "predicate-share-off-by-one",
    "retention.predicates",
    "The share of a set in the domain is that of a continuous column: one value short on either side.",
    predicate_channels=_share_off_by_one,
)
mutant(
    "one-p-for-a-record",
    "retention.law",
    "The retention is applied to a record, all of whose values stay or go, where it is that of a cell.",
    publish_retained=_coin_per_record,
)
mutant(
    "coins-apart-in-a-compound",
    "retention.laws",
    "Each column has an independent coin where one coin is requested.",
    publish_retained=_coin_per_cell,
)
mutant(
    "given-law-ignored",
    "retention.laws",
    "Replacements are uniform for every requested law.",
    publish_retained=_always_uniform,
)
mutant(
    "em-started-at-y",
    "retention.likelihood",
    "EM starts at the published counts, so that a state that no record is published in stays empty.",
    most_likely=_em_from_y,
)
mutant(
    "short-em-intervals",
    "retention.em-intervals",
    "The interval around the most likely count is a quarter as wide.",
    answers=_short_intervals,
)
