"""What workers do in tests: apart, since each loads the module of what it does."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


class DemandingError(Exception):
    def __init__(self, one: int, other: int) -> None:
        super().__init__(f"{one} of {other}")


def demand(item: int) -> None:
    raise DemandingError(item, item + 1)


def local(item: int) -> Callable[[], int]:
    return lambda: item


def process(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def kill_itself(item: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def meet(folder: Path) -> int:
    (folder / str(os.getpid())).touch()
    until(lambda: len(list(folder.iterdir())) == 2 or None)
    return os.getpid()


def until(ready: Callable[[], T | None], seconds: float = 120) -> T:
    end = time.monotonic() + seconds
    while (found := ready()) is None:
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.05)
    return found
