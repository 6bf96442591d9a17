"""The benchmark of the commands: what it runs works, and a failing command stops it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import commands


@pytest.mark.slow
@pytest.mark.measured
def test_every_command_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "FORMATS", ("csv",))
    rows = commands.measure(2_000, 1, tmp_path)
    assert [row["command"] for row in rows] == list(commands.commands("csv"))
    for row in rows:
        assert row["seconds"] > 0
        assert row["floor_seconds"] > 0
        assert row["mib"] > 10
    assert len(commands.table(rows)) == 2 + len(rows)


def test_a_command_that_fails_stops_the_benchmark(tmp_path: Path) -> None:
    words = [sys.executable, "-c", "raise SystemExit(3)"]
    with pytest.raises(RuntimeError, match="ended with 3"):
        commands.usage(words, tmp_path)
    assert commands.usage(words, tmp_path, (0, 3)).seconds >= 0


def test_the_table_states_ratio_and_growth() -> None:
    def row(rows: int, seconds: float) -> dict[str, object]:
        return {
            "command": "advise", "format": "csv", "rows": rows, "seconds": seconds, "floor_seconds": 0.5,
            "ratio": seconds / 0.5, "floor_mib": 50.0, "mib": 100.0,
        }  # fmt: skip

    *_, last = commands.table([row(1_000, 1.0), row(100_000, 10.0)])
    assert last == "| `advise` | csv | 10.00 s | 0.50 s | 20.0 | 100 MiB | 0.50 |"
    assert commands.table([row(1_000, 1.0)])[-1].endswith("| – |")
