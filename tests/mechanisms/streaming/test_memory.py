"""How much memory a release on files takes: in a process of its own, since peaks of others would count."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.pace import TWO_THREADS

_ROWS = 5_000_000
_MEASURED = r"""
import pathlib, re, sys
from splu_ref.mechanisms.streaming import publish
from splu_ref.mechanisms import SpluGen
def peak():  # ru_maxrss would begin with the peak of the process that started this one
    return int(re.search(r"VmHWM:\s*(\d+)", pathlib.Path("/proc/self/status").read_text())[1])
before = peak()
publish(sys.argv[1], sys.argv[2], "v", SpluGen(4))
print((peak() - before) // 1024)
"""


@pytest.mark.slow
@pytest.mark.measured
@pytest.mark.skipif(sys.platform != "linux", reason="it reads the process information of Linux")
def test_memory_is_bounded(tmp_path: Path) -> None:
    numbers = np.random.default_rng(0)
    columns = {f"c{n}": numbers.integers(0, 10**6, _ROWS) for n in range(7)}
    frame = pl.DataFrame({**columns, "v": numbers.integers(0, 20, _ROWS)})
    frame.write_parquet(tmp_path / "t.parquet", row_group_size=1 << 16)
    words = [sys.executable, "-c", _MEASURED, str(tmp_path / "t.parquet"), str(tmp_path / "o.parquet")]
    threads = {**os.environ, **TWO_THREADS}
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=threads)
    assert int(done.stdout) < 500  # it is about 430 MiB, and 1175 with the table in memory
