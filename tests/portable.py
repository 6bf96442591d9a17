"""Tests of floating-point results, run as on other processors: ``python -m tests.portable [SETTING ...]``.

OpenBLAS and NumPy choose their instructions by the processor, and so round differently on each. Environment
variables make them choose others. The first setting is the one of continuous integration: it differs from
what servers by AMD and by Intel choose themselves.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
FILES = (
    "tests/estimators/test_matrices.py",
    "tests/estimators/test_whole_answers.py",
    "tests/estimators/tables",
    "tests/experiments/study/test_documents.py",
    "tests/experiments/test_learning.py",
    "tests/cli/test_golden_output.py",
    "tests/cli/test_widths.py",
)
"""Tests that compare recorded digits of floating-point results, or products of matrices."""
MORE = (
    "tests/estimators",
    "tests/experiments/study",
    "tests/guarantees/operators",
    "tests/channels",
    "tests/audit/test_attacks.py",
    "tests/docs/test_examples.py",
)
"""Tests that continuous integration need not repeat: exact numbers, tolerances, and printed examples."""


def simd_features() -> str:
    """Return the processor features that NumPy uses here and can do without."""
    return " ".join(np.show_config("dicts")["SIMD Extensions"].get("found", []))


@dataclass(frozen=True)
class Setting:
    """Environment variables, and options of pytest."""

    environment: Mapping[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()


WITHOUT_SIMD = {"NPY_DISABLE_CPU_FEATURES": simd_features()}
SETTINGS = {
    "ci": Setting({"OPENBLAS_CORETYPE": "Haswell", **WITHOUT_SIMD}, ("--reversed", "-m", "not slow")),
    "haswell": Setting({"OPENBLAS_CORETYPE": "Haswell"}),
    "zen": Setting({"OPENBLAS_CORETYPE": "Zen"}),
    "prescott": Setting({"OPENBLAS_CORETYPE": "Prescott"}),
    "skylakex": Setting({"OPENBLAS_CORETYPE": "SkylakeX"}),
    "without-simd": Setting(WITHOUT_SIMD),
    "without-fma": Setting({"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-AVX2"}),
    "one-thread": Setting({"OPENBLAS_NUM_THREADS": "1"}),
    "four-threads": Setting({"OPENBLAS_NUM_THREADS": "4"}),
    "reversed": Setting(options=("--reversed",)),
}
"""By name. OpenBLAS ignores a kernel that the processor does not have."""


def run(name: str, workers: str) -> bool:
    """Run the tests under a setting, and return whether they pass."""
    setting, begun = SETTINGS[name], time.monotonic()
    files = FILES if name == "ci" else FILES + MORE
    command = [sys.executable, "-m", "pytest", "-q", "-n", workers, "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, *setting.options, *files],
        cwd=ROOT,
        env={**os.environ, **setting.environment},
        check=False,
    )
    variables = " ".join(f"{key}={value!r}" for key, value in setting.environment.items())
    verdict = "passed" if done.returncode == 0 else "FAILED"
    sys.stdout.write(f"{verdict}  {name}  {variables}  {time.monotonic() - begun:.0f} s\n")
    return done.returncode == 0


def main(arguments: Sequence[str]) -> int:
    """Run the tests under some settings, or under all but the one of continuous integration."""
    parser = argparse.ArgumentParser(prog="python -m tests.portable", description=__doc__)
    parser.add_argument("settings", nargs="*", metavar="SETTING", help=f"any of {', '.join(SETTINGS)}")
    parser.add_argument("--workers", default="auto", help="processes of pytest-xdist")
    options = parser.parse_args(arguments)
    if unknown := set(options.settings) - SETTINGS.keys():
        parser.error(f"unknown: {', '.join(sorted(unknown))}: choose of {', '.join(SETTINGS)}")
    names = options.settings or [name for name in SETTINGS if name != "ci"]
    passed = [run(name, options.workers) for name in names]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
