"""Progress of a verification run."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Receiver of the stages of a run and the steps within them."""

    def stage(self, title: str, steps: int | None = None) -> None:
        """Report the begin of a stage, with its number of steps if known."""

    def at(self, step: str, done: int) -> None:
        """Report the begin of a step, after ``done`` finished ones."""


class NoProgress:
    """Progress that is ignored."""

    def stage(self, title: str, steps: int | None = None) -> None:
        """Do nothing."""

    def at(self, step: str, done: int) -> None:
        """Do nothing."""
