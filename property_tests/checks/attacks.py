"""Attacks on sampled releases achieve what is predicted of them, exactly."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from property_tests.checking import Outcome, check, sequential_outcome
from property_tests.run import Run
from property_tests.sampled import world
from property_tests.subject import Subject
from splu_ref.audit import EValue, average
from splu_ref.audit.attacks.view import Label, Score, View, best_guess, eliminated
from splu_ref.audit.e_values import sum_of_bounded
from splu_ref.channels import Channel
from splu_ref.mechanisms import RetentionReplacement, SpluGen
from splu_ref.randomness import ByteSource, IntArray, SystemSource

TABLE = world([4, 6, 8, 12, 12, 14, 16], 4)
VALUES = len(TABLE.histogram)
DOMAIN = tuple(map(str, range(VALUES)))
SCORES: tuple[Score, ...] = (best_guess, eliminated(0), eliminated(3))
SPLU_GEN, RETENTION = SpluGen(4, "2/5", "anatomy"), RetentionReplacement("1/3", {"v": DOMAIN})
BATCH, BATCHES = 100, 8


def _seen(subject: Subject, source: ByteSource) -> Iterator[tuple[int, IntArray]]:
    """Yield how often a record with each value shows each, by mechanism, in one release of both."""
    done = subject.publish_codes(SPLU_GEN, TABLE.codes, VALUES, source)
    kept = subject.publish_retained(RETENTION, {"v": TABLE.codes}, {"v": VALUES}, lambda _: source)
    for number, (rows, published) in enumerate(
        ((done.rows, done.published), (kept.rows, kept.published["v"]))
    ):
        table = np.zeros((VALUES, VALUES), dtype=np.int64)
        np.add.at(table, (TABLE.codes[rows], published), 1)
        yield number, table


def _view(channel: Channel[int, int]) -> View:
    laws: dict[int, dict[Label, Fraction]] = {code: dict(law.items()) for code, law in channel.laws.items()}
    return View(dict(enumerate(TABLE.histogram.tolist())), (Channel(laws, channel.outputs),))


@check(
    "attack.success",
    "statistical",
    "Who knows all true counts and the plan guesses values of SPLU-Gen and of retention replacement as often "
    "as the declared channels say, and is left with the probabilities they say once values are excluded.",
)
def success(subject: Subject, run: Run) -> Outcome:
    secret = SystemSource()  # the plans anatomy and retention replacement draw nothing for their channel
    views = [_view(mechanism.channel(TABLE.histogram, secret)) for mechanism in (SPLU_GEN, RETENTION)]
    expected = [[view.expected(score) * view.rows for score in SCORES] for view in views]
    gains = [
        [
            {
                (own, shown): score(own, weights)
                for shown in range(VALUES)
                for weights in [view.weights((shown,))]
                for own in weights
            }
            for score in SCORES
        ]
        for view in views
    ]
    records = int(TABLE.histogram.sum())

    def evidence() -> Iterator[EValue]:
        source = run.stream(subject, "attack.success")
        counts, releases = [np.zeros((VALUES, VALUES), dtype=np.int64) for _ in views], 0
        for _ in range(run.pick(BATCHES, 1)):
            for _ in range(BATCH):
                for number, table in _seen(subject, source):
                    counts[number] += table
            releases += BATCH
            yield average(
                [
                    sum_of_bounded(
                        sum(
                            (int(counts[number][pair]) * gain for pair, gain in gains[number][index].items()),
                            Fraction(0),
                        ),
                        expected[number][index] * releases,
                        records * releases,
                    )
                    for number in range(len(views))
                    for index in range(len(SCORES))
                ]
            )

    def power(level: Fraction) -> str:
        spread = records * BATCH * BATCHES
        share = level / (len(views) * len(SCORES))
        least = next(
            gap
            for gap in range(0, spread, spread // 1000)
            if sum_of_bounded(Fraction(gap), Fraction(0), spread).rejects(share)
        )
        return f"a success that is off by {float(Fraction(2 * least, spread)):.3f}"

    return sequential_outcome(run, "attack.success", evidence(), power)
