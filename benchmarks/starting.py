"""How much processor time a command takes that answers at once, against ``import numpy``."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory

from benchmarks.timing import compare

PRIVACY = ["privacy", "--gamma", "10", "--epsilon", "0.3", "--alpha", "3"]
NUMPY = [sys.executable, "-c", "import numpy"]


def processor() -> float:
    """Return the processor time of all processes that were started and have ended, in seconds."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def started(words: list[str]) -> Callable[[], object]:
    return lambda: subprocess.run(words, check=True, capture_output=True)


def main() -> None:
    program = [sys.executable, "-m", "splu_ref"]
    with TemporaryDirectory() as folder:
        certificate = str(Path(folder) / "t_p.json")
        started([*program, *PRIVACY, "--certificate", certificate])()
        for words in (["--version"], ["--help"], ["check", certificate], PRIVACY, [*PRIVACY, "--json"]):
            ratio = compare(started([*program, *words]), started(NUMPY), clock=processor)
            print(f"{words[0]}{' --json' if '--json' in words else ''}, against import numpy: {ratio}")


if __name__ == "__main__":
    main()
