"""Sampled releases: the order of rows is independent of the values."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from property_tests.checking import Outcome, check, sequential_outcome
from property_tests.run import Run
from property_tests.sampled import world
from property_tests.subject import Subject
from splu_ref.audit import EValue, average, counts_point, multinomial_point, multinomial_power, rate_power

BATCH = 250
BATCHES = 8

SHUFFLED = world([8, 7, 6, 5, 4, 3, 2, 2, 2, 1], 5)
HALF = Fraction(1, 2)


@check(
    "release.shuffle",
    "statistical",
    "Published rows stand in a uniform order: every record stands in the first half half of the time, "
    "neighbors rise as often as they fall, and the first two rows share a true value as often as two records "
    "drawn at random.",
)
def shuffle(subject: Subject, run: Run) -> Outcome:
    records = len(SHUFFLED.codes)
    equal_pairs = sum(int(f) * (int(f) - 1) for f in SHUFFLED.histogram)
    alike = Fraction(equal_pairs, records * (records - 1))

    def evidence() -> Iterator[EValue]:
        first_half = np.zeros(records, dtype=np.int64)
        rises = twins = releases = 0
        source = run.stream(subject, "release.shuffle")
        for _ in range(run.pick(BATCHES, 1)):
            for release in SHUFFLED.releases(subject, source, BATCH):
                rows = release.rows
                first_half[rows[: records // 2]] += 1
                rises += int((rows[::2] < rows[1::2]).sum())
                twins += int(SHUFFLED.codes[rows[0]] == SHUFFLED.codes[rows[1]])
            releases += BATCH
            yield average(
                [
                    average([counts_point(releases, int(k), HALF) for k in first_half]),
                    counts_point(releases * (records // 2), rises, HALF),
                    counts_point(releases, twins, alike),
                ]
            )

    def power(level: Fraction) -> str:
        releases, share = BATCH * BATCHES, level / 3
        return (
            f"one record in the first half: {rate_power(counts_point, releases, HALF, share / records)}; "
            f"rising neighbors: {rate_power(counts_point, releases * (records // 2), HALF, share)}; "
            f"equal first two: {rate_power(counts_point, releases, alike, share)}"
        )

    return sequential_outcome(run, "release.shuffle", evidence(), power)


PLACED = world([6, 5, 5, 4, 3, 3, 2, 2], 3)


@check(
    "release.order",
    "statistical",
    "Which record of a value takes which place is uniform: every record of value v publishes another value w "
    "with probability c(v,w)/(gamma f_v), c the number of groups that hold both, and v with 1/gamma.",
)
def order(subject: Subject, run: Run) -> Outcome:
    size, gamma = PLACED.domain_size, PLACED.gamma
    histogram = PLACED.histogram
    together = np.zeros((size, size), dtype=np.int64)
    for group in subject.plans[PLACED.plan](histogram, gamma, subject.system()).groups():
        together[np.ix_(group, group)] += 1
    laws = {
        value: {
            int(w): Fraction(int(together[value, w]), int(gamma * histogram[value]))
            for w in np.flatnonzero(together[value])
        }
        for value in range(size)
    }
    records = len(PLACED.codes)

    def evidence() -> Iterator[EValue]:
        seen = np.zeros((records, size), dtype=np.int64)
        source = run.stream(subject, "release.order")
        for _ in range(run.pick(BATCHES, 1)):
            for release in PLACED.releases(subject, source, BATCH):
                seen[release.rows, release.published] += 1
            yield average(
                [
                    multinomial_point([int(seen[record, w]) for w in laws[value]], list(laws[value].values()))
                    for record, value in enumerate(PLACED.codes.tolist())
                ]
            )

    def power(level: Fraction) -> str:
        law = list(laws[1].values())
        rarest = min(range(len(law)), key=lambda index: law[index])
        return str(
            multinomial_power(
                BATCH * BATCHES,
                law,
                rarest,
                "one record of value 1 publishes its rarest decoy",
                level / records,
            )
        )

    return sequential_outcome(run, "release.order", evidence(), power)
