"""Work that does not depend on the machine: lines of the package that are run, and words that they allocate.

What other packages do within a line is not seen, but what it takes of Python's and NumPy's memory is: how far
that rises above what stood there when the line began. A line that reads a long array and allocates nothing
counts as one line, and so does one that leaves all to Polars, whose memory is its own.
"""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from types import FrameType
from typing import Any, NamedTuple

WORD = 8
"""Bytes."""


class Work(NamedTuple):
    """What a call has done."""

    lines: int
    words: int


def work(function: Callable[[], object], package: str = "splu_ref") -> Work:
    """Count the work of one call, by the lines of a package.

    Nothing else may run meanwhile. A debugger or a coverage tool does not see the call.
    """
    lines = allocated = stood = 0
    look, forget = tracemalloc.get_traced_memory, tracemalloc.reset_peak

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal lines, allocated, stood
        if event == "call" and not frame.f_globals.get("__name__", "").startswith(package):
            return None
        now, peak = look()
        allocated += peak - stood
        if event == "line":
            lines += 1
        forget()
        stood = now
        return trace

    before, already = sys.gettrace(), tracemalloc.is_tracing()
    gc.disable()
    if not already:
        tracemalloc.start()
    try:
        forget()
        stood = look()[0]
        sys.settrace(trace)
        function()
    finally:
        sys.settrace(before)
        trace(sys._getframe(), "return", None)
        gc.enable()
        if not already:
            tracemalloc.stop()
    return Work(lines, allocated // WORD)
