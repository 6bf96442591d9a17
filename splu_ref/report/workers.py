"""Worker processes that share the items of a run: each item is done once, by whichever worker is free."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing import connection
from multiprocessing.process import BaseProcess
from threading import Thread
from types import TracebackType
from typing import Self, TypeVar

from splu_ref.data import uninterrupted

Item = TypeVar("Item")
Result = TypeVar("Result")

PATIENCE = 5.0
"""Seconds that a worker may take to end on request."""


class WorkerDiedError(Exception):
    """A worker died while it processed one of the items that the text names."""


def usable_processors() -> int:
    """Return how many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


class WorkerPool:
    """Worker processes that start with the first work and end with the ``with`` statement."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._executor: ProcessPoolExecutor | None = None
        self._processes: set[BaseProcess] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._executor is not None and kind is None:
            self._executor.shutdown()
            self._executor = None
        self._stop()

    def each(
        self, function: Callable[[Item], Result], items: Sequence[Item], begun: Callable[[Item, int], None]
    ) -> Iterator[tuple[Item, Result]]:
        """Yield each item with what the function returns for it, as they are done."""
        waiting, done = iter(items), 0
        if self.number == 1:
            for done, item in enumerate(waiting):
                begun(item, done)
                yield item, function(item)
            return
        busy: dict[Future[Result], Item] = {}

        def give() -> None:
            for item in islice(waiting, 1):
                begun(item, done)
                busy[self._submit(function, item)] = item

        try:
            for _ in range(self.number):
                give()
            while busy:
                for future in wait(busy, return_when=FIRST_COMPLETED).done:
                    found = future.result()
                    item = busy.pop(future)
                    done += 1
                    give()
                    yield item, found
        except BrokenProcessPool:
            self._stop()
            over = ", ".join(map(str, busy.values())) or "nothing"
            raise WorkerDiedError(f"a worker process ended while the work was at {over}") from None
        except BaseException:  # an interrupt as well: nobody waits for the rest
            self._stop()
            raise

    def _submit(self, function: Callable[[Item], Result], item: Item) -> Future[Result]:
        if self._executor is None:
            # Spawned, not forked: the data frame library keeps threads.
            context = multiprocessing.get_context("spawn")
            self._executor = ProcessPoolExecutor(self.number, context, _begin)
        with uninterrupted(), _interrupts_blocked():
            others = set(multiprocessing.active_children())
            future = self._executor.submit(_do, function, item)  # starts a process unless one is idle
            self._processes |= set(multiprocessing.active_children()) - others
        return future

    def _stop(self) -> None:
        """End the workers in the middle of their work; they take their own processes and files with them."""
        executor, self._executor = self._executor, None
        if executor is None:
            return
        started, self._processes = self._processes, set()
        for process in started:
            process.terminate()
        end = time.monotonic() + PATIENCE
        for process in started:
            connection.wait([process.sentinel], max(0.0, end - time.monotonic()))
            process.kill()
        executor.shutdown(cancel_futures=True)


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block interrupts, which processes that are started here never receive: this one stops them."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows: an interrupt reaches every process there
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """Prepare a worker: it unwinds on request, so that nothing is left behind, and when its parent ends."""
    signal.signal(signal.SIGTERM, _unwind)
    Thread(target=_end_with_parent, daemon=True).start()


def _unwind(*_: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second request must not interrupt the first
    sys.exit(1)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(PATIENCE)
    os._exit(1)


def _do(function: Callable[[Item], Result], item: Item) -> Result:
    """Apply a function; an exception that cannot be made again from what is sent keeps its name and text."""
    try:
        return function(item)
    except SystemExit:  # the executor would report it, and go on
        os._exit(1)
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))  # noqa: S301 - written here
        except Exception:  # whatever its constructor asks for
            raise RuntimeError(f"{type(error).__name__}: {error}") from None
        raise
