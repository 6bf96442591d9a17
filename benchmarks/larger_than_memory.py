"""Publish a generated table that is larger than memory: rows, seconds, memory, disk.

``python -m benchmarks.larger_than_memory --rows 100000000`` writes a table of so many rows and eight columns
as Parquet, publishes it, and checks the result: its rows, its columns that are not sensitive as a multiset,
and the values that the sensitive one may have. Nothing is written outside a folder of its own, which goes
away. ``--sorters`` sorts the table by Polars and, if it is there, by DuckDB instead.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from splu_ref.mechanisms import SpluGen
from splu_ref.mechanisms.streaming.publishing import publish
from splu_ref.randomness import Key

SENSITIVE = "job"
GAMMA = 5
_PART = 500_000
_JOBS = 50
_TEXTS = ("sex", "place", "education", "country", SENSITIVE)
_KEY = Key(bytes(range(1, 32)) + b"?")


class Seen(NamedTuple):
    """What a check compares: the rows, the multiset of the other cells, and the sensitive values."""

    rows: int
    cells: int
    values: frozenset[str]


def write_table(path: Path, rows: int) -> None:
    """Write a table of eight columns: numbers and texts, and an occupation with shares like 1/k."""
    shares = np.minimum(1 / np.arange(1, _JOBS + 1), 0.5)  # none above 1/5 of all
    shares /= shares.sum()
    folder = path.with_suffix(".parts")
    folder.mkdir()
    parts = []
    for number, first in enumerate(range(0, rows, _PART)):
        numbers, size = np.random.default_rng([1, number]), min(_PART, rows - first)
        frame = pl.DataFrame(
            {
                "person": np.arange(first, first + size),
                "age": numbers.integers(17, 90, size),
                "sex": numbers.integers(0, 2, size),
                "place": numbers.integers(0, 40_000, size),
                "education": numbers.integers(0, 16, size),
                "country": numbers.integers(0, 40, size),
                "income": numbers.integers(0, 200_000, size),
                SENSITIVE: numbers.choice(_JOBS, size, p=shares),
            }
        )
        named = [pl.concat_str(pl.lit(f"{name} "), pl.col(name)).alias(name) for name in _TEXTS]
        frame = frame.with_columns(named)
        parts.append(folder / f"{number}.parquet")
        frame.write_parquet(parts[-1])
    pl.scan_parquet(parts).sink_parquet(path, row_group_size=_PART)
    for part in parts:
        part.unlink()
    folder.rmdir()


def seen(path: Path) -> Seen:
    """Read a table part by part: a sum of hashes does not depend on the order of the rows."""
    table = pl.scan_parquet(path)
    rows, cells, values = int(table.select(pl.len()).collect().item()), 0, set()
    for first in range(0, rows, _PART):
        frame = table.slice(first, _PART).collect()
        cells += int(frame.drop(SENSITIVE, "person").hash_rows().to_numpy().astype(object).sum())
        values |= set(frame[SENSITIVE].unique())
    return Seen(rows, cells % 2**64, frozenset(values))


def peak() -> int:
    """Return the largest resident memory of this process since it began, in MiB."""
    import resource  # noqa: PLC0415 - it is of POSIX alone

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def published(table: Path, output: Path, *, keyed: bool) -> None:
    """Publish in this process, and print what it took."""
    begin = perf_counter()
    release = publish(table, output, SENSITIVE, SpluGen(GAMMA), _KEY if keyed else None)
    wall = perf_counter() - begin
    steps = ", ".join(f"{step} {seconds:.0f} s" for step, seconds in release.seconds.items())
    used = sum(os.times()[:2])
    print(f"{'keyed' if keyed else 'system'}: {release.rows_in:,} rows, {release.suppressed} suppressed")
    print(f"  {wall:.0f} s of wall time, {used:.0f} s of processor time: {steps}")
    print(f"  peak memory {peak()} MiB, temporary files {release.disk / 2**30:.2f} GiB written")


def sorted_by(engine: str, table: Path, output: Path) -> None:
    """Sort the table by a column of random numbers with another program, and print what it took."""
    begin = perf_counter()
    if engine == "duckdb":
        duckdb: Any = import_module("duckdb")  # no dependency

        connection = duckdb.connect()
        for setting in ("memory_limit='512MB'", "threads=2", "preserve_insertion_order=false"):
            connection.execute(f"set {setting}")
        connection.execute(f"set temp_directory='{output.parent}/duck'")
        connection.execute(
            f"copy (select * from '{table}' order by hash(person)) to '{output}' (format parquet)"
        )
    else:
        pl.scan_parquet(table).sort(pl.col("person").hash()).sink_parquet(output, engine="streaming")
    used = sum(os.times()[:2])
    print(
        f"{engine}: {perf_counter() - begin:.0f} s, {used:.0f} s of processor time, peak memory {peak()} MiB"
    )


def main() -> None:
    """Make a table, publish it in a process of its own, and check what came out."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--keyed", action="store_true", help="publish under a key")
    parser.add_argument(
        "--sorters", action="store_true", help="sort the table with Polars and DuckDB instead"
    )
    parser.add_argument("--folder", type=Path, help="where the files stand while it runs")
    parser.add_argument("--step", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        name, table, output = options.step[0], Path(options.step[1]), Path(options.step[2])
        if name in ("duckdb", "polars"):
            sorted_by(name, table, output)
        else:
            published(table, output, keyed=name == "keyed")
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        table, output = Path(folder) / "table.parquet", Path(folder) / "published.parquet"
        begin = perf_counter()
        write_table(table, options.rows)
        print(f"table: {table.stat().st_size / 2**30:.2f} GiB, {perf_counter() - begin:.0f} s", flush=True)
        steps = ["keyed" if options.keyed else "system"]
        if options.sorters:
            steps = ["polars", *(["duckdb"] if find_spec("duckdb") else [])]
        for step in steps:
            words = ["-m", "benchmarks.larger_than_memory", "--step", step, str(table), str(output)]
            subprocess.run([sys.executable, *words], check=True)
        before, after = seen(table), seen(output)
        assert after.rows == before.rows - (0 if options.sorters else before.rows % GAMMA)
        assert after.values == before.values
        if after.rows == before.rows:
            assert after.cells == before.cells, "the cells of other columns are not those of the original"
        print(f"checked: {after.rows:,} rows, {len(after.values)} values")


if __name__ == "__main__":
    main()
