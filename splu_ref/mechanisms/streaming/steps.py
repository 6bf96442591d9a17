"""The steps of a release on files: how long each took, how far each is, and what they hand on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import NamedTuple, TypeAlias

from splu_ref.data import Microdata

Progress: TypeAlias = Callable[[str, int, int], None]
"""Told what is done, how many rows of it, and of how many; the last is 0 while it is not known."""


class Published(NamedTuple):
    """What became of the records.

    Attributes
    ----------
    parts
        The published rows, in the order in which they leave; they are made while they are taken.
    suppressed
        How many records were deleted.
    shuffled
        Whether the rows leave in a random order.
    written
        Returns the bytes of temporary files that were written so far.
    """

    parts: Iterator[Microdata]
    suppressed: int
    shuffled: bool
    written: Callable[[], int]


class Steps:
    """Notes how long each step takes, and tells how far it is.

    Parameters
    ----------
    tell
        Told of progress.

    Attributes
    ----------
    seconds
        Wall time by step.
    """

    def __init__(self, tell: Progress) -> None:
        self.tell = tell
        self.seconds: dict[str, float] = {}

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Note how long a step takes."""
        begin = perf_counter()
        yield
        self.seconds[name] = perf_counter() - begin
