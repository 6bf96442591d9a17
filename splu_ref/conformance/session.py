"""A program that is started anew when it has misbehaved, a limited number of times."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from splu_ref.conformance.comparison import UnreadableAnswerError, read_answer
from splu_ref.conformance.program import MisbehaviorError, Program

MOST_STARTS = 10
"""How often the program is started at most: once, and after each misbehavior."""


class Session:
    """A program that is started anew when it has misbehaved.

    Parameters
    ----------
    command
        The program and its arguments.
    timeout
        Seconds that an answer may take.
    """

    def __init__(self, command: Sequence[str], timeout: float) -> None:
        self._command, self._timeout = command, timeout
        self._program: Program | None = None
        self._starts = 0

    def __enter__(self) -> Session:
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    @property
    def exhausted(self) -> bool:
        """Whether the program misbehaved so often that it is not started again."""
        return self._program is None and self._starts >= MOST_STARTS

    def ask(self, request: Mapping[str, Any], identifier: str) -> dict[str, Any]:
        """Return the answer to a request.

        Raises
        ------
        MisbehaviorError
            If there is none, or none that can be understood.
        """
        return self.ask_line(json.dumps({**request, "id": identifier}).encode(), identifier)

    def ask_line(self, line: bytes, identifier: str) -> dict[str, Any]:
        """Return the answer to a line."""
        if self._program is None:
            if self._starts >= MOST_STARTS:
                raise MisbehaviorError(f"not run: the program misbehaved {MOST_STARTS} times")
            self._start()
        assert self._program is not None
        try:
            return read_answer(self._program.ask(line), identifier)
        except MisbehaviorError:
            self._stop()
            raise
        except UnreadableAnswerError as error:
            self._stop()
            raise MisbehaviorError(str(error)) from None

    def finish(self) -> None:
        """End the program in peace; raise ``MisbehaviorError`` if it does not end so."""
        if self._program is not None:
            self._program.finish()

    def _start(self) -> None:
        self._starts += 1
        self._program = Program(self._command, self._timeout)

    def _stop(self) -> None:
        if self._program is not None:
            self._program.stop()
            self._program = None
