"""The program in this process: what it prints, and, run as a file, what it takes for one input after another.

``test_measures.py`` runs it. All inputs of a command share a process, as starting one costs more than most of
them. So a peak of memory is that of this input and of those before it, and the seconds of the first count
from the start.
"""

from __future__ import annotations

import io
import json
import resource
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout
from typing import TextIO

from tests.programs import main

WHO = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def _seconds() -> float:
    """Return the processor time of this process and of its children that have ended."""
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, WHO))


def given(words: list[str]) -> tuple[int, str, str]:
    """Return the exit code of the program in this process, its output and its errors, as if through pipes."""
    output, errors = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    code = printed(words, output, errors)
    return code, _text(output), _text(errors)


def printed(words: list[str], output: TextIO, errors: TextIO) -> int:
    """Let the program in this process print to two streams, and return its exit code."""
    with redirect_stdout(output), redirect_stderr(errors):
        try:
            return main(words)
        except Exception:
            traceback.print_exc()
            return 1


def _text(stream: io.TextIOWrapper) -> str:
    """Return what was printed to a stream."""
    stream.seek(0)
    return stream.read()


def measure(inputs: list[list[str]], seconds: int) -> None:
    """Print of each input its exit code, its errors, the peak in megabytes and its seconds, as JSON."""
    begun = 0.0
    for words in inputs:
        resource.setrlimit(resource.RLIMIT_CPU, (int(begun) + seconds + 1, resource.RLIM_INFINITY))
        code, _, errors = given(words)
        peak = max(resource.getrusage(who).ru_maxrss for who in WHO)
        ended = _seconds()
        found = (code, errors, peak / (1 << 20 if sys.platform == "darwin" else 1 << 10), ended - begun)
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()
        begun = ended


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]), resource.getrlimit(resource.RLIMIT_AS)[1]))
    measure(json.load(sys.stdin), int(sys.argv[1]))
