"""The steps of a release on files: their progress, wall time and result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import NamedTuple, TypeAlias

from splu_ref.data import Microdata

Progress: TypeAlias = Callable[[str, int, int], None]
"""Function of the step, the rows done, and the total number of rows, which is 0 while it is unknown."""


class PublishedRows(NamedTuple):
    """The published rows in order, computed during iteration, and figures about them.

    ``suppressed`` is the number of deleted records, ``shuffled`` whether the order is random, and ``written``
    returns the number of bytes written to temporary files so far.
    """

    parts: Iterator[Microdata]
    suppressed: int
    shuffled: bool
    written: Callable[[], int]


class Steps:
    """Progress and wall time, in seconds, of the steps of a release."""

    def __init__(self, report: Progress) -> None:
        self.report = report
        self.seconds: dict[str, float] = {}

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Measure the wall time of a step."""
        begin = perf_counter()
        yield
        self.seconds[name] = perf_counter() - begin
