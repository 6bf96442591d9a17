"""Bounds in seconds of processor time, on a machine of any speed.

The bounds are those of a machine on which a fixed piece of work takes `EXPECTED`. Where that takes longer,
because the machine is slower or does something else besides, a bound is longer in proportion.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time

EXPECTED = 0.02
"""Seconds of `_work`."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail if the block takes more processor time of this process than ``seconds``, stretched."""
    begin = process_time()
    yield
    taken = process_time() - begin
    assert taken < seconds * max(1.0, _work() / EXPECTED)


def _work() -> float:
    """Return how long the fixed piece of work takes, in seconds."""
    begin = process_time()
    total = 0
    for number in range(200_000):
        total += divmod(number, 7)[1]
    return process_time() - begin
