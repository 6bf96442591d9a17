"""Processor time and peak memory of the commands, each against Polars doing the same reading and writing.

``python -m benchmarks.commands`` makes tables of eight columns as CSV and as Parquet, runs every command on
them in a process of its own, and prints time, ratio to the floor of the same run, peak memory and growth.
The floor reads the table with Polars, shuffles its rows and writes it. ``--rows`` names the sizes,
``--output FILE`` writes the measurements as JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from math import log
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from benchmarks.machine import machine

SENSITIVE = "job"
VALUES = 300
GAMMA = 5
SIZES = (100_000, 1_000_000)
FORMATS = ("csv", "parquet")
QUERIES = (10, 1_000)
RUNS = 3
SCHEMA = "splu-ref/commands/1"
BOUNDS = {
    "age": 90,
    "region": 51,
    "education": 16,
    "hours": 100,
    "sex": 2,
    "county": 3_000,
    "income": 200_000,
}
"""The seven integer columns, each with the number of its values."""

LAUNCHER = """
import json, os, sys
output = os.open(os.devnull, os.O_WRONLY)
actions = [(os.POSIX_SPAWN_DUP2, output, 1)]
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=actions)
_, status, used = os.wait4(child, 0)
print(json.dumps([os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss]))
"""
"""Runs a command from a small process: a child begins with the peak memory of the process that starts it."""

FLOOR = """
import sys, polars
read = polars.read_csv if sys.argv[1].endswith("csv") else polars.read_parquet
table = read(sys.argv[1]).sample(fraction=1, shuffle=True)
(table.write_csv if sys.argv[1].endswith("csv") else table.write_parquet)(sys.argv[2])
"""


class Usage(NamedTuple):
    """Processor seconds of a process with its children, and its peak memory in MiB."""

    seconds: float
    memory: float


def usage(words: Sequence[str], folder: Path, accepted: Iterable[int] = (0,)) -> Usage:
    """Return what a command uses; raise if it ends with another exit code than the accepted ones."""
    launched = [sys.executable, "-S", "-E", "-c", LAUNCHER, *words]
    # An installed package has its bytecode; a command that compiles all modules would measure the compiler.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(launched, cwd=folder, capture_output=True, text=True, check=False, env=environment)
    code, seconds, memory = json.loads(done.stdout or "[1, 0, 0]")
    if code not in accepted:
        raise RuntimeError(f"{' '.join(words)} ended with {code}: {done.stderr.strip()[-300:]}")
    return Usage(seconds, memory / 1024)


def write_tables(folder: Path, rows: int) -> None:
    """Write a generated table in every format: a text column of 300 values, and seven integer columns."""
    numbers = np.random.default_rng([1, rows])
    shares = np.minimum(1 / np.arange(1, VALUES + 1), 0.5)
    columns: dict[str, pl.Series] = {
        name: pl.Series(numbers.integers(0, bound, rows)) for name, bound in BOUNDS.items()
    }
    jobs = pl.Series([f"occupation {number}" for number in range(VALUES)])
    columns[SENSITIVE] = jobs.gather(numbers.choice(VALUES, rows, p=shares / shares.sum()))
    table = pl.DataFrame(columns)
    table.write_csv(folder / "table.csv")
    table.write_parquet(folder / "table.parquet")


def write_queries(folder: Path) -> None:
    """Write a file of queries for each length of `QUERIES`."""
    for size in QUERIES:
        queries = (
            {"where": {SENSITIVE: f"occupation {n % 50}", "age": str(n % 90), "sex": str(n // 90 % 2)}}
            for n in range(size)
        )
        lines = (json.dumps(query) + "\n" for query in queries)
        (folder / f"queries-{size}.jsonl").write_text("".join(lines), encoding="utf-8")


def commands(form: str) -> dict[str, list[str]]:
    """Return the commands that are measured on tables of a format, by name, in their order."""
    table, release = f"table.{form}", f"release.{form}"
    audit = ["audit-release", release, "--manifest", "release.json", "--original", table]
    kept = ["--keep", "county", "--keep", "income"]  # in a small table most of their cells are unique
    publish = ["publish", table, "--sensitive", SENSITIVE, "--gamma", str(GAMMA), "--force", "-o"]
    estimate = ["estimate", release, "--manifest", "release.json"]
    found = {
        "publish": [*publish, release, "--manifest", "release.json", *kept],
        "publish --stream": [*publish, f"streamed.{form}", "--stream"],
        "advise": ["advise", table, "--sensitive", SENSITIVE],
        "estimate, one query": [*estimate, "--where", f"{SENSITIVE}=occupation 7", "--where", "age=30"],
        f"estimate --by, {BOUNDS['region'] * VALUES:,} cells": [*estimate, "--by", f"region,{SENSITIVE}"],
        "audit-release --original": audit,
    }
    for size in QUERIES:
        found[f"estimate --batch, {size:,} queries"] = [*estimate, "--batch", f"queries-{size}.jsonl"]
    return found


def measure(rows: int, runs: int, folder: Path) -> list[dict[str, Any]]:
    """Return a row for each format and command: floor and command in turn, the median of some runs."""
    write_tables(folder, rows)
    write_queries(folder)
    found = []
    for form in FORMATS:
        floor_words = [sys.executable, "-c", FLOOR, f"table.{form}", f"shuffled.{form}"]
        for name, words in commands(form).items():
            program = [sys.executable, "-m", "splu_ref", *words]
            # An audit without enough evidence ends with 3.
            accepted = (0, 3) if name.startswith("audit") else (0,)
            pairs = [(usage(floor_words, folder), usage(program, folder, accepted)) for _ in range(runs)]
            row = {
                "command": name,
                "format": form,
                "rows": rows,
                "floor_seconds": _median(floor.seconds for floor, _ in pairs),
                "seconds": _median(used.seconds for _, used in pairs),
                "ratio": _median(used.seconds / floor.seconds for floor, used in pairs),
                "floor_mib": _median(floor.memory for floor, _ in pairs),
                "mib": _median(used.memory for _, used in pairs),
            }
            sys.stdout.write(line(row) + "\n")
            sys.stdout.flush()
            found.append(row)
    return found


def line(row: Mapping[str, Any]) -> str:
    """Return a row as text."""
    return (
        f"{row['rows']:>11,} rows  {row['format']:7}  {row['command']:30} {row['seconds']:8.2f} s, "
        f"{row['ratio']:6.1f} times the floor of {row['floor_seconds']:.2f} s, {row['mib']:7.0f} MiB"
    )


def table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the measurements of the largest size as lines of Markdown, with the exponent of growth."""
    largest = max(row["rows"] for row in rows)
    lines = [
        f"| command, {largest:,} rows | format | processor time | floor | ratio | peak memory | exponent |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        if row["rows"] == largest:
            cells = (
                f"`{row['command']}`",
                row["format"],
                f"{row['seconds']:.2f} s",
                f"{row['floor_seconds']:.2f} s",
                f"{row['ratio']:.1f}",
                f"{row['mib']:.0f} MiB",
                _exponent(row, rows),
            )
            lines.append(f"| {' | '.join(cells)} |")
    return lines


def _exponent(row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the growth exponent between the two largest sizes, or a dash if there is only one size."""
    same = [each for each in rows if (each["command"], each["format"]) == (row["command"], row["format"])]
    smaller = [each for each in same if each["rows"] < row["rows"]]
    if not smaller:
        return "–"
    before = max(smaller, key=lambda each: int(each["rows"]))
    return f"{log(row['seconds'] / before['seconds']) / log(row['rows'] / before['rows']):.2f}"


def _median(numbers: Iterable[float]) -> float:
    return float(f"{median(numbers):.4g}")


def main() -> None:
    """Measure all sizes, and write the measurements if a file is named."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.commands", description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=SIZES, help="sizes of the tables")
    parser.add_argument("--runs", type=int, default=RUNS, help="times that each command runs")
    parser.add_argument("--output", type=Path, help="a file for the measurements, as JSON")
    options = parser.parse_args()
    rows = []
    for size in options.rows:
        with TemporaryDirectory() as folder:
            rows += measure(size, options.runs, Path(folder))
    if options.output is not None:
        document = {"schema": SCHEMA, "machine": machine(), "runs": options.runs, "rows": rows}
        options.output.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
