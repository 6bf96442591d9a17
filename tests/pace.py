"""Bounds of processor time and of memory, on a machine of any speed with any number of processors.

Bounds in seconds are those of a machine on which a fixed piece of work takes `EXPECTED`. Where that takes
longer, because the machine is slower or does something else besides, a bound is longer in proportion. Bounds
of memory are those of two threads: run what is measured with the environment `TWO_THREADS`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time

EXPECTED = 0.02
"""Seconds of `_work`."""
TWO_THREADS = dict.fromkeys(("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "2")
"""By default these libraries start a thread for each processor, and each thread has memory of its own."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail if the block takes more processor time of this process than ``seconds``, stretched."""
    begin = process_time()
    yield
    taken = process_time() - begin
    assert taken < seconds * slowdown()


def slowdown() -> float:
    """Return how many times longer than on the machine of the bounds everything takes, at least 1."""
    return max(1.0, _work() / EXPECTED)


def _work() -> float:
    """Return how long the fixed piece of work takes, in seconds."""
    begin = process_time()
    total = 0
    for number in range(200_000):
        total += divmod(number, 7)[1]
    return process_time() - begin
