"""A program under test: started once, asked line by line, and never trusted.

The program may hang, crash, flood its output or its errors, answer twice, or refuse to end. Whatever it
does, an answer or a failure comes within the time limit and in bounded memory, and no process of it is left
behind. One loop serves its three pipes, so neither side can block the other. Needs a POSIX system.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from typing import IO, Self

from splu_ref.model import InputError

LONGEST_LINE = 1 << 24
"""Bytes of the longest line that is read; a program that writes a longer one is stopped."""

_CHUNK = 1 << 16
_LAST_WORDS = 2_000  # bytes of standard error that are kept
_GRACE = 5.0  # seconds to end after the end of its input


class MisbehaviorError(Exception):
    """The program broke the protocol: what it did, in words. It has been stopped."""


class Program:
    """A running program; use it in a ``with`` statement, at whose end it is stopped.

    Parameters
    ----------
    command
        The program and its arguments.
    timeout
        Seconds that an answer may take.

    Raises
    ------
    InputError
        If the program cannot be started.
    """

    def __init__(self, command: Sequence[str], timeout: float) -> None:
        self._timeout = timeout
        self._received = bytearray()
        self._last_words = bytearray()
        try:
            self._process = subprocess.Popen(  # noqa: S603 - to run this program is what was asked for
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,  # so that its children can be stopped with it
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(
                f"{command[0]} cannot be started: {reason}: check the command after --"
            ) from None
        pipes = self._process
        assert pipes.stdin is not None
        assert pipes.stdout is not None
        assert pipes.stderr is not None
        self._input, self._output, self._errors = pipes.stdin, pipes.stdout, pipes.stderr
        for pipe in (self._input, self._output, self._errors):
            os.set_blocking(pipe.fileno(), False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._output, selectors.EVENT_READ)
        self._selector.register(self._errors, selectors.EVENT_READ)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def last_words(self) -> str:
        """The end of what the program wrote to standard error."""
        return self._last_words.decode(errors="replace").strip()

    def ask(self, line: bytes) -> bytes:
        """Send one line and return the line that answers it, both without the line's end.

        Raises
        ------
        MisbehaviorError
            If no answer comes in time, the program ends, or it writes what is no answer. It is stopped then.
        """
        deadline = time.monotonic() + self._timeout
        self._serve(0.0)  # what has come already was not asked for
        if self._received:
            raise self._stopped("it wrote a line that nobody asked for")
        unsent = memoryview(line + b"\n")
        self._selector.register(self._input, selectors.EVENT_WRITE)
        try:
            while b"\n" not in self._received:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise self._stopped(f"it gave no answer within {self._timeout:g} seconds")
                unsent = unsent[self._serve(left, unsent) :]
                if len(self._received) > LONGEST_LINE:
                    raise self._stopped(f"its answer is longer than {LONGEST_LINE} bytes")
                if self._ended() and b"\n" not in self._received:
                    raise self._stopped(self._how_it_ended())
        finally:
            if self._serves(self._input):
                self._selector.unregister(self._input)
        answer, _, rest = bytes(self._received).partition(b"\n")
        self._received = bytearray(rest)
        if unsent:
            raise self._stopped("it answered before it had read the whole request")
        return answer.removesuffix(b"\r")

    def finish(self) -> None:
        """End the program's input and wait for its end.

        Raises
        ------
        MisbehaviorError
            If it writes more, does not end within a few seconds, or ends with an exit code other than 0.
        """
        with contextlib.suppress(OSError):
            self._input.close()
        deadline = time.monotonic() + min(self._timeout, _GRACE)
        while not self._ended():
            left = deadline - time.monotonic()
            if left <= 0:
                raise self._stopped("it did not end when its input had ended")
            self._serve(left)
            if self._received:
                raise self._stopped("it wrote a line that nobody asked for")
        try:
            code = self._process.wait(max(deadline - time.monotonic(), 0.05))
        except subprocess.TimeoutExpired:
            raise self._stopped("it closed its output and did not end") from None
        if code != 0:
            raise self._stopped(f"it ended with exit code {code} after the end of its input")

    def stop(self) -> None:
        """End the program and all its children, at once."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._selector.close()
        for pipe in (self._input, self._output, self._errors):
            with contextlib.suppress(OSError):
                pipe.close()

    def _serve(self, wait: float, unsent: memoryview | None = None) -> int:
        """Wait until a pipe is ready; read what has come; return how much of ``unsent`` was sent."""
        sent = 0
        for key, _ in self._selector.select(wait):
            if key.fileobj is self._input:
                sent = self._send(unsent)
            elif key.fileobj is self._output:
                self._received += self._read(key.fileobj.fileno())
            else:
                self._last_words += self._read(self._errors.fileno())
                del self._last_words[:-_LAST_WORDS]
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

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(0.5)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        return f"it was ended by signal {-code}" if code < 0 else f"it ended with exit code {code}"

    def _stopped(self, what: str) -> MisbehaviorError:
        self.stop()
        words = self.last_words.splitlines()
        return MisbehaviorError(f"{what}; its last words: {words[-1][:200]!r}" if words else what)
