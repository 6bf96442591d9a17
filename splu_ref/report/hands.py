"""Processes that share the work of a run: each item is done once, by whoever is free, and handed back."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any, Self, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

PATIENCE = 5.0
"""Seconds that a process has to end in when it is told to."""


class HandLostError(Exception):
    """A process of the run died over an item, which the text names."""


def usable_processors() -> int:
    """Return how many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def in_turn(
    function: Callable[[Item], Result], items: Sequence[Item], begun: Callable[[Item, int], None]
) -> Iterator[tuple[Item, Result]]:
    """Do all items in this process, in their order: `Hands.each` for one process."""
    for done, item in enumerate(items):
        begun(item, done)
        yield item, function(item)


class Hands:
    """Processes that are started when there is work for them, and stopped when the block ends.

    Parameters
    ----------
    number
        How many processes, at least 1; with 1, all work is done in this one.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self._idle: list[_Hand] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for hand in self._idle:
            hand.dismiss()
        self._idle.clear()

    def each(
        self, function: Callable[[Item], Result], items: Sequence[Item], begun: Callable[[Item, int], None]
    ) -> Iterator[tuple[Item, Result]]:
        """Yield each item with what the function returns for it, as they are done.

        Parameters
        ----------
        function
            Can be pickled, as its results can; it is sent once to every process.
        items
            What it is applied to, each once; what takes longest had better come first.
        begun
            Told of every item that is begun, and how many have been done.

        Raises
        ------
        HandLostError
            If a process dies. Whatever else the function raises is raised here; the rest is not done then.
        """
        if self.number == 1:
            yield from in_turn(function, items, begun)
            return
        waiting, done = iter(items), 0
        busy: dict[Connection, tuple[_Hand, Item]] = {}

        def give(hand: _Hand, *told: object) -> None:
            for item in waiting:
                busy[hand.line] = hand, item  # first, so that an interrupt finds it
                begun(item, done)
                hand.send((*told, item))
                return
            self._idle.append(hand)

        try:
            for _ in range(min(self.number, len(items))):
                give(self._idle.pop() if self._idle else _Hand(), function)
            while busy:
                ready = wait(list(busy))
                for hand, item in [held for line, held in busy.items() if line in ready]:
                    found = hand.answer(item)
                    del busy[hand.line]
                    done += 1
                    give(hand)
                    yield item, found
        finally:
            for hand, _ in busy.values():  # nobody waits for what they do
                hand.stop()


class _Hand:
    """A process, and the line to it."""

    def __init__(self) -> None:
        # Spawned, not forked: the data frame library keeps threads. An interrupt from the keyboard reaches
        # all processes of a terminal; this one answers it, and stops the others.
        context = multiprocessing.get_context("spawn")
        self.line, theirs = context.Pipe()
        self._process: BaseProcess = context.Process(target=_serve, args=(theirs,), daemon=True)
        with _interrupts_later():
            self._process.start()
        theirs.close()

    def send(self, message: tuple[Any, ...]) -> None:
        """Give it work; that it is dead already shows when it is asked for the answer."""
        try:
            self.line.send(message)
        except OSError:
            return

    def answer(self, item: object) -> Any:
        """Return what it found for the item, or raise what was raised there."""
        try:
            fine, found = self.line.recv()
        except (EOFError, OSError):
            self._process.join(PATIENCE)
            code = self._process.exitcode
            raise HandLostError(f"a process ended with code {code} while it was at {item}") from None
        if not fine:
            raise found
        return found

    def dismiss(self) -> None:
        """Let it end: it has nothing to do."""
        self.line.close()
        self._process.join(PATIENCE)
        if self._process.is_alive():
            self.stop()

    def stop(self) -> None:
        """End it in the middle of its work; it takes its own processes and temporary files with it."""
        self._process.terminate()
        self._process.join(PATIENCE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self.line.close()


@contextmanager
def _interrupts_later() -> Iterator[None]:
    """Let an interrupt wait, which a process that is started here then never hears."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows: an interrupt reaches every process there
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _sendable(error: Exception) -> Exception:
    """Return an exception as it is, or its name and text if it cannot be made again from what is sent."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - written here
    except Exception:  # whatever its constructor asks for
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _serve(line: Connection) -> None:
    """Do what comes in, until the line is closed: by the end of the run, however it ends."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # unwinds, so that nothing is left behind
    function: Callable[[Any], Any] | None = None
    while True:
        try:
            *told, item = line.recv()
        except (EOFError, OSError):
            return
        function = told[0] if told else function
        assert function is not None
        try:
            answer = (True, function(item))
        except Exception as error:  # raised again where the item came from
            answer = (False, _sendable(error))
        try:
            line.send(answer)
        except OSError:  # nobody is there any more
            return
        except Exception as error:  # what cannot be pickled
            line.send((False, RuntimeError(f"{item}: {error}: {answer[1]}")))
