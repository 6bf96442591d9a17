"""Coverage of intervals in several settings, tested by one e-value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TypeVar

from property_tests.checking import Outcome, sequential_outcome
from property_tests.run import Run
from splu_ref.audit import EValue, average, rate_at_most, rate_power

BATCH, BATCHES, FEWEST = 50, 8, 3
"""Releases of each setting in a batch, and batches of a full run and of the kill matrix."""

Setting = TypeVar("Setting")


def missing_rates(
    run: Run, name: str, settings: Sequence[Setting], allowed: Fraction, misses: Callable[[Setting], bool]
) -> Outcome:
    """Test that the error probability of intervals is at most ``allowed`` in every setting.

    Parameters
    ----------
    run, name
        Which check it is.
    settings
        What is published; the levels of their tests are shared evenly.
    allowed
        Largest probability of a miss.
    misses
        Publishes once in a setting, and returns whether the interval misses the true count.
    """

    def evidence() -> Iterator[EValue]:
        missed, done = [0] * len(settings), 0
        for _ in range(run.pick(BATCHES, FEWEST)):
            for place, setting in enumerate(settings):
                missed[place] += sum(misses(setting) for _ in range(BATCH))
            done += BATCH
            yield average([rate_at_most(done, each, allowed) for each in missed])

    def power(level: Fraction) -> str:
        return f"a miss {rate_power(rate_at_most, BATCH * BATCHES, allowed, level / len(settings))}"

    return sequential_outcome(run, name, evidence(), power)
