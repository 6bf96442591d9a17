"""A progress bar on standard error, for work that may take more than about a second."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

from splu_ref.output import terminal

PATIENCE = 1.0
"""Seconds before a bar appears."""


@contextmanager
def counted(title: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar if the work takes a while; yield its function of (amount done, total amount).

    Nothing is drawn unless standard error is a terminal.
    """
    if not terminal.watched():
        yield lambda done, whole: None
        return
    from rich.progress import (  # noqa: PLC0415 - most runs draw nothing and need not load it
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=terminal.console(stderr=True), transient=True)
    task = bar.add_task(terminal.visible(title), total=None)
    timer = Timer(PATIENCE, bar.start)
    timer.start()
    try:
        yield lambda done, whole: bar.update(task, completed=done, total=whole)
    finally:
        timer.cancel()
        timer.join()
        if bar.live.is_started:
            bar.stop()
