"""Signals that terminate the program: from the keyboard, another program, or a closed terminal.

Only the main thread handles signals; in any other, nothing here has an effect. A signal that is ignored stays
ignored.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import TypeAlias

_Handler: TypeAlias = Callable[[int, FrameType | None], object] | int

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class EndedError(BaseException):
    """The program was terminated by a signal."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def unwinding() -> Iterator[None]:
    """Let the first termination signal raise an exception, so that temporary files are removed.

    Later signals are ignored.

    Raises
    ------
    EndedError
        After the first request; for an interrupt from the keyboard, KeyboardInterrupt.
    """
    before = _handlers()

    def end(number: int, _: FrameType | None) -> None:
        for each in before:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt if number == signal.SIGINT else EndedError(number)

    try:
        for number in before:
            signal.signal(number, end)
        yield
    finally:
        _restore(before)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Defer termination signals until the end of the block; then deliver the first one."""
    before = _handlers()
    came: list[int] = []
    over = False

    def hand_over() -> None:
        _restore(before)
        if came:
            signal.raise_signal(came[0])

    def wait(number: int, _: FrameType | None) -> None:
        came.append(number)
        if over:  # it came while the handlers were restored
            hand_over()

    try:
        for number in before:
            signal.signal(number, wait)
        yield
    finally:
        over = True
        hand_over()


def _handlers() -> dict[int, _Handler]:
    """Return the current handlers of the termination signals."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    return {
        number: handler
        for number, handler in handlers.items()
        if handler is not None and handler is not signal.SIG_IGN
    }


def _restore(handlers: Mapping[int, _Handler]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)
