"""Sampled releases of the embedded table, column ``occupation``."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import numpy as np

from property_tests.checking import Outcome, check, sequential_outcome
from property_tests.run import Run
from property_tests.sampled import World, is_error
from property_tests.subject import Subject
from splu_ref.audit import EValue, average, counts_point, rate_at_least, rate_at_most, rate_power
from splu_ref.channels.parameters import Gamma
from splu_ref.data import EMBEDDED_SENSITIVE, embedded_table
from splu_ref.randomness import IntArray

BATCH = 20
BATCHES = 8
EPSILON, ALPHA = Fraction(3, 10), 10
NARROW, ALLOWED = Fraction(1, 20), Fraction(1, 20)


@cache
def _table(gamma: int) -> World:
    table = embedded_table()
    return World(table.codes(EMBEDDED_SENSITIVE), len(table.domain(EMBEDDED_SENSITIVE)), Gamma(gamma))


def _batches(
    subject: Subject, run: Run, name: str, gamma: int, fewest: int = 1
) -> Iterator[tuple[IntArray, IntArray]]:
    source = run.stream(subject, name)
    for _ in range(run.pick(BATCHES, fewest)):
        yield _table(gamma).counts(subject, source, BATCH)


def _counts(subject: Subject, run: Run, gamma: int) -> Outcome:
    name = f"adult.counts.gamma{gamma}"
    histogram = _table(gamma).histogram
    rate = Fraction(1, gamma)

    def evidence() -> Iterator[EValue]:
        true_total = np.zeros(len(histogram), dtype=np.int64)
        total = np.zeros_like(true_total)
        for true, published in _batches(subject, run, name, gamma):
            true_total += true.sum(axis=0)
            total += published.sum(axis=0)
            pairs = zip(true_total, total, strict=True)
            yield average([counts_point(gamma * int(f), int(k), rate) for f, k in pairs])

    def power(level: Fraction) -> str:
        # At most gamma - 1 records of a value are deleted.
        return "; ".join(
            f"f = {f}: "
            + str(
                rate_power(
                    counts_point, BATCH * BATCHES * gamma * (f - gamma + 1), rate, level / len(histogram)
                )
            )
            for f in (int(histogram.min()), int(histogram.max()))
        )

    return sequential_outcome(run, name, evidence(), power)


@check(
    "adult.counts.gamma5",
    "statistical",
    "Over 160 releases of the embedded table with gamma 5, the pooled count of every occupation is binomial "
    "(splu.B).",
)
def counts_5(subject: Subject, run: Run) -> Outcome:
    return _counts(subject, run, 5)


@check(
    "adult.counts.gamma7",
    "statistical",
    "Over 160 releases of the embedded table with gamma 7, the pooled count of every occupation is binomial "
    "(splu.B).",
)
def counts_7(subject: Subject, run: Run) -> Outcome:
    return _counts(subject, run, 7)


@check(
    "adult.privacy",
    "statistical",
    "(0.3, T_P, 10) small-sum privacy of the one rare occupation, gamma 5: its count is wrong at least as "
    "often as promised (splu.T4).",
)
def privacy(subject: Subject, run: Run) -> Outcome:
    promised = subject.privacy_minimum(5, EPSILON, ALPHA).t_p_definition
    rare = int(_table(5).histogram.argmin())

    def evidence() -> Iterator[EValue]:
        wrong = releases = 0
        for true, published in _batches(subject, run, "adult.privacy", 5, fewest=4):
            wrong += int(is_error(true[:, rare], published[:, rare], EPSILON).sum())
            releases += BATCH
            yield rate_at_least(releases, wrong, promised)

    def power(level: Fraction) -> str:
        return f"its error {rate_power(rate_at_least, BATCH * BATCHES, promised, level)}"

    return sequential_outcome(run, "adult.privacy", evidence(), power)


@check(
    "adult.utility",
    "statistical",
    "(0.05, 0.05, T_f) large-sum utility of the frequent occupations, gamma 5, with the least certified T_f: "
    "no count is wrong more often than allowed (splu.L1c).",
)
def utility(subject: Subject, run: Run) -> Outcome:
    least = subject.utility_threshold(5, NARROW, ALLOWED).threshold
    histogram = _table(5).histogram
    large = np.flatnonzero(histogram >= least + 4).tolist()  # up to 4 records may be deleted
    if not large:
        return Outcome(False, f"T_f = {least} leaves no value of the table to look at")

    def evidence() -> Iterator[EValue]:
        wrong = np.zeros(len(histogram), dtype=np.int64)
        releases = 0
        for true, published in _batches(subject, run, "adult.utility", 5):
            wrong += is_error(true, published, NARROW).sum(axis=0)
            releases += BATCH
            yield average([rate_at_most(releases, int(wrong[v]), ALLOWED) for v in large])

    def power(level: Fraction) -> str:
        return f"a count's error {rate_power(rate_at_most, BATCH * BATCHES, ALLOWED, level / len(large))}"

    return sequential_outcome(run, "adult.utility", evidence(), power)
