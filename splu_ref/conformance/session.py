"""A session with a program, which is restarted after misbehavior: limited in restarts and in time."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence

from splu_ref.channels import Json
from splu_ref.conformance.comparison import UnreadableAnswerError, read_answer
from splu_ref.conformance.program import Limits, MisbehaviorError, Program
from splu_ref.conformance.result import NOT_RUN

MOST_STARTS = 10
"""Maximum number of starts of the program, the first and those after misbehavior."""


class Session:
    """A program that is restarted after misbehavior."""

    def __init__(self, command: Sequence[str], limits: Limits) -> None:
        self._command, self._limits = command, limits
        self._deadline = time.monotonic() + limits.run
        self._program: Program | None = None
        self._starts = 0
        self.received = b""
        self.last_words = ""  # the end of what a stopped program wrote to standard error

    def __enter__(self) -> Session:
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    @property
    def exhausted(self) -> str:
        """The reason why no more requests are sent; empty if there is none."""
        if time.monotonic() >= self._deadline:
            return f"{NOT_RUN}the run took more than {self._limits.run:g} seconds (--time allows more)"
        if self._program is None and self._starts >= MOST_STARTS:
            return f"{NOT_RUN}the program misbehaved {MOST_STARTS} times"
        return ""

    def ask(self, request: Mapping[str, object], identifier: str) -> dict[str, Json]:
        """Return the answer to a request."""
        return self.ask_line(json.dumps({**request, "id": identifier}).encode(), identifier)

    def ask_line(self, line: bytes, identifier: str) -> dict[str, Json]:
        """Return the answer to a line."""
        self.received = b""
        if reason := self.exhausted:
            self._stop()
            raise MisbehaviorError(reason)
        if self._program is None:
            self._start()
        assert self._program is not None
        try:
            self.received = self._program.ask(line, self._deadline - time.monotonic())
            return read_answer(self.received, identifier)
        except MisbehaviorError:
            self._stop()
            raise
        except UnreadableAnswerError as error:
            self._stop()
            raise MisbehaviorError(str(error)) from None

    def finish(self) -> None:
        """End the program's input; raise ``MisbehaviorError`` if the program does not end correctly.

        A program that was stopped is started once more for this check.
        """
        if self._program is None or self.exhausted:
            self.ask({"op": "describe"}, "describe")  # an answer shows that it has started, however slowly
        assert self._program is not None
        self._program.finish()

    def _start(self) -> None:
        self._starts += 1
        self._program = Program(self._command, self._limits)

    def _stop(self) -> None:
        if self._program is not None:
            self._program.stop()
            self.last_words = self._program.last_words
            self._program = None
