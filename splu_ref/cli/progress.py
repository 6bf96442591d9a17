"""A progress bar on standard error, for work that may take more than about a second."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

PATIENCE = 1.0
"""Seconds of silence before a bar appears."""


@contextmanager
def counted(title: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function of (amount done, whole amount) that draws a bar once the work takes a while.

    Nothing is drawn unless standard error is a terminal.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda done, whole: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=console, transient=True)
    task = bar.add_task(title, total=None)
    begin = time.monotonic()

    def advance(done: int, whole: int) -> None:
        if not bar.live.is_started and time.monotonic() - begin > PATIENCE:
            bar.start()
        bar.update(task, completed=done, total=whole)

    try:
        yield advance
    finally:
        if bar.live.is_started:
            bar.stop()
