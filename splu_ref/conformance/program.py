"""A program under test: started once, queried line by line, and not trusted.

The program may hang, crash, flood its output or its errors, answer twice, take all memory, or refuse to end.
Whatever it does, an answer or a failure comes within the time limit and in bounded memory. One loop serves
its three pipes, so neither side can block the other. A supervising process enforces the limits and ends all
processes that the program started: `splu_ref.conformance.keeper` states what that covers. POSIX only.
"""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Self

from splu_ref.channels import InputError

LONGEST_LINE = 1 << 24
"""Bytes of the longest line that is read; a program that writes a longer one is stopped."""
MOST_ERRORS = 1 << 24
"""Bytes of standard error that are read during one answer; a program that writes more is stopped."""
FAST_READS = 1000
"""Reads during one answer without a pause; each later read waits `PAUSE` first.

A program that writes byte by byte would otherwise keep the runner busy for the whole time limit.
"""
PAUSE = 0.001
"""Seconds."""

_NAMES_ERROR = re.compile(r"(?!\s*at\s).*(?:Error|Exception|panic)")  # a stack frame begins with at
_CHUNK = 1 << 16
_LAST_WORDS = 2_000  # bytes of standard error that are retained
_GRACE = 5.0  # seconds to end after the end of its input
_REPORT = 0.5  # seconds within which the keeper reports the program's end
_KEEPER = Path(__file__).with_name("keeper.py")
_KEEPER_TIME = 10.0  # seconds that the keeper may take to start, or to end the program's processes


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on the time and memory of a program under test."""

    answer: float = 10.0  #: seconds for one answer
    run: float = 3600.0  #: seconds for a whole run, with all its starts of the program
    #: seconds of processor time from one start on, on Linux of all processes together, elsewhere of each
    processor: int = 3600
    memory: int = 4096  #: MiB of memory of all its processes together. Linux only.


class MisbehaviorError(Exception):
    """The program violated the protocol and has been stopped; the message says how."""


class Program:
    """A running program; use it in a ``with`` statement, at whose end it is stopped."""

    def __init__(self, command: Sequence[str], limits: Limits) -> None:
        if os.name != "posix":
            raise InputError("programs can be tested on a POSIX system only: use one")
        self._limits = limits
        self._received = bytearray()
        self._last_words = bytearray()
        self._error_bytes = self._reads = 0  # for the present answer
        self._reports = b""  # of the keeper
        self._line, far_end = socket.socketpair()
        with far_end:
            try:
                self._keeper = subprocess.Popen(  # noqa: S603 - running this program is the purpose
                    [
                        *(sys.executable, "-I", "-S", str(_KEEPER), str(far_end.fileno())),
                        *(str(limits.processor), str(limits.memory), *command),
                    ],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    bufsize=0,
                    pass_fds=[far_end.fileno()],
                    start_new_session=True,  # signals of the terminal do not reach it
                )
            except (OSError, ValueError) as error:  # the command cannot even be passed on
                self._line.close()
                raise _unstartable(command, getattr(error, "strerror", None) or str(error)) from None
        pipes = self._keeper
        assert pipes.stdin is not None
        assert pipes.stdout is not None
        assert pipes.stderr is not None
        self._input, self._output, self._errors = pipes.stdin, pipes.stdout, pipes.stderr
        for pipe in (self._input, self._output, self._errors):
            os.set_blocking(pipe.fileno(), False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._output, selectors.EVENT_READ)
        self._selector.register(self._errors, selectors.EVENT_READ)
        if not self._keeper_says(b"started", _KEEPER_TIME):
            self.stop()
            reason = self._reports.decode(errors="replace").strip().removeprefix("unstartable ")
            raise _unstartable(command, reason)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def last_words(self) -> str:
        """The end of what the program wrote to standard error."""
        return self._last_words.decode(errors="replace").strip()

    def ask(self, line: bytes, within: float | None = None) -> bytes:
        """Send one line and return the line that answers it, both without the line's end."""
        allowed = self._limits.answer if within is None else min(within, self._limits.answer)
        last = allowed < self._limits.answer
        deadline = time.monotonic() + allowed
        self._error_bytes = self._reads = 0
        self._serve(0.0)  # output before the request is unexpected
        if self._received:
            raise self._stopped("it wrote an unexpected line")
        unsent = memoryview(line + b"\n")
        self._selector.register(self._input, selectors.EVENT_WRITE)
        try:
            while b"\n" not in self._received:
                left = deadline - time.monotonic()
                if left <= 0:
                    why = ", the rest of the time of the run (--time allows more)" if last else ""
                    why = why or ": is each answer flushed as one line?"
                    raise self._stopped(f"it gave no answer within {allowed:.6g} seconds{why}")
                unsent = unsent[self._serve(left, unsent) :]
                if len(self._received) > LONGEST_LINE:
                    raise self._stopped(f"its answer is longer than {LONGEST_LINE} bytes")
                if self._ended() and b"\n" not in self._received:
                    raise self._stopped(self._fate(_REPORT) or "it closed its output")
        finally:
            if self._serves(self._input):
                self._selector.unregister(self._input)
        answer, _, rest = bytes(self._received).partition(b"\n")
        self._received = bytearray(rest)
        if unsent:
            raise self._stopped("it answered before it had read the whole request")
        return answer.removesuffix(b"\r")

    def finish(self) -> None:
        """End the program's input and wait for its end."""
        with contextlib.suppress(OSError):
            self._input.close()
        deadline = time.monotonic() + min(self._limits.answer, _GRACE)
        self._error_bytes = self._reads = 0
        while not self._ended():
            left = deadline - time.monotonic()
            if left <= 0:
                raise self._stopped("it did not end when its input had ended")
            self._serve(left)
            if self._received:
                raise self._stopped("it wrote an unexpected line")
        fate = self._fate(max(deadline - time.monotonic(), _REPORT))
        if fate is None:
            raise self._stopped("it closed its output and did not end")
        if fate != "it ended with exit code 0":
            raise self._stopped(f"{fate} after the end of its input")

    def stop(self) -> None:
        """End the program and all processes that it started, at once."""
        self._line.close()  # the keeper then ends the program
        try:
            self._keeper.wait(_KEEPER_TIME)
        except subprocess.TimeoutExpired:
            self._keeper.kill()
            self._keeper.wait()
        self._selector.close()
        for pipe in (self._input, self._output, self._errors):
            with contextlib.suppress(OSError):
                pipe.close()

    def _serve(self, wait: float, unsent: memoryview | None = None) -> int:
        """Wait until a pipe is ready; read what has come; return how much of ``unsent`` was sent."""
        sent = 0
        if self._reads > FAST_READS:
            time.sleep(PAUSE)
        for key, _ in self._selector.select(wait):
            if key.fileobj is self._input:
                sent = self._send(unsent)
            elif key.fileobj is self._output:
                self._received += self._read(key.fileobj.fileno())
            else:
                words = self._read(self._errors.fileno())
                self._last_words += words
                del self._last_words[:-_LAST_WORDS]
                self._error_bytes += len(words)
        if self._error_bytes > MOST_ERRORS:
            raise self._stopped(f"it wrote more than {MOST_ERRORS} bytes to standard error for one answer")
        return sent

    def _send(self, unsent: memoryview | None) -> int:
        try:
            sent = os.write(self._input.fileno(), unsent[:_CHUNK]) if unsent else 0
        except BlockingIOError:
            return 0
        except OSError:  # it no longer reads: whether it answers is seen on its output
            sent = len(unsent or b"")
        if unsent is not None and sent == len(unsent):
            self._selector.unregister(self._input)
        return sent

    def _read(self, descriptor: int) -> bytes:
        self._reads += 1
        try:
            data = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        if not data:  # the pipe has ended
            pipe = self._output if descriptor == self._output.fileno() else self._errors
            self._selector.unregister(pipe)
        return data

    def _ended(self) -> bool:
        """Return whether the program's output has ended."""
        return not self._serves(self._output)

    def _serves(self, pipe: IO[bytes]) -> bool:
        return pipe in (self._selector.get_map() or ())

    def _keeper_says(self, word: bytes, wait: float) -> bool:
        """Return whether the keeper reports a line that begins with the word within the time."""
        deadline = time.monotonic() + wait
        while not any(line.startswith(word) for line in self._reports.splitlines()):
            self._line.settimeout(max(deadline - time.monotonic(), 0.001))
            try:
                report = self._line.recv(_CHUNK)
            except OSError:  # in particular: nothing within this time
                return False
            if not report:
                return False
            self._reports += report
        return True

    def _fate(self, wait: float) -> str | None:
        """Return how the program ended, as part of a message, or None if it has not."""
        ended = self._keeper_says(b"exit ", wait)
        for line in self._reports.decode(errors="replace").splitlines():
            if line == "processor":
                return (
                    f"it took more than {self._limits.processor} seconds of processor time and was stopped "
                    "(--cpu allows more)"
                )
            if line == "memory":
                return f"it used more than {self._limits.memory} MiB and was stopped (--memory allows more)"
        if not ended:
            return None if self._keeper.poll() is None else "it ended the process that supervises it"
        code = int(self._reports.rpartition(b"exit ")[2].split()[0])
        return f"it was ended by signal {-code}" if code < 0 else f"it ended with exit code {code}"

    def _stopped(self, what: str) -> MisbehaviorError:
        self.stop()
        words = self.last_words.splitlines()
        said = f"; the end of its errors: {words[error_line(words)][:200]!r}" if words else ""
        return MisbehaviorError(what + said)


def error_line(lines: Sequence[str]) -> int:
    """Return the place of the last line that names an error, which stack frames may follow, or of the last.

    >>> error_line(["throw new Error(a)", "Error: b", "  at throwError (a.mjs:1:7)", "Node.js v20"])
    1
    """
    named = (place for place in reversed(range(len(lines))) if _NAMES_ERROR.match(lines[place]))
    return next(named, len(lines) - 1)


def _unstartable(command: Sequence[str], reason: str) -> InputError:
    return InputError(f"{command[0]} cannot be started: {reason}: check the command after --")
