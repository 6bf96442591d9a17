"""How a long run says where it is."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Told of every stage as it begins, and of every step within it."""

    def stage(self, title: str, steps: int | None = None) -> None:
        """Announce a stage, of ``steps`` steps if that is known."""

    def at(self, step: str, done: int) -> None:
        """Announce that the step called ``step`` begins, and that ``done`` steps lie behind it."""


class Silent:
    """Says nothing."""

    def stage(self, title: str, steps: int | None = None) -> None:
        """Ignore it."""

    def at(self, step: str, done: int) -> None:
        """Ignore it."""
