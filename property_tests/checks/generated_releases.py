"""Sampled releases of generated tables: the counts, their laws, and the promises made of them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from property_tests.checking import Outcome, check, sequential_outcome
from property_tests.run import Run
from property_tests.sampled import World, distance_bins, is_error, law_evidence, world
from property_tests.subject import Subject
from splu_ref.audit import (
    EValue,
    average,
    counts_point,
    multinomial_power,
    rate_at_least,
    rate_at_most,
    rate_power,
)
from splu_ref.channels.parameters import Gamma
from splu_ref.randomness import IntArray

GAMMA = 5
# Rare values and ties (26 of the 30 values have at most 10 records; f = 7 attains T_P), and four large ones.
TABLE = world([1] * 6 + [2] * 5 + [3] * 5 + [5] * 4 + [7] * 3 + [10] * 3 + [16, 30, 40, 42], GAMMA)
FREQUENCIES = [int(frequency) for frequency in TABLE.histogram]
# A file sorted by value, so that neighbors in the file compete for the same counts.
SORTED = World(np.repeat(np.arange(15), [12] * 6 + [6] * 3 + [2] * 6), 15, Gamma(3))
RARE = [value for value, frequency in enumerate(FREQUENCIES) if frequency <= 10]
BATCH = 250
BATCHES = 8

EPSILON = Fraction(3, 10)
ALPHA = 10
WIDE, ALLOWED = Fraction(1, 2), Fraction(1, 20)


def _batches(subject: Subject, run: Run, name: str) -> Iterator[tuple[IntArray, IntArray]]:
    source = run.stream(subject, name)
    for _ in range(run.pick(BATCHES, 1)):
        yield TABLE.counts(subject, source, BATCH)


@check(
    "release.counts",
    "statistical",
    "Over 2000 releases of a table with rare values and ties, the pooled count of every value is "
    "Bin(releases gamma f, 1/gamma) (splu.B).",
)
def counts(subject: Subject, run: Run) -> Outcome:
    def evidence() -> Iterator[EValue]:
        true_total = np.zeros(len(FREQUENCIES), dtype=np.int64)
        total = np.zeros_like(true_total)
        for true, published in _batches(subject, run, "release.counts"):
            true_total += true.sum(axis=0)
            total += published.sum(axis=0)
            yield average(
                [
                    counts_point(GAMMA * int(f), int(k), Fraction(1, GAMMA))
                    for f, k in zip(true_total, total, strict=True)
                ]
            )

    def power(level: Fraction) -> str:
        share = level / len(FREQUENCIES)
        trials = GAMMA * BATCH * BATCHES
        return "; ".join(
            f"f = {f}: {rate_power(counts_point, trials * f, Fraction(1, GAMMA), share)}" for f in (1, 42)
        )

    return sequential_outcome(run, "release.counts", evidence(), power)


@check(
    "release.retention",
    "statistical",
    "Each record, and all records together, publish their true value with probability 1/gamma (splu.S3).",
)
def retention(subject: Subject, run: Run) -> Outcome:
    rate = Fraction(1, GAMMA)
    records = len(TABLE.codes)

    def evidence() -> Iterator[EValue]:
        own = np.zeros(records, dtype=np.int64)
        times = np.zeros(records, dtype=np.int64)
        source = run.stream(subject, "release.retention")
        for _ in range(run.pick(BATCHES, 1)):
            for release in TABLE.releases(subject, source, BATCH):
                times[release.rows] += 1
                own[release.rows] += release.published == TABLE.codes[release.rows]
            each = average([counts_point(int(n), int(k), rate) for n, k in zip(times, own, strict=True)])
            yield average([each, counts_point(int(times.sum()), int(own.sum()), rate)])

    def power(level: Fraction) -> str:
        releases = BATCH * BATCHES
        one = rate_power(counts_point, releases, rate, level / (2 * records))
        return f"one record: {one}; all: {rate_power(counts_point, releases * records, rate, level / 2)}"

    return sequential_outcome(run, "release.retention", evidence(), power)


@check(
    "release.law",
    "statistical",
    "The counts f' of every value of a file sorted by value, by distance from f in three bins, follow "
    "Bin(gamma f, 1/gamma) (splu.B): this sees dependence between records, which a pooled count cannot.",
)
def law(subject: Subject, run: Run) -> Outcome:
    def evidence() -> Iterator[EValue]:
        seen: list[IntArray] = []
        source = run.stream(subject, "release.law")
        for _ in range(run.pick(BATCHES, 1)):
            seen.append(SORTED.counts(subject, source, BATCH)[1])
            yield law_evidence(SORTED, seen)

    def power(level: Fraction) -> str:
        (_, middle, far), probabilities = distance_bins(SORTED.gamma, 12)
        share = level / SORTED.domain_size
        return "f = 12, " + "; ".join(
            str(multinomial_power(BATCH * BATCHES, probabilities, index, name, share))
            for index, name in ((0, f"|f' - f| < {middle}"), (2, f"|f' - f| >= {far}"))
        )

    return sequential_outcome(run, "release.law", evidence(), power)


@check(
    "release.error",
    "statistical",
    "For every value with f <= 10, |f' - f| >= 0.3 f happens at exactly the computed rate (splu.B, splu.T4).",
)
def error(subject: Subject, run: Run) -> Outcome:
    rates = {f: subject.error_probability(GAMMA, EPSILON, f) for f in {FREQUENCIES[v] for v in RARE}}

    def evidence() -> Iterator[EValue]:
        wrong = np.zeros(len(FREQUENCIES), dtype=np.int64)
        releases = 0
        for true, published in _batches(subject, run, "release.error"):
            wrong += is_error(true, published, EPSILON).sum(axis=0)
            releases += BATCH
            yield average([counts_point(releases, int(wrong[v]), rates[FREQUENCIES[v]]) for v in RARE])

    def power(level: Fraction) -> str:
        return "; ".join(
            f"f = {f}: {rate_power(counts_point, BATCH * BATCHES, rates[f], level / len(RARE))}"
            for f in (1, 10)
        )

    return sequential_outcome(run, "release.error", evidence(), power)


@check(
    "release.privacy",
    "statistical",
    "(epsilon, T_P, alpha) small-sum privacy for epsilon 0.3 and alpha 10 with the exact T_P: no value with "
    "f <= 10 is published within epsilon more often than promised (splu.T4).",
)
def privacy(subject: Subject, run: Run) -> Outcome:
    promised = subject.privacy_minimum(GAMMA, EPSILON, ALPHA).t_p_definition

    def evidence() -> Iterator[EValue]:
        wrong = np.zeros(len(FREQUENCIES), dtype=np.int64)
        releases = 0
        for true, published in _batches(subject, run, "release.privacy"):
            wrong += is_error(true, published, EPSILON).sum(axis=0)
            releases += BATCH
            yield average([rate_at_least(releases, int(wrong[v]), promised) for v in RARE])

    def power(level: Fraction) -> str:
        return f"a value's error {rate_power(rate_at_least, BATCH * BATCHES, promised, level / len(RARE))}"

    return sequential_outcome(run, "release.privacy", evidence(), power)


@check(
    "release.utility",
    "statistical",
    "(epsilon, T_E, T_f) large-sum utility for epsilon 0.5 and T_E 0.05 with the least certified T_f: no "
    "value with f >= T_f is published wrong more often than allowed (splu.L1c).",
)
def utility(subject: Subject, run: Run) -> Outcome:
    least = subject.utility_threshold(GAMMA, WIDE, ALLOWED).threshold
    large = [value for value, frequency in enumerate(FREQUENCIES) if frequency >= least]
    if not large:
        return Outcome(False, f"T_f = {least} leaves no value of the table to look at")

    def evidence() -> Iterator[EValue]:
        wrong = np.zeros(len(FREQUENCIES), dtype=np.int64)
        releases = 0
        for true, published in _batches(subject, run, "release.utility"):
            wrong += is_error(true, published, WIDE).sum(axis=0)
            releases += BATCH
            yield average([rate_at_most(releases, int(wrong[v]), ALLOWED) for v in large])

    def power(level: Fraction) -> str:
        return f"a value's error {rate_power(rate_at_most, BATCH * BATCHES, ALLOWED, level / len(large))}"

    return sequential_outcome(run, "release.utility", evidence(), power)
