"""The machine that figures were taken on, as far as speed depends on it: no names, no paths."""

from __future__ import annotations

import os
import platform
import re
from importlib.metadata import version
from pathlib import Path


def machine() -> dict[str, str | int]:
    """Return processor, cores, memory in GiB, and the versions of Python and of what computes."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "processor": _processor(),
        "cores": os.cpu_count() or 1,
        "memory_gib": round(pages / 2**30),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "scipy", "polars")},
    }


def in_words(facts: dict[str, str | int]) -> str:
    """Return them as a phrase."""
    return (
        f"{facts['processor']}, {facts['cores']} cores, {facts['memory_gib']} GiB, {facts['system']}, "
        f"Python {facts['python']}, NumPy {facts['numpy']}, SciPy {facts['scipy']}, Polars {facts['polars']}"
    )


def _processor() -> str:
    try:
        found = re.search(r"model name\s*: (.+)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    except OSError:
        found = None
    return found[1].strip() if found else platform.processor() or platform.machine()
