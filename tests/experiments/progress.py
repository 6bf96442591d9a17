"""The calls that a command makes to its progress bar."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType

import pytest


def recorded_progress(monkeypatch: pytest.MonkeyPatch, command: ModuleType) -> list[tuple[int, int]]:
    """Return a list that grows with what a command reports as done, and as the whole."""
    seen: list[tuple[int, int]] = []

    @contextmanager
    def counted(_: str) -> Iterator[Callable[[int, int], None]]:
        yield lambda done, whole: seen.append((done, whole))

    monkeypatch.setattr(command, "counted", counted)
    return seen
