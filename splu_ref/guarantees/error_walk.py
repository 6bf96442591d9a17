"""Enclosures of the error probability at one count after another, each to about 60 bits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from splu_ref.binomial import Enclosure, MassWalk
from splu_ref.channels import PublishedCount

_WALK_BITS = 64


class Walk(Protocol):
    """Enclosures of the error probability at one count after another."""

    def move(self, frequency: int, offset: int, below: int | None = None) -> None:
        """Go to the event f' >= f + offset or f' <= f - below, both at least 1; ``below`` is ``offset``."""

    @property
    def possible(self) -> bool:
        """Whether an error has a probability above 0 here."""

    def roughly(self) -> Enclosure:
        """Enclose the error probability here quickly."""

    def closely(self) -> Enclosure:
        """Enclose the error probability here to about 60 bits."""


def error_walk(law: PublishedCount) -> Walk:
    """Return the quickest walk for the law."""
    return ErrorWalk(law) if law.is_plain else _Afresh(law)


class _Afresh:
    """A walk that computes every probability afresh, for any p."""

    def __init__(self, law: PublishedCount) -> None:
        self._law = law
        self._error = Enclosure.of(0)

    def move(self, frequency: int, offset: int, below: int | None = None) -> None:
        self._error = self._law.error_enclosure(frequency, offset, _WALK_BITS, below)

    @property
    def possible(self) -> bool:
        return self._error.upper > 0

    def roughly(self) -> Enclosure:
        return self._error

    def closely(self) -> Enclosure:
        return self._error


class ErrorWalk:
    """A walk for p = 1/gamma, on which each enclosure is carried from the last."""

    def __init__(self, law: PublishedCount) -> None:
        assert law.is_plain, "the trials are of one kind"
        self._gamma = law.gamma
        self._shares = law.retention, 1 - law.retention  # f' and gamma f - f' have them
        self._walks: list[MassWalk | None] = [None, None]
        self._reached: list[MassWalk] = []

    def move(self, frequency: int, offset: int, below: int | None = None) -> None:
        """Go to the event f' >= f + offset or f' <= f - below, both at least 1; ``below`` is ``offset``."""
        trials = self._gamma * frequency
        self._reached = []
        below = offset if below is None else below
        for side, least in enumerate((frequency + offset, trials - frequency + below)):
            if least > trials:
                continue  # no count is that far off on this side
            walk = self._walks[side]
            if walk is None:
                walk = self._walks[side] = MassWalk(trials, least, self._shares[side], _WALK_BITS)
            else:
                walk.move(trials, least)
            self._reached.append(walk)

    @property
    def possible(self) -> bool:
        """Whether an error has a probability above 0 here."""
        return bool(self._reached)

    def roughly(self) -> Enclosure:
        """Enclose the error probability here by each tail's first term and a geometric series."""
        return _sum(walk.upper_tail_roughly() for walk in self._reached)

    def closely(self) -> Enclosure:
        """Enclose the error probability here to about 60 bits, by summing the tails."""
        return _sum(walk.upper_tail() for walk in self._reached)


def _sum(tails: Iterable[Enclosure]) -> Enclosure:
    total = Enclosure.of(0)
    for tail in tails:
        total = total.plus(tail, _WALK_BITS + 64)
    return total
