"""The command line: parse, call one function, print."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence

from splu_ref.data import EndedError, unwinding


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code: after a signal 128 and its number."""
    # Waiting threads of linear algebra use processor time: one thread, unless the user sets another number.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        with unwinding():
            from splu_ref.cli.app import run  # noqa: PLC0415 - an interrupt while modules load is no traceback either

            return run(arguments)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except EndedError as ended:
        return 128 + ended.number


__all__ = ["main"]
