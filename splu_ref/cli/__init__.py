"""The command line: parse, call one function, print."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code: after a signal 128 and its number.

    Parameters
    ----------
    arguments
        The words after the program's name; those of the process unless given.
    """
    try:
        with _unwound():
            from splu_ref.cli.app import run  # noqa: PLC0415 - a signal while modules load is no traceback either

            return run(arguments)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except _EndedError as ended:
        return 128 + ended.number


class _EndedError(BaseException):
    """A signal asked the program to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def _unwound() -> Iterator[None]:
    """Let a request to end remove what is temporary first; later requests are ignored meanwhile."""
    if threading.current_thread() is not threading.main_thread():  # no other thread hears signals
        yield
        return
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    handlers = {number: signal.getsignal(number) for number in numbers}
    heard = {number: each for number, each in handlers.items() if each not in (None, signal.SIG_IGN)}

    def end(number: int, _: FrameType | None) -> None:
        for each in heard:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt if number == signal.SIGINT else _EndedError(number)

    try:
        for number in heard:
            signal.signal(number, end)
        yield
    finally:
        for number, handler in heard.items():
            signal.signal(number, handler)


__all__ = ["main"]
